"""Measurements: tables, differences, significance, files and pictures."""

import json

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from keras_nmt.analysis import Ablations, Change, Cut, Measurements, compare
from keras_nmt.analysis.measurements import over_seeds
from keras_nmt.errors import UserError
from keras_nmt.evaluation import paired_bootstrap_of_runs
from keras_nmt.evaluation.bootstrap import bleu_counts

KEYS = [("encoder", "1"), ("encoder", "2"), ("tags|pos", "NOUN")]


def measurements(shift=0.0):
    samples = {key: np.stack([np.tile(np.arange(10), 3) + shift, np.full(30, 10.0)], 1) for key in KEYS[:2]}
    values = {key: float(x[:, 0].sum() / x[:, 1].sum()) for key, x in samples.items()} | {KEYS[2]: 0.25}
    return Measurements("test", "score", values, samples, {KEYS[2]: 0.2}, notes=("A note.",), details={"x": [1]})


def test_a_comparison_has_differences_and_p_values():
    table = compare({"base": measurements(), "more": measurements(0.5)}).to_markdown().splitlines()
    assert table[0] == "| encoder | base | more | more - base | p |"
    assert table[2].startswith("| 1 | 0.450 | 0.500 | +0.050 | 0.0")
    assert "tags\\|pos" in table[5]
    assert table[-1] == "A note."
    assert "| NOUN | 0.250 | 0.250 | +0.000 | | 0.200 |" in table


def test_files_hold_the_same_numbers(tmp_path):
    before = measurements()
    before.save(tmp_path / "part.npz", {"epochs": 1})
    after = Measurements.load(tmp_path / "part.npz", {"epochs": 1})
    assert after.numbers() == before.numbers()
    for key, x in before.samples.items():
        np.testing.assert_array_equal(after.samples[key], x)
    assert Measurements.load(tmp_path / "part.npz", {"epochs": 2}) is None
    assert Measurements.load(tmp_path / "other.npz", {"epochs": 1}) is None


def test_damaged_files_are_user_errors(tmp_path):
    measurements().save(tmp_path / "part.npz", {})
    whole = (tmp_path / "part.npz").read_bytes()
    changed = bytearray(whole)
    changed[60] ^= 255
    message = r"^A finished part is damaged: remove it. Received: [^\n]*bad.npz \([^\n]+\)$"
    for content in (b"", b"no archive", whole[:1], whole[:100], whole[:-1], bytes(changed)):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(UserError, match=message):
            Measurements.load(tmp_path / "bad.npz", {})


def test_results_table_and_picture_are_written(tmp_path):
    names = ["a", "cost$5_$6"]  # no formula
    comparison = compare({name: measurements(i) for i, name in enumerate(names)})
    comparison.write(tmp_path / "new")
    results = json.loads((tmp_path / "new" / "results.json").read_text())
    assert results["models"][names[1]]["values"][0] == {"group": "encoder", "item": "1", "value": 0.55}
    assert (tmp_path / "new" / "table.md").read_text().rstrip("\n") == comparison.to_markdown()
    assert (tmp_path / "new" / "test.png").read_bytes().startswith(b"\x89PNG")
    figure = comparison.plot()
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    assert len(figure.axes[1].patches) == 2


def test_numbers_of_several_models_are_in_order():
    values = [{("bins", item): float(item) for item in items} for items in (("1", "10"), ("10", "2"))]
    comparison = compare({name: Measurements("test", "score", x) for name, x in zip("ab", values, strict=True)})
    assert comparison.groups() == {"bins": ["1", "2", "10"]}
    assert [list(line.get_xdata()) for line in comparison.plot().axes[0].lines[:2]] == [[1, 10], [2, 10]]


def test_runs_of_several_seeds_are_compared_by_items():
    mean = over_seeds([measurements(), measurements(1)])
    assert mean.values[KEYS[0]] == pytest.approx(0.5)
    assert mean.deviations[KEYS[0]] == pytest.approx(np.std([0.45, 0.55], ddof=1))
    assert "0.500 ± 0.071" in mean.to_markdown()
    rng, key = np.random.default_rng(2), ("contrast", "all")

    def runs(share):
        items = [rng.random(400) < share for _ in range(3)]
        return over_seeds([Measurements("contrast", "accuracy", {key: x.mean()}, {key: x}) for x in items])

    several, same, better = runs(0.6), runs(0.6), runs(0.75)
    assert several.samples[key].shape == (3, 400, 2)
    np.testing.assert_array_equal(several.samples[key][..., 1], 1)
    assert several.samples[key][..., 0].mean() == pytest.approx(several.values[key])
    single = Measurements("contrast", "accuracy", {key: 0.0}, {key: np.zeros(400, bool)})
    p_values = compare({"several": several, "same": same, "better": better, "single": single}).p_values
    assert p_values["same"][key] > 0.05 > 0.01 > max(p_values["better"][key], p_values["single"][key])
    # The mean of fewer numbers, where a run lacks one.
    other = Measurements("contrast", "accuracy", {key: 0.5, ("contrast", "nouns"): 0.5})
    assert [*over_seeds([other, single]).values] == [key]


