"""Exports of models of one direction: signatures, versions, quantisation, answers without keras_nmt, the graph."""

import os
import re
import stat
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from echo_models import meta_graph_of
from small import ONE_SHAPE, make_shortlist

from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.inference.batching import PARTS_OF_A_REQUEST_AT_ONCE
from keras_nmt.models import quantize
from keras_nmt.serving import export

README = Path(__file__).parents[2] / "savedmodels" / "README.md"


@pytest.fixture(scope="module")
def served(exported):
    return tf.saved_model.load(str(exported))


@pytest.fixture(scope="module")
def expected(translator, lines):
    """A list for each output of a translation."""
    found = translator.translate(lines)
    return {
        name: [getattr(x, name) for x in found] for name in ("text", "score", "truncated", "cut_off", "has_unknown")
    }


def check_translated(answer, expected, times=1):
    assert answer["translation"] == expected["text"] * times
    assert answer["truncated"] == expected["truncated"] * times
    assert answer["has_unknown"] == expected["has_unknown"] * times
    assert answer["cut_off"] == expected["cut_off"] * times
    np.testing.assert_allclose(answer["score"], expected["score"] * times, atol=1e-4)


def test_a_process_without_keras_nmt_gives_the_translators_answers(exported, expected, lines, ask_session):
    """The witness that an export is the model and needs no keras_nmt. Further signatures are below."""
    other = ["the cat", "the 犬"]
    answer, of_other = ask_session(exported, [("serving_default", {"text": text}) for text in (lines, other)])
    check_translated(answer, expected)
    assert set(expected["truncated"]) == {True, False}
    assert of_other["has_unknown"] == [False, True]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*were truncated")
def test_every_signature_in_a_process_without_keras_nmt(exported, translator, expected, lines, ask_session):
    requests = [
        ("serving_default", {"text": lines * 2}),  # more than the largest batch bucket
        ("serving_default_xla", {"text": lines * 2}),
        ("serving_default", {"text": []}),
        ("score", {"source": lines, "target": lines[::-1]}),
        ("score_xla", {"source": lines, "target": lines[::-1]}),
        ("score", {"source": [], "target": []}),
    ]
    answers = ask_session(exported, requests)
    for answer in answers[:2]:
        check_translated(answer, expected, 2)
    assert answers[2] == {"translation": [], "score": [], "cut_off": [], "truncated": [], "has_unknown": []}
    longest = translator.length_buckets[-1] - 1  # and EOS
    cut = translator.tokenizers["source"].tokenize(lines).row_lengths().numpy() > longest
    cut |= translator.tokenizers["target"].tokenize(lines[::-1]).row_lengths().numpy() > longest
    log_probabilities = translator.score(lines, lines[::-1])
    for answer in answers[3:5]:
        np.testing.assert_allclose(answer["log_probability"], log_probabilities, rtol=1e-4, atol=1e-4)
        assert answer["truncated"] == cut.tolist()
    assert answers[5] == {x: [] for x in ("log_probability", "truncated", "token", "token_log_probability")}


@pytest.mark.slow
def test_the_program_of_the_readme_runs(exported, expected, lines, run_python):
    program = re.search(r"( {4}import sys\n.*?)\nIn C:", README.read_text(encoding="utf-8"), re.DOTALL)
    program = "\n".join(line[4:] for line in program[1].splitlines())
    alone = 'import sys; sys.modules["keras_nmt"] = None  # an import would fail\n'
    done = run_python("-c", alone + program, exported, *lines, cwd="/")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.decode().splitlines() == expected["text"]


ROUTING = {"If", "StatelessIf", "Case", "StatelessCase", "Switch", "Merge", "RefSwitch", "InvertPermutation"}


def test_plain_signatures_contain_no_xla_and_one_direction_no_routing(exported, reached):
    for name in ("serving_default", "score", "serving_default_xla", "score_xla"):
        operators, marked = reached(exported, name)
        assert "SentencepieceTokenizeOp" in operators  # the walk reaches what is inside
        assert marked == name.endswith("_xla")
        assert marked or not [operator for operator in operators if "xla" in operator.lower()]
        # Sentences leave the batch of the plain search under a condition.
        leaving = {"If", "StatelessIf"} if name == "serving_default" else set()
        assert not operators & (ROUTING - leaving)


