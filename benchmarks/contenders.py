"""Contenders of the benchmark of training: keras_nmt and its peers do the same work, each in a process."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from support import clock_of

from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import UserError, error_and_type, one_line
from keras_nmt.files.process_resources import peak_memory
from keras_nmt.ids import BOS, EOS, PAD, UNK

LABEL_SMOOTHING, LEARNING_RATE, BETAS, EPSILON = 0.1, 1e-4, (0.9, 0.98), 1e-9
SUBWORDS = 10000  # the maximum that is trained; Multi30k allows some 20,000
BATCH = ("source", "target_input", "target_output")
ROW_MULTIPLE = 8  # of `TrainingBatches`
FIRST_WORD = max(PAD, UNK, BOS, EOS) + 1


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
        length: Positions of each sentence of random text; 0: the sentences of a real text.
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
    length: int = 0


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


def policy_of(work: Work) -> str:
    """The dtype policy of Keras."""
    return "float32" if work.dtype == "float32" else "mixed_bfloat16"


def training_batches(work: Work) -> Any:
    """The batches of the corpus, as `Trainer` reads them."""
    from keras_nmt.data import ParallelCorpus, TrainingBatches
    from keras_nmt.data.sentence_pairs import PairBlock, RaggedArray

    with np.load(work.corpus) as file:
        sides = tuple(RaggedArray(file[side], file[f"{side}_lengths"]) for side in ("source", "target"))
    size = len(sides[0].lengths)
    corpus = ParallelCorpus.from_block(PairBlock(np.arange(1, size + 1), sides), size)
    buckets = [work.length] if work.length else None
    return TrainingBatches(corpus, batch_size=work.batch_size, length_buckets=buckets, seed=1)


def write_batches(work: Work, texts: Sequence[Path], updates: int) -> int:
    """Segments the texts into subwords and writes the corpus and the first batches.

    Args:
        work: Files and sizes.
        texts: Source and target.
        updates: Measured batches per round; the first batch is not measured.

    Returns:
        The number of target tokens of the measured batches.
    """
    from keras_nmt.data import SubwordTokenizer, read_parallel, train_subwords

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
    batches = list(training_batches(work).dataset().take(updates + 1).as_numpy_iterator())
    np.savez(work.batches, *(batch[name] for batch in batches for name in BATCH))
    return sum(int((batch["target_output"] != PAD).sum()) for batch in batches[1:])


def write_random_batches(work: Work, updates: int) -> int:
    """Writes a corpus and batches as `write_batches` does: random sentences of one length, without TensorFlow.

    All batches have the same shape, so one program serves all.
    """
    rows = max(ROW_MULTIPLE, work.batch_size // work.length // ROW_MULTIPLE * ROW_MULTIPLE)
    random = np.random.default_rng(1)
    shape = ((updates + 1) * rows, work.length - 1)  # without EOS
    source, target = (random.integers(FIRST_WORD, work.vocabulary_size, shape, np.int32) for _ in range(2))
    lengths = np.full(len(source), work.length - 1, np.int32)
    np.savez(work.corpus, source=source.ravel(), source_lengths=lengths, target=target.ravel(), target_lengths=lengths)
    end, begin = np.full((len(source), 1), EOS, np.int32), np.full((len(source), 1), BOS, np.int32)
    sides = np.hstack([source, end]), np.hstack([begin, target]), np.hstack([target, end])  # [pairs, length] each
    np.savez(work.batches, *(side[rows * number :][:rows] for number in range(updates + 1) for side in sides))
    return updates * rows * work.length


class Ours:
    """`Trainer`'s update, with its own input pipeline."""

    jit_compile = False

    def __init__(self, work: Work) -> None:
        _tensorflow(work)
        from keras_nmt.models import Transformer
        from keras_nmt.training import LabelSmoothedCrossEntropy, StopCriteria, Trainer, UpdateConfig, make_optimizer

        options = {**work.sizes, "dropout": work.dropout}
        model = Transformer(work.vocabulary_size, **options, dtype=policy_of(work))
        self.parameters = model.count_params()
        self._clock = clock_of(work.cpu_time)
        self._data = training_batches(work)
        self._trainer = Trainer(
            model,
            self._data,
            tempfile.gettempdir(),  # nothing is written
            optimizer=make_optimizer(learning_rate=LEARNING_RATE, beta_1=BETAS[0], beta_2=BETAS[1], epsilon=EPSILON),
            loss=LabelSmoothedCrossEntropy(LABEL_SMOOTHING),
            update_config=UpdateConfig(jit_compile=self.jit_compile),
            stop_criteria=StopCriteria(max_updates=1),
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
    """`Ours` compiled by XLA, in the first round."""

    jit_compile = True


class KerasHub:
    """keras_hub's Transformer layers under `fit`, with Keras' own loss and `Trainer`'s input pipeline."""

    jit_compile = False

    def __init__(self, work: Work) -> None:
        keras = _tensorflow(work)
        from keras_hub.layers import SinePositionEncoding, TransformerDecoder, TransformerEncoder

        keras.config.set_dtype_policy(policy_of(work))
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
        self._batches = training_batches(work).dataset().map(_for_fit)

        self._clock, self._started = clock_of(work.cpu_time), 0.0
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


class KerasHubCompiled(KerasHub):
    """`KerasHub` with XLA."""

    jit_compile = True


def _tensorflow(work: Work) -> Any:
    os.environ["KERAS_BACKEND"] = "tensorflow"
    import_tensorflow()
    import keras
    import tensorflow as tf

    if work.threads:
        tf.config.threading.set_intra_op_parallelism_threads(work.threads)
        tf.config.threading.set_inter_op_parallelism_threads(work.threads)
    keras.utils.set_random_seed(1)
    return keras


def _without_attention_dropout(attention: Any) -> None:
    """Switches dropout of attention weights off: keras_hub has one rate for all dropouts."""
    attention._dropout = attention._dropout_layer.rate = 0.0


def _for_fit(batch: dict[str, Any]) -> tuple[Any, Any, Any]:
    target = batch["target_output"]
    return (batch["source"], batch["target_input"]), target, target != PAD


class PyTorch:
    """`torch.nn.Transformer` in the usual loop; the batches are tensors before the clock starts."""

    compiled = False

    def __init__(self, work: Work) -> None:
        import torch

        if work.threads:
            torch.set_num_threads(work.threads)
        sizes = work.sizes
        self._torch, self._dtype, self._clock = torch, work.dtype, clock_of(work.cpu_time)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
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
        self._embedding.to(self._device)
        self._transformer.to(self._device).train()
        weights = [*self._embedding.parameters(), *self._transformer.parameters()]
        self.parameters = sum(weight.numel() for weight in weights)
        self._optimizer = torch.optim.Adam(weights, LEARNING_RATE, BETAS, EPSILON, fused=True)
        with np.load(work.batches) as file:
            arrays = [
                torch.from_numpy(file[f"arr_{number}"]).long().to(self._device) for number in range(len(file.files))
            ]
        self._batches = list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))
        longest = max(target.shape[1] for _, target, _ in self._batches)
        places = torch.arange(max(longest, 1))[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self._positions = torch.cat([places.sin(), places.cos()], 1).to(self._device)  # [positions, width]
        self._loss = torch.compile(self._loss_of) if self.compiled else self._loss_of

    def _embed(self, ids: Any) -> Any:
        states = self._embedding(ids) * self._embedding.embedding_dim**0.5
        return self._dropout(states + self._positions[: ids.shape[1]])

    def _loss_of(self, source: Any, target_input: Any, target_output: Any) -> Any:
        torch = self._torch
        padding = source == PAD
        later = torch.nn.Transformer.generate_square_subsequent_mask(
            target_input.shape[1], self._device, dtype=torch.bool
        )
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._dtype == "bfloat16"):
            states = self._transformer(
                self._embed(source),
                self._embed(target_input),
                tgt_mask=later,
                src_key_padding_mask=padding,
                memory_key_padding_mask=padding,
                tgt_is_causal=True,
            )
            logits = states @ self._embedding.weight.T  # [B, T, V]
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), target_output.flatten(), ignore_index=PAD, label_smoothing=LABEL_SMOOTHING
        )

    def _update(self, source: Any, target_input: Any, target_output: Any) -> None:
        self._optimizer.zero_grad(set_to_none=True)
        self._loss(source, target_input, target_output).backward()
        self._optimizer.step()

    def _wait(self) -> None:
        if self._device.type == "cuda":
            self._torch.cuda.synchronize()

    def train(self, updates: int) -> Measured:
        self._update(*self._batches[0])
        self._wait()
        start = self._clock()
        for batch in self._batches[1 : updates + 1]:
            self._update(*batch)
        self._wait()
        return Measured(self._clock() - start)


