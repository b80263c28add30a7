"""The sweep over learning rates: its table, its suggestion, and no trace of a model."""

from __future__ import annotations

import numpy as np
import pytest

from keras_nmt.errors import UserError
from keras_nmt.experiments import Experiment, find_learning_rate
from keras_nmt.experiments.learning_rate_finder import smooth, steepest


@pytest.mark.parametrize("schedule", ["noam", pytest.param("constant", marks=pytest.mark.nightly)])
def test_a_sweep_writes_rates_and_losses_and_suggests_a_rate_and_no_model(one, tmp_path, schedule):
    settings = {**one, "schedule": schedule, "warmup_steps": 100, "ema": 0.9, "dtype": "mixed_float16"}
    lines = []
    experiment = Experiment(directory=tmp_path / "model", **settings)
    rate = find_learning_rate(experiment, tmp_path / "sweep", updates=60, report=lines.append)
    assert not (tmp_path / "model").exists()
    assert {path.name for path in (tmp_path / "sweep").iterdir()} == {"learning_rates.tsv", "learning_rates.svg"}
    table = np.loadtxt(tmp_path / "sweep" / "learning_rates.tsv", skiprows=1)
    assert 10 < len(table) <= 60
    np.testing.assert_allclose(table[:, 0], np.geomspace(1e-7, 10, 60)[: len(table)], rtol=1e-5)
    assert np.isclose(table[:, 0], rate, rtol=1e-4).any()
    assert 1e-5 < rate < 1
    setting = float(lines[-1].split("--set learning_rate=")[1].split()[0])
    peak = {"constant": setting, "noam": setting * 16**-0.5 * 100**-0.5}[schedule]  # equation 3 of the Transformer
    assert peak == pytest.approx(rate, rel=0.01)


def test_losses_depend_on_the_rates(one, tmp_path):
    """Plain descent with tiny rates changes nothing; with large rates the losses fall or diverge."""
    experiment = Experiment(
        directory=tmp_path / "model", **{**one, "optimizer": "sgd", "final": "best", "keep_last": 0}
    )
    find_learning_rate(experiment, tmp_path, updates=40, report=lambda line: None)
    losses = np.loadtxt(tmp_path / "learning_rates.tsv", skiprows=1)[:, 1]
    assert np.ptp(losses[:10]) < 0.3
    assert np.ptp(losses) > 0.5


def test_the_suggestion_is_the_rate_of_the_steepest_fall():
    rates = np.geomspace(1e-7, 10, 81)
    losses = 9 - 5 / (1 + np.exp(-3 * np.log10(rates / 1e-3))) + 100 * (rates > 1)
    assert steepest(rates, losses) == pytest.approx(1e-3)
    with pytest.raises(UserError, match="falls at no learning rate"):
        steepest(rates, np.arange(81.0))


def test_smoothed_losses_have_no_bias_and_are_infinite_from_nan_on():
    np.testing.assert_allclose(smooth([3.0, 3.0, 3.0]), 3.0)
    assert smooth([3.0, float("nan"), 3.0]).tolist() == pytest.approx([3.0, np.inf, np.inf])


def test_a_sweep_of_few_updates_is_refused(one, tmp_path):
    with pytest.raises(UserError, match="Received: 9"):
        find_learning_rate(Experiment(directory=tmp_path, **one), tmp_path, updates=9)
