"""Exports in the format of CTranslate2: CTranslate2 computes what the model computes."""

import json
import math
import shutil
import struct
import sys

import ctranslate2
import keras
import numpy as np
import pytest
import sentencepiece
import tensorflow as tf
from keras import ops
from small import nightly, noisy, slow

from keras_nmt.decoding import shift_right
from keras_nmt.errors import UserError
from keras_nmt.formats import export_ctranslate2, import_model
from keras_nmt.formats.ctranslate2 import read, read_variables
from keras_nmt.formats.parameters import variables
from keras_nmt.formats.vocabulary import Vocabulary
from keras_nmt.ids import BOS, EOS, PAD
from keras_nmt.inference import Translator
from keras_nmt.inference.load import load
from keras_nmt.layers import LayerSpec
from keras_nmt.models import LearnedPositions, LowRank, PositionalEncoding, Transformer, add_adapter, quantize

PLAIN = {"shortcuts": None, "num_encoder_layers": 2}
VARIANTS = [
    {"norm": "pre", "target_vocabulary_size": 100},
    # What models of other toolkits have.
    {"norm": "post", "attention_bias": True, "feed_forward": "swish", "logits_bias": True, "embedding_norm": True},
    {"attention_bias": True, "feed_forward": "gelu", "scale_embeddings": False, "source_end": False},
    {"norm": "post", "target_vocabulary_size": 100, "tie_embeddings": False},
    {"positions": LayerSpec(PositionalEncoding, order="halves", offset=2, endpoint=True), "norm_epsilon": 1e-3},
    {"positions": LayerSpec(LearnedPositions, max_length=1024), "target_vocabulary_size": 100},
    {"tied_layers": ["encoder", "decoder"], "num_decoder_layers": 2},  # written as layers of equal weights
    {"norm": "post", "tie_embeddings": False},
]


@keras.saving.register_keras_serializable(package="tests_formats")
class OwnPositions(PositionalEncoding):
    """Sinusoids that scale the embeddings instead of being added to them."""

    def call(self, embeddings, position=None):
        return embeddings * (1 + super().call(ops.zeros_like(embeddings), position))


