"""Named sizes of Transformers."""

from __future__ import annotations

from typing import Any


def _sizes(
    layers: int | tuple[int, int], hidden_dim: int, num_heads: int, intermediate_dim: int, dropout: float, **more: Any
) -> dict[str, Any]:
    encoder, decoder = layers if isinstance(layers, tuple) else (layers, layers)
    return {
        "num_encoder_layers": encoder,
        "num_decoder_layers": decoder,
        "hidden_dim": hidden_dim,
        "num_heads": num_heads,
        "intermediate_dim": intermediate_dim,
        "dropout": dropout,
        **more,
    }


# Dropout is 0.1 and 0.3 (base and big) as in Vaswani et al., 2017, table 3, and 0.3 for small, whose corpora are small.
TRANSFORMER_PRESETS: dict[str, dict[str, Any]] = {
    "transformer_tiny": _sizes(2, 128, 4, 256, 0.1),
    # Most layers are in the encoder, which runs once. An SSRU needs no keys and values of earlier positions.
    "transformer_student": _sizes((6, 2), 192, 4, 512, 0.1, decoder_self_attention="ssru"),
    "transformer_small": _sizes(3, 256, 4, 512, 0.3),
    "transformer_base_half": _sizes(6, 256, 4, 1024, 0.1),
    "transformer_base": _sizes(6, 512, 8, 2048, 0.1),
    "transformer_big": _sizes(6, 1024, 16, 4096, 0.3),
}
