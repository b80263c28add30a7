"""The table of a comparison, from runs that are written by hand instead of trained."""

import json

import pytest
from comparisons import LINES, SIGNATURE, planned, write_run, write_speed

from keras_nmt.errors import UserError
from keras_nmt.evaluation import paired_bootstrap_of_runs
from keras_nmt.experiments import ExperimentConfig, comparison_table
from keras_nmt.experiments.comparison import check_comparison, write_table
from keras_nmt.experiments.comparison_table import common_directions, show_tables
from keras_nmt.experiments.results import hypotheses_path


def worse(every):
    return [line if i % every else "a man rides" for i, line in enumerate(LINES)]


def table_of(comparison):
    """The lines of the table, and the content of the file with all scores."""
    write_table(comparison)
    text = (comparison.directory / "comparison.md").read_text()
    return text.splitlines(), json.loads((comparison.directory / "comparison.json").read_text())


def test_the_table_has_means_deviations_and_p_values(files, tmp_path):
    other, none = {"model": {"dropout": 0.2}}, {"clip": 1.0}
    comparison = planned(files, tmp_path / "runs", seeds=(1, 2, 3), other=other, none=none)
    scores = {1: 30.0, 2: 32.0, 3: 37.0}
    for seed, score in scores.items():
        write_run(comparison.runs["baseline"][seed], dev=score, test=score, hypotheses=worse(2))
    for seed in (1, 3):  # still training: 2
        rates = (10.0, 20.0, 30.0 * seed)
        write_run(comparison.runs["other"][seed], dev=20.0, test=scores[seed] + seed, rates=rates)
    for name, rates in {"other": [1234.56, 1200, 2000], "baseline": [7.0] * 3}.items():
        write_speed(tmp_path / "runs" / f"{name}-1", "2026-11-25T10:00:00+00:00", rates)
    lines, written = table_of(comparison)
    assert lines[0].startswith("| configuration | parameters | training tokens/s | decoding sentences/s | runs |")
    # 33 is the mean of 30, 32 and 37; squares of differences 9 + 1 + 16 = 26, over n - 1 = 2: 13, whose root is 3.61.
    assert lines[2] == "| baseline | 1,000 | 200 | 7.0 | 3 of 3 | 33.00 ± 3.61 | 33.00 ± 3.61 | | | | | | |"
    # Medians 20 and 20. Of seeds 1 and 3: 31 and 40, of the baseline 30 and 37, so 2 better, in every sentence drawn.
    start = "| other | 1,001 | 20 | 1,234.6 (1,200.0 to 2,000.0) | 2 of 3 | 20.00 ± 0.00 | 35.50 ± 6.36 | +2.00 |"
    assert lines[3].startswith(f"{start} +1.00, +3.00 | +")
    assert lines[4] == "| none | | | | 0 of 3 | | | | | | | | |"
    assert "Seeds 1, 2, 3; budget: max_updates=100, batch_size=4096, batch_unit=tokens." in lines[6]
    assert f"test by beam 4, length penalty 0.6 (`{SIGNATURE}`)." in lines[6]
    found = written["configurations"]["other"]
    assert found["test_bleu"]["scores"] == {"1": 31.0, "3": 40.0}
    assert found["differences"] == {"1": 1.0, "3": 3.0}
    assert 0 < found["interval"][0] < found["interval"][1]
    assert found["p_value"] == found["p_value_holm"] < 0.05


def test_each_seed_has_its_own_translations(files, tmp_path):
    """As p and interval of one run twice, if the translations of the first seed were read for all."""
    scoring = {"bleu_tokenizer": "char", "lowercase": True}
    comparison = planned({**files, **scoring}, tmp_path / "runs", seeds=(1, 2, 3))
    shouted = [line.upper() for line in worse(4)]
    runs = {"baseline": [worse(3), shouted, worse(2)], "plain": [worse(4), LINES, worse(5)]}
    for name, outputs in runs.items():
        for config, lines in zip(comparison.runs[name].values(), outputs, strict=True):
            write_run(config, hypotheses=lines)
    found = write_table(comparison)["configurations"]["plain"]
    options = {"samples": comparison_table.DRAWS, "tokenize": "char", "lowercase": True}
    expected = paired_bootstrap_of_runs(runs["plain"], runs["baseline"], LINES, **options)
    assert (found["p_value"], found["interval"]) == (expected.p_value, expected.interval)
    assert found["p_value_of_seeds"] == expected.p_value_of_runs
    one_run = runs["plain"][:1] * 3, runs["baseline"][:1] * 3
    assert paired_bootstrap_of_runs(*one_run, LINES, **options).p_value != expected.p_value
    assert found["outputs"][2]["source-target"] == {"lines": 40, "empty": 0, "distinct": 40}


