"""The scores of a model on the development data, which choose between checkpoints."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from keras_nmt.evaluation import corpus_scores
from keras_nmt.experiments.directions import Direction
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.inference import Translation, Translator
from keras_nmt.text import SubwordTokenizer

CHRF_PLUS_PLUS = 2  # word n-grams of "chrf": chrF++

Lines = Sequence[str]


def development_scores(
    experiment: Experiment,
    translator: Translator,
    development: Mapping[Direction, tuple[Lines, Lines]],
) -> dict[str, float]:
    """Computes `dev_metrics` of an experiment: the mean over directions, and with several languages, each direction's.

    Args:
        experiment: `Experiment`.
        translator: `Translator` of the model as it is.
        development: Mapping from a direction to its source sentences and references.

    Returns:
        Dictionary from a metric ("bleu"), or a metric and a direction ("bleu_de-en"), to the score. "loss" is in nats
        per subword, END included, without label smoothing.
    """
    e = experiment
    scores: dict[str, float] = {}
    texts = [name for name in e.dev_metrics if name != "loss"]
    for direction, (sources, references) in development.items():
        if texts:
            found = corpus_scores(
                [translation.text for translation in translate_direction(e, translator, direction, sources)],
                references,
                metrics=texts,
                lowercase=e.lowercase,
                tokenize=e.bleu_tokenizer,
                chrf_word_order=CHRF_PLUS_PLUS,
            )
            scores |= {f"{name}_{direction.name}": score.score for name, score in found.items()}
        if "loss" in e.dev_metrics:
            languages = _languages(e, direction)
            log_probabilities = translator.score(sources, references, *languages)
            target = translator.tokenizers[translator.directions[0][1] if not languages else direction.target]
            count = _subwords(target, references, translator.length_buckets[-1])
            scores[f"loss_{direction.name}"] = -float(np.sum(log_probabilities)) / count
    means: dict[str, float] = {
        name: statistics.fmean(score for key, score in scores.items() if key.startswith(f"{name}_"))
        for name in e.dev_metrics
    }
    return means if e.languages is None else {**means, **scores}


def translate_direction(
    experiment: Experiment, translator: Translator, direction: Direction, lines: Lines
) -> list[Translation]:
    """Translates lines in a direction, with a translator of the experiment's model."""
    return translator.translate(lines, *_languages(experiment, direction))


def _languages(experiment: Experiment, direction: Direction) -> tuple[str, ...]:
    """The languages of a direction as arguments of a translator: none in a Transformer."""
    return () if experiment.architecture == "transformer" else (direction.source, direction.target)


def _subwords(tokenizer: SubwordTokenizer, lines: Lines, longest: int) -> int:
    """The number of subwords that a translator scores: with END, and at most `longest` of a line."""
    lengths = tokenizer.tokenize(list(lines)).row_lengths().numpy()
    return int(np.minimum(lengths + 1, longest).sum())
