"""`keras-nmt translate`, `score`, `evaluate` and `export`, on a trained model."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import select
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_text  # noqa: F401  registers the operators of the export
from digits import write_lines
from terminal import terminal_for_errors

from keras_nmt.cli.app import app, main
from keras_nmt.cli.progress import LINES_OF_A_STEP
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.model_config import FORMAT


def test_translate_keeps_lines_in_order_and_empty_ones_empty(trained, tmp_path, keras_nmt):
    run = keras_nmt("translate", trained, stdin="3 0 7\n\n1 2\r\n")
    assert run.stdout.decode().split("\n") == ["three zero seven", "", "one two", ""]
    assert run.stderr == b""
    best = keras_nmt("translate", trained, "--n-best", 2, "--scores", "--xla", stdin="3 0 7\n").stdout.decode()
    (score, text), (other_score, _) = (line.split("\t") for line in best.splitlines())
    assert text == "three zero seven"
    assert 0 >= float(score) >= float(other_score)
    lines = write_lines(tmp_path, "lines", ["3 0 7", "", "1 2"])
    files = keras_nmt("translate", trained, "--input", lines, "--output", tmp_path / "out", "--batch-size", 1)
    assert files.stdout == b""
    assert (tmp_path / "out").read_bytes() == run.stdout


# Packages that are installed beside keras_nmt, and that other commands or extras need, or nothing does.
UNUSED = ("jax", "keras_hub", "kagglehub", "sklearn", "pandas", "matplotlib", "torch", "ctranslate2", "apache_beam")
UNUSED += ("tensorflow_serving", "grpc", "sacrebleu", "tensorboard", "typer.rich_utils", "keras_nmt.training")


def test_start_up_imports_what_the_command_needs(trained):
    """Not by `run_python`, whose processes start with packages imported."""
    code = "import sys; from keras_nmt.cli.app import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    program = [sys.executable, "-c", code]
    done = subprocess.run([*program, "translate", trained], input=b"3 0 7\n", capture_output=True)
    modules = set(done.stderr.decode().splitlines()[-1].split())
    assert (done.stdout, modules & {"tensorflow", *UNUSED}) == (b"three zero seven\n", {"tensorflow"})
    done = subprocess.run([*program, "--help"], capture_output=True)
    modules = set(done.stderr.decode().splitlines()[-1].split())
    assert b"translate" in done.stdout
    assert not modules & {"tensorflow", "keras", "numpy", *UNUSED} - {"typer.rich_utils"}  # which draws the help


def answer_of(descriptor):
    """The bytes that can be read within a minute; none if there are none."""
    ready, _, _ = select.select([descriptor], [], [], 60)
    return os.read(descriptor, 4096) if ready else b""


def test_each_line_is_answered_at_once(trained, monkeypatch):
    (input_, ask), (answer, output) = os.pipe(), os.pipe()
    answers = []

    def user():
        with open(ask, "wb", buffering=0) as file:
            for line in (b"3 0 7\n", b"1 2\n"):
                file.write(line)
                answers.append(answer_of(answer))  # the input has not ended

    with ThreadPoolExecutor() as pool, open(input_) as stdin, open(output, "w") as stdout, monkeypatch.context() as m:
        typing = pool.submit(user)
        m.setattr(sys, "stdin", stdin)
        m.setattr(sys, "stdout", stdout)
        app(["translate", str(trained), "--line-buffered"], standalone_mode=False)
        typing.result()
    os.close(answer)
    assert answers == [b"three zero seven\n", b"one two\n"]


def test_a_terminal_gets_the_translations_of_a_file_in_steps(trained, tmp_path, monkeypatch):
    path = tmp_path / "lines"
    os.mkfifo(path)
    ours, theirs = pty.openpty()
    answers = []

    def user():
        with open(path, "wb") as file:
            file.write(b"3 0 7\n" * LINES_OF_A_STEP)
            file.flush()
            answers.append(answer_of(ours))  # the input has not ended
        with contextlib.suppress(OSError):  # the terminal is closed
            while os.read(ours, 4096):
                pass

    with ThreadPoolExecutor() as pool:
        typing = pool.submit(user)
        with open(theirs, "w") as stdout, monkeypatch.context() as m:
            m.setattr(sys, "stdout", stdout)
            app(["translate", str(trained), "--input", str(path)], standalone_mode=False)
        typing.result()
    os.close(ours)
    assert answers[0].startswith(b"three zero seven")


def test_a_pipe_is_read_once_though_a_terminal_shows_a_bar(trained, tmp_path, monkeypatch):
    path = tmp_path / "lines"
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool, terminal_for_errors(monkeypatch) as text:
        pool.submit(path.write_bytes, b"3 0 7\n1 2\n")
        arguments = ["--input", str(path), "--output", str(tmp_path / "out"), "--alignments", str(tmp_path / "words")]
        app(["translate", str(trained), *arguments], standalone_mode=False)
        shown = text()
    assert "2/?" in shown
    assert (tmp_path / "out").read_text() == "three zero seven\none two\n"
    assert [line.count("-") > 0 for line in (tmp_path / "words").read_text().splitlines()] == [True, True]


@pytest.mark.parametrize("missing", [0, 1, pytest.param(2, marks=pytest.mark.nightly)])
def test_a_closed_stream_is_one_line(trained, tmp_path, missing):
    log = tmp_path / "log"
    arguments = shlex.join(["translate", str(trained)])
    streams = {0: "</dev/null", 1: f">>{log}", 2: f"2>>{log}"} | {missing: f"{missing}>&-"}
    redirected = " ".join(streams.values())
    script = f'exec "$0" -c "from keras_nmt.cli.app import main; main()" {arguments} {redirected}'
    quiet = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    status = subprocess.run(["bash", "-c", script, sys.executable], check=False, env=quiet).returncode
    text = log.read_text() if log.exists() else ""
    assert "Traceback" not in text
    if missing == 2:  # nothing to write there
        assert status == 0
    else:
        assert status == 2
        assert text == f"Error: Standard {'input' if missing == 0 else 'output'} is closed: redirect it to a file " + (
            "or a pipe. Received: no open stream\n"
        )


def test_a_folder_as_input_is_one_line(trained, tmp_path, error_line):
    assert error_line("translate", trained, "--input", tmp_path) == f"Error: Is a directory. Received: {tmp_path}\n"


def test_invalid_input_names_the_line(trained, error_line, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2\n\xff\xfe\n")))
    assert "Line 2 is not UTF-8" in error_line("translate", trained)


def test_evaluate_and_score_agree_with_translate(trained, corpus, tmp_path, keras_nmt):
    sources, references = corpus / "test.digits", corpus / "test.words"
    run = keras_nmt("evaluate", trained, "--references", references, "--source", sources)
    (reported,) = (test["bleu"] for test in json.loads((trained / "results.json").read_text())["test"].values())
    assert f"BLEU|{reported['signature']} = {reported['score']:.2f}" in run.stdout.decode()

    worse = references.read_text().splitlines()
    worse[::2] = ["zero"] * len(worse[::2])
    baseline = write_lines(tmp_path, "worse.txt", worse)
    both = ["--hypotheses", references, "--baseline", baseline]
    compared = keras_nmt("evaluate", "--references", references, *both).stdout.decode()
    assert "100.00" in compared
    assert "p = 0.00" in compared

    def scores(target):
        return [float(x) for x in keras_nmt("score", trained, "--source", sources, "--target", target).stdout.split()]

    right, wrong = scores(references), scores(baseline)
    assert len(right) == 50
    assert all(one > other for one, other in zip(right[::2], wrong[::2], strict=True))
    np.testing.assert_allclose(right[1::2], wrong[1::2], rtol=0, atol=1.5e-4)  # printed with four decimals


def test_an_export_translates_like_its_directory(trained, tmp_path, keras_nmt):
    warmup = write_lines(tmp_path, "warmup", ["3 0 7", "1 2"])
    run = keras_nmt("export", trained, tmp_path / "served", "--beam-size", 2, "--warmup", warmup, "--warmup-xla")
    assert run.stdout.decode().strip() == str(tmp_path / "served" / "1")
    assert run.stderr.decode() == "A server runs 8 warm-up requests when it loads the version, 4 of them compiled.\n"
    served = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
    assert served(text=tf.constant(["3 0 7", ""]))["translation"].numpy().tolist() == [b"three zero seven", b""]
    records = tmp_path / "served" / "1" / "assets.extra" / "tf_serving_warmup_requests"
    assert len(list(tf.data.TFRecordDataset(str(records)))) == 8  # batch buckets, with XLA and without


def test_a_terminal_shows_the_progress_of_an_export(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["keras-nmt", "export", "nowhere", str(tmp_path)])
    with terminal_for_errors(monkeypatch) as text:
        with pytest.raises(SystemExit) as raised:
            main()
        shown = text()
    assert raised.value.code == 2
    assert "Exporting nowhere" in shown
    assert "must contain config.json" in shown


@pytest.mark.parametrize("command", ["translate d", "evaluate d --references TEXT --source TEXT", "export d out"])
def test_search_options_reach_the_search(command, tmp_path, monkeypatch):
    class Reached(Exception):
        pass

    seen = {}

    def reached(*_, **options):
        seen.update(options)
        raise Reached

    class Loaded:
        model, tokenizers, search = None, None, {}

    monkeypatch.setattr("keras_nmt.inference.Translator.from_directory", reached)
    monkeypatch.setattr("keras_nmt.inference.load.load", lambda *_, **options: seen.update(options) or Loaded)
    monkeypatch.setattr("keras_nmt.serving.export", reached)
    (tmp_path / "text").write_text("a\n")
    (tmp_path / "d").mkdir()
    config = {"format": FORMAT, "model": {"class": "Any", "config": {}}, "search": {}}
    config |= {"subwords": {"source": "s", "target": "t"}, "subwords_sha256": {"s": "", "t": ""}}
    write_json(tmp_path / "d" / "config.json", with_digest(config))
    monkeypatch.chdir(tmp_path)
    flags = {"beam_size": 7, "length_penalty": 0.5, "weights": Path("w.weights.h5")}
    flags |= {"min_length": 2, "max_length": 9, "max_length_factor": 5}
    if not command.startswith("evaluate"):
        flags |= {"coverage_penalty": 0.1, "n_best": 2}
    if command.startswith("export"):
        flags |= {"quantize": "int8", "version": 4}
    given = [str(x) for name, value in flags.items() for x in ("--" + name.replace("_", "-"), value)]
    with pytest.raises(Reached):
        app([*command.replace("TEXT", str(tmp_path / "text")).split(), *given], standalone_mode=False)
    expected = {"num_hypotheses" if name == "n_best" else name: value for name, value in flags.items()}
    assert {name: seen[name] for name in expected} == expected


def test_translate_writes_scores_of_words_markup_and_alternatives(trained, tmp_path, keras_nmt):
    scores = tmp_path / "words.jsonl"
    run = keras_nmt("translate", trained, "--n-best", 2, "--scores", "--word-scores", scores, stdin="3 0 7\n\n")
    assert run.stderr == b""
    rows = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    texts = [line.split("\t")[1] for line in run.stdout.decode().splitlines()]
    assert [" ".join(word["word"] for word in row["words"]) for row in rows] == texts
    for row in rows[:2]:
        assert row["pieces"][-1][0] == "</s>"
        total = sum(word["log_probability"] for word in row["words"]) + row["pieces"][-1][1]
        assert total == pytest.approx(sum(value for _, value in row["pieces"]), abs=2e-3)
    marked = keras_nmt("translate", trained, "--markup", "html", stdin="3 <b>0</b> 7 <br/>\n<p>1</p>\n")
    assert marked.stdout.decode() == "three <b>zero</b> seven<br/>\n<p>one</p>\n"
    marked = keras_nmt("translate", trained, "--markup", "html", stdin="3\n<!-- 0\n7 -->\n<script>\n")
    assert marked.stderr.decode().startswith("2 line(s), the first of them line 2, end inside a tag, a comment or")
    (tmp_path / "begun").write_text("three\n")
    found = keras_nmt("translate", trained, "--alternatives", 3, "--prefixes", tmp_path / "begun", stdin="3 0 7\n")
    likely = [line.split("\t") for line in found.stdout.decode().splitlines()]
    assert len(likely) == 3
    assert likely[0][2] == "three zero seven"
    assert float(likely[0][0]) > 0.5
    found = keras_nmt("translate", trained, "--alternatives", 3, "--unknown", "forbid", stdin="3 3 3\n")
    assert len(found.stdout.splitlines()) == 3
    for arguments, message in (
        (["--markup", "tex"], "--markup must be html or xml. Received: --markup tex"),
        (["--markup", "xml", "--prefixes", tmp_path / "begun"], "--markup excludes --prefixes."),
        (["--word-scores", tmp_path / "same", "--output", tmp_path / "same"], "go to different files. Received: both"),
        (
            ["--alignments", f"{tmp_path}/../{tmp_path.name}/same", "--output", tmp_path / "same"],
            "go to different files. Received: both",
        ),
        (["--alternatives", 2, "--no-repeat-ngram-size", 1], "with --alternatives. Received: --no-repeat-ngram-size"),
        (["--alternatives", 2, "--n-best", 2], "no effect with --alternatives. Received: --n-best"),
        (["--server", "http://localhost:1", "--alternatives", 2], "no effect with --alternatives. Received: --server"),
    ):
        refused = keras_nmt("translate", trained, *arguments, stdin="1\n")
        assert refused.returncode == 2
        assert message in refused.stderr.decode()
        assert "Traceback" not in refused.stderr.decode()
