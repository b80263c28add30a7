"""`keras-nmt translate`, `score`, `evaluate` and `export`."""

import contextlib
import json
import os
import pty
import re
import select
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tensorflow as tf
from small import opening, save_model, write_lines
from terminal import terminal_for_errors

from keras_nmt.cli.app import app
from keras_nmt.cli.progress import LINES_OF_A_STEP
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.inference import Hypothesis, Translation, Translator
from keras_nmt.models import Transformer


@pytest.fixture(scope="module")
def translator(untrained):
    return Translator.from_directory(untrained)


def test_translate_keeps_lines_in_order_and_empty_ones_empty(
    untrained, translator, opened, lines, tmp_path, keras_nmt, eager
):
    expected = [x.text for x in translator.translate(lines)]
    assert len(set(expected)) > 3
    done = keras_nmt("translate", untrained, stdin="\r\n".join([*lines, ""]))
    assert done.output.split("\n") == [*expected, ""]
    best = keras_nmt("translate", untrained, "--n-best", 2, "--scores", stdin=f"{lines[0]}\n").output
    (score, text), (other_score, _) = (line.split("\t") for line in best.splitlines())
    assert text == expected[0]
    assert 0 >= float(score) >= float(other_score)
    options = ["--input", write_lines(tmp_path / "lines", lines), "--output", tmp_path / "out", "--batch-size", 1]
    assert keras_nmt("translate", untrained, *options).output == ""
    assert (tmp_path / "out").read_text() == done.output


# Packages that are installed beside keras_nmt, and that other commands or extras need, or nothing does.
UNUSED = ("jax", "keras_hub", "kagglehub", "sklearn", "matplotlib", "torch", "ctranslate2", "apache_beam")
UNUSED += ("tensorflow_serving", "grpc", "sacrebleu", "tensorboard", "typer.rich_utils", "keras_nmt.training")


@pytest.mark.nightly
def test_start_up_imports_what_the_command_needs(untrained, translator):
    """Not by `run_python`, whose processes start with packages imported."""
    code = "import sys; from keras_nmt.cli.app import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    program = [sys.executable, "-c", code]
    done = subprocess.run([*program, "translate", untrained], input=b"a mouse\n", capture_output=True)
    modules = set(done.stderr.decode().splitlines()[-1].split())
    assert done.stdout.decode() == f"{translator.translate(['a mouse'])[0].text}\n"
    assert modules & {"tensorflow", *UNUSED} == {"tensorflow"}
    done = subprocess.run([*program, "--help"], capture_output=True)
    modules = set(done.stderr.decode().splitlines()[-1].split())
    assert b"translate" in done.stdout
    assert not modules & {"tensorflow", "keras", "numpy", *UNUSED} - {"typer.rich_utils"}  # which draws the help


def answer_of(descriptor):
    """The bytes that can be read within a minute; none if there are none."""
    ready, _, _ = select.select([descriptor], [], [], 60)
    return os.read(descriptor, 4096) if ready else b""


@pytest.fixture
def opened(translator, monkeypatch):
    """Lets commands take this translator, whose graphs have been traced, with their options of the search."""
    monkeypatch.setattr(Translator, "from_directory", opening(translator))


def translations_before_the_end(path, chunks, descriptor):
    """Writes each chunk to a file, and returns what can be read after each one, while the file has not ended."""
    answers = []
    with open(path, "wb", buffering=0) as file:
        for chunk in chunks:
            file.write(chunk)
            answers.append(answer_of(descriptor).decode())
    with contextlib.suppress(OSError):  # the terminal is closed
        while answers and os.isatty(descriptor) and os.read(descriptor, 4096):
            pass
    return answers


@pytest.mark.parametrize("on_terminal", [False, True])
def test_lines_are_answered_before_the_input_ends(untrained, translator, opened, tmp_path, monkeypatch, on_terminal):
    """Each line with --line-buffered, and some at a time on a terminal."""
    fifo, lines = tmp_path / "lines", ["a mouse", "three red dogs"]
    os.mkfifo(fifo)
    ours, theirs = pty.openpty() if on_terminal else os.pipe()
    chunks = [b"a mouse\n" * LINES_OF_A_STEP] if on_terminal else [f"{line}\n".encode() for line in lines]
    options = [] if on_terminal else ["--line-buffered"]
    with ThreadPoolExecutor() as pool:
        typing = pool.submit(translations_before_the_end, fifo, chunks, ours)
        with open(theirs, "w") as stdout, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stdout)
            app(["translate", str(untrained), "--input", str(fifo), *options], standalone_mode=False)
        answers = typing.result()
    os.close(ours)
    expected = [x.text for x in translator.translate(lines)]
    if on_terminal:
        assert answers[0].startswith(expected[0])
    else:
        assert answers == [f"{text}\n" for text in expected]


