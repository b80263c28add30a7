"""The recipe of the models of docs/decoding.md."""

import random

import pytest
from scripts import run_main

from keras_nmt.inference import Translator

SCRIPT = "decoding_model.py"


@pytest.mark.nightly
def test_the_recipe_makes_a_model_whose_subwords_lack_characters_of_names(script, tmp_path):
    pairs = [script.draw_pair(random.Random(seed)) for seed in range(300)]
    assert all(source[0].isupper() and target[0].isupper() for source, target in pairs)
    assert all(name in target for source, target in pairs for name in script.UNKNOWN if name in source)
    assert len({target.split()[0] for _, target in pairs}) > len(script.UNKNOWN)
    run_main(script, tmp_path / "model", "--max-updates", 2)
    translator = Translator.from_directory(tmp_path / "model", unknown="replace")
    tokenizer = translator.tokenizers["target"]
    for source, target in pairs:
        known = tokenizer.detokenize(tokenizer.tokenize([source, target])).numpy()
        has_unknown = any(name in source for name in script.UNKNOWN)
        assert [text.decode() for text in known] == [source, target] or has_unknown
        assert ("⁇" in known[0].decode()) == has_unknown
    assert len(translator.translate(["Søren buys a house."])) == 1
