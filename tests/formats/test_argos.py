"""Packages of Argos Translate, and the command that writes models in the formats of other toolkits."""

from __future__ import annotations

import inspect
import json
import zipfile

import ctranslate2
import numpy as np
import pytest
import sentencepiece

from keras_nmt import formats
from keras_nmt.cli.app import app
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.errors import UserError
from keras_nmt.formats import export_argos
from keras_nmt.formats.parameters import sinusoids, variables
from keras_nmt.formats.registry import EXPORTED, FORMATS, format_module
from keras_nmt.ids import BOS
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory, Transformer

PLAIN = {"shortcuts": None, "num_encoder_layers": 1, "num_decoder_layers": 1}
LANGUAGES = {"source": "en", "target": "de"}


@pytest.fixture(params=[None, 100], ids=["joint", "two vocabularies"])
def package(request, make_model, tokenizers, tmp_path):
    """A model, its tokenizers, and the folder of its package as `argostranslate.package.install_from_path` makes it."""
    model = make_model(**PLAIN, target_vocabulary_size=request.param)
    by_side = tokenizers if request.param else dict.fromkeys(tokenizers, tokenizers["source"])
    path = export_argos(
        tmp_path / "en_de.argosmodel", model, by_side, **LANGUAGES, names={"en": "English", "de": "German"}
    )
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "packages")
    (folder,) = (tmp_path / "packages").iterdir()
    return model, by_side, folder


def test_a_package_translates_like_the_model(package, lines):
    model, tokenizers, folder = package
    lines = [line for line in lines if line.strip()]
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    runtime = ctranslate2.Translator(str(folder / "model"), intra_threads=1)
    results = runtime.translate_batch(
        [processor.encode(line, out_type=str) for line in lines], beam_size=1, max_decoding_length=8,
        min_decoding_length=0, length_penalty=0,
    )  # fmt: skip
    search = {"beam_size": 1, "max_length_factor": 0, "max_length_offset": 8, "length_penalty": 0.0}
    expected = [x.text for x in Translator(model, tokenizers, **search).translate(lines)]
    assert [processor.decode_pieces(x.hypotheses[0]) for x in results] == expected
    assert len(set(expected)) > 1


def test_bytes_of_rare_characters_are_refused(make_model, tmp_path):
    (tmp_path / "text").write_text("the cat sat\n" * 9)
    subwords = train_subwords([tmp_path / "text"], tmp_path / "m", vocabulary_size=280, byte_fallback=True)
    tokenizer = SubwordTokenizer(subwords)
    model = Transformer(
        tokenizer.vocabulary_size, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2
    )
    with pytest.raises(UserError, match="without `byte_fallback`"):
        export_argos(tmp_path / "en_de.argosmodel", model, tokenizer, **LANGUAGES)
    assert not (tmp_path / "en_de.argosmodel").exists()


def test_a_package_has_the_documented_files_and_fields(package):
    folder = package[-1]
    assert folder.name == "translate-en_de-1_0"
    assert {path.name for path in folder.iterdir()} == {"model", "sentencepiece.model", "metadata.json"}
    assert json.loads((folder / "metadata.json").read_text()) == {
        "package_version": "1.0",
        "argos_version": "1.9.0",
        "from_code": "en",
        "from_name": "English",
        "to_code": "de",
        "to_name": "German",
    }


def test_argos_translate_installs_a_package(package, tmp_path, monkeypatch):
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    argos = pytest.importorskip("argostranslate.package")
    monkeypatch.setattr("argostranslate.settings.package_data_dir", tmp_path / "installed")
    argos.install_from_path(tmp_path / "en_de.argosmodel")
    (found,) = argos.get_installed_packages([tmp_path / "installed"])
    assert (found.from_code, found.from_name, found.to_code, found.to_name) == ("en", "English", "de", "German")
    pieces = found.tokenizer.encode("seven cats sleep")
    assert len(pieces) > 2
    assert found.tokenizer.decode(pieces).strip() == "seven cats sleep"


