"""Exports in the format of CTranslate2: CTranslate2 computes what the model computes."""

from __future__ import annotations

import sys

import ctranslate2
import numpy as np
import pytest
import sentencepiece
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.ids import BEGIN, END
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory, quantize
from keras_nmt.serving import export_ctranslate2

PLAIN = {"shortcuts": None, "num_encoder_layers": 2, "num_decoder_layers": 2}
VARIANTS = [
    {"norm": "pre"},
    {"norm": "post", "tie_embeddings": False},
    {"norm": "pre", "target_vocabulary_size": 100},
    {"norm": "post", "target_vocabulary_size": 100, "tie_embeddings": False},
]


@pytest.fixture
def tokenizers_of(source_tokenizer, target_tokenizer):
    def find(options):
        target = target_tokenizer if "target_vocabulary_size" in options else source_tokenizer
        return {"source": source_tokenizer, "target": target}

    return find


def processors(folder):
    return [sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{x}.model")) for x in ("source", "target")]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_ctranslate2_computes_the_same(options, make_model, tokenizers_of, lines, tmp_path):
    model, tokenizers = make_model(**PLAIN, **options), tokenizers_of(options)
    folder = export_ctranslate2(tmp_path / "model", model, tokenizers)
    assert folder == tmp_path / "model" / "1"
    source, target = processors(folder)
    runtime = ctranslate2.Translator(str(folder), intra_threads=1)

    # Probabilities of given tokens.
    texts, others = [line for line in lines if line.strip()], ["die kleine katze", "saß", "vögel", "vier hunde", "a"]
    pieces = [source.encode(text, out_type=str) for text in texts]
    given = [target.encode(text, out_type=str) for text in others]
    for text, tokens, scored in zip(texts, given, runtime.score_batch(pieces, given), strict=True):
        ids = [target.piece_to_id(token) for token in tokens]
        logits = model([np.array([[*source.encode(text), END]]), np.array([[BEGIN, *ids]])])
        expected = tf.nn.log_softmax(logits)[0].numpy()[np.arange(len(ids) + 1), [*ids, END]]
        np.testing.assert_allclose(scored.log_probs, expected, rtol=1e-4, atol=1e-4)

    # Greedy translations. Beams differ in when a hypothesis counts as finished.
    search = {"beam_size": 1, "max_length_factor": 0, "max_length_offset": 8}
    expected = Translator(model, tokenizers, **search, length_penalty=0.0).translate(texts)
    results = runtime.translate_batch(
        pieces, beam_size=1, length_penalty=0, min_decoding_length=0, max_decoding_length=8
    )
    found = [target.decode(result.hypotheses[0]) for result in results]
    assert len(set(found)) > 1
    assert found == [translation.text for translation in expected]


def test_weights_may_be_smaller(make_model, source_tokenizer, tmp_path):
    model = make_model(**PLAIN, hidden_dim=128, intermediate_dim=256)
    sizes = {
        mode: (export_ctranslate2(tmp_path, model, source_tokenizer, quantize=mode) / "model.bin").stat().st_size
        for mode in (None, "float16", "int8")
    }
    assert sizes["int8"] < 0.4 * sizes[None]
    assert sizes["float16"] < 0.6 * sizes[None]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"shortcuts": "fusion"}, "no lexical shortcuts.*Received: shortcuts='fusion'"),
        (
            {"shortcuts": None, "num_encoder_layers": 2, "num_decoder_layers": 2, "layer_composition": "linear"},
            "no composition of layers.*'linear'",
        ),
        ({"shortcuts": None, "head_composition": "low_rank"}, "no composition of heads.*'low_rank'"),
        ({"shortcuts": None, "roles": "softmax"}, "no role interaction.*'softmax'"),
        ({"shortcuts": None, "norm": "rms"}, "no such norms.*norm='rms'"),
        ({"shortcuts": None, "feed_forward": "swiglu"}, "no such feed-forward networks.*'swiglu'"),
        ({"shortcuts": None, "positions": "rotary"}, "no such positions.*'rotary'"),
        ({"shortcuts": None, "num_key_value_heads": 1}, "no groups of keys and values.*=1"),
    ],
)
def test_a_mechanism_is_named(options, told, make_model, source_tokenizer, tmp_path):
    with pytest.raises(UserError, match=told):
        export_ctranslate2(tmp_path / "model", make_model(**options), source_tokenizer)
    assert not (tmp_path / "model").exists()


def test_unsupported_models_and_options_are_refused(
    make_model, make_multilingual, source_tokenizer, tmp_path, monkeypatch
):
    model = make_model(**PLAIN)
    for options, told in (
        ({"quantize": "int3"}, "Received: quantize='int3'"),
        ({"positions": 0}, "Received: positions=0"),
        ({"version": 0}, "Received: version=0"),
    ):
        with pytest.raises(UserError, match=told):
            export_ctranslate2(tmp_path, model, source_tokenizer, **options)
    with pytest.raises(UserError, match="one direction only. Received: LanguageLabelModel"):
        export_ctranslate2(tmp_path, *make_multilingual("label"))
    quantize(model)
    with pytest.raises(UserError, match="quantised already"):
        export_ctranslate2(tmp_path, model, source_tokenizer)
    monkeypatch.setitem(sys.modules, "ctranslate2.specs", None)
    with pytest.raises(UserError, match=r"pip install 'keras_nmt\[ctranslate2\]'"):
        export_ctranslate2(tmp_path, model, source_tokenizer)
    assert not list(tmp_path.iterdir())


def test_the_command_exports_a_directory(make_model, source_tokenizer, tmp_path, error_line, monkeypatch, capsys):
    from keras_nmt.cli.app import app

    directory = ModelDirectory(tmp_path / "model")
    source_tokenizer.save(tmp_path / "model" / "s.model")
    directory.save_config(make_model(**PLAIN), subwords={"source": "s.model", "target": "s.model"})
    directory.save_weights(make_model(**PLAIN))
    command = ["export", str(directory.path), str(tmp_path / "exports"), "--format", "ctranslate2"]
    app(command, standalone_mode=False)
    assert capsys.readouterr().out == f"{tmp_path / 'exports' / '1'}\n"
    assert ctranslate2.contains_model(str(tmp_path / "exports" / "1"))
    assert error_line(*command, "--beam-size", 3).endswith("Received: beam_size\n")
    assert error_line(*command, "--warmup", __file__).endswith("Received: warmup\n")
    assert error_line(*command, "--ensemble", directory.path).endswith(f"--ensemble {directory.path}\n")
    assert error_line(*command[:3], "--format", "onnx").endswith("Received: --format onnx\n")