def processors(folder):
    return [sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{x}.model")) for x in ("source", "target")]


@pytest.mark.parametrize("options", [VARIANTS[0], *map(slow, VARIANTS[1:3]), *map(nightly, VARIANTS[3:])], ids=str)
def test_ctranslate2_computes_the_same_and_the_model_comes_back(options, make_model, tokenizers, lines, tmp_path):
    model = noisy(make_model(**PLAIN, **options), 0, 0.1)
    if "target_vocabulary_size" not in options:
        tokenizers = dict.fromkeys(tokenizers, tokenizers["source"])
    folder = export_ctranslate2(tmp_path / "model", model, tokenizers)
    assert folder == tmp_path / "model" / "1"
    source, target = processors(folder)
    runtime = ctranslate2.Translator(str(folder), intra_threads=1)

    # Probabilities of given tokens.
    texts, others = [line for line in lines if line.strip()], ["die kleine katze", "saß", "vögel", "vier hunde", "a"]
    texts[3] = "seven\xa0cats sl\xadeep in the garden"  # the subwords that are written clean it, too
    pieces = [source.encode(text, out_type=str) for text in texts]
    given = [target.encode(text, out_type=str) for text in others]
    for text, tokens, scored in zip(texts, given, runtime.score_batch(pieces, given), strict=True):
        ids = [target.piece_to_id(token) for token in tokens]
        inputs = [np.array([[*source.encode(text), EOS]]), np.array([[BOS, *ids]])]
        logits = model(inputs)
        expected = tf.nn.log_softmax(logits)[0].numpy()[np.arange(len(ids) + 1), [*ids, EOS]]
        np.testing.assert_allclose(scored.log_probs, expected, rtol=1e-4, atol=1e-4)

    # Greedy translations. Beams differ in when a hypothesis counts as finished. Ours never write padding and the begin.
    search = {"beam_size": 1, "min_length": 0, "max_length_factor": 0, "max_length_offset": 8, "length_penalty": 0.0}
    expected = [translation.text for translation in Translator(model, tokenizers, **search).translate(texts)]
    theirs = {"beam_size": 1, "length_penalty": 0, "min_decoding_length": 0, "max_decoding_length": 8}
    never = [[target.id_to_piece(i)] for i in (PAD, BOS)]
    results = runtime.translate_batch(pieces, **theirs, suppress_sequences=never)
    assert [target.decode(result.hypotheses[0]) for result in results] == expected
    assert all(expected)

    ours = import_model(folder, tmp_path / "ours").load_model()
    np.testing.assert_allclose(ours(inputs), logits, atol=1e-5)
    if "tied_layers" not in options:
        known = variables(ours)
        for name, variable in variables(model).items():
            np.testing.assert_array_equal(known[name], variable, err_msg=name)


@pytest.mark.slow
def test_weights_may_be_smaller(make_model, source_tokenizer, tmp_path):
    model = make_model(shortcuts=None, hidden_dim=128, intermediate_dim=256)
    sizes = {}
    for mode in (None, "float16", "int16", "int8"):
        folder = export_ctranslate2(tmp_path / "exports", model, source_tokenizer, quantize=mode)
        sizes[mode] = (folder / "model.bin").stat().st_size
        ours = variables(import_model(folder, tmp_path / f"ours-{mode}").load_model())
        for name, variable in variables(model).items():
            expected = np.asarray(variable)
            np.testing.assert_allclose(ours[name], expected, atol=np.abs(expected).max() / 100, err_msg=name)
    assert sizes["int8"] < 0.5 * sizes[None]
    assert sizes["float16"] < 0.6 * sizes[None]
    assert sorted(path.name for path in (tmp_path / "exports").iterdir()) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("options", [{"alignment_head": 1}, {"alignment_head": 3}, {}, {"alignment_layer": 3}], ids=str)
def test_ctranslate2_aligns_by_the_same_layer_and_head(options, make_model, source_tokenizer, lines, tmp_path):
    """Another head than the first becomes the first."""
    model = make_model(**{**PLAIN, "num_decoder_layers": 3, "num_heads": 4}, **options)
    folder = export_ctranslate2(tmp_path / "model", model, source_tokenizer)
    pieces = processors(folder)[0].encode(lines[0], out_type=str)
    runtime = ctranslate2.Translator(str(folder), intra_threads=1)
    result = runtime.translate_batch([pieces], beam_size=1, max_decoding_length=5, return_attention=True)[0]
    source, target = (
        np.array([[side.piece_to_id(token) for token in tokens]])
        for side, tokens in zip(processors(folder), (pieces, result.hypotheses[0]), strict=True)
    )
    source = np.append(source, [[EOS]], axis=1)
    memory = model.encoder(source)
    expected = model.attention(memory, shift_right(target)).numpy()[0]
    found = np.array(result.attention[0])
    size = min(found.shape[1], expected.shape[1])
    np.testing.assert_allclose(found[:, :size], expected[: len(found), :size], atol=1e-4)
    ours = import_model(folder, tmp_path / "ours").load_model()
    kept = {name: ours.get_config()[name] for name in ("alignment_head", "alignment_layer")}
    wanted = {"alignment_head": None, "alignment_layer": None, **options}
    assert kept == {**wanted, **({"alignment_head": 1} if "alignment_head" in options else {})}
    inputs = source, np.array(shift_right(target))
    np.testing.assert_allclose(ours(inputs), model(inputs), atol=1e-4)


def test_mechanisms_and_models_that_ctranslate2_lacks_are_named(
    make_model, make_multilingual, source_tokenizer, tmp_path, monkeypatch
):
    def refused(told, model, subwords=source_tokenizer, **options):
        with pytest.raises(UserError, match=told):
            export_ctranslate2(tmp_path, model, subwords, **options)

    for name, value in {
        "shortcuts": "fusion",
        "head_composition": "low_rank",
        "roles": "softmax",
        "decoder_self_attention": "ssru",
        "norm": "rms",
        "feed_forward": "swiglu",
        "num_key_value_heads": 1,
    }.items():
        refused(f"not support this `{name}`.*{value}", make_model(**{"shortcuts": None, name: value}))
    composed = make_model(**PLAIN, num_decoder_layers=2, layer_composition="linear")
    refused("not support this `layer_composition`.*linear", composed)
    for positions in ("rotary", LayerSpec(OwnPositions)):
        refused("not support these positions", make_model(shortcuts=None, positions=positions))
    refused("one direction only. Received: LanguageLabelModel", *make_multilingual("label"))
    model = make_model(**PLAIN)
    refused("Received: quantize='int3'", model, quantize="int3")
    refused("Received: positions=0", model, positions=0)
    quantize(model)
    refused("quantised already", model)
    adapted = make_model(**PLAIN)
    add_adapter(adapted, LowRank(), base="0" * 64)
    refused("The model has an adapter: load", adapted)
    monkeypatch.setitem(sys.modules, "ctranslate2.specs", None)
    refused(r"pip install 'keras_nmt\[ctranslate2\]'", model)
    assert not list(tmp_path.iterdir())


def model_file(arrays, version, kind="TransformerSpec"):
    """`model.bin` of a version, as the format's description says."""
    types = {"<f4": 0, "|i1": 1, "<i2": 2, "<f2": 4, "<u2": 5, "<f8": 6}

    def text(value):
        return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"

    content = struct.pack("<I", version) + text(kind) + struct.pack("<II", 7, len(arrays))
    for name, array in arrays.items():
        content += text(name) + struct.pack(f"<B{array.ndim}I", array.ndim, *array.shape)
        size = (array.itemsize, array.size) if version < 4 else (types[array.dtype.str], array.nbytes)
        content += struct.pack("<BI", *size) + array.tobytes()
    return content + (struct.pack("<I", 0) if version >= 3 else b"")


def test_all_versions_are_read_and_damaged_files_are_refused(make_model, source_tokenizer, refused, tmp_path):
    folder = export_ctranslate2(tmp_path / "exports", make_model(**PLAIN), source_tokenizer)
    path = folder / "model.bin"
    whole, arrays = path.read_bytes(), read_variables(path)[1]
    arrays = {name: np.array(array) for name, array in arrays.items() if array.dtype.str in ("<f4", "|i1", "<i2")}
    for version in range(2, 7):
        path.write_bytes(model_file(arrays, version))
        found = read_variables(path)[1]
        assert all(np.array_equal(found[name], array) for name, array in arrays.items())
    without = {name: array for name, array in arrays.items() if not name.endswith("/num_heads")}
    for kind, number in (("TransformerBase", 8), ("TransformerBig", 16)):  # of version 2
        path.write_bytes(model_file(without, 2, kind))
        assert read(folder).options["num_heads"] == number
    name = "encoder/layer_0/ffn/linear_0/weight"
    for content, told in (
        (whole + b"1", "is damaged. Received: [0-9,]+ bytes instead of"),
        (struct.pack("<I", 7) + whole[4:], "version=7"),
        (whole[:4] + struct.pack("<H", 65535) + whole[6:], "damaged|TransformerSpec"),
        (model_file({"a": np.zeros(2)}, 6), "is damaged. Received: KeyError\\(6\\)"),
        (model_file({x: y for x, y in arrays.items() if x != f"{name[:-6]}bias"}, 6), "inner"),
        (model_file({**arrays, name: arrays[name].astype("i1")}, 6), "must have a nonzero scale"),
        (model_file({**arrays, "encoder/alibi": np.int8(1)[()] + np.zeros((), "i1")}, 6), "encoder/alibi"),
    ):
        path.write_bytes(content)
        refused(folder, told)
    heads = {f"{side}/num_heads": np.full((), math.inf, "<f4") for side in ("encoder", "decoder")}
    path.write_bytes(model_file({**arrays, **heads}, 6))
    refused(folder, "`num_heads` must be an integer. Received: num_heads=inf")
    sizes = struct.pack("<4I", 7, 0, 5, 3)  # an empty array whose other dimensions no array can have
    content = model_file({"a": np.zeros((7, 0, 5, 3), "<f4")}, 6)
    path.write_bytes(content.replace(sizes, struct.pack("<4I", *[2**32 - 1] * 3, 0)))
    with pytest.raises(UserError, match="is damaged. Received: "):
        read_variables(path)
    path.write_bytes(whole)
    (folder / "source_vocabulary.json").write_text("[")
    refused(folder, "source_vocabulary.json is damaged")


@pytest.fixture(scope="module")
def converted(source_tokenizer, tmp_path_factory):
    sizes = {"hidden_dim": 8, "intermediate_dim": 8, "num_heads": 2}
    model = Transformer(source_tokenizer.vocabulary_size, num_encoder_layers=1, num_decoder_layers=1, **sizes)
    return export_ctranslate2(tmp_path_factory.mktemp("theirs"), model, source_tokenizer)


@pytest.mark.slow
def test_bfloat16_is_read(converted, tmp_path):
    folder = shutil.copytree(converted, tmp_path / "theirs")
    arrays = read_variables(folder / "model.bin")[1]
    halves = {name: (x.view("<u4") >> 16).astype("<u2") if x.dtype == "<f4" else x for name, x in arrays.items()}
    (folder / "model.bin").write_bytes(model_file(halves, 6))
    ours, theirs = (variables(import_model(x, tmp_path / x.name[0]).load_model()) for x in (folder, converted))
    for name, variable in ours.items():
        expected = np.asarray(theirs[name])
        np.testing.assert_allclose(variable, expected, rtol=2**-7, err_msg=name)
        assert np.array_equal(variable, expected) == (not np.any(expected.view("<u4") & 0xFFFF)), name


def test_a_model_whose_decoder_starts_from_zeros_reads_the_end_of_the_source(converted, tmp_path):
    # The converter of transformers' Marian models does not say that the source ends with </s>.
    folder = shutil.copytree(converted, tmp_path / "theirs")
    arrays = {name: np.array(array) for name, array in read_variables(folder / "model.bin")[1].items()}
    arrays["decoder/start_from_zero_embedding"] = np.ones((), "i1")
    (folder / "model.bin").write_bytes(model_file(arrays, 6))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "add_source_eos": False}))
    assert import_model(folder, tmp_path / "ours").load_model().get_config()["source_end"]


