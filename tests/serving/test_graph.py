"""What the graph of an export holds: no routing for one direction, and little beside the weights."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from small import make_shortlist
from tensorflow.core.protobuf import saved_model_pb2

from keras_nmt.inference.batching import PARTS_OF_A_REQUEST_AT_ONCE
from keras_nmt.serving import export

LIMIT = 4 * 2**20  # bytes of the graph, all signatures together, beside weights and subwords
ROUTING = {"If", "StatelessIf", "Case", "StatelessCase", "Switch", "Merge", "RefSwitch", "InvertPermutation"}


def graph_of(folder):
    return saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes()).meta_graphs[0].graph_def


@pytest.mark.parametrize("signature", ["serving_default", "serving_default_xla", "score", "score_xla"])
def test_one_direction_has_no_routing(exported, reached, signature):
    operators, _ = reached(exported, signature)
    assert "SentencepieceTokenizeOp" in operators  # the walk reaches what is inside
    # Sentences leave the batch of the plain search under a condition.
    leaving = {"If", "StatelessIf"} if signature == "serving_default" else set()
    assert not operators & (ROUTING - leaving)


# The operators of nodes that TensorFlow runs one after the other. A resource is read before the loops.
STATEFUL = {"While", "If", "Case", "StatefulPartitionedCall", "Assert", "ReadVariableOp", "ResourceGather"}
STATEFUL |= {"SentencepieceOp", "SentencepieceTokenizeOp", "SentencepieceDetokenizeOp", "SentencepieceIdToStringOp"}


def check_loops(folder, signatures):
    """Every loop of an export, the loop over parts of a request too, is free to overlap with itself and with others."""
    meta_graph = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes()).meta_graphs[0]
    assert set(signatures) <= set(meta_graph.signature_def)
    library = {function.signature.name: function for function in meta_graph.graph_def.library.function}
    loops = [node for function in library.values() for node in function.node_def if node.op.endswith("While")]
    over_parts = [node for node in loops if node.attr["parallel_iterations"].i == PARTS_OF_A_REQUEST_AT_ONCE]
    assert len(over_parts) >= len(set(signatures) - {"translate"})  # the same as `serving_default`
    waiting, seen = [node.attr["body"].func.name for node in loops], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for node in library[name].node_def:
            assert node.op not in STATEFUL, (name, node.name)
            called = (function.name for value in node.attr.values() for function in (value.func, *value.list.func))
            waiting.extend(set(called) & set(library) - seen)
    assert any("MatMul" in node.op for name in seen for node in library[name].node_def)  # the walk goes into functions


@pytest.mark.nightly
def test_loops_hold_no_operators_that_tensorflow_keeps_in_order(
    exported, exported_sampler, exported_label, exported_multilingual, model, tokenizers, tmp_path
):
    check_loops(exported, ["serving_default", "serving_default_xla", "score", "score_xla"])
    check_loops(exported_sampler, ["sample", "sample_xla"])
    check_loops(exported_label, ["serving_default", "translate", "search", "search_xla", "align", "align_xla"])
    check_loops(exported_multilingual, ["serving_default", "translate_de_fr", "embed", "embed_xla"])
    pairs = [("one cat", "eine katze"), ("old house", "altes haus")]
    shortlist = make_shortlist(tokenizers, *zip(*pairs, strict=True), [[(0, 0), (1, 1)]] * len(pairs))
    more = {"shortlist": shortlist, "shortlist_size": 40, "signatures": ["tokens", "align"], "quantize": "int8"}
    more["unknown"] = "replace"
    check_loops(export(tmp_path, model, tokenizers, **more), ["serving_default", "tokens", "tokens_xla", "align"])


def test_several_directions_have_routing(exported_multilingual, reached):
    """The operators above are those of routing."""
    operators, _ = reached(exported_multilingual, "serving_default")
    for kinds in ({"Case", "StatelessCase"}, {"If", "StatelessIf"}, {"InvertPermutation"}):
        assert operators & kinds


def size_beside_weights(folder):
    return sum(x.stat().st_size for x in folder.rglob("*") if x.is_file() and x.parent.name != "variables")


def test_a_graph_is_small(exported, tokenizers):
    subwords = sum(len(tokenizer.proto) for tokenizer in tokenizers.values())
    assert size_beside_weights(exported) - subwords <= LIMIT // 2  # of a layer on each side, without sampling
    assert (exported / "fingerprint.pb").is_file()


@pytest.mark.nightly
def test_the_graph_of_a_large_model_is_small(make_model, source_tokenizer, lines, tmp_path):
    """A model with as many layers as the base preset, with samples and warm-up records. Widths do not matter.

    The signatures on request add half of the limit at most.
    """
    model = make_model(num_encoder_layers=6, num_decoder_layers=6, shortcuts=None)
    options = {"warmup": lines, "warmup_xla": True, "sample": True, "top_k": 5}
    larger = export(tmp_path, model, source_tokenizer, **options, signatures=["search", "align"])
    assert size_beside_weights(larger) - len(source_tokenizer.proto) <= LIMIT * 3 // 2
    folder = export(tmp_path, model, source_tokenizer, **options)
    assert size_beside_weights(folder) - len(source_tokenizer.proto) <= LIMIT

    # The weights are there once, and so is each of the model's parts.
    weights = 4 * model.count_params()
    assert sum(file.stat().st_size for file in (folder / "variables").iterdir()) <= 1.1 * weights + 2**17
    projections = [sum(node.op == "MatMul" for node in x.node_def) for x in graph_of(folder).library.function]
    # Encoder and score; preparation and step, of search and of sampling.
    assert sum(count > 6 for count in projections) <= 6


def test_many_rows_together_equal_each_row_alone(exported_sampler, translator, lines):
    signatures = tf.saved_model.load(str(exported_sampler)).signatures  # of one shape: little is compiled
    many = lines * 3
    found = signatures["serving_default_xla"](text=tf.constant(many))
    expected = [x.hypotheses for x in translator.with_options(num_hypotheses=2).translate(lines)]
    texts = [[text.decode() for text in row] for row in found["translation"].numpy()]
    assert texts == [[x.text for x in row] for row in expected] * 3
    np.testing.assert_allclose(found["score"], [[x.score for x in row] for row in expected] * 3, atol=1e-4)
