"""Comparisons of runs that are written by hand instead of trained; `tests/recipes/test_multi30k.py` trains one."""

from __future__ import annotations

import functools
import gzip
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from comparisons import LINES, planned, write_run, write_speed

from keras_nmt.errors import UserError
from keras_nmt.evaluation import paired_bootstrap_of_runs
from keras_nmt.experiments import Comparison, ExperimentConfig, compare, comparison_table
from keras_nmt.experiments import comparison as module
from keras_nmt.experiments.comparison import finished_runs, write_table
from keras_nmt.experiments.kept_runs import check_keeping, keep_runs, read_kept_runs, restore_runs
from keras_nmt.files.settings import merge_settings


def run(*arguments, **options):
    return compare(planned(*arguments, **options), report=str)


@pytest.fixture
def calls(monkeypatch):
    """Instead of processes that train and measure: a list of their tasks, and files like theirs."""
    made = []

    def python(function, experiment, *arguments, imports=()):
        folder = Path(experiment.directory)
        if function == "_train":
            made.append(f"train {folder.name}")
            write_run(experiment)
        else:
            at, *directions = arguments
            assert directions == [d.name for d in experiment.directions if d.tests]
            made.append(f"measure {folder.name}")
            write_speed(folder, at, [10.0, 12.34, 40.0])

    monkeypatch.setattr(module, "_python", python)
    return made


def with_weights(folder):
    """A model directory, as far as a comparison reads it before a training."""
    folder.mkdir()
    (folder / "model.weights.h5").write_bytes(b"trained")
    return folder


def test_seeds_are_trained_in_turn_and_finished_runs_are_kept(files, tmp_path, calls):
    folder = tmp_path / "runs"
    run(files, folder)
    assert calls == [f"train {name}-{seed}" for seed in (1, 2) for name in ("baseline", "plain")]
    calls.clear()
    run(files, folder)
    assert calls == []
    run(files, folder, seeds=(1, 2, 3), fusion={"model": {"shortcuts": "fusion"}})
    assert calls == ["train fusion-1", "train fusion-2", "train baseline-3", "train fusion-3"]


def test_a_difference_is_computed_once_and_is_that_of_a_new_table(files, tmp_path, calls, monkeypatch):
    """The bootstrap of many arms and directions takes minutes, and a table is written after every run."""
    compared = []

    def bootstrap(systems, *lines, **options):
        compared.append({name: len(runs) for name, runs in systems.items()})
        return paired_bootstrap_of_runs(systems, *lines, **options)

    monkeypatch.setattr(comparison_table, "paired_bootstrap_of_runs", bootstrap)
    comparison = planned(files, tmp_path / "runs", clipped={"clip": 1.0}, noisy={"model": {"dropout": 0.2}})
    found = compare(comparison, report=str)
    assert compared == [{"source-target": seeds} for seeds in (1, 1, 2, 2)]
    assert found == write_table(comparison)


def test_speeds_are_measured_on_request_and_all_of_them_again_if_one_is_missing(files, tmp_path, calls):
    folder, speed = tmp_path / "runs", {"decoding_speed": True}
    run(files, folder, seeds=(1,))
    calls.clear()
    run(files, folder, seeds=(1,), **speed)
    assert calls == ["measure baseline-1", "measure plain-1"] * 3
    calls.clear()
    run(files, folder, seeds=(1,), **speed)
    assert calls == []
    write_speed(folder / "plain-1", "another moment", [10.0, 12.34])  # interrupted
    run(files, folder, seeds=(1,), **speed)
    assert calls == ["measure baseline-1", "measure plain-1"] * 3
    calls.clear()
    # Speeds of one moment say nothing about those of another.
    run(files, folder, seeds=(1,), fusion={"model": {"shortcuts": "fusion"}}, **speed)
    assert calls == ["train fusion-1", *["measure baseline-1", "measure fusion-1"] * 3]


