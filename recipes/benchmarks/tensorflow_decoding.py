"""Exported models, and CTranslate2 with the same weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf
from ctranslate2_process import ctranslate2_process
from decoding_options import DecodingOptions
from in_turn import Run, timed

from keras_nmt.models import Transformer
from keras_nmt.serving import export, export_ctranslate2
from keras_nmt.text import SubwordTokenizer

SIGNATURES = {"plain": "serving_default", "compiled": "serving_default_xla"}
PEER = "CTranslate2"
PROGRAMS = (*SIGNATURES, PEER)


def decoding_programs(
    names: Sequence[str], model: Transformer, subwords: bytes, folder: Path, options: DecodingOptions
) -> dict[str, Run]:
    """The programs `names` of `PROGRAMS`, and their files in a folder.

    "plain" and "compiled" are the signatures of an export, loaded as a server loads it.
    """
    tokenizer = SubwordTokenizer(subwords)
    found: dict[str, Run] = {}
    if set(names) & set(SIGNATURES):
        loaded = tf.saved_model.load(
            str(
                export(
                    folder / "export",
                    model,
                    tokenizer,
                    beam_size=options.beam,
                    max_length_factor=0,
                    max_length_offset=options.steps,
                    batch_buckets=sorted(options.batches),
                    max_batch_tokens=256 * max(options.batches),
                    quantize="int8" if options.dtype == "int8" else None,
                )
            )
        )
    for name in names:
        if name == PEER:
            found[name] = ctranslate2_process(
                export_ctranslate2(folder / "ctranslate2", model, tokenizer),
                dtype=options.dtype,
                batch=max(options.batches),
                threads=options.threads,
                beam=options.beam,
                steps=options.steps,
                cpu_time=options.cpu_time,
            )
        else:
            found[name] = timed(_translate(loaded, SIGNATURES[name]), options.clock)
    return found


def _translate(loaded: Any, name: str) -> Callable[[list[str]], list[str]]:
    signature = loaded.signatures[name]

    def translate(lines: list[str], loaded: Any = loaded) -> list[str]:  # keeps the weights alive
        return [text.decode() for text in signature(text=tf.constant(lines))["translation"].numpy()]

    return translate