def write_sets(folder, languages, **sets):
    """Files of test sets: the lines of each by its name."""
    for name, lines in sets.items():
        for language in languages:
            (folder / f"{name}.{language}").write_text("".join(f"{line}\n" for line in lines))
    return {"test": [str(folder / f"{name}.{{language}}") for name in sets]}


def test_each_test_set_has_its_own_differences(files, tmp_path, monkeypatch):
    """The system is better in the first set alone, which has more lines than the second."""
    monkeypatch.setattr(comparison_table, "DRAWS", 500)
    sets = write_sets(tmp_path, ("source", "target"), long=LINES[:32], short=LINES[32:])
    comparison = planned(
        {**files, **sets}, tmp_path / "runs", plain={"clip": 1.0}, same={"clip": 2.0}, none={"clip": 3}
    )
    outputs = {"baseline": worse(2), "plain": [*worse(4)[:32], *worse(2)[32:]], "same": worse(2)}
    # The files had other names when a run was scored.
    scores = {
        "baseline": {"a": 40.0, "b": 30.0},
        "plain": {"long": 45.0, "short": 30.0},
        "same": {"b": 40.0, "a": 30.0},
    }
    for name, lines in outputs.items():
        for config in comparison.runs[name].values():
            write_run(config, hypotheses=lines, sets=scores[name])
    lines, written = table_of(comparison)
    found = written["configurations"]["plain"]["test_sets"]
    expected = paired_bootstrap_of_runs(
        *([outputs[name][:32]] * 2 for name in ("plain", "baseline")), LINES[:32], samples=comparison_table.DRAWS
    )
    assert found["long"]["differences"] == {"1": 5.0, "2": 5.0}
    assert (found["long"]["p_value"], tuple(found["long"]["interval"])) == (expected.p_value, expected.interval)
    assert found["short"]["difference"] == 0
    assert found["short"]["p_value"] is None  # eight lines
    assert found["long"]["p_value_holm"] == 2 * found["long"]["p_value"]
    assert "for the 2 tests of the table, in the table of test sets for its 2. p (seeds)" in lines[-1]
    start = lines.index(
        "| configuration | test set | test BLEU | difference | each seed | 95% interval | p | p (Holm) | p (seeds) |"
    )
    assert lines[start + 2 : start + 4] == [
        f"| baseline | {x} | {y} ± 0.00 | | | | | | |" for x, y in (("long", "40.00"), ("short", "30.00"))
    ]
    assert lines[start + 4].startswith("| plain | long | 45.00 ± 0.00 | +5.00 | +5.00, +5.00 | +")
    assert lines[start + 8 : start + 10] == [f"| none | {x} | | | | | | | |" for x in ("long", "short")]
    path = comparison.runs["same"][1].directory / "results.json"  # of a run that was scored as a whole
    path.write_text(path.read_text().replace('"sets"', '"others"'))
    assert [one["test_sets"] for one in write_table(comparison)["configurations"].values()] == [{}] * 4


def test_results_that_were_changed_by_hand_are_named(files, tmp_path):
    sets = write_sets(tmp_path, ("source", "target"), long=LINES[:32], short=LINES[32:])
    comparison = planned({**files, **sets}, tmp_path / "runs", seeds=(1,))
    for of_seeds in comparison.runs.values():
        write_run(of_seeds[1], sets={"long": 40.0, "short": 30.0})
    folder = comparison.runs["plain"][1].directory
    whole = json.loads((folder / "results.json").read_text())
    (cell,) = whole["test"].values()
    wrong = {"score": float("nan"), "signature": SIGNATURE}
    one_set = {name: score for name, score in cell["sets"].items() if name == "long"}
    for change, message in (
        ({"parameters": None}, "parameters in .*valid integer"),
        ({"dev_greedy": {"chrf": 3.0}}, "lacks scores.*none of dev_greedy.bleu$"),
        ({"dev_greedy": {"bleu": float("inf")}}, "dev_greedy.bleu in .*finite"),
        ({"test": {}}, "lacks scores.*none of test.source-target$"),
        ({"test": {"source-target": {**cell, "bleu": wrong}}}, "test.source-target.bleu.score in .*finite"),
        ({"test": {"source-target": {**cell, "outputs": {"lines": "20"}}}}, "outputs.lines in .*valid integer"),
        ({"test": {"source-target": {**cell, "sets": one_set}}}, "none of test.source-target.sets of 2 test sets$"),
    ):
        (folder / "results.json").write_text(json.dumps({**whole, **change}))
        with pytest.raises(UserError, match=f"^Damaged: .*{message}") as raised:
            write_table(comparison)
        assert f"{folder / 'results.json'}" in str(raised.value)
    (folder / "results.json").write_text(json.dumps(whole))
    write_speed(folder, "now", ["fast"] * 3)
    write_speed(comparison.runs["baseline"][1].directory, "now", [1.0] * 3)
    with pytest.raises(UserError, match="^Damaged: rates.0 in .*speed.json: .*valid number"):
        write_table(comparison)
    (folder / "speed.json").unlink()
    hypotheses_path(folder, "source-target").write_text("a man\n" * 19)
    told = r"plain-1.*must have a line for each of the 40 test sentences.*: 19 line\(s\)$"
    with pytest.raises(UserError, match=told):
        write_table(comparison)


