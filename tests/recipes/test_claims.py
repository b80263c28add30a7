"""The table of the papers' claims: its rule, its runs, and the README."""

import dataclasses
import json
import shutil
from types import SimpleNamespace

import pytest
from scripts import RECIPES

from keras_nmt.data import text_digest
from keras_nmt.errors import UserError
from keras_nmt.evaluation import RunsComparison, corpus_scores
from keras_nmt.experiments.kept_runs import keep_runs

REFERENCES = [f"a man number {i} rides his bike through street {i} today" for i in range(40)]
SOURCES = [line if i % 2 else f"{line} or tomorrow" for i, line in enumerate(REFERENCES)]
SCORE = {"trained": True, "bleu": {"score": 12.34, "signature": "nrefs:1"}}
RESULTS = {
    **{"updates": 1, "ended_by": "max_updates", "data": {}, "limits": {}, "parameters": 1000},
    **{"dev_greedy": {"bleu": 20.0}, "test": {"en-de": SCORE}},
}


SCRIPT = "claims.py"
TEST = {"runs": "ours", "system": "good", "baseline": "bad"}  # of the runs that `kept` writes


@pytest.fixture(scope="module")
def claims(script):
    return script


def found(claims, interval, without=None, p_of_runs=0.04):
    middle = sum(interval) / 2
    whole = RunsComparison(middle, (middle,) * 2, 0.001, interval, p_of_runs)
    return claims.Found(whole, (1, 2), 0 if without is None else 9, without)


def test_a_claim_is_answered_by_both_p_interval_and_empty_lines(claims):
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
    assert claims.answer([found(claims, above, p_of_runs=0.06)], [0.01]) == "not shown"
    for second, expected in ((above, "yes"), (about, "not shown"), (below, "no")):
        assert claims.answer([found(claims, above), found(claims, second)], [0.01, 0.01]) == expected
    assert claims.answer([found(claims, about), found(claims, below)], [0.01, 0.01]) == "no"
    of_rests = {(below, 0.001): "not shown", (above, 0.5): "not shown", (about, 0.001): "not shown"}
    for (interval, p), expected in {**of_rests, (above, 0.001): "yes"}.items():
        of_rest = RunsComparison(0.4, (0.4,) * 2, p, interval, 0.04)
        assert claims.answer([found(claims, above, of_rest)], [0.01]) == expected


@pytest.fixture
def kept(claims, tmp_path, monkeypatch):
    """Kept runs with other translations for each seed, and their data."""
    monkeypatch.setattr(claims, "HERE", tmp_path)
    claims.kept_runs.cache_clear()
    digests = []
    for language, lines in (("en", SOURCES), ("de", REFERENCES)):
        (tmp_path / f"test_2016_flickr.{language}").write_text("\n".join(lines) + "\n")
        digests.append(text_digest(tmp_path / f"test_2016_flickr.{language}"))
    folders = {}
    systems = {"good-1": 9, "good-2": 8, "bad-1": 2, "bad-2": 3}
    for name, every in systems.items():
        folder = folders[name[:-2], int(name[-1])] = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        lines = [line if i % every else "a man rides a bike" for i, line in enumerate(REFERENCES)]
        lines[:6] = [""] * 6 if name == "bad-2" else lines[:6]
        (folder / "test.en-de.hypotheses.txt").write_text("\n".join(lines) + "\n")
        data = {"languages": ["en", "de"], "pairs": ["en-de"], "test": "data/test_2016_flickr.{language}"}
        sections = {"evaluation": {"bleu_tokenizer": "13a"}, "subwords": {"lowercase": False}}
        (folder / "settings.json").write_text(json.dumps({"data": data, **sections}))
        (folder / "results.json").write_text(json.dumps({**RESULTS, "data": {"test en-de": digests}}))
    keep_runs(tmp_path / "multi30k" / "results" / "ours.jsonl", folders)
    yield tmp_path
    claims.kept_runs.cache_clear()


def test_kept_runs_are_compared_by_seed_without_empty_lines_and_by_length(claims, kept, monkeypatch):
    one = claims.compare_kept(TEST, kept)
    assert one.seeds == (1, 2)
    assert one.whole.differences[0] != one.whole.differences[1]
    assert (one.empty, one.without is None) == (6, False)
    assert one.without.difference != one.whole.difference
    short, long = (claims.compare_kept({**TEST, "words": words}, kept).whole for words in ([1, 11], [12, 99]))
    assert short.difference != one.whole.difference != long.difference
    with pytest.raises(UserError, match="runs of both systems"):
        claims.compare_kept({**TEST, "system": "best"}, kept)
    runs = dict(claims.kept_runs("ours"))
    runs["good", 3] = runs["good", 1]  # the baseline has no third run yet
    with monkeypatch.context() as patch:
        patch.setattr(claims, "kept_runs", lambda table: runs)
        claims._compare_kept.cache_clear()
        found = claims.compare_kept(TEST, kept)
    assert (found.seeds, len(found.whole.differences)) == ((1, 2), 2)
    path = kept / "test_2016_flickr.de"  # not those that the runs translated
    path.write_text(path.read_text().replace("number 7", "number 77"))
    claims._compare_kept.cache_clear()
    with pytest.raises(UserError, match="not those that the runs translated: good and bad of ours"):
        claims.compare_kept(TEST, kept)


