"""Models as tasks of keras_hub: the same logits and translations as ours, presets, training, samplers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import keras
import keras_hub
import numpy as np
import pytest
from small import LINES, nightly, slow

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import arrays
from keras_nmt.hub import BeamSampler, TranslationBackbone, TranslationSeq2SeqLM, TranslationTokenizer
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference import Translator

DOCS = Path(__file__).parents[2] / "docs"

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
    for nothing in ([], np.array([])):
        assert task.generate(nothing) == task.generate({"encoder_text": nothing, "decoder_text": nothing}) == []


def test_beginnings_take_no_room_and_those_of_empty_texts_are_left_out(model, tokenizers, translator, eager):
    search = {**SEARCH, "max_length": 4}
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, search)
    task.compile(run_eagerly=True)
    sources = ["a mouse", "", "seven cats sleep in the garden", "the small cat sat"]
    begun = {"encoder_text": sources, "decoder_text": ["die kleine katze", "die katze", "", "drei"]}
    expected = translator.with_options(max_length_factor=1, max_length=4).translate(
        sources, prefixes=begun["decoder_text"]
    )
    assert task.generate(begun) == [one.text for one in expected]
    assert task.generate({"encoder_text": "a mouse", "decoder_text": "die kleine katze"}) == expected[0].text
    packed = task.preprocessor.generate_preprocess(begun, sequence_length=7)
    assert packed["decoder_token_ids"].shape == (4, 7), "a length that is given counts beginnings"
    one = task.preprocessor.generate_preprocess({"encoder_text": "a mouse", "decoder_text": "die"})
    longest = len(tokenizers["target"].tokenize(["die"])[0])
    (width,) = one["decoder_token_ids"].shape
    room = width - task.preprocessor.decoder_sequence_length
    assert longest <= room < 2 * longest
    assert room.bit_count() == 1, "few widths are compiled"


@pytest.mark.slow
def test_options_change_translations_like_those_of_the_translator(task, model, tokenizers, lines):
    check_search(task, Translator(model, tokenizers, **SEARCH), lines, run_eagerly=True)
    options = {"length_penalty": 1.0, "coverage_penalty": 0.4, "min_length": 3, "max_length": 7}
    options |= {"length_penalty_form": "power", "patience": 1.0}
    reranking = Translator(model, tokenizers, **SEARCH, **options)
    check_search(task, reranking, lines, sampler=BeamSampler(3, **options, max_length_factor=1), run_eagerly=True)
    task.compile(run_eagerly=True)


@pytest.mark.slow
def test_score_equals_that_of_the_translator(task, model, tokenizers, lines):
    targets = ["die katze", "", "hunde schlafen"]
    expected = Translator(model, tokenizers, **SEARCH).score(lines[:3], targets)
    found = task.score({"encoder_text": lines[:3], "decoder_text": targets})
    np.testing.assert_allclose(keras.ops.convert_to_numpy(found), expected, atol=1e-4)
    longest = task.preprocessor.decoder_sequence_length
    with pytest.warns(UserWarning, match=r"^1 pair\(s\) were truncated to \d+ and \d+ subwords"):
        task.score({"encoder_text": lines[:2], "decoder_text": ["die", "katze " * longest]})


@pytest.mark.slow
def test_batches_are_cut_to_their_longest_text_and_the_loss_is_a_mean_over_tokens(model, tokenizers):
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    task.compile(run_eagerly=True)
    pairs = {"encoder_text": ["a mouse", "seven cats sleep"], "decoder_text": ["die katze", ""]}
    task.preprocessor.encoder_sequence_length, task.preprocessor.decoder_sequence_length = 50, 30
    inputs, labels, weights = task.preprocess_samples(pairs)
    longest = int(keras.ops.max(keras.ops.sum(keras.ops.cast(inputs["encoder_padding_mask"], "int32"), axis=1)))
    assert inputs["encoder_token_ids"].shape == (2, -(-longest // 8) * 8)
    assert inputs["decoder_token_ids"].shape == labels.shape == weights.shape == (2, 8)
    tokens = float(keras.ops.sum(keras.ops.cast(weights, "int32")))
    expected = -float(keras.ops.sum(task.score(pairs))) / tokens
    assert task.evaluate(pairs, verbose=0)[0] == pytest.approx(expected, rel=1e-5)
    three = {name: [*texts, "katze"] for name, texts in pairs.items()}
    assert task.predict(three, batch_size=2, verbose=0).shape == (3, 30, 100)


def test_arguments_without_a_meaning_are_refused(task, make_multilingual, tokenizers):
    with pytest.raises(UserError, match="Received: LanguageLabelModel"):
        TranslationSeq2SeqLM.from_model(make_multilingual("label")[0], tokenizers)
    with pytest.raises(UserError, match="`beam_size` must be"):
        BeamSampler(0)
    with pytest.raises(UserError, match="options of `BeamSampler`.*Received: top_k, num_hypotheses"):
        BeamSampler(top_k=3, num_hypotheses=2)  # of other searches
    with pytest.raises(ValueError, match="stop_token_ids=None"):
        task.generate("a mouse", stop_token_ids=None)
    for length in (0, 1):
        with pytest.raises(UserError, match=f"`max_length` must be.*max_length={length}"):
            task.generate("a mouse", max_length=length)
    with pytest.raises(ValueError, match="is for a `keras_nmt.hub.TranslationSeq2SeqLM`"):
        BeamSampler()(None, None)
    with pytest.raises(UserError, match="Not a SentencePiece model"):
        TranslationTokenizer(b"")


def test_the_end_of_a_line_is_no_part_of_its_text():
    """The subwords of this model read line breaks inside."""
    tokenizer = TranslationTokenizer(DOCS / "decoding_model" / "subwords.model")
    alone, *found = tokenizer(["a river.", "a river.\n", " a river. \r\n", "a\nriver."])
    assert found[:2] == [alone] * 2 != [found[2]] * 2
    assert list(tokenizer("a river.\n")) == alone


@pytest.mark.slow
def test_low_rank_weights_are_trained_saved_and_merged(model, tokenizers, tmp_path):
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    pairs = {"encoder_text": ["a mouse", "seven cats"] * 4, "decoder_text": ["die katze", "sieben katze"] * 4}
    preprocessor = task.preprocessor
    preprocessor.encoder_sequence_length, preprocessor.decoder_sequence_length = 12, 8
    task.backbone.enable_lora(2)
    assert {weight.name[:5] for weight in task.trainable_weights} == {"lora_"}
    task.compile(optimizer=keras.optimizers.Adam(0.05))
    assert task.jit_compile is False  # although Keras' default is XLA, which is slower on CPUs
    losses = task.fit(pairs, batch_size=4, epochs=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    inputs = as_inputs([[7, 8, 9, EOS]], [[BOS, 7, 8]])
    trained = keras.ops.convert_to_numpy(task(inputs))
    task.backbone.save_lora_weights(tmp_path / "adapter.lora.h5")
    task.save_to_preset(tmp_path / "merged")

    other = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    other.backbone.load_lora_weights(tmp_path / "adapter.lora.h5")
    np.testing.assert_allclose(keras.ops.convert_to_numpy(other(inputs)), trained, atol=1e-4)
    merged = keras_hub.models.Seq2SeqLM.from_preset(str(tmp_path / "merged"))
    np.testing.assert_allclose(keras.ops.convert_to_numpy(merged(inputs)), trained, atol=1e-4)
    merged.backbone.enable_lora(3)
    with pytest.raises(ValueError, match="of the same layers and rank"):
        merged.backbone.load_lora_weights(tmp_path / "adapter.lora.h5")


@pytest.mark.slow
def test_int8_presets_load_with_equal_logits(model, tokenizers, tmp_path):
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    inputs = as_inputs([[7, 8, 9, EOS]], [[BOS, 7, 8]])
    floats = keras.ops.convert_to_numpy(task(inputs))
    task.quantize("int8")
    assert sum(weight.dtype == "int8" for weight in task.weights) > 10
    int8 = keras.ops.convert_to_numpy(task(inputs))
    assert np.abs(int8 - floats).max() < 0.1 * np.abs(floats).max()
    task.save_to_preset(tmp_path / "preset")
    loaded = keras_hub.models.Seq2SeqLM.from_preset(str(tmp_path / "preset"))
    np.testing.assert_array_equal(keras.ops.convert_to_numpy(loaded(inputs)), int8)


@pytest.mark.slow
def test_int8_presets_hold_what_an_adapter_adds(model, tokenizers, tmp_path):
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    inputs = as_inputs([[7, 8, 9, EOS]], [[BOS, 7, 8]])
    floats = keras.ops.convert_to_numpy(task(inputs))
    task.quantize("int8", embeddings=False)
    task.backbone.enable_lora(2)
    for weight in task.trainable_weights:
        weight.assign(keras.random.normal(weight.shape, stddev=0.3, seed=1))
    adapted = keras.ops.convert_to_numpy(task(inputs))
    assert np.abs(adapted - floats).max() > 2
    task.save_to_preset(tmp_path / "preset")
    for dtype in ("float32", "bfloat16"):
        merged = keras_hub.models.Seq2SeqLM.from_preset(str(tmp_path / "preset"), dtype=dtype)
        assert {weight.dtype for weight in merged.weights} == {dtype, "int8"}
        found = keras.ops.convert_to_numpy(merged(inputs)).astype("float32")
        np.testing.assert_allclose(found, adapted, atol=0.4)


LOAD = """
import sys, keras, keras_hub, keras_nmt.hub
preset, int8, *lines = sys.argv[1:]
for path, dtype in ((preset, "bfloat16"), (int8, "float32"), (preset, "float32")):
    task = keras_hub.models.Seq2SeqLM.from_preset(path, dtype=dtype)
    task.compile(run_eagerly=True)
    dtypes = sorted({weight.dtype for weight in task.weights})
    print(type(task).__name__, dtypes, task.search, *task.generate(lines), sep="\\n")
