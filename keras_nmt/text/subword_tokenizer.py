"""A SentencePiece tokenizer that runs in the graph."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import sentencepiece
import tensorflow as tf
import tensorflow_text
from tensorflow_text.python.ops.sentencepiece_tokenizer import gen_sentencepiece_tokenizer

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_bytes
from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN

_SEED = threading.Lock()  # the library has one seed for all models

SPECIAL_IDS = {"pad": PAD, "unknown": UNKNOWN, "begin": BEGIN, "end": END}


class SubwordTokenizer(tf.Module):
    """Text to subword ids and back, by a SentencePiece model, inside `tf.function` and `tf.data` graphs.

    The model is kept inside the graph's operators: a SavedModel that uses the tokenizer needs no other file
    (give it to `keras.export.ExportArchive.track`).

    Args:
        model: A SentencePiece model with ids pad 0, unknown 1, begin 2, end 3, as `keras_nmt.text.train_subwords`
            writes it: the path of the file, or its content as bytes.

    Raises:
        OSError: The file cannot be read.
        UserError: It is no SentencePiece model, or one with other ids.

    Example:
        >>> import os, tempfile
        >>> from keras_nmt.text import train_subwords
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     text = os.path.join(folder, "text.txt")
        ...     _ = open(text, "w").write("the cat sat\\nthe mat sat\\n")
        ...     model = train_subwords([text], os.path.join(folder, "subwords.model"), vocabulary_size=20)
        ...     tokenizer = SubwordTokenizer(model)
        >>> ids = tokenizer.tokenize(["the cat", ""])
        >>> ids.dtype.name, [int(n) for n in ids.row_lengths()]
        ('int32', [3, 0])
        >>> tokenizer.detokenize(ids).numpy().tolist()
        [b'the cat', b'']
    """

    def __init__(self, model: str | os.PathLike[str] | bytes) -> None:
        super().__init__(name="subword_tokenizer")
        origin = "bytes" if isinstance(model, bytes) else repr(os.fspath(model))
        self._proto = model if isinstance(model, bytes) else Path(model).read_bytes()
        self._processor = _load(self._proto, origin)
        self._vocabulary_size = int(self._processor.get_piece_size())
        # `tf.Module` tracks the attribute: so does whatever tracks this object.
        self._tokenizer = tensorflow_text.SentencepieceTokenizer(self._proto, out_type=tf.int32)
        self._tokenizer._model_resource = _SharedModel(self._proto)

    @property
    def vocabulary_size(self) -> int:
        """The number of ids, the four special ones included."""
        return self._vocabulary_size

    def pieces(self, start: int, stop: int) -> list[str]:
        """The subwords of the ids from `start` to below `stop`, as far as there are any."""
        return [self._processor.id_to_piece(i) for i in range(start, min(stop, self._vocabulary_size))]

    @property
    def proto(self) -> bytes:
        """The SentencePiece model, as its file holds it."""
        return self._proto

    def tokenize(self, strings: tf.Tensor | Sequence[str]) -> tf.RaggedTensor:
        """Cuts texts into subwords.

        Args:
            strings: String tensor [N], UTF-8 text.

        Returns:
            `tf.RaggedTensor` [N, (number of subwords)], int32, without begin and end. A row is empty where the text is
            empty or holds nothing but spaces.
        """
        return self._tokenizer.tokenize(tf.convert_to_tensor(strings, tf.string))

    def tokenize_with_offsets(
        self, strings: tf.Tensor | Sequence[str]
    ) -> tuple[tf.RaggedTensor, tf.RaggedTensor, tf.RaggedTensor]:
        """Cuts texts into subwords, and tells what part of the text each is.

        Args:
            strings: String tensor [N], UTF-8 text.

        Returns:
            Three `tf.RaggedTensor` [N, (number of subwords)]: the ids, as of `tokenize`, and where in the text's bytes
            each begins and ends.
        """
        return self._tokenizer.tokenize_with_offsets(tf.convert_to_tensor(strings, tf.string))

    def sample(self, texts: Sequence[bytes], alpha: float, seed: int) -> list[list[int]]:
        """Cuts texts into subwords at random, outside the graph.

        Args:
            texts: UTF-8 texts.
            alpha: In (0, 1]. Of a unigram model: the exponent of the probabilities that segmentations are drawn by; the
                smaller, the more alike are likely and unlikely ones. Of a BPE model: the probability that a merge is
                left out.
            seed: From 0 to 2**32 - 2. The same texts, alpha and seed give the same.

        Returns:
            The ids of each text, without begin and end.

        Reference:
            Unigram: [Kudo, 2018](https://arxiv.org/abs/1804.10959), section 3.3, with all segmentations (l = inf); BPE:
            [Provilkov et al., 2020](https://arxiv.org/abs/1910.13267), section 3.
        """
        with _SEED:  # taken up by the thread that the library starts for these texts
            sentencepiece.set_random_generator_seed(seed)
            sampled: list[list[int]] = self._processor.encode(
                texts, enable_sampling=True, nbest_size=-1, alpha=alpha, num_threads=1
            )
        return sampled

    def detokenize(self, ids: tf.Tensor | tf.RaggedTensor | Sequence[Sequence[int]]) -> tf.Tensor:
        """Joins subwords into text.

        Args:
            ids: Tensor [N, T] or `tf.RaggedTensor` [N, (T)], int32 or int64. What follows the first end, and every
                pad and begin, is left out. Ids outside the vocabulary count as unknown.

        Returns:
            String tensor [N]; an unknown subword is written as a "⁇" between spaces.
        """
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(PAD)
        ids = tf.cast(tf.convert_to_tensor(ids), tf.int32)  # [N, T]
        before_end = tf.cumsum(tf.cast(ids == END, tf.int32), axis=1) == 0
        keep = before_end & (ids != PAD) & (ids != BEGIN)
        inside = (ids >= 0) & (ids < self.vocabulary_size)
        return self._tokenizer.detokenize(tf.ragged.boolean_mask(tf.where(inside, ids, UNKNOWN), keep))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the SentencePiece model to a file, whole or not at all.

        Args:
            path: The file to write; folders above it are made.

        Returns:
            The path.
        """
        return write_bytes(path, self._proto)


class _SharedModel(tf.saved_model.experimental.TrackableResource):
    """The loaded model, under a name made of its content.

    TensorFlow Text leaves the name open, and the model then dies with the kernel that loaded it, which
    `tf.random.set_seed` and `keras.utils.set_random_seed` throw away: "Resource ... does not exist"
    (tensorflow/text#570). Under a name it lives as long as the process, once for all tokenizers of the same content.

    It is loaded by a function, because a SavedModel needs the operator twice, in the graph and for
    `tf.saved_model.load`, and a function is stored once.
    """

    def __init__(self, proto: bytes) -> None:
        super().__init__(device="CPU")
        name = f"subwords_{hashlib.sha256(proto).hexdigest()}"
        self._load = tf.function(
            lambda: gen_sentencepiece_tokenizer.sentencepiece_op(model=proto, shared_name=name),
            input_signature=[],
            autograph=False,
        ).get_concrete_function()
        self.resource_handle  # noqa: B018  # reading it loads the model

    def _create_resource(self) -> tf.Tensor:
        return self._load()


def _load(proto: bytes, origin: str) -> sentencepiece.SentencePieceProcessor:
    """Loads a model with the SentencePiece library, whose errors say more than the graph operators' do."""
    message = f"Not a SentencePiece model. Train one with keras_nmt.text.train_subwords. Received: model={origin}"
    if not proto:  # the library takes it for an empty model
        raise UserError(message)
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=proto)
    except RuntimeError:
        raise UserError(message) from None
    ids = dict(
        zip(SPECIAL_IDS, (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()), strict=True)
    )
    if ids != SPECIAL_IDS:
        raise UserError(
            f"A SentencePiece model with other special ids than {SPECIAL_IDS}. Train it anew with "
            f"keras_nmt.text.train_subwords. Received: model={origin} with {ids}"
        )
    return processor
