"""Scores of the development data, against sacreBLEU and the model's own log-probabilities; speed of decoding."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sacrebleu
from comparisons import make

from keras_nmt.evaluation.metrics import METRICS, MetricKind
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.experiments import scores as module
from keras_nmt.experiments.scores import development_scores
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.training import Evaluation

SOURCES = ["1 2 3", "4 5", "0"]
REFERENCES = ["ke la le", "ma me", "ka ka"]


@pytest.fixture(scope="module")
def translator(trained_one):
    return Translator.from_directory(trained_one, beam_size=1)


def scores(translator, one, *metrics):
    config = ExperimentConfig.from_settings(
        {"directory": "x", **one}, {"dev_metrics": metrics, "bleu_tokenizer": "char"}
    )
    return development_scores(config, translator, {config.directions[0]: (SOURCES, REFERENCES)})


def test_bleu_and_chrf_are_those_of_sacrebleu(translator, one):
    found = scores(translator, one, "bleu", "chrf")
    assert list(found) == ["bleu", "chrf"]
    hypotheses = [translation.text for translation in translator.translate(SOURCES)]
    assert found["bleu"] == pytest.approx(sacrebleu.corpus_bleu(hypotheses, [REFERENCES], tokenize="char").score)
    assert found["chrf"] == pytest.approx(sacrebleu.corpus_chrf(hypotheses, [REFERENCES], word_order=2).score)
    assert 0 < found["chrf"] < 100


def test_every_metric_of_evaluation_is_one_of_trainings(translator, one, monkeypatch):
    monkeypatch.setitem(METRICS, "errors", MetricKind(lambda sacrebleu, *_: sacrebleu.TER(), lower_is_better=True))
    found = scores(translator, one, "bleu", "ter", "errors")
    hypotheses = [translation.text for translation in translator.translate(SOURCES)]
    assert found["ter"] == found["errors"] == pytest.approx(sacrebleu.corpus_ter(hypotheses, [REFERENCES]).score)
    for name in ("errors", "errors_de-en", "ter", "loss_de-en"):
        assert not Evaluation(evaluate=dict, every=1, best_metric=name).higher_is_better
    assert Evaluation(evaluate=dict, every=1, best_metric="chrf_de-en").higher_is_better


def test_the_loss_is_the_mean_over_subwords_with_the_end(translator, one):
    found = scores(translator, one, "bleu", "loss")
    assert list(found) == ["bleu", "loss"]
    target = translator.tokenizers["target"]
    subwords = sum(len(ids) + 1 for ids in target.tokenize(REFERENCES).to_list())
    assert found["loss"] == pytest.approx(-np.sum(translator.score(SOURCES, REFERENCES)) / subwords)
    assert 0 < found["loss"] < 20


def test_speed_is_measured_on_all_lines_after_a_warm_up(files, tmp_path, monkeypatch):
    clock, sizes = [0.0], []

    class Slow:
        def translate(self, lines, *sides):
            sizes.append(len(lines))
            clock[0] += 100.0 if len(sizes) == 1 else 4.0
            return []

    monkeypatch.setattr(module.Translator, "from_directory", lambda directory: Slow())
    monkeypatch.setattr(ModelDirectory, "load_config", lambda self: {"search": {"beam_size": 4}})
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(module, "WARM_UP", 8)
    (tmp_path / "model.weights.h5").write_bytes(b"weights")
    (tmp_path / "config.json").write_text('{"search": {"beam_size": 4}}')
    for at in ("before", "now", "now"):  # the turns of another moment are dropped
        sizes.clear()
        module.measure_speed(make(1, tmp_path, files), at, ["source-target"])
        assert sizes == [8, 20]
    found = json.loads((tmp_path / "speed.json").read_text())
    assert (found["at"], found["sentences"], found["rates"]) == ("now", 20, [5.0, 5.0])
