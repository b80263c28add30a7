"""The benchmark of decoding: both contenders do the same work and take turns."""

import json

import pytest
from scripts import load_script, run_main

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/decoding.py"
LAYERS = {"num_encoder_layers": 1, "num_decoder_layers": 1}
SIZES = {**LAYERS, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 24, "dropout": 0.1}
STEPS = 5


@pytest.fixture(scope="module")
def sentences():
    return load_script("benchmarks/random_models.py")


@pytest.mark.parametrize("dtype", ["float32", "int8", "imported"])
def test_all_give_equal_translations_of_equal_length(script, sentences, tmp_path, dtype):
    pytest.importorskip("ctranslate2")
    is_imported, subwords = dtype == "imported", sentences.make_subwords(60)
    model = script.make_model(source_vocabulary_size=60, **SIZES, **(script.OF_MARIAN if is_imported else {}))
    if is_imported:
        model, dtype = script.imported(model, subwords, tmp_path), "float32"
    options = script.DecodingOptions(dtype, [3], 30, steps=STEPS, beam=2, threads=1, cpu_time=False)
    found = script.decoding_programs(script.PROGRAMS, model, subwords, tmp_path, options)
    batch = sentences.make_batches(3, 3, 60)
    texts = {name: run(batch)[1] for name, run in found.items()}
    assert list(texts) == ["plain", "compiled", "CTranslate2"]
    for translations in texts.values():
        assert [len(text.split()) for text in translations] == [STEPS] * 3
    assert len(set(texts["plain"])) > 1 or is_imported  # whose translations are alike
    assert texts["plain"] == texts["compiled"]
    # int8 may choose differently between nearly equal tokens
    assert texts["plain"] == texts["CTranslate2"] or dtype == "int8"


def test_batches_are_as_long_as_the_corpus(sentences):
    batches = sentences.make_batches(16, 32, 100)
    assert [len(batch) for batch in batches] == [16, 16]
    assert [len(line.split()) for batch in batches for line in batch] == sentences.LENGTHS
    assert len(sentences.make_batches(1, 5, 100)) == 5
    assert {len(line.split()) for batch in sentences.make_batches(2, 4, 100, 9) for line in batch} == {9}


def test_the_table_has_the_ratio_of_neighbouring_measurements(script, no_clearing, monkeypatch, tmp_path):
    def program(seconds, text):
        return lambda calls: (seconds, [text for lines in calls for _ in lines])

    found = {"compiled": program(2.0, "a"), "CTranslate2": program(3.0, "b")}
    monkeypatch.setattr(script, "decoding_programs", lambda *arguments: found)
    monkeypatch.setattr(script, "make_model", lambda **arguments: None)
    for name in ("intra", "inter"):  # TensorFlow sets its threads only once in a process.
        monkeypatch.setattr(f"tensorflow.config.threading.set_{name}_op_parallelism_threads", lambda number: None)
    options = ["--presets", "transformer_tiny", "--vocabulary-size", 60, "--batches", "2", "--sentences", 4]
    run_main(script, *options, "--steps", 8, "--rounds", 2, "--output", tmp_path / "table.json")
    common = {"preset": "transformer_tiny", "dtype": "float32", "batch": "2", "export, MiB": ""}
    assert json.loads((tmp_path / "table.json").read_text()) == [
        {**common, "program": "compiled", "sentences/s": "2.00", "tokens/s": "16", "time of first": "1.00"}
        | {"lowest to highest": "1.00 to 1.00", "equal": "100%"},
        {**common, "program": "CTranslate2", "sentences/s": "1.33", "tokens/s": "11", "time of first": "1.50"}
        | {"lowest to highest": "1.50 to 1.50", "equal": "0%"},
    ]