task.save_to_preset(preset + "-again")
keras.utils.set_random_seed(1)  # after which the resources of TensorFlow Text would be gone
task.fit({"encoder_text": lines, "decoder_text": ["katze"] * len(lines)}, verbose=0)
fresh = keras_hub.models.Seq2SeqLM.from_preset(preset, load_weights=False)
assert fresh.count_params() == task.count_params()
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["tensorflow", nightly("jax")])
def test_another_process_loads_a_preset_and_translates_alike(task, lines, tmp_path, backend):
    task.save_to_preset(tmp_path / "preset")
    texts = [lines[0], lines[3]]
    small = TranslationSeq2SeqLM.from_preset(str(tmp_path / "preset"))
    small.quantize("int8")
    small.compile(run_eagerly=True)
    small.save_to_preset(tmp_path / "int8")
    command = [sys.executable, "-c", LOAD, str(tmp_path / "preset"), str(tmp_path / "int8"), *texts]
    environment = {**os.environ, "KERAS_BACKEND": backend}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    printed = done.stdout.splitlines()
    for start, of, dtypes in ((-15, None, ["bfloat16"]), (-10, small, ["float32", "int8"]), (-5, task, ["float32"])):
        kind, *found = printed[start : start + 5 or None]
        assert [kind, *found[:2]] == ["TranslationSeq2SeqLM", str(dtypes), str(SEARCH)]
        assert of is None or found[2:] == of.generate(texts)
    one, other = ((tmp_path / name / "model.weights.h5") for name in ("preset", "preset-again"))
    with h5py.File(one) as first, h5py.File(other) as second:
        before, after = arrays(first), arrays(second)
        assert {name: array[()].tobytes() for name, array in before.items()} == {
            name: array[()].tobytes() for name, array in after.items()
        }


