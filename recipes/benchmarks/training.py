"""Training speed: target tokens per second of Trainer's update, of keras_hub and of PyTorch.

    python recipes/benchmarks/training.py --data-dir DATA --preset transformer_small
    python recipes/benchmarks/training.py --data-dir DATA --preset transformer_base --dtypes float32,bfloat16

Each contender is a separate process. They train in turn, on the same batches. See README.md beside this file.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.errors import UserError
from keras_nmt.files.peak_memory import peak_memory
from keras_nmt.ids import PAD

DTYPES = ("float32", "bfloat16")
PRESETS = {
    "transformer_tiny": 1000,
    "transformer_small": 10000,
    "transformer_base": 32000,
}  # vocabulary sizes
SUBWORDS = 10000  # the maximum that is trained; Multi30k allows some 20,000
LABEL_SMOOTHING, LEARNING_RATE, BETAS, EPSILON = 0.1, 1e-4, (0.9, 0.98), 1e-9


BATCH = ("source", "target_input", "target_output")
COLUMNS = (
    "contender",
    "dtype",
    "parameters\n(millions)",
    "target\ntokens/s",
    "first is faster\nby a factor of",
    "peak memory\n(MiB)",
    "waiting\nfor batches",
    "traces",
)


@dataclasses.dataclass(frozen=True)
class Work:
    """The work that all contenders do.

    Attributes:
        vocabulary_size: Subwords of the joint vocabulary.
        sizes: Layers, widths and heads, by the names of `Transformer`'s arguments.
        dropout: Rate of dropout on embeddings and on the output of each sub-layer.
        dtype: "float32" or "bfloat16".
        threads: Threads of one operation. 0: one per core.
        cpu_time: Whether to measure processor time.
        batch_size: Positions per batch and side.
        corpus: File with the ids of the sentences.
        batches: File with batches of these sentences, for contenders that do not read the corpus.
    """

    vocabulary_size: int
    sizes: dict[str, Any]
    dropout: float
    dtype: str
    threads: int
    cpu_time: bool
    batch_size: int
    corpus: Path
    batches: Path


@dataclasses.dataclass(frozen=True)
class Measured:
    """Seconds of a round of updates; if known, the seconds spent waiting for batches, and the number of traces."""

    seconds: float
    waited: float | None = None
    traces: int | None = None


class Contender(Protocol):
    """Trains a model. The first update of each round is not measured."""

    parameters: int

    def train(self, updates: int) -> Measured:
        """One round: the first `updates` + 1 batches."""


class Ours:
    """`Trainer`'s update, with its own input pipeline."""

    jit_compile = False

    def __init__(self, work: Work) -> None:
        _tensorflow(work)
        from keras_nmt.models import Transformer
        from keras_nmt.training import Budget, Computation, LabelSmoothedCrossEntropy, Trainer, make_optimizer

        options = {**work.sizes, "dropout": work.dropout}
        model = Transformer(work.vocabulary_size, **options, dtype=_policy(work))
        self.parameters = model.count_params()
        self._clock = _clock(work)
        self._data = _training_batches(work)
        self._trainer = Trainer(
            model,
            self._data,
            tempfile.gettempdir(),  # nothing is written
            optimizer=make_optimizer(learning_rate=LEARNING_RATE, beta_1=BETAS[0], beta_2=BETAS[1], epsilon=EPSILON),
            loss=LabelSmoothedCrossEntropy(LABEL_SMOOTHING),
            computation=Computation(jit_compile=self.jit_compile),
            budget=Budget(max_updates=1),
        )
        self._update: Any = None

    def train(self, updates: int) -> Measured:
        batches = self._trainer.make_batches()
        if self._update is None:
            self._update = self._trainer.make_update(batches.element_spec)
        self._update(next(batches)).measurements.numpy()
        waited, start = 0.0, self._clock()
        for _ in range(updates):
            asked = self._clock()
            batch = next(batches)
            waited += self._clock() - asked
            measurements = self._update(batch).measurements
        measurements.numpy()
        return Measured(self._clock() - start, waited, self._trainer.num_traces)


