"""The corpus of Debian's descriptions: reading apt's indexes, and sets that no other description repeats."""

import gzip
import shutil
from pathlib import Path

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError
from keras_nmt.text.text_files import read_lines

pytest.importorskip("datasketch")
pytest.importorskip("debian")
pytestmark = pytest.mark.nightly
SCRIPT = "debian/build.py"
INDEX = """Package: one
Description-md5: 11
Description-{0}: title of one {0}
 A first paragraph {0}
 on two lines.
 .
  * a list {0}
 .
 See https://example.org {0}.
 .
 The\u00a0last one {0}.

Package: two
Description-md5: 22
Description-{0}: title of two {0}
 A first paragraph {0}
 on two lines.
 .
 The same in all.

Package: three
Description-md5: 33
Description-{0}: title of three {0}
 Only{1} text.
"""


@pytest.mark.skipif(not Path("/usr/lib/apt/apt-helper").exists(), reason="needs apt")
def test_indexes_of_apt_give_titles_and_paragraphs(tmp_path):
    script = load_script(SCRIPT)
    for language, more in (("en", ""), ("it", "\n .\n One more")):
        with gzip.open(tmp_path / f"host_dists_x_main_i18n_Translation-{language}.gz", "wt", encoding="utf-8") as file:
            file.write(INDEX.format(language, more))
    languages = [script.read_folder(tmp_path, language) for language in ("en", "it")]
    assert languages[0]["11", 4] == "The\u00a0last one en."
    # No list, no address, nothing untranslated, each pair once, and no description with other paragraphs.
    assert [pair.texts for pair in script.align(languages)] == [
        ("title of one en", "title of one it"),
        ("A first paragraph en on two lines.", "A first paragraph it on two lines."),
        ("The\u00a0last one en.", "The\u00a0last one it."),
        ("title of two en", "title of two it"),
    ]
    with pytest.raises(UserError, match="no descriptions in 'da'"):
        script.read_folder(tmp_path, "da")


def words(number, count):
    return " ".join(f"w{number}x{i}" for i in range(count))


def test_held_out_descriptions_are_whole_and_repeated_nowhere(tmp_path):
    """Every second description nearly repeats one of the others, in one language or the other."""
    folder, output = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    rows = {"en": [], "it": []}
    for i in range(120):
        repeated = i if i % 2 else 0  # those with even numbers have the same words but for one
        for language, rest in rows.items():
            number = repeated if language == ("en" if i % 4 else "it") else i
            for n, count in enumerate((4, 12, 30, 60)):
                rest.append(f"{i:04x}\t{n}\t{language} {words(number, count)} {i}")
    for language, lines in rows.items():
        with gzip.open(folder / f"descriptions.{language}.tsv.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    arguments = ["--languages", "en,it", "--source", folder, "--test-size", 15, "--dev-size", 9]
    printed = run_main(load_script(SCRIPT), *arguments, "--output", output)
    assert "dev: 9 paragraphs" in printed
    sets = {path.name: read_lines(path) for path in output.iterdir()}
    held_out = set()
    for name, most in (("test_short", 20), ("test_medium", 45), ("test_long", 1000), ("dev", 1000)):
        for english, italian in zip(sets[f"{name}.en"], sets[f"{name}.it"], strict=True):
            number = english.rsplit(" ", 1)[1]
            assert number == italian.rsplit(" ", 1)[1]
            assert int(number) % 2 == 1
            assert len(english.split()) <= most
            held_out.add(number)
    assert not held_out & {line.rsplit(" ", 1)[1] for line in [*sets["train.en"], *sets["naive.en"]]}
    assert len(sets["naive.en"]) == 15
    assert not {*sets["train.en"]} & {*sets["naive.en"]}
    # The same again, and with another seed, others.
    shutil.move(output, tmp_path / "first")
    run_main(load_script(SCRIPT), *arguments, "--output", output)
    assert {path.name: read_lines(path) for path in output.iterdir()} == sets
    run_main(load_script(SCRIPT), *arguments, "--output", output, "--seed", 2)
    assert read_lines(output / "dev.en") != sets["dev.en"]
    with pytest.raises(UserError, match="too few descriptions without repeats.*short 60 of 100"):
        run_main(load_script(SCRIPT), *[300 if x == 15 else x for x in arguments], "--output", output)
