"""The picture of the comparison of compositions."""

from __future__ import annotations

import pytest
from scripts import RECIPES, load_script, run_main

from keras_nmt.errors import UserError

SCRIPT = "multi30k/plot_composition.py"


def scored(mean, deviation=0.5):
    return {"mean": mean, "deviation": deviation}


def test_each_run_is_at_its_rank_order_and_start():
    found = {
        "baseline_continued": scored(30.0),
        "ni_both": scored(29.0),
        "ni_both_rank_32_second_order_identity": scored(31.0, None),
    }
    plain, identity, random = load_script(SCRIPT).points(found).values()
    assert plain.values == {("first and second order", "full"): 30.0, ("second order", "32"): 30.0}
    assert random.values == {("first and second order", "full"): 29.0}
    assert random.deviations == {("first and second order", "full"): 0.5}
    assert identity.values == {("second order", "32"): 31.0}
    assert identity.deviations == {}


KEPT = RECIPES / "multi30k" / "results"


def test_the_picture_is_written(tmp_path):
    run_main(load_script(SCRIPT), KEPT / "composition_tiny.jsonl", "--output", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_runs_without_the_baseline_are_refused(tmp_path):
    with pytest.raises(UserError, match="must have runs of baseline_continued. Received: .*roles.jsonl"):
        run_main(load_script(SCRIPT), KEPT / "roles.jsonl", "--output", tmp_path / "picture.png")
