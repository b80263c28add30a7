"""Models as tasks of keras_hub: the same logits and translations as ours, presets, training, samplers."""

import json

import keras
import numpy as np
import pytest
from small import slow

from keras_nmt.errors import UserError
from keras_nmt.hub import BeamSampler, TranslationBackbone, TranslationSeq2SeqLM, TranslationTokenizer
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference import Translator

SEARCH = {"beam_size": 3, "length_buckets": [6, 12], "max_length_factor": 1}
# Each mechanism, each position of norms, and each kind of layer that a decoder may have.
COMBINATIONS = {
    "plain": {"shortcuts": None},
    "joint": {"shortcuts": None, "target_vocabulary_size": None, "source_vocabulary_size": 100},
    "untied": {"shortcuts": None, "tie_embeddings": False, "logits_bias": True, "norm": "post", "attention_bias": True},
    "plain shortcuts": {"shortcuts": "plain", "source_end": False},
    "fusion everywhere": {},
    "non-lexical": {"shortcuts": {"kind": "fusion", "source": "non_lexical"}, "num_decoder_layers": 2},
    "linear": {"shortcuts": None, "layer_composition": "linear", "num_encoder_layers": 2, "num_decoder_layers": 2},
    "trees": {
        "shortcuts": None,
        "layer_composition": "hierarchical",
        "head_composition": "hierarchical",
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
    },
    "low rank": {"head_composition": {"kind": "extended", "rank": 4}, "num_key_value_heads": 1, "positions": "rotary"},
    "roles": {"roles": {"kind": "softmax", "num_roles": 4}, "norm": "rms", "feed_forward": "swiglu"},
    "contextualized": {"roles": {"kind": "contextualized", "num_roles": 4, "context": "cnn"}, "embedding_norm": True},
    "recurrent": {
        "shortcuts": {"kind": "plain", "sites": ["self", "cross"]},
        "decoder_self_attention": "ssru",
        "roles": {"kind": "dense", "num_roles": 4},
        "tied_layers": ["decoder"],
        "num_decoder_layers": 2,
    },
}


@pytest.fixture
def combination(request, make_model, tokenizers):
    """The model of a combination, and its tokenizers."""
    options = {"target_vocabulary_size": 100, **COMBINATIONS[request.param]}
    of_model = tokenizers if options["target_vocabulary_size"] else dict.fromkeys(tokenizers, tokenizers["target"])
    return make_model(**options), of_model


@pytest.fixture(scope="module")
def task(model, tokenizers):
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    task.compile(run_eagerly=True)
    return task


def as_inputs(source, target):
    sides = {"encoder": np.array(source, "int32"), "decoder": np.array(target, "int32")}
    ids = {f"{side}_token_ids": x for side, x in sides.items()}
    return {**ids, **{f"{side}_padding_mask": (x != PAD).astype("int32") for side, x in sides.items()}}


def check_search(task, translator, lines, **compiled):
    task.compile(**compiled)
    assert task.generate(lines) == [one.text for one in translator.translate(lines)]


DAILY = ("low rank", "recurrent")
EVERY = [name if name in DAILY else slow(name) for name in COMBINATIONS]


@pytest.mark.parametrize("combination", EVERY, indirect=True)
def test_a_task_computes_the_logits_of_its_model(combination):
    model, tokenizers = combination
    source, target = [[7, 8, 9, EOS], [5, EOS, PAD, PAD]], [[BOS, 7, 8, 9], [BOS, 9, PAD, PAD]]
    task = TranslationSeq2SeqLM.from_model(model, tokenizers)
    found = keras.ops.convert_to_numpy(task(as_inputs(source, target)))
    expected = keras.ops.convert_to_numpy(model([np.array(source), np.array(target)]))
    there = np.array(target) != PAD
    np.testing.assert_allclose(found[there], expected[there], atol=1e-5)
    config = json.loads(json.dumps(task.backbone.get_config()))
    assert TranslationBackbone.from_config(config).get_config() == config
    assert all(one is other for one, other in zip(task.weights, task.backbone.weights, strict=True))
    assert {id(one) for one in task.weights} == {id(one) for one in task.backbone.model.weights}


def test_generate_translates_like_the_translator(task, translator, eager):
    lines = ["a mouse", "", "seven cats sleep in the garden and never came back again to the old house"]
    expected = translator.with_options(max_length_factor=1).translate(lines)
    assert task.generate(lines) == [one.text for one in expected]
    assert isinstance(task.generate(lines[0]), str)


@pytest.mark.slow
def test_options_and_beginnings_change_translations_like_those_of_the_translator(task, model, tokenizers, lines):
    check_search(task, Translator(model, tokenizers, **SEARCH), lines, run_eagerly=True)
    begun = {"encoder_text": lines[:2], "decoder_text": ["die katze", ""]}
    expected = Translator(model, tokenizers, **SEARCH).translate(lines[:2], prefixes=begun["decoder_text"])
    assert task.generate(begun) == [one.text for one in expected]
    options = {"length_penalty": 1.0, "coverage_penalty": 0.4, "min_length": 3, "max_length": 7}
    reranking = Translator(model, tokenizers, **SEARCH, **options)
    check_search(task, reranking, lines, sampler=BeamSampler(3, **options, max_length_factor=1), run_eagerly=True)
    task.compile(run_eagerly=True)


@pytest.mark.slow
def test_score_equals_that_of_the_translator(task, model, tokenizers, lines):
    targets = ["die katze", "", "hunde schlafen"]
    expected = Translator(model, tokenizers, **SEARCH).score(lines[:3], targets)
    found = task.score({"encoder_text": lines[:3], "decoder_text": targets})
    np.testing.assert_allclose(keras.ops.convert_to_numpy(found), expected, atol=1e-4)


def test_arguments_without_a_meaning_are_refused(task, make_multilingual, tokenizers):
    with pytest.raises(UserError, match="Received: LanguageLabelModel"):
        TranslationSeq2SeqLM.from_model(make_multilingual("label")[0], tokenizers)
    with pytest.raises(UserError, match="`beam_size` must be"):
        BeamSampler(0)
    with pytest.raises(ValueError, match="stop_token_ids=None"):
        task.generate("a mouse", stop_token_ids=None)
    with pytest.raises(ValueError, match="is for a `keras_nmt.hub.TranslationSeq2SeqLM`"):
        BeamSampler()(None, None)
    with pytest.raises(UserError, match="Not a SentencePiece model"):
        TranslationTokenizer(b"")
