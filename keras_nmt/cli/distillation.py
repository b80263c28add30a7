"""The command that makes training text by a model: `distill`."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.lines import write_line
from keras_nmt.cli.options import (
    MORE_SEARCH,
    SAMPLING,
    SEARCH,
    SHORTLIST,
    TRANSLATOR,
    Directory,
    SampleSeed,
    check_sampling,
    check_search,
    refuse_without,
    sampling,
    searching,
    shortlisted,
    with_options,
)
from keras_nmt.cli.progress import progress
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.cli.translation import open_translator
from keras_nmt.errors import UserError, require
from keras_nmt.files.atomic_files import check_folder
from keras_nmt.files.json_file import json_digest
from keras_nmt.files.model_config import ModelFiles, read_model_files
from keras_nmt.files.paths import check_regular
from keras_nmt.files.search_options import SearchOptions, with_defaults
from keras_nmt.progress import show_steps

SEARCH_OPTIONS = SEARCH | {"no_repeat_ngram_size": MORE_SEARCH["no_repeat_ngram_size"]}


@with_options(SEARCH_OPTIONS | SAMPLING | SHORTLIST | TRANSLATOR)
def distill(
    context: typer.Context,
    directory: Directory,
    input_: Annotated[Path, typer.Option("--input", help="File to translate, plain text or gzip.")],
    output: Annotated[Path, typer.Option(help="Folder to make, or to continue in.")],
    references: Annotated[
        Path | None, typer.Option(help="With --select reference: file of translations of the input.")
    ] = None,
    select: Annotated[
        str,
        typer.Option(
            metavar="best|reference|all",
            help="The model's translation of a line, the one of --n-best that is most like the reference by chrF, "
            "or all of --n-best.",
        ),
    ] = "best",
    n_best: Annotated[
        int | None, typer.Option(min=1, help="Translations to select from. Default: the size of the beam.")
    ] = None,
    back_translate: Annotated[
        bool, typer.Option("--back-translate", help="The translations are the sources, and the input is the targets.")
    ] = False,
    tag: Annotated[
        str | None, typer.Option(metavar="WORD", help="With --back-translate: a word before each source, such as <BT>.")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="empty|identical|cut-off|truncated", help="Pairs to leave out of the output. May be repeated."
        ),
    ] = None,
    min_score: Annotated[
        float | None, typer.Option(help="Leave out pairs whose translation has a lower score.")
    ] = None,
    max_ratio: Annotated[
        float | None, typer.Option(help="Leave out pairs with a larger ratio of lengths in subwords.")
    ] = None,
    shard: Annotated[
        str, typer.Option(metavar="I/N", help="Translate the I-th of N shards: one process for each, in one folder.")
    ] = "1/1",
    seed: SampleSeed = 1,
    **shared: Any,
) -> None:
    """Translates text into training data: for a student of the model, or as back-translations.

    The folder gets the files `source` and `target`, for --train of `keras-nmt train`, and `scores.tsv`, a row for each
    translation. The same command continues a run that was killed. A filter may change afterwards, and translates
    nothing again.
    """
    check_sampling(context)
    if select == "best":
        refuse_without(context, "n_best", "--select reference or --select all")
    model, *others = map(read_model_files, (directory, *(shared["ensemble"] or ())))
    check_folder(output)
    search = sampling(shared) | searching(shared)
    # Not the model's own number of translations: each of them would take a share of the beam for nothing.
    search["num_hypotheses"] = 1 if select == "best" else n_best or _beam_size(model, search)
    table = shortlisted(shared)
    check_search(model, search | table)
    for path in (input_, *([] if references is None else [references])):
        check_regular(path, ", which is read several times")
    import_tensorflow(shared["import_"], to_translate=True)
    from keras_nmt.experiments import Distillation, PairFilter
    from keras_nmt.files.weights_file import weights_digest

    pair_filter = PairFilter(drop=drop or (), min_score=min_score, max_ratio=max_ratio)
    distillation = Distillation(
        input=input_,
        folder=output,
        references=references,
        select=select,
        back_translate=back_translate,
        tag=tag,
        seed=seed,
        shard=_shard(shard),
        made_by={
            "models": _digests([model, *others], shared["weights"]),
            "adapter": None if shared["adapter"] is None else weights_digest(shared["adapter"]),
            **({} if shared["dtype"] is None else {"dtype": shared["dtype"]}),
            "languages": [shared["source_language"], shared["target_language"]],
            **{f"search.{k}": v for k, v in {**model.search, **search}.items()},
            "shortlist": [weights_digest(shared["shortlist"]), shared["shortlist_size"]] if table else None,
        },
    )
    options = {name: shared[name] for name in TRANSLATOR} | {"ensemble": others}
    make = functools.partial(open_translator, model, search | table, **options)
    with show_steps(progress):
        counts = distillation.run(make, pair_filter)
    if counts is None:
        write_line(f"{output}: shard {shard} is translated, and other shards are not yet")
        return
    shown = ", ".join(f"{number:,} {reason}" for reason, number in counts.dropped.items()) or "none"
    write_line(f"{output}: {counts.pairs:,} pairs of {counts.lines:,} lines; dropped: {shown}")
    sys.stdout.flush()


def _beam_size(model: ModelFiles, search: dict[str, Any]) -> int:
    """Returns the size of the beam, the default of --n-best."""
    require(not search.get("sample"), "Missing option --n-best N: how many samples of a line there are to select from.")
    return int(with_defaults(model.search, search).get("beam_size", SearchOptions.beam_size))


def _shard(text: str) -> tuple[int, int]:
    index, _, number = text.partition("/")
    if not (re.fullmatch(r"[0-9]{1,9}", index) and re.fullmatch(r"[0-9]{1,9}", number)):
        raise UserError(f"--shard must be I/N, such as 1/4. Received: --shard {text}")
    return int(index), int(number)


def _digests(models: Sequence[ModelFiles], weights: Path | None) -> list[str]:
    """Returns a digest of each model: of its weights, and of its configuration without the settings of the search.

    The configuration has the digests of the subwords.
    """
    from keras_nmt.files.weights_file import weights_digest  # imports HDF5

    digests = []
    for number, model in enumerate(models):
        config = {name: value for name, value in model.config.items() if name != "search"}
        of_weights = weights_digest(model.weights_path if number or weights is None else weights)
        digests.append(json_digest([config, of_weights])[:16])
    return digests
