"""Scores of a model on development and test data, and its decoding speed."""

from __future__ import annotations

import datetime
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from keras_nmt.evaluation import corpus_scores
from keras_nmt.evaluation.metrics import scores_of_sets
from keras_nmt.experiments.config import ExperimentConfig, dev_metrics
from keras_nmt.experiments.data_config import Direction, ScoredText
from keras_nmt.experiments.results import describe_machine, file_digest, hypotheses_path, read_speed, test_line
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.text.translation import count_outputs

WARM_UP = 64  # sentences that are translated before the speed is measured

Lines = Sequence[str]
_Scores = dict[str, dict[str, Any]]


def development_scores(
    config: ExperimentConfig, translator: Translator, development: Mapping[Direction, tuple[Lines, Lines]]
) -> dict[str, float]:
    """Computes `dev_metrics` of an experiment as means over its directions ("bleu"), and for each ("bleu_de-en").

    `development` has the source sentences and references of each direction. "loss" is in nats per subword, EOS
    included, without label smoothing.
    """
    metrics = config.evaluation.dev_metrics
    scores: dict[str, float] = {}
    of_text = {dev_metrics()[name]: name for name in metrics if name != "loss"}
    for direction, (sources, references) in development.items():
        if of_text:
            measured = corpus_scores(
                [translation.text for translation in translator.translate(sources, *direction.sides)],
                references,
                metrics=list(of_text),
                lowercase=config.subwords.lowercase,
                tokenize=config.evaluation.bleu_tokenizer,
            )
            scores |= {f"{of_text[name]}_{direction.name}": score.score for name, score in measured.items()}
        if "loss" in metrics:
            log_probabilities = translator.score(sources, references, *direction.sides)
            lengths = translator.lengths(references, direction.sides[1])  # with EOS, as scored
            scores[f"loss_{direction.name}"] = -float(np.sum(log_probabilities)) / sum(lengths)
    means: dict[str, float] = {
        name: statistics.fmean(score for key, score in scores.items() if key.startswith(f"{name}_")) for name in metrics
    }
    return {**means, **scores} if len(development) > 1 else means


def score_test(config: ExperimentConfig, translator: Translator, report: Callable[[str], None]) -> dict[str, Any]:
    """Translates the test data with the model of a finished training, and writes the translations.

    Returns the part of `results.json` about the test: machine, date and, if there are test data, scores.
    """
    results: dict[str, Any] = {
        "machine": describe_machine(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    tested = [direction for direction in config.directions if direction.tests]
    if not tested:
        return results
    report("Translating the test data")
    start = time.monotonic()
    results["test"] = {}
    for direction in tested:
        text = direction.read_tests()
        translations = translator.translate(text.sources, *direction.sides)
        hypotheses = [translation.text for translation in translations]
        write_text(hypotheses_path(config.directory, direction.name), "\n".join([*hypotheses, ""]))
        report(f"Scoring the translations of {direction.name}")  # TER of bad translations of long text takes minutes
        whole, sets = _scores(config, hypotheses, text)
        results["test"][direction.name] = {
            "trained": bool(direction.corpora),
            "outputs": dict(count_outputs(translations)),
            **whole,
        }
        if len(sets) > 1:
            results["test"][direction.name]["sets"] = sets
        report(test_line(direction.name, results["test"][direction.name]))
        if truncated := results["test"][direction.name]["outputs"]["truncated"]:
            report(f"test {direction.name}: {truncated:,} sources were too long for the search, and were truncated")
    results["test_seconds"] = round(time.monotonic() - start, 1)
    return results


def measure_speed(config: ExperimentConfig, at: str, *directions: str) -> None:
    """Translates the test data of directions with the model and search of a run, and adds the speed to `speed.json`.

    `at` is the time at which the turns began: speeds with another time are removed.
    """
    folder = ModelDirectory(config.directory)
    translator = Translator.from_directory(folder.path)
    texts = {d: d.read_tests().sources for d in config.directions if d.tests and d.name in directions}
    seconds = 0.0
    for direction, sentences in texts.items():
        translator.translate(sentences[:WARM_UP], *direction.sides)
        start = time.monotonic()
        translator.translate(sentences, *direction.sides)
        seconds += time.monotonic() - start
    number = sum(map(len, texts.values()))
    before = read_speed(config.directory)
    write_json(
        folder.path / "speed.json",
        {
            "at": at,
            "sentences": number,
            "rates": [*(before["rates"] if before and before["at"] == at else ()), round(number / seconds, 2)],
            "search": folder.read().search,
            "weights": file_digest(folder.weights_path),
        },
    )


def _scores(config: ExperimentConfig, hypotheses: Lines, text: ScoredText) -> tuple[_Scores, dict[str, _Scores]]:
    """Computes the scores of test translations by metric, with their signatures: of all lines, and of each test set."""
    options: dict[str, Any] = {"lowercase": config.subwords.lowercase, "tokenize": config.evaluation.bleu_tokenizer}
    found = [
        {name: {"score": round(score.score, 2), "signature": score.signature} for name, score in scores.items()}
        for scores in scores_of_sets(hypotheses, text.references, {"": slice(None), **text.sets}, **options).values()
    ]
    return found[0], dict(zip(text.sets, found[1:], strict=True))