class OursCompiled(Ours):
    """`Ours` with forward and backward pass compiled by XLA, in the first round."""

    jit_compile = True


class KerasHub:
    """keras_hub's Transformer layers under `fit`, with Keras' own loss and `Trainer`'s input pipeline."""

    jit_compile = False

    def __init__(self, work: Work) -> None:
        keras = _tensorflow(work)
        from keras_hub.layers import SinePositionEncoding, TransformerDecoder, TransformerEncoder

        keras.config.set_dtype_policy(_policy(work))
        sizes = work.sizes
        options: dict[str, Any] = {name: sizes[name] for name in ("intermediate_dim", "num_heads")}
        options |= {"dropout": work.dropout, "normalize_first": True}
        embedding = keras.layers.ReversibleEmbedding(work.vocabulary_size, sizes["hidden_dim"])
        positions = SinePositionEncoding()

        def embed(ids: Any) -> Any:
            embedded = embedding(ids)
            return keras.layers.Dropout(work.dropout)(embedded + positions(embedded))

        source, target_input = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
        source_mask = keras.ops.not_equal(source, PAD)
        memory, states = embed(source), embed(target_input)
        for _ in range(sizes["num_encoder_layers"]):
            layer = TransformerEncoder(**options)
            memory = layer(memory, padding_mask=source_mask)
            _without_attention_dropout(layer._self_attention_layer)
        memory = keras.layers.LayerNormalization()(memory)
        for _ in range(sizes["num_decoder_layers"]):
            layer = TransformerDecoder(**options)
            states = layer(states, memory, encoder_padding_mask=source_mask)
            _without_attention_dropout(layer._self_attention_layer)
            _without_attention_dropout(layer._cross_attention_layer)
        logits = embedding(keras.layers.LayerNormalization()(states), reverse=True)
        self._model = keras.Model([source, target_input], logits)
        self._model.compile(
            optimizer=keras.optimizers.Adam(LEARNING_RATE, *BETAS, EPSILON),
            loss=self._loss(keras),
            jit_compile=self.jit_compile,
        )
        self.parameters = self._model.count_params()
        self._batches = _training_batches(work).dataset().map(_for_fit)

        self._clock, self._started = _clock(work), 0.0
        self._starter = keras.callbacks.LambdaCallback(on_train_batch_end=self._start)

    def _loss(self, keras: Any) -> Any:
        def loss(targets: Any, logits: Any) -> Any:
            rows = keras.ops.one_hot(targets, logits.shape[-1])  # Keras smooths one-hot labels only
            return keras.losses.categorical_crossentropy(
                rows, logits, from_logits=True, label_smoothing=LABEL_SMOOTHING
            )

        return loss

    def _start(self, batch: int, logs: Any) -> None:
        if batch == 0:
            self._started = self._clock()

    def train(self, updates: int) -> Measured:
        self._model.fit(self._batches, steps_per_epoch=updates + 1, shuffle=False, verbose=0, callbacks=[self._starter])
        return Measured(self._clock() - self._started)


class KerasHubWithOurLoss(KerasHub):
    """`KerasHub` with `LabelSmoothedCrossEntropy`: only model, optimizer and `fit` differ from `Ours`."""

    def _loss(self, keras: Any) -> Any:
        from keras_nmt.training import LabelSmoothedCrossEntropy

        return LabelSmoothedCrossEntropy(LABEL_SMOOTHING, reduction="mean")


class KerasHubCompiled(KerasHub):
    """`KerasHub` with XLA."""

    jit_compile = True


