"""The attentive recurrent decoder and greedy search against TensorFlow Addons' results in luong.npz."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keras import ops

from keras_nmt.decoding import greedy_search, length_penalty
from keras_nmt.ids import BOS, EOS
from keras_nmt.layers import AttentiveRecurrentDecoder

FOLDER = Path(__file__).parent
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
LIMIT = 14
REMAKE = "KERAS_NMT_REMAKE_ORACLES"


@pytest.fixture(scope="module")
def golden() -> dict[str, np.ndarray]:
    with np.load(FOLDER / "luong.npz") as file:
        return dict(file)


@pytest.fixture(scope="module")
def mask(golden) -> np.ndarray:
    return np.arange(golden["memory"].shape[1]) < golden["memory_lengths"][:, None]  # [B, S]


@pytest.fixture(scope="module")
def decoder(golden) -> AttentiveRecurrentDecoder:
    """The package's decoder with the weights of the file."""
    layers, units = golden["initial_state"].shape[0], golden["initial_state"].shape[-1]
    decoder = AttentiveRecurrentDecoder(layers, units, score="general", input_feeding=True)
    decoder.build((None, None, golden["embedding"].shape[1]), (None, None, golden["memory"].shape[-1]))
    names = {weight.path.split("/", 1)[1]: weight for weight in decoder.weights}
    for name, weight in names.items():  # "cell_0/kernel" is "cell_0_kernel" in the file
        weight.assign(golden[name.replace("/", "_")])
    assert len(names) == 3 * layers + 2
    return decoder


def as_step(golden, decoder, mask) -> Any:
    """The decoder's step from ids to logits, as a search calls it, with constants and caches."""
    states = [list(state) for state in golden["initial_state"]]
    constants, caches = decoder.prepare(golden["memory"], 1, initial_state=states)
    constants = {"decoder": constants, "mask": ops.convert_to_tensor(mask)}

    def step(tokens: Any, position: Any, constants: Any, caches: Any) -> tuple[Any, Any]:
        embedded = ops.take(golden["embedding"], tokens, axis=0)  # [B, K, e]
        states, caches = decoder.step(embedded, position, constants["decoder"], caches, constants["mask"])
        return ops.matmul(states, golden["output_kernel"]) + golden["output_bias"], caches

    return step, constants, caches


def test_teacher_forced_states_and_attention(golden, decoder, mask):
    states, attention = decoder(
        golden["embedding"][golden["targets"]],
        golden["memory"],
        [list(state) for state in golden["initial_state"]],
        memory_mask=ops.convert_to_tensor(mask),
        return_attention_scores=True,
    )
    np.testing.assert_allclose(states, golden["forced_states"], **CLOSE)
    np.testing.assert_allclose(attention, golden["forced_attention"], **CLOSE)


def test_steps_and_final_states(golden, decoder, mask):
    _, constants, caches = as_step(golden, decoder, mask)
    for position, ids in enumerate(golden["targets"].T):
        embedded = golden["embedding"][ids][:, None]  # [B, 1, e]
        states, caches = decoder.step(embedded, position, constants["decoder"], caches, constants["mask"])
        np.testing.assert_allclose(states[:, 0], golden["forced_states"][:, position], **CLOSE)
    np.testing.assert_allclose(caches["attentional"][:, 0], golden["forced_states"][:, -1], **CLOSE)
    final = np.reshape([x[:, 0] for x in caches["states"]], golden["forced_final_state"].shape)  # [L, 2, B, u]
    np.testing.assert_allclose(final, golden["forced_final_state"], **CLOSE)


def test_greedy_decoding(golden, decoder, mask):
    step, constants, caches = as_step(golden, decoder, mask)
    options = {"batch_size": len(mask), "max_length": LIMIT, "min_length": 0, "suppress": ()}
    result = greedy_search(step, constants, caches, **options)
    lengths = golden["greedy_lengths"]
    assert len(set(lengths.tolist())) > 3
    assert max(lengths) == LIMIT, "sentences of several lengths, one of them truncated"
    np.testing.assert_array_equal(result.lengths[:, 0], lengths)
    there = np.arange(LIMIT) < lengths[:, None]
    np.testing.assert_array_equal(result.tokens[:, 0], np.where(there, golden["greedy_ids"], 0))

    last = np.full((len(mask), 1), BOS, "int32")
    for position in range(LIMIT):
        logits, caches = step(last, position, constants, caches)
        compared = there[:, position]
        np.testing.assert_allclose(logits.numpy()[compared, 0], golden["greedy_logits"][compared, position], **CLOSE)
        last = golden["greedy_ids"][:, position : position + 1]


def test_length_penalty(golden):
    for alpha, expected in zip(golden["penalty_alphas"], golden["penalties"], strict=True):
        np.testing.assert_allclose(length_penalty(golden["penalty_lengths"], float(alpha)), expected, **CLOSE)


def test_the_file_is_small_and_has_the_ids_of_the_package(golden):
    assert sum(file.stat().st_size for file in FOLDER.glob("*.npz")) < 50_000
    assert all(value.dtype in ("float32", "int32", "bool") for value in golden.values())
    assert {BOS, EOS} == {2, 3}, "make_luong.py has them, too"


@pytest.mark.nightly
def test_the_script_makes_the_same_file(golden, tmp_path):
    if not os.environ.get(REMAKE):
        pytest.skip(f"Makes an environment with TensorFlow Addons; set {REMAKE}=1 for that")
    python = shutil.which("python3.11")
    if python is None:
        pytest.fail(f"{REMAKE} is set, but there is no python3.11, the last for which TensorFlow Addons exists")
    with tempfile.TemporaryDirectory() as addons:  # deleted at once: more than a gigabyte
        subprocess.run([python, "-m", "venv", addons], check=True)
        own = Path(addons) / "bin" / "python"
        subprocess.run([own, "-m", "pip", "install", "--quiet", "-r", FOLDER / "requirements.txt"], check=True)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([own, FOLDER / "make_luong.py", tmp_path / "luong.npz"], check=True, env=environment)
    with np.load(tmp_path / "luong.npz") as file:
        made = dict(file)
    assert made.keys() == golden.keys()
    for name, value in made.items():
        if value.dtype == "float32":
            np.testing.assert_allclose(value, golden[name], rtol=1e-5, atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(value, golden[name], err_msg=name)
