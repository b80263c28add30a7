"""The benchmark of decoding: both contenders do the same work and take turns."""

from __future__ import annotations

import json

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError

SIZES = {
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "hidden_dim": 16,
    "num_heads": 2,
    "intermediate_dim": 24,
    "dropout": 0.1,
}
STEPS = 5


@pytest.fixture(scope="module")
def decoding():
    return load_script("benchmarks/decoding.py")


@pytest.fixture(scope="module")
def sentences():
    return load_script("benchmarks/random_models.py")


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", ["float32", "int8", "imported"])
def test_all_give_equal_translations_of_equal_length(decoding, sentences, tmp_path, dtype):
    pytest.importorskip("ctranslate2")
    is_imported, subwords = dtype == "imported", sentences.make_subwords(60)
    model = decoding.make_model(source_vocabulary_size=60, **SIZES, **(decoding.OF_MARIAN if is_imported else {}))
    if is_imported:
        model, dtype = decoding.imported(model, subwords, tmp_path), "float32"
    options = decoding.DecodingOptions(dtype, [3], 30, steps=STEPS, beam=2, threads=1, cpu_time=False)
    found = decoding.decoding_programs(decoding.PROGRAMS, model, subwords, tmp_path, options)
    batch = sentences.make_batches(3, 3, 60)
    texts = {name: run(batch)[1] for name, run in found.items()}
    assert list(texts) == ["plain", "compiled", "CTranslate2"]
    for translations in texts.values():
        assert [len(text.split()) for text in translations] == [STEPS] * 3
    assert len(set(texts["plain"])) > 1 or is_imported  # whose translations are alike
    assert texts["plain"] == texts["compiled"]
    # int8 may choose differently between nearly equal tokens
    assert texts["plain"] == texts["CTranslate2"] or dtype == "int8"


@pytest.mark.parametrize(
    ("peer", "module", "options", "match"),
    [
        (
            "CTranslate2",
            "ctranslate2",
            {"dtype": "float32", "threads": 1},
            " failed. Received: RuntimeError.*model.bin",
        ),
        # Marian ends its process.
        ("Marian", "pymarian", {"workers": 1}, "'s process ended; its output above says why. Received: exit code"),
    ],
)
def test_a_failure_of_a_peer_is_reported(tmp_path, peer, module, options, match):
    pytest.importorskip(module)
    start = load_script("benchmarks/peer_process.py").peer_process
    run = start(peer, tmp_path, batch=2, beam=2, **options)
    with pytest.raises(UserError, match=peer + match):
        run([["a"]])


def test_batches_are_as_long_as_the_corpus(sentences):
    batches = sentences.make_batches(16, 32, 100)
    assert [len(batch) for batch in batches] == [16, 16]
    assert [len(line.split()) for batch in batches for line in batch] == sentences.LENGTHS
    assert len(sentences.make_batches(1, 5, 100)) == 5
    assert {len(line.split()) for batch in sentences.make_batches(2, 4, 100, 9) for line in batch} == {9}


def test_the_table_has_the_ratio_of_neighbouring_measurements(decoding, no_clearing, monkeypatch, tmp_path):
    def program(seconds, text):
        return lambda calls: (seconds, [text for lines in calls for _ in lines])

    found = {"compiled": program(2.0, "a"), "CTranslate2": program(3.0, "b")}
    monkeypatch.setattr(decoding, "decoding_programs", lambda *arguments: found)
    monkeypatch.setattr(decoding, "make_model", lambda **arguments: None)
    # TensorFlow sets its threads only once in a process.
    for name in ("intra", "inter"):
        monkeypatch.setattr(f"tensorflow.config.threading.set_{name}_op_parallelism_threads", lambda number: None)
    options = ["--presets", "transformer_tiny", "--vocabulary-size", 60, "--batches", "2", "--sentences", 4]
    run_main(decoding, *options, "--steps", 8, "--rounds", 2, "--output", tmp_path / "table.json")
    common = {"preset": "transformer_tiny", "dtype": "float32", "batch": "2", "export, MiB": ""}
    assert json.loads((tmp_path / "table.json").read_text()) == [
        {**common, "program": "compiled", "sentences/s": "2.00", "tokens/s": "16", "time of first": "1.00"}
        | {"lowest to highest": "1.00 to 1.00", "equal": "100%"},
        {**common, "program": "CTranslate2", "sentences/s": "1.33", "tokens/s": "11", "time of first": "1.50"}
        | {"lowest to highest": "1.50 to 1.50", "equal": "0%"},
    ]