def test_the_p_of_several_runs_is_that_of_their_mean():
    """BLEU of a run that is cut short and of one that is too long is below that of their sums."""
    references = [f"a man number {i} rides a bike through street {i}" for i in range(40)]
    short = [" ".join(line.split()[:6]) if i % 3 else line for i, line in enumerate(references)]
    long = [f"{line} and so on and on" if i % 4 else line for i, line in enumerate(references)]
    good = [line if i % 5 else "a man rides a bike" for i, line in enumerate(references)]
    key = ("lengths", "all")

    def runs(*outputs):
        scores = [BLEU().corpus_score(lines, [references]).score for lines in outputs]
        return over_seeds(
            [
                Measurements("lengths", "BLEU", {key: score}, {key: bleu_counts(lines, references)})
                for lines, score in zip(outputs, scores, strict=True)
            ]
        )

    a, b = runs(good, good), runs(short, long)
    expected = paired_bootstrap_of_runs([short, long], [good, good], references)
    assert b.values[key] - a.values[key] == pytest.approx(expected.difference)
    assert compare({"a": a, "b": b}).p_values["b"][key] == expected.p_value
    one = Measurements("lengths", "BLEU", a.values, {key: bleu_counts(good, references)})
    assert compare({"a": one, "b": b}).p_values["b"][key] == expected.p_value  # of one run beside two
    assert compare({"a": a, "b": over_seeds([b, b])}).p_values["b"][key] == expected.p_value


def test_numbers_that_are_none_and_tests_of_few_sentences_are_empty_cells(tmp_path):
    key = ("senses", "bank")
    few, none = np.array([[1.0, 1.0]] * 29), np.zeros([29, 2])
    first = Measurements("test", "share", {key: 1.0}, {key: few})
    comparison = compare({"a": first, "b": Measurements("test", "share", {key: np.nan}, {key: none})})
    assert comparison.to_markdown().splitlines()[2] == "| bank | 1.000 | | | |"
    comparison.write(tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["p_values"] == {"b": []}
    assert results["models"]["b"]["values"][0]["value"] is None
    # JSON has no infinity either.
    assert Measurements("test", "share", {key: np.inf}).numbers()["values"][0]["value"] is None
    cut = Ablations({"BLEU": 1.0}, {Cut("*", "mean"): {"BLEU": Change(np.nan, None, None)}}, ())
    assert cut.numbers()["cuts"][0]["changes"]["BLEU"]["difference"] is None


def test_notes_name_their_models_unless_all_have_them():
    both, first, second = (
        Measurements("gates", "gate", {("a", "1"): 0.5}, notes=notes) for notes in (("x.", "y."), ("x.",), ("x.", "z."))
    )
    runs = over_seeds([first, second])
    assert runs.notes == ("x.", "z.")
    assert compare({"m": both, "n": runs}).to_markdown().split("\n\n")[1:] == ["x.", "m: y.", "n: z."]
    assert compare({"m": both}).to_markdown().split("\n\n")[1:] == ["x.", "y."]


def test_one_analysis_is_compared():
    other = Measurements("other", "score", {KEYS[0]: 1.0})
    for call, received in (
        (lambda: compare({"a": measurements(), "b": other}), "other, test"),
        (lambda: compare({}), "none"),
        (lambda: over_seeds([measurements(), other]), "other, test"),
    ):
        with pytest.raises(UserError, match=f"one analysis. Received: {received}"):
            call()


@pytest.mark.parametrize("items", [("1", "2"), ("x", "y")], ids=["lines", "bars"])
def test_a_reference_is_the_first_that_a_model_has(items):
    values = {("group", item): 0.5 for item in items}
    references = {("group", items[1]): 0.1}, {("group", item): 0.2 for item in items}
    models = [Measurements("test", "score", values, {}, one) for one in references]
    comparison = compare(dict(zip("ab", models, strict=True)))
    table = comparison.to_markdown().splitlines()
    assert [line.rpartition(" | ")[2] for line in table] == ["trivial |", "---: |", "0.200 |", "0.100 |"]
    dotted = [line for line in comparison.plot().axes[0].lines if line.get_linestyle() == ":"]
    drawn = [y for line in dotted for y in (line.get_ydata() if items[0] == "1" else line.get_xdata()[:1])]
    assert drawn == [0.2, 0.1]
    assert [line.get_label() for line in dotted].count("trivial") == 1