def test_signatures_have_the_documented_names_types_and_shapes(served):
    signatures = served.signatures
    text = {"translation": tf.string, "score": tf.float32, "cut_off": tf.bool, "truncated": tf.bool}
    text["has_unknown"] = tf.bool
    of_tokens = {"token": tf.string, "token_log_probability": tf.float32}
    score = {"log_probability": tf.float32, "truncated": tf.bool, **of_tokens}
    outputs_of = {"serving_default": text, "serving_default_xla": text, "score": score, "score_xla": score}
    assert set(signatures) == set(outputs_of)
    for name, outputs in outputs_of.items():
        found = signatures[name].structured_outputs
        assert {key: spec.dtype for key, spec in found.items()} == outputs
        assert all(spec.shape.rank == 1 + (key in of_tokens) for key, spec in found.items())
        inputs = signatures[name].structured_input_signature[1]  # texts of other ranks are refused
        assert inputs.keys() == ({"source", "target"} if name.startswith("score") else {"text"})
        assert all((spec.dtype, spec.shape.as_list()) == (tf.string, [None]) for spec in inputs.values())


def test_versions_count_up_and_are_not_overwritten(model, tokenizers, tmp_path, written):
    def write(**options):
        return export(tmp_path / "model", model, tokenizers, **options)

    mask = os.umask(0)
    os.umask(mask)
    assert (first := write()) == tmp_path / "model" / "1"
    assert stat.S_IMODE(first.stat().st_mode) == 0o777 & ~mask  # readable by other users
    assert write(version=9).name == "9"
    (tmp_path / "model" / "notes").mkdir()
    assert write().name == "10"
    for wrong in (0, 2.0, True, "3", 2**63):  # no server would load such a version
        with pytest.raises(UserError, match=f"positive.*Received: version={wrong!r}$"):
            write(version=wrong)
    assert sorted(child.name for child in (tmp_path / "model").iterdir()) == ["1", "10", "9", "notes"]


@pytest.mark.parametrize(
    ("kind", "share", "error"),
    [
        pytest.param("bfloat16", 0.55, 2**-8, marks=pytest.mark.slow),
        pytest.param("int8", 0.3, 2**-6, marks=pytest.mark.nightly),
    ],
)
def test_quantised_weights_take_less_and_score_as_the_quantised_model(
    make_model, tokenizers, lines, tmp_path, ask_session, kind, share, error
):
    model = make_model(target_vocabulary_size=100, hidden_dim=128, intermediate_dim=512, noise=0.02)
    folder = export(tmp_path / kind, model, tokenizers, **ONE_SHAPE, quantize=kind)
    assert sum(file.stat().st_size for file in (folder / "variables").iterdir()) < share * 4 * model.count_params()
    assert {weight.dtype for weight in model.weights} == {"float32"}  # a copy was quantised

    # The scores of given pairs: a model that was not trained chooses between words that are about as likely.
    quantised = model.with_dtype("float32" if kind == "int8" else kind)
    if kind == "int8":
        quantize(quantised)
    expected, exact = (Translator(x, tokenizers, **ONE_SHAPE).score(lines, lines[::-1]) for x in (quantised, model))
    requests = [(name, {"source": lines, "target": lines[::-1]}) for name in ("score", "score_xla")]
    for answer in ask_session(folder, requests):
        np.testing.assert_allclose(answer["log_probability"], expected, rtol=2 * error)
        np.testing.assert_allclose(answer["log_probability"], exact, rtol=4 * error)
        assert np.any(np.abs(np.array(answer["log_probability"]) - exact) > 1e-4)


def test_an_impossible_quantisation_is_refused_before_any_file_is_written(model, tokenizers, tmp_path):
    with pytest.raises(UserError, match="float16. Received: quantize='int3'"):
        export(tmp_path / "model", model, tokenizers, quantize="int3")
    quantized = model.with_dtype("float32")
    quantize(quantized)
    with pytest.raises(UserError, match="quantised already: .*export it with.* Received: "):
        export(tmp_path / "model", quantized, tokenizers)
    assert not list(tmp_path.rglob("*"))


# The graph

LIMIT = 5 * 2**20  # bytes of the graph, all signatures together, beside weights and subwords