def test_a_failed_run_is_named_and_the_table_shows_the_finished_runs(files, tmp_path, calls, monkeypatch):
    python = module._python

    def fail(*arguments, **options):
        if len(calls) == 2:
            raise UserError("No memory. Received: little")
        python(*arguments, **options)

    monkeypatch.setattr(module, "_python", fail)
    with pytest.raises(UserError, match="^fusion, seed 1: No memory. Received: little$"):
        run(files, tmp_path / "runs", plain={"model": {"shortcuts": "plain"}}, fusion={})
    assert calls == ["train baseline-1", "train plain-1"]
    rows = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[2:5]
    assert [row.split("|")[5].strip() for row in rows] == ["1 of 2", "1 of 2", "0 of 2"]
    monkeypatch.setattr(module, "_python", python)
    calls.clear()
    run(files, tmp_path / "runs", plain={"model": {"shortcuts": "plain"}}, fusion={})
    assert calls[:2] == ["train fusion-1", "train baseline-2"]


def test_speed_is_measured_again_if_the_weights_are_others_whatever_the_clock(files, tmp_path, calls):
    def measure():
        run(files, tmp_path / "runs", seeds=(1,), decoding_speed=True)

    measure()
    calls.clear()
    for path in (tmp_path / "runs").glob("*/speed.json"):
        os.utime(path, (1, 1))
    measure()
    assert calls == []
    (tmp_path / "runs" / "plain-1" / "model.weights.h5").write_bytes(b"trained again")
    os.utime(tmp_path / "runs" / "plain-1" / "model.weights.h5", (0, 0))
    measure()
    assert calls == ["measure baseline-1", "measure plain-1"] * 3


def test_speed_is_measured_again_after_another_search(files, tmp_path, calls):
    run(files, tmp_path / "runs", seeds=(1,), decoding_speed=True)
    calls.clear()
    (tmp_path / "runs" / "plain-1" / "config.json").write_text('{"search": {"beam_size": 1}}')
    run(files, tmp_path / "runs", seeds=(1,), decoding_speed=True)
    assert calls == ["measure baseline-1", "measure plain-1"] * 3


def test_without_test_data_there_is_no_test_and_no_speed(files, tmp_path, monkeypatch, calls):
    files = {name: path for name, path in files.items() if not name.startswith("data.test")}
    run(files, tmp_path / "runs", seeds=(1,), decoding_speed=True)
    assert calls == ["train baseline-1", "train plain-1"]
    rows = (tmp_path / "runs" / "comparison.md").read_text().splitlines()
    assert rows[3] == "| plain | 1,001 | 200 | | 1 of 1 | 30.00 | | | | | | | |"


def test_a_finished_run_with_other_settings_is_not_taken_nor_overwritten(files, tmp_path, calls):
    run(files, tmp_path / "runs")
    calls.clear()
    with pytest.raises(
        UserError,
        match=r"plain-1 holds.*model.dropout=0.5 \(was None\), model.shortcuts=None \(was 'plain'\)",
    ):
        run(files, tmp_path / "runs", plain={"model": {"dropout": 0.5}})
    run(files, tmp_path / "runs", plain={"model": {"shortcuts": "plain"}, "logging.every": 7})
    assert calls == []


def test_a_comparison_continues_in_another_folder_with_the_same_data_only(files, tmp_path, calls):
    written = run(files, tmp_path / "runs")
    calls.clear()
    moved = {name: tmp_path / f"{name}.gz" for name in files}
    for name, path in moved.items():
        path.write_bytes(gzip.compress(files[name].read_bytes()))
        files[name].unlink()
    shutil.move(tmp_path / "runs", tmp_path / "elsewhere")
    assert run(moved, tmp_path / "elsewhere") == written
    assert calls == []
    moved["data.dev.target"].write_text("another line\n" * len(LINES))
    with pytest.raises(UserError, match=r"baseline-1 holds a finished run.*: dev source-target \(was another text\)$"):
        run(moved, tmp_path / "elsewhere")


def test_a_run_continued_with_more_updates_is_not_finished(files, tmp_path, calls):
    run(files, tmp_path / "runs", seeds=(1,))
    path = tmp_path / "runs" / "plain-1" / "results.json"
    results = json.loads(path.read_text())
    path.write_text(json.dumps({**results, "updates": 50, "limits": {**results["limits"], "max_updates": 50}}))
    assert list(finished_runs(planned(files, tmp_path / "runs", seeds=(1,)))) == [("baseline", 1)]


