"""How far the scores of words can be believed: against sentence chrF, and against the words of the references.

    python word_scores.py DIRECTORY --source test.en --references test.de

prints the Pearson correlation of the mean word score of a translation with its sentence chrF, and the area under the
curve with which a word's score tells words that are not in the reference, with 95% intervals by resampling sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from sacrebleu.metrics import CHRF
from scipy.stats import rankdata

from keras_nmt.cli.run_app import import_tensorflow, run_app
from keras_nmt.errors import UserError
from keras_nmt.text.text_files import read_line_pairs

if TYPE_CHECKING:
    from keras_nmt.inference import Translation

PUNCTUATION = ".,;:!?\"'()„“”»«"
SCORES: dict[str, Callable[[Sequence[float]], float]] = {"sum": sum, "mean": lambda x: sum(x) / len(x)}
COLUMNS = ("scores of words", "correlation with chrF", "area under the curve", "sentences", "words", "not in reference")


def area_under_curve(scores: np.ndarray, is_wrong: np.ndarray) -> float:
    """The probability that a wrong word has a lower score than a right one; ties count half. NaN without both."""
    wrong, right = int(is_wrong.sum()), int((~is_wrong).sum())
    if not wrong or not right:
        return float("nan")
    ranks = rankdata(-scores)
    return float((ranks[is_wrong].sum() - wrong * (wrong + 1) / 2) / (wrong * right))


def bare(word: str) -> str:
    """A word as it is compared: without punctuation around it, in lower case."""
    return word.strip(PUNCTUATION).lower()


def measure(translations: Sequence[Translation], references: Sequence[str], samples: int, seed: int) -> list[str]:
    """Rows of a table, one for each way to score a word."""
    chrf = CHRF()
    found: list[tuple[float, list[list[float]], list[bool]]] = []  # chrF, log-probabilities of words, whether wrong
    for translation, reference in zip(translations, references, strict=True):
        known = {bare(word) for word in reference.split()}
        words = [word for word in translation.hypotheses[0].words if bare(word.text)]
        if words:
            of_sentence = float(chrf.sentence_score(translation.text, [reference]).score)
            values = [[piece.log_probability for piece in word.pieces] for word in words]
            found.append((of_sentence, values, [bare(word.text) not in known for word in words]))
    if len(found) < 2:
        raise UserError(f"Scores of words need at least two translations with words. Received: {len(found)}")
    quality = np.array([x[0] for x in found])
    is_wrong = [np.array(x[2]) for x in found]
    rng = np.random.default_rng(seed)
    draws = [np.arange(len(found)), *rng.integers(len(found), size=(samples, len(found)))]
    rows = []
    for name, score in SCORES.items():
        of_words = [np.array([score(values) for values in x[1]]) for x in found]
        means = np.array([scores.mean() for scores in of_words])
        correlations = [float(np.corrcoef(means[rows], quality[rows])[0, 1]) for rows in draws]
        areas = [
            area_under_curve(np.concatenate([of_words[i] for i in rows]), np.concatenate([is_wrong[i] for i in rows]))
            for rows in draws
        ]
        cells = [name, *map(with_interval, (correlations, areas)), len(found), sum(map(len, is_wrong))]
        rows.append(f"| {' | '.join(map(str, [*cells, sum(int(x.sum()) for x in is_wrong)]))} |")
    return rows


def with_interval(values: Sequence[float]) -> str:
    """The first value, with the interval that holds 95% of the others."""
    low, high = np.nanpercentile(values[1:], [2.5, 97.5])
    return f"{values[0]:.3f} [{low:.3f}, {high:.3f}]"


def main(
    directory: Annotated[Path, typer.Argument(help="A model directory.")],
    source: Annotated[Path, typer.Option(help="File of source sentences.")],
    references: Annotated[Path, typer.Option(help="File of their references.")],
    limit: Annotated[int | None, typer.Option(min=2, help="The first lines of the files. Default: all.")] = None,
    samples: Annotated[int, typer.Option(min=1, help="Resamplings of the sentences.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamplings.")] = 1,
) -> None:
    """Measures how far the scores of words can be believed."""
    import_tensorflow(to_translate=True)
    from keras_nmt.inference import Translator

    texts, expected = (lines[:limit] for lines in read_line_pairs(source, references))
    rows = measure(Translator.from_directory(directory).translate(texts, word_scores=True), expected, samples, seed)
    print(f"| {' | '.join(COLUMNS)} |\n| --- {'| ---: ' * (len(COLUMNS) - 1)}|")
    print("\n".join(rows))


if __name__ == "__main__":
    run_app(main)
