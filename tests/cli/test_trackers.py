"""The setting `tracker`, with each tracker run for real without a server.

The tests need the extra `trackers`.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sqlite3
import struct
import subprocess
import sys

import pytest

pytestmark = pytest.mark.nightly
METRICS = ["loss", "val_bleu", "val_loss"]


def needs(name):
    return pytest.mark.skipif(importlib.util.find_spec(name) is None, reason=f"{name} is not installed")


@pytest.fixture
def track(tmp_path, corpus, trained):
    """Goes on training a model with a tracker, in two starts; returns the evaluations and scores of the run's files."""
    settings = json.loads((trained / "settings.json").read_text())
    settings |= {"directory": "runs/one", "init_from": str(trained), "dev_sentences": 8, "best_metric": "loss"}
    settings |= {"max_updates": 2, "evaluate_every": 2, "log_every": 1, "dev_metrics": ["bleu", "loss"]}
    (tmp_path / "settings.json").write_text(json.dumps(settings))

    def run(tracker, **environment):
        for max_updates in (2, 4):
            command = ["-c", "from keras_nmt.cli.app import main; main()", "train", "--settings", "settings.json"]
            changes = ["--set", f"tracker={tracker}", "--set", "tracker_project=trial"]
            done = subprocess.run(
                [sys.executable, *command, *changes, "--set", f"max_updates={max_updates}"],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        lines = (tmp_path / "runs" / "one" / "training_log.jsonl").read_text().splitlines()
        evaluations = [entry for entry in map(json.loads, lines) if "val_bleu" in entry and "final" not in entry]
        assert len(evaluations) == 2
        assert evaluations[0]["val_bleu"] > 0
        (scores,) = json.loads((tmp_path / "runs" / "one" / "results.json").read_text())["test"].values()
        return evaluations, scores["bleu"]["score"]

    return run


def assert_tracked(tracked, evaluations):
    """The tracked values of each epoch are those of the run's log."""
    assert len(tracked) == len(evaluations)
    for values, evaluation in zip(tracked, evaluations, strict=True):
        for name in ("val_bleu", "val_loss"):
            assert values[name] == pytest.approx(evaluation[name])
        assert 0 < values["loss"] < 10


@needs("mlflow")
@pytest.mark.parametrize("store", ["sqlite:///{}/mlflow.db", "file://{}/mlruns"])
def test_mlflow(track, tmp_path, monkeypatch, store):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    store = store.format(tmp_path)
    evaluations, test_bleu = track("mlflow", MLFLOW_TRACKING_URI=store)
    client = mlflow.MlflowClient(store)
    (run,) = client.search_runs([client.get_experiment_by_name("trial").experiment_id])
    assert run.info.run_name == "one"
    assert run.info.status == "FINISHED"
    assert run.data.params["preset"] == "transformer_tiny"
    history = {name: {x.step: x.value for x in client.get_metric_history(run.info.run_id, name)} for name in METRICS}
    assert_tracked([{name: history[name][epoch] for name in METRICS} for epoch in range(2)], evaluations)
    assert run.data.metrics["test_bleu"] == test_bleu


@needs("trackio")
def test_trackio(track, tmp_path):
    evaluations, test_bleu = track("trackio", TRACKIO_DIR=str(tmp_path / "trackio"))
    (database,) = (tmp_path / "trackio").glob("trial*.db")
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT step, metrics, run_name FROM metrics ORDER BY id").fetchall()
        ((title, configuration),) = connection.execute("SELECT run_name, config FROM configs").fetchall()
    assert {name for _, _, name in rows} == {title} == {"one"}
    assert json.loads(configuration)["preset"] == "transformer_tiny"
    tracked = [(step, json.loads(metrics)) for step, metrics, _ in rows]
    epochs = [(step, values) for step, values in tracked if "loss" in values]
    assert [step for step, _ in epochs] == [0, 1]
    assert_tracked([values for _, values in epochs], evaluations)
    assert tracked[-1][1]["test_bleu"] == test_bleu


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
    evaluations, test_bleu = track("wandb", WANDB_MODE="offline", WANDB_DIR=str(tmp_path), WANDB_SILENT="true")
    tracked, ids = [], set()
    for path in sorted(tmp_path.glob("wandb/offline-run-*/*.wandb")):  # `wandb sync` joins the starts by the run's id
        records = [*read_wandb(path)]
        runs = [record.run for record in records if record.run.display_name]
        assert {run.display_name for run in runs} == {"one"}
        ids |= {run.run_id for run in runs}
        rows = [record.history.item for record in records if record.history.item]
        for row in rows:
            values = {"/".join(x.nested_key).removeprefix("epoch/"): json.loads(x.value_json) for x in row}
            tracked.append({**{x.key: json.loads(x.value_json) for x in row if x.key}, **values})
    assert len(ids) == 1
    assert_tracked([values for values in tracked if "loss" in values], evaluations)
    assert tracked[-1]["test_bleu"] == test_bleu
