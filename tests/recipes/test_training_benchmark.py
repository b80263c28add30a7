"""The benchmark of training speed: all contenders do the same work, in turn, each in a separate process."""

from __future__ import annotations

import functools
import multiprocessing
import random
import sys
import threading

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError


@pytest.fixture(scope="module")
def training():
    return load_script("benchmarks/training.py")


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
def ours(training, work):
    return training.Ours(work)


@pytest.mark.nightly
def test_updates_are_traced_once(ours):
    measured = [ours.train(2) for _ in range(2)]
    assert [round_.traces for round_ in measured] == [1, 1]
    assert all(0 <= round_.waited < round_.seconds for round_ in measured)


@pytest.mark.nightly
def test_contenders_with_xla_are_compiled(training, work):
    assert training.CONTENDERS["keras_nmt with XLA"](work)._trainer.computation.jit_compile
    assert training.CONTENDERS["keras_hub with XLA"](work)._model.jit_compile


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["keras_hub", "PyTorch"])
def test_peers_do_the_same_work(training, work, ours, name):
    if name == "PyTorch":
        pytest.importorskip("torch")
    peer = training.CONTENDERS[name](work)
    assert peer.train(2).seconds > 0
    assert peer.parameters == pytest.approx(ours.parameters, rel=0.05)


class Fake:
    """Contenders that become slower and slower; the second is half as fast as the first."""

    parameters = 2_000_000

    def __init__(self, name, work=None):
        self.factor, self.rounds = {"keras_nmt": 1.0, "PyTorch": 2.0}[name], 0

    def train(self, updates):
        self.rounds += 1
        module = sys.modules["recipes_benchmarks_training"]
        return module.Measured(self.factor * updates * self.rounds, None if self.factor > 1 else 0.01, 1)

    def stop(self):
        return 1024.0


def test_a_process_answers_until_it_is_stopped(training, monkeypatch):
    monkeypatch.setitem(training.CONTENDERS, "PyTorch", lambda work: Fake("PyTorch"))
    ours, theirs = multiprocessing.Pipe()
    thread = threading.Thread(target=training._serve, args=(theirs, "PyTorch", None), daemon=True)
    thread.start()
    assert ours.recv() == 2_000_000
    ours.send(3)
    assert ours.recv().seconds == 6.0
    ours.send(None)
    assert ours.recv() > 10  # MiB of this process
    thread.join()


@pytest.fixture
def run(training, monkeypatch, texts):
    monkeypatch.setattr(training, "Process", Fake)

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


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--preset", "huge"], "Received: preset='huge'"),
        (["--contenders", "keras_nmt,moses"], "Received: moses"),
        (["--dtypes", "float8"], "Received: float8"),
        (["--rounds", 0], "Sizes must be at least 1. Received: .* rounds=0"),
        (["--data-dir", "nowhere"], "nowhere"),
    ],
)
def test_bad_options_are_an_error_of_one_line(run, arguments, match):
    with pytest.raises((UserError, FileNotFoundError), match=match):
        run(*arguments)
