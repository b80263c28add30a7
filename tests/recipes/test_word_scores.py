"""The recipe that measures scores of words, on drawn numbers and on a tiny model."""

import re

import numpy as np
import pytest
from scripts import run_main
from sklearn.metrics import roc_auc_score
from small import LINES, save_model

from keras_nmt.errors import UserError
from keras_nmt.inference import Translation
from keras_nmt.text.translation import Piece

pytestmark = pytest.mark.nightly
SCRIPT = "analysis/word_scores.py"


def test_the_area_is_that_of_scikit_learn(script):
    rng = np.random.default_rng(1)
    scores, is_wrong = np.round(rng.normal(size=200), 1), rng.random(200) < 0.3
    assert script.area_under_curve(scores, is_wrong) == pytest.approx(roc_auc_score(is_wrong, -scores))
    assert np.isnan(script.area_under_curve(scores, np.zeros(200, bool)))


def translation(*words):
    pieces = tuple(Piece(f"▁{word}", score) for word, score in words)
    return Translation.of([" ".join(word for word, _ in words)], [-1.0], [False], False, pieces=[pieces])


def test_scores_that_tell_wrong_words_have_the_area_one(script):
    translations = [translation(("Die", -0.1), ("Maus.", -3.0)), translation(("Ein", -0.2), ("Hund.", -0.1))] * 3
    rows = script.measure(translations, ["die Katze", "Ein Hund"] * 3, samples=20, seed=1)
    for row in rows:
        correlation, area, *counts = row.strip("| ").split(" | ")[1:]
        assert float(correlation.split()[0]) > 0.99
        assert area.startswith("1.000 [1.000")
        assert counts == ["6", "12", "3"]
    with pytest.raises(UserError, match="at least two translations with words. Received: 0"):
        script.measure([translation()], ["a"], 1, 1)


def test_the_recipe_measures_a_model(script, make_model, source_tokenizer, tmp_path):
    save_model(tmp_path / "model", make_model(), source_tokenizer, beam_size=2)
    (tmp_path / "lines").write_text("\n".join(line for line in LINES if line.strip()) + "\n", encoding="utf-8")
    files = ["--source", tmp_path / "lines", "--references", tmp_path / "lines"]
    _, _, *rows = run_main(script, tmp_path / "model", *files, "--samples", 10).splitlines()
    assert [row.split(" | ")[0] for row in rows] == ["| sum", "| mean"]
    assert all(re.search(r"\| -?\d\.\d{3} \[", row) for row in rows)