def test_a_pipe_is_read_once_though_a_terminal_shows_a_bar(untrained, translator, opened, tmp_path, monkeypatch):
    path = tmp_path / "lines"
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool, terminal_for_errors(monkeypatch) as text:
        pool.submit(path.write_bytes, b"a mouse\nthree red dogs\n")
        arguments = ["--input", str(path), "--output", str(tmp_path / "out"), "--alignments", str(tmp_path / "words")]
        app(["translate", str(untrained), *arguments], standalone_mode=False)
        shown = text()
    assert "2/?" in shown
    expected = [x.text for x in translator.translate(["a mouse", "three red dogs"])]
    assert (tmp_path / "out").read_text().splitlines() == expected
    assert [line.count("-") > 0 for line in (tmp_path / "words").read_text().splitlines()] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0, 1])
def test_a_closed_stream_is_one_line(untrained, tmp_path, missing):
    log = tmp_path / "log"
    streams = {0: "</dev/null", 1: f">>{log}", 2: f"2>>{log}"} | {missing: f"{missing}>&-"}
    program = f'"{sys.executable}" -c "from keras_nmt.cli.app import main; main()" translate "{untrained}"'
    quiet = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    done = subprocess.run(["bash", "-c", f"{program} {' '.join(streams.values())}"], check=False, env=quiet)
    assert done.returncode == 2
    name = "input" if missing == 0 else "output"
    assert log.read_text().startswith(f"Error: Standard {name} is closed: redirect it to a file or a pipe.")
    assert log.read_text().count("\n") == 1


def test_what_cannot_be_translated_is_one_line(untrained, tmp_path, error_line, opened):
    assert error_line("translate", untrained, "--input", tmp_path) == f"Error: Is a directory. Received: {tmp_path}\n"
    (tmp_path / "lines").write_bytes(b"1 2\n\xff\xfe\n")
    assert "Line 2 is not UTF-8" in error_line("translate", untrained, "--input", tmp_path / "lines")
    begun = write_lines(tmp_path / "begun", ["die", "🐶"])
    same = ["--output", tmp_path / "same"]
    for arguments, message in (
        (["--markup", "tex"], "--markup must be html or xml. Received: --markup tex"),
        (["--prefixes", begun], f"train subwords with `byte_fallback`. Received: {begun}, line 2, '🐶'"),
        (["--markup", "xml", "--prefixes", begun], "--markup excludes --prefixes."),
        (["--word-scores", tmp_path / "same", *same], "go to different files. Received: both"),
        (["--alignments", f"{tmp_path}/../{tmp_path.name}/same", *same], "go to different files. Received: both"),
        (["--alternatives", 2, "--no-repeat-ngram-size", 1], "with --alternatives. Received: --no-repeat-ngram-size"),
        (["--server", "http://localhost:1", "--alternatives", 2], "no effect with --alternatives. Received: --server"),
        (["--top-k", 4, "--top-p", 0.5], "go with --sample. Received: --top-k 4, --top-p 0.5"),
        (["--seed", 4], "--seed goes with --sample. Received: --seed 4"),
        (["--sample", "--beam-size", 4], "Received: --beam-size 4"),
        (["--prefix-bias-beta", 0.5], "--prefix-bias-beta goes with --prefixes FILE"),
    ):
        assert message in error_line("translate", untrained, *arguments)
    server = ["--server", "http://localhost:1", "--retries", -1]
    assert "--retries must be an integer of at least 0. Received: --retries -1" in error_line("translate", *server)
    (tmp_path / "1").mkdir()
    assert f"--version must be new: choose another, or remove {tmp_path}/1. Received: --version 1" in error_line(
        "export", untrained, tmp_path, "--version", 1
    )
    lines = write_lines(tmp_path / "lines", TEXT.splitlines())
    too_many = error_line("translate", untrained, "--input", lines, "--alternatives", 9999)
    assert re.search(r"--alternatives must be an integer from 1 to \d+\. Received: --alternatives 9999", too_many)
    for name, content, message in (
        ("constraints", ["katze"], "may be empty, for each line of the input. Received: 1 line(s)"),
        *(
            ("max-lengths", ["3", limit], f"integer of at least 1 a line, or nothing. Received: line 2, '{limit}'")
            for limit in ("x", "1.5", "0", "-1", str(2**31))
        ),
        ("glossary", ["cat\tkatze", "dog"], ", line 2, 'dog"),
        ("glossary", ["a  cat\tkatze", "a cat\tkater"], ", line 2, 'a cat' with 'katze' and 'kater'"),
        ("glossary", ["a cat\tkatze", "\u0301\tkater"], "line 2, '\u0301' with 'kater'"),
    ):
        of_option = write_lines(tmp_path / name, content)
        assert message in error_line("translate", untrained, "--input", lines, f"--{name}", of_option)


