"""The tables of a comparison, for the terminal and in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

COLUMNS = (
    *("configuration", "parameters", "training tokens/s", "decoding sentences/s", "runs", "dev BLEU", "test BLEU"),
    *("difference", "each seed", "95% interval", "p", "p (Holm)"),
)


def comparison_tables(summary: dict[str, Any]) -> list[list[list[str]]]:
    """The table of the configurations and, for several directions, the table of test BLEU by direction.

    Args:
        summary: Dict, the content of `comparison.json`.

    Returns:
        List of tables: lists of rows, whose first has the names of the columns.
    """
    found = summary["configurations"]
    rows = [
        [
            name,
            _text(one["parameters"], ",d"),
            _rates(one["training_tokens_per_second"], ",.0f"),
            _rates(one["decoding_sentences_per_second"], ",.1f"),
            f"{one['runs']} of {len(summary['seeds'])}",
            _with_deviation(one["dev_bleu_greedy"]),
            _with_deviation(one["test_bleu"]),
            _text(one["difference"], "+.2f"),
            ", ".join(format(x, "+.2f") for x in one["differences"].values()) if one["interval"] else "",
            " to ".join(format(x, "+.2f") for x in one["interval"] or ()),
            _text(one["p_value"], ".3f"),
            _text(one["p_value_holm"], ".3f"),
        ]
        for name, one in found.items()
    ]
    tables = [[list(COLUMNS), *rows]]
    if len(summary["directions"]) > 1:
        cells = {
            name: [_with_deviation(x) + ("" if x["trained"] else "*") for x in one["by_direction"].values()]
            for name, one in found.items()
        }
        tables.append([["test BLEU", *summary["directions"]], *([name, *row] for name, row in cells.items())])
    return tables


def degenerate(summary: dict[str, Any]) -> list[str]:
    """Says which runs have empty translations, or fewer than half as many different ones as lines."""
    return [
        f"{name}-{seed}{'' if len(outputs) == 1 else f', {direction}'}: of {lines['lines']:,} translations of the test "
        f"data, {lines['distinct']:,} are distinct and {lines['empty']:,} are empty"
        for name, one in summary["configurations"].items()
        for seed, outputs in one["outputs"].items()
        for direction, lines in outputs.items()
        if lines["empty"] or 2 * lines["distinct"] < lines["lines"]
    ]


def comparison_markdown(summary: dict[str, Any]) -> str:
    """The content of `comparison.md`: the tables, what they show, and warnings."""
    tables = [
        "\n".join(
            "|" + "".join(f" {cell} |" if cell else " |" for cell in line)
            for line in (columns, ["---"] * len(columns), *rows)
        )
        for columns, *rows in comparison_tables(summary)
    ]
    found = summary["configurations"].values()
    budgets = {
        ", ".join(f"{name}={value}" for name, value in budget.items() if value is not None)
        for budget in summary["budget"].values()
    }
    searches = {"beam {beam_size}, length penalty {length_penalty}".format_map(x) for x in summary["search"].values()}
    started = summary["started_from_a_trained_run"]
    seeds = ", ".join(map(str, summary["seeds"]))
    moments = {one["decoding_sentences_per_second"]["at"] for one in found if one["decoding_sentences_per_second"]}
    notes = [
        f"Seeds {seeds}; budget: {' or '.join(sorted(budgets))}."
        + (f" Started from a trained run, whose budget comes on top: {', '.join(started)}." if started else ""),
        "BLEU: mean ± standard deviation (n - 1) over the finished runs; dev by greedy search, test by "
        f"{' or '.join(sorted(searches))}" + (f" (`{summary['signature']}`)." if summary["signature"] else "."),
        "Training: target tokens without padding, median and range of the runs' medians; runs are measured one after "
        "the other, so that other work on the machine may explain differences.",
        f"Decoding: the test data after a warm-up, runs of seed {summary['seeds'][0]} in turns, median and range."
        + (f" Not all in the same turns: {', '.join(sorted(moments))}." if len(moments) > 1 else ""),
        f"Difference: test BLEU less that of {summary['baseline']}, over the seeds that both have finished. Interval: "
        "95%, by a bootstrap that draws sentences and seeds. p: two-sided, by a bootstrap that draws sentences, each "
        "with the translations of all seeds; one seed has no p. "
        f"p (Holm): corrected for the {sum(one['p_value'] is not None for one in found)} tests of the table.",
    ]
    if len(summary["directions"]) > 1:
        notes.append(
            f"BLEU is the mean over the {len(summary['directions'])} directions that all configurations have; the "
            "bootstrap draws the same lines in all of them. * never trained."
        )
    warnings = [f"Warning: {line}." for line in degenerate(summary)]
    return "\n\n".join([*tables, " ".join(notes), *warnings]) + "\n"


def median_and_range(rates: Sequence[float]) -> dict[str, float] | None:
    """The content of `comparison.json` on rates; None if there are none."""
    return {"median": statistics.median(rates), "low": min(rates), "high": max(rates)} if rates else None


def mean_and_deviation(scores: Mapping[int, float]) -> dict[str, Any]:
    """The content of `comparison.json` on the scores of several seeds."""
    values = list(scores.values())
    return {
        "mean": statistics.mean(values) if values else None,
        "deviation": statistics.stdev(values) if len(values) > 1 else None,
        "scores": scores,
    }


def _text(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _rates(rates: dict[str, Any] | None, form: str) -> str:
    if rates is None:
        return ""
    ends = [format(rates[end], form) for end in ("low", "high")]
    return format(rates["median"], form) + (f" ({' to '.join(ends)})" if ends[0] != ends[1] else "")


def _with_deviation(score: dict[str, Any]) -> str:
    deviation = score["deviation"]
    return _text(score["mean"], ".2f") + ("" if deviation is None else f" ± {deviation:.2f}")
