"""Vectors of sentences, and classifiers of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.analysis.token_states import HiddenStates, Model, hidden_states
from keras_nmt.errors import UserError, require
from keras_nmt.progress import count_steps

PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)  # SentEval's weights of the L2 penalty
BATCH_SIZE = 64
TENACITY = 5  # rounds without an improvement, after which a job ends


def sentence_vectors(model: Model, texts: Sequence[str], vectors: str = "states", **options: Any) -> np.ndarray:
    """Returns a vector for each sentence.

    Args:
        model: String or path of a model directory, or a `Translator`.
        texts: Sequence of N strings.
        vectors: String. "states": the mean over the tokens, the end included, of the encoder's output. "layer:2": the
            mean of the states of a layer, 0 for the embeddings. "mean": the mean of the k rows of the bridge's M.
            "head:3": one row of M, from 1. "heads": all rows, joined. Defaults to "states".
        **options: Further arguments of `hidden_states`, such as the languages.

    Returns:
        Array `[N, d]`, or `[N, k d]` for "heads", float32.

    Raises:
        UserError: The vectors are unknown, or the model has no bridge or layer of them; see also `hidden_states`.

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), sections 3.2 and 5.
    """
    match = re.fullmatch(r"(states|mean|heads|layer|head)(?::(\d+))?", vectors)
    if match is None or (match[2] is None) == (match[1] in ("layer", "head")):
        raise UserError(
            f"`vectors` must be states, layer:NUMBER, mean, head:NUMBER or heads. Received: vectors={vectors!r}"
        )
    kind, number = match[1], int(match[2] or 0)
    tensors = ("states",) if kind in ("states", "layer") else ("bridge",)
    vectors_of_texts: np.ndarray | None = None
    for side, _ in hidden_states(model, texts, tensors=tensors, **options):
        batch_vectors = _vectors(side, kind, number, vectors)
        if vectors_of_texts is None:
            vectors_of_texts = np.zeros((len(texts), batch_vectors.shape[1]), "float32")
        vectors_of_texts[side.rows] = batch_vectors
    if vectors_of_texts is None:
        raise UserError("There must be at least one sentence.")
    return vectors_of_texts


def _vectors(side: HiddenStates, kind: str, number: int, vectors: str) -> np.ndarray:
    """Returns the vectors of a batch, `[B, width]`."""
    if kind in ("states", "layer"):
        assert side.states is not None
        assert side.output is not None
        require(number < len(side.states), f"The encoder has layers 1 to {len(side.states) - 1}", vectors=vectors)
        states = side.output if kind == "states" else side.states[number]
        return side.by_sentence(states) / side.lengths[:, None]
    assert side.bridge is not None
    rows = side.bridge[0]  # M, [B, k, d]
    if kind == "mean":
        return np.asarray(rows.mean(axis=1))
    if kind == "heads":
        return rows.reshape(len(rows), -1)
    if not 1 <= number <= rows.shape[1]:
        raise UserError(f"The bridge has heads 1 to {rows.shape[1]}. Received: vectors={vectors!r}")
    return np.asarray(rows[:, number - 1])


def classify(
    vectors: np.ndarray,
    labels: np.ndarray,
    train: np.ndarray,
    validation: np.ndarray,
    penalties: Sequence[float],
    *,
    hidden_dim: int | None = None,
    dropout: float = 0.0,
    epoch_size: int = 4,
    max_epochs: int = 200,
    learning_rate: float = 1e-3,
    seed: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Trains J classifiers on the same vectors: folds, penalties and seeds together.

    A classifier is logistic regression, or a network with one hidden layer of sigmoid units, trained by Adam in batches
    of 64, as by SentEval: in rounds of 4 epochs, until validation has not improved for 5 rounds in a row (there, for 6
    in all). Its result is that of the best round. Keras computes it, because scikit-learn's solvers have no such
    training settings. A job ignores the items of a batch on which it is not trained.

    Args:
        vectors: Float array `[n, d]`.
        labels: Integer array `[n]`, the classes; or float array `[n, C]`, distributions over classes.
        train, validation: Boolean arrays `[J, n]`, the items that each job is trained on, and those by which its round
            is chosen.
        penalties: Sequence of J floats, the weights of the L2 penalty.
        hidden_dim, dropout: The number of hidden units, and their dropout rate. None: logistic regression.
        epoch_size, max_epochs: The number of epochs of a round, and the largest number of epochs.
        learning_rate, seed: Of Adam; of weights and batches.

    Returns:
        The probabilities `[J, n, C]`, float32, that each job gives all items, and its accuracy `[J]` on its items of
        validation.

    Example:

    >>> x = np.array([[-1.0], [1.0]] * 50)
    >>> even = np.arange(100) % 4 < 2
    >>> _, accuracy = classify(x, np.arange(100) % 2, even[None], ~even[None], [1e-4], learning_rate=0.1)
    >>> accuracy.tolist()
    [1.0]

    Reference:
        [Conneau and Kiela, 2018](https://aclanthology.org/L18-1269/).
    """
    keras.utils.set_random_seed(seed)
    targets = labels if labels.ndim == 2 else np.eye(int(labels.max()) + 1)[labels]  # [n, C]
    targets = targets.astype("float32")
    vectors = vectors.astype("float32")
    jobs, widths = len(train), [vectors.shape[1], *([] if hidden_dim is None else [hidden_dim]), targets.shape[1]]
    weights = [
        # Drawn together, the first axis would count as the size of a kernel, and shrink the range by sqrt(jobs).
        keras.Variable(np.stack([keras.initializers.GlorotUniform()(pair) for _ in range(jobs)]), name=f"weights_{i}")
        for i, pair in enumerate(itertools.pairwise(widths))
    ]
    biases = [keras.Variable(np.zeros((jobs, 1, width), "float32")) for width in widths[1:]]
    variables = [*weights, *biases]
    optimizer = keras.optimizers.Adam(learning_rate)
    optimizer.build(variables)
    decay = tf.constant(penalties, tf.float32)[:, None, None]

    def logits(x: tf.Tensor, training: bool) -> tf.Tensor:  # [B, d] -> [J, B, C]
        hidden = tf.einsum("bd,jdh->jbh", x, weights[0].value) + biases[0].value
        for weight, bias in zip(weights[1:], biases[1:], strict=True):
            hidden = tf.sigmoid(hidden)
            if training and dropout:
                hidden = tf.nn.dropout(hidden, dropout)
            hidden = tf.einsum("jbh,jhc->jbc", hidden, weight.value) + bias.value
        return hidden

    @tf.function(reduce_retracing=True, autograph=False)
    def update(x: tf.Tensor, y: tf.Tensor, counted: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            answers_of_jobs = tf.broadcast_to(y, [jobs, *tf.unstack(tf.shape(y))])
            losses = tf.nn.softmax_cross_entropy_with_logits(answers_of_jobs, logits(x, True))  # [J, B]
            of_jobs = tf.reduce_sum(losses * counted, 1) / tf.maximum(tf.reduce_sum(counted, 1), 1.0)
            loss = tf.reduce_sum(of_jobs) + sum(tf.reduce_sum(decay * w.value**2) / 2 for w in weights)
        optimizer.apply(tape.gradient(loss, [v.value for v in variables]), variables)

    @tf.function(reduce_retracing=True, autograph=False)
    def predict(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.softmax(logits(x, False))

    generator = np.random.default_rng(seed)
    used = np.flatnonzero(train.any(axis=0))
    best, rounds_since = np.full(jobs, -1.0), np.zeros(jobs, int)
    probabilities = np.zeros((jobs, len(vectors), widths[-1]), "float32")
    answers = targets.argmax(axis=1)
    with count_steps(max_epochs, "epochs") as advance:  # at most
        for epoch in range(1, max_epochs + 1):
            order = generator.permutation(used)
            for start in range(0, len(order), BATCH_SIZE):
                rows = order[start : start + BATCH_SIZE]
                update(vectors[rows], targets[rows], train[:, rows].astype("float32"))
            advance()
            if epoch % epoch_size and epoch < max_epochs:
                continue
            parts = [predict(vectors[i : i + 4096]).numpy() for i in range(0, len(vectors), 4096)]
            predicted = np.concatenate(parts, axis=1)  # [J, n, C]
            right = (predicted.argmax(axis=2) == answers) & validation
            accuracy = right.sum(axis=1) / np.maximum(validation.sum(axis=1), 1)
            better = (accuracy > best) & (rounds_since < TENACITY)
            rounds_since = np.where(better, 0, rounds_since + 1)
            best[better], probabilities[better] = accuracy[better], predicted[better]
            if np.all(rounds_since >= TENACITY):
                break
    return probabilities, best


def predict_by_best_penalty(
    vectors: np.ndarray, labels: np.ndarray, train: np.ndarray, validation: np.ndarray, **settings: Any
) -> np.ndarray:
    """Returns the class `[F, n]` that the classifier of each of F folds gives each item, with its best L2 penalty.

    `train` and `validation` `[F, n]` mark the items of each fold to train classifiers on, and to choose one of the
    `PENALTIES` by. The other arguments are those of `classify`; labels are classes.
    """
    number = len(PENALTIES)
    trains, validations = (np.repeat(rows, number, axis=0) for rows in (train, validation))
    probabilities, accuracy = classify(vectors, labels, trains, validations, PENALTIES * len(train), **settings)
    best = accuracy.reshape(-1, number).argmax(axis=1) + number * np.arange(len(train))
    return probabilities[best].argmax(axis=2)


def features_of_pairs(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Returns [u; v; |u - v|; u * v] `[n, 4 d]` for pairs of vectors u and v `[n, d]`."""
    return np.concatenate([u, v, np.abs(u - v), u * v], axis=1)
