"""The part of each representation in a composition of representations."""

from __future__ import annotations

from typing import Any

from keras import ops


def composition_parts(composition: Any, representations: Any) -> dict[str, Any]:
    """Norms of the parts of n representations in a composition of second order, first and second order apart.

    A composition f of second order, its residual path included, is c + l(R^) + q(R^), with l linear and q quadratic:
    l(x) = (f(x) - f(-x)) / 2, and q(x) = (f(x) + f(-x)) / 2 - c. R^ is the sum of the R^_i, in which all
    representations but the i-th are zero. The part of first order of representation i is l(R^_i). The part of second
    order is b(R^_i, R^), where b is q's symmetric bilinear form: half of the products of representation i with any
    other belong to either. Parts and c sum to f.

    So the parts need no knowledge of the layer's weights, and exist for any composition with `compose` and `separate`.

    Args:
        composition: `Composition`, such as `LowRankBilinearPooling`.
        representations: List of n tensors `[..., d']`, or one tensor `[..., n, d']`.

    Returns:
        Dictionary of tensors: "first" and "second" `[..., n]`, the norms of the parts, and "rest" `[..., 1]`, the norm
        of the difference between f and the sum of its parts divided by the norm of f: rounding errors only, unless f is
        not of second order.

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 10 and 11.
    """
    parts = composition.separate(representations)

    def compose(scales: list[float]) -> Any:
        scaled = [scale * r for scale, r in zip(scales, parts, strict=True)]
        return ops.cast(composition.compose_with_residual(scaled), "float32")

    count = len(parts)
    constant = compose([0.0] * count)

    def quadratic(scales: list[float]) -> Any:
        return (compose(scales) + compose([-scale for scale in scales])) / 2 - constant

    whole = compose([1.0] * count)
    all_products = quadratic([1.0] * count)
    first, second, rest = [], [], whole - constant
    for i in range(count):
        alone = [float(i == j) for j in range(count)]
        twice = [1.0 + x for x in alone]
        linear = (compose(alone) - compose([-x for x in alone])) / 2
        bilinear = (quadratic(twice) - all_products - quadratic(alone)) / 2
        first.append(ops.norm(linear, axis=-1))
        second.append(ops.norm(bilinear, axis=-1))
        rest = rest - linear - bilinear
    relative = ops.norm(rest, axis=-1, keepdims=True) / ops.maximum(ops.norm(whole, axis=-1, keepdims=True), 1e-9)
    return {"first": ops.stack(first, axis=-1), "second": ops.stack(second, axis=-1), "rest": relative}
