"""Sentences per second of an exported model's search beside CTranslate2, with the same weights.

    python benchmarks/decoding.py --threads 2 --dtypes float32,int8 --output decoding.md

All programs translate the same sentences in the same batches into a fixed number of tokens, in turn. Ratios are medians
of the ratios of neighbouring measurements. All use a GPU if their framework sees a GPU. See README.md beside this file.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib.util
import itertools
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import keras
import tensorflow as tf
import typer
from peer_process import peer_process
from random_models import LENGTHS, make_batches, make_model, make_subwords
from rich.console import Console
from support import (
    CpuTime,
    Run,
    check_sizes,
    clock_of,
    in_turn,
    parse_sizes,
    print_table,
    timed,
    translate_by,
    write_table,
)

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError
from keras_nmt.formats import export_ctranslate2, import_model
from keras_nmt.inference.load import load
from keras_nmt.layers import LayerSpec
from keras_nmt.models import PositionalEncoding, Transformer
from keras_nmt.models.transformer import TRANSFORMER_PRESETS
from keras_nmt.serving import export

SIGNATURES = {"plain": "serving_default", "compiled": "serving_default_xla"}
PEER = "CTranslate2"
PROGRAMS = (*SIGNATURES, PEER)
DTYPES = ("float32", "bfloat16", "int8")
COLUMNS = (
    "preset",
    "dtype",
    "batch",
    "program",
    "sentences/s",
    "tokens/s",
    "time of first",
    "lowest to highest",
    "equal",
    "export, MiB",
)
VOCABULARY_SIZES = {"transformer_base": 32000, "transformer_small": 10000}

# What a model of Marian or OPUS-MT has beside its sizes.
OF_MARIAN = {
    "norm": "post",
    "feed_forward": "swish",
    "attention_bias": True,
    "logits_bias": True,
    "positions": LayerSpec(PositionalEncoding, order="halves", endpoint=False),
}

BOTH = ",".join(VOCABULARY_SIZES)
Presets = Annotated[str, typer.Option(help="Presets of model sizes, separated by commas.")]
VocabularySize = Annotated[
    int, typer.Option(help="Subwords of the joint vocabulary. Default: 32,000 for base, 10,000 for small.")
]


@dataclasses.dataclass(frozen=True)
class DecodingOptions:
    """Options that all programs share.

    Attributes:
        dtype: "float32", "bfloat16" or "int8".
        batches: Numbers of sentences of a call.
        length: Subwords of the longest sentence.
        steps: Tokens of every translation.
        beam: Hypotheses per sentence.
        threads: Threads of one operation.
        cpu_time: Whether to measure processor time.
    """

    dtype: str
    batches: Sequence[int]
    length: int
    steps: int
    beam: int
    threads: int
    cpu_time: bool


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
                    quantize=None if options.dtype == "float32" else options.dtype,
                )
            )
        )
    for name in names:
        if name == PEER:
            found[name] = peer_process(
                PEER,
                export_ctranslate2(folder / "ctranslate2", model, tokenizer),
                dtype=options.dtype,
                batch=max(options.batches),
                threads=options.threads,
                beam=options.beam,
                steps=options.steps,
                cpu_time=options.cpu_time,
            )
        else:
            found[name] = timed(translate_by(loaded, SIGNATURES[name]), clock_of(options.cpu_time))
    return found


def imported(model: Transformer, subwords: bytes, folder: Path) -> Transformer:
    """The model after its way to CTranslate2's format and back, as `keras-nmt import` makes it."""
    written = export_ctranslate2(folder / "theirs", model, SubwordTokenizer(subwords))
    return load(import_model(written, folder / "ours").path).model  # type: ignore[return-value]


def parse_presets(presets: str) -> list[str]:
    """The names of `--presets`."""
    names = [name.strip() for name in presets.split(",")]
    if unknown := sorted(set(names) - set(TRANSFORMER_PRESETS)):
        raise UserError(f"Known presets are {', '.join(TRANSFORMER_PRESETS)}. Received: {', '.join(unknown)}")
    return names