class PyTorchCompiled(PyTorch):
    """`PyTorch` with forward and backward pass compiled by `torch.compile`."""

    compiled = True


class Marian:
    """Marian in float32 on the CPU: a program that trains the sentences of the corpus, in batches of the same size.

    Each thread computes a part of a batch. The log has the speed of each update in target tokens, EOS included.
    """

    def __init__(self, work: Work) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=work.corpus.parent))
        vocabulary = ["</s>", "<unk>", *map(str, range(2, work.vocabulary_size))]
        lines = (f"{json.dumps(word)}: {number}\n" for number, word in enumerate(vocabulary))
        (self._folder / "vocabulary.yml").write_text("".join(lines))
        with np.load(work.corpus) as file:
            for side in ("source", "target"):
                rows = np.split(file[side], np.cumsum(file[f"{side}_lengths"])[:-1])
                (self._folder / side).write_text("".join(" ".join(map(str, row.tolist())) + "\n" for row in rows))
        with np.load(work.batches) as file:
            self._tokens = [int((file[f"arr_{i}"] != PAD).sum()) for i in range(5, len(file.files), len(BATCH))]
        threads, sizes = work.threads or len(os.sched_getaffinity(0)), work.sizes
        self._options = " ".join(
            [
                "--type transformer --train-sets source target --vocabs vocabulary.yml vocabulary.yml",
                "--model model.npz --log log --quiet --overwrite --disp-freq 1u --sync-sgd --workspace 1000",
                f"--cpu-threads {threads} --mini-batch 10000 --mini-batch-words {work.batch_size // threads}",
                f"--enc-depth {sizes['num_encoder_layers']} --dec-depth {sizes['num_decoder_layers']}",
                f"--dim-emb {sizes['hidden_dim']} --transformer-heads {sizes['num_heads']}",
                f"--transformer-dim-ffn {sizes['intermediate_dim']} --transformer-dropout {work.dropout}",
                "--transformer-preprocess n --transformer-postprocess da --transformer-postprocess-top n",
                f"--tied-embeddings-all --label-smoothing {LABEL_SMOOTHING} --learn-rate {LEARNING_RATE}",
                f"--optimizer adam --optimizer-params {BETAS[0]} {BETAS[1]} {EPSILON} --max-length 1000",
            ]
        )
        self._run(1)
        with np.load(self._folder / "model.npz") as file:
            self.parameters = sum(file[name].size for name in file.files if not name.startswith("special:"))

    def _run(self, updates: int) -> list[float]:
        """The target tokens a second of each update."""
        for path in self._folder.glob("model.npz*"):
            path.unlink()  # else Marian trains it on
        (self._folder / "log").unlink(missing_ok=True)
        options = f"{self._options} --after-batches {updates}"
        code = f"import pymarian; pymarian.Trainer({options!r}).train()"
        done = subprocess.run([sys.executable, "-c", code], cwd=self._folder, capture_output=True, text=True)
        if done.returncode:
            raise UserError(f"Marian failed. Received: {one_line(done.stderr[-300:])}")
        return list(map(float, re.findall(r"([\d.]+) words/s", (self._folder / "log").read_text())))

    def train(self, updates: int) -> Measured:
        _, *speeds = self._run(updates + 1)
        return Measured(sum(self._tokens[:updates]) / statistics.harmonic_mean(speeds))


