from __future__ import annotations

from collections.abc import Sequence

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from keras_nmt.errors import UserError

METRICS = ("bleu", "chrf", "ter")


def make_metrics(names: Sequence[str], *, lowercase: bool, tokenize: str, chrf_word_order: int) -> dict[str, Metric]:
    """sacreBLEU's metrics by our names, in the order asked for."""
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names:
        raise UserError(f"Metrics must be some of {', '.join(METRICS)}. Received: metrics={tuple(names)}")
    if tokenize not in BLEU.TOKENIZERS:
        raise UserError(f"`tokenize` must be one of {', '.join(BLEU.TOKENIZERS)}. Received: tokenize={tokenize!r}")
    makers = {
        "bleu": lambda: BLEU(lowercase=lowercase, tokenize=tokenize),
        "chrf": lambda: CHRF(lowercase=lowercase, word_order=chrf_word_order),
        "ter": lambda: TER(),
    }
    return {name: makers[name]() for name in names}


def check_lines(**columns: Sequence[str]) -> None:
    """All columns must have the same number of lines, at least one."""
    (first, lines), *_ = columns.items()
    if not lines:
        raise UserError(f"There is nothing to score: `{first}` is empty.")
    for name, column in columns.items():
        if len(column) != len(lines):
            raise UserError(
                f"`{first}` and `{name}` must have as many lines as each other. "
                f"Received: {len(lines)} and {len(column)} lines"
            )


def reference_streams(references: Sequence[str] | Sequence[Sequence[str]]) -> list[list[str]]:
    """One list a reference translation, however many there are of each line."""
    if not references:
        raise UserError("There is nothing to score against: `references` is empty.")
    if isinstance(references[0], str):
        return [list(references)]  # type: ignore[arg-type]
    return [list(stream) for stream in references]


def check_against(hypotheses: dict[str, Sequence[str]], streams: list[list[str]]) -> None:
    """Systems' outputs and every stream of references must go with each other, line by line."""
    names = ["references"] if len(streams) == 1 else [f"references[{i}]" for i in range(len(streams))]
    check_lines(**hypotheses, **dict(zip(names, streams, strict=True)))
