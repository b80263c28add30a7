"""`keras-nmt distill`, on a trained model."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import filelock
import keras
import pytest
import sacrebleu
from digits import write_lines
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.data import train_subwords
from keras_nmt.experiments import distillation
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory, Transformer

OUTPUTS = ("source", "target", "scores.tsv")


def run(*arguments):
    done = CliRunner().invoke(app, ["distill", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def outputs(folder):
    return [(folder / name).read_text(encoding="utf-8") for name in OUTPUTS]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    monkeypatch.setattr(distillation, "PART", 7)


@pytest.fixture
def text(tmp_path):
    """45 lines, with an empty one, and their correct translations but for a few."""
    generator = random.Random(3)
    lines = [" ".join(str(generator.randrange(10)) for _ in range(generator.randint(2, 6))) for _ in range(44)]
    return write_lines(tmp_path, "text", [*lines[:20], "", *lines[20:]])


def test_the_pairs_are_the_lines_and_their_translations(trained, text, tmp_path):
    line = run(trained, "--input", text, "--output", tmp_path / "new")
    assert line == f"{tmp_path / 'new'}: 45 pairs of 45 lines; dropped: none\n"
    source, target, scores = outputs(tmp_path / "new")
    assert source == text.read_text()
    expected = Translator.from_directory(trained).translate(text.read_text().splitlines())
    assert target.splitlines() == [x.text for x in expected]
    rows = [row.split("\t") for row in scores.splitlines()[1:]]
    assert [int(number) for number, *_ in rows] == list(range(1, 46))
    assert [float(score) for _, score, *_ in rows] == pytest.approx([x.score for x in expected], abs=1e-3)


def test_back_translations_are_sources_with_a_tag(trained, text, tmp_path):
    run(trained, "--input", text, "--output", tmp_path / "forward")
    run(trained, "--input", text, "--output", tmp_path / "back", "--back-translate", "--tag", "<BT>")
    source, target, _ = outputs(tmp_path / "forward")
    back_source, back_target, _ = outputs(tmp_path / "back")
    assert back_target == source
    expected = [f"<BT> {line}" if line else "" for line in target.splitlines()]  # an empty one stays empty
    assert back_source.splitlines() == expected
    assert "" in expected


def test_the_translation_most_like_the_reference_is_selected(trained, text, tmp_path):
    lines = text.read_text().splitlines()
    listed = Translator.from_directory(trained, num_hypotheses=4).translate(lines)
    references = [x.hypotheses[i % len(x.hypotheses)].text for i, x in enumerate(listed)]  # not always the best
    given = write_lines(tmp_path, "references", references)
    options = ["--select", "reference", "--references", given, "--n-best", 4]
    run(trained, "--input", text, "--output", tmp_path / "new", *options)
    target, scores = outputs(tmp_path / "new")[1:]
    assert target.splitlines() == references
    expected = [sacrebleu.sentence_chrf(reference, [reference]).score for reference in references]
    assert [float(row.split("\t")[2]) for row in scores.splitlines()[1:]] == pytest.approx(expected, abs=1e-3)
    assert sum(x.text != y for x, y in zip(listed, references, strict=True)) > 10
    run(trained, "--input", text, "--output", tmp_path / "all", "--select", "all", "--n-best", 4)
    source, target, _ = outputs(tmp_path / "all")
    expected = [(line, y.text) for line, x in zip(lines, listed, strict=True) for y in x.hypotheses]
    assert list(zip(source.split("\n")[:-1], target.split("\n")[:-1], strict=True)) == expected


@pytest.mark.parametrize("sampled", [[], ["--sample", "--select", "all", "--n-best", 3, "--temperature", 2]])
def test_shards_and_a_run_that_was_killed_give_the_same(trained, text, tmp_path, monkeypatch, sampled):
    command = [trained, "--input", text, *sampled]
    run(*command, "--output", tmp_path / "whole")
    expected = outputs(tmp_path / "whole")
    for shard in ("2/3", "3/3", "1/3"):
        assert not (tmp_path / "shards" / "source").exists()
        line = run(*command, "--output", tmp_path / "shards", "--shard", shard)
    assert "dropped: none" in line
    assert outputs(tmp_path / "shards") == expected
    translate, seen = Translator.translate, []

    def killed_after_three(self, lines, **options):
        seen.append(list(lines))
        if len(seen) == 4:
            raise MemoryError  # as if the process were killed here
        return translate(self, lines, **options)

    monkeypatch.setattr(Translator, "translate", killed_after_three)
    with pytest.raises(MemoryError):
        app([str(x) for x in ("distill", *command, "--output", tmp_path / "killed")], standalone_mode=False)
    assert not any((tmp_path / "killed" / name).exists() for name in OUTPUTS)
    run(*command, "--output", tmp_path / "killed")
    assert outputs(tmp_path / "killed") == expected
    lines = text.read_text().split("\n")[:-1]
    assert [line for part in seen for line in part] == lines[:28] + lines[21:]  # no other part was translated twice
    run(*command, "--output", tmp_path / "killed")
    assert len(seen) == 8  # nothing again


def test_filters_change_afterwards_and_count_what_they_drop(trained, text, tmp_path, monkeypatch):
    command = [trained, "--input", text, "--output", tmp_path / "new"]
    run(*command)
    source, target, scores = outputs(tmp_path / "new")
    values = [float(row.split("\t")[1]) for row in scores.splitlines()[1:]]
    limit = sorted(values)[10] - 1e-4
    monkeypatch.setattr(Translator, "from_directory", None)  # nothing is translated again
    line = run(*command, "--drop", "empty", "--min-score", limit)
    assert line.endswith("34 pairs of 45 lines; dropped: 10 low score, 1 empty\n")
    kept = [i for i, value in enumerate(values) if value >= limit and source.split("\n")[i]]
    for side, before in zip(outputs(tmp_path / "new"), (source, target), strict=False):
        assert side.splitlines() == [before.split("\n")[i] for i in kept]
    reasons = [row.split("\t")[3] for row in outputs(tmp_path / "new")[2].splitlines()[1:]]
    assert [i for i, reason in enumerate(reasons) if not reason] == kept
    assert "badly matched" in run(*command, "--max-ratio", 1)
    run(*command)
    assert outputs(tmp_path / "new") == [source, target, scores]


def test_reasons_to_drop_pairs():
    candidate = distillation.Candidate("eine Katze", -1.0, None, 4, False)
    line = distillation.TranslatedLine(4, False, [candidate])
    lines = [
        (line, ""),
        (line._replace(truncated=True), "truncated"),
        (line._replace(candidates=[candidate._replace(cut_off=True)]), "cut-off"),
        (line._replace(candidates=[candidate._replace(text=" A cat")]), "identical"),
        (line._replace(candidates=[candidate._replace(text="a  cat")]), "identical"),  # the teacher lower-cases
        (line._replace(candidates=[candidate._replace(text="", length=0)]), "empty"),
        (line._replace(candidates=[]), None),
    ]
    texts, expected = ["A cat"] * len(lines), [reason for _, reason in lines if reason is not None]
    found = distillation.PairFilter(drop=distillation.REASONS).reasons(texts, [x for x, _ in lines])
    assert found == expected
    assert distillation.PairFilter().reasons(texts, [x for x, _ in lines]) == [""] * 6


def test_case_does_not_count_against_references_of_a_lower_casing_teacher(tmp_path):
    folder, text = (
        ModelDirectory(tmp_path / "model"),
        write_lines(tmp_path, "text", ["ABCDEFGHIJ KLMNOP", "QRSTU VWXYZ"] * 9),
    )
    train_subwords([text], folder.path / "s.model", vocabulary_size=38, lowercase=True)
    keras.utils.set_random_seed(1)
    model = Transformer(38, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    folder.save_config(model, subwords=dict.fromkeys(("source", "target"), "s.model"))
    folder.save_weights(model)
    heard = Translator.from_directory(folder.path, num_hypotheses=4, max_length=8).translate(["ABC"])[0].hypotheses
    wanted = next(x.text for x in heard[1:] if x.text.strip() and x.text.upper() != x.text)
    options = ["--select", "reference", "--references", write_lines(tmp_path, "references", [wanted.upper()])]
    source = write_lines(tmp_path, "source", ["ABC"])
    run(folder.path, "--input", source, "--output", tmp_path / "new", *options, "--n-best", 4, "--max-length", 8)
    _, target, scores = outputs(tmp_path / "new")
    assert target == f"{wanted}\n"
    assert float(scores.splitlines()[1].split("\t")[2]) == 100


def test_a_folder_holds_the_work_of_one_model_and_text(trained, text, tmp_path, error_line):
    command = [trained, "--output", tmp_path / "new"]
    assert "leave them out" in error_line("distill", *command, "--input", text, "-s", "xx", "-t", "yy")
    run(*command, "--input", text)  # the settings of a start that made nothing do not count
    other = write_lines(tmp_path, "other", ["3 0 7"])
    assert "holds translations of another text, model or search" in error_line("distill", *command, "--input", other)
    message = error_line("distill", *command, "--input", text, "--beam-size", 2)
    assert message.endswith("options. Received: search.beam_size=2 (was 4)\n")
    part = next((tmp_path / "new").glob("*/part-000002.jsonl"))
    part.write_text(part.read_text().replace("[", "(", 1))
    assert f"{part} is damaged: restore it" in error_line("distill", *command, "--input", text)
    part.unlink()
    run(*command, "--input", text)


def test_shards_that_end_at_the_same_time_write_the_outcome_one_after_the_other(trained, text, tmp_path):
    command = [trained, "--input", text, "--output", tmp_path / "new"]
    line = run(*command)
    locked = threading.Event()

    def write():
        with filelock.FileLock(tmp_path / "new" / ".lock"):  # as another process has it
            locked.set()
            time.sleep(1)

    other = threading.Thread(target=write)
    other.start()
    locked.wait()
    assert run(*command) == line
    other.join()


def test_folders_of_shards_are_copied_into_a_new_folder(trained, text, tmp_path, error_line):
    command = [trained, "--input", text]
    for shard in ("1/2", "2/2"):
        run(*command, "--output", tmp_path / shard[0], "--shard", shard)
        name = shard.replace("/", "-of-")
        shutil.copytree(tmp_path / shard[0] / name, tmp_path / "joined" / name)
    message = error_line("distill", *command, "--output", tmp_path / "joined", "--beam-size", 2)
    assert "part-000000.jsonl holds translations of another text, model or search: remove it" in message
    run(*command, "--output", tmp_path / "joined")
    run(*command, "--output", tmp_path / "whole")
    assert outputs(tmp_path / "joined") == outputs(tmp_path / "whole")


def test_files_that_the_command_did_not_write_stay_as_they_are(trained, text, tmp_path, error_line):
    own = tmp_path / "own"
    own.mkdir()
    write_lines(own, "target", ["mine"])
    message = error_line("distill", trained, "--input", text, "--output", own)
    assert message.endswith(f"use another folder. Received: {own / 'target'}\n")
    assert [path.name for path in own.iterdir() if path.is_file() and path.name != ".lock"] == ["target"]
    assert "not a model directory" in error_line("distill", trained, "--input", text, "--output", trained)
    run(trained, "--input", text, "--output", tmp_path / "new")
    expected = outputs(tmp_path / "new")
    message = error_line("distill", trained, "--input", tmp_path / "new" / "source", "--output", tmp_path / "new")
    assert "The text would be replaced by the outcome: use another folder" in message
    shutil.rmtree(tmp_path / "new" / "1-of-1")  # as the documentation allows
    message = error_line("distill", trained, "--input", text, "--output", tmp_path / "new", "--beam-size", 2)
    assert "holds translations of another text, model or search" in message
    run(trained, "--input", text, "--output", tmp_path / "new")
    assert outputs(tmp_path / "new") == expected


@pytest.mark.parametrize("kind", ["without_bridge", "label"])
def test_a_multilingual_teacher_translates_one_direction(kind, make_multilingual, tmp_path, error_line):
    model, tokenizers = make_multilingual(kind)
    folder = ModelDirectory(tmp_path / "model")
    for language, tokenizer in tokenizers.items():
        tokenizer.save(folder.path / f"{language}.model")
    names = {language: f"{language}.model" for language in tokenizers}
    folder.save_config(model, subwords=names, search={"max_length": 6})
    folder.save_weights(model)
    lines = ["the small cat", "", "three dogs"] * 4
    command = [folder.path, "--input", write_lines(tmp_path, "lines", lines), "--output", tmp_path / "new"]
    assert "Missing options --source-language and --target-language" in error_line("distill", *command)
    run(*command, "-s", "de", "-t", "fr")
    source, target, _ = outputs(tmp_path / "new")
    expected = Translator.from_directory(folder.path).translate(lines, "de", "fr")
    assert (source.split("\n")[:-1], target.split("\n")[:-1]) == (lines, [x.text for x in expected])


def test_several_teachers_translate_together(trained, text, tmp_path):
    run(trained, "--input", text, "--output", tmp_path / "one")
    run(trained, "--input", text, "--output", tmp_path / "two", "--ensemble", trained)
    assert outputs(tmp_path / "one")[:2] == outputs(tmp_path / "two")[:2]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--select", "worst"], "`select` must be one of best, reference, all. Received: worst"),
        (["--select", "reference"], "`references` (--references FILE) must be used"),
        (["--n-best", "2"], "--n-best goes with --select reference or --select all. Received: --n-best 2"),
        (["--select", "all", "--n-best", "9"], "--n-best must be at most --beam-size"),
        (["--select", "all", "--sample"], "Missing option --n-best N"),
        (["--tag", "<BT>"], "`tag` needs `back_translate` (--back-translate)"),
        (["--back-translate", "--tag", "a b"], "`tag` must be one word"),
        (["--back-translate", "--tag", "<BT>\n"], "`tag` must be one word"),
        (["--shard", "3/2"], "`shard` must be I/N, with I from 1 to N. Received: 3/2"),
        (["--shard", "x"], "--shard must be I/N"),
        (["--shard", f"{'9' * 5000}/2"], "--shard must be I/N"),
        (["--drop", "long"], "`drop` must be some of empty, identical, cut-off, truncated. Received: long"),
        (["--max-ratio", "0.5"], "`max_ratio` must be finite and at least 1"),
        (["--seed", "2"], "--seed goes with --sample"),
        (["--input", "nowhere"], "nowhere"),
        (["--input", "/dev/null"], "must be a regular file"),
        (["--select", "reference", "--references", __file__], "must have the same number of lines"),
    ],
)
def test_errors_are_one_line(trained, text, tmp_path, error_line, options, expected):
    command = ["--input", text, "--output", tmp_path / "new"]
    assert expected in error_line("distill", trained, *command, *options)
    assert not (tmp_path / "new" / "source").exists()


@pytest.mark.nightly
def test_a_process_that_is_killed_leaves_whole_parts(trained, text, tmp_path):
    code = "import keras_nmt.experiments.distillation as d; d.PART = 2; from keras_nmt.cli.app import main; main()"
    command = [sys.executable, "-c", code, "distill", str(trained), "--input", str(text), "--output"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True)
    for number in range(1, 9):
        process = subprocess.Popen([*command, str(tmp_path / "killed")])
        while process.poll() is None and len([*(tmp_path / "killed").glob("*/part-*")]) < 2 * number:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([*command, str(tmp_path / "killed")], check=True)
    assert outputs(tmp_path / "killed") == outputs(tmp_path / "whole")
    assert not [*(tmp_path / "killed").rglob(".writing-*")]
