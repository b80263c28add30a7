"""The encoder and the decoder of each language as traced functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.data import SubwordTokenizer
from keras_nmt.decoding import shift_right, token_log_probabilities
from keras_nmt.decoding.scores import words_of_sources
from keras_nmt.errors import errors_as
from keras_nmt.ids import EOS, UNK
from keras_nmt.inference._traced_functions import IDS, WeightFunction, plain_and_compiled
from keras_nmt.models import TranslationModel
from keras_nmt.models.ensemble import logits_among


class TracedEncoder:
    """An encoder: computes the memory, a flat list of tensors `[B, ...]`, from ids `[B, S]`."""

    def __init__(self, model: keras.Model) -> None:
        self.weights = model.variables
        self._encode = plain_and_compiled(
            lambda ids: keras.tree.flatten(model(ids, training=False)), self.weights, [IDS]
        )

    def __call__(self, ids: tf.Tensor, compiled: bool) -> list[tf.Tensor]:
        return list(self._encode[compiled](ids))


class TracedDecoder:
    """A decoder: computes scores and alignments of given translations from a memory, a flat list of tensors.

    Its `side` of the model computes logits from the nest `memory` of KerasTensors, whose structure is the same for all
    languages. No word is aligned to the ids of target-language `tags`.
    """

    def __init__(
        self, model: TranslationModel, side: Any, tokenizer: SubwordTokenizer, memory: Any, tags: Sequence[int] = ()
    ) -> None:
        self.model = model
        self._side = side
        self._memory = memory
        self._tags = tags
        self._specs = [tf.TensorSpec(x.shape, x.dtype) for x in keras.tree.flatten(memory)]
        self.tokenizer = tokenizer
        self.weights = model.variables
        self.step: Any = WeightFunction(model.decoder_step, self.weights)  # for the loops of all searches
        self._log_probabilities = plain_and_compiled(self._score, self.weights, [self._specs, IDS])
        self._among: dict[int, Any] = {}  # the same among candidates, by their number
        self.next_logits = plain_and_compiled(self._last_logits, self.weights, [self._specs, IDS])
        self._attended: dict[int | None, Any] = {}  # by layer

    def log_probabilities(
        self, memory: list[tf.Tensor], target: tf.Tensor, compiled: bool, candidates: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Computes the log-probabilities `[B, T]` of the tokens of target ids `[B, T]`, 0 for `PAD`.

        With candidates `[N]`, they are normalised over these, as in a search with a shortlist.
        """
        if candidates is None:
            return self._log_probabilities[compiled](memory, target)
        size = candidates.shape[0]
        if size not in self._among:
            signature = [self._specs, IDS, tf.TensorSpec([size], tf.int32)]
            among = plain_and_compiled(self._score, self.weights, signature)
            self._among.setdefault(size, among)
        return self._among[size][compiled](memory, target, candidates)

    def attended(
        self, memory: list[tf.Tensor], source: tf.Tensor, target: tf.Tensor, layer: int | None, compiled: bool
    ) -> tf.Tensor:
        """Finds the position of source ids `[B, S]` with most attention for each of target ids `[B, T]`: `[B, T]`."""
        return self._attending(layer)[compiled](memory, source, target)

    def attended_by_unknown(
        self, memory: list[tf.Tensor], source: tf.Tensor, tokens: tf.Tensor, compiled: bool
    ) -> tf.Tensor:
        """Does the same for tokens `[B, n, T]`. The k-th hypotheses get 0 if none of these has an unknown subword."""

        def of_one(tokens: tf.Tensor) -> tf.Tensor:
            return tf.cond(
                tf.reduce_any(tokens == UNK),
                lambda: self.attended(memory, source, tokens, None, compiled),
                lambda: tf.zeros_like(tokens),
            )

        # One hypothesis after the other, because the attention of all could take too much memory.
        positions = tf.map_fn(of_one, tf.transpose(tokens, [1, 0, 2]), parallel_iterations=1)
        return tf.transpose(positions, [1, 0, 2])

    def check_attention(self) -> None:
        """Checks that unknown subwords attend to the source's subwords."""
        with errors_as('unknown="replace" needs the decoder\'s attention to the source', ValueError):
            self._attending(None)[False].traced.get_concrete_function()

    def pack(self, memory: list[tf.Tensor]) -> Any:
        """Returns the memory in the model's structure."""
        return keras.tree.pack_sequence_as(self._memory, memory)

    def is_word(self, source: tf.Tensor) -> tf.Tensor:
        """Tells whether each source id `[B, S]` is a subword of the text: bool `[B, S]`."""
        return words_of_sources(source, self._tags)

    def _attending(self, layer: int | None) -> dict[bool, Any]:
        if layer not in self._attended:

            def most(memory: list[tf.Tensor], source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
                attention = self.model.attention(self.pack(memory), shift_right(target), layer)  # [B, T, S]
                return tf.argmax(tf.where(self.is_word(source)[:, None], attention, -1.0), 2, tf.int32)

            self._attended.setdefault(layer, plain_and_compiled(most, self.weights, [self._specs, IDS, IDS]))
        return self._attended[layer]

    def _score(self, memory: list[tf.Tensor], target: tf.Tensor, candidates: tf.Tensor | None = None) -> tf.Tensor:
        inputs = shift_right(target), self.pack(memory)
        if candidates is None:
            return token_log_probabilities(self._side.logits(*inputs), target)
        # The reserved ids are the lowest candidates, so that their positions among these are the ids.
        places = tf.reshape(tf.searchsorted(candidates, tf.reshape(target, [-1])), tf.shape(target))
        return token_log_probabilities(logits_among(self._side, *inputs, candidates), places)

    def _last_logits(self, memory: list[tf.Tensor], prefix: tf.Tensor) -> tf.Tensor:
        """Computes the logits `[B, V]` of the token after prefixes, whose ids `[B, P]` end with EOS."""
        logits = self._side.logits(shift_right(prefix), self.pack(memory))  # [B, P, V]
        return tf.gather(tf.cast(logits, tf.float32), tf.argmax(prefix == EOS, 1), batch_dims=1)
