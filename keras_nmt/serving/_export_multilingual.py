"""Writes a multilingual model as one SavedModel that TensorFlow Serving runs: all its languages, all their pairs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.inference._functions import TEXTS
from keras_nmt.inference.multilingual_translator import MultilingualTranslator
from keras_nmt.models import MultilingualModel
from keras_nmt.serving._for_serving import for_serving
from keras_nmt.serving._versions import new_version, write_archive, write_version
from keras_nmt.serving.warmup import warmup_records, write_warmup
from keras_nmt.text import SubwordTokenizer


def export_multilingual(
    path: str | os.PathLike[str],
    model: MultilingualModel,
    tokenizers: Mapping[str, SubwordTokenizer],
    *,
    version: int | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    warmup: Iterable[str] | None = None,
    warmup_xla: bool = False,
    quantize: str | None = None,
    **search: Any,
) -> Path:
    """Writes `path/<version>`, a SavedModel with raw text in and raw text out, for all pairs of a model's languages.

    Signatures, N being the number of sentences of a request:

    - `translate`, and the same as `serving_default`: `text`, `source_language` and `target_language`, [N] string each
      -> `translation` [N] string, `score` [N] float32 (both [N, num_hypotheses] if there are several hypotheses),
      `truncated` [N] bool. A request may mix languages. A language that the model does not have is an error that names
      those it has.
    - `translate_de_fr`, and so on for each pair: `text` [N] string -> the same.
    - `score`: `source`, `target`, `source_language` and `target_language`, [N] string each -> `log_probability` [N]
      float32, `truncated` [N] bool.
    - `embed`, of models with an attention bridge: `text` and `language`, [N] string each -> `mean` [N, d] and
      `sentence` [N, k, d] float32, `truncated` [N] bool.
    - Each with `_xla` behind its name: the same, compiled by XLA. A model server runs them only where XLA is allowed
      (`savedmodels/README.md`). All signatures share the weights and the graphs.

    As of `export`, the model computes in float32, or in int8, and a version appears whole or not at all.

    Args:
        path: The folder of the model's versions, made where there is none: the server's `base_path`.
        model: The multilingual model.
        tokenizers: Mapping of each of the model's languages to its subwords.
        version: The number of the version. `None`: one more than the highest in `path`, 1 if there is none.
        pairs: Source and target languages that have a signature of their own. `None`: all pairs of two languages.
            `translate` takes any.
        warmup: Lines of text, as of `export`. Each line counts for each language: there are requests from each
            language, and to each.
        warmup_xla: As of `export`.
        quantize: As of `export`.
        **search: As of `export`, but for `coverage_penalty`, and `sample` and what goes with it: these are for
            models of one pair.

    Returns:
        The folder written.

    Raises:
        UserError: The version exists already, or is not positive; a language of a pair is unknown; tokenizers do not
            fit the model; or an argument of the search is out of its range; or `warmup` or `quantize` cannot be used,
            as of `export`.
    """
    final = new_version(Path(path), version)
    chosen = list(itertools.permutations(model.languages, 2) if pairs is None else dict.fromkeys(pairs))
    for pair in chosen:
        if len(pair) != 2 or not set(pair) <= set(model.languages):
            raise UserError(f"A pair is two of the languages {', '.join(model.languages)}. Received: {pair!r}")
    names = {f"translate_{source}_{target}" for source, target in chosen}
    if len(names) < len(chosen):  # "a_b" to "c", and "a" to "b_c"
        raise UserError(f"Signatures of pairs have one name: choose other `pairs`. Received: pairs={chosen!r}")
    translator = MultilingualTranslator(for_serving(model, quantize), tokenizers, **search)
    # Each language once on each side: whatever encodes and decodes is run.
    ring = zip(model.languages, [*model.languages[1:], model.languages[0]], strict=True)
    sides = [(translator.tokenizers[x], {"source_language": x, "target_language": y}) for x, y in ring]
    records = warmup_records(warmup, warmup_xla, translator, final.parent.name, sides)

    def write(folder: Path) -> None:
        _write(translator, chosen, folder)
        write_warmup(records, folder)

    write_version(final, write)
    return final


def _write(translator: MultilingualTranslator, pairs: list[tuple[str, str]], folder: Path) -> None:
    archive = keras.export.ExportArchive()
    # Not the model: its weights, found through the endpoints, would be written twice.
    for tokenizer in set(translator.tokenizers.values()):
        archive.track(tokenizer)

    def add(name: str, endpoint: Any, *inputs: str) -> None:
        signature = [tf.TensorSpec(TEXTS.shape, TEXTS.dtype, name=key) for key in inputs]
        archive.add_endpoint(name, endpoint, input_signature=signature)

    def add_all(suffix: str, jit_compile: bool) -> None:
        def translate(text: tf.Tensor, source_language: tf.Tensor, target_language: tf.Tensor) -> dict[str, tf.Tensor]:
            return translator.translate_graph(text, source_language, target_language, jit_compile)

        def score(
            source: tf.Tensor, target: tf.Tensor, source_language: tf.Tensor, target_language: tf.Tensor
        ) -> dict[str, tf.Tensor]:
            return translator.score_graph(source, target, source_language, target_language, jit_compile)

        def embed(text: tf.Tensor, language: tf.Tensor) -> dict[str, tf.Tensor]:
            return translator.embed_graph(text, language, jit_compile)

        def translate_pair(source: str, target: str) -> Any:
            def translate_text(text: tf.Tensor) -> dict[str, tf.Tensor]:
                source_language, target_language = (tf.fill(tf.shape(text), language) for language in (source, target))
                return translator.translate_graph(text, source_language, target_language, jit_compile)

            return translate_text

        for name in ("serving_default", "translate"):
            add(name + suffix, translate, "text", "source_language", "target_language")
        for source, target in pairs:
            add(f"translate_{source}_{target}{suffix}", translate_pair(source, target), "text")
        add("score" + suffix, score, "source", "target", "source_language", "target_language")
        if translator.has_bridge:
            add("embed" + suffix, embed, "text", "language")

    add_all("", False)
    add_all("_xla", True)
    write_archive(archive, folder)
