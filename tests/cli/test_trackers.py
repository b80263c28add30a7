"""The trackers of docs/how_to/track_experiments.md, run for real without a server.

Each test needs the tracker, which no extra installs: `pip install mlflow wandb trackio`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly
PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "track_experiments.md"
METRICS = ["loss", "val_bleu", "val_loss"]


def needs(name):
    return pytest.mark.skipif(importlib.util.find_spec(name) is None, reason=f"{name} is not installed")


@pytest.fixture
def track(tmp_path, corpus, trained):
    """Goes on training a model with a factory of the page; returns the evaluations of the run's own log."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "trackers.py").write_text(code)
    settings = json.loads((trained / "settings.json").read_text())
    settings |= {"directory": "runs/one", "init_from": str(trained), "test_source": None, "test_target": None}
    settings |= {"max_updates": 4, "evaluate_every": 2, "log_every": 1, "dev_metrics": ["bleu", "loss"]}
    (tmp_path / "settings.json").write_text(json.dumps({**settings, "dev_sentences": 8, "best_metric": "loss"}))

    def run(factory, **environment):
        command = ["-c", "from keras_nmt.cli.app import main; main()", "train", "--settings", "settings.json"]
        path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
        done = subprocess.run(
            [sys.executable, *command, "--callbacks", f"trackers:{factory}"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        lines = (tmp_path / "runs" / "one" / "training_log.jsonl").read_text().splitlines()
        found = [entry for entry in map(json.loads, lines) if "val_bleu" in entry and "final" not in entry]
        assert len(found) == 2
        assert found[0]["val_bleu"] > 0
        return found

    return run


def assert_tracked(tracked, evaluations):
    """The tracked values of each epoch are those of the run's log."""
    assert len(tracked) == len(evaluations)
    for values, evaluation in zip(tracked, evaluations, strict=True):
        for name in ("val_bleu", "val_loss"):
            assert values[name] == pytest.approx(evaluation[name])
        assert 0 < values["loss"] < 10


@needs("mlflow")
def test_mlflow(track, tmp_path):
    evaluations = track("with_mlflow", MLFLOW_TRACKING_URI=f"sqlite:///{tmp_path}/mlflow.db")
    import mlflow

    client = mlflow.MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    (run,) = client.search_runs([client.get_experiment_by_name("translation").experiment_id])
    assert run.info.run_name == "one"
    assert run.info.status == "FINISHED"
    assert run.data.params["preset"] == "transformer_tiny"
    history = {name: {x.step: x.value for x in client.get_metric_history(run.info.run_id, name)} for name in METRICS}
    assert_tracked([{name: history[name][epoch] for name in METRICS} for epoch in range(2)], evaluations)


@needs("trackio")
def test_trackio(track, tmp_path):
    evaluations = track("with_trackio", TRACKIO_DIR=str(tmp_path / "trackio"))
    (database,) = (tmp_path / "trackio").glob("translation*.db")
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT step, metrics FROM metrics ORDER BY step").fetchall()
        (configuration,) = connection.execute("SELECT config FROM configs").fetchone()
    assert [step for step, _ in rows] == [0, 1]
    assert json.loads(configuration)["preset"] == "transformer_tiny"
    assert_tracked([json.loads(metrics) for _, metrics in rows], evaluations)


def read_wandb(path):
    """The records of an offline run: the format of LevelDB's logs, blocks of 32 KiB, behind a header of 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    data, position, record = path.read_bytes(), 7, b""
    assert data.startswith(b":W&B")
    while position < len(data):
        if -position % 32768 < 7:  # padding at the end of a block
            position += -position % 32768
            continue
        _, length, kind = struct.unpack("<IHB", data[position : position + 7])
        record += data[position + 7 : position + 7 + length]
        position += 7 + length
        if kind in (1, 4):  # a whole record, or the last part of one
            yield Record.FromString(record)
            record = b""


@needs("wandb")
def test_wandb(track, tmp_path):
    evaluations = track("with_wandb", WANDB_MODE="offline", WANDB_DIR=str(tmp_path), WANDB_SILENT="true")
    (path,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    records = [*read_wandb(path)]
    (run,) = {record.run.display_name for record in records if record.run.display_name}
    assert run == "one"
    rows = [record.history.item for record in records if record.history.item]
    tracked = [{"/".join(x.nested_key).removeprefix("epoch/"): json.loads(x.value_json) for x in row} for row in rows]
    assert_tracked(tracked, evaluations)
