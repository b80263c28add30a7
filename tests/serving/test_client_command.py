"""`keras-nmt translate --server`."""

from __future__ import annotations

import sys

import pytest


def test_translate_uses_a_server(server, server_of_languages, command, api):
    there = ["--server", getattr(server, api), "--model", "echo"]
    assert command(*there, stdin="äh\n\nb\r\n".encode()) == (0, "äh\n\nb\n", "")
    named = there[:2] if api == "rest_url" else there  # by gRPC, the client does not ask for the name
    assert command(*named, "--timeout", "20", "--retries", "0", stdin=b"a\n") == (0, "a\n", "")
    code, output, errors = command(*there, "--scores", stdin=b"a\nb\nc\nd\nabc\n")
    assert (code, output) == (0, "3.0000\ta\n3.0000\tb\n3.0000\tc\n3.0000\td\n3.0000\tabc\n")
    assert errors.startswith("5 line(s) were truncated")
    there = ["--server", getattr(server_of_languages, api), "--model", "many", "-s", "de", "-t", "fr"]
    assert command(*there, stdin=b"one\n") == (0, "de fr one\n", "")
    assert command(*there, "--n-best", "2", "--scores", stdin=b"one\n")[1] == "-1.0000\tde fr one\n-2.0000\tone\n"
    assert command(*there, "--sample", "--seed", "1", stdin=b"one\n")[1].startswith("de fr 1791095845 one\n")
    code, output, errors = command(*there, "--n-best", "3", stdin=b"one\n")
    assert (code, output) == (2, "")
    assert "gives at most 2 translation(s) of a sentence" in errors


def test_a_translation_cannot_steer_the_terminal(server, command, monkeypatch):
    there, text = ["--server", server.rest_url, "--model", "echo"], "ä\x1b]0;a\x07\x9b\ta\u200cb"
    assert command(*there, stdin=f"{text}\n".encode())[1] == f"{text}\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert command(*there, stdin=f"{text}\n".encode())[1] == "ä\\x1b]0;a\\x07\\x9b\ta\u200cb\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["runs/mine", "--server", "http://localhost:1"], "no effect with --server. Received: DIRECTORY"),
        (["--server", "http://localhost:1", "--length-penalty", "2", "--xla"], "Received: --length-penalty, --xla"),
        (["--server", "http://localhost:1", "--sample", "--beam-size", "2"], "--sample. Received: --beam-size"),
        (["--server", "http://localhost:1", "--split-sentences", "en", "--n-best", "2"], "es. Received: --n-best"),
        (["runs/mine", "--split-sentences", "en"], "goes with --server. Received: --split-sentences en"),
        (["--server", "http://localhost:1", "--seed", "3"], "--seed goes with --sample. Received: --seed 3"),
        (["--server", "http://localhost:1", "--sample", "--top-k", "3"], "no effect with --server. Received: --top-k"),
        (["runs/mine", "--model", "mine"], "--model goes with --server"),
        (["runs/mine", "--timeout", "3"], "--timeout goes with --server. Received: --timeout 3"),
        (["runs/mine", "--retries", "3"], "--retries goes with --server. Received: --retries 3"),
        (["--server", "http://localhost:1", "--timeout", "0"], "`timeout` must be a number above 0"),
        (["--server", "http://localhost:1", "--retries", "-1"], "`retries` must be an integer of at least 0"),
        (["--server", "grpc://127.0.0.1:1", "--timeout", "0.2", "--model", "m"], "Received: model='m'"),
        ([], "Missing argument: the DIRECTORY of a model, or --server URL"),
        (["--server", "localhost"], "`url` must be"),
        (["--server", "http://127.0.0.1:1"], "cannot be reached"),
    ],
)
def test_errors_of_translate_by_a_server_are_one_line(command, monkeypatch, arguments, told):
    monkeypatch.setattr("keras_nmt.serving.client.transports.FIRST_WAIT", 0.001)
    code, output, errors = command(*arguments, stdin=b"a\n")
    assert (code, output) == (2, "")
    assert errors.startswith("Error: ")
    assert errors.count("\n") == 1
    assert told in errors
