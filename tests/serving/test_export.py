"""Exports of models of one direction: signatures, versions, quantisation, and answers without keras_nmt."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from small import ONE_SHAPE

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.models import quantize
from keras_nmt.serving import export

README = Path(__file__).parents[2] / "savedmodels" / "README.md"


@pytest.fixture
def quick_write(monkeypatch):
    """Exports that write a file instead of a model, for what is about folders only."""

    def write(*arguments):
        folder = arguments[-1]
        (folder / "saved_model.pb").write_bytes(b"")

    monkeypatch.setattr("keras_nmt.serving._export._write", write)


@pytest.fixture(scope="module")
def served(exported):
    return tf.saved_model.load(str(exported))


@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_a_process_without_keras_nmt_gives_the_translators_answers(exported, translator, lines, ask_session):
    many = lines * 2  # more than the largest batch bucket
    requests = [
        ("serving_default", {"text": many}),
        ("serving_default_xla", {"text": lines}),
        ("serving_default", {"text": []}),
        ("score", {"source": lines, "target": lines[::-1]}),
        ("score_xla", {"source": lines, "target": lines[::-1]}),
        ("score", {"source": [], "target": []}),
    ]
    answers = ask_session(exported, requests)

    expected = translator.translate(many)
    for answer, number in ((answers[0], len(many)), (answers[1], len(lines))):
        assert answer["translation"] == [translation.text for translation in expected[:number]]
        assert answer["truncated"] == [translation.truncated for translation in expected[:number]]
        assert answer["cut_off"] == [translation.cut_off for translation in expected[:number]]
        scores = [translation.score for translation in expected[:number]]
        np.testing.assert_allclose(answer["score"], scores, atol=1e-4)
    assert answers[2] == {"translation": [], "score": [], "cut_off": [], "truncated": []}
    longest = translator.length_buckets[-1] - 1  # and EOS
    cut = translator.tokenizers["source"].tokenize(lines).row_lengths().numpy() > longest
    cut |= translator.tokenizers["target"].tokenize(lines[::-1]).row_lengths().numpy() > longest
    for answer in answers[3:5]:
        np.testing.assert_allclose(
            answer["log_probability"], translator.score(lines, lines[::-1]), rtol=1e-4, atol=1e-4
        )
        assert answer["truncated"] == cut.tolist()
    assert answers[5] == {"log_probability": [], "truncated": []}


@pytest.mark.parametrize("shape", [[], [2, 1], [1, 1, 2]])
@pytest.mark.parametrize("signature", ["serving_default", "serving_default_xla", "score", "score_xla"])
def test_texts_of_other_ranks_are_refused(served, signature, shape):
    texts = tf.fill(shape, "a mouse")
    names = ("source", "target") if signature.startswith("score") else ("text",)
    for wrong in names:
        inputs = {name: texts if name == wrong else tf.fill(shape[:1] or [1], "a mouse") for name in names}
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"not compatible with expected shape \[\?\]"):
            served.signatures[signature](**inputs)


def test_the_program_of_the_readme_runs(exported, translator, lines, run_python):
    program = re.search(r"( {4}import sys\n.*?)\nIn C:", README.read_text(encoding="utf-8"), re.DOTALL)
    program = "\n".join(line[4:] for line in program[1].splitlines())
    alone = 'import sys; sys.modules["keras_nmt"] = None  # an import would fail\n'
    done = run_python("-c", alone + program, exported, *lines, cwd="/")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.decode().splitlines() == [translation.text for translation in translator.translate(lines)]


def test_plain_signatures_contain_no_xla(exported, reached):
    for signature in ("serving_default", "score"):
        operators, marked = reached(exported, signature)
        assert "SentencepieceTokenizeOp" in operators  # the walk reaches what is inside
        assert not marked
        assert not [operator for operator in operators if "xla" in operator.lower()]
        assert reached(exported, signature + "_xla")[1]


def test_signatures_have_the_documented_names_types_and_shapes(served):
    signatures = served.signatures
    text = {"translation": tf.string, "score": tf.float32, "cut_off": tf.bool, "truncated": tf.bool}
    score = {"log_probability": tf.float32, "truncated": tf.bool}
    expected = {"serving_default": text, "serving_default_xla": text, "score": score, "score_xla": score}
    assert set(signatures) == set(expected)
    for name, outputs in expected.items():
        found = signatures[name].structured_outputs
        assert {key: spec.dtype for key, spec in found.items()} == outputs
        assert all(spec.shape.rank == 1 for spec in found.values())


# Usually: a bfloat16 model of several directions, and several hypotheses of an export that samples.
@pytest.mark.nightly
def test_a_bfloat16_model_is_exported_in_float32_with_several_hypotheses(
    make_model, source_tokenizer, options, lines, tmp_path
):
    reference = make_model()  # of a joint vocabulary
    trained = make_model(dtype="mixed_bfloat16")
    folder = export(tmp_path / "model", trained, source_tokenizer, **options, num_hypotheses=2)
    assert trained.dtype_policy.name == "mixed_bfloat16" or trained.get_config()["dtype"] == "mixed_bfloat16"

    answer = tf.saved_model.load(str(folder)).signatures["serving_default"](text=tf.constant(lines))
    expected = Translator(reference, source_tokenizer, **options, num_hypotheses=2).translate(lines)
    assert answer["translation"].shape == answer["score"].shape == (len(lines), 2)
    found = [[text.decode() for text in texts] for texts in answer["translation"].numpy()]
    assert found == [[hypothesis.text for hypothesis in translation.hypotheses] for translation in expected]
    scores = [[hypothesis.score for hypothesis in translation.hypotheses] for translation in expected]
    np.testing.assert_allclose(answer["score"], scores, atol=1e-4)


def test_versions_count_up_and_are_not_overwritten(model, tokenizers, tmp_path, quick_write):
    def write(**options) -> Path:
        return export(tmp_path / "model", model, tokenizers, **options)

    assert write() == tmp_path / "model" / "1"
    assert write(version=9).name == "9"
    (tmp_path / "model" / "notes").mkdir()
    assert write().name == "10"
    with pytest.raises(UserError, match=r"must be new.*Received: version=9"):
        write(version=9)
    for wrong in (0, 2.0, True, "3", 2**63):  # no server would load such a version
        with pytest.raises(UserError, match=f"positive.*Received: version={wrong!r}$"):
            write(version=wrong)
    assert sorted(child.name for child in (tmp_path / "model").iterdir()) == ["1", "10", "9", "notes"]


def test_a_version_is_readable_by_other_users(exported):
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(exported.stat().st_mode) == 0o777 & ~mask


def test_an_export_that_fails_leaves_nothing(model, tokenizers, tmp_path, monkeypatch):
    def fail(*arguments):
        folder = arguments[-1]
        (folder / "saved_model.pb").write_bytes(b"a part")
        assert [child.name.isdecimal() for child in folder.parent.iterdir()] == [False]  # no server loads it
        raise OSError("the disk is full")

    monkeypatch.setattr("keras_nmt.serving._export._write", fail)
    with pytest.raises(OSError, match="the disk is full"):
        export(tmp_path / "model", model, tokenizers)
    assert list((tmp_path / "model").iterdir()) == []


SIZES = {"target_vocabulary_size": 100, "hidden_dim": 128, "intermediate_dim": 512, "noise": 0.02}


@pytest.mark.nightly
def test_int8_weights_serve_as_the_quantised_model_and_take_a_quarter(
    make_model, tokenizers, lines, tmp_path, ask_session
):
    model = make_model(**SIZES)
    folder = export(tmp_path / "int8", model, tokenizers, **ONE_SHAPE, quantize="int8")
    assert bytes_of_weights(folder) < 0.3 * 4 * model.count_params()
    assert {weight.dtype for weight in model.weights} == {"float32"}  # a copy was quantised

    quantized = model.with_dtype("float32")
    quantize(quantized)
    expected = Translator(quantized, tokenizers, **ONE_SHAPE).translate(lines)
    assert len({translation.text for translation in expected}) > 2
    requests = [(name, {"text": lines}) for name in ("serving_default", "serving_default_xla")]
    for answer in ask_session(folder, requests):
        assert answer["translation"] == [translation.text for translation in expected]
        np.testing.assert_allclose(answer["score"], [translation.score for translation in expected], atol=0.02)


@pytest.mark.parametrize(
    ("dtype", "error"), [("bfloat16", 2**-8), pytest.param("float16", 2**-11, marks=pytest.mark.nightly)]
)
def test_weights_of_two_bytes_take_half_and_score_as_the_converted_model(
    make_model, tokenizers, lines, tmp_path, ask_session, dtype, error
):
    model = make_model(**SIZES)
    folder = export(tmp_path / dtype, model, tokenizers, **ONE_SHAPE, quantize=dtype)
    assert bytes_of_weights(folder) < 0.55 * 4 * model.count_params()
    assert {weight.dtype for weight in model.weights} == {"float32"}

    # The scores of given pairs: a model that was not trained chooses between words that are about as likely.
    expected = Translator(model.with_dtype(dtype), tokenizers, **ONE_SHAPE).score(lines, lines[::-1])
    exact = Translator(model, tokenizers, **ONE_SHAPE).score(lines, lines[::-1])
    requests = [(name, {"source": lines, "target": lines[::-1]}) for name in ("score", "score_xla")]
    for answer in ask_session(folder, requests):
        np.testing.assert_allclose(answer["log_probability"], expected, rtol=2 * error)
        np.testing.assert_allclose(answer["log_probability"], exact, rtol=4 * error)
        assert np.any(np.abs(np.array(answer["log_probability"]) - exact) > 1e-4)


def bytes_of_weights(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "variables").iterdir())


def test_an_impossible_quantisation_is_refused_before_any_file_is_written(model, tokenizers, tmp_path):
    with pytest.raises(UserError, match="float16. Received: quantize='int3'"):
        export(tmp_path / "model", model, tokenizers, quantize="int3")
    quantized = model.with_dtype("float32")
    quantize(quantized)
    with pytest.raises(UserError, match="quantised already: .*export it with.* Received: "):
        export(tmp_path / "model", quantized, tokenizers)
    assert not list(tmp_path.rglob("*"))
