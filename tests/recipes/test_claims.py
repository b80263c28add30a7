"""The table of the papers' claims: its rule, its runs, and the README."""

from __future__ import annotations

import json

import pytest
from scripts import RECIPES, load_script

from keras_nmt.errors import UserError
from keras_nmt.evaluation import RunsComparison

REFERENCES = [f"a man number {i} rides his bike through street {i} today" for i in range(40)]
SOURCES = [line if i % 2 else f"{line} or tomorrow" for i, line in enumerate(REFERENCES)]
SCORE = {"score": 1.0, "signature": "nrefs:1"}
TEST = {"dev_greedy": {"bleu": 1.0}, "test": {"source-target": {"trained": True, "bleu": SCORE, "chrf": SCORE}}}


@pytest.fixture(scope="module")
def claims():
    return load_script("claims.py")


def found(claims, interval, without=None):
    middle = sum(interval) / 2
    return claims.Found(
        RunsComparison(middle, (middle,) * 2, 0.001, interval), (1, 2), 0 if without is None else 9, without
    )


def test_a_claim_is_answered_by_p_interval_and_empty_lines(claims):
    above, below, about = ((0.1, 0.9), (-0.9, -0.1), (-0.1, 0.9))
    answers = {
        (above, 0.01): "yes",
        (below, 0.01): "no",
        (about, 0.01): "not shown",
        (above, 0.06): "not shown",
        (above, None): "not shown",
    }
    for (interval, p), expected in answers.items():
        assert claims.answer([found(claims, interval)], [p]) == expected
    assert claims.answer([found(claims, above), found(claims, below)], [0.01, 0.01]) == "not shown"
    for difference, p, expected in ((-0.1, 0.001, "not shown"), (0.4, 0.5, "not shown"), (0.4, 0.001, "yes")):
        of_rest = RunsComparison(difference, (difference,) * 2, p, None)
        assert claims.answer([found(claims, above, of_rest)], [0.01]) == expected


@pytest.fixture
def kept(claims, tmp_path, monkeypatch):
    """Kept runs with other translations for each seed, and their data."""
    monkeypatch.setattr(claims, "HERE", tmp_path)
    systems = {"good-1": 9, "good-2": 8, "bad-1": 2, "bad-2": 3}
    for name, every in systems.items():
        folder = tmp_path / "multi30k" / "results" / name
        folder.mkdir(parents=True)
        lines = [line if i % every else "a man rides a bike" for i, line in enumerate(REFERENCES)]
        lines[:6] = [""] * 6 if name == "bad-2" else lines[:6]
        (folder / "test.hypotheses.txt").write_text("\n".join(lines) + "\n")
        sides = {"test_source": "data/test_2016_flickr.en", "test_target": "data/test_2016_flickr.de.gz"}
        (folder / "settings.json").write_text(json.dumps(sides))
        (folder / "results.json").write_text(json.dumps({"updates": 1, "ended_by": "max_updates", **TEST}))
    for language, lines in (("en", SOURCES), ("de", REFERENCES)):
        (tmp_path / f"test_2016_flickr.{language}").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_kept_runs_are_compared_by_seed_without_empty_lines_and_by_length(claims, kept):
    test = {"runs": "results", "system": "good", "baseline": "bad"}
    one = claims.compare_kept(test, kept)
    assert one.seeds == (1, 2)
    assert one.whole.differences[0] != one.whole.differences[1]
    assert (one.empty, one.without is None) == (6, False)
    assert one.without.difference != one.whole.difference
    short, long = (claims.compare_kept({**test, "words": words}, kept).whole for words in ([1, 11], [12, 99]))
    assert short.difference != one.whole.difference != long.difference
    with pytest.raises(UserError, match="runs of both systems"):
        claims.compare_kept({**test, "system": "best"}, kept)


def test_the_table_has_answers_of_its_own_and_of_the_rule(claims, kept):
    test = {"runs": "results", "system": "good", "baseline": "bad"}
    rows = [
        {"claim": "good is better", "claimed": "yes", "here": "[{0}](x)", "tests": [test]},
        {"claim": "bad is better", "claimed": "yes", "tests": [{**test, "system": "bad", "baseline": "good"}]},
        {"claim": "of old runs", "claimed": "1", "here": "2", "answer": "not shown"},
        {"claim": "of no runs", "claimed": "1"},
    ]
    lines = claims.claims_table([{"paper": "Ours", "claims": rows}], kept).splitlines()
    answers = [line.split("|")[-3].strip() for line in lines[3:7]]
    assert answers == ["yes", "no", "not shown", "not run"]
    assert "[+" in lines[3]
    assert "without 6 lines" in lines[3]
    assert lines[-1].endswith("the 2 tests of this table.")


def test_every_claim_has_a_row(claims):
    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    for section in json.loads((RECIPES / "claims.json").read_text(encoding="utf-8")):
        for row in section["claims"]:
            assert f"\n| {row['claim']} | {row['claimed']} |" in text


@pytest.mark.nightly  # translations and table are kept files: only scoring could change them
def test_the_readmes_table_is_made_from_the_kept_runs(claims, multi30k):
    sections = json.loads((RECIPES / "claims.json").read_text(encoding="utf-8"))
    assert claims.claims_table(sections, multi30k) in (RECIPES / "README.md").read_text(encoding="utf-8")
