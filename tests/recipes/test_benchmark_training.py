"""The benchmark of training speed: all contenders do the same work."""

import dataclasses
import random

import numpy as np
import pytest
from scripts import load_script

pytestmark = pytest.mark.nightly
SCRIPT = "benchmarks/training.py"


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
def work(script, texts):
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    work = script.Work(
        vocabulary_size=30,
        sizes={**layers, "hidden_dim": 32, "num_heads": 2, "intermediate_dim": 64},
        dropout=0.1,
        dtype="float32",
        threads=0,
        cpu_time=True,
        batch_size=64,
        corpus=texts / "corpus.npz",
        batches=texts / "batches.npz",
    )
    assert script.write_batches(work, [texts / "train.en", texts / "train.de"], 2) > 0
    return work


@pytest.fixture(scope="module")
def ours(processes, work):
    return processes.Ours(work)


def test_updates_are_traced_once(ours):
    measured = [ours.train(2) for _ in range(2)]
    assert [round_.traces for round_ in measured] == [1, 1]
    assert all(0 <= round_.waited < round_.seconds for round_ in measured)


def test_contenders_with_xla_are_compiled(processes, work):
    assert processes.CONTENDERS["keras_nmt with XLA"](work)._trainer.update_config.jit_compile
    assert processes.CONTENDERS["keras_hub with XLA"](work)._model.jit_compile


@pytest.mark.parametrize("name", ["keras_hub", "PyTorch", "PyTorch compiled", "Marian"])
def test_peers_do_the_same_work(processes, work, ours, name):
    if module := {"PyTorch": "torch", "Marian": "pymarian"}.get(name.split()[0]):
        pytest.importorskip(module)
    peer = processes.CONTENDERS[name](work)
    assert peer.train(2).seconds > 0
    assert peer.parameters == pytest.approx(ours.parameters, rel=0.05)


def test_random_sentences_are_the_same_batches_for_all(script, processes, work, tmp_path):
    files = {"corpus": tmp_path / "corpus.npz", "batches": tmp_path / "batches.npz"}
    given = dataclasses.replace(work, **files, batch_size=100, length=7)
    assert script.write_random_batches(given, 2) == 2 * 8 * 7
    pipeline = processes.training_batches(given)
    assert pipeline.shapes == [(8, 7, 7)]
    names = ("source", "target_input", "target_output")
    ours = [tuple(batch[name].numpy() for name in names) for batch in pipeline.dataset().take(3)]
    with np.load(files["batches"]) as file:
        arrays = [file[f"arr_{number}"] for number in range(9)]
    theirs = list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))

    def rows(found):  # in any order: `Trainer`'s pipeline shuffles
        return sorted(np.hstack([np.concatenate(side) for side in zip(*found, strict=True)]).tolist())

    assert rows(ours) == rows(theirs)


def test_the_share_of_peak_is_operations_over_seconds(script, work, tmp_path):
    given = dataclasses.replace(work, corpus=tmp_path / "c.npz", batches=tmp_path / "b.npz", batch_size=100, length=7)
    tokens = script.write_random_batches(given, 3)
    flops = script.training_flops(given.sizes, given.vocabulary_size, 8, 7, 7)
    assert script.flops_per_round(given) == 3 * flops  # the first of four batches is not measured
    result = script.Result(10, [script.Measured(2.0)], 1.0)
    row = dict(zip(script.COLUMNS, script.cells("a", "bfloat16", result, result, tokens, 0.5), strict=True))
    assert row["share of peak"] == "25.0%"
