"""Trains subword models by SentencePiece, and reads their files. Does not import TensorFlow."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import io
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.data.prepared_folder import MANIFEST, MANIFEST_BYTES
from keras_nmt.errors import UserError, check_positive, check_seed, errors_as, one_line, require
from keras_nmt.files.atomic_files import check_writable, errors_that_name, write_bytes
from keras_nmt.files.json_file import read_json
from keras_nmt.files.model_config import CONFIG, SUBWORDS_SHA256
from keras_nmt.files.paths import check_regular
from keras_nmt.files.settings import check_rule, documented, setting
from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.text.normalization import make_rules, write_rules
from keras_nmt.text.source_cleaning import clean_source, replacements
from keras_nmt.text.text_files import read_blocks

MODEL_TYPES = ("bpe", "unigram")
SPECIAL_IDS = {"pad": PAD, "unknown": UNK, "begin": BOS, "end": EOS}
NORMALIZATIONS = ("nfc", "nfkc", "identity")
RESERVED_SYMBOLS = ("<pad>", "<unk>", "<s>", "</s>")
NUM_BYTES = 256
CLEANING = "_source_cleaning"  # end of the name of the normalisation, by which a model knows that sources are cleaned
LEAST_COVERAGE = 0.98  # SentencePiece's minimum
MAX_BYTES = 256 << 20  # size of the largest file, for ten million subwords
NUM_THREADS = 16  # the model depends on the number of threads; a constant gives the same model on every machine


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class SubwordOptions:
    """The options of a subword model, for `keras_nmt.data.train_subwords`."""

    model_type: str = setting("bpe", '"bpe" or "unigram".')
    user_symbols: Sequence[str] = setting((), 'Subwords that are never split, such as a tag "<BT>".')
    normalization: str = setting("nfc", 'Normalisation: "nfc", "nfkc" or "identity"; see `normalization_rules`.')
    character_coverage: float = setting(
        1.0,
        "Share of the text's characters that get a subword, from 0.98 to 1. For scripts with thousands of characters, "
        "use slightly less than 1, such as 0.9995.",
    )
    byte_fallback: bool = setting(False, "Whether other characters become bytes, which take 256 of the subwords.")
    split_digits: bool = setting(False, "Whether each digit is a subword.")
    lowercase: bool = setting(
        False, "Whether the subword model lower-cases all text. The scores of an experiment then ignore case."
    )
    source_cleaning: bool = setting(
        True,
        "Whether source texts are cleaned before they are segmented: spaces of all kinds, invisible characters, "
        "hyphens; see `clean_source`.",
    )

    def check_size(self, vocabulary_size: int, control_symbols: Sequence[str] = ()) -> None:
        """Checks the options for a model of this size, before the text is read.

        Raises:
            UserError: An option is out of its range, or contradicts another one.

        Example:

        >>> SubwordOptions(byte_fallback=True).check_size(8000)
        >>> SubwordOptions(byte_fallback=True).check_size(9)
        Traceback (most recent call last):
            ...
        keras_nmt.errors.UserError: `vocabulary_size` must be at least 261 with `byte_fallback`. Received: \
