"""Russian in Latin letters: the text can be restored, English words are kept, and subwords keep all letters."""

import gzip
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts import RECIPES, load_script

from keras_nmt.data import SubwordTokenizer, train_subwords

pytestmark = pytest.mark.nightly
SCRIPT = "wmt17/transliterate.py"
SMALL = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
RUSSIAN = st.text(st.sampled_from(SMALL + SMALL.upper()))
MIXED = st.text(st.sampled_from("аьЬъЪЯёyqAˮʹž¬ .é7"), max_size=12)  # letters for which marks matter


@given(text=st.text() | MIXED | st.text(st.sampled_from(SMALL + SMALL.upper() + " -,")), output=MIXED, russian=RUSSIAN)
def test_every_text_is_restored_and_russian_becomes_as_many_letters_without_marks(text, output, russian):
    script = load_script(SCRIPT)
    assert script.cyrillize(script.romanize(text)) == text
    # Any output of a model has a way back.
    assert script.cyrillize(output).count(" ") == output.count(" ")
    romanized = script.romanize(russian)
    assert len(romanized) == len(russian)
    assert not set(romanized) & {*SMALL, *SMALL.upper(), script.MARK}


def test_examples(script):
    for russian, latin in (
        ("Съешь же ещё этих мягких французских булок", "Sʺešʹ že eŝë ètih mâgkih francuzskih bulok"),
        ("ОБЪЕКТ и ТЕНЬ", "OBˮEKT i TENˈ"),
        ("сайт google.com в Google'е, TVшный", "sajt ¬google.¬com v ¬Google'e, ¬TV¬šnyj"),
        ("100 % — «да»", "100 % — «da»"),
    ):
        assert script.romanize(russian) == latin
        assert script.cyrillize(latin) == russian


def test_subwords_keep_all_letters_and_the_mark(script, tmp_path):
    line = " ".join(script.CYRILLIC) + f" {script.MARK}PDF{script.MARK}y"
    (tmp_path / "text").write_text(f"{line}\n", encoding="utf-8")
    tokenizer = SubwordTokenizer(train_subwords(tmp_path / "text", tmp_path / "model", vocabulary_size=80))
    assert tokenizer.detokenize(tokenizer.tokenize([line])).numpy()[0].decode() == line


def test_files_are_transliterated_and_restored_and_damaged_ones_are_errors_of_one_line(tmp_path):
    def run(*arguments):
        command = [sys.executable, RECIPES / SCRIPT, *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    text = "Объём\n\nPDFы и Wi-Fi\n"
    (tmp_path / "train.ru").write_text(text, encoding="utf-8")
    assert run("train.ru", "train.ru-Latn.gz").returncode == 0
    assert run("--back", "train.ru-Latn.gz", "back.ru").returncode == 0
    assert gzip.decompress((tmp_path / "train.ru-Latn.gz").read_bytes()).decode().startswith("Obʺëm\n\n¬PDF¬y")
    assert (tmp_path / "back.ru").read_text(encoding="utf-8") == text
    (tmp_path / "cut.gz").write_bytes(gzip.compress("Объём\n".encode() * 99)[:-9])
    for file, message in (("no.ru", "no.ru"), ("cut.gz", "Damaged gzip data")):
        failed = run(file, "out")
        assert failed.returncode == 2
        assert failed.stderr.startswith("Error: ")
        assert message in failed.stderr
        assert not (tmp_path / "out").exists()
