"""A translation model as a task of keras_hub."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import keras
import keras_hub
import numpy as np
import tensorflow as tf
from keras import ops

from keras_nmt.data import SubwordTokenizer
from keras_nmt.decoding import token_log_probabilities
from keras_nmt.decoding.scores import NEG_INF
from keras_nmt.errors import require
from keras_nmt.files.search_options import SearchOptions
from keras_nmt.hub.backbone import TranslationBackbone
from keras_nmt.hub.preprocessor import SOURCE_CONFIG, TranslationSeq2SeqLMPreprocessor, without_padding_columns
from keras_nmt.hub.sampler import BeamSampler
from keras_nmt.hub.tokenizer import TranslationTokenizer
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference.load import load
from keras_nmt.layers._keras_private import forget_graphs
from keras_nmt.models import Transformer
from keras_nmt.models.quantize import check_copyable

NO_SAMPLER_OPTIONS = ("num_hypotheses", "batch_buckets")  # search settings of translators only
FEWEST_COLUMNS = 16


@keras.saving.register_keras_serializable(package="keras_nmt")
class TranslationSeq2SeqLM(keras_hub.models.Seq2SeqLM):
    """A translation model of one direction as a task of keras_hub, with all mechanisms.

    It has the methods of every task: `from_preset`, `save_to_preset`, `fit` on texts, `generate`; and `score`. The
    sampler "beam", which is the default, is the beam search of `keras_nmt.inference.Translator` with the search
    settings of the task; every sampler of keras_hub works, too.

    Args:
        backbone: `TranslationBackbone`.
        preprocessor: `TranslationSeq2SeqLMPreprocessor`, or None for inputs that are already ids.
        search: Mapping of search settings, as in a model directory. Defaults to none: those of `BeamSampler`.
        **kwargs: Further arguments of `keras_hub.models.Seq2SeqLM`.
    """

    backbone_cls = TranslationBackbone
    preprocessor_cls = TranslationSeq2SeqLMPreprocessor
    generate_function: Any  # see `make_generate_function`

    def __init__(
        self,
        backbone: TranslationBackbone,
        preprocessor: TranslationSeq2SeqLMPreprocessor | None = None,
        search: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.backbone = backbone
        self.preprocessor = preprocessor
        self.search = dict(search or {})
        self._predicts = False
        states = backbone(backbone.input)["decoder_sequence_output"]
        super().__init__(inputs=backbone.input, outputs=backbone.token_embedding(states, reverse=True), **kwargs)

    @classmethod
    def from_model(
        cls, model: Transformer, tokenizers: Mapping[str, SubwordTokenizer], search: Mapping[str, Any] | None = None
    ) -> TranslationSeq2SeqLM:
        """Makes a task with the weights of a trained model.

        Args:
            model: `keras_nmt.models.Transformer`.
            tokenizers: Mapping of "source" and "target" to their subwords.
            search: Mapping of search settings. Defaults to none.

        Raises:
            UserError: The model is of another class, quantised, or has an adapter.
        """
        problem = "A task of keras_hub has a `Transformer`, of one direction and without an ensemble"
        require(type(model) is Transformer, f"{problem}. Received: {type(model).__name__}")
        check_copyable(model)
        search = dict(search or {})
        options: Any = SearchOptions(**search)
        config = {name: value for name, value in model.get_config().items() if name != "name"}
        backbone = TranslationBackbone.from_config(config)
        backbone.model.set_weights(model.get_weights())
        source, target = tokenizers["source"].proto, tokenizers["target"].proto
        preprocessor = TranslationSeq2SeqLMPreprocessor(
            TranslationTokenizer(target),
            None if source == target else TranslationTokenizer(source, config_file=SOURCE_CONFIG),
            encoder_sequence_length=options.length_buckets[-1],
            decoder_sequence_length=1 + options.max_length,
        )
        return cls(backbone, preprocessor, search)

    @classmethod
    def from_directory(cls, directory: str | os.PathLike[str]) -> TranslationSeq2SeqLM:
        """Makes a task of the model in a model directory, as `keras-nmt train` writes it.

        Args:
            directory: Path of the model directory.

        Raises:
            UserError: The directory is not a complete model directory, or its model is not a `Transformer`.
        """
        loaded = load(directory)
        return cls.from_model(loaded.model, loaded.tokenizers, loaded.search)

    def compile(
        self,
        optimizer: Any = "auto",
        loss: Any = "auto",
        *,
        sampler: Any = "beam",
        jit_compile: bool | str = "auto",
        **kwargs: Any,
    ) -> None:
        """Configures training and `generate`; see `keras_hub.models.Seq2SeqLM.compile`.

        Args:
            optimizer, **kwargs: As for every task of keras_hub.
            loss: A loss or its name. Defaults to "auto": cross-entropy, the mean over the tokens. Other tasks of
                keras_hub divide by the number of positions, padding included.
            sampler: "beam" for `BeamSampler` with the search settings of the task, or another sampler of keras_hub or
                its name. Defaults to "beam".
            jit_compile: Boolean, whether XLA compiles training and `generate`, or "auto": not on CPUs with TensorFlow,
                where it is slower. Defaults to "auto".
        """
        is_tensorflow = keras.backend.backend() == "tensorflow"
        if jit_compile == "auto" and is_tensorflow and not tf.config.list_physical_devices("GPU"):
            jit_compile = False
        if sampler == "beam":
            sampler = BeamSampler(**{name: x for name, x in self.search.items() if name not in NO_SAMPLER_OPTIONS})
        if loss == "auto":
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="mean_with_sample_weight")
        super().compile(optimizer, loss, sampler=sampler, jit_compile=jit_compile, **kwargs)

    def generate(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Translates texts; see `keras_hub.models.Seq2SeqLM.generate`. An empty list is translated, too."""
        texts = inputs.get("encoder_text") if isinstance(inputs, Mapping) else inputs
        is_empty = isinstance(texts, list | tuple | np.ndarray) and np.shape(texts)[:1] == (0,)
        return [] if is_empty else super().generate(inputs, *args, **kwargs)

    @property
    def _has_fixed_shapes(self) -> bool:
        """Whether each new shape of a batch takes a compilation."""
        return keras.backend.backend() == "jax" or bool(self.jit_compile and not self.run_eagerly)

    def preprocess_samples(self, x: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Converts a batch of texts for `fit`, `evaluate` and `predict`.

        Where shapes may differ, columns of padding alone are left out of batches for `fit` and `evaluate`, but not for
        `predict`, whose results are concatenated.
        """
        samples = super().preprocess_samples(x, y, sample_weight)
        if self.preprocessor is None or self._has_fixed_shapes or self._predicts:
            return samples
        return without_padding_columns(*samples)

    def predict(self, *args: Any, **kwargs: Any) -> Any:
        self._predicts = True
        try:
            return super().predict(*args, **kwargs)
        finally:
            self._predicts = False

    def call_decoder_with_cache(self, decoder_token_ids: Any, cache: Any, position: Any) -> tuple[Any, Any, Any]:
        """Runs the decoder for one target position of each sentence, for samplers.

        Args:
            decoder_token_ids: int32 tensor `[B, 1]`, the tokens at this position.
            cache: Nest of tensors `[B, ...]` from `build_cache` or from the previous position.
            position: Integer scalar tensor, the position, from 0.

        Returns:
            Logits `[B, 1, V]`, float32, states `[B, 1, d]`, and the cache that includes this position.
        """
        constants, caches = cache
        states, caches = self.backbone.decode_step(decoder_token_ids, position, constants, caches)
        logits = self.backbone.token_embedding(states, reverse=True, is_decoding_step=True)
        return logits, states, (constants, caches)

    def build_cache(self, memory: Any, decoder_token_ids: Any, index: Any, max_length: int) -> Any:
        """Returns the cache of the first `index` positions of target-input ids `[B, T]`, with room for `max_length`."""
        cache = self.backbone.model.prepare(memory, 1, max_length)
        if decoder_token_ids.shape[1] == 1:  # BOS alone: nothing precedes the first step
            return cache

        def run(position: Any, cache: Any) -> tuple[Any, Any]:
            tokens = ops.take(decoder_token_ids, ops.reshape(position, (1,)), axis=1)  # [B, 1]
            return position + 1, self.call_decoder_with_cache(tokens, cache, position)[2]

        start = ops.convert_to_tensor(0, "int32")
        return ops.while_loop(lambda position, cache: position < index, run, (start, cache))[1]

    def generate_step(self, inputs: Mapping[str, Any], stop_token_ids: Any = None) -> dict[str, Any]:
        """Translates one batch, in the function that `generate` compiles.

        Args:
            inputs: Dictionary of the backbone's inputs, `[B, S]` and `[B, T]`. `decoder_token_ids` are how translations
                begin; they may be narrower than `decoder_padding_mask`, whose T is the most tokens, BOS counted.
            stop_token_ids: Sequence of the ids that end a translation; None for samplers that fill all of T.

        Returns:
            Dictionary of `decoder_token_ids` and `decoder_padding_mask`, `[B, T]`.
        """
        step = self._generated
        if keras.backend.backend() == "tensorflow":
            step = tf.autograph.experimental.do_not_convert(step)  # keras_hub traces with AutoGraph
        return step(inputs, stop_token_ids)

    def _generated(self, inputs: Mapping[str, Any], stop_token_ids: Any) -> dict[str, Any]:
        source_mask, is_given = (ops.cast(inputs[f"{x}_padding_mask"], "bool") for x in ("encoder", "decoder"))
        begun, width = ops.cast(inputs["decoder_token_ids"], "int32"), is_given.shape[1]
        memory = self.backbone.encode(inputs["encoder_token_ids"], source_mask)
        if isinstance(self.sampler, BeamSampler):
            if stop_token_ids is None or list(stop_token_ids) != [EOS]:
                raise ValueError(
                    f"`BeamSampler` ends translations at EOS, {EOS}: leave out `stop_token_ids`, or use a sampler of "
                    f"keras_hub. Received: stop_token_ids={stop_token_ids!r}"
                )
            prefix = None
            if begun.shape[1] > 1:
                prefix = ops.where(is_given[:, 1 : begun.shape[1]], begun[:, 1:], PAD)
            source = ops.where(source_mask, ops.cast(inputs["encoder_token_ids"], "int32"), PAD)
            continued = self.sampler.search(
                self.backbone.model,
                memory,
                source,
                prefix,
                width - 1,
                compiled=self._has_fixed_shapes,
                tags=() if self.preprocessor is None else self.preprocessor.tag_ids,
            )
            token_ids = ops.concatenate([begun[:, :1], continued], axis=1)
            return {"decoder_token_ids": token_ids, "decoder_padding_mask": token_ids != PAD}
        index = ops.min(ops.sum(ops.cast(is_given, "int32"), axis=1))
        cache = self.build_cache(memory, begun, index - 1, width)
        prompt = ops.pad(begun, [[0, 0], [0, width - begun.shape[1]]], constant_values=PAD)

        def next_logits(prompt: Any, cache: Any, index: Any) -> tuple[Any, Any, Any]:
            tokens = ops.take(prompt, ops.reshape(index - 1, (1,)), axis=1)  # [B, 1]
            logits, states, cache = self.call_decoder_with_cache(tokens, cache, index - 1)
            ids = ops.arange(logits.shape[-1], dtype="int32")
            logits = ops.where((ids == PAD) | (ids == BOS), NEG_INF, logits)  # as in every search of the package
            return ops.squeeze(logits, axis=1), ops.squeeze(states, axis=1), cache

        token_ids = self.sampler(
            next=next_logits,
            prompt=prompt,
            cache=cache,
            index=index,
            mask=is_given,
            stop_token_ids=stop_token_ids,
            hidden_states=self.backbone.decode(prompt, memory),  # a compiled graph drops them if unread
            model=self,
        )
        is_there = ops.ones_like(is_given)
        if stop_token_ids is not None:
            is_stop = ops.any(token_ids[..., None] == ops.convert_to_tensor(stop_token_ids, token_ids.dtype), axis=-1)
            is_end = ops.cast(ops.logical_and(is_stop, ops.logical_not(is_given)), "int32")
            is_there = ops.cumsum(is_end, axis=-1) - is_end == 0  # up to the first end
        return {"decoder_token_ids": token_ids, "decoder_padding_mask": is_there}

    def make_generate_function(self) -> Any:
        """Returns the function of `generate`, which is compiled for few widths, not for the longest possible text."""
        if self.generate_function is None:
            generate = super().make_generate_function()

            def of_few_widths(inputs: Mapping[str, Any], stop_token_ids: Any = None) -> dict[str, Any]:
                width = inputs["decoder_padding_mask"].shape[1]
                outputs = generate(self._narrow(inputs), stop_token_ids=stop_token_ids)
                missing = [[0, 0], [0, width - outputs["decoder_token_ids"].shape[1]]]
                return {name: ops.pad(x, missing) for name, x in outputs.items()}

            self.generate_function = of_few_widths
        return self.generate_function

    def _narrow(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Leaves out columns of padding, and of translations that are longer than the sampler's limit."""
        masks = [ops.cast(inputs[f"{side}_padding_mask"], "int32") for side in ("encoder", "decoder")]
        source, begun = (int(ops.max(ops.sum(mask, axis=1))) for mask in masks)
        sizes = [mask.shape[1] for mask in masks]
        source = _columns(source, sizes[0])
        begun = 1 if begun == 1 else _columns(begun, sizes[1])
        width = sizes[1]
        if isinstance(self.sampler, BeamSampler):
            width = min(width, begun + int(self.sampler.limit(source - 1)))
        columns = {"encoder_token_ids": source, "encoder_padding_mask": source}
        columns |= {"decoder_token_ids": begun, "decoder_padding_mask": width}
        return {name: inputs[name][:, :count] for name, count in columns.items()}

    def score(self, inputs: Mapping[str, Any]) -> Any:
        """Computes log-probabilities of translations, with EOS.

        Args:
            inputs: Dictionary of lists of strings: the sources `encoder_text` and their translations `decoder_text`.

        Returns:
            float32 tensor `[N]`.
        """
        if self.preprocessor is None:
            raise ValueError("`score` needs texts: give the task a `preprocessor`. Received: preprocessor=None")
        if cut := self.preprocessor.count_cut(inputs):
            lengths = self.preprocessor.encoder_sequence_length, self.preprocessor.decoder_sequence_length
            warnings.warn(f"{cut} pair(s) were truncated to {lengths[0]} and {lengths[1]} subwords.", stacklevel=2)
        x, labels, weights = without_padding_columns(*self.preprocessor(dict(inputs)))
        ids = ops.where(weights, labels, PAD)
        return ops.sum(token_log_probabilities(self(x, training=False), ids), axis=-1)

    def quantize(self, mode: str = "int8", config: Any = None, embeddings: bool = True) -> None:
        """Converts matrices to int8, of mechanisms too; see `keras_nmt.models.quantize`. Keras makes the `config`."""
        self.backbone.quantize(mode, embeddings=embeddings)
        forget_graphs(self)
        self.generate_function = None

    def save_to_preset(self, preset_dir: str | os.PathLike[str], max_shard_size: float = 10) -> None:
        super().save_to_preset(os.fspath(preset_dir), max_shard_size)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "search": dict(self.search)}


def _columns(needed: int, widest: int) -> int:
    """Returns the next power of two, so that few widths are compiled."""
    return min(widest, max(FEWEST_COLUMNS, 1 << (needed - 1).bit_length()))