def main(
    presets: Presets = BOTH,
    vocabulary_size: VocabularySize = 0,
    dtypes: Annotated[str, typer.Option(help=f"Types of the weights: {', '.join(DTYPES)}.")] = "float32",
    programs: Annotated[
        str, typer.Option(help="Programs, separated by commas: plain, compiled, CTranslate2.")
    ] = "compiled,CTranslate2",
    batches: Annotated[str, typer.Option(help="Batch sizes, separated by commas.")] = "1,16",
    sentences: Annotated[int, typer.Option(help="Sentences per measurement.")] = len(LENGTHS),
    length: Annotated[
        int, typer.Option(help="Subwords of each sentence. Default: lengths as of Multi30k's sentences.")
    ] = 0,
    steps: Annotated[int, typer.Option(help="Tokens per translation.")] = 32,
    beam: Annotated[int, typer.Option(help="Hypotheses per sentence.")] = 4,
    rounds: Annotated[int, typer.Option(help="Measurements per contender.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads of one operation.")] = 1,
    cpu_time: CpuTime = False,
    of_marian: Annotated[
        bool, typer.Option("--imported", help="Models as of Marian and OPUS-MT, imported from CTranslate2's format.")
    ] = False,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures exported models beside CTranslate2."""
    names = parse_presets(presets)
    kinds = [dtype.strip() for dtype in dtypes.split(",")]
    if unknown := sorted(set(kinds) - set(DTYPES)):
        raise UserError(f"Known dtypes are {', '.join(DTYPES)}. Received: {', '.join(unknown)}")
    chosen = [name.strip() for name in programs.split(",")]
    if unknown := sorted(set(chosen) - set(PROGRAMS)):
        raise UserError(f"Programs are {', '.join(PROGRAMS)}. Received: {', '.join(unknown)}")
    sizes = parse_sizes("batches", batches)
    check_sizes(sentences=sentences, steps=steps, beam=beam, rounds=rounds, threads=threads)
    if of_marian and set(kinds) != {"float32"}:
        raise UserError(f"An imported model has weights of float32. Received: dtypes={dtypes}")
    if length < 0:
        raise UserError(f"A sentence has at least one subword. Received: length={length}")
    if "CTranslate2" in chosen and importlib.util.find_spec("ctranslate2") is None:
        raise UserError(
            "CTranslate2 is missing: pip install keras_nmt[bench], or --programs compiled. "
            f"Received: programs={', '.join(chosen)}"
        )
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    rows: list[list[str]] = []
    console = Console()
    console.width = max(console.width, 120)  # wrapped cells are hard to read
    for name, dtype in itertools.product(names, kinds):
        size = vocabulary_size or VOCABULARY_SIZES.get(name, 32000)
        options = DecodingOptions(dtype, sizes, length or max(LENGTHS), steps, beam, threads, cpu_time)
        with console.status(f"{name} {dtype}"), tempfile.TemporaryDirectory() as folder:
            arguments = {**TRANSFORMER_PRESETS[name], **(OF_MARIAN if of_marian else {})}
            model, subwords = make_model(source_vocabulary_size=size, **arguments), make_subwords(size)
            if of_marian:
                model = imported(model, subwords, Path(folder))
            found = decoding_programs(chosen, model, subwords, Path(folder), options)
            bytes_written = sum(file.stat().st_size for file in (Path(folder) / "export").rglob("*") if file.is_file())
            for batch in sizes:
                calls = make_batches(batch, max(sentences, batch), size, length)
                seconds, texts = in_turn(found, calls, rounds)
                first = chosen[0]
                for program in chosen:
                    taken = statistics.median(seconds[program])
                    ratios = [a / b for a, b in zip(seconds[program], seconds[first], strict=True)]
                    ratio, span = statistics.median(ratios), f"{min(ratios):.2f} to {max(ratios):.2f}"
                    count = len(texts[program])
                    equal = sum(a == b for a, b in zip(texts[program], texts[first], strict=True)) / count
                    speeds = [f"{count / taken:.2f}", f"{count * steps / taken:,.0f}", f"{ratio:.2f}", span]
                    written = "" if program == "CTranslate2" or not bytes_written else f"{bytes_written / 2**20:.1f}"
                    rows.append([name, dtype, str(batch), program, *speeds, f"{equal:.0%}", written])
                write_table(output, COLUMNS, rows)  # after each batch size, for interrupted runs
        del model, found
        keras.backend.clear_session()
        gc.collect()  # a model and its graphs refer to each other
    print_table(console, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
