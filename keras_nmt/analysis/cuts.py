"""Cuts: what stands in the place of an inner tensor of a model, and the values of other sentences for it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from keras_nmt.analysis.token_states import IdBatch
from keras_nmt.errors import UserError, require
from keras_nmt.ids import EOS, PAD
from keras_nmt.layers import Record, recording
from keras_nmt.models import TranslationModel

KINDS = "constant:NUMBER, mean, shuffle, sentence or without:ORDER"
MEASURED = ("mean", "shuffle", "sentence")  # kinds that need the values of a text
POOL = 4096  # values from which `shuffle` draws
SEED = 12345


@dataclasses.dataclass(frozen=True)
class Cut:
    """Describes the replacement of the tensors that a pattern of places matches.

    Args:
        pattern: String, the pattern, as in `keras_nmt.layers.intervening`.
        kind: "constant:X", a number; "mean", the mean over the tokens of the text; "shuffle", the value at a token of
            the text that is drawn for each token; "sentence", those of another sentence, token by token; or
            "without:1" or "without:2", a composition without its first or its second order. "mean" and "shuffle" leave
            the label or tag before a source as it is, and "sentence" takes that of the other sentence.

    Example:

    >>> Cut.parse("encoder/*:gates=constant:0")
    Cut(pattern='encoder/*:gates', kind='constant:0')
    """

    pattern: str
    kind: str

    @classmethod
    def parse(cls, text: str) -> Cut:
        """Reads "PATTERN=KIND".

        Raises:
            UserError: There is no such kind.
        """
        pattern, _, kind = text.rpartition("=")
        name, _, value = kind.partition(":")
        is_right = {"constant": _is_number(value), "without": value in ("1", "2")}.get(name, kind in MEASURED)
        require(pattern and is_right, f"A cut must be PATTERN=KIND, with the kind {KINDS}. Received: {text}")
        return cls(pattern, kind)

    def expand(self, places: Mapping[str, int], each: bool) -> list[Cut]:
        """Returns the cut, and with `each` a cut of each place that matches, and of each part for a pattern ":*".

        `places` has the number of parts of each place.

        Raises:
            UserError: No place matches, a part is missing, or the kind does not go with a place.
        """
        place, part = self._split()
        matching = self.matching(places)
        require(matching, f"The model has the places {', '.join(places)}. Received: {self.pattern}")
        for x in matching:
            self._check(x, places[x], part)
        if not each:
            require(part != "*", f"Parts one by one need --each. Received: {self.pattern}")
            return [self]
        alone = [
            dataclasses.replace(self, pattern=f"{x}:{number}" if number else x)
            for x in matching
            for number in (range(1, places[x] + 1) if part == "*" else [part])
        ]
        whole = dataclasses.replace(self, pattern=place if part == "*" else self.pattern)
        return alone if len(alone) == 1 or part == "*" else [whole, *alone]

    def matching(self, places: Iterable[str]) -> list[str]:
        """Returns the places that the pattern matches, whatever its part."""
        place, _ = self._split()
        return [x for x in places if fnmatchcase(x, place)]

    def _split(self) -> tuple[str, str]:
        """Returns the pattern of places, and the part: a number, "*" or ""."""
        path, *rest = self.pattern.split(":")
        return ":".join([path, *rest[:1]]), ":".join(rest[1:])

    def _check(self, place: str, parts: int, part: str) -> None:
        if part and not (parts and (part == "*" or (part.isdecimal() and 1 <= int(part) <= parts))):
            has = f"the parts 1 to {parts}" if parts else "no parts"
            raise UserError(f"{place} has {has}. Received: {self.pattern}")
        is_right = self.kind not in MEASURED or not place.endswith(("attention", "bridge_attention"))
        problem = "Attention is as long as its sentence: replace what it gives, `heads` or `bridge`"
        require(is_right, f"{problem}. Received: {self.pattern}={self.kind}")
        if self.kind.startswith("without") and not place.endswith(":composed"):
            raise UserError(f"Only `composed` has orders. Received: {self.pattern}={self.kind}")

    def replacements(
        self, values: Mapping[str, np.ndarray], labels: Mapping[str, int] | None = None
    ) -> dict[str, Callable[[Record], Any]]:
        """Returns the argument of `intervening`, from the values `[N, ...]` of places; for "sentence" `[B, T, ...]`.

        `labels` has the places whose first positions are a label or a tag, and their numbers: "mean" and "shuffle"
        leave them.
        """
        name, _, value = self.kind.partition(":")
        if name == "constant":
            return {self.pattern: functools.partial(_constant, number=float(value))}
        if name == "without":
            return {self.pattern: functools.partial(_without_order, order=int(value))}
        part = self.pattern.rpartition(":")[2]
        number = int(part) if part.isdecimal() else None
        new = _drawn if name == "shuffle" else _given
        given = {place: x.mean(axis=0) if name == "mean" else x for place, x in values.items()}
        of_place = {place: functools.partial(new, values=x, number=number) for place, x in given.items()}

        def replaced(record: Record) -> Any:
            value, kept = of_place[record.place](record), (labels or {}).get(record.place, 0)
            if name == "sentence" or not kept:
                return value
            return keras.tree.map_structure(functools.partial(_behind, kept), record.value, value)

        return {self.pattern: replaced}


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _constant(record: Record, number: float) -> Any:
    return keras.tree.map_structure(lambda x: ops.full_like(x, number), record.value)


def _without_order(record: Record, order: int) -> Any:
    """Returns a composition f without its part of first order, (f(x) - f(-x)) / 2, or of second order."""
    zeros, negative = (keras.tree.map_structure(lambda x, s=s: s * x, record.inputs) for s in (0, -1))
    at_negative = ops.cast(record.layer.compose(negative), record.value.dtype)
    if order == 1:
        return (record.value + at_negative) / 2
    return ops.cast(record.layer.compose(zeros), record.value.dtype) + (record.value - at_negative) / 2


def _drawn(record: Record, values: np.ndarray, number: int | None) -> Any:
    pool = _part(record, values[np.linspace(0, len(values) - 1, min(POOL, len(values))).astype(int)], number)
    first = record.value[0] if isinstance(record.value, (list, tuple)) else record.value
    inner = pool.ndim - 1 - (first is not record.value)
    drawn = tf.random.uniform(ops.shape(first)[: len(first.shape) - inner], maxval=len(pool), dtype=tf.int32, seed=SEED)
    return _as_value(record, tf.gather(tf.constant(pool), drawn))


def _given(record: Record, values: Any, number: int | None) -> Any:
    return _as_value(record, _part(record, values, number))


def _behind(kept: int, value: Any, new: Any) -> Any:
    """Returns a value `[B, T, ...]` with a new one behind the first positions, which are kept."""
    new = ops.broadcast_to(ops.cast(new, value.dtype), ops.shape(value))
    return ops.concatenate([value[:, :kept], new[:, kept:]], axis=1)


def _part(record: Record, values: Any, number: int | None) -> Any:
    """Returns the part `number` of values, arrays or tensors, along the axis `record.parts`; all values for None."""
    if number is None:
        return values
    return (np if isinstance(values, np.ndarray) else ops).take(values, number - 1, axis=record.parts)


def _as_value(record: Record, values: Any) -> Any:
    """Returns values as a tensor, or as the list of tensors that the layer composes."""
    is_list = isinstance(record.value, (list, tuple))
    return ops.unstack(values, len(record.value), axis=-2) if is_list else values


def model_records(pair: TranslationModel, source: tf.Tensor, target: tf.Tensor) -> list[tuple[Record, str]]:
    """Runs a model, and returns each tap once with its axis: "source" or "target" tokens, or "sentence".

    `target` are the ids that the decoder reads. Of a tied layer, whose calls have one place, the last call counts.
    """
    decoder = pair.decoder_for(pair.directions[0][1])
    with recording() as of_encoder:
        memory = pair.encoder(source)
    with recording() as of_decoder:
        decoder.logits(target, memory)
    records_by_place = {}
    for side, records in (("source", of_encoder), ("target", of_decoder)):
        for record in records:
            reads_memory = record.name == "gates" and "/cross_attention" in record.layer.path
            axis = "sentence" if record.name.startswith("bridge") else "source" if reads_memory else side
            if pair.positions_before_source is None and reads_memory:
                axis = "sentence"
            if record.name != "states":
                records_by_place[record.place] = record, axis
    return list(records_by_place.values())


class TextValues:
    """The values of taps at all positions of a text, by place, as arrays `[T, ...]` of each sentence.

    A label, and a begin before a label, come before the tokens. So does a target-language tag that all sources have:
    `tags` are the subwords of each tag.
    """

    def __init__(
        self,
        pair: TranslationModel,
        places: Sequence[str],
        batches: Sequence[IdBatch],
        tags: Sequence[Sequence[int]] = (),
    ) -> None:
        before = {"source": pair.positions_before_source or 0, "target": pair.positions_before_target, "sentence": 0}
        self._axes: dict[str, str] = {}
        self._before = before
        self._first = {**before, "source": before["source"] + _length_of_tags(batches, tags)}  # of the tokens

        def read(source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
            values = {}
            for record, axis in model_records(pair, source, target):
                if record.place in places:
                    self._axes[record.place] = axis
                    is_list = isinstance(record.value, (list, tuple))
                    value = ops.stack(list(record.value), axis=-2) if is_list else record.value
                    values[record.place] = tf.cast(value, tf.float32)
            return values

        read = tf.function(read, input_signature=[tf.TensorSpec([None, None], tf.int32)] * 2, autograph=False)
        count = 1 + max(int(batch.rows.max()) for batch in batches)
        self.of_sentences: dict[str, list[np.ndarray]] = {place: [np.zeros(0)] * count for place in places}
        for batch in batches if places else ():
            for place, tensor in read(*batch.ids).items():
                value, ends = tensor.numpy(), {"source": batch.lengths[0], "target": batch.lengths[1]}
                for i, row in enumerate(batch.rows):
                    axis = self._axes[place]
                    self.of_sentences[place][row] = value[i, : before[axis] + ends[axis][i] if axis in ends else None]

    def tokens(self, places: Sequence[str]) -> dict[str, np.ndarray]:
        """Returns the values of places at all tokens, `[N, ...]`; of a bridge those of all sentences."""
        values = {}
        for place in places:
            axis, of = self._axes[place], self.of_sentences[place]
            values[place] = np.stack(of) if axis == "sentence" else np.concatenate([x[self._first[axis] :] for x in of])
        return values

    @property
    def labels(self) -> dict[str, int]:
        """The number of positions of a label or a tag before the source, by place."""
        return {place: self._first["source"] for place, axis in self._axes.items() if axis == "source"}

    def of_others(self, places: Sequence[str], batch: IdBatch, others: Sequence[int]) -> dict[str, np.ndarray]:
        """Returns the values of other sentences for a batch, `[B, T, ...]`; a shorter one's last value is repeated."""
        values = {}
        for place in places:
            axis, of = self._axes[place], self.of_sentences[place]
            if axis == "sentence":
                values[place] = np.stack([of[i] for i in others])
                continue
            positions = np.arange(self._before[axis] + batch.ids[axis == "target"].shape[1])
            values[place] = np.stack([of[i][np.minimum(positions, len(of[i]) - 1)] for i in others])
        return values


