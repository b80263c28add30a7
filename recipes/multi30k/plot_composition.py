"""Figures 2 and 3 of Li et al. (2020) for runs of `composition.py`: test BLEU by rank, with and without first order.

    python recipes/multi30k/plot_composition.py runs/composition/comparison.json --output composition.png

Points are means over seeds, bars are standard deviations. Configurations without results are left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.analysis.measurements import Measurements, compare
from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.files.figures import save_figure
from keras_nmt.files.json_file import read_json

BASELINE = "baseline_continued"
STARTS = {"from the outputs of the trained model": "_identity", "from random factors": ""}
ORDERS = {"first and second order": "", "second order": "_second_order"}
RANKS = {"32": "_eighth", "256": ""}


def points(found: dict[str, Any]) -> dict[str, Measurements]:
    """Test BLEU by the way of starting. The baseline has no rank, and so the same BLEU at each."""
    keys = {(order, rank): f"ni_both{RANKS[rank]}{ORDERS[order]}" for order in ORDERS for rank in RANKS}
    lines = {"no composition": dict.fromkeys(keys, BASELINE)}
    lines |= {start: {key: name + end for key, name in keys.items()} for start, end in STARTS.items()}
    made = {}
    for line, names in lines.items():
        scores = {key: found[name]["test_bleu"] for key, name in names.items() if name in found}
        finished = {key: score for key, score in scores.items() if score["mean"] is not None}
        made[line] = Measurements(
            "composition",
            "BLEU",
            {key: score["mean"] for key, score in finished.items()},
            deviations={key: score["deviation"] for key, score in finished.items() if score["deviation"] is not None},
        )
    return made


def main(
    comparison: Annotated[Path, typer.Argument(metavar="FILE", help="comparison.json, as `compare` writes it.")],
    output: Annotated[Path, typer.Option(metavar="FILE", help="The picture, as PNG, SVG or PDF.")] = Path(
        "composition.png"
    ),
) -> None:
    """Draws BLEU by rank, for each way of starting."""
    found = read_json(comparison, "a comparison").get("configurations")
    if not isinstance(found, dict) or BASELINE not in found:
        raise UserError(f"The file must have the results of {BASELINE}. Received: {comparison}")
    save_figure(output, compare(points(found)).plot())


if __name__ == "__main__":
    run_app(main)
