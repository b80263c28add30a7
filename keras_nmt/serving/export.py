"""Writes a model as a SavedModel that TensorFlow Serving runs: raw text in, raw text out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.models import TranslationModel
from keras_nmt.serving._versions import new_version, write_archive, write_version
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
    final = new_version(Path(path), version)
    if target_tokenizer is None or target_tokenizer.proto == source_tokenizer.proto:
        target_tokenizer = source_tokenizer  # written once
    translator = Translator(model.with_dtype("float32"), source_tokenizer, target_tokenizer, **search)
    write_version(final, lambda folder: _write(translator, folder))
    return final


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
    write_archive(archive, folder)