vocabulary_size=9
        """
        for kind, names in (("user_symbols", self.user_symbols), ("control_symbols", control_symbols)):
            require(not isinstance(names, str), f"{{{kind}}} must be a sequence of strings", **{kind: names})
        symbols = [*control_symbols, *self.user_symbols]
        wrong = [s for s in symbols if not s or any(c.isspace() for c in s) or s in RESERVED_SYMBOLS]
        for name, known in (("model_type", MODEL_TYPES), ("normalization", NORMALIZATIONS)):
            check_rule(self, getattr(self, name) in known, f"{{{name}}} must be one of {', '.join(known)}", name)
        problem = "With `lowercase`, {normalization} must be nfc or nfkc, because letters are composed"
        check_rule(self, not self.lowercase or self.normalization != "identity", problem, "normalization")
        problem = f"{{character_coverage}} must be from {LEAST_COVERAGE} to 1"
        check_rule(self, LEAST_COVERAGE <= self.character_coverage <= 1, problem, "character_coverage")
        are_right = not wrong and len(set(symbols)) == len(symbols)
        problem = f"Symbols must be distinct, without spaces, and none of {RESERVED_SYMBOLS}"
        require(are_right, problem, user_symbols=self.user_symbols, control_symbols=control_symbols)
        least = len(RESERVED_SYMBOLS) + len(symbols) + NUM_BYTES * self.byte_fallback + 1
        problem = f"{{vocabulary_size}} must be at least {least}{' with `byte_fallback`' * self.byte_fallback}"
        require(vocabulary_size >= least, problem, vocabulary_size=vocabulary_size)


def read_subwords(path: str | os.PathLike[str], digest: str | None = None) -> bytes:
    """Reads the file of a subword model, which must have the SHA-256 `digest`.

    By default, in a model directory or a prepared corpus, that is the digest in `config.json` or the manifest.

    Raises:
        OSError: The file cannot be read.
        UserError: The file is not a regular file, is larger than 256 MiB, or has another digest.
    """
    path = Path(path)
    with errors_that_name(path):
        check_regular(path)
        if (size := path.stat().st_size) > MAX_BYTES:
            raise UserError(
                f"A subword model must have at most {MAX_BYTES >> 20} MiB. Received: {path} with {size:,} bytes"
            )
        content = path.read_bytes()
    written, digest_of_file = digest or _written_digest(path.absolute()), hashlib.sha256(content).hexdigest()
    if written not in (None, digest_of_file):
        raise UserError(
            f"The subword model is damaged, or belongs to another model: restore it. Received: {path} with the SHA-256 "
            f"{digest_of_file[:16]} instead of {written[:16]}"
        )
    return content


def load_processor(proto: bytes, origin: str) -> sentencepiece.SentencePieceProcessor:
    """Loads a model with the SentencePiece library, whose errors are more precise than those of the graph operators.

    Raises:
        UserError: The bytes are no SentencePiece model, or it has other special ids. The error names the `origin`.
    """
    message = f"Not a SentencePiece model: train one with keras_nmt.data.train_subwords. Received: model={origin}"
    require(proto, message)  # the library would accept empty bytes as a model
    with errors_as(message, RuntimeError):
        processor = sentencepiece.SentencePieceProcessor(model_proto=proto)
    ids = dict(
        zip(SPECIAL_IDS, (processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()), strict=True)
    )
    if ids != SPECIAL_IDS:
        raise UserError(
            f"A SentencePiece model must have the special ids {SPECIAL_IDS}: train one with "
            f"keras_nmt.data.train_subwords. Received: model={origin} with {ids}"
        )
    return processor


def _written_digest(path: Path) -> str | None:
    """Returns the digest of a subword model from its model directory or prepared corpus, or None outside of them."""
    for file, entry, name in (
        (path.parent / CONFIG, SUBWORDS_SHA256, path.name),
        (path.parent.parent / MANIFEST, "subwords", path.parent.name),
    ):
        with contextlib.suppress(OSError, UserError):  # another program's file may have this name
            digests = read_json(file, "digests", MANIFEST_BYTES, keep_digest=True).get(entry)
            if isinstance(digests, dict) and isinstance(digests.get(name), str):
                return str(digests[name])
    return None


def cleans_sources(proto: bytes) -> bool:
    """Returns whether a subword model was trained with `source_cleaning`."""
    return str(ModelProto.FromString(proto).normalizer_spec.name).endswith(CLEANING)


def with_cleaning(proto: bytes) -> bytes:
    """Returns a subword model that cleans sources by its rules of normalisation, for programs without this step.

    Unlike here, such a program does not compose a letter with an accent behind an invisible character.
    """
    model = ModelProto.FromString(proto)
    name = model.normalizer_spec.name.removesuffix(CLEANING)
    normalization, _, lowercase = name.partition("_")
    model.normalizer_spec.precompiled_charsmap = _cleaning_rules(normalization, bool(lowercase))
    return bytes(model.SerializeToString())


@functools.cache
def _cleaning_rules(normalization: str, lowercase: bool) -> bytes:
    """Compiles the rules of a normalisation and of cleaning."""
    cleaning = {chr(code): new for code, new in replacements().items()}
    return compile_rules({**make_rules(normalization, lowercase), **cleaning})


def compile_rules(rules: Mapping[str, str]) -> bytes:
    """Compiles what each text becomes, by the trainer: only new versions of SentencePiece do it otherwise."""
    model = io.BytesIO()
    with _rules_file(rules) as option:
        sentencepiece.SentencePieceTrainer.train(
            **option,
            sentence_iterator=iter(["a"]),
            model_writer=model,
            vocab_size=5,
            model_type="char",
            hard_vocab_limit=False,
            minloglevel=2,
        )
    return bytes(ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap)


def train_subwords(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    vocabulary_size: int,
    control_symbols: Sequence[str] = (),
    max_sentences: int = 10_000_000,
    seed: int = 0,
    sources: Sequence[str | os.PathLike[str]] = (),
    **options: Any,
) -> Path:
    """Trains a SentencePiece model on text files and writes it to a file.

    Several files are read as one text: for a joint vocabulary, give the files of both languages. Ids are PAD 0, UNK 1,
    BOS 2, EOS 3, then the control symbols, then the user symbols. The model normalises all text that it encodes. The
    same text and arguments give the same model. Lines of more than 4,192 bytes are skipped.

    Args:
        files: Path or sequence of paths of text files: UTF-8, one sentence per line of at most 1 MiB, plain or gzip.
        path: String or path of the file to write. Missing folders are made.
        vocabulary_size: Integer, the number of ids, including special ids and symbols.
        control_symbols: Sequence of strings, names of ids that never occur in text, such as the labels of a
            `LanguageLabelModel`. (The same characters in a text are ordinary text.) Defaults to none.
        max_sentences: Integer, the largest number of sentences to train on; a random sample if there are more. Defaults
            to 10 million.
        seed: Integer, seed of the sample. Defaults to 0.
        sources: Sequence of those of `files` that are sources alone: with `source_cleaning`, they are cleaned. Defaults
            to none.
        **options: Fields of `keras_nmt.data.subword_models.SubwordOptions`.

    Returns:
        The path of the model.

    Raises:
        OSError: A file cannot be read or written.
        UserError: An argument is wrong, a file is empty or not UTF-8, or the vocabulary is too large or too small for
            the text, in which case the message names the largest or smallest possible size.

    Example:

    >>> import pathlib, tempfile
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> train_subwords(text, text.with_name("subwords.model"), vocabulary_size=20).name
    'subwords.model'

    Reference:
        [Kudo and Richardson, 2018](https://arxiv.org/abs/1808.06226); BPE:
        [Sennrich et al., 2016](https://arxiv.org/abs/1508.07909); unigram:
        [Kudo, 2018](https://arxiv.org/abs/1804.10959).
    """
    paths = [Path(files)] if isinstance(files, str | os.PathLike) else [Path(file) for file in files]
    check_writable(path)
    require(paths, "Subwords must be trained on at least one file. Received: files=[]")
    if any(os.path.realpath(file) == os.path.realpath(path) for file in paths):
        raise UserError(f"The model would replace its training text: write it to another file. Received: {path}")
    chosen = SubwordOptions(**options)
    chosen.check_size(vocabulary_size, control_symbols)
    check_positive(max_sentences=max_sentences)
    check_seed(seed=seed)
    cleaned = {Path(file) for file in sources} if chosen.source_cleaning else set()
    model = io.BytesIO()
    try:
        with _rules_file(make_rules(chosen.normalization, chosen.lowercase)) as option:
            sentencepiece.SentencePieceTrainer.train(
                **option,
                sentence_iterator=_sentences(paths, max_sentences, seed, cleaned),
                model_writer=model,
                vocab_size=vocabulary_size,
                model_type=chosen.model_type,
                user_defined_symbols=list(chosen.user_symbols),
                control_symbols=list(control_symbols),
                character_coverage=chosen.character_coverage,
                byte_fallback=chosen.byte_fallback,
                split_digits=chosen.split_digits,
                pad_id=PAD,
                unk_id=UNK,
                bos_id=BOS,
                eos_id=EOS,
                num_threads=NUM_THREADS,
                minloglevel=2,
            )
    except (RuntimeError, ValueError, SyntaxError) as error:  # the last two for numbers that SentencePiece cannot read
        raise UserError(_explain(str(error), vocabulary_size, paths)) from None
    proto = ModelProto.FromString(model.getvalue())
    proto.normalizer_spec.ClearField("normalization_rule_tsv")  # the path of a temporary file
    proto.normalizer_spec.name = (
        f"{chosen.normalization}{'_lowercase' * chosen.lowercase}{CLEANING * chosen.source_cleaning}"
    )
    return write_bytes(path, proto.SerializeToString())


@contextlib.contextmanager
def _rules_file(rules: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yields the trainer's option for normalisation. The trainer can read rules only from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.tsv"
        path.write_text(write_rules(rules), encoding="utf-8")
        yield {"normalization_rule_tsv": str(path)}


def _sentences(paths: list[Path], max_sentences: int, seed: int, cleaned: Collection[Path]) -> Iterator[str]:
    """Returns the lines of the files, or a random sample of them. Those of the files `cleaned` are cleaned.

    All files are read once before the trainer starts, because the trainer hides errors of its iterator. The trainer's
    own sampling is not used, because it depends on earlier trainings in the same process.
    """
    num_lines = 0
    for path in paths:
        check_regular(path, ", which is read twice")
        num_before = num_lines
        num_lines += sum(map(len, read_blocks(path)))
        if num_lines == num_before:
            raise UserError(f"The file is empty. Received: files={str(path)!r}")
    lines: Iterator[str] = (
        line
        for path in paths
        for block in read_blocks(path)
        for line in (map(clean_source, block) if path in cleaned else block)
    )
    if num_lines <= max_sentences:
        return lines
    chosen = np.zeros(num_lines, bool)
    chosen[np.random.default_rng(seed).choice(num_lines, max_sentences, replace=False)] = True
    return compress(lines, chosen)


def _explain(error: str, vocabulary_size: int, paths: list[Path]) -> str:
    """Explains the trainer's message in one line."""
    received = f"Received: vocabulary_size={vocabulary_size}, files={[str(path) for path in paths]}"
    limit = re.search(r"too high .*value <= (\d+)", error)
    if limit and int(limit[1]) > len(RESERVED_SYMBOLS):
        return f"The vocabulary is too large for the text: lower `vocabulary_size` to at most {limit[1]}. {received}"
    if match := re.search(r"smaller than required_chars. \d+ vs (\d+)", error):
        return (
            "The vocabulary is too small for the text's characters: raise `vocabulary_size` to at least "
            f"{match[1]}, or lower `character_coverage`. {received}"
        )
    if limit or "all_chars_count" in error or "sentences_.empty()" in error:
        return f"The text must have characters to train on, in lines of at most 4,192 bytes. {received}"
    return f"SentencePiece cannot train on the text: {one_line(error)}. {received}"
