"""Hierarchical aggregation against its equations, tree by tree and node by node."""

import numpy as np
import pytest

from keras_nmt.layers import HierarchicalAggregation

WIDTH = 4


def _agg(weights, *joining):  # LN(FFN([x; y; z]) + x + y + z)
    w_1, b_1, w_2, b_2, scale, offset = weights
    x = np.maximum(np.concatenate(joining, -1) @ w_1 + b_1, 0) @ w_2 + b_2 + sum(joining)
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-6) * scale + offset


def _weights_of(layer, node):
    by_path = {w.path.split("/", 1)[1]: np.asarray(w) for w in layer.weights}
    feed_forward, norm = f"feed_forward_{node}", f"norm_{node}"
    names = ("inner/kernel", "inner/bias", "outer/kernel", "outer/bias")
    return [by_path[f"{feed_forward}/{n}"] for n in names] + [by_path[f"{norm}/{n}"] for n in ("gamma", "beta")]


TREES = {2: [(0, 1)], 5: [(0, 1), (2, 3), (4,)], 6: [(0, 1), (2, 3), (4, 5)]}


@pytest.mark.parametrize("number", TREES)
def test_follows_the_tree_and_so_do_nodes_one_by_one(random, randomised, number):
    layer = randomised(HierarchicalAggregation(number, intermediate_dim=7), (None, number, WIDTH))
    r = [random(2, 5, WIDTH) for _ in range(number)]
    aggregate = []
    for node, joining in enumerate(TREES[number]):
        aggregate = [_agg(_weights_of(layer, node), *[r[i] for i in joining], *aggregate)]
    np.testing.assert_allclose(layer(r), aggregate[0], rtol=1e-3, atol=1e-4)
    previous, waiting, nodes = None, [], []
    for count, representation in enumerate(r, start=1):
        waiting.append(representation)
        if (node := layer.node_after(count)) is not None:
            previous, waiting = layer.aggregate(node, waiting, previous), []
            nodes.append(node)
    assert nodes == list(range(len(TREES[number])))
    assert not waiting
    np.testing.assert_allclose(previous, layer(r), rtol=1e-6, atol=1e-6)


def test_a_projection_gives_another_width(random, randomised):
    layer = randomised(HierarchicalAggregation(2, units=7), (None, 2, WIDTH))
    r = [random(2, 5, WIDTH) for _ in range(2)]
    projection = next(np.asarray(w) for w in layer.weights if w.path.endswith("projection/kernel"))
    np.testing.assert_allclose(layer(r), _agg(_weights_of(layer, 0), *r) @ projection, rtol=1e-3, atol=1e-4)
    assert layer.compute_output_shape([x.shape for x in r]) == (2, 5, 7)


def test_representations_of_another_node_or_number_are_rejected(random, randomised):
    with pytest.raises(ValueError, match="There must be 4 representations. Received: 3"):
        HierarchicalAggregation(4).build((2, 3, WIDTH))
    layer = randomised(HierarchicalAggregation(3), (None, 3, WIDTH))
    x = random(2, WIDTH)
    for node, joining, previous in [
        (0, [x], None),
        (0, [x, x], x),
        (1, [x, x], x),
        (1, [x], None),
        (-1, [x], x),
        (2, [x], x),
    ]:
        with pytest.raises(ValueError, match=f"Node {node} takes"):
            layer.aggregate(node, joining, previous)
    for number in (0, 4):
        with pytest.raises(ValueError, match="`number` must be from 1 to 3"):
            layer.node_after(number)
