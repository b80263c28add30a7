"""A SentencePiece tokenizer for TensorFlow graphs."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_text
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from tensorflow_text.python.ops.sentencepiece_tokenizer import gen_sentencepiece_tokenizer

from keras_nmt.data.subword_models import SPECIAL_IDS, cleans_sources, load_processor, read_subwords, with_cleaning
from keras_nmt.data.subword_sampler import SPACE, SubwordSampler
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_bytes
from keras_nmt.files.process_resources import without_standard_error
from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.text.source_cleaning import clean_source, replacements


class SubwordTokenizer(tf.Module):
    """Converts text to subword ids and back, by a SentencePiece model, also in `tf.function` and `tf.data` graphs.

    The model is stored in the graph's operators: a SavedModel that uses the tokenizer needs no other file. (Give the
    tokenizer to `keras.export.ExportArchive.track`.)

    `SentencePieceTokenizer` of keras_hub is not used, because it does not sample segmentations, does not check the
    special ids, and loses its model when a random seed is set (tensorflow/text#570).

    A new tokenizer segments targets; `source` segments sources. Whatever takes the tokenizer of a source uses `source`.

    Args:
        model: Path of a SentencePiece model, or its content as bytes. The ids must be PAD 0, UNK 1, BOS 2, EOS 3, as in
            the models of `keras_nmt.data.train_subwords`.
        digest: String, the SHA-256 that the file must have. Defaults to that in its model directory or prepared corpus.

    Raises:
        OSError: The file cannot be read.
        UserError: The file is not a SentencePiece model, has other special ids, or is damaged; see `read_subwords`.

    Attributes:
        proto: Bytes, the content of the SentencePiece model's file.
        vocabulary_size: Integer, the number of ids, including the four special ids.
        cleans: Boolean, whether texts are cleaned first, see `keras_nmt.text.clean_source`.
        tags: `TargetTags`, the target-language tags behind which texts get a space; none, except in a `source`.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> ids = tokenizer.tokenize(["the cat", ""])
    >>> ids.dtype.name, [int(n) for n in ids.row_lengths()]
    ('int32', [3, 0])
    >>> tokenizer.detokenize(ids).numpy().tolist()
    [b'the cat', b'']
    """

    def __init__(self, model: str | os.PathLike[str] | bytes, *, digest: str | None = None) -> None:
        super().__init__(name="subword_tokenizer")
        self.cleans, self.tags = False, TargetTags()
        origin = "bytes" if isinstance(model, bytes) else repr(os.fspath(model))
        self.proto = model if isinstance(model, bytes) else read_subwords(model, digest)
        self._processor = load_processor(self.proto, origin)
        self.vocabulary_size = int(self._processor.get_piece_size())
        with without_standard_error():  # the operator says there whether a model leaves text as it is
            # As an attribute, it is tracked by `tf.Module`, and by any object that tracks this tokenizer.
            self._tokenizer = tensorflow_text.SentencepieceTokenizer(self.proto, out_type=tf.int32)
            self._tokenizer._model_resource = SharedModel(self.proto)
        self._sampler = functools.lru_cache(maxsize=4)(functools.partial(SubwordSampler, self._processor))  # by alpha
        self._source: SubwordTokenizer | None = None
        cleans, tags = cleans_sources(self.proto), TargetTags(self.proto)
        if cleans or tags:
            self._source = object.__new__(type(self))
            self._source.__dict__.update(self.__dict__)
            self._source.cleans, self._source.tags = cleans, tags

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles, for another process, the subword model alone: TensorFlow's resources stay here."""
        return _read_pickled, (self.proto, self.cleans or bool(self.tags))

    @property
    def source(self) -> SubwordTokenizer:
        """The tokenizer of source texts: it cleans texts if the model was trained with `source_cleaning`.

        And it reads the first word behind a target-language tag as it reads any word, without a space before it, too.
        """
        return self if self._source is None else self._source

    @property
    def has_bytes(self) -> bool:
        """Boolean, whether characters without a subword become bytes, so that no text has unknown subwords."""
        return any(map(self._processor.is_byte, range(self.vocabulary_size)))

    def pieces(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Returns the subwords of the ids from `start` to below `stop`, or to the end of the vocabulary."""
        return [self._processor.id_to_piece(i) for i in range(self.vocabulary_size)[start:stop]]

    def piece_strings(self, ids: tf.Tensor) -> tf.Tensor:
        """Returns the subwords of ids, and "" for `PAD`, in the graph: int32 `[...]` -> string `[...]`."""
        return tf.where(ids == PAD, "", self._tokenizer.id_to_string(ids))

    @property
    def lowercases(self) -> bool:
        """Boolean, whether the model lower-cases text."""
        return bool(self._processor.normalize("A") == self._processor.normalize("a"))

    @functools.cached_property
    def user_symbols(self) -> frozenset[str]:
        """Set of the user-defined subwords, which are never split."""
        pieces = ModelProto.FromString(self.proto).pieces
        return frozenset(piece.piece for piece in pieces if piece.type == ModelProto.SentencePiece.USER_DEFINED)

    def check_control_symbols(self, start: int, stop: int) -> None:
        """Checks that the ids from `start` to below `stop` never occur in text; raises a `UserError` otherwise."""
        if wrong := [
            piece for i, piece in enumerate(self.pieces(start, stop), start) if not self._processor.is_control(i)
        ]:
            raise UserError(
                "Language labels must not occur in text: train the subwords with the labels as `control_symbols`. "
                f"Received: subwords {', '.join(wrong)}"
            )

    @property
    def digest(self) -> str:
        """String of 64 hexadecimal digits, SHA-256 of the content of the SentencePiece model's file."""
        return hashlib.sha256(self.proto).hexdigest()

    def tokenize(self, strings: tf.Tensor | Sequence[str]) -> tf.RaggedTensor:
        """Segments texts into subwords.

        Args:
            strings: String tensor `[N]`, UTF-8 text.

        Returns:
            `tf.RaggedTensor` `[N, (number of subwords)]`, int32, without BOS and EOS. The row of an empty or blank text
            is empty. (The model's normalisation determines which characters are spaces; those of ASCII at the ends of
            a text always are.)
        """
        return self._tokenizer.tokenize(self.cleaned(strings))

    def cleaned(self, strings: tf.Tensor | Sequence[str]) -> tf.Tensor:
        """Returns texts `[N]` as they are segmented, in the graph, without white space of ASCII at their ends.

        So the line ends of a file belong to no text. With `cleans`, texts are cleaned as by
        `keras_nmt.text.clean_source`; with `tags`, a tag at their beginning has a space behind it.
        """
        texts = tf.convert_to_tensor(strings, tf.string)
        return with_space(tf.strings.strip(clean_in_graph(texts) if self.cleans else texts), self.tags)

    def tokenize_with_offsets(
        self, strings: tf.Tensor | Sequence[str]
    ) -> tuple[tf.RaggedTensor, tf.RaggedTensor, tf.RaggedTensor]:
        """Segments texts into subwords as `tokenize` does, and returns also where each subword begins and ends.

        Returns:
            Three `tf.RaggedTensor` `[N, (number of subwords)]`, int32: ids, and the byte positions in the text of the
            begin and the end of each subword, positions in what `cleaned` returns.
        """
        return self._tokenizer.tokenize_with_offsets(self.cleaned(strings))

    def sample(
        self, texts: Sequence[bytes], alpha: float, seed: int | np.random.SeedSequence
    ) -> tuple[np.ndarray, np.ndarray]:
        """Samples random segmentations of texts, outside the graph.

        The result depends only on the model and the arguments. User symbols, unknown characters and bytes are the same
        as in `tokenize`.

        Args:
            texts: Sequence of bytes, UTF-8 texts.
            alpha: Float above 0 and at most 1. For a unigram model, the exponent of the segmentations' probabilities: a
                small one makes them more uniform. For a BPE model, the probability with which each possible merge is
                dropped at each step.
            seed: Integer of at least 0, or a NumPy SeedSequence.

        Returns:
            Two arrays: int32 `[subwords]`, the ids without BOS and EOS, one text after the other; and int64 `[texts]`,
            the number of subwords of each text.

        Raises:
            UserError: The model is neither BPE nor unigram.

        Reference:
            Unigram: [Kudo, 2018](https://arxiv.org/abs/1804.10959), section 3.3, with all segmentations (l = inf); BPE:
            [Provilkov et al., 2020](https://arxiv.org/abs/1910.13267), algorithm 1.
        """
        if self.cleans:
            texts = [clean_source(text.decode()).encode() for text in texts]
        texts = [text.strip() for text in texts]
        if self.tags:
            texts = [self.tags.with_space(text.decode()).encode() for text in texts]
        return self._sampler(alpha).sample(texts, seed)

    def sampling_digest(self, alpha: float) -> str:
        """Returns the SHA-256 of a fixed sample. Processes with equal digests draw the same samples.

        The sample segments up to 1,000 subwords of the vocabulary, in texts of ten, with seed 0 and `alpha` as for
        `sample`.
        """
        pieces = self.pieces(max(SPECIAL_IDS.values()) + 1, 1004)
        texts = ["".join(pieces[i : i + 10]).replace(SPACE, " ").encode() for i in range(0, len(pieces), 10)]
        ids, lengths = self.sample(texts, alpha, seed=0)
        return hashlib.sha256(np.concatenate([lengths, ids]).astype("<i8").tobytes()).hexdigest()

    def detokenize(self, ids: tf.Tensor | tf.RaggedTensor | Sequence[Sequence[int]]) -> tf.Tensor:
        """Joins subwords into text.

        Args:
            ids: Tensor `[N, T]` or `tf.RaggedTensor` `[N, (T)]`, int32 or int64. Ids after the first EOS, and every PAD
                and BOS, are ignored. Ids outside the vocabulary count as UNK.

        Returns:
            String tensor `[N]`. UNK becomes "⁇" between spaces.
        """
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(PAD)
        ids = tf.cast(tf.convert_to_tensor(ids), tf.int32)  # [N, T]
        before_end = tf.cumsum(tf.cast(ids == EOS, tf.int32), axis=1) == 0
        keep = before_end & (ids != PAD) & (ids != BOS)
        inside = (ids >= 0) & (ids < self.vocabulary_size)
        return self._tokenizer.detokenize(tf.ragged.boolean_mask(tf.where(inside, ids, UNK), keep))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the SentencePiece model to a file, completely or not at all, and returns the path.

        Missing folders are made. With `cleans`, the model's own rules clean, too, for programs without this step.
        """
        return write_bytes(path, with_cleaning(self.proto) if self.cleans else self.proto)


def _read_pickled(proto: bytes, is_source: bool) -> SubwordTokenizer:
    tokenizer = SubwordTokenizer(proto)
    return tokenizer.source if is_source else tokenizer


def clean_in_graph(texts: tf.Tensor) -> tf.Tensor:
    """Does the same as `keras_nmt.text.clean_source` to texts of any shape, in the graph."""
    for new, pattern in _patterns():
        texts = tf.strings.regex_replace(texts, pattern, new)
    return texts


def with_space(texts: tf.Tensor, tags: TargetTags) -> tf.Tensor:
    """Returns texts `[N]` with a space behind the tag with which they begin, as `TargetTags.with_space`."""
    return tf.strings.regex_replace(texts, rf"^(\s*{tags.pattern})(\S)", r"\1 \2") if tags else texts


@functools.cache
def _patterns() -> list[tuple[str, str]]:
    """Returns the replacements of `clean_source`, each with a regular expression of the characters that it replaces."""
    characters_of: dict[str, str] = {}
    for code, new in replacements().items():
        characters_of[new] = characters_of.get(new, "") + f"\\x{{{code:X}}}"
    return [(new, f"[{characters}]") for new, characters in characters_of.items()]


class SharedModel(tf.saved_model.experimental.TrackableResource):
    """The loaded model as a TensorFlow resource, with a name made from its content.

    TensorFlow Text gives no name. Without one, the model is deleted with the kernel that loaded it when
    `tf.random.set_seed` or `keras.utils.set_random_seed` clears the kernels: "Resource ... does not exist"
    (tensorflow/text#570). With a name, it lives as long as the process, and all tokenizers of equal content share it.

    The model is loaded by a function, because a SavedModel contains the operator twice, in the graph and for
    `tf.saved_model.load`, but a function only once.
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
