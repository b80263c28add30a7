"""Attentions, layers and stacks of Transformers from names of mechanisms, as the models' factory makes them."""

from __future__ import annotations

from typing import Any

from keras_nmt.layers import Shortcuts
from keras_nmt.models.factory import MECHANISMS, TransformerConfig, TransformerFactory


class _Factory(TransformerFactory):
    """A factory whose cross-attentions have shortcuts of their own, and whose layers may be on the encoder alone."""

    def __init__(self, config: TransformerConfig, cross: TransformerConfig, dtype: Any) -> None:
        super().__init__(config, dtype)
        self.cross = TransformerFactory(cross, dtype)

    def attention(self, site: str, side: str) -> Any:
        return self.cross.attention("cross", side) if site == "cross" else super().attention(site, side)


def _factory(
    num_heads: int,
    hidden_dim: int,
    intermediate_dim: int = 1,
    *,
    shortcut: Any = None,
    shortcut_source: str = "lexical",
    cross_shortcut: Any = None,
    dtype: Any = "float32",
    **options: Any,
) -> _Factory:
    shared = {**options, "num_heads": num_heads, "hidden_dim": hidden_dim, "intermediate_dim": intermediate_dim}
    shared |= {name: mechanism.of(name, options[name]) for name, mechanism in MECHANISMS.items() if name in options}
    own = shortcut and Shortcuts(shortcut, shortcut_source)
    cross = cross_shortcut and Shortcuts(cross_shortcut, sites="cross")
    return _Factory(TransformerConfig(**shared, shortcuts=own), TransformerConfig(**shared, shortcuts=cross), dtype)


def make_attention(*args: Any, **options: Any) -> Any:
    """`MultiHeadAttention` of H heads and width d; `options` are those of a `TransformerConfig`, and `shortcut`."""
    return _factory(*args, **options).attention("self", "encoder")


def make_encoder_layer(*args: Any, **options: Any) -> Any:
    """`TransformerEncoderLayer` of H heads, width d and inner width f."""
    return _factory(*args, **options).encoder_layer("layer")


def make_decoder_layer(*args: Any, **options: Any) -> Any:
    """`TransformerDecoderLayer`; further options are `shortcut` and `cross_shortcut`."""
    return _factory(*args, **options).decoder_layer("layer")


def make_encoder(num_layers: int, *args: Any, **options: Any) -> Any:
    """`TransformerEncoder` of so many layers; further options are `shortcut` and `shortcut_source`."""
    return _factory(*args, **options).encoder(num_layers)


def make_decoder(num_layers: int, *args: Any, **options: Any) -> Any:
    """`TransformerDecoder` of so many layers."""
    return _factory(*args, **options).decoder(num_layers)
