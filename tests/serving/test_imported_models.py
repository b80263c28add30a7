"""Models of other toolkits: mechanisms on top, and exports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from keras_nmt.cli.app import app
from keras_nmt.files.settings import merge_arguments
from keras_nmt.formats import import_model
from keras_nmt.inference import Translator
from keras_nmt.inference.load import load
from keras_nmt.models import Transformer
from keras_nmt.serving import export
from keras_nmt.training import warm_start

FORMATS = Path(__file__).parents[1] / "formats"
LINES = ["w3 w7 w2", "w11 w30", "w5 w5 w8 w9", "w20"]
ONE_SHAPE = {"beam_size": 2, "length_buckets": (12,), "batch_buckets": (4,), "max_length": 8}
IDENTITIES = [
    {"layer_composition": {"kind": "linear", "start": "identity"}},
    {"layer_composition": {"kind": "extended", "start": "identity"}},
    {"layer_composition": {"kind": "low_rank", "rank": 4, "start": "identity", "residual": True}},
    {"layer_composition": {"kind": "hierarchical", "start": "identity", "residual": True}},
    {"head_composition": {"kind": "extended", "start": "identity"}},
    {"head_composition": {"kind": "bilinear", "start": "identity", "residual": True}},
]


@pytest.fixture(scope="module", params=["marian", "m2m100"])
def imported(request, tmp_path_factory):
    languages = ["en", "de"] if request.param == "m2m100" else []
    return import_model(FORMATS / request.param, tmp_path_factory.mktemp("models") / "m", languages=languages)


@pytest.mark.parametrize("mechanism", IDENTITIES, ids=str)
def test_compositions_start_with_the_outputs_of_the_imported_model(mechanism, imported):
    model = imported.load_model()
    is_one = isinstance(model, Transformer)
    config = merge_arguments(model.get_config(), mechanism if is_one else {"transformer": mechanism})
    composed = type(model).from_config(config)
    warm_start(composed, model, allow_missing=["*composition*"], ignore_extra=["*/final_norm/*"])
    assert len(composed.weights) > len(model.weights)
    ids = [np.array([[7, 12, 9, 3], [20, 3, 0, 0]]), np.array([[2, 9, 30], [2, 8, 0]])]
    found, expected = (np.asarray((x if is_one else x.pair("en", "de"))(ids))[..., 4:] for x in (composed, model))
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.nightly
def test_an_imported_model_is_trained_with_mechanisms_and_served(tmp_path, ask_session):
    ours = import_model(FORMATS / "marian", tmp_path / "ours").path
    files = [str(tmp_path / f"text.{language}") for language in ("en", "de")]
    for file in files:
        Path(file).write_text("".join(f"{line}\n" for line in LINES))
    mechanisms = '{"layer_composition": {"kind": "extended", "start": "identity"}, "roles": {"kind": "softmax"}}'
    command = ["train", "--directory", str(tmp_path / "run"), "--train", *files, "--dev", *files, "--max-updates", "2"]
    command += ["--init-from", str(ours), "--shortcuts", "fusion", "--set", f"model={mechanisms}"]
    command += ["--set", "evaluation.every=2", "--set", "batch_size=64", "--set", "warmup_steps=1"]
    command += ["--set", 'allow_missing=["*composition*", "*roles*", "*/self_attention/key_value*"]']
    command += ["--set", 'ignore_extra=["*/self_attention/key_value*"]']
    app(command, standalone_mode=False)
    trained = load(tmp_path / "run")
    before, after = load(ours).model.get_config(), trained.model.get_config()
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"shortcuts", "layer_composition", "roles", "name"}
    exported = export(tmp_path / "exports", trained.model, trained.tokenizers, **ONE_SHAPE)
    (answer,) = ask_session(exported, [("serving_default", {"text": LINES})])
    expected = Translator(trained.model, trained.tokenizers, **ONE_SHAPE).translate(LINES)
    assert answer["translation"] == [translation.text for translation in expected]
    np.testing.assert_allclose(answer["score"], [translation.score for translation in expected], atol=1e-4)


@pytest.mark.nightly
def test_a_model_of_many_languages_is_served_in_every_direction(tmp_path, ask_session):
    ours = str(tmp_path / "ours")
    app(["import", str(FORMATS / "m2m100"), ours, "--language", "en", "--language", "de"], standalone_mode=False)
    loaded = load(ours)
    assert loaded.model.languages == ("en", "de")
    exported = export(tmp_path / "exports", loaded.model, loaded.tokenizers, **ONE_SHAPE)
    text, other, directions = "the small cat", "four blue birds", [("en", "de"), ("de", "en"), ("de", "de")]
    languages = {f"{side}_language": [d[i] for d in directions] for i, side in enumerate(("source", "target"))}
    requests = [("translate", {"text": [text] * 3, **languages}), ("translate_de_en_xla", {"text": [text]})]
    requests.append(("score", {"source": [text] * 3, "target": [other] * 3, **languages}))
    translated, compiled, scored = ask_session(exported, requests)
    for i, (source, target) in enumerate(directions):
        pair = load(ours, source=source, target=target)
        translator = Translator(pair.model, pair.tokenizers, **ONE_SHAPE)
        (expected,) = translator.translate([text])
        assert translated["translation"][i] == expected.text
        np.testing.assert_allclose(translated["score"][i], expected.score, atol=1e-4)
        np.testing.assert_allclose(scored["log_probability"][i], translator.score([text], [other])[0], atol=1e-4)
        if (source, target) == ("de", "en"):
            assert compiled["translation"] == [expected.text]