@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["greedy", "beam of keras_hub", "top_k", "contrastive"])
def test_samplers_of_keras_hub_run_over_the_caches(model, tokenizers, sampler):
    """Their results are those of a step that computes everything anew: the caches belong to the right hypotheses."""
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, SEARCH)
    own = {"beam of keras_hub": keras_hub.samplers.BeamSampler(3), "top_k": keras_hub.samplers.TopKSampler(3, seed=1)}
    task.compile(sampler=own.get(sampler, sampler), run_eagerly=True)
    begun = {"encoder_text": ["the small cat sat", "a mouse"], "decoder_text": ["die katze", ""]}
    inputs = task.preprocessor.generate_preprocess(begun, sequence_length=7)
    found = task.generate_step(inputs, [EOS])
    memory = task.backbone.encode(inputs["encoder_token_ids"], inputs["encoder_padding_mask"])

    def anew(prompt, cache, index):
        states = task.backbone.decode(prompt, cache)
        logits = task.backbone.token_embedding(states, reverse=True)
        return logits[:, index - 1], states[:, index - 1], cache

    if sampler == "top_k":
        task.compile(sampler=keras_hub.samplers.TopKSampler(3, seed=1))
    is_given = keras.ops.cast(inputs["decoder_padding_mask"], "bool")
    index = keras.ops.min(keras.ops.sum(keras.ops.cast(is_given, "int32"), axis=1))
    prompt = keras.ops.cast(inputs["decoder_token_ids"], "int32")
    expected = task.sampler(
        anew, prompt, memory, index, is_given, [EOS], hidden_states=task.backbone.decode(prompt, memory), model=task
    )
    np.testing.assert_array_equal(found["decoder_token_ids"], expected)


@pytest.mark.nightly
@pytest.mark.parametrize("combination", COMBINATIONS, indirect=True)
def test_a_thousand_lines_are_translated_like_by_the_translator(combination):
    model, tokenizers = combination
    rng = np.random.default_rng(5)
    words = " ".join(LINES).split()
    lines = [" ".join(rng.choice(words, rng.integers(1, 12))) for _ in range(1000)]
    search = {"beam_size": 4, "length_buckets": [16, 32], "max_length_factor": 1}
    task = TranslationSeq2SeqLM.from_model(model, tokenizers, search)
    task.compile()
    found = [text for start in range(0, 1000, 64) for text in task.generate(lines[start : start + 64])]
    assert found == [one.text for one in Translator(model, tokenizers, **search).translate(lines)]
    greedy = []
    for sampler in ("greedy", BeamSampler(1, max_length=30, max_length_factor=0, max_length_offset=30)):
        task.compile(sampler=sampler)
        greedy.append([task.generate(lines[start : start + 64], max_length=31) for start in range(0, 256, 64)])
    assert greedy[0] == greedy[1]  # no translation of these models is empty
