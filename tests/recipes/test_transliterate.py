"""Russian in Latin letters: the text can be restored, English words are kept, and subwords keep all letters."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts import load_script

from keras_nmt.data import SubwordTokenizer, train_subwords

SCRIPT = Path(__file__).parents[2] / "recipes" / "wmt17" / "transliterate.py"
transliterate = load_script("wmt17/transliterate.py")

SMALL = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
MIXED = st.text(st.sampled_from("аьЬъЪЯёyqAˮʹž¬ .é7"), max_size=12)  # letters for which marks matter


@given(st.text() | MIXED | st.text(st.sampled_from(SMALL + SMALL.upper() + " -,")))
def test_every_text_is_restored(text):
    assert transliterate.cyrillize(transliterate.romanize(text)) == text


@given(MIXED)
def test_the_way_back_accepts_any_output_of_a_model(text):
    assert transliterate.cyrillize(text).count(" ") == text.count(" ")


@given(st.text(st.sampled_from(SMALL + SMALL.upper())))
def test_russian_becomes_an_equal_number_of_letters_without_marks(text):
    romanized = transliterate.romanize(text)
    assert len(romanized) == len(text)
    assert not set(romanized) & {*SMALL, *SMALL.upper(), transliterate.MARK}


@pytest.mark.parametrize(
    ("russian", "latin"),
    [
        ("Съешь же ещё этих мягких французских булок", "Sʺešʹ že eŝë ètih mâgkih francuzskih bulok"),
        ("ОБЪЕКТ и ТЕНЬ", "OBˮEKT i TENˈ"),
        ("сайт google.com в Google'е, TVшный", "sajt ¬google.¬com v ¬Google'e, ¬TV¬šnyj"),
        ("100 % — «да»", "100 % — «da»"),
    ],
)
def test_examples(russian, latin):
    assert transliterate.romanize(russian) == latin
    assert transliterate.cyrillize(latin) == russian


def test_subwords_keep_all_letters_and_the_mark(tmp_path):
    line = " ".join(transliterate.CYRILLIC) + f" {transliterate.MARK}PDF{transliterate.MARK}y"
    (tmp_path / "text").write_text(f"{line}\n", encoding="utf-8")
    tokenizer = SubwordTokenizer(train_subwords(tmp_path / "text", tmp_path / "model", vocabulary_size=80))
    assert tokenizer.detokenize(tokenizer.tokenize([line])).numpy()[0].decode() == line


def test_files_are_transliterated_and_restored(tmp_path):
    text = "Объём\n\nPDFы и Wi-Fi\n"
    (tmp_path / "train.ru").write_text(text, encoding="utf-8")
    for arguments in (["train.ru", "train.ru-Latn.gz"], ["--back", "train.ru-Latn.gz", "back.ru"]):
        subprocess.run([sys.executable, SCRIPT, *arguments], cwd=tmp_path, check=True)
    assert gzip.decompress((tmp_path / "train.ru-Latn.gz").read_bytes()).decode().startswith("Obʺëm\n\n¬PDF¬y")
    assert (tmp_path / "back.ru").read_text(encoding="utf-8") == text


def test_a_missing_file_is_an_error_of_one_line(tmp_path):
    run = subprocess.run(
        [sys.executable, SCRIPT, "no.ru", "out"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stderr.startswith("Error: ")
    assert "no.ru" in run.stderr
    assert not (tmp_path / "out").exists()


def test_a_truncated_file_is_an_error_of_one_line_without_output(tmp_path):
    (tmp_path / "cut.gz").write_bytes(gzip.compress("Объём\n".encode() * 99)[:-9])
    command = [sys.executable, SCRIPT, "cut.gz", "out"]
    ran = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr.startswith("Error: Damaged gzip data")
    assert [path.name for path in tmp_path.iterdir()] == ["cut.gz"]
