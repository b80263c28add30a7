"""sacreBLEU's metrics and the checks that all scores share."""

from __future__ import annotations

from collections.abc import Sequence

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from keras_nmt.errors import UserError

METRICS = ("bleu", "chrf", "ter")
ALL_METRICS = (*METRICS, "chrf++")


def make_metrics(names: Sequence[str], *, lowercase: bool, tokenize: str, chrf_word_order: int) -> dict[str, Metric]:
    """Makes sacreBLEU's metrics, by the package's names, in the order of `names`."""
    unknown = [name for name in names if name not in ALL_METRICS]
    if unknown or not names:
        raise UserError(f"Metrics must be some of {', '.join(ALL_METRICS)}. Received: metrics={tuple(names)}")
    check_tokenizer(tokenize)
    makers = {
        "bleu": lambda: BLEU(lowercase=lowercase, tokenize=tokenize),
        "chrf": lambda: CHRF(lowercase=lowercase, word_order=chrf_word_order),
        "chrf++": lambda: CHRF(lowercase=lowercase, word_order=2),
        "ter": lambda: TER(),
    }
    return {name: makers[name]() for name in names}


def check_tokenizer(tokenize: str, name: str = "tokenize") -> None:
    """Raises a `UserError` unless sacreBLEU has the tokenizer; `name` is the argument's name in the message."""
    if tokenize not in BLEU.TOKENIZERS:
        raise UserError(f"`{name}` must be one of {', '.join(BLEU.TOKENIZERS)}. Received: {name}={tokenize!r}")


def check_lines(**columns: Sequence[str]) -> None:
    """Raises a `UserError` unless all columns have the same number of lines, at least one."""
    (first, lines), *_ = columns.items()
    if not lines:
        raise UserError(f"There is nothing to score: `{first}` is empty. Received: {first}=[]")
    for name, column in columns.items():
        if len(column) != len(lines):
            raise UserError(
                f"`{first}` and `{name}` must have the same number of lines. "
                f"Received: {len(lines)} and {len(column)} lines"
            )


def reference_streams(references: Sequence[str] | Sequence[Sequence[str]]) -> list[list[str]]:
    """The references as a list of lists, also for a single reference."""
    if not references:
        raise UserError("There is nothing to compare with: `references` is empty. Received: references=[]")
    if isinstance(references[0], str):
        return [list(references)]  # type: ignore[arg-type]
    return [list(stream) for stream in references]


def check_against(hypotheses: dict[str, Sequence[str]], streams: list[list[str]]) -> None:
    """Raises a `UserError` unless the systems' outputs and all references have the same number of lines."""
    names = ["references"] if len(streams) == 1 else [f"references[{i}]" for i in range(len(streams))]
    check_lines(**hypotheses, **dict(zip(names, streams, strict=True)))