def test_translate_writes_scores_of_words_markup_and_alternatives(untrained, opened, tmp_path, keras_nmt):
    scores, text = tmp_path / "words.jsonl", "three red dogs"
    options = ["--scores", "--word-scores", scores]
    texts = [x.split("\t")[1] for x in keras_nmt("translate", untrained, *options, stdin=text).output.splitlines()]
    rows = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    assert [" ".join(word["word"] for word in row["words"]) for row in rows] == texts
    marked = keras_nmt("translate", untrained, "--markup", "html", stdin="three <b>red</b> dogs <br/>\n<script>\n")
    assert sorted(tag for tag in ("<b>", "</b>", "<br/>") if tag in marked.output) == ["</b>", "<b>", "<br/>"]
    assert marked.error.startswith("1 line(s), the first of them line 2, end inside a tag, a comment or")
    begun = write_lines(tmp_path / "begun", ["die"])
    options = ["--prefixes", begun, "--word-scores", scores]
    found = keras_nmt("translate", untrained, "--alternatives", 3, *options, stdin=text).output
    rows = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    assert [" ".join(word["word"] for word in row["words"]) for row in rows] == [
        line.split("\t")[2] for line in found.splitlines()
    ]
    likely = [line.split("\t") for line in found.splitlines()]
    assert len(likely) == 3
    assert 1 > float(likely[0][0]) > float(likely[2][0]) > 0
    assert all(text.startswith("die") for *_, text in likely)


def test_score_and_evaluate_are_those_of_the_package(untrained, translator, opened, lines, corpus, tmp_path, keras_nmt):
    source = write_lines(tmp_path / "source", lines)
    target = write_lines(tmp_path / "target", [x.text for x in translator.translate(lines)])
    texts, words = ["score", untrained, "--source", source, "--target", target], tmp_path / "words.jsonl"
    found = keras_nmt(*texts).output
    expected = translator.score(lines, target.read_text().split("\n")[:-1])
    assert [float(x) for x in found.split()] == pytest.approx(expected, abs=1e-3)
    assert keras_nmt(*texts, "--word-scores", words).output == found
    rows = [json.loads(line) for line in words.read_text(encoding="utf-8").splitlines()]
    assert [sum(value for _, value in row["pieces"]) for row in rows] == pytest.approx(expected, abs=1e-3)
    refused = keras_nmt(*texts, "--word-scores", "-", code=2).error
    assert refused == "Error: Standard output has the scores: give a file for words. Received: --word-scores -\n"
    words, worse = corpus / "test.words", write_lines(tmp_path / "worse", ["ka"] * 30)
    compared = keras_nmt("evaluate", "--references", words, "--hypotheses", words, "--baseline", worse).output
    assert "100.00" in compared
    assert "p = 0.0" in compared


TEXT = "the small cat\na mouse\n"


@pytest.mark.slow
def test_samples_depend_on_the_seed_and_not_on_the_division_into_parts(
    untrained, translator, opened, keras_nmt, monkeypatch, eager
):
    monkeypatch.setattr("keras_nmt.cli.lines.LINES_AT_ONCE", 3)
    flags = ["--sample", "--temperature", 1.5, "--top-k", 40, "--top-p", 0.9, "--n-best", 3, "--seed", 5]
    found = keras_nmt("translate", untrained, *flags, stdin=TEXT * 2).output.splitlines()
    sampler = translator.with_options(sample=True, temperature=1.5, top_k=40, top_p=0.9, num_hypotheses=3)
    expected = sampler.translate(TEXT.splitlines() * 2, seeds=5)
    assert found == [hypothesis.text for translation in expected for hypothesis in translation.hypotheses]
    assert found[:6] != found[6:], "the same line is drawn anew"


