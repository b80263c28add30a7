"""Inner tensors of whole models: equal to what the layers return, for every kind of model, without padding."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.analysis import GoldAlignment, alignment_error_rate, gates, hidden_states, roles, sentence_vectors
from keras_nmt.analysis.layer_records import composition_parts
from keras_nmt.analysis.token_states import TENSORS
from keras_nmt.errors import UserError
from keras_nmt.ids import BOS, EOS
from keras_nmt.inference import Translator
from keras_nmt.layers import BilinearPooling, HierarchicalAggregation, LinearCombination, LowRankBilinearPooling
from keras_nmt.layers._taps import recording, tapping_outputs
from keras_nmt.models import Transformer, inner_layers

pytestmark = pytest.mark.usefixtures("eager")


@pytest.fixture
def graphs(eager):
    """Runs searches in graphs again: outputs of layers are read there alone."""
    tf.config.run_functions_eagerly(False)


def options(kind):
    return {} if kind == "mixed" else {"source_language": "en", "target_language": "de"}


def ids_of(translator, source, target):
    """The ids of a pair of texts, each `[1, N]`."""
    tokenizer = next(iter(translator.tokenizers.values()))
    ids = [tokenizer.tokenize([text])[0].numpy().tolist() for text in (source, target)]
    return tf.constant([[*ids[0], EOS]]), tf.constant([[BOS, *ids[1]]])


def by_row(batches, side, name):
    """A tensor `[..., N, d]` of each text of a corpus, by its row."""
    found = {}
    for batch in batches:
        states = getattr(batch, side)
        for i, row in enumerate(states.rows):
            found[int(row)] = getattr(states, name)[..., states.sentences == i, :]
    return found


@pytest.mark.parametrize("kind", ["mixed", *(pytest.param(x, marks=pytest.mark.slow) for x in ("bridged", "labelled"))])
def test_states_and_attention_are_those_of_the_model_whatever_the_batch(kind, request, lines, translated):
    translator = request.getfixturevalue(kind)
    some, others = lines[:20], translated[:20]
    batches = list(hidden_states(translator, some, others, tensors=TENSORS, max_tokens=60, **options(kind)))
    assert len(batches) > 1
    pair = translator.model.pair(*(options(kind).values() or ("source", "target")))
    sources, targets = (by_row(batches, side, "output") for side in ("source", "target"))
    assert sorted(sources) == list(range(len(some)))
    attention = {
        int(row): weights  # [L, H, T, S]
        for batch in batches
        if kind != "bridged"
        for row, weights in zip(batch.target.rows, batch.target.attention["cross"], strict=True)
    }
    for row in (0, 1, 7):
        ids = ids_of(translator, lines[row], translated[row])
        memory = pair.encoder(ids[0])
        side = pair.decoder_for(pair.directions[0][1]) if kind == "mixed" else translator.model.decoder_for("de")
        logits = side.embedding(targets[row][None], reverse=True)
        np.testing.assert_allclose(logits, pair(ids), rtol=1e-3, atol=1e-3)
        if kind != "bridged":
            states = memory["states"][0][pair.positions_before_source :]
            np.testing.assert_allclose(sources[row], states, rtol=1e-4, atol=1e-5)
            for layer, weights in enumerate(attention[row], start=1):
                expected = pair.attention(memory, ids[1], layer)[0]
                np.testing.assert_allclose(weights.mean(0), expected, atol=1e-5)
    if kind == "mixed":
        batch = batches[0]
        n = len(ids_of(translator, lines[int(batch.source.rows[0])], "")[0][0])
        assert batch.source.attention["self"][0].shape == (2, 2, n, n)
        own = batch.target.attention["self"][0]
        np.testing.assert_allclose(own.sum(-1), 1, atol=1e-5)
        assert not np.triu(own, 1).any()  # causal


@pytest.mark.slow
def test_the_outputs_of_layers_are_those_of_the_model_text_by_text(mixed, lines, graphs):
    """Layers of all classes, also those that record nothing, on both sides."""
    patterns = ["*layer_2", "decoder/layer_1/cross_attention/*", "embedding", "encoder/final_norm"]
    targets = lines[::-1]  # of the lengths of the sources, in another order: batches of two sides of one length
    layers = inner_layers(mixed.model)
    rows = 0
    for batch in hidden_states(mixed, lines, targets, layers=patterns, max_tokens=100):
        for i in range(len(batch.source.rows)):
            row = int(batch.source.rows[i])
            if row not in (0, 1, 7):
                continue
            rows += 1
            source, target = ids_of(mixed, lines[row], targets[row])
            m, n = source.shape[1], target.shape[1]
            found = {(side, path): x[i] for side in (0, 1) for path, x in batch[side].layers.items()}
            # Keys and values are of the source, queries of the target.
            assert [x.shape for x in found[1, "decoder/layer_1/cross_attention/key_value"]] == [(m, 8)] * 2
            assert found[1, "decoder/layer_1/cross_attention/query"].shape == (n, 8)
            for key, output in {
                (0, "embedding"): layers["embedding"](source)[0],
                (1, "embedding"): layers["embedding"](target)[0],
                (0, "encoder/final_norm"): mixed.model.encoder(source)["states"][0],
                (1, "embedding:2"): mixed.model([source, target])[0],  # the second call gives the logits
                (0, "encoder/layer_2"): batch.source.states[2][batch.source.sentences == i],
                (1, "decoder/layer_2"): batch.target.states[2][batch.target.sentences == i],
            }.items():
                np.testing.assert_allclose(found[key], output, rtol=1e-3, atol=1e-3)
    assert rows == 3


def test_gates_are_those_that_the_stack_returns(mixed, lines):
    batch = next(hidden_states(mixed, lines[:1], lines[:1], tensors=TENSORS))
    embedded = batch.source.states[:1]  # E, [1, N, d]
    _, found = mixed.model.get_layer("encoder")(embedded, return_gates=True)
    np.testing.assert_allclose(batch.source.gates["self"][1][:, 0], found[1][0][0], atol=1e-5)
    np.testing.assert_allclose(batch.source.gates["self"][1][:, 1], found[1][1][0], atol=1e-5)
    _, found = mixed.model.get_layer("decoder")(
        batch.target.states[:1], batch.source.output[None], embedded, return_gates=True
    )
    np.testing.assert_allclose(batch.target.gates["cross"][0][:, 1], found[0]["cross"][1][0], atol=1e-5)


def test_roles_compositions_and_the_bridge(mixed, bridged, lines, attentions, sentences):
    batch = next(hidden_states(mixed, lines, lines, tensors=TENSORS))
    assert batch.source.roles.shape == (len(batch.source.ids), 4)
    assert set(batch.source.roles.sum(1)) == {1}
    assert any(path.endswith("encoder/layer_composition") for path in batch.source.composition)
    assert len(batch.source.composition) == 3  # two layers' heads, and the layers
    assert len(batch.target.composition) == 5  # of self- and cross-attention
    batch = next(hidden_states(bridged, sentences, tensors=["bridge"], source_language="de", target_language="de"))
    order = batch.source.rows.tolist()
    for row, attention in enumerate(attentions):
        np.testing.assert_allclose(batch.source.bridge[1][order.index(row)], attention.attention, atol=1e-5)
    mean, rows = bridged.embed(sentences, "de")
    languages = {"source_language": "de", "target_language": "de"}
    np.testing.assert_allclose(sentence_vectors(bridged, sentences, "mean", **languages), mean, atol=1e-5)
    np.testing.assert_allclose(sentence_vectors(bridged, sentences, "head:3", **languages), rows[:, 2], atol=1e-5)
    heads = sentence_vectors(bridged, sentences, "heads", **languages)
    np.testing.assert_allclose(heads, rows.reshape(len(sentences), -1), atol=1e-5)


def test_vectors_are_means_over_tokens(mixed, lines):
    states = by_row(hidden_states(mixed, lines), "source", "states")
    vectors = sentence_vectors(mixed, lines, "layer:1")
    np.testing.assert_allclose(vectors, [states[row][1].mean(0) for row in range(len(lines))], atol=1e-5)


def test_positions_map_to_subwords_and_words(mixed):
    batch = next(hidden_states(mixed, ["three old houses"], ["three old"]))
    for side, texts in ((batch.source, ["three", "old", "houses"]), (batch.target, ["three", "old"])):
        words = {}
        for subword, word in zip(side.subwords, side.words, strict=True):
            words[word] = words.get(word, "") + subword
        assert words.pop(-1) == ("<s>" if side.is_target else "</s>")
        assert [words[i].lstrip("▁") for i in range(len(texts))] == texts
    # A corpus is read as it is needed.
    assert len(next(hidden_states(mixed, itertools.repeat("the cat"), max_tokens=30)).source.texts) < 30


def test_errors_name_what_is_missing(mixed, bridged, plain, lines, graphs):
    text, texts = "the old cat", ["the old cat"] * 11
    gold = [GoldAlignment(frozenset({(0, 0)}), frozenset())]
    languages = {"source_language": "en", "target_language": "de"}
    for call, message in (
        (lambda: hidden_states(mixed, ["a"], tensors=["stats"]), "no such `tensors`; known are states"),
        (lambda: hidden_states(bridged, ["a"]), "languages en, de"),
        (lambda: hidden_states(mixed, ["a"], layers=["*/feed_forward", "*/feed"]), r"No layer .*Received: \*/feed$"),
        (lambda: next(hidden_states(mixed, ["a", "b"], ["a"])), "a target for each source"),
        (lambda: next(hidden_states(plain, ["a"], tensors=["roles", "bridge"])), "no roles and no attention bridge. "),
        (lambda: sentence_vectors(mixed, ["a"], "layer:9"), "layers 1 to 2"),
        (lambda: sentence_vectors(mixed, ["a"], "head"), "`vectors` must be"),
        (lambda: sentence_vectors(mixed, []), "at least one sentence"),
        (lambda: gates(plain, lines), "no shortcuts with gates"),
        (lambda: alignment_error_rate(bridged, ["a"], ["a"], gold, **languages), "attend"),
        (lambda: hidden_states(plain, texts, text), "not one string"),
        (lambda: roles(plain, texts, references=text), "not one string"),
    ):
        with pytest.raises(UserError, match=message):
            call()
    next(hidden_states(plain, ["a small cat"], tensors=["roles", "states"]))
    with pytest.raises(UserError, match=r"need target texts.*Received: decoder/\*$"):
        next(hidden_states(mixed, ["a"], layers="decoder/*"))


def test_composition_parts_of_a_low_rank_pooling():
    layer = LowRankBilinearPooling(rank=5)
    r = np.random.default_rng(0).normal(size=(3, 4, 6)).astype("float32")  # n representations of 4 positions
    layer(list(r))
    layer.ones_row.assign(np.linspace(-1, 1, 10))
    u, v = np.split(layer.factors.numpy(), 2, axis=1)
    b_u, b_v = np.split(layer.ones_row.numpy(), 2)
    p = layer.projection.numpy()
    lefts, rights = ([x @ m[6 * i : 6 * i + 6] for i, x in enumerate(r)] for m in (u, v))
    parts = composition_parts(layer, list(r))
    for i in range(3):
        first = (lefts[i] * b_v + b_u * rights[i]) @ p
        second = (lefts[i] * sum(rights) + sum(lefts) * rights[i]) @ p / 2
        np.testing.assert_allclose(parts["first"][:, i], np.linalg.norm(first, axis=1), rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(parts["second"][:, i], np.linalg.norm(second, axis=1), rtol=1e-3, atol=1e-4)


def test_parts_sum_to_compositions_of_second_order():
    r = list(np.random.default_rng(1).normal(size=(3, 4, 6)).astype("float32"))
    for layer, is_second_order in (
        (LinearCombination(), True),
        (BilinearPooling(), True),
        (LowRankBilinearPooling(first_order=False), True),
        (HierarchicalAggregation(3), False),
    ):
        layer(r)
        parts = composition_parts(layer, r)
        assert bool(np.mean(parts["rest"]) < 1e-3) == is_second_order
        if isinstance(layer, LinearCombination):
            assert np.max(parts["second"]) < 1e-4
            norms = [np.linalg.norm(x @ layer.kernel.numpy()[6 * i : 6 * i + 6], axis=1) for i, x in enumerate(r)]
            np.testing.assert_allclose(parts["first"], np.stack(norms, 1), rtol=1e-4)


@pytest.mark.slow
def test_a_cheap_decoder_has_no_self_attention_and_tied_layers_have_values_of_each_depth(tokenizer, graphs):
    sizes = {"num_encoder_layers": 2, "num_decoder_layers": 2, "hidden_dim": 8, "num_heads": 2}
    cheap = {"decoder_self_attention": "ssru", "tied_layers": ["encoder", "decoder"], "head_composition": "low_rank"}
    translator = Translator(Transformer(60, **sizes, **cheap), tokenizer)
    tensors = ["attention", "composition"]
    (batch,) = hidden_states(translator, ["a small cat"], ["a cat"], tensors=tensors, layers="decoder/*/self_attention")
    assert [len(batch.source.attention["self"][0]), len(batch.target.attention["cross"][0])] == [2, 2]
    with pytest.raises(UserError, match="has no such attention; it has cross. Received: 'self'$"):
        batch.target.attention["self"]
    paths = ["decoder/layer_1/self_attention", "decoder/layer_1/self_attention:2"]  # the outputs of the SSRU
    assert list(batch.target.layers) == paths
    paths = [path.replace("decoder", "encoder").replace("attention", "attention/head_composition") for path in paths]
    assert list(batch.source.composition) == paths
    first, second = (batch.source.composition[path]["second"] for path in paths)
    assert not np.allclose(first, second)


@pytest.mark.slow
def test_the_outputs_of_layers_leave_out_a_label_and_what_runs_in_a_loop(labelled, lines, translated, graphs):
    texts, languages = (lines, translated), options("labelled")
    batch = next(hidden_states(labelled, *texts, layers=["encoder", "decoder/*", "embedding"], **languages))
    assert {"embedding", "decoder/attentional"} & set(batch.target.layers) == {"embedding"}
    found = np.concatenate([states for states, *_ in batch.source.layers["encoder"]])  # final states follow
    np.testing.assert_allclose(found, batch.source.output, atol=1e-5)
    with pytest.raises(UserError, match=r"None of these layers is called.*loop.* Received: decoder/cell_\*$"):
        next(hidden_states(labelled, *texts, layers="decoder/cell_*", **languages))


def test_a_layer_that_is_read_stays_as_it_was(plain, lines):
    layer, threads = inner_layers(plain.model)["encoder/layer_1"], []
    inputs = np.ones((1, 2, 16), "float32")
    with recording() as records, tapping_outputs([layer]):
        expected = layer(inputs)
        with ThreadPoolExecutor() as pool:
            threads.append(pool.submit(layer, inputs).result())
        assert [record.layer for record in records if record.name == "output"] == [layer]
    np.testing.assert_array_equal(threads[0], expected)
    assert "call" not in vars(layer)
