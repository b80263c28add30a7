"""The floating-point operations of an update of a plain Transformer."""

from __future__ import annotations

from collections.abc import Mapping


def training_flops(sizes: Mapping[str, int], vocabulary_size: int, rows: int, source: int, target: int) -> int:
    """The floating-point operations of an update, counted by the sizes of the model.

    With rows B, lengths S and T, width d, inner width f, L encoder and M decoder layers and V subwords, the
    multiply-adds of the forward pass are

        B S L (4 d^2 + 2 S d + 2 d f)                        encoder: projections, scores and sums, feed-forward
        B T M (6 d^2 + 2 T d + 2 S d + 2 d f) + B S M 2 d^2  decoder, whose keys and values of the source cost 2 d^2
        B T d V                                              logits

    An update takes three times as many, as the backward pass takes twice the forward pass, and a multiply-add is two
    operations. Padding counts, and so do scores that the causal mask drops. Other operations than matrix products do
    not count.
    """
    d, f = sizes["hidden_dim"], sizes["intermediate_dim"]
    encoder = source * sizes["num_encoder_layers"] * (4 * d**2 + 2 * source * d + 2 * d * f)
    step = 6 * d**2 + 2 * (target + source) * d + 2 * d * f
    decoder = sizes["num_decoder_layers"] * (target * step + source * 2 * d**2)
    return 2 * 3 * rows * (encoder + decoder + target * d * vocabulary_size)
