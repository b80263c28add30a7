"""A SentencePiece tokenizer that runs in the graph."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import sentencepiece
import tensorflow as tf
import tensorflow_text
from tensorflow_text.python.ops.sentencepiece_tokenizer import gen_sentencepiece_tokenizer

from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_bytes
from keras_nmt.files.subwords import read_subwords
from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN
from keras_nmt.text.subword_sampler import SPACE, SubwordSampler

SPECIAL_IDS = {"pad": PAD, "unknown": UNKNOWN, "begin": BEGIN, "end": END}


class SubwordTokenizer(tf.Module):
    """Text to subword ids and back, by a SentencePiece model, inside `tf.function` and `tf.data` graphs.

    The model is kept inside the graph's operators: a SavedModel that uses the tokenizer needs no other file
    (give it to `keras.export.ExportArchive.track`).

    Args:
        model: Path of a SentencePiece model, or its content as bytes; with ids pad 0, unknown 1, begin 2, end 3, as
            `keras_nmt.text.train_subwords` writes it.

    Raises:
        OSError: The file cannot be read.
        UserError: The file is not a SentencePiece model, has other ids, or is damaged; see `read_subwords`.

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
        self._proto = model if isinstance(model, bytes) else read_subwords(model)
        self._processor = _load(self._proto, origin)
        self._vocabulary_size = int(self._processor.get_piece_size())
        # `tf.Module` tracks the attribute, as does any object that tracks this tokenizer.
        self._tokenizer = tensorflow_text.SentencepieceTokenizer(self._proto, out_type=tf.int32)
        self._tokenizer._model_resource = _SharedModel(self._proto)
        self._sampler = functools.lru_cache(maxsize=4)(functools.partial(SubwordSampler, self._processor))  # by alpha

    @property
    def vocabulary_size(self) -> int:
        """Integer, the number of ids, including the four special ids."""
        return self._vocabulary_size

    def pieces(self, start: int, stop: int) -> list[str]:
        """The subwords of the ids from `start` to below `stop`, or below the vocabulary's size."""
        return [self._processor.id_to_piece(i) for i in range(start, min(stop, self._vocabulary_size))]

    def check_control_symbols(self, start: int, stop: int) -> None:
        """Raises a `UserError` if a text may have one of the ids from `start` to below `stop`."""
        if wrong := [
            piece for i, piece in enumerate(self.pieces(start, stop), start) if not self._processor.is_control(i)
        ]:
            raise UserError(
                "A text must not have labels of languages: train the subwords with the labels as `control_symbols`. "
                f"Received: subwords {', '.join(wrong)}"
            )

    @property
    def proto(self) -> bytes:
        """Bytes, the content of the SentencePiece model's file."""
        return self._proto

    @property
    def digest(self) -> str:
        """String of 64 hexadecimal digits, SHA-256 of the content of the SentencePiece model's file."""
        return hashlib.sha256(self._proto).hexdigest()

    def tokenize(self, strings: tf.Tensor | Sequence[str]) -> tf.RaggedTensor:
        """Segments texts into subwords.

        Args:
            strings: String tensor `[N]`, UTF-8 text.

        Returns:
            `tf.RaggedTensor` `[N, (number of subwords)]`, int32, without begin and end. The row of a text without
            anything but spaces is empty; which characters are spaces is up to the model's normalisation.
        """
        return self._tokenizer.tokenize(tf.convert_to_tensor(strings, tf.string))

    def tokenize_with_offsets(
        self, strings: tf.Tensor | Sequence[str]
    ) -> tuple[tf.RaggedTensor, tf.RaggedTensor, tf.RaggedTensor]:
        """Segments texts into subwords, with the part of the text that each subword stands for.

        Args:
            strings: String tensor `[N]`, UTF-8 text.

        Returns:
            Three `tf.RaggedTensor` `[N, (number of subwords)]`, int32: ids as `tokenize` returns them, and the byte
            positions in the text where each subword begins and ends.
        """
        return self._tokenizer.tokenize_with_offsets(tf.convert_to_tensor(strings, tf.string))

    def lowercases(self, texts: Sequence[str]) -> bool:
        """Returns whether texts with capital letters have the same subwords without them; False if none has any."""
        capital = [text for text in texts if text != text.lower()]
        both = [self.tokenize(lines).to_list() for lines in (capital, [text.lower() for text in capital])]
        return bool(capital) and both[0] == both[1]

    def sample(
        self, texts: Sequence[bytes], alpha: float, seed: int | np.random.SeedSequence
    ) -> tuple[np.ndarray, np.ndarray]:
        """Segments texts at random, outside the graph.

        The result depends only on the model and the arguments, in every process. Unlike `tokenize`, which follows a
        rule, `sample` draws subwords by probabilities; user symbols, unknown characters and bytes are the same.

        Args:
            texts: Sequence of bytes, UTF-8 texts.
            alpha: Float above 0 and at most 1. For a unigram model, the exponent of the segmentations' probabilities:
                the smaller, the more uniform. For a BPE model, the probability with which each possible merge is
                dropped at each step.
            seed: Integer that is not negative, or a NumPy SeedSequence.

        Returns:
            ids: int32 array `[subwords]`, one text after the other, without begin and end.
            lengths: int64 array `[texts]`, the number of subwords of each text.

        Raises:
            UserError: The model is neither BPE nor unigram.

        Reference:
            Unigram: [Kudo, 2018](https://arxiv.org/abs/1804.10959), section 3.3, with all segmentations (l = inf); BPE:
            [Provilkov et al., 2020](https://arxiv.org/abs/1910.13267), algorithm 1.
        """
        return self._sampler(alpha).sample(texts, seed)

    def sampling_digest(self, alpha: float) -> str:
        """The digest of a fixed sample: equal digests mean that two processes draw the same samples.

        The sample is of up to 1,000 subwords of the vocabulary, in texts of ten, with seed 0.

        Args:
            alpha: Float, as for `sample`.

        Returns:
            String of 64 hexadecimal digits, SHA-256.
        """
        pieces = self.pieces(max(SPECIAL_IDS.values()) + 1, 1004)
        texts = ["".join(pieces[i : i + 10]).replace(SPACE, " ").encode() for i in range(0, len(pieces), 10)]
        ids, lengths = self.sample(texts, alpha, seed=0)
        return hashlib.sha256(np.concatenate([lengths, ids]).astype("<i8").tobytes()).hexdigest()

    def detokenize(self, ids: tf.Tensor | tf.RaggedTensor | Sequence[Sequence[int]]) -> tf.Tensor:
        """Joins subwords into text.

        Args:
            ids: Tensor `[N, T]` or `tf.RaggedTensor` `[N, (T)]`, int32 or int64. Ids after the first end and every pad
                and begin are left out. Ids outside the vocabulary count as unknown.

        Returns:
            String tensor `[N]`. An unknown subword becomes a "⁇" between spaces.
        """
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(PAD)
        ids = tf.cast(tf.convert_to_tensor(ids), tf.int32)  # [N, T]
        before_end = tf.cumsum(tf.cast(ids == END, tf.int32), axis=1) == 0
        keep = before_end & (ids != PAD) & (ids != BEGIN)
        inside = (ids >= 0) & (ids < self.vocabulary_size)
        return self._tokenizer.detokenize(tf.ragged.boolean_mask(tf.where(inside, ids, UNKNOWN), keep))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the SentencePiece model to a file, completely or not at all.

        Args:
            path: String or path of the file to write. Missing folders are made.

        Returns:
            The path.
        """
        return write_bytes(path, self._proto)


class _SharedModel(tf.saved_model.experimental.TrackableResource):
    """The loaded model, under a name derived from its content.

    TensorFlow Text gives no name. A model without a name is deleted with the kernel that loaded it when
    `tf.random.set_seed` or `keras.utils.set_random_seed` clears the kernels: "Resource ... does not exist"
    (tensorflow/text#570). A model with a name lives as long as the process, once for all tokenizers of equal content.

    A function loads the model: a SavedModel needs the operator twice, in the graph and for `tf.saved_model.load`, and
    stores a function once.
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
    """Loads a model with the SentencePiece library, whose errors are more precise than the graph operators' errors."""
    message = f"Not a SentencePiece model. Train one with keras_nmt.text.train_subwords. Received: model={origin}"
    if not proto:  # the library would read no bytes as an empty model
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
            f"A SentencePiece model with other special ids than {SPECIAL_IDS}. Train one with "
            f"keras_nmt.text.train_subwords. Received: model={origin} with {ids}"
        )
    return processor
