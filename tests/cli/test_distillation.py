"""`keras-nmt distill`: with a teacher that is written by hand, and with models."""

import random
import shutil
import threading
import time
from types import SimpleNamespace

import filelock
import pytest
import sacrebleu
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from small import save_model, write_lines
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.data.target_tags import TargetTags
from keras_nmt.errors import UserError
from keras_nmt.experiments import distillation
from keras_nmt.inference import Hypothesis, Translation, Translator

OUTPUTS = ("source", "target", "scores.tsv")


def run(*arguments):
    done = CliRunner().invoke(app, ["distill", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def outputs(folder):
    return [(folder / name).read_text(encoding="utf-8") for name in OUTPUTS]


class Teacher:
    """Writes a line backwards, then with its words in other orders; samples depend on the seed of the part."""

    tags = TargetTags()

    def __init__(self, tokenizers, seen, **options):
        self.tokenizers, self.directions, self.seen = tokenizers, [("source", "target")], seen
        self.number, self.options = options.get("num_hypotheses", 1), SimpleNamespace(sample=options.get("sample"))

    def translate(self, lines, seeds):
        self.seen.append(list(lines))
        return [Translation(tuple(self.hypotheses(line, seeds)), truncated=False) for line in lines]

    def hypotheses(self, line, seed):
        generator = random.Random(f"{line} {seed}")
        for number in range(self.number):
            words = line.split()[::-1]
            if number or self.options.sample:
                generator.shuffle(words)
            yield Hypothesis(" ".join(words), -number - len(line) / 8)


@pytest.fixture
def seen(monkeypatch, tokenizers):
    """The parts that the teacher has translated."""
    made = []
    monkeypatch.setattr(distillation, "PART", 7)
    monkeypatch.setattr(Translator, "from_directory", lambda directory, **given: Teacher(tokenizers, made, **given))
    return made


@pytest.fixture
def text(tmp_path):
    """45 lines, one of them empty."""
    generator = random.Random(3)
    lines = [" ".join(str(generator.randrange(10)) for _ in range(generator.randint(2, 6))) for _ in range(44)]
    return write_lines(tmp_path / "text", [*lines[:20], "", *lines[20:]])


def test_the_pairs_are_the_lines_and_their_translations(untrained, seen, text, tmp_path):
    line = run(untrained, "--input", text, "--output", tmp_path / "new")
    assert line == f"{tmp_path / 'new'}: 45 pairs of 45 lines; dropped: none\n"
    source, target, scores = outputs(tmp_path / "new")
    assert source == text.read_text()
    assert target.splitlines() == [line[::-1] for line in text.read_text().splitlines()]
    rows = [row.split("\t") for row in scores.splitlines()[1:]]
    assert [int(number) for number, *_ in rows] == list(range(1, 46))
    assert [float(score) for _, score, *_ in rows] == pytest.approx([-len(x) / 8 for x in source.splitlines()])

    run(untrained, "--input", text, "--output", tmp_path / "back", "--back-translate", "--tag", "<BT>")
    back_source, back_target, _ = outputs(tmp_path / "back")
    assert back_target == source
    assert back_source.splitlines() == [f"<BT> {line}" if line else "" for line in target.splitlines()]


def test_a_tag_of_the_teacher_is_no_part_of_a_target(untrained, seen, tmp_path, monkeypatch):
    pieces = [ModelProto.SentencePiece(piece=">>deu<<", type=ModelProto.SentencePiece.USER_DEFINED)]
    lines = [">>deu<< the cat", ">>deu<<a mouse", "<2fra> a mat", "the >>deu<< cat", ">>deu<<"]
    text = write_lines(tmp_path / "text", lines)
    command = [untrained, "--input", text, "--back-translate", "--drop", "empty"]
    run(*command, "--output", tmp_path / "without")
    assert outputs(tmp_path / "without")[1].splitlines() == lines
    monkeypatch.setattr(Teacher, "tags", TargetTags(ModelProto(pieces=pieces).SerializeToString()))
    run(*command, "--output", tmp_path / "with")
    assert outputs(tmp_path / "with")[1].splitlines() == ["the cat", "a mouse", *lines[2:4]]
    run(*command[:3], "--output", tmp_path / "with")  # the lines of a student keep their tags
    assert outputs(tmp_path / "with")[0].splitlines() == lines


def test_the_translation_most_like_the_reference_is_selected(untrained, seen, text, tmp_path):
    lines, four = text.read_text().splitlines(), ["--beam-size", 4, "--n-best", 4]
    run(untrained, "--input", text, "--output", tmp_path / "all", "--select", "all", *four)
    source, target, _ = outputs(tmp_path / "all")
    assert source.splitlines() == [line for line in lines for _ in range(4)]
    listed = [target.split("\n")[4 * i : 4 * i + 4] for i in range(45)]
    references = [found[i % 4] for i, found in enumerate(listed)]  # not always the best
    assert sum(found[0] != one for found, one in zip(listed, references, strict=True)) > 10
    given = write_lines(tmp_path / "references", references)
    options = ["--select", "reference", "--references", given, *four]
    run(untrained, "--input", text, "--output", tmp_path / "new", *options)
    _, target, scores = outputs(tmp_path / "new")
    assert target.splitlines() == references
    expected = [sacrebleu.sentence_chrf(reference, [reference]).score for reference in references]
    assert [float(row.split("\t")[2]) for row in scores.splitlines()[1:]] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("lowercases", [True, False])
def test_case_does_not_count_against_references_of_a_lower_casing_teacher(lowercases, seen):
    made = distillation.Distillation(input="a", folder="b", references="c", select="reference")
    found = Translation((Hypothesis("XBCD", -1.0), Hypothesis("abcd", -2.0)), truncated=False)
    ((chosen,),) = made._selected([found], ["ABCD"], lowercases)
    assert chosen.text == ("abcd" if lowercases else "XBCD")


@pytest.mark.parametrize("sampled", [[], ["--sample", "--select", "all", "--n-best", 3, "--temperature", 2]])
def test_shards_and_a_run_that_was_killed_give_the_same(
    untrained, seen, text, tmp_path, monkeypatch, error_line, sampled
):
    command = [untrained, "--input", text, *sampled]
    run(*command, "--output", tmp_path / "whole")
    expected = outputs(tmp_path / "whole")
    for shard in ("2/3", "3/3", "1/3"):
        assert not (tmp_path / "shards" / "source").exists()
        line = run(*command, "--output", tmp_path / "shards", "--shard", shard)
        run(*command, "--output", tmp_path / shard[0], "--shard", shard)
        name = shard.replace("/", "-of-")
        shutil.copytree(tmp_path / shard[0] / name, tmp_path / "joined" / name)
    assert "dropped: none" in line
    message = error_line("distill", *command, "--output", tmp_path / "joined", "--max-length", 9)
    assert "part-000000.jsonl holds translations of another text, model or search: remove it" in message
    run(*command, "--output", tmp_path / "joined")
    assert outputs(tmp_path / "shards") == outputs(tmp_path / "joined") == expected
    translate = Teacher.translate
    seen.clear()

    def killed_after_three(self, lines, seeds):
        if len(seen) == 3:
            raise MemoryError  # as if the process were killed here
        return translate(self, lines, seeds)

    with monkeypatch.context() as patch:
        patch.setattr(Teacher, "translate", killed_after_three)
        with pytest.raises(MemoryError):
            app([str(x) for x in ("distill", *command, "--output", tmp_path / "killed")], standalone_mode=False)
    assert not any((tmp_path / "killed" / name).exists() for name in OUTPUTS)
    for _ in range(2):
        run(*command, "--output", tmp_path / "killed")
        assert outputs(tmp_path / "killed") == expected
    assert [line for part in seen for line in part] == text.read_text().split("\n")[:-1]  # each line once


def test_filters_change_afterwards_and_count_what_they_drop(untrained, seen, text, tmp_path, monkeypatch):
    command = [untrained, "--input", text, "--output", tmp_path / "new"]
    run(*command)
    source, target, scores = outputs(tmp_path / "new")
    values = [float(row.split("\t")[1]) for row in scores.splitlines()[1:]]
    limit = sorted(values)[10] + 1e-4
    monkeypatch.setattr(Translator, "from_directory", None)  # nothing is translated again
    line = run(*command, "--drop", "empty", "--min-score", limit)
    kept = [i for i, value in enumerate(values) if value >= limit and source.split("\n")[i]]
    assert line.endswith(f"{len(kept)} pairs of 45 lines; dropped: {44 - len(kept)} low score, 1 empty\n")
    for side, before in zip(outputs(tmp_path / "new"), (source, target), strict=False):
        assert side.splitlines() == [before.split("\n")[i] for i in kept]
    reasons = [row.split("\t")[3] for row in outputs(tmp_path / "new")[2].splitlines()[1:]]
    assert [i for i, reason in enumerate(reasons) if not reason] == kept
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
    tagged, copied = line._replace(tag=">>deu<<"), [candidate._replace(text="a cat")]
    found = distillation.PairFilter(drop=["identical"]).reasons(
        [">>deu<<a cat"] * 2, [x._replace(candidates=copied) for x in (tagged, line)]
    )
    assert found == ["identical", ""]  # only behind a tag of the teacher
    longer = distillation.TranslatedLine(9, False, [candidate])
    assert distillation.PairFilter(max_ratio=2).reasons(["a"], [longer]) == ["badly matched"]


def test_a_folder_holds_the_work_of_one_model_and_text(untrained, seen, text, tmp_path, error_line):
    command = [untrained, "--output", tmp_path / "new"]
    run(*command, "--input", text)
    other = write_lines(tmp_path / "other", ["3 0 7"])
    assert "holds translations of another text, model or search" in error_line("distill", *command, "--input", other)
    message = error_line("distill", *command, "--input", text, "--beam-size", 3)
    assert message.endswith("options. Received: search.beam_size=3 (was 2)\n")
    part = next((tmp_path / "new").glob("*/part-000002.jsonl"))
    part.write_text(part.read_text().replace("[", "(", 1))
    assert f"{part} is damaged: restore it" in error_line("distill", *command, "--input", text)
    part.unlink()
    run(*command, "--input", text)


def test_shards_that_end_at_the_same_time_write_the_outcome_one_after_the_other(untrained, seen, text, tmp_path):
    command = [untrained, "--input", text, "--output", tmp_path / "new"]
    line = run(*command)
    locked = threading.Event()

    def write():
        with filelock.FileLock(tmp_path / "new" / ".lock"):  # as another process has it
            locked.set()
            time.sleep(0.2)

    other = threading.Thread(target=write)
    other.start()
    locked.wait()
    assert run(*command) == line
    other.join()


def test_files_that_the_command_did_not_write_stay_as_they_are(untrained, seen, text, tmp_path, error_line):
    (tmp_path / "own").mkdir()
    mine = write_lines(tmp_path / "own" / "target", ["mine"])
    message = error_line("distill", untrained, "--input", text, "--output", tmp_path / "own")
    assert message.endswith(f"use another folder. Received: {mine}\n")
    assert mine.read_text() == "mine\n"
    assert not (tmp_path / "own" / "source").exists()
    run(untrained, "--input", text, "--output", tmp_path / "new")
    expected = outputs(tmp_path / "new")
    message = error_line("distill", untrained, "--input", tmp_path / "new" / "source", "--output", tmp_path / "new")
    assert "The text would be replaced by the outcome: write another file" in message
    shutil.rmtree(tmp_path / "new" / "1-of-1")  # as the documentation allows
    message = error_line("distill", untrained, "--input", text, "--output", tmp_path / "new", "--beam-size", 3)
    assert "holds translations of another text, model or search" in message
    run(untrained, "--input", text, "--output", tmp_path / "new")
    assert outputs(tmp_path / "new") == expected


def test_errors_are_one_line(untrained, seen, text, tmp_path, error_line):
    command = [untrained, "--input", text, "--output", tmp_path / "new"]
    for options, expected in (
        (["--select", "reference"], "`references` and --select reference must be used"),
        (["--n-best", "2"], "--n-best goes with --select reference or --select all. Received: --n-best 2"),
        (["--select", "all", "--sample"], "Missing option --n-best N"),
        (["--back-translate", "--tag", "a b"], "--tag must be one word"),
        (["--max-ratio", "0"], "--max-ratio must be finite and at least 1. Received: --max-ratio 0.0"),
        (["--shard", "3/2"], "`shard` must be I/N, with I from 1 to N. Received: 3/2"),
        (["--shard", f"{'9' * 5000}/2"], "--shard must be I/N"),
        (["--drop", "empty,identical"], "`drop` (--drop REASON, once for each); known are empty, identical, cut-off, "),
        (["--select", "reference", "--references", __file__], "must have the same number of lines"),
    ):
        assert expected in error_line("distill", *command, *options)
    assert "must be a regular file" in error_line("distill", untrained, "--input", "/dev/null", "--output", "x")
    assert "not a model directory" in error_line("distill", untrained, "--input", text, "--output", untrained)
    with pytest.raises(UserError, match="`seed` must be .* below 2[*][*]32. Received: seed=4294967296"):
        distillation.Distillation(input=text, folder=tmp_path, seed=2**32)
    assert not (tmp_path / "new" / "source").exists()


@pytest.mark.slow
def test_models_are_teachers_alone_and_together(untrained, make_multilingual, lines, tmp_path, error_line):
    command = ["--input", write_lines(tmp_path / "lines", lines), "--output"]
    run(untrained, *command, tmp_path / "one")
    run(untrained, *command, tmp_path / "two", "--ensemble", untrained)
    expected = [x.text for x in Translator.from_directory(untrained).translate(lines)]
    assert outputs(tmp_path / "one")[1].split("\n")[:-1] == expected == outputs(tmp_path / "two")[1].split("\n")[:-1]
    assert "leave out its languages" in error_line(
        "distill", untrained, *command, tmp_path / "a", "-s", "xx", "-t", "yy"
    )
    model, tokenizers = make_multilingual("without_bridge")
    folder = save_model(tmp_path / "several", model, tokenizers, max_length=6, length_buckets=[12])
    output = tmp_path / "new"
    assert "Missing options --source-language" in error_line("distill", folder, *command, output)
    run(folder, *command, output, "-s", "de", "-t", "fr")
    expected = Translator.from_directory(folder).translate(lines, "de", "fr")
    assert outputs(output)[1].split("\n")[:-1] == [x.text for x in expected]
