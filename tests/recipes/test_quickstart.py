"""The quickstart, which is the README's first command, its corpus and the generator of the corpus."""

import itertools
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from scripts import RECIPES, load_script

from keras_nmt.cli import quickstart
from keras_nmt.errors import UserError
from keras_nmt.quickstart_data import FOLDER, LANGUAGES


@pytest.mark.slow
def test_trains_exports_and_runs_the_export_without_keras_nmt(tmp_path, run_python):
    # Too short for good translations, which the README's figures show. This test runs every step.
    folder = tmp_path / "data"
    folder.mkdir()
    for file in FOLDER.glob("*.??"):  # fewer lines to translate, which take most of the time after so few updates
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        few = lines[:2000] if file.stem == "train" else lines[:4]
        (folder / file.name).write_text("".join(few), encoding="utf-8")
    arguments = ["--max-updates", 8, "--source", "fr", "--target", "en", "--output", tmp_path / "runs"]
    path = os.pathsep.join(sys.path)
    run = run_python(RECIPES / "quickstart.py", "--data-dir", folder, *arguments, PYTHONPATH=path)
    assert run.returncode == 0, run.stderr
    output = run.stdout.decode()
    for text in ("parameters", "tokens/s", "left", "Held-out BLEU: ", "docker run", "the same translations."):
        assert text in output
    # The commands are valid in a shell, even if sentences have apostrophes.
    commands = output[output.index("    keras-nmt serve") :].split("All this took")[0]
    commands = commands.replace("Translate a line:", "")
    assert subprocess.run(["sh", "-n"], input=commands, text=True, check=False).returncode == 0


def test_an_unknown_language_is_an_error_of_one_line(tmp_path, error_line):
    received = error_line("quickstart", "--source", "xx", "--output", tmp_path / "runs")
    assert received == "Error: --source must be one of en, de, fr, cs. Received: --source xx\n"
    assert not (tmp_path / "runs").exists()


def test_messages_of_the_export_may_have_any_encoding(monkeypatch):
    program = r'import sys; sys.stderr.buffer.write(b"m\xff\nfailed"); print(sys.argv[2]); sys.exit(len(sys.argv[1]))'
    monkeypatch.setattr(quickstart, "EXPORT_PROGRAM", program)
    assert quickstart.answers_without_keras_nmt("", ["ä"]) == ["ä"]
    with pytest.raises(UserError, match="Received: m� failed$"):
        quickstart.answers_without_keras_nmt(Path("m"), ["ä"])


SIZES = {"train": 7000, "dev": 200, "test": 200}


def assert_one_to_one(sentences):
    assert len(set(sentences)) == len(sentences)
    for language, column in zip(LANGUAGES, zip(*sentences, strict=True), strict=True):
        assert len(set(column)) == len(column), f"A sentence in {language} has two translations."


def test_the_committed_text_is_clean_and_each_sentence_has_one_translation_in_one_part():
    everything = []
    for part, size in SIZES.items():
        files = [(FOLDER / f"{part}.{language}").read_bytes().decode("utf-8").split("\n") for language in LANGUAGES]
        assert [column.pop() for column in files] == [""] * 4  # the files end with a newline
        assert [len(column) for column in files] == [size] * 4
        everything += zip(*files, strict=True)
    assert_one_to_one(everything)
    for text in itertools.chain.from_iterable(everything):
        assert text == unicodedata.normalize("NFC", text) == " ".join(text.split())
        assert text[0].isupper() or text[0].isdigit()
        assert text[-1] in ".?"
        assert not re.search(r"[{}|/]", text)
    assert sum(path.stat().st_size for path in FOLDER.glob("*.??")) <= 2_000_000


@pytest.mark.nightly
def test_the_generator_writes_the_committed_files_and_each_sentence_has_one_translation():
    pytest.importorskip("num2words")
    generator = load_script("quickstart_data/generate.py")
    for name, text in generator.generate().items():
        assert (FOLDER / name).read_bytes() == text.encode("utf-8"), name
    assert_one_to_one(list(itertools.islice(generator.sentences(seed=7), 10_000)))
