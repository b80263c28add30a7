"""Comparisons of runs that are written by hand instead of trained; `tests/recipes/test_multi30k.py` trains one."""

import functools
import gzip
import hashlib
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from comparisons import LINES, make, planned, write_run, write_speed

from keras_nmt.errors import UserError
from keras_nmt.evaluation import paired_bootstrap_of_runs
from keras_nmt.experiments import Comparison, ExperimentConfig, compare, comparison_table
from keras_nmt.experiments import comparison as module
from keras_nmt.experiments.comparison import finished_runs, write_table
from keras_nmt.experiments.kept_runs import check_keeping, keep_runs, restore_runs
from keras_nmt.experiments.run_process import STOPPING, TRAIN, run_in_process
from keras_nmt.files.settings import merge_settings
from keras_nmt.training import stopping


def run(*arguments, **options):
    return compare(planned(*arguments, **options), report=str)


@pytest.fixture
def calls(monkeypatch):
    """Instead of processes that train and measure: a list of their tasks, and files like theirs."""
    made = []

    def python(function, experiment, *arguments, imports=()):
        folder = Path(experiment.directory)
        if function == TRAIN:
            made.append(f"train {folder.name}")
            write_run(experiment)
        else:
            at, *directions = arguments
            assert directions == [d.name for d in experiment.directions if d.tests]
            made.append(f"measure {folder.name}")
            write_speed(folder, at, [10.0, 12.34, 40.0])

    monkeypatch.setattr(module, "run_in_process", python)
    return made


def with_weights(folder):
    """A model directory, as far as a comparison reads it before a training."""
    folder.mkdir()
    (folder / "model.weights.h5").write_bytes(b"trained")
    return folder


def test_seeds_are_trained_in_turn_and_finished_runs_are_kept(files, tmp_path, calls, monkeypatch):
    compared = []  # a difference is computed once: the bootstrap of many arms and directions takes minutes

    def bootstrap(systems, *lines, **options):
        compared.append({name: len(runs) for name, runs in systems.items()})
        return paired_bootstrap_of_runs(systems, *lines, **options)

    monkeypatch.setattr(comparison_table, "paired_bootstrap_of_runs", bootstrap)
    folder, more = tmp_path / "runs", {"fusion": {"model": {"shortcuts": "fusion"}}, "plain": {"clip": 1.0}}
    run(files, folder, plain={"clip": 1.0})
    assert calls == [f"train {name}-{seed}" for seed in (1, 2) for name in ("baseline", "plain")]
    calls.clear()
    run(files, folder, plain={"clip": 1.0})
    assert calls == []
    compared.clear()
    found = run(files, folder, seeds=(1, 2, 3), **more)
    assert calls == ["train fusion-1", "train fusion-2", "train baseline-3", "train fusion-3", "train plain-3"]
    assert compared == [{"source-target": seeds} for seeds in (2, 1, 2, 3, 3)]
    assert found == write_table(planned(files, folder, seeds=(1, 2, 3), **more))


def test_weights_are_read_once_for_all_tables(files, tmp_path, calls, monkeypatch):
    folder, read, digest = tmp_path / "runs", [], hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda file, name: read.append(file.name) or digest(file, name))
    start = {"init_from": with_weights(tmp_path / "start")}
    run(files, folder, unequal=True, decoding_speed=True, continued=start)
    assert sorted(read) == sorted(
        str(path) for path in (*folder.glob("*-1/model.weights.h5"), *tmp_path.glob("start/*.h5"))
    )


def test_a_teacher_may_be_a_run_of_the_comparison(files, tmp_path, calls):
    folder = tmp_path / "runs"
    student = {"teacher": folder / "baseline-1"}
    run(files, folder, seeds=(1,), student=student)
    assert calls == ["train baseline-1", "train student-1"]
    shutil.rmtree(folder / "baseline-1")
    make(1, folder / "student-1", files, **student).check()  # a finished run needs it no more
    with pytest.raises(UserError, match="baseline-1"):
        make(1, folder / "student-2", files, **student).check()