class PyTorch:
    """`torch.nn.Transformer` in the usual loop; the batches are tensors before the clock starts."""

    def __init__(self, work: Work) -> None:
        import torch

        if work.threads:
            torch.set_num_threads(work.threads)
        sizes = work.sizes
        self._torch, self._dtype, self._clock = torch, work.dtype, _clock(work)
        width, layers = sizes["hidden_dim"], sizes["num_encoder_layers"]
        self._embedding = torch.nn.Embedding(work.vocabulary_size, width)
        torch.nn.init.normal_(self._embedding.weight, std=width**-0.5)
        self._dropout = torch.nn.Dropout(work.dropout)
        self._transformer = torch.nn.Transformer(
            width,
            sizes["num_heads"],
            layers,
            sizes["num_decoder_layers"],
            sizes["intermediate_dim"],
            work.dropout,
            batch_first=True,
            norm_first=True,
        )
        for module in self._transformer.modules():
            if isinstance(module, torch.nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(module, (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer)):
                module.dropout.p = 0.0  # inside the feed-forward network
        weights = [*self._embedding.parameters(), *self._transformer.parameters()]
        self.parameters = sum(weight.numel() for weight in weights)
        self._optimizer = torch.optim.Adam(weights, LEARNING_RATE, BETAS, EPSILON, fused=True)
        with np.load(work.batches) as file:
            arrays = [torch.from_numpy(file[f"arr_{number}"]).long() for number in range(len(file.files))]
        self._batches = list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))
        longest = max(target.shape[1] for _, target, _ in self._batches)
        places = torch.arange(max(longest, 1))[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self._positions = torch.cat([places.sin(), places.cos()], 1)  # [positions, width]
        self._transformer.train()

    def _embed(self, ids: Any) -> Any:
        states = self._embedding(ids) * self._embedding.embedding_dim**0.5
        return self._dropout(states + self._positions[: ids.shape[1]])

    def _update(self, source: Any, target_input: Any, target_output: Any) -> None:
        torch = self._torch
        self._optimizer.zero_grad(set_to_none=True)
        padding = source == PAD
        later = torch.nn.Transformer.generate_square_subsequent_mask(target_input.shape[1], dtype=torch.bool)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._dtype == "bfloat16"):
            states = self._transformer(
                self._embed(source),
                self._embed(target_input),
                tgt_mask=later,
                src_key_padding_mask=padding,
                memory_key_padding_mask=padding,
                tgt_is_causal=True,
            )
            logits = states @ self._embedding.weight.T  # [B, T, V]
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), target_output.flatten(), ignore_index=PAD, label_smoothing=LABEL_SMOOTHING
        )
        loss.backward()
        self._optimizer.step()
        loss.item()

    def train(self, updates: int) -> Measured:
        self._update(*self._batches[0])
        start = self._clock()
        for batch in self._batches[1 : updates + 1]:
            self._update(*batch)
        return Measured(self._clock() - start)


def _clock(work: Work) -> Callable[[], float]:
    return time.process_time if work.cpu_time else time.perf_counter


CONTENDERS: dict[str, Callable[[Work], Contender]] = {
    "keras_nmt": Ours,
    "keras_nmt with XLA": OursCompiled,
    "keras_hub": KerasHub,
    "keras_hub with XLA": KerasHubCompiled,
    "keras_hub with our loss": KerasHubWithOurLoss,
    "PyTorch": PyTorch,
}


def _tensorflow(work: Work) -> Any:
    import_tensorflow()
    import keras
    import tensorflow as tf

    if work.threads:
        tf.config.threading.set_intra_op_parallelism_threads(work.threads)
        tf.config.threading.set_inter_op_parallelism_threads(work.threads)
    keras.utils.set_random_seed(1)
    return keras


def _policy(work: Work) -> str:
    return "float32" if work.dtype == "float32" else "mixed_bfloat16"


def _without_attention_dropout(attention: Any) -> None:
    """Switches dropout of attention weights off: keras_hub has one rate for all dropouts."""
    attention._dropout = attention._dropout_layer.rate = 0.0


def _for_fit(batch: dict[str, Any]) -> tuple[Any, Any, Any]:
    target = batch["target_output"]
    return (batch["source"], batch["target_input"]), target, target != PAD


def _training_batches(work: Work) -> Any:
    from keras_nmt.data import ParallelCorpus, TrainingBatches

    with np.load(work.corpus) as file:
        numbers = [file[name] for name in ("source", "source_lengths", "target", "target_lengths")]
    size = len(numbers[1])
    corpus = ParallelCorpus.from_arrays(
        numbers[0], numbers[1], numbers[2], numbers[3], np.arange(1, size + 1, dtype=np.int32), size
    )
    return TrainingBatches(corpus, batch_size=work.batch_size, seed=1)