def _length_of_tags(batches: Sequence[IdBatch], tags: Sequence[Sequence[int]]) -> int:
    """Returns the number of subwords of the tags with which all sources begin, the smallest of several; else 0."""
    rows = (row for batch in batches for row in batch.ids[0].numpy().tolist()) if tags else ()
    return min((max((len(tag) for tag in tags if row[: len(tag)] == tag), default=0) for row in rows), default=0)


def log_probabilities(
    pair: TranslationModel,
    batches: Sequence[IdBatch],
    block: Callable[[Mapping[str, Any]], Any],
    values_of_batch: Callable[[IdBatch], Mapping[str, np.ndarray]],
) -> np.ndarray:
    """Returns the sum of the log-probabilities of each target's tokens, and their number, `[N, 2]`.

    The model runs in the context that `block` returns, for the tensors that `values_of_batch` returns.
    """
    decoder = pair.decoder_for(pair.directions[0][1])

    def score(source: tf.Tensor, target: tf.Tensor, output: tf.Tensor, values: Mapping[str, tf.Tensor]) -> tf.Tensor:
        with block(values):
            logits = tf.cast(decoder.logits(target, pair.encoder(source)), tf.float32)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(output, logits)
        return -tf.reduce_sum(tf.where(output != PAD, losses, 0.0), axis=1)

    first = values_of_batch(batches[0])
    of_values = {name: tf.TensorSpec([None, None, *x.shape[2:]], tf.float32) for name, x in first.items()}
    signature = [*[tf.TensorSpec([None, None], tf.int32)] * 3, of_values]
    score = tf.function(score, input_signature=signature, autograph=False)
    sums = np.zeros([1 + max(int(batch.rows.max()) for batch in batches), 2])
    for batch in batches:
        source, target = batch.ids
        output = np.pad(target.numpy()[:, 1:], ((0, 0), (0, 1)))
        output[np.arange(len(output)), batch.lengths[1] - 1] = EOS
        values = {name: tf.constant(x) for name, x in values_of_batch(batch).items()}
        sums[batch.rows, 0] = score(source, target, tf.constant(output), values).numpy()
        sums[batch.rows, 1] = batch.lengths[1]
    return sums
