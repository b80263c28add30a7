"""Sentence vectors of a model on SentEval's tasks."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from keras_nmt.analysis.measurements import Key, Measurements, check_seeds, json_number, over_seeds
from keras_nmt.analysis.sentence_probes import (
    PENALTIES,
    classify,
    features_of_pairs,
    predict_by_best_penalty,
    sentence_vectors,
)
from keras_nmt.analysis.task_data import PROBING, TEST, TRAIN, VALIDATION, SentEvalTask, read_senteval
from keras_nmt.analysis.token_states import Model, open_pair
from keras_nmt.errors import UserError, require
from keras_nmt.inference import Translator

FOLDS = 10
# Vectors of sentences: texts -> arrays [n, d] by name, such as "1" for the first head; "" for one kind of vectors.
Encode = Callable[[Sequence[str]], dict[str, np.ndarray]]
# The probing tasks by the kind of what they probe for.
KINDS = {"surface": ("SentLen", "WC"), "syntactic": ("TreeDepth", "TopConst", "BShift")}


def senteval(
    model: Model | Encode,
    data: str | os.PathLike[str],
    tasks: Sequence[str],
    *,
    vectors: str = "states",
    seeds: Sequence[int] = (1,),
    **options: Any,
) -> Measurements:
    """Measures vectors of sentences on tasks in SentEval's format.

    Classification: logistic regression on the vector, Adam, batches of 64, rounds of 4 epochs until validation has not
    improved for 5 rounds, the best of four L2 penalties by validation. A set without a split is measured by 10 folds,
    whose next fold validates. A pair (u, v) is [|u - v|; u * v], and [u; v; |u - v|; u * v] for SNLI. Relatedness: the
    same on distributions over scores (Tai et al., 2015). Similarity: cosine, Pearson's and Spearman's correlation,
    weighted over the parts of the set. Probing tasks: a network with one hidden layer of 200 sigmoid units and dropout
    0.1.

    Args:
        model: String or path of a model directory, a `Translator`, or a function from texts to a dictionary of arrays
            `[n, d]`, such as vectors of another program under the key "". Other keys make a group of each task.
        data: String or path of SentEval's folder of data.
        tasks: Sequence of names of `TASKS` and `PROBING` in `keras_nmt.analysis.task_data`.
        vectors: String, the kind of `sentence_vectors`; or "each-head": each row of a bridge's M by itself. Defaults to
            "states".
        seeds: Sequence of integers: numbers are means over classifiers of these seeds. Defaults to one seed.
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        `Measurements` with a group for each kind of score and tasks as items, or, with each head by itself, a group for
        each task and heads as items; for classification with the share of the most frequent class as reference, and
        with the items as samples. The numbers of each seed are in the details.

    Raises:
        UserError: A task is unknown, a file is missing, a seed is out of its range, or the model has no such vectors.

    Reference:
        [Conneau and Kiela, 2018](https://aclanthology.org/L18-1269/);
        [Conneau et al., 2018](https://aclanthology.org/P18-1198/), for the probing tasks;
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), tables 4 to 12.
    """
    check_seeds(seeds)
    is_model = isinstance(model, (str, os.PathLike, Translator, tuple))
    encode: Encode = _encoder(model, vectors, options) if is_model else model  # type: ignore[arg-type, assignment]
    measured: Measurements | None = None
    for name in tasks:
        task = read_senteval(data, name)
        ours = encode(task.texts)
        theirs = None if task.others is None else encode(task.others)
        for of, u in ours.items():
            v = None if theirs is None else theirs[of]
            runs = [_measured(name, of, task, u, v, seed) for seed in seeds]
            details = {_by_seed(key): [json_number(run.values[key]) for run in runs] for key in runs[0].values}
            task_scores = dataclasses.replace(over_seeds(runs), details=details)
            measured = task_scores if measured is None else measured.joined(task_scores)
    if measured is None:
        raise UserError("Name at least one task.")
    return measured


def with_averages(measured: Measurements) -> Measurements:
    """Adds the averages over surface, syntactic and semantic probing tasks, where all of a kind are there.

    With several seeds, deviations are those of the averages of each seed.
    """
    kinds = {**KINDS, "semantic": tuple(name for name in PROBING if name not in sum(KINDS.values(), ()))}
    values, deviations = dict(measured.values), dict(measured.deviations)
    heads = dict.fromkeys(item for group, item in values if group.startswith("probing: "))
    for kind, names in kinds.items():
        for of in ("", *heads):
            keys = [_key("probing", name, of) for name in names]
            if all(key in values for key in keys):
                average = _key("probing, average", kind, of)
                by_seed = np.mean(np.array([measured.details[_by_seed(key)] for key in keys], float), axis=0)
                values[average] = float(by_seed.mean())
                if len(by_seed) > 1:
                    deviations[average] = float(by_seed.std(ddof=1))
    return dataclasses.replace(measured, values=values, deviations=deviations)


def _by_seed(key: Key) -> str:
    """Returns the name of a number's values of each seed in the details."""
    return f"{', '.join(key)} by seed"


def _key(group: str, task: str, of: str) -> Key:
    """Returns the key of a score: task, measure, and which vectors, unless there is one kind."""
    return (f"{group}: {task}", of) if of else (group, task)


def _encoder(model: Model, vectors: str, options: dict[str, Any]) -> Encode:
    # One object for all texts, so that a directory is loaded once.
    names = ("source_language", "target_language")
    pair = open_pair(model, **{name: options.get(name) for name in names})
    further = {name: value for name, value in options.items() if name not in names}

    def encode(texts: Sequence[str]) -> dict[str, np.ndarray]:
        if vectors != "each-head":
            return {"": sentence_vectors(pair, texts, vectors, **further)}
        k = pair.model.encoder.output["states"].shape[1] if pair.model.positions_before_source is None else 1
        joined = sentence_vectors(pair, texts, "heads", **further)
        return {str(i): rows for i, rows in enumerate(np.split(joined, k, axis=1), 1)}

    return encode


def _measured(name: str, of: str, task: SentEvalTask, u: np.ndarray, v: np.ndarray | None, seed: int) -> Measurements:
    if task.kind == "similarity":
        assert v is not None
        return Measurements("senteval", "score", {_key(k, name, of): x for k, x in _similarity(task, u, v).items()})
    x = u
    if v is not None:
        x = features_of_pairs(u, v) if name == "SNLI" else np.concatenate([np.abs(u - v), u * v], axis=1)
    if task.kind == "relatedness":
        scores = _relatedness(task, x, seed)
        return Measurements("senteval", "score", {_key(k, name, of): x for k, x in scores.items()})
    group = "probing" if name in PROBING else "classification"
    network: dict[str, Any] = {"hidden_dim": 200, "dropout": 0.1} if name in PROBING else {}
    right, trivial = accuracy(x, task.labels, task.splits, seed=seed, **network)
    key = _key(group, name, of)
    samples = {key: right} if len(right) else {}
    return Measurements("senteval", "score", {key: float(right.mean())}, samples, {key: trivial})


def accuracy(
    x: np.ndarray, labels: np.ndarray, splits: np.ndarray | None, *, seed: int, **network: Any
) -> tuple[np.ndarray, float]:
    """Tells whether classifiers of vectors `[n, d]` are right on the items of the test, or of all folds.

    For `splits` see `SentEvalTask`; without items of validation, every tenth of the training validates. `network` are
    arguments of `classify`. Returns a boolean array of the tested items, and the share of the most frequent class.
    """
    if splits is None:
        from sklearn.model_selection import StratifiedKFold

        folds = np.zeros(len(labels), int)
        least = int(np.bincount(labels)[np.unique(labels)].min())
        require(least >= FOLDS, f"Each class must have ten items for ten folds. Received: {least} items of a class")
        for i, (_, rows) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x, labels)):
            folds[rows] = i
        tests = np.stack([folds == i for i in range(FOLDS)])  # [F, n]
        validations = np.roll(tests, -1, axis=0)  # fold i is validated by fold i + 1
        trains = ~tests & ~validations
    else:
        tests, (trains, validations) = (splits == TEST)[None], (rows[None] for rows in _validated(splits))
    predicted = predict_by_best_penalty(x, labels, trains, validations, seed=seed, **network)  # [F, n]
    tested = np.any(tests, axis=0)
    right = np.any(tests & (predicted == labels), axis=0)[tested]
    most_frequent = np.bincount(labels[np.any(trains, axis=0)]).argmax()
    return right, float(np.mean(labels[tested] == most_frequent))


