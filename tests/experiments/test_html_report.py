"""The report of a run: every curve, score, example and setting, and no text that is read as HTML."""

import json
import re
from html.parser import HTMLParser

import pytest

from keras_nmt.errors import UserError
from keras_nmt.experiments.reports import html_report

LOG = [
    {"update": 10, "loss": 5.0, "learning_rate": 0.1, "tokens_per_second": 100.0},
    {"update": 10, "val_bleu": 1.0, "val_loss": 4.0, "val_bleu_de-en": 1.0},
    {"update": 20, "loss": 3.0, "learning_rate": 0.2, "tokens_per_second": None},
    {"update": 20, "val_bleu": 7.0, "val_loss": 2.0, "val_bleu_de-en": 7.0},
    {"update": 20, "final": [20], "val_bleu": 99.0},
]


class Page(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.curves = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "polyline":
            self.curves.append([tuple(map(float, point.split(","))) for point in dict(attrs)["points"].split()])

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    text = "".join(json.dumps(line) + "\n" for line in LOG) + '{"update": 30, "lo'
    (folder / "training_log.jsonl").write_text(text)
    test = {"de-en": {"trained": True, "bleu": {"score": 31.25, "signature": "tok:13a"}}}
    results = {"updates": 20, "ended_by": "max_updates", "parameters": 12345, "dev_greedy": {"bleu": 7}, "test": test}
    (folder / "results.json").write_text(json.dumps(results))
    for name, lines in (("test.de", ["<b>eins</b>", "zwei"]), ("test.en", ["one", "two"])):
        (tmp_path / name).write_text("\n".join([*lines, ""]))
    (folder / "test.de-en.hypotheses.txt").write_text("one & all\ntwo\n")
    data = {"languages": ["de", "en"], "test": str(tmp_path / "test.{language}")}
    (folder / "settings.json").write_text(json.dumps({"data": data, "training": {"schedule": "noam"}}))
    return folder


def test_everything_is_there(run):
    page = Page(html_report(run))
    assert {"12,345", "31.25  tok:13a", "<b>eins</b>", "one & all", "two", '"noam"', "7.00"} <= set(page.texts)
    assert "b" not in page.tags
    assert "script" not in page.tags
    assert not re.search(r"https?://", html_report(run))

    # loss and val_loss in one figure; the learning rate; BLEU and its direction. One rate has a single point: no curve.
    assert len(page.curves) == 5
    assert page.tags.count("svg") == 3
    (x0, y0), (x1, y1) = page.curves[0]
    (_, z0), (_, z1) = page.curves[1]
    assert x0 < x1
    assert y0 < z0 < y1 < z1  # 5, 4, 3, 2: larger numbers are higher
    assert y1 - y0 == pytest.approx(2 * (z0 - y0), abs=0.2)


def test_a_run_of_several_languages_has_examples_of_each_direction(run, tmp_path):
    data = {"languages": ["de", "en", "zh-Hans"], "test": str(tmp_path / "test.{language}")}
    (run / "settings.json").write_text(json.dumps({"data": data}))
    for name in ("de-en", "en-de", "en-zh-Hans"):  # the last one's test data are gone
        (run / f"test.{name}.hypotheses.txt").write_text(f"{name} 1\n{name} 2\n")
    page = Page(html_report(run, examples=1))
    assert [text for text in page.texts if text.startswith("Examples")] == ["Examples, de-en", "Examples, en-de"]
    assert {"de-en 1", "en-de 1"} <= set(page.texts)
    assert page.texts.count("<b>eins</b>") == 2, "as a source and as a reference"
    assert "de-en 2" not in page.texts


def test_texts_that_do_not_belong_together_are_no_examples(run, tmp_path):
    """One of two test sets is gone, whose translations come first."""
    data = {"languages": ["de", "en"], "test": [str(tmp_path / name) for name in ("old.{language}", "test.{language}")]}
    (run / "settings.json").write_text(json.dumps({"data": data}))
    (run / "test.de-en.hypotheses.txt").write_text("old\none & all\ntwo\n")
    assert "Examples" not in html_report(run)
    for name in ("old.de", "old.en"):
        (tmp_path / name).write_text("before\n")
    assert "Examples" in html_report(run)


def test_a_run_with_one_line_has_no_curves(run):
    (run / "training_log.jsonl").write_text(f"{json.dumps(LOG[0])}\n")
    assert "Curves" not in html_report(run)


def test_a_folder_without_a_log_is_an_error(tmp_path):
    with pytest.raises(UserError, match="needs the training log"):
        html_report(tmp_path)
    (tmp_path / "training_log.jsonl").write_text("\n")
    with pytest.raises(UserError, match="at least one line"):
        html_report(tmp_path)


def test_the_command_writes_the_page_with_a_number_of_examples(run, keras_nmt):
    keras_nmt("report", run, "--examples", 1)
    page = (run / "report.html").read_text()
    assert page == html_report(run, examples=1)
    assert ("eins" in page, "zwei" in page) == (True, False)
