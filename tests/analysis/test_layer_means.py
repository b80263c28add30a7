"""Means over layers: similarity, gates of shortcuts, and parts of compositions."""

import keras
import numpy as np
import pytest
from own_mechanisms import Mixing
from planted import changed

from keras_nmt.analysis import TaggedSentence, by_frequency, by_tag, composition, gates, hidden_states, similarity
from keras_nmt.errors import UserError
from keras_nmt.inference import Translator
from keras_nmt.layers import Composition, CompositionLayer, LayerSpec
from keras_nmt.models import Transformer

pytestmark = pytest.mark.usefixtures("eager")


def test_similarity_is_a_mean_over_positions(mixed, plain, lines, translated):
    cosines = []
    for batch in hidden_states(mixed, lines, translated):
        first, _, last = batch.target.states
        norms = np.sqrt((first**2).sum(1) * (last**2).sum(1))
        cosines.extend((first * last).sum(1) / norms)
    found = similarity(mixed, lines, translated)
    assert list(found.values) == [(side, layer) for side in ("encoder", "decoder") for layer in "12"]
    assert found.values["decoder", "2"] == pytest.approx(np.mean(cosines), abs=1e-5)
    assert len(found.samples["decoder", "2"]) == len(lines)
    assert similarity(plain, lines).values["encoder", "1"] == pytest.approx(1)


def test_planted_gates_are_found(mixed, lines, translated):
    found = gates(changed(mixed, "gate_bias", 60.0), lines, translated, by_head=True)
    groups = {group for group, _ in found.values}
    assert {"encoder self keys", "decoder self values", "decoder cross keys"} <= groups
    assert ("decoder cross keys, layer 1, head", "2") in found.values
    assert list(found.values.values()) == pytest.approx([1] * len(found.values), abs=1e-3)
    histogram = found.details["histograms"]["encoder self keys 1"]
    assert histogram[-1] == sum(histogram) > 0
    axes = found.plot().axes  # small differences do not fill the height
    assert len(axes) > 3
    assert all((0, 1) in (of.get_xlim(), of.get_ylim()) for of in axes)


def test_gates_by_tag(mixed):
    sentences = [TaggedSentence("the cat", (0, 4), ("DET", "NOUN")), TaggedSentence("old cat", (0, 4), ("ADJ", "NOUN"))]
    found = gates(mixed, [sentence.text for sentence in sentences], groups=by_tag(sentences))
    expected = {"NOUN": [], "DET": [], "ADJ": []}
    for batch in hidden_states(mixed, [sentence.text for sentence in sentences], tensors=["gates"]):
        side = batch.source
        for i, (text, word) in enumerate(zip(side.sentences, side.words, strict=True)):
            if word >= 0:
                expected[sentences[side.rows[text]].tags[word]].append(side.gates["self"][0, i, 0].mean())
    for tag, values in expected.items():
        assert found.values["encoder self keys, layer 1", tag] == pytest.approx(np.mean(values), abs=1e-5)


@pytest.mark.slow
def test_gates_of_fewer_heads_of_keys_and_values(tokenizer, lines):
    sizes = {"num_encoder_layers": 1, "num_decoder_layers": 1, "num_heads": 4, "hidden_dim": 8}
    model = Transformer(60, num_key_value_heads=2, shortcuts="fusion", **sizes)
    found = gates(Translator(model, tokenizer), lines, lines, by_head=True)
    for group in ("encoder self keys", "decoder self values"):
        assert [head for of, head in found.values if of == f"{group}, layer 1, head"] == ["1", "2"]
    (batch,) = hidden_states(Translator(model, tokenizer), lines, tensors=["gates"])
    expected = batch.source.gates["self"][0, :, 0, -2:].mean()  # a head has 8 / 4 features
    assert found.values["encoder self keys, layer 1, head", "2"] == pytest.approx(expected)


