"""Scores of translations by sacreBLEU's metrics.

To add a metric, add an entry to `METRICS`: `corpus_scores`, `paired_bootstrap`, `keras-nmt evaluate` and `dev_metrics`
of trainings read it from there. (Metrics of keras_hub have no signature, and no statistics of lines for the bootstrap.)
sacreBLEU and Keras are imported where they are used, so that `keras-nmt --help` does not wait.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from keras_nmt.errors import check_choice, check_names, check_no_string, errors_as, require
from keras_nmt.text.normalization import UNSPACED
from keras_nmt.text.text_files import check_any_text

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric


class MetricKind(NamedTuple):
    """How a metric is made, and what its scores mean.

    Attributes:
        make: Function that makes the metric from the module `sacrebleu`, `lowercase` and `tokenize`.
        lower_is_better: Boolean, whether a lower score is better. Defaults to False.
        of_words: Boolean, whether the metric splits text at spaces, whatever the tokenizer. Defaults to False.
        has_case: Boolean, whether `lowercase` changes the metric. Defaults to True.
    """

    make: Callable[[Any, bool, str], Metric]
    lower_is_better: bool = False
    of_words: bool = False
    has_case: bool = True


METRICS = {
    "bleu": MetricKind(lambda sacrebleu, lowercase, tokenize: sacrebleu.BLEU(lowercase=lowercase, tokenize=tokenize)),
    "chrf": MetricKind(lambda sacrebleu, lowercase, _: sacrebleu.CHRF(lowercase=lowercase)),
    "ter": MetricKind(lambda sacrebleu, *_: sacrebleu.TER(), lower_is_better=True, of_words=True, has_case=False),
    "chrf++": MetricKind(
        lambda sacrebleu, lowercase, _: sacrebleu.CHRF(lowercase=lowercase, word_order=2), of_words=True
    ),
}
DEFAULT_METRICS = ("bleu", "chrf", "ter")

# Tokenizers that split words at spaces and punctuation; "zh" also splits Chinese characters.
SPACE_TOKENIZERS = ("none", "13a", "intl", "zh")
LONGEST_WORD = 30  # characters; a longer "word" is a text without spaces
SAMPLE = 200  # lines whose script is checked


class MetricScore(NamedTuple):
    """A corpus score with the signature of its computation.

    Attributes:
        name: String, sacreBLEU's name of the metric: `BLEU`, `chrF2`, `TER`.
        score: Float from 0 to 100; TER can exceed 100. Higher is better, except for TER.
        signature: String, sacreBLEU's signature, such as `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`.
    """

    name: str
    score: float
    signature: str

    def __str__(self) -> str:
        return f"{self.name}|{self.signature} = {self.score:.2f}"


def corpus_scores(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> dict[str, MetricScore]:
    """Computes scores of a system's detokenised output by sacreBLEU.

    Args:
        hypotheses: Sequence of strings, the system's output.
        references: Sequence of strings; for several references, a sequence of such sequences.
        metrics: Sequence of names: `"bleu"`, `"chrf"`, `"ter"` or `"chrf++"`. Defaults to the first three.
        lowercase: Boolean, whether BLEU and chrF ignore case. TER always ignores it, which is sacreBLEU's default.
            Defaults to False.
        tokenize: String, sacreBLEU's tokenizer for BLEU. Defaults to `"13a"`.

    Returns:
        Dictionary from a metric to its `MetricScore`, in the order of `metrics`.

    Raises:
        UserError: There are no lines, all references are empty, the numbers of lines differ, or a metric or the
            tokenizer is unknown.

    Example:

    >>> scores = corpus_scores(["A dog runs through the snow."], ["A dog runs through deep snow."])
    >>> round(scores["bleu"].score, 1)
    48.9
    >>> scores["bleu"].signature.split("|")[:4]
    ['nrefs:1', 'case:mixed', 'eff:no', 'tok:13a']

    Reference:
        [Post, 2018](https://arxiv.org/abs/1804.08771).
    """
    options: dict[str, Any] = {"metrics": metrics, "lowercase": lowercase, "tokenize": tokenize}
    return scores_of_sets(hypotheses, references, {"": slice(None)}, **options)[""]


def scores_of_sets(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    sets: Mapping[str, slice],
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> dict[str, dict[str, MetricScore]]:
    """Computes what `corpus_scores` returns for each of several sets of lines, `sets`; each line is compared once.

    TER takes minutes for 2,000 bad translations of long text, so that no line is compared again for its set.
    """
    streams = reference_streams(references, hypotheses=hypotheses)
    scores: dict[str, dict[str, MetricScore]] = {name: {} for name in sets}
    for metric_name, metric in make_metrics(metrics, streams[0], lowercase=lowercase, tokenize=tokenize).items():
        statistics = metric._extract_corpus_statistics(list(hypotheses), streams)
        for name, lines in sets.items():
            result = metric._aggregate_and_compute(statistics[lines])
            scores[name][metric_name] = MetricScore(result.name, float(result.score), str(metric.get_signature()))
    return scores


def make_metrics(
    names: Sequence[str], references: Sequence[str], *, lowercase: bool = False, tokenize: str = "13a"
) -> dict[str, Metric]:
    """Makes sacreBLEU's metrics by name, in the order of `names`.

    Warns (`UserWarning`) if the tokenizer of BLEU, or a metric of words, does not fit the script of the references.
    """
    import sacrebleu

    require(names, "{metrics} must have at least one name", metrics=names)
    check_names("`metrics`", names, METRICS)
    check_tokenizer(tokenize, load="bleu" in names)
    if "bleu" in names:
        warn_of_script(tokenize, references)
    if (of_words := [name for name in names if METRICS[name].of_words]) and (long := _long_word("none", references)):
        warnings.warn(
            f"{', '.join(of_words)}: words between spaces are compared, which says little about references without "
            f"spaces. Received: {long[:20]!r} as one word",
            UserWarning,
            stacklevel=1,
        )
    return {name: METRICS[name].make(sacrebleu, lowercase, tokenize) for name in names}


def check_tokenizer(tokenize: str, name: str = "tokenize", *, load: bool = True) -> None:
    """Checks that sacreBLEU has a tokenizer and, with `load`, can load it; raises a `UserError` otherwise.

    Some need a package, or a download at their first use. `name` is that of the argument in the message.
    """
    from sacrebleu.metrics import BLEU

    check_choice(name, tokenize, BLEU.TOKENIZERS)
    if load:
        with errors_as(
            "sacreBLEU cannot load this tokenizer: install the package that it needs, connect to the network for its "
            f"first use, or choose another one. Received: {name}={tokenize!r}"
        ):
            BLEU(tokenize=tokenize)


def warn_of_script(tokenize: str, references: Sequence[str]) -> None:
    """Warns if the tokenizer splits words at spaces, and much of the references is in a script without spaces."""
    if tokenize in SPACE_TOKENIZERS and (long := _long_word(tokenize, references)):
        warnings.warn(
            f"The BLEU tokenizer {tokenize} treats text without spaces as single words: use zh for Chinese, ja-mecab "
            f"for Japanese, or char or flores200 for any text. Received: {long[:20]!r} as one word",
            UserWarning,
            stacklevel=1,  # with this line as its place, the same warning is shown once
        )


def _long_word(tokenize: str, references: Sequence[str]) -> str | None:
    """Returns a "word" that is a text without spaces, if much of the references are such words for the tokenizer."""
    from sacrebleu.metrics import BLEU

    split = BLEU(tokenize=tokenize).tokenizer
    words = [word for line in references[:SAMPLE] for word in split(line).split()]
    long = [word for word in words if len(re.findall(UNSPACED, word)) > 1 or len(word) > LONGEST_WORD]
    return long[0] if 4 * sum(map(len, long)) > sum(map(len, words)) else None


def check_lines(**columns: Sequence[Any]) -> None:
    """Checks that all columns are lists of lines, of the same number, at least one; raises a `UserError` otherwise."""
    check_no_string(**columns)
    first, lines = next(iter(columns.items()), ("", [""]))
    require(lines, f"`{first}` must have at least one line. Received: {first}=[]")
    for name, column in columns.items():
        received = f"Received: {len(lines)} and {len(column)} lines"
        require(len(column) == len(lines), f"`{first}` and `{name}` must have the same number of lines. {received}")


def reference_streams(references: Sequence[str] | Sequence[Sequence[str]], **systems: Sequence[str]) -> list[list[str]]:
    """Returns the references as a list of lists, and checks that they have text and the outputs have as many lines."""
    check_lines(references=references)
    streams: Any = [references] if isinstance(references[0], str) else references
    names = ["references"] if len(streams) == 1 else [f"references[{i}]" for i in range(len(streams))]
    named = dict(zip(names, streams, strict=True))
    check_lines(**systems, **named)
    for name, stream in named.items():
        check_any_text(name, stream)
    return [list(stream) for stream in streams]
