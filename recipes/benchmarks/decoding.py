"""Sentences per second of an exported model's compiled search beside CTranslate2, with the same weights.

    python recipes/benchmarks/decoding.py --threads 2 --dtypes float32,int8 --output decoding.md

Both translate the same sentences in the same batches into a fixed number of tokens, in turn. The result is the median
of the ratios of neighbouring measurements. See README.md beside this file.
"""

from __future__ import annotations

import gc
import io
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import keras
import numpy as np
import sentencepiece
import tensorflow as tf
import typer
from print_table import print_table
from rich.console import Console
from sizes import check_sizes, parse_sizes
from write_table import write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.ids import BEGIN, END, PAD, UNKNOWN
from keras_nmt.models import Transformer
from keras_nmt.models.presets import TRANSFORMER_PRESETS
from keras_nmt.serving import export, export_ctranslate2
from keras_nmt.text import SubwordTokenizer

FIRST_WORD = max(PAD, UNKNOWN, BEGIN, END) + 1
DTYPES = ("float32", "int8")
COLUMNS = ("preset", "dtype", "batch", "sentences/s", "CTranslate2", "ratio", "same text", "export, MiB")
# Subwords per sentence of the German test set of Multi30k (10,000 BPE subwords of English and German): 32 quantiles.
LENGTHS = [7, 7, 8, 9, 9, 10, 10, 10, 11, 11, 11, 11, 12, 12, 13, 13]
LENGTHS += [13, 14, 14, 14, 15, 15, 16, 16, 16, 17, 18, 19, 20, 21, 24, 30]
VOCABULARY_SIZES = {"transformer_base": 32000, "transformer_small": 10000}

BOTH = ",".join(VOCABULARY_SIZES)
Presets = Annotated[str, typer.Option(help="Presets of model sizes, separated by commas.")]
VocabularySize = Annotated[
    int, typer.Option(help="Subwords of the joint vocabulary. Default: 32,000 for base, 10,000 for small.")
]
Translate = Callable[[list[str]], list[str]]


def parse_presets(presets: str) -> list[str]:
    """The names of `--presets`."""
    names = [name.strip() for name in presets.split(",")]
    if unknown := sorted(set(names) - set(TRANSFORMER_PRESETS)):
        raise UserError(f"Known presets are {', '.join(TRANSFORMER_PRESETS)}. Received: {', '.join(unknown)}")
    return names


def make_model(**arguments: Any) -> Transformer:
    """A model of random weights that never ends a translation."""
    keras.utils.set_random_seed(1)
    model = Transformer(**arguments)
    table = model.get_layer("embedding").table.embeddings
    # The logits of these ids are 0; all others vary by 1 and more. So these ids are never among the likeliest.
    rows = [PAD, BEGIN, END]
    table.assign(np.where(np.isin(np.arange(table.shape[0]), rows)[:, None], 0.0, table.numpy()))
    return model


def word(number: int) -> str:
    return f"w{number}"


def make_tokenizer(vocabulary_size: int) -> SubwordTokenizer:
    """A tokenizer whose subwords are whole words, for sentences of any length."""
    model = io.BytesIO()
    words = [word(number) for number in range(FIRST_WORD, vocabulary_size)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(words),
        model_writer=model,
        vocab_size=vocabulary_size,
        model_type="word",
        pad_id=PAD,
        unk_id=UNKNOWN,
        bos_id=BEGIN,
        eos_id=END,
        minloglevel=2,
    )
    return SubwordTokenizer(model.getvalue())


def exported(
    model: Transformer, tokenizer: SubwordTokenizer, folder: Path, beam: int, steps: int, dtype: str
) -> Translate:
    """The compiled signature of an export, loaded as a server loads it. Each translation has `steps` tokens."""
    options: dict[str, Any] = {"beam_size": beam, "max_length_factor": 0, "max_length_offset": steps}
    quantize = None if dtype == "float32" else dtype
    loaded = tf.saved_model.load(str(export(folder, model, tokenizer, **options, quantize=quantize)))
    signature = loaded.signatures["serving_default_xla"]

    def translate(lines: list[str], loaded: Any = loaded) -> list[str]:  # keeps the weights alive
        return [text.decode() for text in signature(text=tf.constant(lines))["translation"].numpy()]

    return translate


def ctranslate2_(
    model: Transformer, tokenizer: SubwordTokenizer, folder: Path, beam: int, steps: int, threads: int, dtype: str
) -> Translate:
    """CTranslate2 on the CPU. Each translation has `steps` tokens."""
    import ctranslate2

    written = export_ctranslate2(folder, model, tokenizer)
    translator = ctranslate2.Translator(str(written), device="cpu", compute_type=dtype, intra_threads=threads)

    def translate(lines: list[str]) -> list[str]:
        results = translator.translate_batch(
            [[f"▁{word}" for word in line.split()] for line in lines],
            beam_size=beam,
            max_decoding_length=steps,
            min_decoding_length=steps,
        )
        return ["".join(result.hypotheses[0]).replace("▁", " ").strip() for result in results]

    return translate