# The operators of nodes that TensorFlow runs one after the other. A resource is read before the loops.
STATEFUL = {"While", "If", "Case", "StatefulPartitionedCall", "Assert", "ReadVariableOp", "ResourceGather"}
STATEFUL |= {"SentencepieceOp", "SentencepieceTokenizeOp", "SentencepieceDetokenizeOp", "SentencepieceIdToStringOp"}


def check_loops(folder, signatures):
    """Every loop of an export, the loop over parts of a request too, is free to overlap with itself and with others."""
    meta_graph = meta_graph_of(folder)
    assert set(signatures) <= set(meta_graph.signature_def)
    library = {function.signature.name: function for function in meta_graph.graph_def.library.function}
    loops = [node for function in library.values() for node in function.node_def if node.op.endswith("While")]
    over_parts = [node for node in loops if node.attr["parallel_iterations"].i == PARTS_OF_A_REQUEST_AT_ONCE]
    assert len(over_parts) >= len(set(signatures) - {"translate"})  # the same as `serving_default`
    waiting, seen = [node.attr["body"].func.name for node in loops], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for node in library[name].node_def:
            assert node.op not in STATEFUL, (name, node.name)
            called = (function.name for value in node.attr.values() for function in (value.func, *value.list.func))
            waiting.extend(set(called) & set(library) - seen)
    assert any("MatMul" in node.op for name in seen for node in library[name].node_def)  # the walk goes into functions


@pytest.mark.nightly
def test_loops_hold_no_operators_that_tensorflow_keeps_in_order(
    exported, exported_sampler, exported_label, exported_multilingual, model, tokenizers, tmp_path
):
    check_loops(exported, ["serving_default", "serving_default_xla", "score", "score_xla"])
    check_loops(exported_sampler, ["sample", "sample_xla"])
    check_loops(exported_label, ["serving_default", "translate", "search", "search_xla", "align", "align_xla"])
    check_loops(exported_multilingual, ["serving_default", "translate_de_fr", "embed", "embed_xla"])
    pairs = [("one cat", "eine katze"), ("old house", "altes haus")]
    shortlist = make_shortlist(tokenizers, *zip(*pairs, strict=True), [[(0, 0), (1, 1)]] * len(pairs))
    more = {"shortlist": shortlist, "shortlist_size": 40, "signatures": ["tokens", "align"], "quantize": "int8"}
    more["unknown"] = "replace"
    check_loops(export(tmp_path, model, tokenizers, **more), ["serving_default", "tokens", "tokens_xla", "align"])


def size_beside_weights(folder):
    return sum(x.stat().st_size for x in folder.rglob("*") if x.is_file() and x.parent.name != "variables")


def test_a_graph_is_small(exported, tokenizers):
    subwords = sum(len(tokenizer.proto) for tokenizer in tokenizers.values())
    assert size_beside_weights(exported) - subwords <= 2 * LIMIT // 5  # of a layer on each side, without sampling
    assert (exported / "fingerprint.pb").is_file()


@pytest.mark.nightly
def test_the_graph_of_a_large_model_is_small(make_model, source_tokenizer, lines, tmp_path):
    """A model with as many layers as the base preset, with samples and warm-up records. Widths do not matter.

    Signatures on request add as much again: `align` a third of it, and `search` two thirds, because it
    has its loop twice, with and without phrases.
    """
    model = make_model(num_encoder_layers=6, num_decoder_layers=6, shortcuts=None)
    options = {"warmup": lines, "warmup_xla": True, "sample": True, "top_k": 5}
    larger = export(tmp_path, model, source_tokenizer, **options, signatures=["search", "align"])
    assert size_beside_weights(larger) - len(source_tokenizer.proto) <= 2 * LIMIT
    folder = export(tmp_path, model, source_tokenizer, **options)
    assert size_beside_weights(folder) - len(source_tokenizer.proto) <= LIMIT

    # The weights are there once, and so is each of the model's parts.
    weights = 4 * model.count_params()
    assert sum(file.stat().st_size for file in (folder / "variables").iterdir()) <= 1.1 * weights + 2**17
    projections = [
        sum(node.op == "MatMul" for node in x.node_def) for x in meta_graph_of(folder).graph_def.library.function
    ]
    # Encoder and score; preparation and step, of search and of sampling.
    assert sum(count > 6 for count in projections) <= 6
