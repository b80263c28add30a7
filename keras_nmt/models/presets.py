"""Named sizes of papers and toolkits."""

from __future__ import annotations

from typing import Any


def _sizes(layers: int, hidden_dim: int, num_heads: int, intermediate_dim: int, dropout: float) -> dict[str, Any]:
    return {
        "num_encoder_layers": layers,
        "num_decoder_layers": layers,
        "hidden_dim": hidden_dim,
        "num_heads": num_heads,
        "intermediate_dim": intermediate_dim,
        "dropout": dropout,
    }


# Dropout: 0.1 and 0.3 (base and big) as in Vaswani et al., 2017, table 3; 0.3 for the small corpora of the small model.
TRANSFORMER_PRESETS: dict[str, dict[str, Any]] = {
    "transformer_tiny": _sizes(2, 128, 4, 256, 0.1),
    "transformer_small": _sizes(3, 256, 4, 512, 0.3),
    "transformer_base_half": _sizes(6, 256, 4, 1024, 0.1),
    "transformer_base": _sizes(6, 512, 8, 2048, 0.1),
    "transformer_big": _sizes(6, 1024, 16, 4096, 0.3),
}