def test_the_table_has_answers_of_its_own_and_of_the_rule(claims, kept, monkeypatch):
    compare = claims.compare_kept

    def compared(*given):
        found = compare(*given)
        both = (x._replace(p_value_of_runs=0.01) for x in (found.whole, found.without))  # of two seeds, it is 0.1
        return dataclasses.replace(found, **dict(zip(("whole", "without"), both, strict=True)))

    monkeypatch.setattr(claims, "compare_kept", compared)
    rows = [
        {"claim": "good is better", "claimed": "yes", "here": "[{0}](x)", "tests": [TEST]},
        {"claim": "bad is better", "claimed": "yes", "tests": [{**TEST, "system": "bad", "baseline": "good"}]},
        {"claim": "of old runs", "claimed": "1", "here": "2", "answer": "not shown"},
        {"claim": "of no runs", "claimed": "1"},
        {"claim": "by hand", "claimed": "yes", "tests": [TEST], "answer": "not shown"},
        {"claim": "without runs, by hand", "claimed": "yes", "answer": "yes"},
    ]
    lines = claims.claims_table([{"paper": "Ours", "claims": rows}], kept).splitlines()
    answers = [line.split("|")[-3].strip() for line in lines[3:9]]
    assert answers == ["yes", "no", "not shown", "not run", "not shown*", "yes*"]
    assert "[+" in lines[3]
    assert "without 6 lines" in lines[3]
    assert lines[-1].endswith("the 3 tests of this table.")


def test_a_difference_that_compare_has_written_is_read(claims, tmp_path, monkeypatch):
    def entry(difference, empty=0, seeds=("2", "3"), **sets):
        differences = dict(zip(seeds, (difference - 0.1, difference + 0.1), strict=False))
        tests = {"interval": [0.5, 1.5], "p_value": 0.001, "p_value_of_seeds": 0.02}
        outputs = {"2": {"en-it": {"empty": 0}}, "3": {"en-it": {"empty": empty}}, "4": {"en-it": {"empty": 9}}}
        own = {"parameters": 6000, "test_bleu": {"scores": dict.fromkeys(seeds, 20 + difference)}}
        compared = {"difference": difference, "differences": differences, **tests}
        return {**own, **compared, "outputs": outputs, "test_sets": sets}

    def write(of_baseline):
        written = {
            "base": of_baseline,
            "ours": entry(1.0, long=entry(2.0)),
            "empty": entry(1.0, 5),
            "new": entry(1.0, seeds=()),
        }
        (tmp_path / "two.json").write_text(json.dumps({"baseline": "base", "configurations": written}))

    monkeypatch.setattr(claims, "HERE", tmp_path)
    claims.read_comparison.cache_clear()
    write(entry(0.0))
    test = {"comparison": "two.json", "system": "ours"}
    expected = RunsComparison(1.0, (0.9, 1.1), 0.001, (0.5, 1.5), 0.02)
    assert claims.compare_kept(test, tmp_path) == claims.Found(expected, (2, 3), 0, None)
    assert claims.compare_kept({**test, "test_set": "long"}, tmp_path).whole.differences == (1.9, 2.1)
    for wrong, message in {
        "empty": "empty and base of two.json must leave fewer than 5 lines empty.* Received: 5",
        "new": "`two.json` must have runs of base and `system` with the same seed. Received: system='new'",
        "base": "`system` must be one of ours, empty, new. Received: system='base'",
    }.items():
        with pytest.raises(UserError, match=message):
            claims.compare_kept({**test, "system": wrong}, tmp_path)
    with pytest.raises(UserError, match="`test_set` must be one of long. Received: test_set='short'"):
        claims.compare_kept({**test, "test_set": "short"}, tmp_path)
    table = claims.compared_table("two.json", "system", {"plain": "base", "ours": "ours"})
    assert table.splitlines()[2:] == [
        "| plain | 6,000 | 20.00 ± 0.00 | | |",
        "| ours | 6,000 | 21.00 ± 0.00 | +1.00 | +0.50 to +1.50 |",
    ]
    write(entry(0.0, empty=5))
    claims.read_comparison.cache_clear()
    with pytest.raises(UserError, match="ours and base of two.json must leave fewer than 5 lines empty"):
        claims.compare_kept(test, tmp_path)