@pytest.mark.slow
def test_files_up_to_version_5_have_their_settings_among_the_variables(converted, refused, tmp_path):
    arrays = {name: np.array(array) for name, array in read_variables(converted / "model.bin")[1].items()}
    tokens = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    names = "with_source_bos", "with_source_eos", "with_target_bos", "user_decoder_start_tokens"

    def old(name, **flags):
        folder = shutil.copytree(converted, tmp_path / name)
        (folder / "config.json").unlink()
        more = {key: np.frombuffer(token.encode(), "i1") for key, token in tokens.items()}
        more |= {key: np.asarray(flags.get(key, 0), "i1") for key in names}
        (folder / "model.bin").write_bytes(model_file({**arrays, **more}, 5))
        return folder

    given = {"begins": {"with_source_eos": 1, "with_target_bos": 1}, "ends": {}}
    models = {
        name: load(import_model(old(name, **flags), tmp_path / f"our-{name}").path) for name, flags in given.items()
    }
    assert [model.model.get_config()["source_end"] for model in models.values()] == [True, False]
    runtime = {name: ctranslate2.Translator(str(tmp_path / name), intra_threads=1) for name in given}
    pieces = [processors(converted)[0].id_to_piece(i) for i in (7, 8, 9)]
    for name, model in models.items():  # without `with_target_bos`, a translation begins with </s>
        (scored,) = runtime[name].score_batch([pieces[:2]], [pieces[2:]])
        first, second, third = map(model.tokenizers["target"].pieces().index, pieces)  # a joint vocabulary
        ours = tf.nn.log_softmax(model.model([np.array([[first, second, EOS]]), np.array([[BOS, third]])]))[0].numpy()
        np.testing.assert_allclose(scored.log_probs, [ours[0, third], ours[1, EOS]], atol=1e-4)
    for flags, told in (
        ({"with_source_bos": 1}, "must not begin with a special token"),
        ({"user_decoder_start_tokens": 1}, "must all begin alike"),
    ):
        refused(old(told, **flags), told)


