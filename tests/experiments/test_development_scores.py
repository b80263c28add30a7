"""Scores of the development data, against sacreBLEU and the model's own log-probabilities."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import sacrebleu

from keras_nmt.experiments.development_scores import development_scores
from keras_nmt.experiments.directions import Direction
from keras_nmt.inference import Translator

SOURCES = ["1 2 3", "4 5", "0"]
REFERENCES = ["ke la le", "ma me", "ka ka"]


@pytest.fixture(scope="module")
def translator(trained_one):
    return Translator.from_directory(trained_one, beam_size=1)


def scores(translator, metrics, languages=None):
    experiment = SimpleNamespace(
        dev_metrics=metrics, lowercase=False, bleu_tokenizer="char", architecture="transformer", languages=languages
    )
    direction = Direction(source="source", target="target")
    return development_scores(experiment, translator, {direction: (SOURCES, REFERENCES)})


def test_bleu_and_chrf_are_those_of_sacrebleu(translator):
    found = scores(translator, ("bleu", "chrf"))
    assert list(found) == ["bleu", "chrf"]
    hypotheses = [translation.text for translation in translator.translate(SOURCES)]
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(hypotheses, [REFERENCES], tokenize="char").score)
    assert found["chrf"] == pytest.approx(sacrebleu.corpus_chrf(hypotheses, [REFERENCES], word_order=2).score)
    assert 0 < found["chrf"] < 100


def test_the_loss_is_the_mean_over_subwords_with_the_end(translator):
    found = scores(translator, ("loss",), languages=["source", "target"])
    assert set(found) == {"loss", "loss_source-target"}
    target = translator.tokenizers["target"]
    subwords = sum(len(ids) + 1 for ids in target.tokenize(REFERENCES).to_list())
    assert found["loss"] == pytest.approx(-np.sum(translator.score(SOURCES, REFERENCES)) / subwords)
    assert 0 < found["loss"] < 20