def test_the_directory_gives_the_options_that_the_command_line_does_not_set(
    model, tokenizers, tmp_path, keras_nmt, eager
):
    search = {"beam_size": 2, "max_length": 7, "num_hypotheses": 2, "coverage_penalty": 0.1, "length_buckets": [4, 8]}
    folder = save_model(tmp_path / "model", model, tokenizers, **search)
    texts = keras_nmt("translate", folder, "--alignments", tmp_path / "words", stdin=TEXT).output.splitlines()
    expected = Translator.from_directory(folder).align(["the small cat"] * 2 + ["a mouse"] * 2, texts)
    lines = (tmp_path / "words").read_text().splitlines()
    assert [[tuple(map(int, pair.split("-"))) for pair in line.split()] for line in lines] == expected
    assert any(expected)
    assert keras_nmt("translate", folder, "--sample", stdin=TEXT).output.count("\n") == 4  # the penalty needs a beam
    text = "the small cat sat in the garden of the old house\na mouse\n"
    told = "1 line(s), the first of them line 1, of 8 subwords or more were truncated: split them"
    assert told in keras_nmt("translate", folder, stdin=text).error


def test_prefixes_and_limits_belong_to_their_lines_whatever_the_division_into_parts(
    untrained, opened, tmp_path, keras_nmt, monkeypatch, eager
):
    def translate(*flags):
        return keras_nmt("translate", untrained, *flags, stdin=TEXT).output.splitlines()

    monkeypatch.setattr("keras_nmt.cli.lines.LINES_AT_ONCE", 1)
    prefixes = ["--prefixes", write_lines(tmp_path / "prefixes", ["sieben vö", "drei"])]
    first, second = translate(*prefixes)
    assert (first[:9], second[:4]) == ("sieben vö", "drei")
    refused = keras_nmt("translate", untrained, *prefixes, stdin="a mouse\n", code=2).error
    assert re.search("prefixes must have a line.*Received: 2 line\\(s\\)", refused)
    short, other = translate("--max-lengths", write_lines(tmp_path / "limits", ["2", ""]))
    assert (short, other) == (translate("--max-length", 2)[0], translate()[1])


@pytest.mark.slow
def test_empty_and_cut_off_translations_are_counted(untrained, opened, tmp_path, keras_nmt, eager):
    def told(*arguments, stdin=f"\n{TEXT}\n"):
        return [line for line in keras_nmt(*arguments, stdin=stdin).error.splitlines() if "translation(s)" in line]

    text = write_lines(tmp_path / "text", ["", *TEXT.splitlines()])
    evaluate = ["evaluate", untrained, "--source", text, "--references", text, "--metrics", "bleu"]
    for command in (["translate", untrained], evaluate):
        reason = "were cut off at the length limit (options such as --max-length set it)."
        cut = f"2 translation(s), the first of them of line 2, {reason}"
        assert told(*command, "--max-length", 2) == [cut]
    assert told("translate", untrained, stdin="\n  \n") == []
    unknown = "1 line(s), the first of them line 3, have characters without a subword"
    assert unknown in keras_nmt("translate", untrained, stdin=f"{TEXT}the 犬\n").error
    few, many = (
        keras_nmt(
            *("translate", untrained, "--max-length", 40, "--max-length-factor", factor, "--min-length", factor),
            stdin=TEXT,
        ).output.splitlines()
        for factor in (1, 9)
    )
    assert all(len(less) < len(more) for less, more in zip(few, many, strict=True))


@pytest.mark.slow
def test_phrases_come_from_files_and_from_a_glossary(untrained, translator, opened, tmp_path, keras_nmt, eager):
    flags = []
    for name, lines in (
        ("constraints", ["katze\tdrei|vier", ""]),
        ("avoid", ["", "die"]),
        ("glossary", ["Mouse\thunde"]),
    ):
        flags += [f"--{name}", write_lines(tmp_path / name, lines)]
    found = keras_nmt("translate", untrained, *flags, "--ignore-case", stdin=TEXT).output.splitlines()
    phrases = {"constraints": [["katze", "drei|vier"], ["hunde"]], "avoid": [[], ["die"]]}
    assert found == [translation.text for translation in translator.translate(TEXT.splitlines(), **phrases)]
    assert "katze" in found[0]
    assert "hunde" in found[1]
    assert "hunde" not in keras_nmt("translate", untrained, *flags[-2:], stdin="a mouse\n").output, "the case differs"