@pytest.mark.slow
def test_gates_over_a_bridge_do_not_depend_on_the_batch(make_multilingual):
    transformer = {"num_heads": 2, "shortcuts": {"kind": "fusion", "sites": ["cross"]}}
    model, tokenizers = make_multilingual("transformer", ["de", "zh-Hans"], transformer=transformer)
    translator = Translator(model, tokenizers["de"])
    texts, languages = ["the", "the cat sat"], {"source_language": "de", "target_language": "zh-Hans"}
    lengths = [len(x) + 1 for x in translator.tokenizers["de"].tokenize(texts).to_list()]
    assert lengths == [2, 4]  # as many tokens as vectors of the bridge
    together, apart = (gates(translator, texts, texts, max_tokens=n, **languages) for n in (100, 1))
    assert together.values == pytest.approx(apart.values, abs=1e-6)
    key = "decoder cross keys", "1"
    first, second = (gates(translator, [text], [text], **languages).values[key] for text in texts)
    assert together.values[key] == pytest.approx((2 * first + 4 * second) / 6, abs=1e-5)
    assert abs(first - second) > 1e-3
    histogram = together.details["histograms"]["decoder cross keys 1"]
    assert sum(histogram) == 2 * 3 * 8  # vectors of two texts
    assert apart.details["histograms"]["decoder cross keys 1"] == histogram


def test_groups_of_numbers_are_in_order_whatever_the_batch(mixed, lines):
    groups = by_frequency(mixed, lines)
    for max_tokens in (20, 4096):
        found = gates(mixed, lines, groups=groups, max_tokens=max_tokens)
        bins = [item for group, item in found.values if group == "encoder self keys, layer 1"]
        assert bins == [str(i) for i in range(1, 11)]


def test_compositions_have_a_group_for_each_order(mixed, lines):
    found = composition(mixed, lines)
    layers = [group for group, _ in found.values if "layer_composition" in group]
    assert len(layers) == 4  # two layers, two orders
    assert all(value > 0 for key, value in found.values.items() if "layer_composition, first" in key[0])
    heads = [value for key, value in found.values.items() if "head_composition, first" in key[0]]
    assert heads == pytest.approx([0] * len(heads), abs=1e-4)  # low rank has no first order


@keras.saving.register_keras_serializable(package="of_tests")
class Halves(CompositionLayer):
    """0.5 r_1 + 0.5 r_2 + ..., a composition that the package does not have."""

    def build_composition(self, number, width):
        pass

    def compose(self, representations):
        return 0.5 * sum(self.separate(representations))


SIZES = {"num_encoder_layers": 2, "num_decoder_layers": 2, "hidden_dim": 8, "num_heads": 2, "norm": "post"}


@pytest.mark.slow
def test_parts_of_a_composition_of_ones_own(tokenizer, lines):
    model = Translator(Transformer(60, layer_composition=LayerSpec(Halves), **SIZES), tokenizer)
    found = composition(model, lines).values
    (batch,) = hidden_states(model, lines)
    for number in (1, 2):
        norms = np.linalg.norm(0.5 * batch.source.states[number], axis=-1)
        (value,) = (x for (group, item), x in found.items() if "first order" in group and item == str(number))
        assert value == pytest.approx(norms.mean(), rel=1e-3)
    assert max(x for (group, _), x in found.items() if "second order" in group) < 1e-4
    other = Transformer(60, layer_composition=LayerSpec(Mixing), **SIZES)
    with pytest.raises(UserError, match="derives from `keras_nmt.layers.CompositionLayer`"):
        composition(Translator(other, tokenizer), lines)


@pytest.mark.slow
def test_the_residual_path_of_a_composition_is_of_first_order(tokenizer, lines):
    """At the identity start of a composition without first order, all of the output is the residual path's."""
    own = Composition("low_rank", residual=True, start="identity")
    model = Translator(Transformer(60, layer_composition=own, **SIZES), tokenizer)
    found = composition(model, lines).values
    (batch,) = hidden_states(model, lines)
    of_order = {(group.split(", ")[1], item): x for (group, item), x in found.items() if "encoder" in group}
    norms = np.linalg.norm(batch.source.states[2], axis=-1)
    assert of_order["first order", "2"] == pytest.approx(norms.mean(), rel=1e-3)
    assert of_order["first order", "1"] == pytest.approx(0, abs=1e-5)
    assert of_order["second order", "2"] == pytest.approx(0, abs=1e-5)