def make_batches(size: int, sentences: int, vocabulary_size: int) -> list[list[str]]:
    """Batches of random words with the lengths of Multi30k, sorted by length, as both tools sort them."""
    random = np.random.default_rng(1)
    lengths = [LENGTHS[int((number + 0.5) / sentences * len(LENGTHS))] for number in range(sentences)]
    lines = [" ".join(map(word, random.integers(FIRST_WORD, vocabulary_size, length))) for length in lengths]
    return [lines[start : start + size] for start in range(0, sentences, size)]


def measure(translate: Translate, batches: list[list[str]], clock: Callable[[], float]) -> tuple[float, list[str]]:
    """The seconds for all batches, and the translations."""
    start = clock()
    texts = [text for batch in batches for text in translate(batch)]
    return clock() - start, texts


def compare(
    ours: Translate, theirs: Translate, batches: list[list[str]], rounds: int, clock: Callable[[], float]
) -> tuple[float, float, float, float]:
    """Median sentences/s of both, median ratio, and the share of equal translations."""
    for translate in (ours, theirs):
        _, texts = measure(translate, batches, clock)  # compiles and allocates
    count = len(texts)
    seconds: tuple[list[float], list[float]] = [], []
    for number in range(rounds):
        # The order alternates, so that a machine that slows down affects both.
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            taken, found = measure((ours, theirs)[which], batches, clock)
            seconds[which].append(taken)
            texts, before = found, texts
    same = sum(text == other for text, other in zip(texts, before, strict=True)) / count
    ratio = statistics.median(b / a for a, b in zip(*seconds, strict=True))
    return count / statistics.median(seconds[0]), count / statistics.median(seconds[1]), ratio, same


def main(
    presets: Presets = BOTH,
    vocabulary_size: VocabularySize = 0,
    dtypes: Annotated[str, typer.Option(help="float32, int8, or both, separated by a comma.")] = "float32",
    batches: Annotated[str, typer.Option(help="Batch sizes, separated by commas.")] = "1,16",
    sentences: Annotated[int, typer.Option(help="Sentences per measurement.")] = len(LENGTHS),
    steps: Annotated[int, typer.Option(help="Tokens per translation.")] = 32,
    beam: Annotated[int, typer.Option(help="Hypotheses per sentence.")] = 4,
    rounds: Annotated[int, typer.Option(help="Measurements per contender.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads of one operation.")] = 1,
    cpu_time: Annotated[
        bool, typer.Option("--cpu-time", help="Measure processor time: for a core that other programs use, too.")
    ] = False,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures exported models beside CTranslate2."""
    names = parse_presets(presets)
    kinds = [dtype.strip() for dtype in dtypes.split(",")]
    if unknown := sorted(set(kinds) - set(DTYPES)):
        raise UserError(f"Known dtypes are {', '.join(DTYPES)}. Received: {', '.join(unknown)}")
    sizes = parse_sizes("batches", batches)
    check_sizes(sentences=sentences, steps=steps, beam=beam, rounds=rounds, threads=threads)
    try:
        import ctranslate2  # noqa: F401
    except ImportError:
        raise UserError("CTranslate2 is missing: pip install keras_nmt[bench].") from None
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    clock = time.process_time if cpu_time else time.perf_counter
    rows: list[list[str]] = []
    console = Console()
    for name, dtype in itertools.product(names, kinds):
        size = vocabulary_size or VOCABULARY_SIZES.get(name, 32000)
        with console.status(f"{name} {dtype}"), tempfile.TemporaryDirectory() as folder:
            model = make_model(source_vocabulary_size=size, **TRANSFORMER_PRESETS[name])
            tokenizer = make_tokenizer(size)
            ours = exported(model, tokenizer, Path(folder) / "export", beam, steps, dtype)
            theirs = ctranslate2_(model, tokenizer, Path(folder) / "ctranslate2", beam, steps, threads, dtype)
            written = sum(file.stat().st_size for file in (Path(folder) / "export").rglob("*") if file.is_file())
            for batch in sizes:
                made = make_batches(batch, max(sentences, batch), size)
                *speeds, ratio, same = compare(ours, theirs, made, rounds, clock)
                numbers = [f"{number:.2f}" for number in (*speeds, ratio)]
                rows.append([name, dtype, str(batch), *numbers, f"{same:.0%}", f"{written / 2**20:.1f}"])
                write_table(output, COLUMNS, rows)  # after each row, for interrupted runs
        del model, ours, theirs
        keras.backend.clear_session()
        gc.collect()  # a model and its graphs refer to each other
    print_table(console, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