def test_degenerate_outputs_are_named(files, tmp_path, capsys):
    comparison = planned(files, tmp_path / "runs", seeds=(1,), constant={"clip": 1.0}, empty={"clip": 2.0})
    outputs = {"baseline": LINES, "constant": ["A man ."] * 40, "empty": ["", *LINES[1:]]}
    for name, lines in outputs.items():
        write_run(comparison.runs[name][1], hypotheses=lines)
    show_tables(write_table(comparison))
    text = "of 40 translations of the test data"
    expected = [
        f"Warning: constant-1: {text}, 1 are distinct and 0 are empty",
        f"Warning: empty-1: {text}, 40 are distinct and 1 are empty",
    ]
    assert capsys.readouterr().out.splitlines()[-2:] == expected
    written = (tmp_path / "runs" / "comparison.md").read_text()
    assert written.split("\n\n")[2:] == [f"{expected[0]}.", f"{expected[1]}.\n"]


def test_names_are_shown_whole_and_as_they_are(files, tmp_path, capsys):
    names = [f"a_long_name_of_a_configuration_{part}_[{i}]" for part in "ab" for i in range(2)] + ["a|b", ":cat:"]
    comparison = planned(files, tmp_path / "runs", **{name: {"clip": 1.0 + i} for i, name in enumerate(names)})
    for of_seeds in comparison.runs.values():
        for config in of_seeds.values():
            write_run(config)
    summary = write_table(comparison)
    show_tables(summary)
    printed = capsys.readouterr().out
    assert "…" not in printed
    rows = printed.splitlines()[4:]
    assert [row.split()[0] for row in rows if row.strip()][: len(names) + 1] == ["baseline", *names]
    head, rule, *rows = (comparison.directory / "comparison.md").read_text().split("\n\n")[0].splitlines()
    assert {line.replace("\\|", "").count("|") for line in (head, rule, *rows)} == {14}
    assert rows[5].startswith("| a\\|b | ")
    for name in ("two\nlines", ""):
        with pytest.raises(UserError, match=f"printable. Received: configuration={name!r}".replace("\\", r"\\")):
            planned(files, tmp_path / "runs", **{name: {}})


def test_one_seed_has_no_deviation_and_several_moments_and_machines_are_said(files, tmp_path):
    comparison = planned(files, tmp_path / "runs", seeds=(7,))
    for number, of_seeds in enumerate(comparison.runs.values()):
        write_run(of_seeds[7], test=40.0 + number, hypotheses=worse(3 + number))
        write_speed(of_seeds[7].directory, f"2026-11-2{number}", [5.0] * 3)
        path = of_seeds[7].directory / "results.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "machine": "ab"[number]}))
    lines = table_of(comparison)[0]
    assert lines[3] == "| plain | 1,001 | 200 | 5.0 | 1 of 1 | 30.00 | 41.00 | +1.00 | | | | | |"
    assert "Not all in the same turns: 2026-11-20, 2026-11-21." in lines[-1]
    assert "are of several machines or versions: a | b." in lines[-1]
    write_speed(of_seeds[7].directory, "2026-11-21", [5.0] * 2)  # interrupted
    assert [row.split("|")[4].strip() for row in table_of(comparison)[0][2:4]] == ["5.0", ""]


@pytest.fixture
def languages(tmp_path):
    for name in ("train", "dev", "test"):
        for language in ("en", "de", "fr"):
            (tmp_path / f"{name}.{language}").write_text("".join(f"{line}\n" for line in LINES))
    return {name: tmp_path / f"{name}.{{language}}" for name in ("train", "dev", "test")}


def several(seed, directory, files, **settings):
    own = {"directory": directory, "seed": seed, "languages": ["en", "de", "fr"], "max_updates": 100}
    return ExperimentConfig.from_settings({**own, **files, **settings})