def test_differences_beside_have_no_part_in_the_answer_and_files_can_be_compared(claims, kept):
    results = kept / "multi30k" / "results"
    for path in list(results.glob("ours.*")):
        shutil.copy(path, results / path.name.replace("ours", "theirs"))
    other = {**TEST, "baseline_runs": "theirs"}
    assert claims.compare_kept(other, kept) == claims.compare_kept(TEST, kept)
    row = {"claim": "bad is better", "claimed": "yes", "here": "{0} and {1}", "beside": [TEST]}
    row["tests"] = [{**other, "system": "bad", "baseline": "good"}]
    lines = claims.claims_table([{"paper": "Ours", "claims": [row]}], kept).splitlines()
    cells = [cell.strip() for cell in lines[3].split("|")[1:-1]]
    difference = claims.compare_kept(TEST, kept).whole.difference
    assert cells[2].startswith(f"{-difference:+.2f} and {difference:+.2f}; without 6 lines")
    assert len(cells[4].split(";")) == len(cells[6].split(";")) == 1
    assert lines[-1].endswith("the 1 tests of this table.")
    table = claims.runs_table("ours", "bad", kept, baseline_runs="theirs", columns=["difference"])
    assert table.splitlines()[2:] == [f"| good | {difference:+.2f} |", "| bad | +0.00 |"]  # another run of that name


def test_all_tables_and_claims_are_in_a_readme(claims):
    texts = [(RECIPES / name).read_text(encoding="utf-8") for name in claims.READMES]
    written = [found[2] for text in texts for found in claims.WRITTEN.finditer(text)]
    assert sorted(written) == sorted(["claims", *json.loads((RECIPES / "tables.json").read_text(encoding="utf-8"))])
    assert sum(text.count("<!-- written by") for text in texts) == len(written)
    text = (RECIPES / "README.md").read_text(encoding="utf-8")
    for section in json.loads((RECIPES / "claims.json").read_text(encoding="utf-8")):
        for row in section["claims"]:
            assert f"\n| {row['claim']} | {row['claimed']} |" in text


TABLES = sorted(path.stem for path in (RECIPES / "multi30k" / "results").glob("*.jsonl"))


def test_kept_translations_have_the_kept_scores(claims, multi30k):
    """Counts and BLEU of one direction of the first run of some tables."""
    for table in (TABLES[0], TABLES[len(TABLES) // 2], TABLES[-1]):
        run = next(iter(claims.kept_runs(table).values()))
        _check_kept_scores(claims, multi30k, run, [*run.results["test"]][:1], ["bleu"])


@pytest.mark.nightly
@pytest.mark.parametrize("table", TABLES)  # some twenty tests, because all together would take longer than a test may
def test_translations_of_all_kept_runs_have_the_kept_scores(claims, multi30k, table):
    """Counts and BLEU of all runs, and the slower chrF and TER of the first run, in all directions."""
    for number, run in enumerate(claims.kept_runs(table).values()):
        metrics = ["bleu", *(["chrf", "ter"] if number == 0 else [])]
        _check_kept_scores(claims, multi30k, run, run.results["test"], metrics)


def _check_kept_scores(claims, multi30k, run, directions, metrics):
    for direction in directions:
        lines, test = run.translations(direction), run.results["test"][direction]
        counts = {"lines": len(lines), "empty": sum(not x.strip() for x in lines), "distinct": len(set(lines))}
        assert counts.items() <= test["outputs"].items(), (run.table, run.name)
        references = claims._texts(multi30k, run.settings["data"]["test"], direction, 1)
        found = corpus_scores(lines, references, lowercase=run.settings["subwords"]["lowercase"], metrics=metrics)
        for name, score in found.items():
            assert round(score.score, 2) == test[name]["score"], (run.table, run.name, direction, name)
            assert score.signature == test[name]["signature"]


@pytest.mark.nightly  # translations and tables are kept files: only scoring could change them
def test_the_readmes_tables_are_made_from_the_kept_runs(claims, multi30k):
    for name in claims.READMES:
        text = (RECIPES / name).read_text(encoding="utf-8")
        assert claims.rewritten(text, multi30k) == text


def test_deviations_are_of_a_sample_and_p_values_are_corrected_for_all_tests(claims, monkeypatch, tmp_path):
    assert claims._mean([30.0, 32.0, 37.0]) == "33.00 ± 3.61"  # squares of differences 9 + 1 + 16, over n - 1
    assert claims._mean([30.0]) == "30.00"
    p_values = {"one": 0.03, "other": 0.04}

    def compared(test, data):
        found = RunsComparison(0.5, (0.5, 0.5), p_values[test["system"]], (0.1, 0.9), 0.01)
        return claims.Found(found, (1, 2), 0, None)

    monkeypatch.setattr(claims, "compare_kept", compared)
    rows = [{"claim": name, "claimed": "yes", "tests": [{"system": name}]} for name in p_values]
    lines = claims.claims_table([{"paper": "Ours", "claims": rows}], tmp_path).splitlines()[3:5]
    found = [[cell.strip() for cell in line.split("|")[6:10]] for line in lines]
    assert found == [["0.030", "0.060", "0.010", "not shown"], ["0.040", "0.060", "0.010", "not shown"]]
    runs = {(name, 1): SimpleNamespace(results=RESULTS) for name in ("base", *p_values)}
    monkeypatch.setattr(claims, "kept_runs", lambda table: runs)
    lines = claims.runs_table("ours", "base", tmp_path, columns=["p", "p (Holm)"]).splitlines()[3:]
    assert lines == ["| one | 0.030 | 0.060 |", "| other | 0.040 | 0.060 |"]
