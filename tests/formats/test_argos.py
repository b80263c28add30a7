"""Packages of Argos Translate, and the command that writes models in the formats of other toolkits."""

import json
import re
import zipfile
from pathlib import Path

import ctranslate2
import numpy as np
import pytest
import sentencepiece
from small import slow, subwords_of

from keras_nmt import formats
from keras_nmt.cli.app import app
from keras_nmt.errors import UserError
from keras_nmt.formats import export_argos
from keras_nmt.formats.parameters import sinusoids, variables
from keras_nmt.formats.registry import EXPORTED, FORMATS
from keras_nmt.ids import BOS
from keras_nmt.inference import Translator
from keras_nmt.inference.load import load
from keras_nmt.models import ModelDirectory, Transformer

PLAIN = {"shortcuts": None, "num_encoder_layers": 1, "num_decoder_layers": 1}
LANGUAGES = {"source": "en", "target": "de"}


@pytest.fixture(params=[100, slow(None)], ids=["two vocabularies", "joint"])
def package(request, make_model, tokenizers, tmp_path):
    """A model, its tokenizers, and the folder of its package as `argostranslate.package.install_from_path` makes it."""
    model = make_model(**PLAIN, target_vocabulary_size=request.param)
    by_side = tokenizers if request.param else dict.fromkeys(tokenizers, tokenizers["source"])
    names = {"en": "English", "de": "German"}
    path = export_argos(tmp_path / "en_de.argosmodel", model, by_side, **LANGUAGES, names=names)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "packages")
    (folder,) = (tmp_path / "packages").iterdir()
    return model, by_side, folder


def test_a_package_translates_like_the_model_and_has_the_documented_fields(package, lines):
    model, tokenizers, folder = package
    assert folder.name == "translate-en_de-1_0"
    assert {path.name for path in folder.iterdir()} == {"model", "sentencepiece.model", "metadata.json"}
    metadata = {"package_version": "1.0", "argos_version": "1.9.0", "from_code": "en", "from_name": "English"}
    metadata |= {"to_code": "de", "to_name": "German"}
    assert json.loads((folder / "metadata.json").read_text()) == metadata
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
    tokenizer = subwords_of(tmp_path, "the cat sat\n" * 9, vocabulary_size=280, byte_fallback=True)
    model = Transformer(
        tokenizer.vocabulary_size, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2
    )
    with pytest.raises(UserError, match="without `byte_fallback`"):
        export_argos(tmp_path / "en_de.argosmodel", model, tokenizer, **LANGUAGES)
    assert not (tmp_path / "en_de.argosmodel").exists()


@pytest.mark.nightly
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


def test_wrong_packages_are_refused(make_model, source_tokenizer, tmp_path):
    path, plain = tmp_path / "en_de.argosmodel", make_model(**PLAIN)
    for to, options, told in (
        (path, {}, "code of the source language"),
        (path, {**LANGUAGES, "target": "../../etc"}, "code of the target language"),
        (tmp_path / "en_de.zip", LANGUAGES, r"must end in \.argosmodel"),
    ):
        with pytest.raises(UserError, match=told):
            export_argos(to, plain, source_tokenizer, **options)
    assert not list(tmp_path.iterdir())
    path.touch()
    with pytest.raises(UserError, match="must not exist"):
        export_argos(path, plain, source_tokenizer, **LANGUAGES)


def test_nothing_is_overwritten_which_is_told_before_the_model_is_read(tmp_path, error_line):
    path = tmp_path / "1" / "en_de.argosmodel"
    path.parent.mkdir()
    path.touch()
    for format_ in ("savedmodel", *EXPORTED):
        to: list = [tmp_path, "--version", 1] if format_ in ("savedmodel", "ctranslate2") else [path.parent]
        error = error_line("export", "nowhere", *([path] if format_ == "argos" else to), "--format", format_)
        assert re.search("must (be new|end in .argosmodel, and must not exist)", error), error


def test_the_command_writes_and_reads_all_formats(make_model, source_tokenizer, tmp_path, error_line, capsys):
    assert {f"export_{name}" for name in EXPORTED} == {name for name in formats.__all__ if name.startswith("export_")}
    directory = ModelDirectory(tmp_path / "model")
    source_tokenizer.save(directory.path / "s.model")

    def save(**options):
        model = make_model(**PLAIN, norm="post", **options)
        table = variables(model)["target_embedding"]
        table.assign(np.where(np.arange(table.shape[0])[:, None] == BOS, 0, table))
        directory.save_config(model, subwords={"source": "s.model", "target": "s.model"})
        directory.save_weights(model)

    def command(format_, *options):
        path = tmp_path / f"exports.{'argosmodel' if format_ == 'argos' else format_}"
        return ["export", str(directory.path), str(path), "--format", format_, *map(str, options)]

    languages = ["--source-language", "en", "--target-language", "de"]
    for format_, options in (("huggingface", []), ("argos", languages), ("marian", []), ("ctranslate2", [])):
        save(**({"positions": sinusoids("halves", 0, True)} if format_ == "marian" else {}))
        arguments = command(format_, *options)
        app(arguments, standalone_mode=False)
        written = Path(arguments[2], *["1"] * (format_ == "ctranslate2"))
        assert capsys.readouterr().out == f"{written}\n"
        if FORMATS[format_].is_read:
            read = ["import", str(written), str(tmp_path / f"from {format_}")]
            app(read, standalone_mode=False)
            assert capsys.readouterr().out == f"{read[2]}\n"
            subwords = load(read[2]).tokenizers["source"]
            assert subwords.vocabulary_size == source_tokenizer.vocabulary_size
    assert "must be new or empty" in error_line(*read)
    assert "the format huggingface" in error_line(*read[:2], tmp_path / "b", "--format", "huggingface")
    assert "must hold a model" in error_line("import", tmp_path, tmp_path / "b")
    for format_, option, told in (
        ("huggingface", ["--quantize", "int8"], "Hugging Face has no such option. Received: --quantize int8"),
        ("ctranslate2", ["--beam-size", 3], "leave out options of the search. Received: --beam-size"),
        ("marian", ["--unknown", "forbid"], "leave out options of the search. Received: --unknown"),
        ("ctranslate2", ["--warmup", __file__], "Received: --warmup"),
        ("onnx", [], "--format must be one of savedmodel, ctranslate2, huggingface, marian, keras_hub, argos"),
    ):
        assert told in error_line(*command(format_, *option))