HUB = {"pairs": ["en-de", "de-en", "en-fr", "fr-en"]}
ALL = ["en-de", "de-en", "en-fr", "fr-en", "de-fr", "fr-de"]


def test_scores_are_means_over_directions_and_a_second_table_has_each_direction(languages, tmp_path):
    comparison = planned(languages, tmp_path / "runs", make=several, hub=HUB)
    dev = {f"bleu_{pair}": 10.0 + i for i, pair in enumerate(HUB["pairs"])} | {"bleu": 99.0}
    scores = dict(zip(ALL, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), strict=True))
    for seed in (1, 2):
        better = {pair: score + seed for pair, score in scores.items()}
        every = {**dev, "bleu_de-fr": 70.0, "bleu_fr-de": 71.0}
        write_run(comparison.runs["baseline"][seed], dev=every, test=scores, hypotheses=worse(2))
        write_run(comparison.runs["hub"][seed], dev=dev, test=better)
    lines, written = table_of(comparison)
    # Development data are those of the pairs that both are trained on: 10, 11, 12 and 13. Test data are those of all.
    assert lines[2] == "| baseline | 1,000 | 200 | | 2 of 2 | 11.50 ± 0.00 | 3.50 ± 0.00 | | | | | | |"
    assert lines[3].startswith("| hub | 1,000 | 200 | | 2 of 2 | 11.50 ± 0.00 | 5.00 ± 0.71 | +1.50 | +1.00, +2.00 | +")
    assert lines[5] == f"| test BLEU | {' | '.join(['en-de', 'en-fr', 'de-en', 'de-fr', 'fr-en', 'fr-de'])} |"
    assert lines[8].startswith("| hub | 2.50 ± 0.71 | 4.50 ± 0.71 | 3.50 ± 0.71 | 6.50 ± 0.71* |")
    assert "mean over the 6 directions" in lines[-1]
    found = written["configurations"]["hub"]["by_direction"]["de-fr"]
    assert (found["scores"], found["trained"]) == ({"1": 6.0, "2": 7.0}, False)


def test_test_sets_of_several_directions_are_those_that_all_have(languages, tmp_path, monkeypatch):
    monkeypatch.setattr(comparison_table, "DRAWS", 500)
    sets = write_sets(tmp_path, ("en", "de"), long=LINES[:32], short=LINES[32:])
    write_sets(tmp_path, ("fr",), long=LINES[:32])
    both = {"pairs": ["en-de", "en-fr"], "test_pairs": ["en-de", "en-fr"]}
    comparison = planned({**languages, **sets, **both}, tmp_path / "runs", make=several, other={"clip": 1.0})
    outputs = {"baseline": worse(2), "other": [*worse(4)[:32], *worse(2)[32:]]}
    for name, long in (("baseline", 10.0), ("other", 13.0)):
        for config in comparison.runs[name].values():
            scores = {"en-de": 1.0, "en-fr": 2 * long}
            write_run(config, test=scores, hypotheses=outputs[name], sets={"long": long, "short": 2.0})
            hypotheses_path(config.directory, "en-fr").write_text("".join(f"{x}\n" for x in outputs[name][:32]))
    found = write_table(comparison)["configurations"]["other"]["test_sets"]
    of_runs = ({pair: [outputs[x][:32]] * 2 for pair in both["pairs"]} for x in ("other", "baseline"))
    references = dict.fromkeys(both["pairs"], LINES[:32])
    expected = paired_bootstrap_of_runs(*of_runs, references, samples=comparison_table.DRAWS)
    assert (list(found), found["long"]["mean"], found["long"]["difference"]) == (["long"], 19.5, 4.5)
    assert (found["long"]["p_value"], found["long"]["interval"]) == (expected.p_value, expected.interval)


def test_only_common_directions_are_compared(languages, tmp_path):
    one = {"languages": ["en", "de"], "pairs": ["en-de"]}
    comparison = planned(languages, tmp_path / "runs", make=several, one=one)
    assert [common_directions(comparison.runs, use) for use in ("dev", "test")] == [["en-de"], ["en-de"]]
    for of_seeds in comparison.runs.values():
        write_run(of_seeds[1], test=dict.fromkeys(ALL, 3.0))
    summary = write_table(comparison)
    assert summary["directions"] == ["en-de"]
    assert [found["test_bleu"]["mean"] for found in summary["configurations"].values()] == [3.0, 3.0]
    wrong = {
        "have a direction in common. Received: different dev_pairs": {"pairs": ["de-en"]},
        "in the same way. Received: lowercase=False and True": {"lowercase": True},
    }
    for message, change in wrong.items():
        with pytest.raises(UserError, match=message):
            check_comparison(planned({**languages, **one}, tmp_path / "none", make=several, other=change))
