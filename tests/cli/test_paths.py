"""Paths that commands and functions take: addresses of storage, standard streams, pipes, names that are not UTF-8."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from terminal import on_a_terminal, terminal_for_errors

from keras_nmt.cli.app import app
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.experiments import ExperimentConfig
from keras_nmt.experiments.comparison import Comparison
from keras_nmt.files.atomic_files import atomic_folder, directory_lock, write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.model_config import FORMAT
from keras_nmt.inference import Shortlist
from keras_nmt.models import ModelDirectory
from keras_nmt.text.text_files import text_digest
from keras_nmt.training import average_checkpoints

TRAIN = "train --train two two --dev two two --max-updates 1 --directory"
INSPECT = "inspect similarity d --source two"
# Every place of a command that names a file or folder to write, or a model. PLACE is an address, or a standard stream.
PLACES = [
    "quickstart --output PLACE",
    "prepare --output PLACE --source two --target two --vocabulary-size 9",
    f"{TRAIN} PLACE",
    "translate d --input two --alignments PLACE/a",
    "score PLACE --source two --target two",
    "evaluate PLACE --source two --references two",
    "embed d --input two --language en --output PLACE/a.npy",
    "shortlist d --source two --target two --output PLACE",
    "align PLACE --source two --target two",
    "align d --source two --target two --output PLACE/a",
    "distill PLACE --input two --output e",
    "distill d --input two --output PLACE",
    "export d PLACE",
    "serve PLACE",
    "demo PLACE",
    "average d --last 1 --output PLACE/a.weights.h5",
    "average PLACE --last 1",
    "extend-vocabulary PLACE e --tag x",
    "extend-vocabulary d PLACE --tag x",
    "import PLACE e",
    "import d PLACE",
    "info PLACE",
    "report PLACE",
    "report d --output PLACE/a",
    "inspect roles PLACE --source two",
    f"{INSPECT} --output PLACE",
    "compare list.json --output PLACE",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory: a file, and a model directory that no command gets to load."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two").write_text("a b\nc\n")
    sides = {f"{use}_{side}": "two" for use in ("train", "dev") for side in ("source", "target")}
    shared = {**sides, "max_updates": 1}
    write_json(tmp_path / "list.json", {"settings": shared, "configurations": {"a": {}}, "baseline": "a", "seeds": [1]})
    (tmp_path / "d").mkdir()
    config = {"format": FORMAT, "model": {"class": "Any", "config": {}}, "search": {}}
    config |= {"subwords": {"source": "s", "target": "t"}, "subwords_sha256": {"s": "00", "t": "00"}}
    write_json(tmp_path / "d" / "config.json", with_digest(config))
    return tmp_path


def test_addresses_and_streams_are_refused_before_the_work(folder, error_line):
    named = {place.split()[0] for place in [*PLACES, "translate"]}
    assert named == {command.name for command in app.registered_commands} | {"inspect"}
    for place in PLACES:
        line = error_line(*place.replace("PLACE", "gs://bucket/m").split())
        assert "copy the files to a local path. Received: gs://bucket/m" in line
    assert "Standard streams are not supported here" in error_line(*PLACES[0].replace("PLACE", "-").split())
    assert sorted(path.name for path in folder.rglob("*")) == ["config.json", "d", "list.json", "two"]


def experiment(directory):
    files = {part: {"de": "two", "en": "two"} for part in ("train", "dev")}
    data = {"languages": ["de", "en"], "pairs": ["de-en"], **files}
    return ExperimentConfig.from_settings({"directory": directory, "data": data, "max_updates": 1})


def test_functions_refuse_addresses(folder):
    for function in (
        lambda path: write_json(path, 1),
        lambda path: atomic_folder(path).__enter__(),
        lambda path: directory_lock(path).__enter__(),
        lambda path: average_checkpoints(path),
        lambda path: train_subwords("two", path, vocabulary_size=8),
        ModelDirectory,
        experiment,
        lambda path: Comparison(
            experiments={"a": lambda seed, directory: experiment(directory)}, baseline="a", seeds=[1], directory=path
        ),
    ):
        for address in ("s3://bucket/m", Path("s3://bucket/m"), "my+storage://m"):
            with pytest.raises(UserError, match=r"Received: (s3://bucket|my\+storage:/)/m$"):
                function(address)
    assert len([*folder.iterdir()]) == 3


def test_functions_that_read_files_refuse_pipes(folder):
    os.mkfifo(folder / "pipe")  # without a writer: opening it would wait for ever
    for read in (SubwordTokenizer, Shortlist.read, text_digest):
        with pytest.raises(UserError, match=r"^This must be a regular file\. Received: .*pipe, a pipe$"):
            read(folder / "pipe")
    with pytest.raises(UserError, match="which is read twice"):
        train_subwords(folder / "pipe", folder / "new", vocabulary_size=8)


def pipe(path: Path, content: bytes) -> Path:
    """A named pipe with a process that writes to it once: a second reader would wait for ever."""
    os.mkfifo(path)
    threading.Thread(target=lambda: path.write_bytes(content), daemon=True).start()
    return path


def test_standard_input_pipes_and_addresses_are_read_once(folder, monkeypatch, capsysbinary):
    both = folder / "references"
    pipe(both, b"a b c d\n")
    with open(pipe(folder / "stdin", b"a b c d\n")) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        app(["evaluate", "--hypotheses", "-", "--references", str(both), "--metrics", "bleu"], standalone_mode=False)
    assert b" = 100.00" in capsysbinary.readouterr().out
    fsspec = pytest.importorskip("fsspec")
    text = "memory://bucket/text"
    with fsspec.open(text, "wb") as file:
        file.write(b"a b c d\n")
    with terminal_for_errors(monkeypatch) as shown:
        app(["evaluate", "--hypotheses", text, "--references", text, "--metrics", "bleu"], standalone_mode=False)
        assert "Scoring" in shown()
    assert b" = 100.00" in capsysbinary.readouterr().out


def test_what_is_read_twice_is_a_file(folder, error_line):
    path = pipe(folder / "pipe", b"a b\nc\n")
    for command in (
        "train --train PIPE two --dev two two --max-updates 1 --directory new",
        "train --train two two --dev two two --test PIPE two --max-updates 1 --directory new",
        "inspect similarity d --source PIPE --output new",
        "inspect contrast d --data PIPE --output new",
    ):
        line = error_line(*command.replace("PIPE", str(path)).split())
        assert line.startswith("Error: This must be a regular file")
        assert line.endswith(f"Received: {path}, a pipe\n")
    assert not (folder / "new").exists()


def test_missing_files_and_bad_last_lines_are_found_before_the_work(folder, error_line, monkeypatch):
    monkeypatch.delattr("keras_nmt.cli.translation.import_tensorflow")
    (folder / "bad").write_bytes(b"a\n" * 30_000 + b"\xff\n")
    for command in ("translate d --input bad", "shortlist d --output a --source bad --target bad"):
        assert "Line 30001 is not UTF-8" in error_line(*command.split())
    assert "No such file or directory. Received: nope" in error_line(
        "align", "d", "--source", "nope", "--target", "two"
    )


PROGRAM = """
import sys
from pathlib import Path
from keras_nmt.cli.lines import chunks, input_lines, output_lines
from keras_nmt.cli.run_app import run_app
def command() -> None:
    with output_lines(Path("out")) as write:
        for lines in chunks(input_lines(Path("-")), 2):
            for line in lines:
                write(line)
            print(len(lines), flush=True)
