"""sacreBLEU's metrics and the checks that all scores share."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from keras_nmt.errors import UserError, one_line

METRICS = ("bleu", "chrf", "ter")
ALL_METRICS = (*METRICS, "chrf++")

# Tokenizers for which a word ends at a space or a punctuation mark; "zh" also splits Chinese characters.
AT_SPACES = ("none", "13a", "intl", "zh")
# Letters of scripts without spaces: Thai, Lao, Tibetan, Burmese, Khmer, kana, Chinese characters.
UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
LONGEST_WORD = 30  # characters; longer words are texts without spaces
SAMPLE = 200  # lines whose script is looked at


def make_metrics(
    names: Sequence[str], references: Sequence[str], *, lowercase: bool, tokenize: str, chrf_word_order: int
) -> dict[str, Metric]:
    """Makes sacreBLEU's metrics, by the package's names, in the order of `names`.

    A tokenizer that does not fit the script of the references is a `UserWarning`.
    """
    unknown = [name for name in names if name not in ALL_METRICS]
    if unknown or not names:
        raise UserError(f"Metrics must be some of {', '.join(ALL_METRICS)}. Received: metrics={tuple(names)}")
    check_tokenizer(tokenize, load="bleu" in names)
    if "bleu" in names:
        warn_of_script(tokenize, references)
    makers = {
        "bleu": lambda: BLEU(lowercase=lowercase, tokenize=tokenize),
        "chrf": lambda: CHRF(lowercase=lowercase, word_order=chrf_word_order),
        "chrf++": lambda: CHRF(lowercase=lowercase, word_order=2),
        "ter": lambda: TER(),
    }
    return {name: makers[name]() for name in names}


def check_tokenizer(tokenize: str, name: str = "tokenize", *, load: bool = True) -> None:
    """Raises a `UserError` unless sacreBLEU has the tokenizer; `name` is the argument's name in the message.

    Some tokenizers need a package, or a download at their first use: unless `load` is False, the tokenizer is loaded.
    """
    if tokenize not in BLEU.TOKENIZERS:
        raise UserError(f"`{name}` must be one of {', '.join(BLEU.TOKENIZERS)}. Received: {name}={tokenize!r}")
    if load:
        try:
            BLEU(tokenize=tokenize)
        except Exception as error:  # of MeCab, SentencePiece or a download
            raise UserError(
                "sacreBLEU cannot load this tokenizer: install what it needs, connect to the network for its first "
                f"use, or choose another one. Received: {name}={tokenize!r} ({one_line(error)[:200]})"
            ) from error


def warn_of_script(tokenize: str, references: Sequence[str]) -> None:
    """Warns if the tokenizer takes much of the references, in which no spaces are between words, for single words."""
    if tokenize not in AT_SPACES:
        return
    split = BLEU(tokenize=tokenize).tokenizer
    words = [word for line in references[:SAMPLE] for word in split(line).split()]
    long = [word for word in words if len(UNSPACED.findall(word)) > 1 or len(word) > LONGEST_WORD]
    if 4 * sum(map(len, long)) > sum(map(len, words)):
        warnings.warn(
            f"BLEU by {tokenize} takes text without spaces for single words: zh fits Chinese, ja-mecab Japanese, "
            f"char or flores200 any text. Received: tokenizer {tokenize}, which makes one word of {long[0][:20]!r}",
            UserWarning,
            stacklevel=1,  # this line: the same warning is shown once
        )


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
