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
RANKS = {"16": "_rank_16", "32": "_rank_32", "full": ""}


def points(found: dict[str, Any]) -> dict[str, Measurements]:
    """Test BLEU by the way of starting. The baseline has no rank, and so the same BLEU at each rank with results."""
    scores = {name: one["test_bleu"] for name, one in found.items() if one["test_bleu"]["mean"] is not None}
    keys = {(order, rank): f"ni_both{RANKS[rank]}{ORDERS[order]}" for order in ORDERS for rank in RANKS}
    lines = {start: {key: name + end for key, name in keys.items() if name + end in scores}
             for start, end in STARTS.items()}  # fmt: skip
    lines = {"no composition": {key: BASELINE for key in keys if any(key in line for line in lines.values())}, **lines}
    return {
        line: Measurements(
            "composition",
            "BLEU",
            {key: scores[name]["mean"] for key, name in names.items()},
            deviations={
                key: scores[name]["deviation"] for key, name in names.items() if scores[name]["deviation"] is not None
            },
        )
        for line, names in lines.items()
    }


def main(
    comparison: Annotated[Path, typer.Argument(metavar="FILE", help="comparison.json, as `compare` writes it.")],
    output: Annotated[Path, typer.Option(metavar="FILE", help="The picture, as PNG, SVG or PDF.")] = Path(
        "composition.png"
    ),
) -> None:
    """Draws BLEU by rank, for each way of starting."""
    found = read_json(comparison, "a comparison").get("configurations")
    if not isinstance(found, dict) or found.get(BASELINE, {}).get("test_bleu", {}).get("mean") is None:
        raise UserError(f"The file must have the results of {BASELINE}. Received: {comparison}")
    save_figure(output, compare(points(found)).plot())


if __name__ == "__main__":
    run_app(main)
