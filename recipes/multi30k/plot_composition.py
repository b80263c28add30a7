"""Figures 2 and 3 of Li et al. (2020) for runs of `composition.py`: test BLEU by rank, with and without first order.

    python recipes/multi30k/plot_composition.py recipes/multi30k/results/composition_tiny.jsonl --output composition.png

Points are means over seeds, bars are standard deviations. Configurations without runs are left out.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.analysis.measurements import Measurements, compare, save_figure
from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.experiments.comparison_table import mean_and_deviation
from keras_nmt.experiments.kept_runs import read_kept_runs

BASELINE = "baseline_continued"
STARTS = {"from the outputs of the trained model": "_identity", "from random factors": ""}
ORDERS = {"first and second order": "", "second order": "_second_order"}
RANKS = {"16": "_rank_16", "32": "_rank_32", "full": ""}


def points(scores: dict[str, dict[str, Any]]) -> dict[str, Measurements]:
    """Test BLEU by the way of starting. The baseline has no rank, and so the same BLEU at each rank with results."""
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
    kept: Annotated[Path, typer.Argument(metavar="TABLE.jsonl", help="Runs, as `compare --keep` writes them.")],
    output: Annotated[Path, typer.Option(metavar="FILE", help="The picture, as PNG, SVG or PDF.")] = Path(
        "composition.png"
    ),
) -> None:
    """Draws BLEU by rank, for each way of starting."""
    bleus: dict[str, dict[int, float]] = {}
    for (name, seed), run in read_kept_runs(kept).items():
        bleus.setdefault(name, {})[seed] = statistics.mean(x["bleu"]["score"] for x in run.results["test"].values())
    if BASELINE not in bleus:
        raise UserError(f"The file must have runs of {BASELINE}. Received: {kept}")
    save_figure(output, compare(points({name: mean_and_deviation(of) for name, of in bleus.items()})).plot())


if __name__ == "__main__":
    run_app(main)
