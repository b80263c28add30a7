"""The subwords of one language as a tokenizer of keras_hub."""

from __future__ import annotations

import functools
import os
from typing import Any

import keras
import keras_hub
import tensorflow as tf

from keras_nmt.data.subword_models import SPECIAL_IDS, cleans_sources, load_processor, read_subwords
from keras_nmt.data.subword_tokenizer import SharedModel, clean_in_graph, with_space
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.hub.backbone import TranslationBackbone

_tags = functools.lru_cache(maxsize=8)(TargetTags)
NAMES = {"pad_token": "pad", "start_token": "begin", "end_token": "end"}  # keras_hub's names of the special ids


@keras.saving.register_keras_serializable(package="keras_nmt")
class TranslationTokenizer(keras_hub.tokenizers.SentencePieceTokenizer):
    """Converts text to subword ids and back, by a SentencePiece model, which also normalises the text.

    Args:
        proto: `pathlib.Path` of a SentencePiece model, or its content as bytes. The ids must be PAD 0, UNK 1, BOS 2,
            EOS 3, as in the models of `keras_nmt.data.train_subwords`.
        **kwargs: Further arguments of `keras_hub.tokenizers.SentencePieceTokenizer`.

    Raises:
        UserError: The content is not a SentencePiece model, or has other special ids.

    Example:

    >>> import os, tempfile
    >>> from keras_nmt.data import train_subwords
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = os.path.join(folder, "text.txt")
    ...     _ = open(text, "w").write("the cat sat\\nthe mat sat\\n")
    ...     model = train_subwords([text], os.path.join(folder, "subwords.model"), vocabulary_size=20)
    ...     tokenizer = TranslationTokenizer(model.read_bytes())
    >>> tokenizer.detokenize(tokenizer(["the cat", "the mat"]))
    ['the cat', 'the mat']
    >>> tokenizer.pad_token_id, tokenizer.start_token_id, tokenizer.end_token_id
    (0, 2, 3)
    """

    backbone_cls = TranslationBackbone

    def __init__(self, proto: os.PathLike[str] | bytes | None = None, **kwargs: Any) -> None:
        for name in NAMES:
            self._add_special_token(None, name)
        super().__init__(proto=read_subwords(proto) if isinstance(proto, os.PathLike) else proto, **kwargs)

    def cleaned(self, sources: Any) -> Any:
        """Returns source texts as they are segmented.

        They are cleaned if the subwords were trained with `source_cleaning`, and have a space behind a target tag.
        """
        tags = _tags(self.proto)
        if not tags and not cleans_sources(self.proto):
            return sources
        texts = tf.convert_to_tensor(sources, tf.string)
        return with_space(clean_in_graph(texts) if cleans_sources(self.proto) else texts, tags)

    def tokenize(self, inputs: Any) -> Any:
        """Segments texts, without white space of ASCII at their ends, as `SubwordTokenizer` of `keras_nmt.data`."""
        return super().tokenize(tf.strings.strip(tf.convert_to_tensor(inputs, tf.string)))

    @property
    def tag_ids(self) -> list[int]:
        """Ids of the target-language tags, with which sources begin; none if there are no tags."""
        if not (tags := _tags(self.proto)):
            return []
        processor = load_processor(self.proto, "bytes")
        return [processor.encode(tag)[-1] for tag in tags.texts.values()]

    def set_proto(self, proto: str | bytes | None) -> None:
        if isinstance(proto, bytes):
            load_processor(proto, "bytes")
        super().set_proto(proto)

    def load_assets(self, dir_path: str) -> None:
        self.set_proto(read_subwords(os.path.join(dir_path, self.file_assets[0])))

    def _set_proto_tf(self, proto: bytes) -> None:
        super()._set_proto_tf(proto)
        # The resource of TensorFlow Text would be lost when a random seed is set.
        self._sentence_piece._model_resource = SharedModel(proto)

    def _update_special_token_ids(self) -> None:
        for name, meaning in NAMES.items():
            setattr(self, f"{name}_id", SPECIAL_IDS[meaning])
            setattr(self, name, self.id_to_token(SPECIAL_IDS[meaning]))
