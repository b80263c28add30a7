"""The configuration of a multilingual model's encoders and decoders."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from keras_nmt.errors import check_choice, is_number, require
from keras_nmt.layers._common import check_booleans, check_effect, check_positive
from keras_nmt.layers.layer_spec import as_json
from keras_nmt.layers.mechanisms import SIDES
from keras_nmt.models.factory import MECHANISMS, TransformerConfig

KINDS = ("recurrent", "transformer")
_SET_ELSEWHERE = ("hidden_dim", "dropout")  # arguments of a Transformer that are also fields of `SidesConfig`


@dataclasses.dataclass(frozen=True, kw_only=True)
class SidesConfig:
    """The arguments of multilingual models that describe encoders and decoders; see `AttentionBridgeModel`."""

    encoder: str = "recurrent"
    decoder: str = "recurrent"
    num_encoder_layers: int = 2
    num_decoder_layers: int = 2
    hidden_dim: int = 512
    dropout: float = 0.3
    attention_score: str = "general"
    input_feeding: bool = True
    dropout_in_loop: bool = False
    tie_output: bool = False
    transformer: Mapping[str, Any] | None = None
    use_cudnn: bool | str = False
    uniform_start: float | None = None

    def __post_init__(self) -> None:
        check_choice("encoder", self.encoder, KINDS)
        check_choice("decoder", self.decoder, KINDS)
        check_choice("use_cudnn", self.use_cudnn, (False, "auto"))
        flags = ("input_feeding", "dropout_in_loop", "tie_output")
        check_booleans(**{name: getattr(self, name) for name in flags})
        check_effect(
            self.decoder == "recurrent",
            "`decoder='recurrent'`",
            dropout_in_loop=self.dropout_in_loop or None,
            attention_score=None if self.attention_score == "general" else self.attention_score,
            input_feeding=None if self.input_feeding else self.input_feeding,
        )
        sizes = {name: getattr(self, name) for name in ("num_encoder_layers", "num_decoder_layers", "hidden_dim")}
        check_positive(**sizes)
        arguments, limit = self.transformer, self.uniform_start
        if arguments is not None and not isinstance(arguments, Mapping):
            raise ValueError(f"`transformer` must map arguments of `Transformer` to values. Received: {arguments!r}")
        is_right = limit is None or (is_number(limit) and 0 < limit < math.inf)
        require(is_right, "{uniform_start} must be above 0 and finite", uniform_start=limit)
        transformer = {
            name: MECHANISMS[name].of(name, value) if name in MECHANISMS else value
            for name, value in (arguments or {}).items()
        }
        for name, value in {**{name: int(size) for name, size in sizes.items()}, "transformer": transformer}.items():
            object.__setattr__(self, name, value)

    def transformer_config(self) -> TransformerConfig | None:
        """Returns the configuration of the sides that are Transformers; None if there are none.

        Raises:
            ValueError: `transformer` has an argument that is unknown, or has no effect on these sides.
        """
        arguments: Mapping[str, Any] = self.transformer or {}
        known = {field.name for field in dataclasses.fields(TransformerConfig)} - {*_SET_ELSEWHERE}
        if unknown := sorted(set(arguments) - known):
            raise ValueError(f"`transformer` can set {', '.join(sorted(known))}. Received: {', '.join(unknown)}")
        kinds = {"encoder": self.encoder, "decoder": self.decoder}
        if "transformer" not in kinds.values():
            require(
                not arguments,
                "{transformer} needs encoder='transformer' or decoder='transformer'",
                transformer=arguments,
            )
            return None
        sizes = {"num_heads": 8, "intermediate_dim": 4 * self.hidden_dim, **arguments}
        config = TransformerConfig(**sizes, hidden_dim=self.hidden_dim, dropout=self.dropout)
        is_set = {
            "encoder": {"source_end": not config.source_end},
            "decoder": {
                "decoder_self_attention": not config.decoder_attends_to_itself,
                "alignment_head": config.alignment_head is not None,
                "alignment_layer": config.alignment_layer is not None,
            },
        }
        for side in SIDES:
            names = [name for name, value in is_set[side].items() if value]
            names += ["tied_layers"] * (side in config.tied_layers)
            # Mechanisms of both sides have an effect on the side that is a Transformer.
            names += [name for name in MECHANISMS if getattr(getattr(config, name), "sides", SIDES) == (side,)]
            check_effect(
                kinds[side] == "transformer",
                f"{side}='transformer'",
                **{name: as_json(getattr(config, name)) for name in names},
            )
        return config

    def as_json(self) -> dict[str, Any]:
        """Returns the fields by name, in their JSON form, without `use_cudnn`, which belongs to a machine."""
        fields = {field.name: as_json(getattr(self, field.name)) for field in dataclasses.fields(self)}
        del fields["use_cudnn"]
        return {**fields, "transformer": {name: as_json(value) for name, value in fields["transformer"].items()}}


def takes_sides(init: Callable[..., None]) -> Callable[..., None]:
    """Makes `inspect.signature`, and so `help`, show the fields of `SidesConfig` among the arguments of an `__init__`.

    Example:

    >>> @takes_sides
    ... def make(languages, bridge_heads=10, **kwargs): ...
    >>> list(inspect.signature(make).parameters)[:4]
    ['languages', 'bridge_heads', 'encoder', 'decoder']
    """
    *parameters, kwargs = inspect.signature(init).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    fields = [
        inspect.Parameter(field.name, keyword, default=field.default, annotation=field.type)
        for field in dataclasses.fields(SidesConfig)
    ]
    init.__signature__ = inspect.Signature([*parameters, *fields, kwargs], return_annotation=None)  # type: ignore[attr-defined]
    return init
