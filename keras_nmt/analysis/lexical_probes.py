"""The lexical probe: how much of its subword a layer's state holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.analysis.layer_means import Sums
from keras_nmt.analysis.measurements import Measurements, check_seeds, over_seeds
from keras_nmt.analysis.token_groups import TokenGroups, notes_of
from keras_nmt.analysis.token_states import Model, Pair, hidden_states, id_batches, open_pair
from keras_nmt.errors import check_positive, require
from keras_nmt.evaluation.metrics import check_lines
from keras_nmt.ids import EOS
from keras_nmt.layers import Dropout
from keras_nmt.progress import count_steps

# Source texts, and target texts if there are any.
Texts = tuple[Sequence[str], Sequence[str] | None]
TOKENS_AT_ONCE = 1024
OTHERS = 1024  # classes that an update tells from a token's own
WITHHELD = 10  # every tenth sentence


def lexical(
    model: Model,
    source: Sequence[str],
    target: Sequence[str] | None = None,
    *,
    test_source: Sequence[str] | None = None,
    test_target: Sequence[str] | None = None,
    groups: TokenGroups | None = None,
    epochs: int = 5,
    hidden_dim: int = 512,
    dropout: float = 0.5,
    learning_rate: float = 1e-3,
    seeds: Sequence[int] = (1,),
    **languages: str | None,
) -> Measurements:
    """Trains a classifier for each layer of a frozen model that reconstructs the subword at a state's position.

    A classifier is Dense 512, ReLU, dropout 0.5 and Dense V, trained by Adam on all states of the text. The V classes
    are the subwords of the training text: others are never right. Each update compares a token's class with 1,024
    classes drawn uniformly, or with all classes if there are no more ([Jean et al., 2015](
    https://aclanthology.org/P15-1001/)): most of the time would go into the other classes. Accuracy is measured over
    all classes. The classifiers of all layers are trained together, by one pass of the model per epoch,
    so that no states are stored. The seed draws the order of the texts and of the batches.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Sequence of strings, the text that classifiers are trained on.
        target: Sequence of strings, a translation of each source, for the decoder. Defaults to None.
        test_source: Sequence of strings, the text of which accuracy is measured. Defaults to every tenth sentence of
            `source`, on which classifiers are then not trained.
        test_target: Sequence of strings, a translation of each of `test_source`. Defaults to None.
        groups: Groups of tokens, of `by_frequency` or `by_tag` for the test text, by which accuracies are also given.
            Defaults to None.
        epochs: Integer, passes over the training text. Defaults to 5.
        hidden_dim: Integer, units of a classifier's hidden layer. Defaults to 512.
        dropout: Float, dropout rate of the hidden layer. Defaults to 0.5.
        learning_rate: Float, of Adam. Defaults to 0.001.
        seeds: Sequence of integers; accuracies are means over classifiers of these seeds. Defaults to one seed.
        **languages: `source_language` and `target_language` of a multilingual model.

    Returns:
        `Measurements`: accuracy by side and layer, 0 for the embeddings; as references the share of the most frequent
        subword; as samples the sums of sentences.

    Raises:
        UserError: There are fewer than ten sentences and no test text, numbers of lines differ, or an option is out of
            range.

    Reference:
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), section 4.1 and appendix A.1.
    """
    check_positive(epochs=epochs, hidden_dim=hidden_dim, learning_rate=learning_rate)
    check_seeds(seeds)
    for one, other in ((source, target), (test_source, test_target)):
        check_lines(**{name: lines for name, lines in (("source", one), ("target", other)) if lines is not None})
    notes = notes_of(groups)
    require(test_target is None or test_source is not None, "`test_target` needs a `test_source`. Received: None")
    if test_source is None:
        kept, held = split_rows(len(source))
        require(
            len(held), f"`source` must have ten sentences, or give a test text. Received: {len(source)} sentence(s)"
        )
        train, test = (_chosen((source, target), rows) for rows in (kept, held))
        if groups is not None:
            groups = _of_rows(groups, held)
    else:  # a side without a test text is not probed
        train, test = (source, None if test_target is None else target), (test_source, test_target)
    # One object for all passes, so that a directory is loaded once.
    pair = open_pair(model, **languages)
    settings = {"hidden_dim": hidden_dim, "dropout": dropout, "learning_rate": learning_rate}
    results = []
    with count_steps(len(seeds) * (epochs + 1), "passes") as advance:
        for seed in seeds:
            keras.utils.set_random_seed(seed)
            probes = _trained(pair, train, epochs, seed, advance, settings)
            results.append(_measured(pair, test, probes, groups))
            advance()
    return dataclasses.replace(over_seeds(results), notes=notes)


def split_rows(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Splits the rows of a text into those to train classifiers on, and those to hold out where there is no test text.

    Example:

    >>> split_rows(11)[0].tolist(), split_rows(11)[1].tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7, 8, 10], [9])
    """
    rows = np.arange(number)
    held = rows % WITHHELD == WITHHELD - 1
    return rows[~held], rows[held]


def _measured(pair: Pair, test: Texts, probes: Sequence[_Probes | None], groups: TokenGroups | None) -> Measurements:
    """Measures the accuracy of trained probes, with the share of the most frequent subword as reference."""
    sums, trivial = Sums(), Sums()
    for batch in hidden_states(pair, *test):
        for side, probe in zip(batch, probes, strict=False):
            if side is None or side.states is None or probe is None:
                continue
            name = "decoder" if side.is_target else "encoder"
            right = probe.predict(side.states) == side.ids  # [L + 1, N]
            labels = None if groups is None else groups(side)
            counted = side.ids > EOS
            for layer, of_layer in enumerate(right):
                sums.add((name, str(layer)), side, of_layer, counted)
                if labels is not None:
                    sums.add_by(f"{name}, layer {layer}", side, of_layer, np.where(counted, labels, ""))
                trivial.add((name, str(layer)), side, side.ids == probe.most_frequent, counted)
    return sums.measurements("lexical", "accuracy", references=trivial.measurements("lexical", "accuracy").values)


class _Probe(keras.layers.Layer):
    """The classifier of one layer: `W relu(states W_h + b_h) + b`, with dropout after the ReLU."""

    def __init__(self, classes: int, hidden_dim: int, dropout: float) -> None:
        super().__init__(name="probe", dtype="float32")
        self._hidden = keras.layers.Dense(hidden_dim, activation="relu", dtype="float32")
        self._dropout = Dropout(dropout, dtype="float32")
        self.kernel = self.add_weight(shape=(classes, hidden_dim), initializer="glorot_uniform")  # a row for each class
        self.bias = self.add_weight(shape=(classes,), initializer="zeros")

    def build(self, shape: tuple[int | None, ...]) -> None:
        self._hidden.build(shape)

    def loss(self, states: tf.Tensor, classes: tf.Tensor, others: tf.Tensor) -> tf.Tensor:
        """Returns the cross-entropy of classes `[N]` of states `[N, d]`, each beside the classes `others` `[K]`."""
        hidden = self._dropout(self._hidden(states), training=True)
        # All classes are drawn with equal probability, so that the correction for the probability cancels out.
        drawn = (others, tf.ones([tf.shape(classes)[0], 1]), tf.ones(tf.shape(others)))
        losses = tf.nn.sampled_softmax_loss(
            self.kernel.value,
            self.bias.value,
            classes[:, None],
            hidden,
            num_sampled=others.shape[0],
            num_classes=self.bias.shape[0],
            sampled_values=drawn,
        )
        return tf.reduce_mean(losses)

    def call(self, states: tf.Tensor) -> tf.Tensor:
        """Returns the class `[N]` of each of states `[N, d]`, out of all classes."""
        return tf.argmax(tf.linalg.matmul(self._hidden(states), self.kernel, transpose_b=True) + self.bias, 1)


class _Probes:
    """The classifiers of all layers of a side."""

    def __init__(
        self, counts: np.ndarray, layers: int, width: int, *, hidden_dim: int, dropout: float, learning_rate: float
    ) -> None:
        self._types = np.flatnonzero(counts)  # ids by class
        self._classes = np.full(len(counts), -1)
        self._classes[self._types] = np.arange(len(self._types))
        self._num_others = min(len(self._types), OTHERS)
        self.most_frequent = int(np.argmax(counts))
        self._probes = [_Probe(len(self._types), hidden_dim, dropout) for _ in range(layers)]
        self._optimizer = keras.optimizers.Adam(learning_rate)
        states = tf.TensorSpec([len(self._probes), None, width], tf.float32)
        classes, others = tf.TensorSpec([None], tf.int64), tf.TensorSpec([self._num_others], tf.int64)
        self._update = tf.function(self._step, [states, classes, others], autograph=False)
        self._classify = tf.function(self._best, [states], autograph=False)
        for probe in self._probes:
            probe.build((None, width))
        self._optimizer.build(self._variables)

    @property
    def _variables(self) -> list[Any]:
        return [variable for probe in self._probes for variable in probe.trainable_variables]

    def update(self, states: np.ndarray, ids: np.ndarray, generator: np.random.Generator) -> None:
        """Makes one update on states `[L + 1, N, d]` of tokens with ids `[N]`."""
        others = generator.choice(len(self._types), self._num_others, replace=False)
        self._update(states, self._classes[ids], others)

    def predict(self, states: np.ndarray) -> np.ndarray:
        """Returns the ids `[L + 1, N]` of the subwords that classifiers read from states `[L + 1, N, d]`."""
        return self._types[self._classify(states).numpy()]

    def _step(self, states: tf.Tensor, classes: tf.Tensor, others: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            # Adam treats each weight by itself: as if each classifier had an optimizer.
            loss = tf.add_n([probe.loss(states[i], classes, others) for i, probe in enumerate(self._probes)])
        self._optimizer.apply(tape.gradient(loss, [x.value for x in self._variables]), self._variables)

    def _best(self, states: tf.Tensor) -> tf.Tensor:
        return tf.stack([probe(states[i]) for i, probe in enumerate(self._probes)])


def _trained(
    pair: Pair,
    texts: Texts,
    epochs: int,
    seed: int,
    advance: Callable[[], None],
    settings: dict[str, Any],
) -> list[_Probes | None]:
    """Trains the probes of the encoder and of the decoder; calls `advance` after each epoch.

    `settings` are further arguments of `_Probes`.
    """
    counts = [np.zeros(tokenizer.vocabulary_size, "int64") for tokenizer in pair.tokenizers]
    for of_ids in id_batches(pair.tokenizers, *texts, TOKENS_AT_ONCE, language=pair.tag_language):
        for count, ids in zip(counts, of_ids.ids, strict=False):
            count += np.bincount(ids.numpy().ravel(), minlength=len(count))
    for count in counts:
        count[: EOS + 1] = 0
    probes: list[_Probes | None] = [None, None]
    generator = np.random.default_rng(seed)
    for _ in range(epochs):
        order = generator.permutation(len(texts[0]))
        drawn = hidden_states(pair, *_chosen(texts, order), max_tokens=TOKENS_AT_ONCE, generator=generator)
        for batch in drawn:  # not from long to short: Adam's last updates would see the shortest texts alone
            for i, side in enumerate(batch):
                if side is None or side.states is None or not counts[i].any():
                    continue
                kept = side.ids > EOS
                probe = probes[i]
                if probe is None:
                    probe = probes[i] = _Probes(counts[i], len(side.states), side.states.shape[-1], **settings)
                if kept.any():
                    probe.update(side.states[:, kept], side.ids[kept], generator)
        advance()
    return probes


def _chosen(texts: Texts, rows: np.ndarray) -> Texts:
    """Returns the texts of some rows."""
    source, target = texts
    return [source[i] for i in rows], None if target is None else [target[i] for i in rows]


def _of_rows(groups: TokenGroups, rows: np.ndarray) -> TokenGroups:
    """Returns the groups of a corpus's tokens for a corpus of some of its rows."""
    return lambda side: groups(dataclasses.replace(side, rows=rows[side.rows]))
