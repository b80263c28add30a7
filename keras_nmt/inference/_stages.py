"""Stages of a translation after its search: what parts of the rows compute beside subwords and scores, and its end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from keras_nmt.decoding.constraints import met_constraints
from keras_nmt.decoding.scores import NEG_INF, is_valid
from keras_nmt.ids import PAD
from keras_nmt.inference._tensors import checked
from keras_nmt.inference._traced_search import TracedSearch
from keras_nmt.inference.batching import Column, Rows
from keras_nmt.inference.shortlist import TOO_MANY_FORCED

Answers = dict[str, tf.Tensor]


class Part(NamedTuple):
    """A part of the rows after their search. The rows have one decoder."""

    search: TracedSearch
    memory: list[tf.Tensor]
    source: tf.Tensor  # ids [B, S]
    tokens: tf.Tensor  # [B, K, T]
    candidates: tf.Tensor | None  # of a shortlist, [N]
    forced: tf.Tensor  # the number of subwords that the candidates must have
    constraints: tf.Tensor | None  # [B, C, A, L]
    compiled: bool


class Stage:
    """The base of stages. `columns` are the tensors that `compute` returns for the rows of a part, by name."""

    def __init__(self, **columns: Column) -> None:
        self.columns = columns

    def compute(self, part: Part) -> list[tf.Tensor]:
        """Returns the columns of a part, `[B, ...]` each."""
        return []

    def finish(self, answers: Answers) -> Answers:
        """Returns the answers `[N, ...]` of all rows after this stage, from those after the stage before."""
        return answers


class CheckCandidates(Stage):
    """Checks that the `size` candidates of each batch have room for the subwords of prefixes and constraints.

    It does so behind the parts: an assertion in the search would be an operation with a state, which TensorFlow keeps
    in order, so that no two parts of a text would be computed at the same time.
    """

    def __init__(self, size: int, shape: tuple[int, ...] = ()) -> None:
        super().__init__(forced=(shape, tf.int32))
        self._size = size

    def compute(self, part: Part) -> list[tf.Tensor]:
        return [tf.fill([tf.shape(part.source)[0]], part.forced)]

    def finish(self, answers: Answers) -> Answers:
        most = tf.reduce_max(tf.concat([tf.reshape(answers.pop("forced"), [-1]), [0]], 0))
        message = f"{TOO_MANY_FORCED}. Received: shortlist_size={self._size}, subwords:", most
        return {**answers, "tokens": checked(answers["tokens"], most <= self._size, *message)}


class MetConstraints(Stage):
    """Tells which of the constraints `[N, C]` each of `width` hypotheses meets: a string of C digits, 1 or 0."""

    def __init__(self, constraints: tf.Tensor, width: int) -> None:
        super().__init__(met=((width,), tf.string))
        self._constraints = constraints

    def compute(self, part: Part) -> list[tf.Tensor]:
        is_met = met_constraints(part.constraints, part.tokens)  # without the last columns, or padded
        count = tf.shape(self._constraints)[1]
        missing = tf.maximum(count - tf.shape(is_met)[2], 0)
        is_met = tf.pad(is_met, [[0, 0], [0, 0], [0, missing]], constant_values=True)[:, :, :count]
        return [tf.strings.reduce_join(tf.where(is_met, "1", "0"), 2)]


class Texts(Stage):
    """Joins the subwords of hypotheses to texts, by a function of tokens `[N, K, T]` and positions in the source.

    If it `replaces` unknown subwords, the positions are those to which each subword attends.
    """

    def __init__(
        self, join: Callable[[tf.Tensor, tf.Tensor | None], tf.Tensor], width: int, longest: tf.Tensor, replaces: bool
    ) -> None:
        super().__init__(**({"attended": ((width, longest), tf.int32)} if replaces else {}))
        self._join, self._longest = join, longest

    def compute(self, part: Part) -> list[tf.Tensor]:
        if not self.columns:
            return []
        attended = part.search.decoder.attended_by_unknown(part.memory, part.source, part.tokens, part.compiled)
        return [padded(attended, self._longest)]

    def finish(self, answers: Answers) -> Answers:
        attended = answers.pop("attended", None)
        # Behind the parts: the operators of subwords have a state.
        return {**answers, "translation": self._join(answers["tokens"], attended)}


class Distinct(Stage):
    """Keeps the best `n` hypotheses with different texts. The best is first."""

    def __init__(self, n: int, has_text: tf.Tensor) -> None:
        super().__init__()
        self._n, self._has_text = n, has_text

    def finish(self, answers: Answers) -> Answers:
        texts, scores = answers["translation"], answers["score"]
        places = tf.range(tf.shape(texts)[1])
        is_before = places[None] < places[:, None]  # [K, K]
        repeats = tf.reduce_any((texts[:, :, None] == texts[:, None]) & is_before, 2)  # [N, K]
        is_kept = is_valid(scores) & ~(repeats & self._has_text[:, None])  # all translations of an empty text are empty
        order = tf.argsort(tf.cast(~is_kept, tf.int32), stable=True)[:, : self._n]  # [N, n]
        is_kept = tf.gather(is_kept, order, batch_dims=1)
        none: dict[str, Any] = {"score": NEG_INF, "cut_off": False, "translation": "", "met": ""}
        none |= {"tokens": PAD, "token_log_probability": 0.0}
        kept = {}
        for name, x in answers.items():
            x = tf.ensure_shape(tf.gather(x, order, batch_dims=1), [x.shape[0], self._n, *x.shape[2:]])
            kept[name] = tf.where(is_kept if x.shape.rank == 2 else is_kept[:, :, None], x, none[name])
        return kept


class WordScores(Stage):
    """Adds the subwords of each hypothesis as `token`, by a function of tokens `[N, K, T]`, and their scores."""

    def __init__(self, pieces: Callable[[tf.Tensor], tf.Tensor], width: int, longest: tf.Tensor) -> None:
        super().__init__(token_log_probability=((width, longest), tf.float32))
        self._pieces, self._longest = pieces, longest

    def compute(self, part: Part) -> list[tf.Tensor]:
        scores = part.search.token_log_probabilities(part.memory, part.tokens, part.candidates, part.compiled)
        return [padded(scores, self._longest)]

    def finish(self, answers: Answers) -> Answers:
        is_used = tf.reduce_any(answers["tokens"] != PAD, [0, 1])  # [T]
        size = tf.maximum(tf.math.count_nonzero(is_used, dtype=tf.int32), 1)
        return {
            **answers,
            "token": self._pieces(answers["tokens"][:, :, :size]),
            "token_log_probability": answers["token_log_probability"][:, :, :size],
        }


def padded(x: tf.Tensor, longest: tf.Tensor) -> tf.Tensor:
    """Pads the subwords of hypotheses `[B, K, T]` to the same number in all parts."""
    return tf.pad(x, [[0, 0], [0, 0], [0, longest - tf.shape(x)[2]]])


def computed(stages: Sequence[Stage], part: Part) -> list[tf.Tensor]:
    """Returns the columns of all stages for a part of the rows."""
    return [x for stage in stages for x in stage.compute(part)]


def finished(
    stages: Sequence[Stage],
    rows: Rows,
    body: Callable[[tf.Tensor], Sequence[tf.Tensor]],
    columns: Mapping[str, Column],
) -> Answers:
    """Returns the answers of all rows after all stages.

    `body` computes, for the rows of a part, the given columns and then those of the stages. Text without subwords is
    not computed: its translation is empty.
    """
    columns = dict(itertools.chain(columns.items(), *(stage.columns.items() for stage in stages)))
    values = rows.compute(body, list(columns.values()), rows.lengths[0] > 0)
    answers = dict(zip(columns, values, strict=True))
    for stage in stages:
        answers = stage.finish(answers)
    return answers