def test_a_run_continued_after_its_time_limit_is_not_finished(files, tmp_path):
    def comparison(minutes):
        return planned({**files, "max_updates": None, "time_limit": minutes}, tmp_path / "runs", seeds=(1,))

    config = comparison(30.0).runs["baseline"][1]
    write_run(config)

    def finished(minutes):  # as of a run that goes on: its settings are written, its results those of its first end
        longer = merge_settings(ExperimentConfig, config.settings(), {"time_limit": minutes})
        (config.directory / "settings.json").write_text(json.dumps(longer))
        return list(finished_runs(comparison(minutes)))

    assert finished(30.0) == [("baseline", 1)]
    assert finished(60.0) == []


def test_a_run_of_more_updates_than_asked_is_refused(files, tmp_path, calls):
    run(files, tmp_path / "runs", seeds=(1,))
    path = tmp_path / "runs" / "plain-1" / "results.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "updates": 150}))
    with pytest.raises(UserError, match="plain-1 holds a run of 150 updates.*Received: max_updates=100$"):
        run(files, tmp_path / "runs", seeds=(1,))


@pytest.mark.parametrize(
    "change",
    [{"max_updates": 200}, {"time_limit": 3.0}, {"batch_size": 9}, {"batch_unit": "sentences"}, {"patience": 3}],
)
def test_unequal_budgets_need_the_unequal_flag(files, tmp_path, calls, change):
    with pytest.raises(UserError, match="Budgets must be equal.*--unequal.*Received: "):
        run(files, tmp_path / "runs", other=change)
    assert calls == []
    run(files, tmp_path / "runs", other=change, unequal=True)
    assert "train other-2" in calls
    assert " or " in (tmp_path / "runs" / "comparison.md").read_text().splitlines()[-1]


def test_evaluations_belong_to_the_budget_where_patience_counts_them(files, tmp_path, calls):
    rarely = {"evaluation.every": 7}
    run(files, tmp_path / "without", other=rarely)
    with pytest.raises(UserError, match=r"Budgets must be equal.*Received: every=1\d* and 7"):
        run({**files, "patience": 2}, tmp_path / "runs", other=rarely)


def test_the_table_alone_needs_the_unequal_flag_too(files, tmp_path):
    with pytest.raises(UserError, match="Searches must be equal"):
        write_table(planned(files, tmp_path / "runs", other={"beam_size": 6}))
    different = planned(files, tmp_path / "runs", other={"dev_sentences": 3}, unequal=True)
    write_table(different)
    assert "of different texts, the first all and 3 sentences" in (tmp_path / "runs" / "comparison.md").read_text()


@pytest.mark.parametrize("change", [{"beam_size": 6}, {"length_penalty": 1.0}])
def test_unequal_searches_need_the_unequal_flag(files, tmp_path, calls, change):
    with pytest.raises(UserError, match="Searches must be equal.*--unequal.*Received: "):
        run(files, tmp_path / "runs", other=change)
    assert calls == []
    run(files, tmp_path / "runs", other=change, unequal=True)
    other = {"beam_size": 4, "length_penalty": 0.6, **change}
    note = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[-1]
    assert "beam 4, length penalty 0.6" in note
    assert f"beam {other['beam_size']}, length penalty {other['length_penalty']}" in note


def test_a_warm_start_and_random_weights_need_the_unequal_flag(files, tmp_path, calls):
    started = {"init_from": with_weights(tmp_path / "trained")}
    with pytest.raises(UserError, match="--unequal.*Received: init_from of other, but not of baseline$"):
        run(files, tmp_path / "runs", other=started)
    assert calls == []
    run(files, tmp_path / "runs", other=started, unequal=True)
    note = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[-1]
    assert "Started from a trained run, whose budget is not counted: other. BLEU" in note