@pytest.mark.nightly
def test_an_ensemble_translates_and_is_exported(untrained, make_model, tokenizers, tmp_path, keras_nmt):
    other = make_model(target_vocabulary_size=100, hidden_dim=8, shortcuts=None)  # of other sizes
    other = save_model(tmp_path / "other", other, tokenizers)
    lines, targets = TEXT.splitlines(), ["die katze", "drei hunde"]
    found = keras_nmt("translate", untrained, "--ensemble", other, stdin=TEXT).output.splitlines()
    assert found == [x.text for x in Translator.from_directory(untrained, ensemble=[other]).translate(lines)]
    joint = save_model(tmp_path / "joint", make_model(), tokenizers["source"])
    with pytest.raises(UserError, match="same subword models"):
        Translator.from_directory(untrained, ensemble=[other, joint])

    path = keras_nmt("export", untrained, tmp_path / "served", "--ensemble", other).output.strip()
    served = tf.saved_model.load(path).signatures
    texts = served["serving_default"](text=tf.constant(lines))["translation"].numpy()
    assert [text.decode() for text in texts] == found
    scores = [Translator.from_directory(folder).score(lines, targets) for folder in (untrained, other)]
    both = served["score"](source=tf.constant(lines), target=tf.constant(targets))["log_probability"].numpy()
    # A mean of probabilities is more than the exponential of the mean of their logarithms.
    assert all(sum(pair) / 2 < of_mean for *pair, of_mean in zip(*scores, both, strict=True))


@pytest.mark.slow
def test_an_export_has_warm_up_requests(untrained, lines, tmp_path, keras_nmt):
    warmup = write_lines(tmp_path / "warmup", lines[:2])
    done = keras_nmt("export", untrained, tmp_path / "served", "--warmup", warmup, "--warmup-xla")
    assert done.output.strip() == str(tmp_path / "served" / "1")
    assert done.error == "A server runs 8 warm-up requests when it loads the version, 4 of them compiled.\n"
    records = tmp_path / "served" / "1" / "assets.extra" / "tf_serving_warmup_requests"
    assert len(list(tf.data.TFRecordDataset(str(records)))) == 8  # batch buckets, with XLA and without


@pytest.mark.parametrize("command", ["translate d", "evaluate d --references TEXT --source TEXT", "export d out"])
def test_search_options_reach_the_search(command, untrained, tmp_path, monkeypatch):
    class Reached(Exception):
        pass

    seen = {}

    def reached(*_, **options):
        seen.update(options)
        raise Reached

    class Loaded:
        model, tokenizers, search, target = None, None, {}, None

    monkeypatch.setattr("keras_nmt.inference.Translator.from_directory", reached)
    monkeypatch.setattr("keras_nmt.inference.load.load", lambda *_, **options: seen.update(options) or Loaded)
    monkeypatch.setattr("keras_nmt.serving.export", reached)
    (tmp_path / "text").write_text("a\n")
    (tmp_path / "d").symlink_to(untrained)
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


# Tokenised text, in which sacreBLEU's tokenizers find other tokens.
REFERENCES = ["a well @-@ known dog , in the snow .", "two cats &apos;s food"]
HYPOTHESES = ["a well @-@ known cat , in the snow .", "two cats &apos;s meal"]


@pytest.mark.parametrize(("tokenize", "has_baseline"), [(None, False), ("none", True), ("intl", False)])
def test_bleu_uses_the_chosen_tokenizer(tmp_path, tokenize, has_baseline, keras_nmt):
    ours, theirs = write_lines(tmp_path / "hypotheses", HYPOTHESES), write_lines(tmp_path / "references", REFERENCES)
    options = ["--baseline", ours] if has_baseline else []
    options += [] if tokenize is None else ["--tokenize", tokenize]
    output = keras_nmt("evaluate", "--references", theirs, "--hypotheses", ours, *options).output
    name = tokenize or "13a"
    expected = corpus_scores(HYPOTHESES, REFERENCES, metrics=("bleu",), tokenize=name)["bleu"]
    assert f"|tok:{name}|" in expected.signature
    assert f"|tok:{name}|" in output
    assert f"{expected.score:.2f}" in output


def test_case_counts_as_in_the_target_of_the_model(tmp_path, keras_nmt, monkeypatch):
    text = write_lines(tmp_path / "text", ["The small Cat sat in THREE old houses"] * 9)
    answer = Translation((Hypothesis("the small cat", 0.0),), truncated=False)
    monkeypatch.setattr(Translator, "translate", lambda self, lines: [answer] * len(lines))
    for lowercase, option in ((True, "--no-lowercase"), (False, "--lowercase")):
        subwords = SubwordTokenizer(train_subwords([text], tmp_path / "s", vocabulary_size=38, lowercase=lowercase))
        sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "num_heads": 2}
        model = Transformer(subwords.vocabulary_size, **sizes)
        directory = save_model(tmp_path / f"model {lowercase}", model, subwords)
        command = ["evaluate", directory, "--source", text, "--references", text, "--metrics", "bleu"]
        for options, ignored in (([], lowercase), ([option], not lowercase)):
            output = keras_nmt(*command, *options).output
            assert ("|case:lc|" in output, "|case:mixed|" in output) == (ignored, not ignored)
