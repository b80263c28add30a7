"""Comparisons of runs that are written by hand instead of trained; `tests/recipes/test_multi30k.py` trains one."""

from __future__ import annotations

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

from keras_nmt.errors import UserError
from keras_nmt.evaluation import holm, paired_bootstrap_of_runs
from keras_nmt.experiments import comparison as module
from keras_nmt.experiments import scores
from keras_nmt.experiments.comparison import Comparison
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.data_config import digests_of
from keras_nmt.experiments.kept_runs import keep_runs, read_kept_runs, restore_runs
from keras_nmt.experiments.results import hypotheses_path, start_digest
from keras_nmt.files.settings import merge_settings
from keras_nmt.models import ModelDirectory

LINES = [f"a man number {i} rides his bike through street {i} today" for i in range(20)]
SIGNATURE = "nrefs:1|tok:13a"


@pytest.fixture
def files(tmp_path):
    paths = {}
    for name in (f"data.{part}.{side}" for part in ("train", "dev", "test") for side in ("source", "target")):
        paths[name] = tmp_path / f"{name}.txt"
        paths[name].write_text("".join(f"{line}\n" for line in LINES))
    return paths


def make(seed, directory, files, **settings):
    one = {"languages": ["source", "target"], "pairs": ["source-target"]}
    tiny = {**one, "preset": "transformer_tiny", "max_updates": 100}
    return ExperimentConfig.from_settings({"directory": directory, "seed": seed, **tiny, **files, **settings})


def worse(every):
    return [line if i % every else "a man rides" for i, line in enumerate(LINES)]