@pytest.mark.slow
def test_embeddings_are_scaled_by_a_flag_or_by_the_factor_itself(converted, tmp_path):
    arrays = {name: np.array(array) for name, array in read_variables(converted / "model.bin")[1].items()}
    for scale, is_scaled in (
        (np.int8(1), True),
        (np.int8(0), False),
        (np.float32(1), False),
        (np.float32(8**0.5), True),
    ):
        folder = shutil.copytree(converted, tmp_path / f"{scale.dtype}-{scale}")
        both = {f"{side}/scale_embeddings": np.array(scale) for side in ("encoder", "decoder")}
        (folder / "model.bin").write_bytes(model_file({**arrays, **both}, 6))
        ours = import_model(folder, tmp_path / f"our-{folder.name}").load_model()
        assert ours.get_config()["scale_embeddings"] == is_scaled


def test_settings_and_vocabularies_that_would_be_misread_are_refused(converted, refused, tmp_path):
    folder = shutil.copytree(converted, tmp_path / "theirs")
    config, vocabulary, model = (folder / x for x in ("config.json", "shared_vocabulary.json", "source.model"))
    settings, tokens, subwords = json.loads(config.read_text()), json.loads(vocabulary.read_text()), model.read_bytes()

    for setting, told in (
        ({"eos_token": 5}, "config.json: `eos_token` must be a string. Received: eos_token=5"),
        ({"decoder_start_token": "nope"}, "begins a translation. Missing token: nope"),
        ({"decoder_start_token": None}, "must all begin alike. Received: decoder_start_token=null"),
        (
            {"layer_norm_epsilon": math.nan},
            "`layer_norm_epsilon` must be between 0 and 1. Received: layer_norm_epsilon=nan",
        ),
        ({"add_source_eos": "false"}, "`add_source_eos` must be true or false. Received: add_source_eos='false'"),
    ):
        config.write_text(json.dumps({**settings, **setting}))
        refused(folder, told)
    config.write_text(json.dumps(settings))
    for others, told in (
        ([*tokens[:-2], "the", "the"], "each token once. Received twice: the"),
        ([*tokens[:-2], "__en__", "__de__"], "of one direction.*Received: 2 language\\(s\\), such as __en__"),
        ([*tokens[:-2], "en_XX", "de_DE"], "Received: 2 language\\(s\\), such as en_XX"),
        ([*tokens[:-2], "eng_Latn", "deu_Latn"], "import the model of Hugging Face instead"),
        ([x if i < 4 else f"q{i}" for i, x in enumerate(tokens)], "none of the pieces of the subword model"),
    ):
        vocabulary.write_text(json.dumps(others))
        refused(folder, told)
    vocabulary.write_text(json.dumps(tokens))
    model.write_bytes(b"")
    refused(folder, "subword model .* is empty")
    for present, absent in (("source", "target"), ("target", "source")):
        (folder / f"{absent}.model").unlink()
        (folder / f"{present}.model").write_bytes(subwords)
        refused(folder, f"The {absent} vocabulary has pieces of SentencePiece, but no model")


def test_a_folder_with_two_models_is_read_by_its_format(converted, refused, tmp_path):
    folder = shutil.copytree(converted, tmp_path / "theirs")
    (folder / "model.npz").write_bytes(b"")
    refused(folder, "formats ctranslate2, marian: choose one by `format` or --format")
    import_model(folder, tmp_path / "ours", "ctranslate2")


def test_characters_and_words_become_subwords(tmp_path):
    for tokens, text, pieces in (
        (["<blank>", "<s>", "</s>", "a", "b"], "ab c", ["a", "b"]),
        (["</s>", "<unk>", "the", "cat", "<pad>"], "cat the cat", ["\u2581cat", "\u2581the", "\u2581cat"]),
    ):
        ids = {token: i for i, token in enumerate(tokens)}
        pad = ids.get("<pad>", ids.get("<blank>"))
        vocabulary = Vocabulary(tokens, pad, ids.get("<unk>"), ids.get("<s>", pad), ids["</s>"])
        processor = sentencepiece.SentencePieceProcessor(model_proto=vocabulary.make_model())
        assert processor.encode(text, out_type=str)[: len(pieces)] == pieces
        assert processor.decode(processor.encode(text)[: len(pieces)]) == text[: len(text) if len(pieces) > 2 else 2]
