"""Speed of the multilingual model: rotation of pairs against single pairs; decoding from M by source length.

    python recipes/benchmarks/bridge.py rotation
    python recipes/benchmarks/bridge.py length

See README.md beside this file.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tensorflow as tf
import typer

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import ParallelCorpus, TrainingBatches
from keras_nmt.decoding import beam_search
from keras_nmt.ids import BEGIN, END, PAD
from keras_nmt.models import AttentionBridgeModel
from keras_nmt.training import Budget, Logging, Saving, Task, Trainer, make_optimizer

LANGUAGES = ("en", "de", "fr", "cs")
KINDS = ("transformer", "recurrent")
FIRST_WORD = max(PAD, BEGIN, END) + 1
VOCABULARY = 4000

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, help=__doc__)

Kind = Annotated[str, typer.Option(help=f"Encoders and decoders: {', '.join(KINDS)}.")]
Width = Annotated[int, typer.Option(help="Width of all states.")]


@app.command()
def rotation(
    kind: Kind = "transformer",
    width: Width = 128,
    sentences: Annotated[int, typer.Option(help="Sentences per update.")] = 64,
    length: Annotated[int, typer.Option(help="Tokens per sentence, source and target.")] = 15,
    updates: Annotated[int, typer.Option(help="Updates per pair and measurement.")] = 20,
    rounds: Annotated[int, typer.Option(help="Measurements of the rotation; the median counts.")] = 2,
    singles: Annotated[int, typer.Option(help="Number of the twelve pairs that are measured alone.")] = 6,
) -> None:
    """Measures updates/s of the rotation over twelve pairs of equal size, and the mean of single pairs."""
    pairs = [(s, t) for s in LANGUAGES for t in LANGUAGES if s != t]
    chosen = pairs[:: max(1, len(pairs) // singles)][:singles]
    alone: dict[tuple[str, str], float] = {}
    together = []
    for number in range(rounds):
        together.append(_updates_per_second(kind, width, pairs, sentences, length, updates))
        print(f"rotation {together[-1]:.2f} updates/s", flush=True)
        for pair in chosen[number::rounds]:  # spread over time, like the rotations
            alone[pair] = _updates_per_second(kind, width, [pair], sentences, length, 3 * updates)
            print(f"{pair[0]}-{pair[1]} alone {alone[pair]:.2f} updates/s", flush=True)
    mean, median = statistics.mean(alone.values()), statistics.median(together)
    print(f"rotation {median:.2f} updates/s, single pairs {mean:.2f}, ratio {median / mean:.3f}")


@app.command(name="length")
def length_(
    kind: Kind = "transformer",
    width: Width = 256,
    sentences: Annotated[int, typer.Option(help="Sentences decoded at once.")] = 16,
    steps: Annotated[int, typer.Option(help="Tokens decoded.")] = 32,
    rounds: Annotated[int, typer.Option(help="Measurements per length; the median of the ratios counts.")] = 15,
) -> None:
    """Measures the seconds of a beam search, without the encoder, for sources of 10 and of 100 tokens."""
    model = _model(kind, width, 2)
    pair = model.pair("en", "de")
    memories = {n: pair.encoder(_words(sentences, n)) for n in (10, 100)}

    def search(memory: Any) -> tf.Tensor:
        constants, caches = pair.prepare(memory, 4, steps)
        options: dict[str, Any] = {"batch_size": sentences, "beam_size": 4, "max_length": steps}
        return beam_search(pair.decoder_step, constants, caches, **options, suppress=(PAD, BEGIN, END)).tokens

    compiled = tf.function(search, autograph=False, jit_compile=True)
    seconds: dict[int, list[float]] = {10: [], 100: []}
    for _ in range(rounds + 1):
        for n, memory in memories.items():
            start = time.perf_counter()
            compiled(memory).numpy()
            seconds[n].append(time.perf_counter() - start)
    ratios = [long / short for short, long in zip(seconds[10][1:], seconds[100][1:], strict=True)]
    for n, measured in seconds.items():
        print(f"{n} source tokens: {statistics.median(measured[1:]):.3f} s")
    print(f"ratio {statistics.median(ratios):.3f}")


def _model(kind: str, width: int, layers: int) -> AttentionBridgeModel:
    transformer = {"num_heads": 4, "intermediate_dim": 2 * width} if kind == "transformer" else None
    return AttentionBridgeModel(
        dict.fromkeys(LANGUAGES, VOCABULARY),
        encoder=kind,
        decoder=kind,
        num_encoder_layers=layers,
        num_decoder_layers=layers,
        hidden_dim=width,
        bridge_heads=10,
        bridge_hidden_dim=2 * width,
        transformer=transformer,
    )


def _words(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(FIRST_WORD, VOCABULARY, shape).astype("int32")


def _updates_per_second(
    kind: str, width: int, pairs: Sequence[tuple[str, str]], sentences: int, length: int, updates: int
) -> float:
    """Updates/s by the log of a training run whose updates all have the same number of tokens."""
    model = _model(kind, width, 2)
    words = _words(4 * sentences, length).tolist()
    corpus = ParallelCorpus.from_lists(words, words)
    tasks = [
        Task(
            name=f"{s}-{t}",
            model=model.pair(s, t),
            data=TrainingBatches(corpus, batch_size=sentences, batch_unit="sentences", seed=1),
        )
        for s, t in pairs
    ]
    interval = updates * len(pairs)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model,
            tasks,
            folder,
            optimizer=make_optimizer(learning_rate=1e-4),
            budget=Budget(max_updates=3 * interval),
            saving=Saving(every=3 * interval),
            logging=Logging(every=interval, report=lambda line: None),
        )
        trainer.train()
        assert trainer.num_traces == len(pairs), "an update was traced again"
        log = [json.loads(line) for line in (Path(folder) / "training_log.jsonl").read_text().splitlines()]
    # The first interval includes tracing.
    tokens = statistics.median(line["tokens_per_second"] for line in log[1:] if "tokens_per_second" in line)
    return tokens / (sentences * (length + 1))


if __name__ == "__main__":
    run_app(app)
