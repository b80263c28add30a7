"""The benchmark of the analyses' speed, on a tiny model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from saved_models import save
from scripts import load_script, run_main

from keras_nmt.analysis import hidden_states
from keras_nmt.inference import Translator
from keras_nmt.models import Transformer
from keras_nmt.text import train_subwords


@pytest.mark.nightly
def test_the_table_has_both_ratios_and_peaks(tmp_path):
    rng = np.random.default_rng(0)
    lines = [" ".join(rng.choice(["the", "cat", "sat", "old"], rng.integers(1, 9))) for _ in range(40)]
    text = tmp_path / "lines"
    text.write_text("\n".join(lines) + "\n")
    subwords = train_subwords([text], tmp_path / "subwords.model", vocabulary_size=30)
    model = Transformer(30, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    directory = tmp_path / "model"
    directory.mkdir()
    save(model, directory, subwords, ["source", "target"])
    script = load_script("benchmarks/analyses.py")
    # Both programs of the first ratio take the same tokens in the same batches.
    translator = Translator.from_directory(directory)
    encoded = script.encoder_of(translator.model, next(iter(translator.tokenizers.values())))(lines)
    assert encoded == sum(len(batch.source.ids) for batch in hidden_states(translator, lines))

    table = tmp_path / "table.json"
    files = ("--source", text, "--target", text)
    run_main(script, "--model", directory, *files, "--tokens", 500, "--rounds", 1, "--output", table)
    rows = {row["what"]: row["figure"] for row in json.loads(table.read_text())}
    assert len(rows) == 7
    assert float(rows["speed of reading states, of encoding's"]) > 0
    assert float(rows["speed of contrastive scoring, of scoring's"]) > 0
