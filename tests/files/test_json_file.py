"""Damaged JSON files: an error of one line that names the file, from every reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keras_nmt.errors import UserError
from keras_nmt.files.json_file import MAX_BYTES, MAX_DEPTH, read_json

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
    "long number": b'{"a": ' + b"1" * 10_000 + b"}",
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damage_is_one_line_that_names_the_file(content, tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        read_json(path, "the settings of a run")
    message = str(raised.value)
    assert message.startswith(f"{path} must hold the settings of a run as one JSON object")
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
    with pytest.raises(UserError, match=f"{tmp_path} must hold .* Received: Is a directory"):
        read_json(tmp_path, "anything")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(UserError, match="Received: more than 16,777,216 bytes"):
        read_json(tmp_path / "large", "anything")
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / "missing", "anything")


@pytest.fixture
def commands(tmp_path):
    """The path of each JSON file, and a command that reads the file."""
    text, run = tmp_path / "text", tmp_path / "run"
    text.write_text("a b c\n" * 20)
    (run / "checkpoints").mkdir(parents=True)
    train = ["train", "--train", text, text, "--dev", text, text, "--vocabulary-size", 8, "--max-updates", 1]
    train += ["--directory", run]
    return {
        "config.json": (run / "config.json", ["translate", run]),
        "index.json": (run / "checkpoints" / "index.json", ["average", run, "--last", 2]),
        "settings.json": (run / "settings.json", train),
        "data.json": (run / "data.json", train),
        "settings": (tmp_path / "mine.json", ["train", "--settings", tmp_path / "mine.json"]),
    }


@pytest.mark.parametrize("name", ["config.json", "index.json", "settings.json", "data.json", "settings"])
def test_commands_report_damage_in_one_line(name, commands, error_line):
    path: Path
    path, command = commands[name]
    for kind in ("half", "list", "deep lists", "not UTF-8"):  # the other kinds: see the test of `read_json`
        path.write_bytes(DAMAGED[kind])
        assert f"{path} must hold " in error_line(*command)
