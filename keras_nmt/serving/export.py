"""Writes a model as a SavedModel that TensorFlow Serving runs: raw text in, raw text out."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.models import TranslationModel
from keras_nmt.serving._compact import compact
from keras_nmt.serving.translator import Translator
from keras_nmt.text import SubwordTokenizer


def export(
    path: str | os.PathLike[str],
    model: TranslationModel,
    source_tokenizer: SubwordTokenizer,
    target_tokenizer: SubwordTokenizer | None = None,
    *,
    version: int | None = None,
    **search: Any,
) -> Path:
    """Writes `path/<version>`, a SavedModel with raw text in and raw text out.

    Signatures, N being the number of sentences of a request:

    - `serving_default`: `text` [N] string -> `translation` [N] string, `score` [N] float32 (both [N, num_hypotheses] if
      there are several hypotheses), `truncated` [N] bool.
    - `score`: `source` and `target` [N] string -> `log_probability` [N] float32, `truncated` [N] bool.
    - `serving_default_xla` and `score_xla`: the same, compiled by XLA. A model server runs them only where XLA is
      allowed (`savedmodels/README.md`); the other two, any server runs. All four share the weights and the graphs.

    The model computes in float32 there, whatever it was trained in, and the model given is not touched. The folder is
    written under another name and renamed when it is whole: a server that watches `path` never sees a part.

    Args:
        path: The folder of the model's versions, made where there is none: the server's `base_path`.
        model: The translation model.
        source_tokenizer: The source side's subwords.
        target_tokenizer: The target side's subwords. `None`: the source side's, a joint vocabulary.
        version: The number of the version. `None`: one more than the highest in `path`, 1 if there is none.
        **search: `beam_size`, `length_penalty`, `num_hypotheses`, `max_length`, `max_length_factor`,
            `max_length_offset`, `length_buckets`, `batch_buckets`: see `keras_nmt.serving.Translator`.

    Returns:
        The folder written.

    Raises:
        UserError: The version exists already, or is not positive, or an argument of the search is out of its range.
    """
    path = Path(path)
    version = _next_version(path) if version is None else version
    if version < 1:
        raise UserError(f"`version` must be a positive integer. Received: version={version}")
    final = path / str(version)
    if final.exists():
        raise UserError(f"A version is not overwritten: choose another, or remove {final}. Received: version={version}")
    if target_tokenizer is None or target_tokenizer.proto == source_tokenizer.proto:
        target_tokenizer = source_tokenizer  # written once
    translator = Translator(model.with_dtype("float32"), source_tokenizer, target_tokenizer, **search)

    path.mkdir(parents=True, exist_ok=True)
    # Model servers look at folders whose names are numbers only.
    temporary = Path(tempfile.mkdtemp(prefix=f".{version}-", dir=path))
    try:
        _write(translator, temporary)
        compact(temporary)
        _flush(temporary)
        os.rename(temporary, final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _flush_folder(path)
    return final


def _next_version(path: Path) -> int:
    numbers = [int(child.name) for child in path.iterdir() if child.name.isdecimal()] if path.is_dir() else []
    return max(numbers, default=0) + 1


def _write(translator: Translator, folder: Path) -> None:
    archive = keras.export.ExportArchive()
    # Not the model: its weights, found through the endpoints, would be written twice.
    for tokenizer in {translator.source_tokenizer, translator.target_tokenizer}:
        archive.track(tokenizer)
    text = tf.TensorSpec([None], tf.string, name="text")
    pair = [tf.TensorSpec([None], tf.string, name="source"), tf.TensorSpec([None], tf.string, name="target")]

    def add(suffix: str, jit_compile: bool) -> None:
        def translate(text: tf.Tensor) -> dict[str, tf.Tensor]:
            return translator.translate_graph(text, jit_compile)

        def score(source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
            return translator.score_graph(source, target, jit_compile)

        archive.add_endpoint("serving_default" + suffix, translate, input_signature=[text])
        archive.add_endpoint("score" + suffix, score, input_signature=pair)

    add("", False)
    add("_xla", True)
    # Gradients have no place in what serves, and would hold on to tensors that `compact` takes out.
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    archive.write_out(str(folder), options=options, verbose=False)


def _flush(folder: Path) -> None:
    """Brings a folder to the disk, readable by the server's user: temporary folders are made for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            with open(os.path.join(parent, name), "rb+") as file:
                os.fsync(file.fileno())
        _flush_folder(parent)
    os.chmod(folder, 0o777 & ~mask)


def _flush_folder(folder: str | os.PathLike[str]) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