def test_wrong_packages_are_refused_in_a_line(make_model, source_tokenizer, tmp_path):
    path = tmp_path / "en_de.argosmodel"
    plain, fusion = make_model(**PLAIN), make_model(shortcuts="fusion")
    for model, options, told in (
        (plain, {}, "code of the source language.*Received: None"),
        (plain, {**LANGUAGES, "target": "../../etc"}, "code of the target language.*Received: ../../etc"),
        (plain, {**LANGUAGES, "quantize": "int3"}, "Received: quantize='int3'"),
        (fusion, LANGUAGES, "not support this `shortcuts`.*'fusion'"),
    ):
        with pytest.raises(UserError, match=told):
            export_argos(path, model, source_tokenizer, **options)
    with pytest.raises(UserError, match=r"must end in \.argosmodel"):
        export_argos(tmp_path / "en_de.zip", plain, source_tokenizer, **LANGUAGES)
    assert not list(tmp_path.iterdir())
    path.touch()
    with pytest.raises(UserError, match="must not exist"):
        export_argos(path, plain, source_tokenizer, **LANGUAGES)


def test_modules_have_what_the_registry_says():
    for name, format_ in FORMATS.items():
        module = format_module(name)
        assert format_.is_read == hasattr(module, "is_there") == hasattr(module, "read")
        if format_.export_options is not None:
            assert set(format_.export_options) <= set(inspect.signature(getattr(module, f"export_{name}")).parameters)


def test_the_command_writes_all_formats(make_model, source_tokenizer, tmp_path, error_line, capsys):
    assert {f"export_{name}" for name in EXPORTED} == {name for name in formats.__all__ if name.startswith("export_")}
    directory = ModelDirectory(tmp_path / "model")
    model = make_model(**PLAIN, norm="post")
    source_tokenizer.save(directory.path / "s.model")
    directory.save_config(model, subwords={"source": "s.model", "target": "s.model"})
    directory.save_weights(model)

    def command(format_, *options):
        path = tmp_path / f"exports.{'argosmodel' if format_ == 'argos' else format_}"
        return ["export", str(directory.path), str(path), "--format", format_, *options]

    languages = ["--source-language", "en", "--target-language", "de"]
    for format_, written in (("huggingface", "config.json"), ("argos", None)):
        arguments = command(format_, *languages[: 4 * (format_ == "argos")])
        app(arguments, standalone_mode=False)
        assert capsys.readouterr().out == f"{arguments[2]}\n"
        assert written is None or (tmp_path / f"exports.{format_}" / written).is_file()
    for format_, option, told in (
        ("huggingface", ["--quantize", "int8"], "Hugging Face has no such option. Received: --quantize int8"),
        ("argos", ["--version", 3], "Argos Translate has no such option. Received: --version 3"),
        (
            "marian",
            ["--beam-size", 3],
            "Marian has its own search: leave out options of the search. Received: beam_size",
        ),
        ("marian", ["--signature", "search"], "Marian has no signatures. Received: --signature search"),
        (
            "onnx",
            [],
            "--format must be one of savedmodel, ctranslate2, huggingface, marian, argos. Received: --format onnx",
        ),
    ):
        assert told in error_line(*command(format_, *option))
    assert "not support these positions" in error_line(*command("marian"))
    model = make_model(**PLAIN, norm="post", positions=sinusoids("halves", 0, True))
    table = variables(model)["target_embedding"]
    table.assign(np.where(np.arange(table.shape[0])[:, None] == BOS, 0, table))
    directory.save_config(model, subwords={"source": "s.model", "target": "s.model"})
    directory.save_weights(model)
    app(command("marian"), standalone_mode=False)
    app(["import", str(tmp_path / "exports.marian"), str(tmp_path / "again")], standalone_mode=False)
    assert (tmp_path / "again" / "config.json").is_file()
