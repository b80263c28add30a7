"""The settings of a search that an export writes for another toolkit."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import Any

from keras_nmt.files.search_options import SearchOptions

# Values with which a search is one without the setting.
NO_EFFECT = {"coverage_penalty": 0, "min_length": 0, "num_hypotheses": 1, "patience": None}


def exported_search(toolkit: str, search: Mapping[str, Any] | None, known: Collection[str]) -> SearchOptions:
    """Returns the options of a search with these settings; a warning names those that a toolkit does not have.

    `known` are the settings that it has, beside the size of the beam and a length penalty of the form "power". The
    exponent of another form becomes its exponent.

    Raises:
        UserError: A setting has the wrong type or is out of its range.
    """
    settings = dict(search or {})
    options = SearchOptions(**settings)
    known = {*known, "beam_size", "length_penalty", "length_penalty_form", "batch_buckets"}
    left = {name: x for name, x in settings.items() if name not in known and (name, x) not in NO_EFFECT.items()}
    has_penalty = "length_penalty" in settings and options.length_penalty != 0 and options.beam_size > 1
    if has_penalty and options.length_penalty_form != "power":
        left["length_penalty_form"] = options.length_penalty_form
    if left:
        shown = ", ".join(f"{name}={x}" for name, x in left.items())
        warnings.warn(f"The search of {toolkit} does not have these settings of the model: {shown}", stacklevel=3)
    return options
