"""The benchmark of decoding: all programs do the same work."""

import pytest
from scripts import load_script

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
