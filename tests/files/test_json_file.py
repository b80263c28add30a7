"""Damaged JSON files: an error of one line that names the file, from every reader."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import threading
from pathlib import Path

import h5py
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keras_nmt.cli.app import app
from keras_nmt.errors import UserError
from keras_nmt.experiments.config import ExperimentConfig
from keras_nmt.experiments.reports import html_report
from keras_nmt.experiments.results import finished_results, read_digests
from keras_nmt.files.json_file import MAX_BYTES, MAX_DEPTH, check_digest, read_json, with_digest
from keras_nmt.files.model_config import FORMAT

DEEP = 100_000
DAMAGED = {
    "empty": b"",
    "half": b'{"seed": ',
    "null": b"null",
    "list": b"[]",
    "number": b"3",
    "text": b'"text"',
    "deep lists": b"[" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deeper than functions that call themselves": b'{"a":' * 500 + b"1" + b"}" * 500,
    "not UTF-8": b'{"a": "\xff"}',
    "a name twice": b'{"a": {"plain": {}, "plain": {"clip": 1}}}',
    "long number": b'{"a": ' + b"1" * 10_000 + b"}",
}


def test_damage_is_one_line_that_names_the_file(tmp_path):
    path = tmp_path / "file.json"
    for kind, content in DAMAGED.items():
        path.write_bytes(content)
        with pytest.raises(UserError) as raised:
            read_json(path, "the settings of a run")
        message = str(raised.value)
        assert message.startswith(f"{path} must contain the settings of a run as one JSON object"), kind
        assert "Received: " in message
        assert "\n" not in message
        assert len(message) < 400


@given(content=st.binary() | st.text().map(str.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_an_object_or_an_error_of_one_line(content, tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    try:
        assert isinstance(read_json(path, "anything"), dict)
        message = str(path)
    except UserError as error:
        message = str(error)
    assert str(path) in message
    assert len(message.splitlines()) == 1


def test_all_json_objects_are_read(tmp_path):
    value = {"a": [1, 2.5, None, True, "ä"], "nested": {"b": {}}}
    deepest: dict[str, object] = {}
    for _ in range(MAX_DEPTH - 1):
        deepest = {"a": deepest}
    for content in (value, deepest):
        (tmp_path / "file.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        assert read_json(tmp_path / "file.json", "anything") == content


def test_folders_and_large_files_are_rejected_and_missing_files_are_not_found(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path, "a folder"), (tmp_path / "pipe", "a pipe"), (Path("/dev/zero"), "a device")):
        with pytest.raises(UserError, match=rf"^This must be a regular file\. Received: {path}, {kind}$"):
            read_json(path, "anything")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(UserError, match="Received: more than 16,777,216 bytes"):
        read_json(tmp_path / "large", "anything")
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "missing", "anything")


def test_commands_report_damage_in_one_line(tmp_path, error_line):
    text, run = tmp_path / "text", tmp_path / "run"
    text.write_text("a b c\n" * 20)
    (run / "checkpoints").mkdir(parents=True)
    train = ["train", "--train", text, text, "--dev", text, text, "--vocabulary-size", 8, "--max-updates", 1]
    train += ["--directory", run]
    for path, command in (
        (run / "config.json", ["translate", run]),
        (run / "checkpoints" / "index.json", ["average", run, "--last", 2]),
        (run / "settings.json", train),
        (run / "data.json", train),
        (tmp_path / "mine.json", ["train", "--settings", tmp_path / "mine.json"]),
    ):
        path.write_bytes(DAMAGED["half"])  # the other kinds: see the test of `read_json`
        assert f"{path} must contain " in error_line(*command)
        path.unlink()


def test_settings_that_the_user_names_may_come_from_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_text, args=['{"seed": 3}'], daemon=True).start()
    assert ExperimentConfig.read_settings(tmp_path / "pipe") == {"seed": 3}


OTHER = [None, True, -1, 1e300, float("nan"), 10**400, "x", "\ud800", [], [1], {}, {"a": {"b": ["c"]}}]


def changed(value, depth=4):
    """The values that differ from a value of JSON in the type or content of one part."""
    yield from OTHER
    if depth and isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            for other in changed(value[key], depth - 1):
                whole = copy.copy(value)
                whole[key] = other
                yield whole


def write(path, value):
    """Writes a value as JSON, with the digest that it would have if it had not been changed by hand."""
    path.write_text(json.dumps(with_digest(value) if isinstance(value, dict) and "sha256" not in value else value))


@pytest.fixture
def run(tmp_path):
    """A finished run, and its experiment."""
    text = tmp_path / "text"
    text.write_text("a b c\n" * 3)
    files = {use: {"source": text, "target": text} for use in ("train", "dev", "test")}
    data = {"languages": ["source", "target"], "pairs": ["source-target"], **files}
    folder = tmp_path / "run"
    folder.mkdir()
    experiment = ExperimentConfig.from_settings({"directory": folder, "data": data, "max_updates": 1})
    score = {"score": 3.5, "signature": "nrefs:1"}
    results = {
        **{"updates": 1, "parameters": 9, "training_seconds": 1.5, "ended_by": "max_updates", "final_updates": [1]},
        **{"dev_greedy": {"bleu": 1.5}, "limits": {"max_updates": 1, "time_limit": None, "patience": None}},
        **{"data": {"train": ["d"]}, "test": {"source-target": {"trained": True, "bleu": score, "chrf": score}}},
    }
    config = {"format": FORMAT, "model": {"class": "Any", "config": {"num_heads": 2}}, "search": {"beam_size": 2}}
    config |= {"subwords": {"source": "s", "target": "s"}, "subwords_sha256": {"s": "00"}}
    values = {"results": results, "config": config, "settings": experiment.settings()}
    values |= {"data": {"train": ["d"]}, "log": {"update": 1, "loss": 2.5, "val_bleu": 3}}
    for name in ("results", "config", "settings", "data"):
        write(folder / f"{name}.json", values[name])
    (folder / "training_log.jsonl").write_text(f"{json.dumps(values['log'])}\n" * 2)
    with h5py.File(folder / "model.weights.h5", "w") as file:
        file["w"] = [1.0]
    (folder / "test.source-target.hypotheses.txt").write_text("a\n")
    return experiment, values


@pytest.mark.parametrize("number", [40, pytest.param(150, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("config", lambda e: app(["info", str(e.directory)], standalone_mode=False)),
        ("results", lambda e: app(["info", str(e.directory)], standalone_mode=False)),
        ("results", lambda e: html_report(e.directory)),
        ("results", lambda e: finished_results(e, lambda line: None)),
        ("settings", lambda e: app(["info", str(e.directory)], standalone_mode=False)),
        ("settings", lambda e: html_report(e.directory)),
        ("settings", lambda e: e.changed_settings([])),
        ("data", lambda e: read_digests(e.directory / "data.json")),
        ("log", lambda e: html_report(e.directory)),
    ],
)
def test_values_of_another_type_are_no_tracebacks(name, read, number, run, capsysbinary):
    experiment, values = run
    folder = experiment.directory
    path = folder / ("training_log.jsonl" if name == "log" else f"{name}.json")
    every = [*changed(values[name])]
    messages = []
    for value in random.Random(1).sample(every, min(len(every), number)):
        if name == "log":
            path.write_text(f"{json.dumps(value)}\n" * 2)
        else:
            write(path, value)
        try:
            read(experiment)
        except UserError as error:
            messages.append(str(error))
        shown = capsysbinary.readouterr().out.decode()
        messages += [line for line in shown.splitlines() if " damaged. " in line]
    assert messages
    for message in messages:
        assert str(folder if "reads only format" in message else path) in message
        assert len(message) < 900
        assert "\n" not in message


def test_files_of_a_run_that_lack_entries_are_named(run, capsys):
    experiment, values = run
    for name, lacking in (("results", "no updates, ended_by"), ("settings", "no data")):
        path = experiment.directory / f"{name}.json"
        write(path, {})
        told = f"{path} must contain the {name} of a run.*Received: {lacking}"
        with pytest.raises(UserError, match=f"^{told}$"):
            html_report(experiment.directory)
        app(["info", str(experiment.directory)], standalone_mode=False)
        shown = capsys.readouterr().out
        assert re.search(f"\n  {name} +damaged. {told}\n(.*\n)*files\n", shown), shown
        assert ("3.50  nrefs:1" in shown, "directions" in shown) == (name != "results", name != "settings")
        write(path, values[name])


def test_a_digest_does_not_depend_on_the_order_of_entries():
    written = with_digest({"b": 1, "a": {"d": [2, 1], "c": None}})
    changed = {"sha256": written["sha256"], "a": {"c": None, "d": [2, 1]}, "b": 1}
    assert check_digest(changed, "file") == {"b": 1, "a": {"d": [2, 1], "c": None}}
    with pytest.raises(UserError, match=r"^file is damaged, or was changed by hand"):
        check_digest({**changed, "a": {"c": None, "d": [1, 2]}}, "file")
