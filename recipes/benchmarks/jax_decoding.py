"""A model's search on JAX, from text to text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np
import sentencepiece
from decoding_options import DecodingOptions
from in_turn import Run, timed
from jax_search import jax_search

from keras_nmt.ids import END, PAD
from keras_nmt.models import Transformer

PROGRAMS = ("compiled",)


def decoding_programs(
    names: Sequence[str], model: Transformer, subwords: bytes, folder: Path, options: DecodingOptions
) -> dict[str, Run]:
    """The programs of `PROGRAMS`. Sentences are padded to one length, so there is a program for each batch size."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=subwords)
    search, weights = jax_search(model, options.beam, options.steps)
    compiled = jax.jit(search)

    def translate(lines: list[str]) -> list[str]:
        source = np.full((len(lines), options.length + 1), PAD, np.int32)
        for row, ids in zip(source, processor.encode(lines), strict=True):
            row[: len(ids) + 1] = [*ids, END]
        best = np.asarray(compiled(weights, source)[:, 0])  # [B, steps]
        texts: list[str] = processor.decode(best.tolist())
        return texts

    return {name: timed(translate, options.clock) for name in names}
