"""Hierarchical aggregation of representations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.layers._common import check_positive, layer_norm, optional_size
from keras_nmt.layers.composition_layer import CompositionLayer
from keras_nmt.layers.feed_forward import FeedForward


@keras.saving.register_keras_serializable(package="keras_nmt")
class HierarchicalAggregation(CompositionLayer):
    """Composes N representations in a tree of filter size two; each node also reads the previous node's aggregate.

        a_0 = AGG(r_1, r_2)    a_1 = AGG(r_3, r_4, a_0)    a_2 = AGG(r_5, r_6, a_1)    ...
        AGG(x, y[, z]) = LN(FFN([x; y; z]) + x + y + z)        FFN(x) = relu(x W_1 + b_1) W_2 + b_2

    The last node's aggregate is the output. If N is odd, the last node is AGG(r_N, a).

    `call` runs the whole tree. A stack whose next layer reads the aggregate runs the tree node by node: after layer l,
    it calls `node_after(l)`, and passes the representations of that node to `aggregate`.

    An aggregate is normalised, so it is never a single representation, and the equation allows no identity start. With
    `residual=True`, the last `units` neurons of [r_1; ...; r_N] are added to the output. (A stack adds each node's
    aggregate to the state that it would otherwise replace.) For the identity start, the scales of the LayerNorms are
    then initially zero, or the projection to `units` if there is one.

    Args:
        num_representations: Integer, N.
        intermediate_dim: Integer, width between the two projections of FFN. Defaults to 4 d'.
        units: Integer, width of the output. If it differs from d', a projection without bias follows the last node.
            Defaults to d'.
        start: "random", or "identity", which needs `residual`. Defaults to "random".
        residual: Boolean, whether the last `units` neurons are added. Defaults to False.
        **kwargs: Further arguments of `keras.layers.Layer`, such as `name` and `dtype`.

    Inputs and outputs are those of `CompositionLayer`.

    Raises:
        ValueError: The number of representations is not `num_representations` or below two, their shapes differ, or
            `start` is unknown or needs `residual`.

    Example:

    >>> import numpy as np
    >>> layers = [np.random.rand(2, 7, 16).astype("float32") for _ in range(6)]
    >>> tree = HierarchicalAggregation(6)
    >>> tuple(tree(layers).shape)
    (2, 7, 16)
    >>> [tree.node_after(l) for l in range(1, 7)]
    [None, 0, None, 1, None, 2]

    Reference:
        [Dou et al., 2018](https://arxiv.org/abs/1810.10181), hierarchical aggregation;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), table 1, rows 3 to 5.
    """

    def __init__(
        self,
        num_representations: int,
        intermediate_dim: int | None = None,
        units: int | None = None,
        *,
        start: str = "random",
        residual: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, start=start, residual=residual, **kwargs)
        check_positive(num_representations=num_representations)
        self.num_representations = int(num_representations)
        self.intermediate_dim = optional_size("intermediate_dim", intermediate_dim)
        self.num_nodes = (self.num_representations + 1) // 2

    @property
    def is_normalised(self) -> bool:
        """Whether the last states of a stack with this composition are already normalised."""
        return not self.residual

    def build_composition(self, number: int, width: int) -> None:
        if number != self.num_representations:
            raise ValueError(f"There must be {self.num_representations} representations. Received: {number}")
        self._refuse_identity("An aggregate is normalised, so it is never a single representation")
        self.projection = None
        if self.output_width != width:
            self.projection = keras.layers.Dense(
                self.output_width,
                use_bias=False,
                kernel_initializer=self.last_factor_initializer(),
                dtype=self.dtype_policy,
                name="projection",
            )
            self.projection.build((None, width))
        scale = "zeros" if self.starts_at_zero and self.projection is None else "ones"
        intermediate_dim = 4 * width if self.intermediate_dim is None else self.intermediate_dim
        self.feed_forwards, self.norms = [], []
        for node in range(self.num_nodes):
            joining = self._joining(node) + (node > 0)  # 2 or 1 representations, and the previous aggregate
            feed_forward = FeedForward(intermediate_dim, width, dtype=self.dtype_policy, name=f"feed_forward_{node}")
            norm = layer_norm(self.dtype_policy, f"norm_{node}", scale)
            feed_forward.build((None, joining * width))
            norm.build((None, width))
            self.feed_forwards.append(feed_forward)
            self.norms.append(norm)

    def _joining(self, node: int) -> int:
        return min(2, self.num_representations - 2 * node)

    def node_after(self, number: int) -> int | None:
        """Returns the node that representation `number` completes, if any.

        Args:
            number: Integer from 1 to N.

        Returns:
            The node, from 0, or None.
        """
        if not 1 <= number <= self.num_representations:
            raise ValueError(f"`number` must be from 1 to {self.num_representations}. Received: number={number!r}")
        return (number - 1) // 2 if number % 2 == 0 or number == self.num_representations else None

    def aggregate(self, node: int, representations: Sequence[Any], previous: Any = None) -> Any:
        """Computes the aggregate of one node.

        Args:
            node: Integer, the node, from 0.
            representations: List of the node's two tensors `[..., d']`; the last node has one tensor if N is odd.
            previous: Tensor `[..., d']`, the aggregate of the previous node. Must be None at node 0, and only there.

        Returns:
            Tensor `[..., d']`.
        """
        if len(representations) != self._joining(node) or (previous is None) != (node == 0):
            raise ValueError(
                f"Node {node} takes {self._joining(node)} representations and {min(node, 1)} previous aggregates. "
                f"Received: {len(representations)} and {int(previous is not None)}"
            )
        joining = [*representations] if previous is None else [*representations, previous]  # x, y[, z]
        output = self.feed_forwards[node](ops.concatenate(joining, axis=-1))  # FFN([x; y; z])
        for representation in joining:
            output = output + representation
        return self.norms[node](output)  # [..., d']

    def compose(self, representations: Any) -> Any:
        separate = [ops.cast(r, self.compute_dtype) for r in self.separate(representations)]
        previous = None
        for node in range(self.num_nodes):
            previous = self.aggregate(node, separate[2 * node : 2 * node + 2], previous)
        return previous if self.projection is None else self.projection(previous)
