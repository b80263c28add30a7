"""Speed of the analyses that read whole corpora: hidden states beside encoding, contrastive scoring beside scoring.

    python recipes/benchmarks/analyses.py --model DIR --source FILE --target FILE --output analyses.md

The lines of the files are repeated up to `--tokens` subwords of the source. See README.md beside this file.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from in_turn import Run, in_turn, timed
from print_table import print_table
from rich.console import Console
from write_table import write_table

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.files.peak_memory import peak_memory

COLUMNS = ("what", "figure", "goal")
BATCH_TOKENS = 4096  # of `hidden_states`, padding included
WINDOW = 4096  # lines that are sorted by length


def encoder_of(pair: Any, tokenizer: Any) -> Callable[[Sequence[str]], int]:
    """A function that encodes texts in the batches of `hidden_states`, and returns the number of their tokens."""
    import tensorflow as tf

    from keras_nmt.ids import END, PAD

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)], autograph=False)
    def encode(ids: Any) -> Any:
        return pair.encoder(ids)["states"]

    def encode_texts(texts: Sequence[str]) -> int:
        count = 0
        for start in range(0, len(texts), WINDOW):
            window = texts[start : start + WINDOW]
            rows = [[*ids, END] for ids in tokenizer.tokenize(tf.constant(window)).to_list()]
            rows.sort(key=len, reverse=True)
            while rows:
                number = max(1, BATCH_TOKENS // len(rows[0]))
                batch, rows = rows[:number], rows[number:]
                encode(tf.ragged.constant(batch, dtype=tf.int32).to_tensor(PAD)).numpy()
                count += sum(map(len, batch))
        return count

    return encode_texts


def medians(programs: dict[str, Run], texts: list[str], rounds: int) -> dict[str, float]:
    """The median seconds of programs that take turns, each on all texts in one call."""
    seconds, _ = in_turn(programs, [texts], rounds)
    return {name: statistics.median(found) for name, found in seconds.items()}


def main(
    model: Annotated[Path, typer.Option(help="Model directory of one direction.")],
    source: Annotated[Path, typer.Option(help="File of source sentences.")],
    target: Annotated[Path, typer.Option(help="File of their translations.")],
    tokens: Annotated[int, typer.Option(min=1, help="Source subwords whose states are read.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements of each program.")] = 3,
    output: Annotated[Path | None, typer.Option(help="File for the table, .md or .json.")] = None,
) -> None:
    """Measures reading of states and contrastive scoring beside the same work without analysis."""
    import_tensorflow()
    from keras_nmt.analysis import hidden_states
    from keras_nmt.analysis.contrast import ContrastItem, contrast
    from keras_nmt.files.read_line_pairs import read_line_pairs
    from keras_nmt.inference import Translator

    translator = Translator.from_directory(model)
    pair, tokenizer = translator.model, next(iter(translator.tokenizers.values()))
    sources, targets = map(list, read_line_pairs(source, target))
    encode = encoder_of(pair, tokenizer)

    def read(texts: Sequence[str]) -> int:
        return sum(len(batch.source.ids) for batch in hidden_states(translator, texts))

    # A tenth of the tokens first: memory must not grow with the text.
    of_file = encode(sources)
    few = [sources[i % len(sources)] for i in range(max(1, len(sources) * tokens // (10 * of_file)))]
    many = few * 10
    peaks, counts = [], []
    for texts in (few, many):
        counts.append(read(texts))
        peaks.append(peak_memory() / 2**20)
    counted = {"encode": timed(lambda texts: [str(encode(texts))]), "read": timed(lambda texts: [str(read(texts))])}
    seconds = medians(counted, many, rounds)
    rows = [
        [f"states of {counts[1]:,} subwords, subwords a second", f"{counts[1] / seconds['read']:,.0f}", ""],
        ["encoding alone, subwords a second", f"{counts[1] / seconds['encode']:,.0f}", ""],
        ["speed of reading states, of encoding's", f"{seconds['encode'] / seconds['read']:.2f}", "0.5"],
        [f"peak memory after {counts[0]:,} subwords, MiB", f"{peaks[0]:,.0f}", ""],
        [f"peak memory after {counts[1]:,} subwords, MiB", f"{peaks[1]:,.0f}", "the same"],
    ]

    wrong = [" ".join(reversed(line.split())) for line in targets]
    items = [
        ContrastItem(text, right, (other,), ("reversed",))
        for text, right, other in zip(sources, targets, wrong, strict=True)
        if right != other
    ]
    pairs = dict.fromkeys((item.source, text) for item in items for text in (item.correct, *item.incorrect))
    lines = list(zip(*pairs, strict=True))
    scored = {
        "score": timed(lambda _: [str(translator.score(*lines))]),
        "contrast": timed(lambda _: [contrast(translator, items).to_markdown()]),
    }
    seconds = medians(scored, [], rounds)
    rows += [
        [
            f"contrastive scoring of {len(pairs):,} pairs, pairs a second",
            f"{len(pairs) / seconds['contrast']:,.0f}",
            "",
        ],
        ["speed of contrastive scoring, of scoring's", f"{seconds['score'] / seconds['contrast']:.2f}", "0.6"],
    ]
    write_table(output, COLUMNS, rows)
    print_table(Console(), COLUMNS, rows)


if __name__ == "__main__":
    run_app(main)
