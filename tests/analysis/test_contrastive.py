"""Contrastive items: their files, and the share whose right translation has the highest score."""

import dataclasses
import gzip
import json

import numpy as np
import pytest

from keras_nmt.analysis import ContrastItem, contrast, contrast_of_texts, read_conllu, read_contrast
from keras_nmt.analysis.measurements import compare
from keras_nmt.errors import UserError
from keras_nmt.inference import Translator

pytestmark = pytest.mark.usefixtures("eager")


def test_contrast_is_the_order_of_scores(plain, lines):
    source, texts = lines[4], [lines[5], lines[6], lines[7]]
    scores = plain.score([source] * 3, texts)
    best, _, worst = (texts[i] for i in np.argsort(scores)[::-1])
    middle = next(text for text in texts if text not in (best, worst))
    found = contrast(
        plain,
        [
            ContrastItem(source, best, (middle, worst), ("a", "b")),
            ContrastItem(source, middle, (best, worst), ("a", "b")),
        ],
    )
    assert found.values == {("contrast", "all"): 0.5, ("contrast", "a"): 0.5, ("contrast", "b"): 1.0}
    assert found.samples["contrast", "all"].tolist() == [True, False]
    assert found.references["contrast", "all"] == pytest.approx(1 / 3)
    # A wrong translation without a category of its own: "all" has each wrong translation once.
    found = contrast(plain, [ContrastItem(source, middle, (best, worst), ("all", "b"))])
    assert found.values == {("contrast", "all"): 0.0, ("contrast", "b"): 1.0}
    assert found.references["contrast", "all"] == pytest.approx(1 / 3)


def test_wrong_translations_with_the_subwords_of_the_right_one_count_as_chance(plain, lines):
    source, texts = lines[4], [lines[5], lines[6]]
    better, worse = sorted(texts, key=lambda text: -plain.score([source], [text])[0])
    other = f" {better}  "  # normalised to the same
    items = [
        ContrastItem(source, better, (other,), ("a",)),
        ContrastItem(source, better, (other, f"{better} ", worse), ("a", "a", "b")),
        ContrastItem(source, worse, (f"{worse} ", better), ("a", "b")),
        *[ContrastItem(source, better, (worse,), ("b",))] * 30,
    ]
    found = contrast(plain, items)
    assert found.samples["contrast", "all"].tolist() == [[x, 1] for x in (1 / 2, 1 / 3, 0, *[1] * 30)]
    assert found.samples["contrast", "b"].tolist() == [True, False, *[True] * 30]
    assert found.values["contrast", "a"] == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)
    assert found.details["indistinguishable"] == 4
    assert found.to_markdown().endswith("which count as by chance: 4.")
    whole = contrast(plain, [items[-1]] * len(items))
    assert "chance" not in whole.to_markdown()
    assert 0 < compare({"a": found, "b": whole}).p_values["b"]["contrast", "all"] <= 1
    cut = Translator(plain.model, plain.tokenizers, length_buckets=[4])
    with pytest.warns(UserWarning, match="truncated"):
        found = contrast(cut, [ContrastItem(source, f"{better} cat", (f"{better} houses",), ("a",))])
    assert found.values["contrast", "all"] == 1 / 2, "they differ where they are not scored"


def test_formats_of_contrastive_items(tmp_path):
    folder = tmp_path / "set" / "clause.mt"
    folder.mkdir(parents=True)
    for name, text in (("src.en", "a\nb\n"), ("tgt.correct.de", "c\nd\n"), ("tgt.incorrect.de", "e\nf\n")):
        (folder / name).write_text(text)
    of_folder = read_contrast(tmp_path / "set")
    assert of_folder[1] == ContrastItem("b", "d", ("f",), ("clause.mt",))
    of_texts = contrast_of_texts(folder / "src.en", folder / "tgt.correct.de", folder / "tgt.incorrect.de")
    assert [dataclasses.replace(item, categories=("clause.mt",)) for item in of_texts] == of_folder
    errors = [{"contrastive": "x", "type": "sense"}, {"contrastive": "y", "type": None}]
    item = {"source": "s", "reference": "r" * 2**21, "errors": errors}  # one long line
    (tmp_path / "items.json").write_bytes(gzip.compress(json.dumps([item]).encode()))
    assert read_contrast(tmp_path / "items.json") == [ContrastItem("s", "r" * 2**21, ("x", "y"), ("sense", "all"))]
    (tmp_path / "bad.json").write_text("[1]")
    (tmp_path / "null.json").write_text(json.dumps([{**item, "errors": [{"contrastive": None}]}]))
    (folder / "src.en").unlink()
    for path in (tmp_path / "bad.json", tmp_path / "null.json", tmp_path / "set"):
        with pytest.raises(UserError, match=r"must (be|have)"):
            read_contrast(path)
    (tmp_path / "other").write_bytes(b"[]\ncaf\xe9")
    for read in (read_contrast, read_conllu):
        with pytest.raises(UserError, match="^Line 2 is not UTF-8"):
            read(tmp_path / "other")


def test_each_file_of_wrong_translations_is_a_category_and_none_is_all(tmp_path):
    paths = [tmp_path / name for name in ("a/wrong.de", "b/wrong.de", "c/all")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("x\n")
    (item,) = contrast_of_texts(paths[0], paths[0], *paths[:2])
    assert item.categories == (str(paths[0]), str(paths[1]))
    (item,) = contrast_of_texts(paths[0], paths[0], paths[0])
    assert item.categories == ("wrong.de",)
    with pytest.raises(UserError, match="may be named all, which stands for all items: rename"):
        contrast_of_texts(*paths)
