"""The picture of the comparison of compositions."""

from __future__ import annotations

import json

import pytest
from scripts import load_script, run_main

from keras_nmt.errors import UserError

SCRIPT = "multi30k/plot_composition.py"


def scored(mean, deviation=0.5):
    return {"test_bleu": {"mean": mean, "deviation": deviation, "scores": {}}}


def test_each_run_is_at_its_rank_order_and_start():
    found = {
        "baseline_continued": scored(30.0),
        "ni_both": scored(29.0),
        "ni_both_rank_32_second_order_identity": scored(31.0, None),
        "ni_both_identity": scored(None, None),  # not finished
    }
    plain, identity, random = load_script(SCRIPT).points(found).values()
    assert plain.values == {("first and second order", "full"): 30.0, ("second order", "32"): 30.0}
    assert random.values == {("first and second order", "full"): 29.0}
    assert random.deviations == {("first and second order", "full"): 0.5}
    assert identity.values == {("second order", "32"): 31.0}
    assert identity.deviations == {}


def test_the_picture_is_written(tmp_path):
    content = {"configurations": {"baseline_continued": scored(30.0), "ni_both": scored(29.0)}}
    (tmp_path / "comparison.json").write_text(json.dumps(content))
    run_main(load_script(SCRIPT), tmp_path / "comparison.json", "--output", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "content", [{}, {"configurations": {"baseline_continued": scored(None, None), "ni_both": scored(29.0)}}]
)
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "comparison.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match="must have the results of baseline_continued. Received: "):
        run_main(load_script(SCRIPT), tmp_path / "comparison.json", "--output", tmp_path / "picture.png")
