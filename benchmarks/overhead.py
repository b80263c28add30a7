"""Overhead of each mechanism: speed relative to the plain Transformer, measured, and counted in multiply-adds.

    python benchmarks/overhead.py --output overhead.md

Plain model and variant are measured in turn. The result is the median of the ratios of neighbouring measurements, so
that other load of the machine affects both. See README.md beside this file.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import keras
import numpy as np
import tensorflow as tf
import typer
from multiply_adds import multiply_adds
from rich.console import Console
from support import CpuTime, clock_of, print_table, write_table

from keras_nmt.cli.run_app import run_app
from keras_nmt.decoding import beam_search
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.models import Transformer
from keras_nmt.models.transformer import TRANSFORMER_PRESETS
from keras_nmt.training import StopCriteria, Trainer, make_optimizer

FIRST_WORD = max(PAD, BOS, EOS) + 1
COLUMNS = (
    "mechanism",
    "training measured",
    "training counted",
    "decoding measured",
    "decoding counted",
    "paper training",
    "paper decoding",
)


@dataclasses.dataclass(frozen=True)
class Mechanism:
    """A variant of the plain model, and its relative speed (training, decoding) in its paper."""

    title: str
    arguments: dict[str, Any]
    paper: tuple[float, float] | tuple[float] | tuple[()] = ()


_NI_BOTH = {"layer_composition": "extended", "head_composition": "extended"}
# Emelin et al., 2019, table 5: words/s, training only. Li et al., 2020, table 1: steps/s and sentences/s.
MECHANISMS = {
    "plain": Mechanism("plain again", {}),  # shows the noise of the measurement
    "shortcuts": Mechanism("plain shortcuts", {"shortcuts": "plain"}, (26423 / 29698,)),
    "fusion": Mechanism("fusion shortcuts", {"shortcuts": "fusion"}, (23601 / 29698,)),
    "linear_layers": Mechanism("linear layers", {"layer_composition": "linear"}, (1.98 / 2.02, 1.46 / 1.50)),
    "hierarchical_layers": Mechanism(
        "hierarchical layers", {"layer_composition": "hierarchical"}, (1.62 / 2.02, 1.36 / 1.50)
    ),
    "ni_layers": Mechanism("NI layers", {"layer_composition": "extended"}, (1.93 / 2.02, 1.44 / 1.50)),
    "ni_heads": Mechanism("NI heads", {"head_composition": "extended"}, (1.92 / 2.02, 1.43 / 1.50)),
    "ni_heads_32": Mechanism("NI heads, rank 32", {"head_composition": {"kind": "extended", "rank": 32}}),
    "ni_both": Mechanism("NI both", _NI_BOTH, (1.87 / 2.02, 1.40 / 1.50)),
    "hierarchical_heads": Mechanism(
        "hierarchical heads", {"head_composition": "hierarchical"}, (1.74 / 2.02, 1.38 / 1.50)
    ),
    "hierarchical_both": Mechanism(
        "hierarchical both",
        {"layer_composition": "hierarchical", "head_composition": "hierarchical"},
        (1.42 / 2.02, 1.25 / 1.50),
    ),
    "ril_dense": Mechanism("RIL dense", {"roles": {"kind": "dense", "residual": False}}),
    "ril_softmax": Mechanism("RIL softmax + residual", {"roles": "softmax"}),
    "ril_low_rank": Mechanism("RIL low rank", {"roles": {"kind": "dense", "low_rank": True}}),
    "ril_cnn": Mechanism("RIL softmax + residual, CNN", {"roles": {"kind": "softmax", "context": "cnn"}}),
    "contextualized": Mechanism("contextualised", {"roles": "contextualized"}),
    "all": Mechanism("fusion + NI both + RIL softmax", {"shortcuts": "fusion", **_NI_BOTH, "roles": "softmax"}),
}


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Sizes of training and decoding.

    Attributes:
        batch: Sentences per update.
        length: Tokens per sentence, source and target.
        sentences: Sentences decoded at once.
        steps: Tokens decoded.
        beam: Hypotheses per sentence.
    """

    batch: int
    length: int
    sentences: int
    steps: int
    beam: int


class Work:
    """Training and decoding of one model: `measure` runs either, `operations` has the multiply-adds of both."""

    def __init__(self, model: Transformer, sizes: Sizes) -> None:
        self.model = model
        self.operations: dict[str, int] = {}
        self._calls = {"training": self._training(sizes), "decoding": self._decoding(sizes)}

    def measure(self, what: str, clock: Callable[[], float] = time.perf_counter) -> float:
        """Runs training or decoding once and returns the seconds."""
        start = clock()
        self._calls[what]().numpy()  # waits for the result
        return clock() - start

    def _training(self, sizes: Sizes) -> Callable[[], Any]:
        """The update of `Trainer`: forward pass, backward pass, Adam. Dropout is on."""
        trainer = Trainer(
            self.model,
            None,  # type: ignore[arg-type]  # the batch is given
            tempfile.gettempdir(),  # nothing is written
            optimizer=make_optimizer(learning_rate=1e-4),
            stop_criteria=StopCriteria(max_updates=1),
        )
        batch = {
            name: self._words(1, sizes.batch, sizes.length) for name in ("source", "target_input", "target_output")
        }
        # Counting needs known shapes. In training, one graph, which is as fast, serves all shapes.
        update: Any = trainer.make_update({name: tf.TensorSpec(words.shape, "int32") for name, words in batch.items()})
        self.operations["training"] = multiply_adds(update.get_concrete_function().graph)
        return lambda: update(batch).measurements

    def _decoding(self, sizes: Sizes) -> Callable[[], Any]:
        """Encoder, preparation and beam search, compiled by XLA. EOS is never chosen, so that all steps run."""
        model = self.model

        def search(source: tf.Tensor) -> tf.Tensor:
            constants, caches = model.prepare(model.encoder(source, training=False), sizes.beam, sizes.steps)
            return beam_search(
                model.decoder_step,
                constants,
                caches,
                batch_size=sizes.sentences,
                beam_size=sizes.beam,
                max_length=sizes.steps,
                suppress=(PAD, BOS, EOS),
            ).tokens

        source = self._words(sizes.sentences, sizes.length)
        compiled = tf.function(search, autograph=False, jit_compile=True)
        self.operations["decoding"] = multiply_adds(compiled.get_concrete_function(source).graph, sizes.steps)
        return lambda: compiled(source)

    def _words(self, *shape: int) -> tf.Tensor:
        random = np.random.default_rng(1)
        return tf.constant(random.integers(FIRST_WORD, self.model.source_vocabulary_size, shape), "int32")