def _validated(splits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the items to train on and those of validation; every tenth of the training if there are none."""
    train, validation = splits == TRAIN, splits == VALIDATION
    if not validation.any():
        validation = train & (np.cumsum(train) % FOLDS == 0)
    return train & ~validation, validation


def _relatedness(task: SentEvalTask, x: np.ndarray, seed: int) -> dict[str, float]:
    from scipy import stats

    assert task.splits is not None
    lowest, highest = int(np.floor(task.labels.min())), int(np.ceil(task.labels.max()))
    classes = np.arange(lowest, highest + 1)
    # Tai et al., Eq. 16: the expectation of the distribution is the score.
    targets = np.maximum(1 - np.abs(task.labels[:, None] - classes), 0)
    train, validation = _validated(task.splits)
    trains, validations = (np.tile(rows, (len(PENALTIES), 1)) for rows in (train, validation))
    probabilities, _ = classify(x, targets, trains, validations, PENALTIES, seed=seed)
    scores = probabilities @ classes  # [J, n]
    errors = np.mean((scores - task.labels)[:, validation] ** 2, axis=1)  # [J]
    best = int(errors.argmin())
    test = task.splits == TEST
    pair = scores[best][test], task.labels[test]
    return {
        "relatedness, Pearson": float(stats.pearsonr(*pair).statistic),
        "relatedness, Spearman": float(stats.spearmanr(*pair).statistic),
    }


def _similarity(task: SentEvalTask, u: np.ndarray, v: np.ndarray) -> dict[str, float]:
    from scipy import stats

    norms = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    cosines = np.sum(u * v, axis=1) / np.maximum(norms, 1e-12)
    parts = np.zeros(len(u), int) if task.parts is None else task.parts
    values = {}
    for name, correlate in (("Pearson", stats.pearsonr), ("Spearman", stats.spearmanr)):
        rows = [np.flatnonzero(parts == part) for part in np.unique(parts)]
        of_parts = [correlate(cosines[i], task.labels[i]).statistic for i in rows]
        values[f"similarity, {name}"] = float(np.average(of_parts, weights=[len(i) for i in rows]))
    return values
