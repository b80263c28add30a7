"""Seconds for real sentences with a trained model, beside CTranslate2 and Marian with the same weights.

    python benchmarks/translate.py --data-dir DATA --output translate.md
    python benchmarks/translate.py --model DIR --lines FILE --references FILE --output translate.md
    python benchmarks/translate.py --model DIR --lines FILE --shortlist FILE --shortlist-sizes 1024 --dtypes none
    python benchmarks/translate.py --model DIR --lines FILE --only plain,export --weights float32,bfloat16
    python benchmarks/translate.py --model IMPORTED --lines FILE --marian --only plain,export
    python benchmarks/translate.py --model TEACHER --student DIR --lines FILE --only plain,export

DATA is a folder with Multi30k: the first command trains `transformer_small` first, some ten minutes on two cores, and
translates `test_2016_flickr`. All programs translate the same lines in turn. With `--shortlist`, each of our programs
also runs with a vocabulary shortlist, with `--student` also with another model, which needs the same subwords for the
same shortlist. See README.md beside this file.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import sacrebleu
import tensorflow as tf
import typer
from peer_process import peer_process
from rich.console import Console
from support import Run, check_sizes, in_turn, parse_sizes, print_table, timed, translate_by, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import read_lines
from keras_nmt.errors import UserError
from keras_nmt.files.process_resources import translation_threads
from keras_nmt.formats import export_ctranslate2, export_marian
from keras_nmt.inference import Shortlist, Translator
from keras_nmt.serving import export

BEAM = 4
LENGTH_PENALTY = 0.0  # CTranslate2 has another formula: without a penalty, both search for the same
PEER = "CTranslate2"
PROGRAMS = ("plain", "compiled", "export", "export_xla")
COLUMNS = ("program", "batch", "lines", "seconds", "sentences/s", "tokens/s", "time of first", "equal", "BLEU")
# The settings of the model that is trained where none is given: BLEU and lengths of a usable model, not a good one.
TRAINING = {
    "max_updates": 700,
    "schedule": "cosine",
    "learning_rate": 0.001,
    "warmup_steps": 200,
    "evaluation.every": 700,
}


def trained(data_dir: Path | None, directory: Path) -> Path:
    """A model directory with `transformer_small`, trained from English to German unless it is there already."""
    if data_dir is None:
        raise UserError(
            "Missing option --data-dir: the folder of Multi30k. Or name a model by --model and a text by --lines."
        )
    recipe = Path(__file__).parents[1] / "recipes/multi30k/train.py"
    settings = itertools.chain(*(("--set", f"{name}={value}") for name, value in TRAINING.items()))
    command = [sys.executable, recipe, "train", "baseline", "--data-dir", data_dir, "--output", directory, *settings]
    subprocess.run(list(map(str, command)), check=True)
    return directory


def corpus(folder: Path, name: str) -> Path:
    return path if (path := folder / name).exists() else folder / f"{name}.gz"


def programs(
    directory: Path,
    folder: Path,
    batch: int,
    names: list[str],
    weights: list[str],
    peers: list[str],
    marian: bool,
    threads: int,
    shortlists: Mapping[str, Mapping[str, Any]],
    students: list[Path],
) -> dict[str, Run]:
    """Returns the programs by name. `batch` is the largest number of sentences of a batch.

    `weights` are the types of our weights, "int8" of exports only. `shortlists` are options of a shortlist by the end
    of the program's name, for models with the same subwords. `students` are models that our programs run with as well.
    """
    found: dict[str, Run] = {}
    options: dict[str, Any] = {"beam_size": BEAM, "length_penalty": LENGTH_PENALTY}
    options["batch_buckets"] = [size for size in (1, 4, 16, 64) if size <= batch]
    plain = Translator.from_directory(directory, **options)
    if peers:
        written = folder / "ctranslate2"
        if not written.exists():
            export_ctranslate2(written, plain.model, plain.tokenizers)
        (version,) = written.iterdir()
        for dtype in peers:
            run = functools.partial(peer_process, PEER, version, dtype=dtype, batch=batch, beam=BEAM)
            found[f"{PEER} {dtype}"] = run(threads=threads)
            if threads > 1 and batch > 1:
                found[f"{PEER} {dtype}, {threads} batches at once"] = run(threads=1, workers=threads)
    if marian:
        written = folder / "marian"
        if not written.exists():
            export_marian(written, plain.model, plain.tokenizers)
        workers = threads if batch > 1 else 1
        name = f"Marian, {workers} batches at once" if workers > 1 else "Marian"
        found[name] = peer_process("Marian", written, batch=batch, beam=BEAM, workers=workers)
    models = {"": directory, **{f", {path.name}": path for path in students}}
    exported = [name for name in names if name.startswith("export")]
    for (of_model, path), kind in itertools.product(models.items(), weights):
        dtype = "bfloat16" if kind == "bfloat16" else "float32"
        is_first = (path, dtype) == (directory, "float32")
        model = plain if is_first else Translator.from_directory(path, dtype=dtype, **options)
        for of_list, shortlist in shortlists.items():
            suffix = ("" if kind == "float32" else f" {kind}") + of_model + of_list
            translator = model.with_options(**shortlist) if shortlist else model
            if "plain" in names and kind == dtype:
                found["plain" + suffix] = texts_of(translator)
            if "compiled" in names and kind == dtype:
                found["compiled" + suffix] = texts_of(translator.with_options(jit_compile=True))
            if not exported:
                continue
            quantize, target = None if kind == "float32" else kind, folder / f"export-{batch}{suffix}"
            written = export(target, translator.model, translator.tokenizers, quantize=quantize, **options, **shortlist)
            loaded = tf.saved_model.load(str(written))
            for name in exported:
                signature = "serving_default_xla" if name == "export_xla" else "serving_default"
                found[name + suffix] = timed(translate_by(loaded, signature))
    return found


def texts_of(translator: Translator) -> Run:
    return timed(lambda lines: [translation.text for translation in translator.translate(lines)])


def main(
    model: Annotated[Path | None, typer.Option(metavar="DIR", help="Model directory of one language pair.")] = None,
    lines: Annotated[Path | None, typer.Option(metavar="FILE", help="Text to translate.")] = None,
    references: Annotated[Path | None, typer.Option(metavar="FILE", help="References, for BLEU.")] = None,
    data_dir: Annotated[Path | None, typer.Option(metavar="DATA", help="Multi30k, to train a model on.")] = None,
    directory: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the model is trained, and found by the next call.")
    ] = Path("runs/benchmark-translate"),
    batches: Annotated[str, typer.Option(help="Batch sizes, separated by commas.")] = "64,16,1",
    dtypes: Annotated[
        str, typer.Option(help=f"Types of {PEER}'s weights, separated by commas, or none.")
    ] = "float32,int8",
    marian: Annotated[
        bool, typer.Option("--marian", help="Also Marian, by pymarian, of a model that `export --format marian` takes.")
    ] = False,
    only: Annotated[str, typer.Option(help="Our programs, separated by commas.")] = ",".join(PROGRAMS),
    weights: Annotated[
        str, typer.Option(help="Types of our weights, separated by commas; int8: exports only.")
    ] = "float32",
    shortlist: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of `keras-nmt shortlist`: our programs also run with it.")
    ] = None,
    shortlist_sizes: Annotated[str, typer.Option(help="Subwords of a batch, separated by commas.")] = "1024",
    student: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Model directory that our programs also run with. May be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Lines for batches of 1.")] = 100,
    rounds: Annotated[int, typer.Option(help="Measurements of each program.")] = 5,
    threads: Annotated[int, typer.Option(help=f"Threads of {PEER}.")] = os.cpu_count() or 1,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures a trained model on real text beside CTranslate2 and Marian."""
    names, peers, kinds = (
        [name.strip() for name in given.split(",") if name.strip()] for given in (only, dtypes, weights)
    )
    peers = [] if peers == ["none"] else peers
    if unknown := sorted(set(names) - set(PROGRAMS)):
        raise UserError(f"Our programs are {', '.join(PROGRAMS)}. Received: {', '.join(unknown)}")
    sizes = parse_sizes("batches", batches)
    check_sizes(limit=limit, rounds=rounds, threads=threads)
    shortlists: dict[str, dict[str, Any]] = {"": {}}
    if shortlist is not None:
        table = Shortlist.read(shortlist)
        for size in parse_sizes("shortlist_sizes", shortlist_sizes):
            shortlists[f", shortlist {size}"] = {"shortlist": table, "shortlist_size": size}
    if peers:
        try:
            import ctranslate2  # noqa: F401
        except ImportError:
            raise UserError(
                f"CTranslate2 is missing: pip install keras_nmt[bench], or --dtypes none. Received: --dtypes {dtypes}"
            ) from None
    if marian and importlib.util.find_spec("pymarian") is None:
        raise UserError("Marian is missing: pip install pymarian. Received: --marian")
    if (model is None) != (lines is None):
        raise UserError(f"--model and --lines go together. Received: model={model}, lines={lines}")
    if model is None or lines is None:
        model = trained(data_dir, directory)
        lines, references = (corpus(Path(str(data_dir)), f"test_2016_flickr.{language}") for language in ("en", "de"))
    tf.config.threading.set_intra_op_parallelism_threads(translation_threads())  # as `keras-nmt translate` does
    text = list(read_lines(lines))
    wanted = None if references is None else list(read_lines(references))
    tokenizer = Translator.from_directory(model).tokenizers["target"]
    console = Console()
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        for batch in sizes:
            chosen = text[:limit] if batch == 1 else text
            with console.status(f"batches of {batch}"):
                found = programs(
                    model, Path(folder), batch, names, kinds, peers, marian, threads, shortlists, student or []
                )
                calls = [[line] for line in chosen] if batch == 1 else [chosen]
                seconds, texts = in_turn(found, calls, rounds)
            first = next(iter(found))
            for name in found:
                taken = statistics.median(seconds[name])
                ratio = statistics.median(a / b for a, b in zip(seconds[name], seconds[first], strict=True))
                equal = sum(a == b for a, b in zip(texts[name], texts[first], strict=True)) / len(chosen)
                tokens = int(tokenizer.tokenize(tf.constant(texts[name])).flat_values.shape[0])
                bleu = (
                    "" if wanted is None else f"{sacrebleu.corpus_bleu(texts[name], [wanted[: len(chosen)]]).score:.1f}"
                )
                speeds = [f"{taken:.2f}", f"{len(chosen) / taken:.1f}", f"{tokens / taken:.0f}"]
                rows.append([name, str(batch), str(len(chosen)), *speeds, f"{ratio:.2f}", f"{equal:.1%}", bleu])
            write_table(output, COLUMNS, rows)  # after each size, for interrupted runs
    print_table(console, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
