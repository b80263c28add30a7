"""Training of subword models."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto

from keras_nmt.errors import UserError, one_line
from keras_nmt.files.atomic_files import check_writable, write_bytes
from keras_nmt.files.check_path import check_regular
from keras_nmt.files.read_blocks import read_blocks
from keras_nmt.files.subwords import check_subword_settings
from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN
from keras_nmt.text.normalization_rules import normalization_rules

NUM_THREADS = 16  # the model depends on the number of threads: a constant gives the same model on every machine


def train_subwords(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    vocabulary_size: int,
    model_type: str = "bpe",
    user_symbols: Sequence[str] = (),
    control_symbols: Sequence[str] = (),
    normalization: str = "nfc",
    character_coverage: float = 1.0,
    byte_fallback: bool = False,
    split_digits: bool = False,
    lowercase: bool = False,
    max_sentences: int = 10_000_000,
    seed: int = 0,
) -> Path:
    """Trains a SentencePiece model on text files and writes it to a file.

    Several files are read one after the other as one text: for a joint vocabulary, give the files of both languages.
    Ids are pad 0, unknown 1, begin 2, end 3, then the control symbols, then the user symbols. The model normalises all
    text that it encodes. The same text and arguments give the same model. Lines of more than 4,192 bytes are skipped.

    Args:
        files: Path or sequence of paths of text files: UTF-8, one sentence per line of at most 1 MiB, plain or gzip.
        path: String or path of the file to write. Missing folders are made.
        vocabulary_size: Integer, the number of ids, including special ids and symbols.
        model_type: String, "bpe" or "unigram". Defaults to "bpe".
        user_symbols: Sequence of strings that are always one subword in text, such as a tag "<BT>". Defaults to none.
        control_symbols: Sequence of strings, names of ids that no text has, such as the labels of a
            `LanguageLabelModel`: the same letters in a text are ordinary text. Defaults to none.
        normalization: String, "nfc", "nfkc" or "identity", see `normalization_rules`. Defaults to "nfc".
        character_coverage: Float from 0.98 to 1, the share of the text's characters that have a separate id. Slightly
            less than 1, such as 0.9995, suits scripts with thousands of characters. Defaults to 1.
        byte_fallback: Boolean, whether unknown characters are spelled as bytes, which take 256 ids. Defaults to False.
        split_digits: Boolean, whether each digit is a subword. Defaults to False.
        lowercase: Boolean, whether the model lower-cases text, see `normalization_rules`. Defaults to False.
        max_sentences: Integer. A random sample of this many sentences is used if there are more. Defaults to 10
            million.
        seed: Integer, seed of the sample. Defaults to 0.

    Returns:
        The path of the model.

    Raises:
        OSError: A file cannot be read or written.
        UserError: An argument is wrong, a file is empty or not UTF-8, or the vocabulary is too large or too small for
            the text. The message names the largest or smallest possible size.

    Example:

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = os.path.join(folder, "text.txt")
    ...     _ = open(text, "w").write("the cat sat\\nthe mat sat\\n")
    ...     model = train_subwords([text], os.path.join(folder, "subwords.model"), vocabulary_size=20)
    ...     model.name
    'subwords.model'

    Reference:
        [Kudo and Richardson, 2018](https://arxiv.org/abs/1808.06226); BPE:
        [Sennrich et al., 2016](https://arxiv.org/abs/1508.07909); unigram:
        [Kudo, 2018](https://arxiv.org/abs/1804.10959).
    """
    paths = [Path(files)] if isinstance(files, str | os.PathLike) else [Path(file) for file in files]
    check_writable(path)
    if not paths:
        raise UserError("Subwords are trained on at least one file. Received: files=[]")
    check_subword_settings(
        vocabulary_size,
        model_type=model_type,
        user_symbols=user_symbols,
        control_symbols=control_symbols,
        normalization=normalization,
        character_coverage=character_coverage,
        byte_fallback=byte_fallback,
        lowercase=lowercase,
    )
    if max_sentences < 1:
        raise UserError(f"At least one sentence is needed. Received: max_sentences={max_sentences}")
    if seed < 0:
        raise UserError(f"`seed` must be at least 0. Received: {seed}")
    model = io.BytesIO()
    try:
        with _rules(normalization, lowercase) as rules:
            sentencepiece.SentencePieceTrainer.train(
                **rules,
                sentence_iterator=_sentences(paths, max_sentences, seed),
                model_writer=model,
                vocab_size=vocabulary_size,
                model_type=model_type,
                user_defined_symbols=list(user_symbols),
                control_symbols=list(control_symbols),
                character_coverage=character_coverage,
                byte_fallback=byte_fallback,
                split_digits=split_digits,
                pad_id=PAD,
                unk_id=UNKNOWN,
                bos_id=BEGIN,
                eos_id=END,
                num_threads=NUM_THREADS,
                minloglevel=2,
            )
    except RuntimeError as error:
        raise UserError(_explain(str(error), vocabulary_size, paths)) from None
    proto = ModelProto.FromString(model.getvalue())
    proto.normalizer_spec.ClearField("normalization_rule_tsv")  # the path of a temporary file
    proto.normalizer_spec.name = f"{normalization}{'_lowercase' * lowercase}"
    return write_bytes(path, proto.SerializeToString())


@contextlib.contextmanager
def _rules(normalization: str, lowercase: bool) -> Iterator[dict[str, Any]]:
    """The trainer's options for normalisation. The trainer reads rules from a file only."""
    if normalization == "nfkc" and not lowercase:
        yield {"normalization_rule_name": "nmt_nfkc"}
        return
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        rules.write_text(normalization_rules(normalization, lowercase), encoding="utf-8")
        yield {"normalization_rule_tsv": str(rules)}


def _sentences(paths: list[Path], max_sentences: int, seed: int) -> Iterator[str]:
    """The lines of the files, or a random sample of them.

    All files are read once before the trainer starts, because the trainer hides errors of its iterator. The trainer's
    own sample depends on earlier trainings in the same process.
    """
    num_lines = 0
    for path in paths:
        check_regular(path, ", which is read twice")
        num_before = num_lines
        num_lines += sum(map(len, read_blocks(path)))
        if num_lines == num_before:
            raise UserError(f"The file is empty. Received: files={str(path)!r}")
    lines = (line for path in paths for block in read_blocks(path) for line in block)
    if num_lines <= max_sentences:
        return lines
    chosen = np.zeros(num_lines, bool)
    chosen[np.random.default_rng(seed).choice(num_lines, max_sentences, replace=False)] = True
    return compress(lines, chosen)


def _explain(error: str, vocabulary_size: int, paths: list[Path]) -> str:
    """The meaning of the trainer's message, in one line."""
    received = f"Received: vocabulary_size={vocabulary_size}, files={[str(path) for path in paths]}"
    if match := re.search(r"too high .*value <= (\d+)", error):
        return (
            f"The vocabulary is too large for the text; the largest possible size is {match[1]}: lower "
            f"`vocabulary_size`. {received}"
        )
    if match := re.search(r"smaller than required_chars. \d+ vs (\d+)", error):
        return (
            "The vocabulary is too small for the text's characters; the smallest possible size is "
            f"{match[1]}, less with a lower character_coverage. {received}"
        )
    if "all_chars_count" in error or "sentences_.empty()" in error:
        return f"The text has no character to train on in lines of at most 4,192 bytes. {received}"
    return f"SentencePiece cannot train on the text: {one_line(error)}. {received}"