def test_runs_move_with_the_run_that_they_started_from(files, tmp_path, calls):
    of = functools.partial(run, files, seeds=(1,), unequal=True)
    written = of(tmp_path / "runs", other={"init_from": tmp_path / "runs" / "baseline-1"})
    shutil.move(tmp_path / "runs", tmp_path / "moved")
    assert of(tmp_path / "moved", other={"init_from": tmp_path / "moved" / "baseline-1"}) == written
    with pytest.raises(UserError, match=r"other settings.*init_from='.*third-1' \(was '.*runs/baseline-1'\)$"):
        of(tmp_path / "moved", other={"init_from": tmp_path / "moved" / "third-1"})
    # A run from elsewhere did not move.
    shutil.rmtree(tmp_path / "moved" / "other-1")
    of(tmp_path / "moved", other={"init_from": with_weights(tmp_path / "baseline-1")})
    calls.clear()
    shutil.move(tmp_path / "moved", tmp_path / "again")
    of(tmp_path / "again", other={"init_from": tmp_path / "baseline-1"})
    assert calls == []


def test_kept_runs_that_started_from_another_are_restored_elsewhere(files, tmp_path, calls):
    def of(folder):
        return planned(files, folder, seeds=(1,), unequal=True, other={"init_from": folder / "baseline-1"})

    written = compare(of(tmp_path / "runs"), report=str)
    keep_runs(tmp_path / "kept.jsonl", finished_runs(of(tmp_path / "runs")))
    shutil.rmtree(tmp_path / "runs")
    restore_runs(tmp_path / "kept.jsonl", tmp_path / "elsewhere")
    assert write_table(of(tmp_path / "elsewhere")) == written


def test_a_run_of_other_weights_than_it_would_start_from_is_not_taken(files, tmp_path, calls):
    of = functools.partial(run, files, tmp_path / "runs", seeds=(1,), unequal=True)
    of(other={"init_from": tmp_path / "runs" / "baseline-1"})
    (tmp_path / "runs" / "baseline-1" / "model.weights.h5").write_bytes(b"trained again")
    with pytest.raises(UserError, match=r"Received: init_from \(was another file\)$"):
        of(other={"init_from": tmp_path / "runs" / "baseline-1"})


def test_runs_that_all_start_warm_are_equal(files, tmp_path, calls):
    run({**files, "init_from": with_weights(tmp_path / "trained")}, tmp_path / "runs", seeds=(1,))
    assert calls == ["train baseline-1", "train plain-1"]


def test_incomparable_configurations_are_refused_before_training(files, tmp_path, calls):
    with pytest.raises(UserError, match="the same data. Received: test source-target=.*test.source.*dev.source"):
        run(files, tmp_path / "runs", other={"data.test.source": files["data.dev.source"]}, unequal=True)
    for scoring in ({"bleu_tokenizer": "char"}, {"lowercase": True}):
        comparison = planned(files, tmp_path / "runs", other=scoring, unequal=True)
        for function in (compare, write_table):
            with pytest.raises(UserError, match="same way. Received: (lowercase=False and|bleu_tokenizer=13a and) "):
                function(comparison)
    with pytest.raises(UserError, match="Scored texts must be equal.*Received: dev_sentences=5 and None"):
        run(files, tmp_path / "runs", other={"dev_sentences": 5})
    with pytest.raises(FileNotFoundError):
        run({**files, "data.train.target": tmp_path / "missing"}, tmp_path / "runs")
    for seeds in ((), (1, 1)):
        with pytest.raises(UserError, match="seed.*Received: "):
            planned(files, tmp_path / "runs", seeds=seeds)
    with pytest.raises(UserError, match="Names of configurations are names of folders.*Received: 'b/c'"):
        planned(files, tmp_path / "runs", **{"b/c": {}})
    with pytest.raises(UserError, match="baseline must be one of a. Received: baseline='b'"):
        Comparison(experiments={"a": str}, baseline="b", seeds=[1], directory=tmp_path)
    assert calls == []


def test_the_process_of_a_run_imports_files_first_and_its_error_is_one_line(tmp_path, capfd):
    """The imported file writes the settings that the run then refuses."""
    settings = tmp_path / "settings.json"
    (tmp_path / "layers.py").write_text(f"open({str(settings)!r}, 'w').write('{{\"speed\": 9}}')")
    with pytest.raises(UserError, match="^There are no such settings.*Received: speed$"):
        module._call("_train", str(settings), imports=[tmp_path / "layers.py"])
    assert capfd.readouterr().err == ""