def write_batches(work: Work, texts: Sequence[Path], updates: int) -> int:
    """Segments the texts into subwords and writes the corpus and the first batches.

    Args:
        work: Files and sizes.
        texts: Source and target.
        updates: Measured batches per round; the first batch is not measured.

    Returns:
        The number of target tokens of the measured batches.
    """
    from keras_nmt.data import read_parallel
    from keras_nmt.text import SubwordTokenizer, train_subwords

    size = min(work.vocabulary_size, SUBWORDS)
    subwords = SubwordTokenizer(train_subwords(texts, work.corpus.with_suffix(".model"), vocabulary_size=size))
    corpus = read_parallel(texts[0], texts[1], subwords, subwords)
    np.savez(
        work.corpus,
        source=corpus.source.values,
        source_lengths=corpus.source_lengths,
        target=corpus.target.values,
        target_lengths=corpus.target_lengths,
    )
    batches = list(_training_batches(work).dataset().take(updates + 1).as_numpy_iterator())
    np.savez(work.batches, *(batch[name] for batch in batches for name in BATCH))
    return sum(int((batch["target_output"] != PAD).sum()) for batch in batches[1:])


def _serve(connection: Connection, name: str, work: Work) -> None:
    """The process of a contender: each message is a number of updates to train; None ends the process."""
    warnings.filterwarnings("ignore", message="enable_nested_tensor", module="torch")  # concerns inference
    contender = CONTENDERS[name](work)
    connection.send(contender.parameters)
    while (updates := connection.recv()) is not None:
        connection.send(contender.train(updates))
    connection.send(peak_memory() / 2**20)


class Process:
    """A contender in a separate process, which waits while the others train."""

    def __init__(self, name: str, work: Work) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, name, work), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of the process is noticed
        self.parameters: int = self._receive()

    def _receive(self) -> Any:
        try:
            return self._connection.recv()
        except EOFError:
            self._process.join()
            raise UserError(
                f"A contender ended early; its output above says why. Received: exit code {self._process.exitcode}"
            ) from None

    def train(self, updates: int) -> Measured:
        """Trains one round."""
        self._connection.send(updates)
        return self._receive()

    def stop(self) -> float:
        """Ends the process and returns its peak resident memory in MiB."""
        self._connection.send(None)
        memory: float = self._receive()
        self._process.join()
        return memory


@dataclasses.dataclass(frozen=True)
class Result:
    """Measurements of a contender.

    Attributes:
        parameters: Number of trained parameters.
        rounds: One measurement per round.
        memory: Peak resident memory in MiB.
    """

    parameters: int
    rounds: list[Measured]
    memory: float


def compete(names: Sequence[str], work: Work, updates: int, rounds: int) -> dict[str, Result]:
    """Trains the contenders in turn; the first round is a warm-up."""
    processes = {name: Process(name, work) for name in names}
    measured: dict[str, list[Measured]] = {name: [] for name in names}
    for _ in range(rounds + 1):
        for name, process in processes.items():
            measured[name].append(process.train(updates))
    return {name: Result(process.parameters, measured[name][1:], process.stop()) for name, process in processes.items()}


