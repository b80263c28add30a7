"""Upper bounds of the sizes in `config.json`, because a model directory may come from an untrusted source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keras_nmt.errors import UserError

# Least and largest exponent of the length penalty. Below, scores of long hypotheses approach those of impossible ones.
LENGTH_PENALTIES = (-2, 10)
LIMITS: dict[str, int] = {
    # Models.
    **dict.fromkeys(
        ("num_encoder_layers", "num_decoder_layers", "num_heads", "num_key_value_heads", "bridge_heads"), 1_000
    ),
    **dict.fromkeys(("hidden_dim", "intermediate_dim", "head_intermediate_dim", "bridge_hidden_dim"), 65_536),
    **dict.fromkeys(
        (
            "layer_composition_rank",
            "head_composition_rank",
            "composition_rank",
            "rank",
            "num_roles",
            "role_units",
            "units",
        ),
        65_536,
    ),
    **dict.fromkeys(("source_vocabulary_size", "target_vocabulary_size", "languages"), 10_000_000),
    # Search.
    **dict.fromkeys(("beam_size", "num_hypotheses", "coverage_penalty", "max_length_factor"), 1_000),
    "length_penalty": LENGTH_PENALTIES[1],
    **dict.fromkeys(("min_length", "max_length", "max_length_offset", "length_buckets", "batch_buckets"), 65_536),
}


def check_limits(options: Mapping[str, Any]) -> None:
    """Checks options by name against `LIMITS`: numbers, all numbers of a list or mapping, and nested options.

    Args:
        options: Mapping of names to values: the configuration of a model, or settings of search.

    Raises:
        UserError: A number is above its limit.

    Example:

    >>> check_limits({"hidden_dim": 512, "transformer": {"num_heads": 10**7}})
    Traceback (most recent call last):
        ...
    keras_nmt.errors.UserError: `num_heads` may be at most 1,000. Received: num_heads=10000000
    """
    for name, value in options.items():
        limit = LIMITS.get(name)
        if limit is None:
            if isinstance(value, Mapping):
                check_limits(value)
            continue
        numbers = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
        for number in numbers:
            if isinstance(number, (int, float)) and not number <= limit:  # NaN exceeds every limit
                raise UserError(f"`{name}` may be at most {limit:,}. Received: {name}={str(value)[:100]}")