CONTENDERS: dict[str, Callable[[Work], Contender]] = {
    "keras_nmt": Ours,
    "keras_nmt with XLA": OursCompiled,
    "keras_hub": KerasHub,
    "keras_hub with XLA": KerasHubCompiled,
    "PyTorch": PyTorch,
    "PyTorch compiled": PyTorchCompiled,
    "Marian": Marian,
}


def _serve(connection: Connection, name: str, work: Work) -> None:
    """The process of a contender: each message is a number of updates to train; None ends the process."""
    warnings.filterwarnings("ignore", message="enable_nested_tensor", module="torch")  # concerns inference
    try:
        contender = CONTENDERS[name](work)
        connection.send(contender.parameters)
        while (updates := connection.recv()) is not None:
            connection.send(contender.train(updates))
        programs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # Marian; KiB on Linux
        connection.send(max(peak_memory() / 2**20, programs / 2**10))
    except (EOFError, ConnectionError):  # the benchmark has ended, by the error of another contender
        return
    except Exception as error:
        connection.send(UserError(f"{name} failed. Received: {error_and_type(error)}"))


class ContenderProcess:
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
            answer = self._connection.recv()
        except EOFError:
            self._process.join()
            raise UserError(
                f"A contender ended early; its output above says why. Received: exit code {self._process.exitcode}"
            ) from None
        if isinstance(answer, UserError):
            raise answer
        return answer

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
