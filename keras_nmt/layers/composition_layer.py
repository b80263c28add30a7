"""The base class of layers that compose N representations into one."""

from __future__ import annotations

from typing import Any

from keras import ops, tree

from keras_nmt.errors import check_choice, require
from keras_nmt.layers._common import STARTS, ConfiguredLayer, keep_frozen, optional_size, projection_initializer
from keras_nmt.layers._projection import reshape_last
from keras_nmt.layers._taps import tap


class CompositionLayer(ConfiguredLayer):
    """The base of compositions of N representations r_1 .. r_N of width d' to one tensor, at each position (Eq. 5).

    Sub-classes implement two methods: `build_composition(number, width)` adds the weights for N and d', and
    `compose(representations)` returns a tensor `[..., output_width]`. `concatenate` and `separate` return the
    representations in one form, whichever form the caller used. The configuration has each argument of a sub-class's
    `__init__` that the layer keeps in an attribute of the same name.

    Args:
        units: Integer, width of the output. Defaults to the width d' of a representation.
        start: "random", or "identity": initially the output is the last `units` neurons of [r_1; ...; r_N]. These are
            the last layer r_N, or all neurons of composed heads. `starts_at_zero`, `last_factor_initializer` and
            `start` tell a sub-class which initial weights this needs. Defaults to "random".
        residual: Boolean, whether these neurons are added to the output. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Call arguments:
        representations: List of N float tensors `[..., d']`, or one tensor `[..., N, d']`; N at least 2.

    Returns:
        Tensor `[..., units]`.

    Raises:
        ValueError: There are fewer than two representations, their shapes differ, or `start` is unknown.

    Example:

    >>> class Mean(CompositionLayer):
    ...     def build_composition(self, number, width):
    ...         pass
    ...
    ...     def compose(self, representations):
    ...         return sum(self.separate(representations)) / self.number
    >>> tuple(Mean()(ops.ones((2, 7, 6, 16))).shape)
    (2, 7, 16)

    Reference:
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 5.
    """

    def __init__(
        self, units: int | None = None, *, start: str = "random", residual: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        check_choice("start", start, STARTS)
        self.units = optional_size("units", units)
        self.start = start
        self.residual = residual

    def build(self, representations_shape: Any) -> None:
        self.number, self.width = _number_and_width(representations_shape)  # N and d'
        self.output_width = self.width if self.units is None else self.units
        neurons = self.number * self.width
        is_right = (not self.residual and self.start != "identity") or neurons >= self.output_width
        problem = "`residual` and start='identity' need at least `units` neurons: use a smaller `units`"
        require(is_right, f"{problem}. Received: {neurons} neurons, units={self.units!r}")
        self.build_composition(self.number, self.width)
        keep_frozen(self)

    def build_composition(self, number: int, width: int) -> None:
        """Adds the weights for N = `number` representations of width d' = `width`. Sub-classes implement it."""
        raise NotImplementedError

    def compose(self, representations: Any) -> Any:
        """Composes the argument of `call` to `[..., output_width]`, without the residual. Sub-classes implement it."""
        raise NotImplementedError

    def call(self, representations: Any) -> Any:
        representations = tap(self, "representations", representations, parts=-2)
        return self.compose_with_residual(representations)

    def compose_with_residual(self, representations: Any) -> Any:
        """Returns the output of `compose`, plus the last neurons if there is a residual connection."""
        output = tap(self, "composed", self.compose(representations), inputs=representations)
        return output + self.concatenate(representations)[..., -self.output_width :] if self.residual else output

    @property
    def starts_at_zero(self) -> bool:
        """Whether `compose` must initially return zeros, because the residual connection is the identity."""
        return self.residual and self.start == "identity"

    def last_factor_initializer(self) -> Any:
        """Returns the initializer of the weights that produce the output."""
        return "zeros" if self.starts_at_zero else projection_initializer()

    def _refuse_identity(self, reason: str) -> None:
        """Raises an error if the identity start needs a residual connection, and there is none."""
        problem = f"{reason}: start='identity' needs residual=True"
        require(self.start != "identity" or self.residual, problem, start=self.start, residual=self.residual)

    def concatenate(self, representations: Any) -> Any:
        """Returns R^ = [r_1; ...; r_N], `[..., N d']` (Eq. 7)."""
        self._check(representations)
        if _is_nest(representations):
            return ops.concatenate(list(representations), axis=-1)
        return reshape_last(representations, self.number * self.width, axes=2)

    def separate(self, representations: Any) -> list[Any]:
        """Returns the list r_1, ..., r_N, `[..., d']` each."""
        self._check(representations)
        if _is_nest(representations):
            return list(representations)
        return ops.unstack(representations, self.number, axis=-2)

    def _check(self, representations: Any) -> None:
        nest = _is_nest(representations)
        shape = [tuple(r.shape) for r in representations] if nest else tuple(representations.shape)
        problem = f"The layer was built for {self.number} representations of width {self.width}"
        require(_number_and_width(shape) == (self.number, self.width), f"{problem}. Received: shape {shape}")

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        # All representations have the same positions, so any of their masks is the mask of the output.
        return next((mask for mask in tree.flatten(previous_mask) if mask is not None), None)

    def compute_output_shape(self, representations_shape: Any) -> tuple[int | None, ...]:
        _, width = _number_and_width(representations_shape)
        nest = _is_nest(representations_shape[0])
        leading = representations_shape[0][:-1] if nest else representations_shape[:-2]
        return (*leading, width if self.units is None else self.units)


def _is_nest(x: Any) -> bool:
    return isinstance(x, (list, tuple))


def _number_and_width(shape: Any) -> tuple[int, int]:
    """Returns N and d' of a list of N shapes `[..., d']`, or of one shape `[..., N, d']`."""
    received = f"Received: shape {shape}"
    number: int | None
    width: int | None
    if _is_nest(shape) and shape and _is_nest(shape[0]):
        number, width = len(shape), shape[0][-1] if len(shape[0]) else None
        for other in shape:
            pairs = list(zip(shape[0], other, strict=False))
            if len(other) != len(shape[0]) or any(None not in pair and pair[0] != pair[1] for pair in pairs):
                raise ValueError(f"All representations must have the same shape. {received}")
    else:
        number, width = shape[-2:] if len(shape) > 1 else (None, None)
    if number is None or width is None:
        raise ValueError(
            "Representations must be a list of N tensors [..., d'] or one tensor [..., N, d'], with known N and d'. "
            f"{received}"
        )
    require(number >= 2, f"A composition needs at least two representations. {received}")
    return int(number), int(width)