def compile_together(works: Sequence[Work]) -> None:
    """Runs training and decoding of all once, at the same time: the first run compiles, on one core each."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = [pool.submit(work.measure, what) for work in works for what in work.operations]
    for run in runs:
        run.result()


def compare(plain: Work, variant: Work, rounds: int, clock: Callable[[], float]) -> dict[str, tuple[float, float]]:
    """The variant's speed over the plain model's, measured and counted, in training and in decoding."""
    ratios = {}
    for what, operations in plain.operations.items():
        for work in (variant, plain, variant):
            work.measure(what)  # the first call allocates
        before, found = plain.measure(what, clock), []
        for _ in range(rounds):
            seconds, after = variant.measure(what, clock), plain.measure(what, clock)
            found.append((before + after) / 2 / seconds)
            before = after
        ratios[what] = statistics.median(found), operations / variant.operations[what]
    return ratios


def main(
    preset: Annotated[str, typer.Option(help="Sizes of the model.")] = "transformer_base",
    vocabulary_size: Annotated[int, typer.Option(help="Subwords of the joint vocabulary.")] = 32000,
    batch: Annotated[int, typer.Option(help="Sentences per training update.")] = 8,
    length: Annotated[int, typer.Option(help="Tokens per sentence.")] = 24,
    sentences: Annotated[int, typer.Option(help="Sentences decoded at once.")] = 4,
    steps: Annotated[int, typer.Option(help="Tokens decoded.")] = 16,
    beam: Annotated[int, typer.Option(help="Hypotheses per sentence.")] = 4,
    rounds: Annotated[int, typer.Option(help="Measurements per variant.")] = 5,
    dtype: Annotated[str, typer.Option(help="float32, or mixed_bfloat16 if the processor supports it.")] = "float32",
    mechanisms: Annotated[str, typer.Option(help="Names of mechanisms, separated by commas. Default: all.")] = "",
    cpu_time: CpuTime = False,
    together: Annotated[int, typer.Option(help="Variants that are compiled at the same time.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads of one operation. Default: one per core.")] = 0,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the table: .md or .json.")] = None,
) -> None:
    """Measures and counts the speed of each mechanism relative to the plain Transformer."""
    names = [name.strip() for name in mechanisms.split(",")] if mechanisms else list(MECHANISMS)
    if unknown := sorted(set(names) - set(MECHANISMS)):
        raise UserError(f"Known mechanisms are {', '.join(MECHANISMS)}. Received: {', '.join(unknown)}")
    if preset not in TRANSFORMER_PRESETS:
        raise UserError(f"Known presets are {', '.join(TRANSFORMER_PRESETS)}. Received: preset={preset!r}")
    if vocabulary_size <= FIRST_WORD or min(batch, length, sentences, steps, beam, rounds, together) < 1:
        raise UserError(
            f"Sizes must be at least 1, the vocabulary above {FIRST_WORD}. Received: "
            f"vocabulary_size={vocabulary_size}, batch={batch}, length={length}, sentences={sentences}, "
            f"steps={steps}, beam={beam}, rounds={rounds}, together={together}"
        )
    if threads:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    clock = clock_of(cpu_time)
    sizes = Sizes(batch, length, sentences, steps, beam)

    def work(arguments: dict[str, Any]) -> Work:
        keras.utils.set_random_seed(1)
        arguments = {"source_vocabulary_size": vocabulary_size, "dtype": dtype, **arguments}
        return Work(Transformer.from_preset(preset, **arguments), sizes)

    console = Console()
    console.width = max(console.width, 100)  # wrapped lines are more readable than cells of two lines
    rows: list[list[str]] = []
    with console.status("plain model") as status:
        plain = work({})
        compile_together([plain])
        for start in range(0, len(names), together):
            group = names[start : start + together]
            status.update(", ".join(MECHANISMS[name].title for name in group))
            variants = {name: work(MECHANISMS[name].arguments) for name in group}
            compile_together(list(variants.values()))
            for name, variant in variants.items():
                mechanism = MECHANISMS[name]
                ratios = compare(plain, variant, rounds, clock)
                paper = [f"{ratio:.3f}" for ratio in mechanism.paper]
                cells = [f"{ratio:.3f}" for what in ("training", "decoding") for ratio in ratios[what]]
                rows.append([mechanism.title, *cells, *paper, *[""] * (2 - len(paper))])
                write_table(output, COLUMNS, rows)  # after each row, for interrupted runs
            del variants, variant
            keras.backend.clear_session()
            gc.collect()  # a model and its graphs refer to each other
    print_table(console, [column.replace(" ", "\n") for column in COLUMNS], rows)


if __name__ == "__main__":
    run_app(main)
