"""From pairs of texts to the inputs of the backbone, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
import keras_hub
import numpy as np
import tensorflow as tf

from keras_nmt.errors import is_integer, require
from keras_nmt.hub.backbone import TranslationBackbone
from keras_nmt.hub.tokenizer import TranslationTokenizer

MULTIPLE = 8  # of which numbers of columns are, so that kernels of products meet few sizes
SOURCE_CONFIG = "source_tokenizer.json"  # where a preset holds the tokenizer of the source, if it has one of its own


@keras.saving.register_keras_serializable(package="keras_nmt")
class TranslationSeq2SeqLMPreprocessor(keras_hub.models.Seq2SeqLMPreprocessor):
    """Converts sources and translations to the inputs of a `TranslationBackbone`, labels, and their weights.

    A source ends with EOS and has no BOS. A translation begins with BOS and, for training, ends with EOS. Texts that
    are longer than the sequence lengths are cut. Sources are cleaned if the subwords were trained with
    `source_cleaning`; see `keras_nmt.text.clean_source`.

    Args:
        tokenizer: `TranslationTokenizer` of the target, or of both sides.
        source_tokenizer: `TranslationTokenizer` of the source, made with `config_file="source_tokenizer.json"`.
            Defaults to None: `tokenizer` is that of both sides.
        encoder_sequence_length: Integer, the length of packed sources, with EOS. Defaults to 256.
        decoder_sequence_length: Integer, the length of packed translations, with BOS. Defaults to 256.
        **kwargs: Further arguments of `keras_hub.models.Seq2SeqLMPreprocessor`.

    Call arguments:
        x: Dictionary of strings, or of lists or tensors of strings, `encoder_text` and `decoder_text`.
        y, sample_weight: None; the labels are the target ids of `x` one step later.

    Returns:
        Tuple of the dictionary of inputs, the labels `[B, T]` int32, and their weights `[B, T]` bool.
    """

    backbone_cls = TranslationBackbone
    tokenizer_cls = TranslationTokenizer

    def __init__(
        self,
        tokenizer: TranslationTokenizer,
        source_tokenizer: TranslationTokenizer | None = None,
        encoder_sequence_length: int = 256,
        decoder_sequence_length: int = 256,
        **kwargs: Any,
    ) -> None:
        super().__init__(tokenizer, encoder_sequence_length, decoder_sequence_length, **kwargs)
        if source_tokenizer is not None and source_tokenizer.config_file != SOURCE_CONFIG:
            raise ValueError(
                "`source_tokenizer` must be made with its own `config_file`, under which a preset holds it: "
                f"{SOURCE_CONFIG!r}. Received: config_file={source_tokenizer.config_file!r}"
            )
        self.source_tokenizer = source_tokenizer

    @property
    def tag_ids(self) -> list[int]:
        """Ids of the target-language tags of sources; none if there are no tags."""
        return (self.source_tokenizer or self.tokenizer).tag_ids

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        self.encoder_packer = keras_hub.layers.StartEndPacker(
            sequence_length=self.encoder_sequence_length,
            end_value=self.tokenizer.end_token_id,
            pad_value=self.tokenizer.pad_token_id,
            return_padding_mask=True,
        )

    def call(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        encoder_sequence_length: int | None = None,
        decoder_sequence_length: int | None = None,
        sequence_length: int | None = None,
    ) -> Any:
        length = decoder_sequence_length or sequence_length or self.decoder_sequence_length
        packed = self._packed(x["encoder_text"], x["decoder_text"], encoder_sequence_length, length + 1)
        names = ("decoder_token_ids", "decoder_padding_mask")
        labels, weights = (packed[name][..., 1:] for name in names)
        inputs = {**packed, **{name: packed[name][..., :-1] for name in names}}
        return keras.utils.pack_x_y_sample_weight(inputs, labels, weights)

    def generate_preprocess(
        self,
        x: Any,
        *,
        encoder_sequence_length: int | None = None,
        decoder_sequence_length: int | None = None,
        sequence_length: int | None = None,
    ) -> dict[str, Any]:
        """Converts sources to inputs for `generate`.

        With `decoder_text`, their width is `decoder_sequence_length` and the subwords of the longest beginning, up to
        the next power of two, so that no beginning takes the room of a translation. A width that is given counts
        beginnings, as in keras_hub, and so does `decoder_sequence_length` in a graph, as in `tf.data.Dataset.map`,
        where lengths are not known.

        Args:
            x: Strings, or a dictionary of strings `encoder_text` and `decoder_text`: how translations must begin.
            encoder_sequence_length, decoder_sequence_length: Integers, instead of those of the preprocessor.
            sequence_length: Integer, another name of `decoder_sequence_length`; `max_length` of `generate`.

        Raises:
            UserError: There is no room for a token behind BOS.
        """
        sources = x["encoder_text"] if isinstance(x, dict) else x
        begun = x["decoder_text"] if isinstance(x, dict) else self._empty_decoder_text(sources)
        length = sequence_length if decoder_sequence_length is None else decoder_sequence_length
        is_right = length is None or (is_integer(length) and length > 1)
        require(is_right, "{max_length} must be an integer of at least 2: it counts BOS", max_length=length)
        if length is None and isinstance(x, dict) and tf.executing_eagerly():
            ids = self.tokenizer(begun)
            longest = max(map(len, ids), default=0) if np.ndim(begun) else len(ids)
            # A power of two, so that few widths are compiled.
            length = self.decoder_sequence_length + (1 << (longest - 1).bit_length() if longest else 0)
        return self._packed(sources, begun, encoder_sequence_length, length, add_end_value=False)

    def _packed(
        self, sources: Any, targets: Any, source_length: int | None, target_length: int | None, **options: Any
    ) -> dict[str, Any]:
        if not self.built:
            self.build(None)
        features: dict[str, Any] = {}
        tokenizer = self.source_tokenizer or self.tokenizer
        source = self.encoder_packer(tokenizer(tokenizer.cleaned(sources)), sequence_length=source_length)
        target = self.decoder_packer(self.tokenizer(targets), sequence_length=target_length, **options)
        for side, (ids, mask) in (("encoder", source), ("decoder", target)):
            features |= {f"{side}_token_ids": ids, f"{side}_padding_mask": mask}
        return features

    def count_cut(self, x: Mapping[str, Any]) -> int:
        """Returns the number of pairs of `x` of which a text is longer than the sequence lengths, and is cut."""
        tokenizer = self.source_tokenizer or self.tokenizer
        pairs = zip(tokenizer(tokenizer.cleaned(x["encoder_text"])), self.tokenizer(x["decoder_text"]), strict=True)
        longest = self.encoder_sequence_length - 1, self.decoder_sequence_length - 1  # without EOS
        return sum(len(source) > longest[0] or len(target) > longest[1] for source, target in pairs)

    def get_config(self) -> dict[str, Any]:
        source = None if self.source_tokenizer is None else keras.layers.serialize(self.source_tokenizer)
        return {
            **super().get_config(),
            "source_tokenizer": source,
            "encoder_sequence_length": self.encoder_sequence_length,
            "decoder_sequence_length": self.decoder_sequence_length,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        source = config.get("source_tokenizer")
        if isinstance(source, dict):
            config = {**config, "source_tokenizer": keras.layers.deserialize(source)}
        return super().from_config(config)


def without_padding_columns(inputs: dict[str, Any], labels: Any, weights: Any) -> Any:
    """Cuts a batch of the preprocessor to its longest source and its longest translation; see `MULTIPLE`."""

    def width(mask: Any) -> Any:
        longest = tf.reduce_max(tf.reduce_sum(tf.cast(mask, "int32"), axis=-1))
        return tf.minimum(-(-longest // MULTIPLE) * MULTIPLE, tf.shape(mask)[-1])

    columns = {side: width(inputs[f"{side}_padding_mask"]) for side in ("encoder", "decoder")}
    cut = {name: x[:, : columns[name.split("_")[0]]] for name, x in inputs.items()}
    target = columns["decoder"]
    return keras.utils.pack_x_y_sample_weight(cut, labels[:, :target], weights[:, :target])