def test_warnings_of_a_run_are_shown(tmp_path, monkeypatch, capfd):
    script = "echo 'a.py:3: UserWarning: no GPU' >&2; echo '  warn()' >&2; echo 'other' >&2"
    monkeypatch.setattr(module.sys, "executable", executable(tmp_path / "python", script))
    module._call("_train")
    assert capfd.readouterr().err == "Warning: no GPU\n"


def test_the_model_to_start_from_is_checked_before_any_training(files, tmp_path, calls):
    with pytest.raises(UserError, match="other: `init_from` must be a model directory with weights.*is missing"):
        run(files, tmp_path / "runs", other={"init_from": tmp_path / "missing"}, unequal=True)
    assert calls == []


@pytest.mark.nightly
def test_an_error_of_an_imported_file_is_one_line(tmp_path, capfd):
    (tmp_path / "layers.py").write_text("raise KeyError('no such layer')")
    with pytest.raises(UserError, match="^line 1 of .*layers.py raised an error.*no such layer"):
        module._call("_train", str(tmp_path / "settings.json"), imports=[tmp_path / "layers.py"])
    assert capfd.readouterr().err == ""


def executable(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "echo 'Traceback' >&2; echo 'KeyError: 3' >&2; exit 1",
            "The run failed; see the error above. Received: KeyError: 3",
        ),
        ("kill -9 $$", "The run was killed, perhaps for lack of memory. Received: SIGKILL"),
        ("exit 3", "The run failed; see the error above. Received: exit code 3"),
    ],
)
def test_a_training_process_that_crashes_is_one_line(tmp_path, monkeypatch, capfd, script, message):
    monkeypatch.setattr(sys, "executable", executable(tmp_path / "python", script))
    with pytest.raises(UserError, match=f"^{message}$"):
        module._call("_train")
    assert ("Traceback" in capfd.readouterr().err) == ("Traceback" in script)


def test_a_stop_request_is_passed_to_the_training_process(tmp_path, monkeypatch):
    script = f"trap 'sleep 0.3; echo saved > {tmp_path}/saved; exit 143' TERM\ntouch {tmp_path}/started\n"
    monkeypatch.setattr(
        sys, "executable", executable(tmp_path / "python", script + "for i in $(seq 200); do sleep 0.05; done")
    )

    def end():
        while not (tmp_path / "started").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end).start()
    with pytest.raises(SystemExit) as ended:
        module._call("_train")
    assert ended.value.code == 143
    assert (tmp_path / "saved").exists()


def test_a_comparison_is_kept_and_continues_without_models(files, tmp_path, calls):
    """With the same table; the run of another configuration stays where it is kept."""
    summary, kept = run(files, tmp_path / "runs"), tmp_path / "table.jsonl"
    keep_runs(kept, finished_runs(planned(files, tmp_path / "runs", more={"clip": 1.0})))
    before = kept.read_bytes()
    calls.clear()
    restore_runs(kept, tmp_path / "copies")
    assert sorted(path.name for path in (tmp_path / "copies").iterdir()) == ["baseline-1", "baseline-2"]
    keep_runs(kept, finished_runs(planned(files, tmp_path / "runs")))
    restore_runs(kept, tmp_path / "copies")
    assert run(files, tmp_path / "copies") == summary
    assert calls == []
    check_keeping(kept, planned(files, tmp_path / "copies").runs)
    with pytest.raises(UserError, match=r"keeps plain-1 with other settings.*clip=7.0 \(was None\)"):
        check_keeping(kept, planned(files, tmp_path / "copies", plain={"clip": 7.0}).runs)
    keep_runs(kept, finished_runs(planned(files, tmp_path / "copies")))
    assert list(read_kept_runs(kept)) == [("baseline", 1), ("baseline", 2), ("plain", 1), ("plain", 2)]
    assert before in kept.read_bytes()
    assert str(tmp_path) not in kept.read_text()
