"""Writes a model as a SavedModel that TensorFlow Serving runs: raw text in, raw text out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.inference.translator import Translator
from keras_nmt.models import TranslationModel
from keras_nmt.serving._for_serving import for_serving
from keras_nmt.serving._versions import new_version, write_archive, write_version
from keras_nmt.serving.warmup import warmup_records, write_warmup
from keras_nmt.text import SubwordTokenizer

# Options of the search that are for samples only.
SAMPLING = ("sample", "temperature", "top_k", "top_p")


def export(
    path: str | os.PathLike[str],
    model: TranslationModel,
    source_tokenizer: SubwordTokenizer,
    target_tokenizer: SubwordTokenizer | None = None,
    *,
    version: int | None = None,
    warmup: Iterable[str] | None = None,
    warmup_xla: bool = False,
    quantize: str | None = None,
    **search: Any,
) -> Path:
    """Writes `path/<version>`, a SavedModel with raw text in and raw text out.

    Signatures, N being the number of sentences of a request:

    - `serving_default`: `text` [N] string -> `translation` [N] string, `score` [N] float32 (both [N, num_hypotheses] if
      there are several hypotheses), `truncated` [N] bool.
    - `score`: `source` and `target` [N] string -> `log_probability` [N] float32, `truncated` [N] bool.
    - `serving_default_xla` and `score_xla`: the same, compiled by XLA. A model server runs them only where XLA is
      allowed (`savedmodels/README.md`); the other two, any server runs. All four share the weights and the graphs.

    With `sample=True` there are two more:

    - `sample` and `sample_xla`: `text` [N] string and `seed` [N] int32 -> as of `serving_default`, but the translations
      are drawn at random (`keras_nmt.decoding.sampling_search`): the same ones for the same text and seed.

    The model computes in float32 there, whatever it was trained in, or in int8 with `quantize`, and the model given is
    not touched. The folder is written under another name and renamed when it is whole: a server that watches `path`
    never sees a part.

    Args:
        path: The folder of the model's versions, made where there is none: the server's `base_path`.
        model: The translation model.
        source_tokenizer: The source side's subwords.
        target_tokenizer: The target side's subwords. `None`: the source side's, a joint vocabulary.
        version: The number of the version. `None`: one more than the highest in `path`, 1 if there is none.
        warmup: Lines of text, of which requests are made that a server runs while it loads the version, before it
            answers from it: to `serving_default`, for each batch bucket and each length bucket that has lines.
        warmup_xla: Whether requests to `serving_default_xla` are made, too. A server without XLA then cannot load the
            version.
        quantize: "int8" turns the weights to int8, see `keras_nmt.models.quantize`. Default None: float32.
        **search: `beam_size`, `length_penalty`, `num_hypotheses`, `max_length`, `max_length_factor`,
            `max_length_offset`, `length_buckets`, `batch_buckets`, `coverage_penalty`; for `sample` alone `sample`,
            `temperature`, `top_k`, `top_p`: see `keras_nmt.inference.Translator`.

    Returns:
        The folder written.

    Raises:
        UserError: The version exists already, or is not positive, or an argument of the search is out of its range,
            or there are no lines to warm up with, or too many records, or `tensorflow-serving-api` is missing, or
            `quantize` is unknown.
    """
    final = new_version(Path(path), version)
    if target_tokenizer is None or target_tokenizer.proto == source_tokenizer.proto:
        target_tokenizer = source_tokenizer  # written once
    sampling = {name: search.pop(name) for name in SAMPLING if name in search}
    translator = Translator(for_serving(model, quantize), source_tokenizer, target_tokenizer, **search)
    sampler = None
    if sampling:
        options = {**search, **sampling, "coverage_penalty": 0}
        sampler = Translator(translator.model, source_tokenizer, target_tokenizer, **options)
    records = warmup_records(warmup, warmup_xla, translator, final.parent.name, [(source_tokenizer, {})])

    def write(folder: Path) -> None:
        _write(translator, sampler if sampler is not None and sampler.sampling is not None else None, folder)
        write_warmup(records, folder)

    write_version(final, write)
    return final


def _write(translator: Translator, sampler: Translator | None, folder: Path) -> None:
    archive = keras.export.ExportArchive()
    # Not the model: its weights, found through the endpoints, would be written twice.
    for tokenizer in {translator.source_tokenizer, translator.target_tokenizer}:
        archive.track(tokenizer)
    text = tf.TensorSpec([None], tf.string, name="text")
    seed = tf.TensorSpec([None], tf.int32, name="seed")
    pair = [tf.TensorSpec([None], tf.string, name="source"), tf.TensorSpec([None], tf.string, name="target")]

    def add(suffix: str, jit_compile: bool) -> None:
        def translate(text: tf.Tensor) -> dict[str, tf.Tensor]:
            return translator.translate_graph(text, jit_compile)

        def score(source: tf.Tensor, target: tf.Tensor) -> dict[str, tf.Tensor]:
            return translator.score_graph(source, target, jit_compile)

        def sample(text: tf.Tensor, seed: tf.Tensor) -> dict[str, tf.Tensor]:
            assert sampler is not None
            return sampler.translate_graph(text, jit_compile, seed=seed)

        archive.add_endpoint("serving_default" + suffix, translate, input_signature=[text])
        archive.add_endpoint("score" + suffix, score, input_signature=pair)
        if sampler is not None:
            archive.add_endpoint("sample" + suffix, sample, input_signature=[text, seed])

    add("", False)
    add("_xla", True)
    write_archive(archive, folder)