def write_run(settings, dev=30.0, test=40.0, rates=(100.0, 300.0, 200.0), hypotheses=LINES):
    """The files of a finished run; `test` is one score, or one for each direction."""
    folder = Path(settings["directory"])
    folder.mkdir(parents=True)
    experiment = ExperimentConfig.from_settings(settings)
    tested = [d.name for d in experiment.directions if d.tests]
    scores = test if isinstance(test, dict) else dict.fromkeys(tested, test)
    for name, value in {
        "settings": settings,
        "config": {},
        "results": {
            "parameters": 1000 + len(experiment.model.arguments),
            "updates": experiment.limits["max_updates"] or 77,
            "ended_by": "max_updates",
            "limits": experiment.limits,
            "dev_greedy": dev if isinstance(dev, dict) else {"bleu": dev},
            "data": digests_of(experiment.directions),
            "test": {
                name: {
                    "trained": name not in ("de-fr", "fr-de"),
                    "bleu": {"score": score, "signature": SIGNATURE},
                }
                for name, score in scores.items()
            },
        },
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "model.weights.h5").write_bytes(folder.name.encode())
    (folder / "data.json").write_text(json.dumps(start_digest(experiment)))
    for name in tested:
        hypotheses_path(folder, name).write_text("".join(f"{line}\n" for line in hypotheses))
    lines = [{"update": i, "tokens_per_second": rate} for i, rate in enumerate(rates)] + [{"update": 9, "bleu": 1.0}]
    (folder / "training_log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_speed(folder, at, rates):
    weights = hashlib.sha256((folder / "model.weights.h5").read_bytes()).hexdigest()
    (folder / "speed.json").write_text(json.dumps({"at": at, "rates": rates, "weights": weights}))


@pytest.fixture
def calls(monkeypatch):
    """Instead of processes that train and measure: a list of their tasks, and files like theirs."""
    made = []

    def python(function, experiment, *arguments, imports=()):
        folder = Path(experiment.directory)
        if function == "_train":
            made.append(f"train {folder.name}")
            write_run(experiment.settings())
        else:
            at, *directions = arguments
            assert directions == [d.name for d in experiment.directions if d.tests]
            made.append(f"measure {folder.name}")
            write_speed(folder, at, [10.0, 12.34, 40.0])

    monkeypatch.setattr(module, "_python", python)
    return made


def compared(files, directory, *, seeds=(1, 2), unequal=False, decoding_speed=False, **changes):
    changes = changes or {"plain": {"model": {"shortcuts": "plain"}}}
    experiments = {name: functools.partial(make, files=files, **change) for name, change in changes.items()}
    experiments = {"baseline": functools.partial(make, files=files), **experiments}
    return Comparison(
        experiments=experiments,
        baseline="baseline",
        seeds=seeds,
        directory=directory,
        unequal=unequal,
        decoding_speed=decoding_speed,
        report=str,
    )


def test_seeds_are_trained_in_turn_and_finished_runs_are_kept(files, tmp_path, calls):
    folder = tmp_path / "runs"
    compared(files, folder).run()
    assert calls == [f"train {name}-{seed}" for seed in (1, 2) for name in ("baseline", "plain")]
    calls.clear()
    compared(files, folder).run()
    assert calls == []
    compared(files, folder, seeds=(1, 2, 3), fusion={"model": {"shortcuts": "fusion"}}).run()
    assert calls == ["train fusion-1", "train fusion-2", "train baseline-3", "train fusion-3"]


def test_a_finished_run_with_alignments_is_kept_beside_one_without(files, tmp_path, calls):
    (tmp_path / "links").write_text("0-0\n" * len(LINES))
    aligned = {"aligned": {"alignments": tmp_path / "links"}}
    for _ in range(2):
        compared(files, tmp_path / "runs", seeds=(1,), **aligned).run()
    assert calls == ["train baseline-1", "train aligned-1"]


def test_speeds_are_measured_on_request_and_all_of_them_again_if_one_is_missing(files, tmp_path, calls):
    folder, speed = tmp_path / "runs", {"decoding_speed": True}
    compared(files, folder, seeds=(1,)).run()
    calls.clear()
    compared(files, folder, seeds=(1,), **speed).run()
    assert calls == ["measure baseline-1", "measure plain-1"] * 3
    calls.clear()
    compared(files, folder, seeds=(1,), **speed).run()
    assert calls == []
    # Speeds of one moment say nothing about those of another.
    compared(files, folder, seeds=(1,), fusion={"model": {"shortcuts": "fusion"}}, **speed).run()
    assert calls == ["train fusion-1", *["measure baseline-1", "measure fusion-1"] * 3]


def test_the_table_has_means_deviations_and_p_values(files, tmp_path):
    comparison = compared(
        files, tmp_path / "runs", seeds=(1, 2, 3), other={"model": {"dropout": 0.2}}, none={"clip": 1.0}
    )
    runs = comparison._runs
    scores = {1: 30.0, 2: 32.0, 3: 37.0}
    for seed, score in scores.items():
        write_run(runs[seed]["baseline"].settings(), dev=score, test=score, hypotheses=worse(2))
    for seed in (1, 3):  # still training: 2
        settings = runs[seed]["other"].settings()
        write_run(settings, dev=20.0, test=scores[seed] + seed, rates=(10.0, 20.0, 30.0 * seed))
    for name, rates in {"other": [1234.56, 1200, 2000], "baseline": [7.0] * 3}.items():
        write_speed(tmp_path / "runs" / f"{name}-1", "2026-11-25T10:00:00+00:00", rates)
    comparison.show()
    lines = (tmp_path / "runs" / "comparison.md").read_text().splitlines()
    assert lines[0].startswith("| configuration | parameters | training tokens/s | decoding sentences/s | runs |")
    # 33 is the mean of 30, 32 and 37; squares of differences 9 + 1 + 16 = 26, over n - 1 = 2: 13, whose root is 3.61.
    assert lines[2] == "| baseline | 1,000 | 200 | 7.0 | 3 of 3 | 33.00 ± 3.61 | 33.00 ± 3.61 | | | | | |"
    # Medians 20 and 20. Of seeds 1 and 3: 31 and 40, of the baseline 30 and 37, so 2 better, in every sentence drawn.
    start = "| other | 1,001 | 20 | 1,234.6 (1,200.0 to 2,000.0) | 2 of 3 | 20.00 ± 0.00 | 35.50 ± 6.36 | +2.00 |"
    assert lines[3].startswith(f"{start} +1.00, +3.00 | +")
    assert lines[4] == "| none | | | | 0 of 3 | | | | | | | |"
    assert SIGNATURE in lines[6]
    assert "Seeds 1, 2, 3; budget: max_updates=100, batch_size=4096, batch_unit=tokens." in lines[6]
    assert f"test by beam 4, length penalty 0.6 (`{SIGNATURE}`)." in lines[6]
    written = json.loads((tmp_path / "runs" / "comparison.json").read_text())
    other = written["configurations"]["other"]
    assert other["test_bleu"]["scores"] == {"1": 31.0, "3": 40.0}
    assert other["differences"] == {"1": 1.0, "3": 3.0}
    assert 0 < other["interval"][0] < other["interval"][1]
    assert other["p_value"] == other["p_value_holm"] < 0.05


def test_one_seed_has_no_deviation_interval_or_p_value(files, tmp_path):
    comparison = compared(files, tmp_path / "runs", seeds=(7,))
    write_run(comparison._runs[7]["baseline"].settings(), hypotheses=worse(3))
    write_run(comparison._runs[7]["plain"].settings(), hypotheses=worse(4), test=41.5)
    comparison.write()
    row = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[3]
    assert row == "| plain | 1,001 | 200 | | 1 of 1 | 30.00 | 41.50 | +1.50 | | | | |"


def test_each_seed_has_its_own_translations(files, tmp_path):
    """As p and interval of one run twice, if the translations of the first seed were read for all."""
    comparison = compared(files, tmp_path / "runs", seeds=(1, 2, 3))
    runs = {"baseline": [worse(3), worse(4), worse(2)], "plain": [worse(4), LINES, worse(5)]}
    for name, outputs in runs.items():
        for of, lines in zip(comparison._runs.values(), outputs, strict=True):
            write_run(of[name].settings(), hypotheses=lines)
    found = comparison.write()["configurations"]["plain"]
    expected = paired_bootstrap_of_runs(runs["plain"], runs["baseline"], LINES)
    assert (found["p_value"], found["interval"]) == (expected.p_value, expected.interval)
    of_one = paired_bootstrap_of_runs(runs["plain"][:1] * 3, runs["baseline"][:1] * 3, LINES)
    assert of_one.p_value != expected.p_value
    assert found["outputs"][2]["source-target"] == {"lines": 20, "empty": 0, "distinct": 20}


def test_many_arms_are_corrected_by_holm(files, tmp_path):
    changes = {f"arm{i}": {"clip": 1.0 + i} for i in range(3)}
    comparison = compared(files, tmp_path / "runs", **changes)
    for of in comparison._runs.values():
        for i, experiment in enumerate(of.values()):
            write_run(experiment.settings(), hypotheses=worse(2 + i))
    found = comparison.write()["configurations"]
    p_values = {name: found[name]["p_value"] for name in changes}
    assert {name: found[name]["p_value_holm"] for name in changes} == holm(p_values)
    assert "corrected for the 3 tests" in (tmp_path / "runs" / "comparison.md").read_text()


def test_degenerate_outputs_are_named(files, tmp_path):
    reports = []
    comparison = compared(files, tmp_path / "runs", seeds=(1,), constant={"clip": 1.0}, empty={"clip": 2.0})
    comparison.report = reports.append
    outputs = {"baseline": LINES, "constant": ["A man ."] * 20, "empty": ["", *LINES[1:]]}
    for name, lines in outputs.items():
        write_run(comparison._runs[1][name].settings(), hypotheses=lines)
    comparison.show()
    text = "of 20 translations of the test data"
    expected = [
        f"constant-1: {text}, 1 are distinct and 0 are empty",
        f"empty-1: {text}, 20 are distinct and 1 are empty",
    ]
    assert reports[:-1] == [f"Warning: {line}" for line in expected]
    written = (tmp_path / "runs" / "comparison.md").read_text()
    assert written.split("\n\n")[2:] == [f"Warning: {expected[0]}.", f"Warning: {expected[1]}.\n"]


def test_the_p_value_is_of_bleu_with_the_tokenizer_of_the_scores(files, tmp_path, monkeypatch):
    given = {}
    real = module.paired_bootstrap_of_runs
    monkeypatch.setattr(
        module, "paired_bootstrap_of_runs", lambda *runs, **options: given.update(options) or real(*runs, **options)
    )
    comparison = Comparison(
        experiments={
            name: functools.partial(make, files=files, bleu_tokenizer="char", lowercase=True, clip=clip)
            for name, clip in (("baseline", 1.0), ("other", 2.0))
        },
        baseline="baseline",
        seeds=(1,),
        directory=tmp_path / "runs",
    )
    for experiment in comparison._runs[1].values():
        write_run(experiment.settings())
    comparison.write()
    assert given == {"tokenize": "char", "lowercase": True}


def test_a_failed_run_is_named_and_the_table_shows_the_finished_runs(files, tmp_path, calls, monkeypatch):
    python = module._python

    def fail(*arguments, **options):
        if len(calls) == 2:
            raise UserError("No memory. Received: little")
        python(*arguments, **options)

    monkeypatch.setattr(module, "_python", fail)
    with pytest.raises(UserError, match="^fusion, seed 1: No memory. Received: little$"):
        compared(files, tmp_path / "runs", plain={"model": {"shortcuts": "plain"}}, fusion={}).run()
    assert calls == ["train baseline-1", "train plain-1"]
    rows = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[2:5]
    assert [row.split("|")[5].strip() for row in rows] == ["1 of 2", "1 of 2", "0 of 2"]
    monkeypatch.setattr(module, "_python", python)
    calls.clear()
    compared(files, tmp_path / "runs", plain={"model": {"shortcuts": "plain"}}, fusion={}).run()
    assert calls[:2] == ["train fusion-1", "train baseline-2"]


def test_speed_is_measured_again_if_the_weights_are_others_whatever_the_clock(files, tmp_path, calls):
    def measure():
        compared(files, tmp_path / "runs", seeds=(1,), decoding_speed=True).run()

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


def test_without_test_data_there_is_no_test_and_no_speed(files, tmp_path, monkeypatch, calls):
    files = {name: path for name, path in files.items() if not name.startswith("data.test")}
    compared(files, tmp_path / "runs", seeds=(1,), decoding_speed=True).run()
    assert calls == ["train baseline-1", "train plain-1"]
    rows = (tmp_path / "runs" / "comparison.md").read_text().splitlines()
    assert rows[3] == "| plain | 1,001 | 200 | | 1 of 1 | 30.00 | | | | | | |"


def test_a_finished_run_with_other_settings_is_not_taken_nor_overwritten(files, tmp_path, calls):
    compared(files, tmp_path / "runs").run()
    calls.clear()
    with pytest.raises(
        UserError,
        match=r"plain-1 holds.*model.dropout=0.5 \(was None\), model.shortcuts=None \(was 'plain'\)",
    ):
        compared(files, tmp_path / "runs", plain={"model": {"dropout": 0.5}}).run()
    compared(files, tmp_path / "runs", plain={"model": {"shortcuts": "plain"}, "logging.every": 7}).run()
    assert calls == []


def test_a_comparison_continues_in_another_folder_with_the_same_data_only(files, tmp_path, calls):
    written = compared(files, tmp_path / "runs").run()
    calls.clear()
    moved = {name: tmp_path / f"{name}.gz" for name in files}
    for name, path in moved.items():
        path.write_bytes(gzip.compress(files[name].read_bytes()))
        files[name].unlink()
    shutil.move(tmp_path / "runs", tmp_path / "elsewhere")
    assert compared(moved, tmp_path / "elsewhere").run() == written
    assert calls == []
    moved["data.dev.target"].write_text("another line\n" * len(LINES))
    with pytest.raises(UserError, match=r"baseline-1 holds a finished run.*: dev source-target \(was another text\)$"):
        compared(moved, tmp_path / "elsewhere").run()


def test_a_run_continued_with_more_updates_is_not_finished(files, tmp_path, calls):
    compared(files, tmp_path / "runs", seeds=(1,)).run()
    path = tmp_path / "runs" / "plain-1" / "results.json"
    results = json.loads(path.read_text())
    path.write_text(json.dumps({**results, "updates": 50, "limits": {**results["limits"], "max_updates": 50}}))
    assert [runs["runs"] for runs in compared(files, tmp_path / "runs").summary()["configurations"].values()] == [1, 0]


def test_a_run_continued_after_its_time_limit_is_not_finished(files, tmp_path, calls):
    limited = {"max_updates": None, "time_limit": 30.0}
    settings = make(1, tmp_path / "runs" / "baseline-1", files, **limited).settings()
    write_run(settings)
    path = tmp_path / "runs" / "baseline-1" / "results.json"
    limits = {"max_updates": None, "time_limit": 30.0, "patience": None}
    path.write_text(json.dumps({**json.loads(path.read_text()), "ended_by": "time_limit", "limits": limits}))

    def runs(minutes):  # as of a run that goes on: its settings are written, its results those of its first end
        longer = merge_settings(ExperimentConfig, settings, {"time_limit": minutes})
        (tmp_path / "runs" / "baseline-1" / "settings.json").write_text(json.dumps(longer))
        baseline = {"baseline": functools.partial(make, files=files, max_updates=None, time_limit=minutes)}
        comparison = Comparison(experiments=baseline, baseline="baseline", seeds=(1,), directory=tmp_path / "runs")
        return comparison.summary()["configurations"]["baseline"]["runs"]

    assert runs(30.0) == 1
    assert runs(60.0) == 0


def test_a_run_of_more_updates_than_asked_is_refused(files, tmp_path, calls):
    compared(files, tmp_path / "runs", seeds=(1,)).run()
    path = tmp_path / "runs" / "plain-1" / "results.json"
    limits = {"max_updates": 100, "time_limit": None, "patience": None}
    path.write_text(json.dumps({**json.loads(path.read_text()), "updates": 150, "limits": limits}))
    with pytest.raises(UserError, match="plain-1 holds a run of 150 updates.*Received: max_updates=100$"):
        compared(files, tmp_path / "runs", seeds=(1,)).run()


def test_several_corpora_are_compared_as_one(files, tmp_path, calls):
    corpus = {side: files[f"data.train.{side}"] for side in ("source", "target")}
    compared({**files, "data.train": [corpus, corpus]}, tmp_path / "runs", seeds=(1,)).run()
    assert "train plain-1" in calls


@pytest.mark.parametrize(
    "change", [{"max_updates": 200}, {"time_limit": 3.0}, {"batch_size": 9}, {"batch_unit": "sentences"}]
)
def test_unequal_budgets_need_the_unequal_flag(files, tmp_path, calls, change):
    with pytest.raises(UserError, match="Budgets must be equal.*--unequal.*Received: "):
        compared(files, tmp_path / "runs", other=change).run()
    assert calls == []
    compared(files, tmp_path / "runs", other=change, unequal=True).run()
    assert "train other-2" in calls
    assert " or " in (tmp_path / "runs" / "comparison.md").read_text().splitlines()[-1]


@pytest.mark.parametrize("change", [{"beam_size": 6}, {"length_penalty": 1.0}])
def test_unequal_searches_need_the_unequal_flag(files, tmp_path, calls, change):
    with pytest.raises(UserError, match="Searches must be equal.*--unequal.*Received: "):
        compared(files, tmp_path / "runs", other=change).run()
    assert calls == []
    compared(files, tmp_path / "runs", other=change, unequal=True).run()
    other = {"beam_size": 4, "length_penalty": 0.6, **change}
    note = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[-1]
    assert "beam 4, length penalty 0.6" in note
    assert f"beam {other['beam_size']}, length penalty {other['length_penalty']}" in note


def test_a_warm_start_and_random_weights_need_the_unequal_flag(files, tmp_path, calls):
    started = {"init_from": tmp_path / "trained"}
    with pytest.raises(UserError, match="--unequal.*Received: init_from of other, but not of baseline$"):
        compared(files, tmp_path / "runs", other=started).run()
    assert calls == []
    compared(files, tmp_path / "runs", other=started, unequal=True).run()
    note = (tmp_path / "runs" / "comparison.md").read_text().splitlines()[-1]
    assert "Started from a trained run, whose budget is not counted: other. BLEU" in note


def test_runs_move_with_the_run_that_they_started_from(files, tmp_path, calls):
    of = functools.partial(compared, files, seeds=(1,), unequal=True)
    written = of(tmp_path / "runs", other={"init_from": tmp_path / "runs" / "baseline-1"}).run()
    shutil.move(tmp_path / "runs", tmp_path / "moved")
    assert of(tmp_path / "moved", other={"init_from": tmp_path / "moved" / "baseline-1"}).run() == written
    with pytest.raises(UserError, match=r"other settings.*init_from='.*third-1' \(was '.*runs/baseline-1'\)$"):
        of(tmp_path / "moved", other={"init_from": tmp_path / "moved" / "third-1"}).run()
    # A run from elsewhere did not move.
    shutil.rmtree(tmp_path / "moved" / "other-1")
    of(tmp_path / "moved", other={"init_from": tmp_path / "baseline-1"}).run()
    calls.clear()
    shutil.move(tmp_path / "moved", tmp_path / "again")
    of(tmp_path / "again", other={"init_from": tmp_path / "baseline-1"}).run()
    assert calls == []


def test_runs_that_all_start_warm_are_equal(files, tmp_path, calls):
    experiments = {name: functools.partial(make, files=files, init_from=name) for name in ("a", "b")}
    Comparison(experiments=experiments, baseline="a", seeds=[1], directory=tmp_path / "runs", report=str).run()
    assert calls == ["train a-1", "train b-1"]


def test_incomparable_configurations_are_refused_before_training(files, tmp_path, calls):
    with pytest.raises(UserError, match="the same data. Received: test source-target=.*test.source.*dev.source"):
        compared(files, tmp_path / "runs", other={"data.test.source": files["data.dev.source"]}, unequal=True).run()
    for scoring in ({"bleu_tokenizer": "char"}, {"lowercase": True}):
        comparison = compared(files, tmp_path / "runs", other=scoring, unequal=True)
        for function in (comparison.run, comparison.show):
            with pytest.raises(
                UserError, match="in the same way. Received: (lowercase=False and|bleu_tokenizer=13a and) "
            ):
                function()
    with pytest.raises(UserError, match="Scored texts must be equal.*Received: dev_sentences=5 and None"):
        compared(files, tmp_path / "runs", other={"dev_sentences": 5}).run()
    with pytest.raises(FileNotFoundError):
        compared({**files, "data.train.target": tmp_path / "missing"}, tmp_path / "runs").run()
    for seeds in ((), (1, 1)):
        with pytest.raises(UserError, match="seed.*Received: "):
            compared(files, tmp_path / "runs", seeds=seeds)
    with pytest.raises(UserError, match="baseline must be one of a. Received: baseline='b'"):
        Comparison(experiments={"a": make}, baseline="b", seeds=[1], directory=tmp_path)
    assert calls == []


def test_the_process_of_a_run_imports_files_first_and_its_error_is_one_line(tmp_path, capfd):
    """The imported file writes the settings that the run then refuses."""
    settings = tmp_path / "settings.json"
    (tmp_path / "layers.py").write_text(f"open({str(settings)!r}, 'w').write('{{\"speed\": 9}}')")
    with pytest.raises(UserError, match="^There are no such settings.*Received: speed$"):
        module._call("_train", str(settings), imports=[tmp_path / "layers.py"])
    assert capfd.readouterr().err == ""


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


def test_speed_is_measured_on_all_lines_after_a_warm_up(files, tmp_path, monkeypatch):
    clock, sizes = [0.0], []

    class Slow:
        def translate(self, lines, *sides):
            sizes.append(len(lines))
            clock[0] += 100.0 if len(sizes) == 1 else 4.0
            return []

    monkeypatch.setattr(scores.Translator, "from_directory", lambda directory: Slow())
    monkeypatch.setattr(ModelDirectory, "load_config", lambda self: {"search": {"beam_size": 4}})
    monkeypatch.setattr(scores.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(scores, "WARM_UP", 8)
    (tmp_path / "model.weights.h5").write_bytes(b"weights")
    for at in ("before", "now", "now"):  # the turns of another moment are dropped
        sizes.clear()
        scores.measure_speed(make(1, tmp_path, files), at, ["source-target"])
        assert sizes == [8, 20]
    found = json.loads((tmp_path / "speed.json").read_text())
    assert (found["at"], found["sentences"], found["rates"]) == ("now", 20, [5.0, 5.0])


def test_speeds_of_several_moments_are_said(files, tmp_path):
    comparison = compared(files, tmp_path / "runs", seeds=(1,))
    for i, experiment in enumerate(comparison._runs[1].values()):
        write_run(experiment.settings())
        write_speed(Path(experiment.directory), f"2026-11-2{i}", [5.0])
    comparison.write()
    assert "Not all in the same turns: 2026-11-20, 2026-11-21." in (tmp_path / "runs" / "comparison.md").read_text()


@pytest.fixture
def languages(tmp_path):
    for name in ("train", "dev", "test"):
        for language in ("en", "de", "fr"):
            (tmp_path / f"{name}.{language}").write_text("".join(f"{line}\n" for line in LINES))
    return {name: tmp_path / f"{name}.{{language}}" for name in ("train", "dev", "test")}


def several(seed, directory, patterns, **settings):
    own = {"directory": directory, "seed": seed, "languages": ["en", "de", "fr"], "max_updates": 100}
    return ExperimentConfig.from_settings({**own, **patterns, **settings})


HUB = {"pairs": ["en-de", "de-en", "en-fr", "fr-en"]}
ALL = ["en-de", "de-en", "en-fr", "fr-en", "de-fr", "fr-de"]


def compared_in_several(languages, directory, **changes):
    experiments = {name: functools.partial(several, patterns=languages, **change) for name, change in changes.items()}
    return Comparison(
        experiments=experiments, baseline=next(iter(changes)), seeds=(1, 2), directory=directory, report=str
    )


def test_scores_are_means_over_directions_and_a_second_table_has_each_direction(languages, tmp_path, calls):
    folder = tmp_path / "runs"
    comparison = compared_in_several(languages, folder, all={}, hub=HUB)
    dev = {f"bleu_{pair}": 10.0 + i for i, pair in enumerate(HUB["pairs"])} | {"bleu": 99.0}
    scores = dict(zip(ALL, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), strict=True))
    for seed in (1, 2):
        runs = comparison._runs[seed]
        better = {pair: score + seed for pair, score in scores.items()}
        write_run(runs["all"].settings(), dev={**dev, "bleu_de-fr": 70.0}, test=scores, hypotheses=worse(2))
        write_run(runs["hub"].settings(), dev=dev, test=better)
    assert calls == []
    comparison.show()
    lines = (folder / "comparison.md").read_text().splitlines()
    # Development data are those of the pairs that both are trained on: 10, 11, 12 and 13. Test data are those of all.
    assert lines[2] == "| all | 1,000 | 200 | | 2 of 2 | 11.50 ± 0.00 | 3.50 ± 0.00 | | | | | |"
    assert lines[3].startswith("| hub | 1,000 | 200 | | 2 of 2 | 11.50 ± 0.00 | 5.00 ± 0.71 | +1.50 | +1.00, +2.00 | +")
    assert lines[5] == f"| test BLEU | {' | '.join(['en-de', 'en-fr', 'de-en', 'de-fr', 'fr-en', 'fr-de'])} |"
    assert lines[8].startswith("| hub | 2.50 ± 0.71 | 4.50 ± 0.71 | 3.50 ± 0.71 | 6.50 ± 0.71* |")
    assert "mean over the 6 directions" in lines[-1]
    written = json.loads((folder / "comparison.json").read_text())
    assert written["configurations"]["hub"]["by_direction"]["de-fr"]["scores"] == {"1": 6.0, "2": 7.0}
    assert not written["configurations"]["hub"]["by_direction"]["de-fr"]["trained"]


def test_only_common_directions_are_compared(languages, tmp_path, calls):
    one = {"languages": ["en", "de"], "pairs": ["en-de"]}
    comparison = compared_in_several(languages, tmp_path / "runs", all={}, one=one)
    assert (comparison._dev, comparison._test) == (["en-de"], ["en-de"])
    for experiment in comparison._runs[1].values():
        write_run(experiment.settings(), test=dict.fromkeys(ALL, 3.0))
    summary = comparison.write()
    assert summary["directions"] == ["en-de"]
    assert [found["test_bleu"]["mean"] for found in summary["configurations"].values()] == [3.0, 3.0]
    other = {"languages": ["en", "de"], "pairs": ["de-en"]}
    with pytest.raises(UserError, match="have a direction in common. Received: different dev_pairs"):
        compared_in_several(languages, tmp_path / "none", one=one, other=other).run()
    with pytest.raises(UserError, match="in the same way. Received: lowercase=False and True"):
        compared_in_several(languages, tmp_path / "none", one=one, other={**one, "lowercase": True}).run()
    assert calls == []


def test_a_comparison_is_kept_and_continues_without_models(files, tmp_path, calls):
    """With the same table; the run of another configuration stays where it is kept."""
    comparison, kept = compared(files, tmp_path / "runs"), tmp_path / "table.jsonl"
    summary = comparison.run()
    keep_runs(kept, compared(files, tmp_path / "runs", more={"clip": 1.0}).finished_runs())
    before = kept.read_bytes()
    calls.clear()
    restore_runs(kept, tmp_path / "copies")
    assert sorted(path.name for path in (tmp_path / "copies").iterdir()) == ["baseline-1", "baseline-2"]
    keep_runs(kept, comparison.finished_runs())
    restore_runs(kept, tmp_path / "copies")
    copy = compared(files, tmp_path / "copies")
    assert copy.run() == summary
    assert calls == []
    keep_runs(kept, copy.finished_runs())
    restored = read_kept_runs(kept)
    assert list(restored) == [("baseline", 1), ("baseline", 2), ("plain", 1), ("plain", 2)]
    assert before in kept.read_bytes()
    assert str(tmp_path) not in kept.read_text()
