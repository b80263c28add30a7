"""Runs that adapt a trained model: low-rank adapters and frozen weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from configs import config
from training_runs import Kill

from keras_nmt.errors import UserError
from keras_nmt.experiments import dry_run, run
from keras_nmt.files.weights_file import arrays
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory
from keras_nmt.training import average_checkpoints

LORA = {"lora": {"rank": 2, "alpha": 4, "patterns": ["*attention/*", "embedding/table"]}, "max_updates": 6}


def mixed(one: dict) -> dict:
    """Old and new data: a third of the first corpus with all of the second, twice, in an epoch."""
    corpora = [{side: one[f"data.{part}.{side}"] for side in ("source", "target")} for part in ("train", "dev")]
    return {"data.train": corpora, "corpus_weights": [1 / 3, 2]}


def values(path: Path) -> dict[str, np.ndarray]:
    with h5py.File(path) as file:
        return {name: array[()] for name, array in arrays(file).items()}


@pytest.fixture(scope="module")
def base(tmp_path_factory, trained_one):
    return Path(shutil.copytree(trained_one, tmp_path_factory.mktemp("base") / "model"))


@pytest.fixture(scope="module")
def adapted(tmp_path_factory, base, one):
    """An adapter that was trained without a break, and the lines of its log."""
    folder, lines = tmp_path_factory.mktemp("adapted") / "run", []
    run(
        config(folder, {**one, **LORA, **mixed(one), "init_from": base}),
        report=lines.append,
    )
    return folder, lines


def test_a_killed_adapter_goes_on_as_if_it_had_not_been_killed(adapted, base, one, tmp_path):
    experiment = config(tmp_path / "run", {**one, **LORA, **mixed(one), "init_from": base})
    with pytest.raises(RuntimeError, match="crash"):
        run(experiment, report=str, callbacks=[Kill(3, None)])
    assert not (tmp_path / "run" / "model.weights.h5").exists()
    run(experiment, report=str)
    for name in ("adapter.weights.h5", "model.weights.h5", "checkpoints/update-4.weights.h5"):
        found, expected = values(tmp_path / "run" / name), values(adapted[0] / name)
        assert set(found) == set(expected)
        for key, value in expected.items():
            np.testing.assert_array_equal(found[key], value)


def test_an_adapter_is_a_small_file_beside_a_model_that_has_it(adapted, base, one):
    folder, lines = adapted
    assert f"{sum(map(np.size, values(folder / 'adapter.weights.h5').values())):,} of them are trained" in lines
    results = json.loads((folder / "results.json").read_text())
    assert results["parameters"] == ModelDirectory(base).load_model().count_params(), "without the factors"
    found = values(folder / "adapter.weights.h5")
    assert {name.rpartition("/")[2] for name in found} == {
        f"lora_{k}_{i}" for k in ("kernel", "embeddings") for i in "ab"
    }
    # Update 0 is the base; training has changed every factor B.
    assert [line for line in lines if line.startswith("Warm start: ")]
    assert all(np.abs(value).max() > 0 for name, value in found.items() if name.endswith("_b"))
    before, after = (ModelDirectory(path).load_model() for path in (base, folder))
    changed = [w.path for w, v in zip(after.weights, before.weights, strict=True) if (w.numpy() != v.numpy()).any()]
    factors = {name.removesuffix("_b").replace("/lora_", "/") for name in found if name.endswith("_b")}
    assert set(changed) == factors
    sources = Path(one["data.test.source"]).read_text().splitlines()
    merged = Translator.from_directory(folder).translate(sources)
    beside = Translator.from_directory(base, adapter=folder / "adapter.weights.h5").translate(sources)
    assert [x.text for x in merged] == [x.text for x in beside]
    assert merged != Translator.from_directory(base).translate(sources)
    checkpoint = folder / "checkpoints" / "update-4.weights.h5"  # an adapter, too
    assert Translator.from_directory(base, adapter=checkpoint).translate(sources[:2])
    with pytest.raises(UserError, match="name another file"):
        average_checkpoints(folder)
    assert average_checkpoints(folder, number=2, output=folder / "adapter.average.weights.h5") == [4, 6]
    assert Translator.from_directory(base, adapter=folder / "adapter.average.weights.h5").translate(sources[:2])


def test_an_adapter_of_an_int8_model_trains(base, one, tmp_path):
    settings = {**one, **LORA, "lora": {"rank": 2, "quantize": "int8"}, "max_updates": 2}
    run(config(tmp_path / "run", {**settings, "init_from": base}), report=str)
    found = values(tmp_path / "run" / "adapter.weights.h5")
    assert all(np.abs(value).max() > 0 for name, value in found.items() if name.endswith("_b"))
    assert {w.dtype for w in ModelDirectory(tmp_path / "run").load_model().weights if "kernel" in w.path} == {"float32"}


def test_a_changed_base_is_an_error(adapted, base, one, tmp_path):
    other = Path(shutil.copytree(base, tmp_path / "other"))
    model = ModelDirectory(other).load_model()
    model.weights[0].assign(model.weights[0].numpy() + 1)
    ModelDirectory(other).save_weights(model)
    with pytest.raises(UserError, match="belongs to other weights"):
        Translator.from_directory(other, adapter=adapted[0] / "adapter.weights.h5")
    folder = shutil.copytree(adapted[0], tmp_path / "run")
    longer = {**one, **LORA, **mixed(one), "max_updates": 8}
    with pytest.raises(UserError, match="adapter of other weights"):
        run(config(folder, {**longer, "init_from": other}), report=str)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "`lora` needs `init_from`.* init_from=None"),
        ({"init_from": "x", "frozen": ["encoder/*"]}, r"goes with none of.*frozen=\['encoder/\*'\]"),
        ({"init_from": "x", "lora": {"rank": -1}}, "`rank` must be"),
    ],
)
def test_settings_that_contradict_an_adapter_are_one_line(one, settings, message):
    with pytest.raises(UserError, match=message):
        config("x", {**one, **LORA, **settings})


def test_frozen_weights_stay_bit_for_bit(base, one, tmp_path):
    frozen = {"frozen": ["*embedding*", "encoder/*/feed_forward/*"], "init_from": base}
    lines: list[str] = []
    dry_run(config(tmp_path / "run", {**one, **frozen}), report=lines.append)
    run(config(tmp_path / "run", {**one, **frozen}), report=str)
    before, after = (ModelDirectory(path).load_model() for path in (base, tmp_path / "run"))
    trained = 0
    for old, new in zip(before.weights, after.weights, strict=True):
        is_frozen = "embedding" in new.path or ("encoder/" in new.path and "/feed_forward/" in new.path)
        assert (old.numpy() == new.numpy()).all() == is_frozen, new.path
        trained += 0 if is_frozen else old.numpy().size
    assert f"{trained:,} of them are trained" in lines