run_app(command)
"""


def default_signals() -> None:
    """Heeds the signals that a test run in the background, or under `nohup`, would ignore."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def start(folder: Path, *before: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [*before, sys.executable, "-c", PROGRAM]
    return subprocess.Popen(command, cwd=folder, env=environment, preexec_fn=default_signals, **streams)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, *(pytest.param(x, marks=pytest.mark.slow) for x in (signal.SIGHUP, signal.SIGINT))]
)
def test_a_signal_leaves_the_lines_so_far_and_no_temporary_files(number, tmp_path):
    with start(tmp_path) as process:
        process.stdin.write("ä\nb\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"2\n"
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == 128 + number
    assert errors == b"The lines until then are in out.partial\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.partial"]
    assert (tmp_path / "out.partial").read_text(encoding="utf-8") == "ä\nb\n"


@pytest.mark.slow
def test_nohup_is_respected(tmp_path):
    with start(tmp_path, "nohup") as process:
        process.stdin.write(b"a\nb\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"2\n"
        process.send_signal(signal.SIGHUP)
        process.communicate(b"c\n")
    assert process.returncode == 0
    assert (tmp_path / "out").read_bytes() == b"a\nb\nc\n"


@pytest.mark.slow
def test_a_bad_line_of_a_stream_leaves_the_lines_before_it(tmp_path):
    with start(tmp_path) as process:
        _, errors = process.communicate(b"a\nb\nc\n\xff\nd\n")
    assert process.returncode == 2
    assert errors.startswith(b"The lines until then are in out.partial\nError: Line 4 is not UTF-8")
    assert (tmp_path / "out.partial").read_bytes() == b"a\nb\nc\n"
    assert len([*tmp_path.iterdir()]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_text_can_be_written_in_any_encoding(encoding, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    code = """
import sys, time
from keras_nmt.cli.lines import write_line
from keras_nmt.cli.progress import working
from keras_nmt.cli.run_app import run_app
def command() -> None:
    with working("Übung … \\udcff"):
        time.sleep(0.2)
    print("ü … \\udcff", flush=True)
    write_line("ü … \\udcff")
sys.argv = ["command"]
run_app(command)
"""
    code, output, shown = on_a_terminal("-c", code)
    assert code == 0, shown
    messages, text, _ = output.split(b"\n")
    assert messages == "ü … \udcff".encode(encoding, "backslashreplace")
    assert text == "ü … \\udcff".encode()


NAME = os.fsdecode(b"m\xff")


def test_reports_escape_names_that_are_not_utf8_and_go_to_standard_output(folder, capsysbinary):
    os.rename("d", NAME)
    app(["info", NAME], standalone_mode=False)
    assert b"Any in m\\udcff\n" in capsysbinary.readouterr().out
    (folder / NAME / "training_log.jsonl").write_text('{"update": 1}\n')
    app(["report", NAME], standalone_mode=False)
    assert "m\\udcff" in (folder / NAME / "report.html").read_text(encoding="utf-8")
    assert capsysbinary.readouterr().out == b"m\\udcff/report.html\n"
    app(["report", NAME, "--output", "-"], standalone_mode=False)
    assert capsysbinary.readouterr().out.startswith(b"<!doctype html>")
    assert not (folder / "-").exists()