def test_speeds_are_measured_on_request_and_all_of_them_again_if_one_is_not_of_these_weights(files, tmp_path, calls):
    folder = tmp_path / "runs"

    def measured(**more):
        calls.clear()
        run(files, folder, seeds=(1,), decoding_speed=True, **more)
        return calls

    run(files, folder, seeds=(1,))
    both = ["measure baseline-1", "measure plain-1"] * 3
    assert measured() == both
    for path in folder.glob("*/speed.json"):
        os.utime(path, (1, 1))
    assert measured() == []
    write_speed(folder / "plain-1", "another moment", [10.0, 12.34])  # interrupted
    assert measured() == both
    (folder / "plain-1" / "model.weights.h5").write_bytes(b"trained again")
    os.utime(folder / "plain-1" / "model.weights.h5", (0, 0))
    assert measured() == both
    (folder / "plain-1" / "config.json").write_text('{"search": {"beam_size": 1}}')
    assert measured() == both
    # Speeds of one moment say nothing about those of another.
    fusion = {"model": {"shortcuts": "fusion"}}
    assert measured(fusion=fusion) == ["train fusion-1", *["measure baseline-1", "measure fusion-1"] * 3]


def test_a_failed_run_is_named_and_the_table_shows_the_finished_runs(files, tmp_path, calls, monkeypatch):
    python, arms = module.run_in_process, {"plain": {"model": {"shortcuts": "plain"}}, "fusion": {}}

    def fail(*arguments, **options):
        if len(calls) == 2:
            raise UserError("No memory. Received: little")
        python(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(module, "run_in_process", fail)
        with pytest.raises(UserError, match="^fusion, seed 1: No memory. Received: little$"):
            run(files, tmp_path / "runs", **arms)
    assert calls == ["train baseline-1", "train plain-1"]
    rows = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[2:5]
    assert [row.split("|")[5].strip() for row in rows] == ["1 of 2", "1 of 2", "0 of 2"]
    calls.clear()
    run(files, tmp_path / "runs", **arms)
    assert calls[:2] == ["train fusion-1", "train baseline-2"]


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
        UserError, match=r"plain-1 holds.*model.dropout=0.5 \(was None\), model.shortcuts=None \(was 'plain'\)"
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


def test_a_run_of_another_number_of_updates_is_not_finished(files, tmp_path, calls):
    run(files, tmp_path / "runs", seeds=(1,))
    path = tmp_path / "runs" / "plain-1" / "results.json"
    results = json.loads(path.read_text())
    path.write_text(json.dumps({**results, "updates": 50, "limits": {**results["limits"], "max_updates": 50}}))
    assert list(finished_runs(planned(files, tmp_path / "runs", seeds=(1,)))) == [("baseline", 1)]
    path.write_text(json.dumps({**results, "updates": 150}))
    with pytest.raises(UserError, match="plain-1 holds a run of 150 updates.*Received: max_updates=100$"):
        run(files, tmp_path / "runs", seeds=(1,))


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


def test_unequal_budgets_and_searches_need_the_unequal_flag(files, tmp_path, calls):
    started = {"init_from": with_weights(tmp_path / "trained")}
    for number, (change, refused, note) in enumerate(
        (
            ({"max_updates": 200}, "Budgets must be equal.*--unequal", " or "),
            ({"batch_size": 9}, "Budgets must be equal.*--unequal", " or "),
            ({"patience": 3}, "Budgets must be equal.*--unequal", " or "),
            ({"beam_size": 6}, "Searches must be equal.*--unequal", "beam 6, length penalty 0.6"),
            ({"length_penalty": 1.0}, "Searches must be equal.*--unequal", "beam 4, length penalty 1.0"),
            (started, "--unequal.*init_from of other, but not of base", "Started from a trained run, whose budget is"),
        )
    ):
        folder = tmp_path / f"runs {number}"
        with pytest.raises(UserError, match=f"{refused}.*") as raised:
            run(files, folder, seeds=(1,), other=change)
        assert "Received: " in str(raised.value)
        assert calls == []
        run(files, folder, seeds=(1,), other=change, unequal=True)
        assert "train other-1" in calls
        calls.clear()
        assert note in (folder / "comparison.md").read_text().splitlines()[-1]
    run({**files, **started}, tmp_path / "runs", seeds=(1,))  # all start warm


def test_evaluations_belong_to_the_budget_where_patience_counts_them(files, tmp_path, calls):
    rarely = {"evaluation.every": 7}
    run(files, tmp_path / "without", other=rarely)
    with pytest.raises(UserError, match=r"Budgets must be equal.*Received: every=1\d* and 7"):
        run({**files, "patience": 2}, tmp_path / "runs", other=rarely)
    with pytest.raises(UserError, match="Searches must be equal"):  # the table alone
        write_table(planned(files, tmp_path / "runs", other={"beam_size": 6}))
    write_table(planned(files, tmp_path / "runs", other={"dev_sentences": 3}, unequal=True))
    assert "of different texts, the first all and 3 sentences" in (tmp_path / "runs" / "comparison.md").read_text()


def test_runs_move_with_the_run_that_they_started_from(files, tmp_path, calls):
    of = functools.partial(run, files, seeds=(1,), unequal=True)
    first = tmp_path / "runs" / "baseline-1"
    written = of(tmp_path / "runs", other={"init_from": first})
    (first / "model.weights.h5").write_bytes(b"trained again")
    with pytest.raises(UserError, match=r"Received: init_from \(was another file\)$"):
        of(tmp_path / "runs", other={"init_from": first})
    (first / "model.weights.h5").write_bytes(b"baseline-1")
    shutil.move(tmp_path / "runs", tmp_path / "moved")
    there = tmp_path / "moved" / "baseline-1"
    assert of(tmp_path / "moved", other={"init_from": there}) == written
    # As copies that were kept.
    keep_runs(tmp_path / "kept.jsonl", {(name, 1): tmp_path / "moved" / f"{name}-1" for name in ("baseline", "other")})
    restore_runs(tmp_path / "kept.jsonl", tmp_path / "elsewhere")
    elsewhere = tmp_path / "elsewhere"
    copies = planned(files, elsewhere, seeds=(1,), unequal=True, other={"init_from": elsewhere / "baseline-1"})
    assert write_table(copies) == written
    assert str(tmp_path) not in (tmp_path / "kept.jsonl").read_text()
    check_keeping(tmp_path / "kept.jsonl", copies.runs)
    with pytest.raises(UserError, match=r"keeps other-1 with other settings.*clip=7.0 \(was None\)"):
        check_keeping(tmp_path / "kept.jsonl", planned(files, elsewhere, other={"clip": 7.0}).runs)
    with pytest.raises(UserError, match=r"other settings.*init_from='.*third-1' \(was '.*runs/baseline-1'\)$"):
        of(tmp_path / "moved", other={"init_from": tmp_path / "moved" / "third-1"})
    # A run from elsewhere did not move.
    shutil.rmtree(tmp_path / "moved" / "other-1")
    of(tmp_path / "moved", other={"init_from": with_weights(tmp_path / "baseline-1")})
    calls.clear()
    shutil.move(tmp_path / "moved", tmp_path / "again")
    of(tmp_path / "again", other={"init_from": tmp_path / "baseline-1"})
    assert calls == []


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
    with pytest.raises(UserError, match="other: `init_from` must be a model directory with weights.*is missing"):
        run(files, tmp_path / "runs", other={"init_from": tmp_path / "missing"}, unequal=True)
    with pytest.raises(UserError, match="Names of configurations are names of folders.*Received: configuration='b/c'"):
        planned(files, tmp_path / "runs", **{"b/c": {}})
    with pytest.raises(UserError, match="`baseline` must be one of a. Received: baseline='b'"):
        Comparison(experiments={"a": str}, baseline="b", seeds=[1], directory=tmp_path)
    with pytest.raises(UserError, match="x: A name must have at most 255 bytes.*Received: 302 bytes, x+$"):
        run(files, tmp_path / "runs", **{"x" * 300: {}})
    files["data.test.target"].write_text("\n" * len(LINES))
    with pytest.raises(UserError, match="All references to score with are empty.*Received: .*test.target"):
        run(files, tmp_path / "runs")
    files["data.dev.target"].write_text("\n" + "a\n" * (len(LINES) - 1))
    with pytest.raises(UserError, match="All references to score with are empty.*Received: .*dev.target"):
        run({**files, "dev_sentences": 1}, tmp_path / "runs")
    assert calls == []


@pytest.mark.nightly
def test_the_process_of_a_run_imports_files_first_and_its_error_is_one_line(files, tmp_path, capfd):
    """The imported file empties the text that the run then refuses."""
    (tmp_path / "layers.py").write_text(f"open({str(files['data.dev.source'])!r}, 'w').close()")
    with pytest.raises(UserError, match="^The file is empty. Received: .*dev.source"):
        run_in_process(TRAIN, make(1, tmp_path / "run", files), imports=[tmp_path / "layers.py"])
    assert capfd.readouterr().err == ""


@pytest.mark.nightly
@pytest.mark.parametrize("lost", ["full", "closed"])
def test_an_output_that_is_lost_ends_a_run_without_a_traceback(files, tmp_path, lost, capfd):
    reading, writing = os.pipe()
    os.close(reading)
    kept, output = os.dup(1), writing if lost == "closed" else os.open("/dev/full", os.O_WRONLY)
    os.dup2(output, 1)
    try:
        with pytest.raises(BrokenPipeError if lost == "closed" else UserError, match="|^No space left on device. Rec"):
            run_in_process(TRAIN, make(1, tmp_path / "run", files))
    finally:
        os.dup2(kept, 1)
    assert capfd.readouterr().err == ""


def executable(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_errors_and_warnings_of_a_training_process_are_one_line(files, tmp_path, monkeypatch, capfd):
    for script, message in (
        ("echo 'Traceback' >&2; echo 'KeyError: 3' >&2; exit 1", "see the error above. Received: KeyError: 3"),
        ("kill -9 $$", "The run was killed, perhaps for lack of memory. Received: SIGKILL"),
        ("exit 3", "The run failed; see the error above. Received: exit code 3"),
    ):
        monkeypatch.setattr(sys, "executable", executable(tmp_path / "python", script))
        with pytest.raises(UserError, match=f"{message}$"):
            run_in_process(TRAIN, make(1, tmp_path / "run", files))
        assert ("Traceback" in capfd.readouterr().err) == ("Traceback" in script)
    script = "echo 'a.py:3: UserWarning: no GPU' >&2; echo '  warn()' >&2; echo 'other' >&2"
    monkeypatch.setattr(sys, "executable", executable(tmp_path / "python", script))
    run_in_process(TRAIN, make(1, tmp_path / "run", files))
    assert capfd.readouterr().err == "Warning: no GPU\n"


def test_a_stop_request_is_passed_to_the_training_process_and_a_second_one_kills_it(
    files, tmp_path, monkeypatch, capfd
):
    def end(number, sent):
        for i in range(number):
            while not (tmp_path / ("stopping" if i else "started")).exists():
                time.sleep(0.01)
            os.kill(os.getpid(), sent)

    monkeypatch.setattr(stopping, "ONE_REQUEST", 0.0)
    for number, sent, saves in (
        (1, signal.SIGTERM, "sleep 0.3"),
        (1, signal.SIGINT, ":"),
        (2, signal.SIGTERM, "sleep 60"),
    ):
        for name in ("started", "stopping", "saved"):
            (tmp_path / name).unlink(missing_ok=True)
        saving = f"touch {tmp_path}/stopping; {saves}; touch {tmp_path}/saved; exit 143"
        script = f"trap '{saving}' {sent.name[3:]}\ntouch {tmp_path}/started\nfor i in $(seq 200); do sleep 0.05; done"
        monkeypatch.setattr(sys, "executable", executable(tmp_path / "python", script))
        threading.Thread(target=end, args=[number, sent]).start()
        with pytest.raises(SystemExit) as ended:
            run_in_process(TRAIN, make(1, tmp_path / "run", files))
        assert ended.value.code == 128 + sent
        assert (tmp_path / "saved").exists() == (number == 1)
        assert capfd.readouterr().err == f"{STOPPING}\n"
