"""The benchmark of training speed: all contenders do the same work, in turn, each in a separate process."""

from __future__ import annotations

import dataclasses
import functools
import multiprocessing
import random
import threading

import numpy as np
import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError


@pytest.fixture(scope="module")
def training():
    return load_script("benchmarks/training.py")


@pytest.fixture(scope="module")
def processes():
    return load_script("benchmarks/contenders.py")


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    choose, words = random.Random(1), ["the", "cat", "sat", "on", "a", "mat"]
    for name in ("train.en", "train.de"):
        lines = (" ".join(choose.choices(words, k=choose.randint(2, 9))) for _ in range(60))
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def work(training, texts):
    work = training.Work(
        vocabulary_size=30,
        sizes={
            "num_encoder_layers": 1,
            "num_decoder_layers": 1,
            "hidden_dim": 32,
            "num_heads": 2,
            "intermediate_dim": 64,
        },
        dropout=0.1,
        dtype="float32",
        threads=0,
        cpu_time=True,
        batch_size=64,
        corpus=texts / "corpus.npz",
        batches=texts / "batches.npz",
    )
    assert training.write_batches(work, [texts / "train.en", texts / "train.de"], 2) > 0
    return work


@pytest.fixture(scope="module")
def ours(processes, work):
    return processes.Ours(work)


@pytest.mark.nightly
def test_updates_are_traced_once(ours):
    measured = [ours.train(2) for _ in range(2)]
    assert [round_.traces for round_ in measured] == [1, 1]
    assert all(0 <= round_.waited < round_.seconds for round_ in measured)


@pytest.mark.nightly
def test_contenders_with_xla_are_compiled(processes, work):
    assert processes.CONTENDERS["keras_nmt with XLA"](work)._trainer.update_config.jit_compile
    assert processes.CONTENDERS["keras_hub with XLA"](work)._model.jit_compile


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["keras_hub", "PyTorch", "PyTorch compiled", "Marian"])
def test_peers_do_the_same_work(processes, work, ours, name):
    if module := {"PyTorch": "torch", "Marian": "pymarian"}.get(name.split()[0]):
        pytest.importorskip(module)
    peer = processes.CONTENDERS[name](work)
    assert peer.train(2).seconds > 0
    assert peer.parameters == pytest.approx(ours.parameters, rel=0.05)


def test_random_sentences_are_the_same_batches_for_all(training, work, tmp_path):
    batches = load_script("benchmarks/contenders.py")
    files = {"corpus": tmp_path / "corpus.npz", "batches": tmp_path / "batches.npz"}
    given = dataclasses.replace(work, **files, batch_size=100, length=7)
    assert training.write_random_batches(given, 2) == 2 * 8 * 7
    pipeline = batches.training_batches(given)
    assert pipeline.shapes == [(8, 7, 7)]
    names = ("source", "target_input", "target_output")
    ours = [tuple(batch[name].numpy() for name in names) for batch in pipeline.dataset().take(3)]
    with np.load(files["batches"]) as file:
        arrays = [file[f"arr_{number}"] for number in range(9)]
    theirs = list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))

    def rows(found):  # in any order: `Trainer`'s pipeline shuffles
        return sorted(np.hstack([np.concatenate(side) for side in zip(*found, strict=True)]).tolist())

    assert rows(ours) == rows(theirs)


def test_the_share_of_peak_is_operations_over_seconds(training, work, tmp_path):
    given = dataclasses.replace(work, corpus=tmp_path / "c.npz", batches=tmp_path / "b.npz", batch_size=100, length=7)
    tokens = training.write_random_batches(given, 3)
    flops = training.training_flops(given.sizes, given.vocabulary_size, 8, 7, 7)
    assert training.flops_per_round(given) == 3 * flops  # the first of four batches is not measured
    result = training.Result(10, [training.Measured(2.0)], 1.0)
    row = dict(zip(training.COLUMNS, training.cells("a", "bfloat16", result, result, tokens, 0.5), strict=True))
    assert row["share of peak"] == "25.0%"


class Fake:
    """Contenders that become slower and slower; the second is half as fast as the first."""

    parameters = 2_000_000

    def __init__(self, name, work=None):
        self.factor, self.rounds = {"keras_nmt": 1.0, "PyTorch": 2.0}[name], 0

    def train(self, updates):
        self.rounds += 1
        measured = load_script("benchmarks/training.py").Measured
        return measured(self.factor * updates * self.rounds, None if self.factor > 1 else 0.01, 1)

    def stop(self):
        return 1024.0


def serve(processes, make, monkeypatch):
    """The connection to a thread that serves a contender as a process does."""
    monkeypatch.setitem(processes.CONTENDERS, "PyTorch", make)
    ours, theirs = multiprocessing.Pipe()
    thread = threading.Thread(target=processes._serve, args=(theirs, "PyTorch", None), daemon=True)
    thread.start()
    return ours, thread


def test_a_process_answers_until_it_is_stopped(processes, monkeypatch):
    ours, thread = serve(processes, lambda work: Fake("PyTorch"), monkeypatch)
    assert ours.recv() == 2_000_000
    ours.send(3)
    assert ours.recv().seconds == 6.0
    ours.send(None)
    assert ours.recv() > 10  # MiB of this process
    thread.join()


def test_a_process_reports_why_it_fails(processes, monkeypatch):
    def make(work):
        raise ModuleNotFoundError("No module named 'torch'")

    ours, thread = serve(processes, make, monkeypatch)
    error = ours.recv()
    assert isinstance(error, UserError)
    assert str(error) == """PyTorch failed. Received: ModuleNotFoundError("No module named 'torch'")"""
    thread.join()


@pytest.fixture
def run(training, monkeypatch, texts):
    monkeypatch.setattr(training, "ContenderProcess", Fake)

    return functools.partial(run_main, training, "--data-dir", texts)


def test_prints_ratios_of_neighbouring_rounds(run):
    sizes = ("--vocabulary-size", 30, "--batch-size", 64, "--updates", 2, "--rounds", 3)
    output = run(*sizes, "--contenders", "keras_nmt,PyTorch", "--dtypes", "float32,bfloat16")
    rows = [line.split() for line in output.splitlines() if line.strip().startswith(("keras_nmt", "PyTorch"))]
    assert [row[:2] for row in rows] == [
        [name, dtype] for dtype in ("float32", "bfloat16") for name in ("keras_nmt", "PyTorch")
    ]
    assert [row[4] for row in rows] == ["1.000", "2.000"] * 2
    assert rows[0][2] == "2.00"  # millions of parameters
    assert rows[0][5] == "1,024"