def main(
    data_dir: Annotated[Path, typer.Option(help="Folder of Multi30k: train.en and train.de, plain or .gz.")],
    preset: Annotated[str, typer.Option(help=f"Sizes of the model: {', '.join(PRESETS)}.")] = "transformer_small",
    vocabulary_size: Annotated[
        int, typer.Option(help="Subwords of the joint vocabulary. Default: 10,000, of transformer_base 32,000.")
    ] = 0,
    batch_size: Annotated[int, typer.Option(help="Positions per batch and side.")] = 4096,
    dropout: Annotated[float, typer.Option(help="Dropout on embeddings and on the output of each sub-layer.")] = 0.1,
    dtypes: Annotated[str, typer.Option(help="float32, bfloat16, or both, separated by a comma.")] = "float32",
    updates: Annotated[int, typer.Option(help="Updates per measurement.")] = 8,
    rounds: Annotated[int, typer.Option(help="Measurements per contender; the medians count.")] = 5,
    threads: Annotated[int, typer.Option(help="Threads of one operation. Default: one per core.")] = 0,
    cpu_time: Annotated[
        bool, typer.Option("--cpu-time", help="Measure processor time: for a core that other programs use, too.")
    ] = False,
    contenders: Annotated[str, typer.Option(help="Names of contenders, separated by commas.")] = ",".join(CONTENDERS),
) -> None:
    """Measures training speed beside keras_hub and PyTorch."""
    names, precisions = contenders.split(","), dtypes.split(",")
    if preset not in PRESETS:
        raise UserError(f"Known presets are {', '.join(PRESETS)}. Received: preset={preset!r}")
    if unknown := sorted(set(names) - set(CONTENDERS)) + sorted(set(precisions) - set(DTYPES)):
        raise UserError(
            f"Contenders are {', '.join(CONTENDERS)}, dtypes are {', '.join(DTYPES)}. Received: {', '.join(unknown)}"
        )
    vocabulary_size = vocabulary_size or PRESETS[preset]
    if min(vocabulary_size, batch_size, updates, rounds) < 1 or threads < 0:
        raise UserError(
            f"Sizes must be at least 1. Received: vocabulary_size={vocabulary_size}, batch_size={batch_size}, "
            f"updates={updates}, rounds={rounds}, threads={threads}"
        )
    texts = [
        next((path for path in (data_dir / name, data_dir / f"{name}.gz") if path.exists()), data_dir / name)
        for name in ("train.en", "train.de")
    ]
    import_tensorflow()
    from keras_nmt.models.presets import TRANSFORMER_PRESETS

    console = Console()
    console.width = max(console.width, 100)  # wrapped lines are more readable than cells of two lines
    table = Table(*COLUMNS, box=box.SIMPLE)
    with tempfile.TemporaryDirectory() as folder:
        work = Work(
            vocabulary_size,
            TRANSFORMER_PRESETS[preset],
            dropout,
            DTYPES[0],
            threads,
            cpu_time,
            batch_size,
            Path(folder) / "corpus.npz",
            Path(folder) / "batches.npz",
        )
        tokens = write_batches(work, texts, updates)
        for dtype in precisions:
            results = compete(names, dataclasses.replace(work, dtype=dtype), updates, rounds)
            for name, result in results.items():
                table.add_row(*cells(name, dtype, result, results[names[0]], tokens))
    console.print(table)
    cores = len(os.sched_getaffinity(0))
    print(
        f"{preset}, {vocabulary_size:,} subwords, batches of {batch_size:,} positions per side, the same for all, "
        f"padding not counted.\nAdam, label smoothing {LABEL_SMOOTHING}, dropout {dropout} of embeddings and "
        f"sub-layers' outputs.\nCores: {cores}. Threads of an operation: {threads or 'one per core'}. Seconds of the "
        f"{'processor' if cpu_time else 'wall clock'}."
    )


def cells(name: str, dtype: str, result: Result, first: Result, tokens: int) -> list[str]:
    """A row of the table; a ratio is the median of the ratios of neighbouring measurements."""
    seconds = statistics.median(measured.seconds for measured in result.rounds)
    pairs = zip(first.rounds, result.rounds, strict=True)
    ratio = statistics.median(other.seconds / ours.seconds for ours, other in pairs)
    waited = [measured.waited / measured.seconds for measured in result.rounds if measured.waited is not None]
    traces = result.rounds[-1].traces
    return [
        name,
        dtype,
        f"{result.parameters / 1e6:.2f}",
        f"{tokens / seconds:,.0f}",
        f"{ratio:.3f}",
        f"{result.memory:,.0f}",
        f"{statistics.median(waited):.2%}" if waited else "",
        "" if traces is None else str(traces),
    ]


if __name__ == "__main__":
    run_app(main)
