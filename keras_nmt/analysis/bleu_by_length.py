"""BLEU by the length of the source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sacrebleu.metrics import BLEU

from keras_nmt.analysis.measurements import Measurements, notes_of_outputs, numbers_of
from keras_nmt.analysis.token_states import Model, translated
from keras_nmt.errors import check_positive
from keras_nmt.evaluation.bootstrap import bleu_counts, bleu_of_counts
from keras_nmt.evaluation.metrics import check_lines, warn_of_script
from keras_nmt.text.line_tags import split_tag
from keras_nmt.text.text_files import check_any_text
from keras_nmt.text.translation import split_words


def lengths(
    model: Model | list[str],
    source: Sequence[str],
    references: Sequence[str],
    *,
    width: int = 10,
    quantiles: int | None = None,
    lowercase: bool | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Measurements:
    """Measures BLEU of sentences grouped by the length of their source, in words that spaces and tabs separate.

    A target-language tag at the beginning, such as `>>deu<<`, is no word.

    Args:
        model: String or path of a model directory, a `Translator`, or the list of a system's translations.
        source: Sequence of strings.
        references: Sequence of strings, a translation of each source.
        width: Integer, the width of a group: 10 makes the groups 1-10, 11-20 and so on. Defaults to 10.
        quantiles: Integer, the number of groups of about equally many sentences instead. Defaults to None.
        lowercase: Boolean, whether BLEU ignores case. Defaults to None: of a model that lower-cases its target text.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        `Measurements` of sacreBLEU's BLEU of all sentences and by group, with BLEU's counts by sentence as samples and
        the translations in the details. A model's empty and cut-off translations, and those of truncated sources, are
        counted in a note, and in the details.

    Raises:
        UserError: Numbers of lines differ, there are none, all references are empty, or a width is not positive.

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), figure 4;
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), figure 3.
    """
    check_positive(width=width, quantiles=quantiles)
    check_lines(source=source, references=references)
    check_any_text("references", references)
    warn_of_script("13a", references)
    hypotheses, outputs, lowercases = translated(model, source, (source_language, target_language))
    check_lines(source=source, translations=hypotheses)
    ignores_case = lowercases if lowercase is None else lowercase
    # Without tags, whatever the model: all systems have the same groups, also with the tag as an option.
    sizes = np.array([len(split_words(split_tag(text).text)) for text in source])
    if quantiles is None:
        ends = width * -(-np.maximum(sizes, 1) // width)  # [N], the largest size of each sentence's group
    else:
        limits = np.unique(np.quantile(sizes, np.arange(1, quantiles + 1) / quantiles, method="inverted_cdf"))
        ends = limits[np.searchsorted(limits, sizes)]
    groups = {"all": np.arange(len(source))}
    for end in np.unique(ends):
        rows = np.flatnonzero(ends == end)
        start = end - width + 1 if quantiles is None else sizes[rows].min()
        groups[f"{start}-{end}"] = rows
    counts = bleu_counts(hypotheses, references, BLEU(lowercase=ignores_case))
    values, samples = {}, {}
    for name, rows in groups.items():
        values["BLEU by source length", name] = float(bleu_of_counts(counts[rows].sum(0)))
        samples["BLEU by source length", name] = counts[rows]
    sentences = {name: len(rows) for name, rows in groups.items()}
    return Measurements(
        "lengths",
        "BLEU",
        values,
        samples,
        notes=(
            numbers_of("sentences", sentences),
            *(["BLEU ignores case."] if ignores_case else []),
            *notes_of_outputs(outputs),
        ),
        details={
            "sentences": sentences,
            "lowercase": ignores_case,
            "outputs": dict(outputs),
            "hypotheses": hypotheses,
        },
    )
