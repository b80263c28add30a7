"""The picture of the comparison of compositions."""

import pytest
from scripts import RECIPES, run_main

from keras_nmt.errors import UserError

pytestmark = pytest.mark.nightly
SCRIPT = "multi30k/plot_composition.py"
KEPT = RECIPES / "multi30k" / "results"


def test_each_run_is_at_its_rank_order_and_start(script):
    found = {"baseline_continued": (30.0, 0.5), "ni_both": (29.0, 0.5)}
    found["ni_both_rank_32_second_order_identity"] = (31.0, None)
    found = {name: {"mean": mean, "deviation": deviation} for name, (mean, deviation) in found.items()}
    plain, identity, random = script.points(found).values()
    assert plain.values == {("first and second order", "full"): 30.0, ("second order", "32"): 30.0}
    assert random.values == {("first and second order", "full"): 29.0}
    assert random.deviations == {("first and second order", "full"): 0.5}
    assert identity.values == {("second order", "32"): 31.0}
    assert identity.deviations == {}


def test_the_picture_is_written_of_runs_with_the_baseline(script, tmp_path):
    run_main(script, KEPT / "composition_tiny.jsonl", "--output", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UserError, match="must have runs of baseline_continued. Received: .*roles.jsonl"):
        run_main(script, KEPT / "roles.jsonl", "--output", tmp_path / "none.png")
