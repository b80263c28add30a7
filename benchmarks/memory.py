"""Peak resident memory of training, exporting and serving.

    python benchmarks/memory.py --output memory.md

Each figure is the peak of a separate process, TensorFlow's libraries included; the first row is TensorFlow alone. See
README.md beside this file.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tensorflow as tf
import typer
from decoding import BOTH, VOCABULARY_SIZES, Presets, VocabularySize, parse_presets
from random_models import FIRST_WORD, LENGTHS, make_batches, make_model, make_subwords
from rich.console import Console
from support import measured_in_a_process, print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import ParallelCorpus, SubwordTokenizer, TrainingBatches
from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray
from keras_nmt.errors import UserError
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.models.transformer import TRANSFORMER_PRESETS
from keras_nmt.serving import export
from keras_nmt.training import StopCriteria, Trainer, make_optimizer

COLUMNS = ("what", "preset", "parameters, MiB", "peak, MiB")
UPDATES = 4
MODES: tuple[str | None, ...] = (None, "int8")


def train(preset: str, vocabulary_size: int, folder: Path, batch_size: int) -> None:
    """Runs updates of `Trainer` on sentences with the lengths of Multi30k, enough for batches of all lengths."""
    random = np.random.default_rng(1)
    lengths = np.repeat(np.array(LENGTHS, np.int32) + 1, 40 * batch_size // 1000 + 1)  # and EOS
    ids = random.integers(FIRST_WORD, vocabulary_size, lengths.sum()).astype(np.int32)
    block = PairBlock(np.arange(1, len(lengths) + 1), (RaggedArray(ids, lengths),) * 2)
    corpus = ParallelCorpus.from_block(block, len(lengths))
    trainer = Trainer(
        _model(preset, vocabulary_size),
        TrainingBatches(corpus, batch_size=batch_size, seed=1),
        folder,  # nothing is written
        optimizer=make_optimizer(learning_rate=1e-4),
        stop_criteria=StopCriteria(max_updates=1),
    )
    batches = trainer.make_batches()
    update = trainer.make_update(batches.element_spec)
    for _ in range(UPDATES):
        update(next(batches)).measurements.numpy()


def write_export(preset: str, vocabulary_size: int, folder: Path, quantize: str | None = None) -> None:
    """Writes an export whose translations have 32 tokens."""
    model, tokenizer = _model(preset, vocabulary_size), SubwordTokenizer(make_subwords(vocabulary_size))
    export(folder, model, tokenizer, max_length_factor=0, max_length_offset=32, quantize=quantize)


def serve(vocabulary_size: int, folder: Path, signature: str) -> None:
    """Loads an export as a server does, and translates batches of sixteen sentences of each length."""
    (version,) = folder.iterdir()
    loaded = tf.saved_model.load(str(version))
    for batch in make_batches(16, 64, vocabulary_size):
        loaded.signatures[signature](text=tf.constant(batch))["translation"].numpy()


def _model(preset: str, vocabulary_size: int) -> Any:
    return make_model(source_vocabulary_size=vocabulary_size, **TRANSFORMER_PRESETS[preset])


def stages(preset: str, vocabulary_size: int, folder: Path, batch_size: int) -> dict[str, Callable[[], None]]:
    """The measured functions by name; exports come before the serving of these exports."""
    size = vocabulary_size
    training = functools.partial(train, preset, size, folder, batch_size)
    named: dict[str, Callable[[], None]] = {f"training, batches of {batch_size:,} tokens": training}
    for mode in MODES:
        name, place = mode or "float32", folder / f"{preset}-{mode}"
        named[f"exporting, {name}"] = functools.partial(write_export, preset, size, place, mode)
        for signature in ("serving_default", "serving_default_xla"):
            named[f"serving, {name}, {signature}"] = functools.partial(serve, size, place, signature)
    return named


def main(
    presets: Presets = BOTH,
    vocabulary_size: VocabularySize = 0,
    batch_size: Annotated[int, typer.Option(help="Tokens of a batch in training, on one side.")] = 4096,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
    one: Annotated[str, typer.Option(hidden=True, help="Measures one figure in this process.")] = "",
) -> None:
    """Measures memory."""
    names = parse_presets(presets)
    if batch_size < 64 or (vocabulary_size and vocabulary_size <= FIRST_WORD):
        raise UserError(
            f"Batches have at least 64 tokens, vocabularies more than {FIRST_WORD} subwords. "
            f"Received: batch_size={batch_size}, vocabulary_size={vocabulary_size}"
        )
    if one:
        preset, size, folder, stage = json.loads(one)
        if stage:
            stages(preset, size, Path(folder), batch_size)[stage]()
        print(json.dumps(peak_memory()))
        return
    rows: list[list[str]] = []
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        for number, preset in enumerate(names):
            size = vocabulary_size or VOCABULARY_SIZES.get(preset, 32000)
            parameters = f"{_model(preset, size).count_params() * 4 / 2**20:.0f}"
            first = [] if number else [""]
            for stage in (*first, *stages(preset, size, Path(folder), batch_size)):
                with console.status(f"{preset}: {stage}"):
                    one = json.dumps([preset, size, folder, stage])
                    peak = measured_in_a_process(__file__, f"--batch-size={batch_size}", f"--one={one}")
                of_model = [preset, parameters] if stage else ["", ""]
                rows.append([stage or "TensorFlow alone", *of_model, f"{peak / 2**20:,.0f}"])
                write_table(output, COLUMNS, rows)  # after each row, for interrupted runs
    print_table(console, COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
