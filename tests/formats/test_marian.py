"""Models of Marian: the same model back, the same translations, and files that are refused."""

import gzip
import importlib.util
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from small import noisy, slow

from keras_nmt.errors import UserError
from keras_nmt.formats import export_marian, import_model
from keras_nmt.formats.array_files import read_npz, read_safetensors, write_npz
from keras_nmt.formats.marian import read
from keras_nmt.formats.parameters import sinusoids, variables
from keras_nmt.formats.vocabulary import Vocabulary
from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.inference import Translator
from keras_nmt.inference.load import load

SETTINGS = "special:model.yml"
PLAIN = {
    "shortcuts": None,
    "num_encoder_layers": 2,
    "num_decoder_layers": 1,
    "norm": "post",
    "positions": sinusoids("halves", 0, True),
}
VARIANTS = [
    {"feed_forward": "swish", "attention_bias": True, "logits_bias": True},
    {"tie_embeddings": False, "embedding_norm": True},
    {"target_vocabulary_size": 100, "positions": sinusoids("interleaved", 0, True)},
    {"target_vocabulary_size": 100, "tie_embeddings": False, "logits_bias": True, "alignment_head": 2},
]


@pytest.fixture(scope="module")
def make(make_model, source_tokenizer, target_tokenizer):
    """Makes a model with zeros as the embedding of the begin, all other weights at random, and its tokenizers."""

    def made(**options):
        model = noisy(make_model(**{**PLAIN, **options}), 0, 0.1)
        table = variables(model)["target_embedding"]
        table.assign(np.where(np.arange(table.shape[0])[:, None] == BOS, 0, table))
        target = target_tokenizer if "target_vocabulary_size" in options else source_tokenizer
        return model, {"source": source_tokenizer, "target": target}

    return made


@pytest.fixture
def exported(make, tmp_path):
    return export_marian(tmp_path / "theirs", *make(**VARIANTS[0]))


@pytest.mark.parametrize("options", [*map(slow, VARIANTS[:-1]), VARIANTS[-1]], ids=str)
def test_a_model_comes_back_bit_by_bit(options, make, tmp_path):
    model, tokenizers = make(**options)
    search = {"beam_size": 6, "length_penalty": 0.8, "length_penalty_form": "power"}
    search |= {"max_length_factor": 2, "max_length_offset": 2}
    theirs = export_marian(tmp_path / "theirs", model, tokenizers, search)
    import_model(theirs, tmp_path / "ours")
    ours = load(tmp_path / "ours")
    assert ours.search == search
    # The head that aligns becomes the first, which is Marian's.
    aligning = [x.get_config()["alignment_head"] for x in (model, ours.model)]
    assert aligning == ([2, 1] if "alignment_head" in options else [None, None])
    assert '"max-length-crop": true' in (theirs / "decoder.yml").read_text()
    ids = [np.array([[7, 8, UNK, 9, EOS]]), np.array([[BOS, 9, UNK, 10]])]
    words = [i for i in range(tokenizers["target"].vocabulary_size) if i not in (PAD, BOS)]
    found, expected = (np.asarray(x(ids))[..., words] for x in (ours.model, model))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert np.ptp(expected) > 1
    back = export_marian(tmp_path / "back", ours.model, ours.tokenizers, ours.search)
    for path in theirs.iterdir():
        assert "spm" in path.name or (back / path.name).read_bytes() == path.read_bytes()
    for side, tokenizer in tokenizers.items():
        lines = ["seven cats sleep", "zürich vier vögel"]
        assert ours.tokenizers[side].tokenize(lines).to_list() == tokenizer.tokenize(lines).to_list()


def test_weights_are_those_of_hugging_face(tmp_path):
    """The kept model of Hugging Face, with the names of Marian as Hugging Face's script of conversion has them.

    Version 1.7 of Marian did not write further settings, which have the defaults of later versions.
    """
    kept, folder = Path(__file__).with_name("marian"), tmp_path / "theirs"
    folder.mkdir()
    arrays = dict(read_safetensors(kept / "model.safetensors"))
    config, tokens = (json.loads((kept / name).read_text()) for name in ("config.json", "vocab.json"))
    pad = tokens.pop("<pad>")
    found = {"Wemb": arrays["model.shared.weight"][:pad]}
    found["decoder_ff_logit_out_b"] = arrays["final_logits_bias"][:, :pad]
    attention = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
    for side, number in [(x, i) for x in ("encoder", "decoder") for i in range(config[f"{x}_layers"])]:
        dense, norms = {"ffn_{}1": "fc1", "ffn_{}2": "fc2"}, {"ffn_ffn_ln": "final_layer_norm"}
        for site, theirs in (("self", "self_attn"), ("context", "encoder_attn"))[: 1 + (side == "decoder")]:
            dense |= {f"{site}_{{}}{letter}": f"{theirs}.{name}" for letter, name in attention.items()}
            norms[f"{site}_Wo_ln"] = f"{theirs}_layer_norm"
        begin, layer = f"{side}_l{number + 1}_", f"model.{side}.layers.{number}"
        for name, theirs in dense.items():
            found[begin + name.format("W")] = arrays[f"{layer}.{theirs}.weight"].T
            found[begin + name.format("b")] = arrays[f"{layer}.{theirs}.bias"][None]
        for name, theirs in norms.items():
            found[f"{begin}{name}_scale"] = arrays[f"{layer}.{theirs}.weight"][None]
            found[f"{begin}{name}_bias"] = arrays[f"{layer}.{theirs}.bias"][None]
    settings = (
        f"type: transformer\nenc-depth: {config['encoder_layers']}\ndec-depth: {config['decoder_layers']}\n"
        f"dim-emb: {config['d_model']}\ntransformer-heads: {config['encoder_attention_heads']}\n"
        f"transformer-dim-ffn: {config['encoder_ffn_dim']}\n"
        f"transformer-ffn-activation: {config['activation_function']}\ntied-embeddings-all: true\n"
        'transformer-preprocess: ""\ntransformer-postprocess: dan\n'
    )
    found[SETTINGS] = np.frombuffer(settings.encode() + b"\0", "int8")
    np.savez(folder / "model.npz", **found)
    (folder / "vocab.yml").write_text("".join(f"{json.dumps(token)}: {i}\n" for token, i in tokens.items()))
    import_model(folder, tmp_path / "ours")
    import_model(kept, tmp_path / "others")
    ours, others = (variables(load(tmp_path / name).model) for name in ("ours", "others"))
    assert ours.keys() == others.keys()
    for name, variable in ours.items():
        arrays = [np.asarray(variable), np.asarray(others[name])]
        if "bedding" in name or "output_bias" in name:  # the begin is the pad there, and zeros here
            arrays = [np.delete(array, BOS, 0) for array in arrays]
        np.testing.assert_array_equal(*arrays, err_msg=name)


def zipped(folder, path, names=lambda name: name):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in folder.iterdir():
            archive.write(file, names(file.name))
    return path


@pytest.mark.nightly
def test_a_zip_and_a_file_are_read_as_their_folder(exported, refused, tmp_path):
    import_model(exported, tmp_path / "expected")
    expected = load(tmp_path / "expected").model.get_weights()
    evil = zipped(exported, tmp_path / "evil.zip", names=lambda name: f"../../{name}")
    before = sorted(tmp_path.parent.iterdir())
    for number, source in enumerate((zipped(exported, tmp_path / "a.zip"), evil, exported / "model.npz")):
        import_model(source, tmp_path / str(number))
        assert all(map(np.array_equal, load(tmp_path / str(number)).model.get_weights(), expected))
    assert sorted(tmp_path.parent.iterdir()) == before
    with zipfile.ZipFile(evil, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(1 << 24))
    refused(evil, "20 times its size")
    with zipfile.ZipFile(evil, "w") as archive:
        archive.writestr("readme", b"1")
    refused(evil, r"evil.zip is not a model of Marian")


@pytest.mark.slow
def test_the_vocabulary_may_be_a_subword_model(exported, source_tokenizer, tmp_path):
    proto = ModelProto.FromString(source_tokenizer.proto)
    pieces = [proto.pieces[i] for i in (EOS, UNK, *range(4, len(proto.pieces)))]
    other = ModelProto.FromString(source_tokenizer.proto)
    del other.pieces[:]
    other.pieces.extend(pieces)
    import_model(exported, tmp_path / "expected")
    for name in ("vocab.yml", "source.spm", "target.spm", "decoder.yml"):
        (exported / name).unlink()
    (exported / "vocab.spm").write_bytes(other.SerializeToString())
    import_model(exported, tmp_path / "ours")
    ours, expected = (load(tmp_path / name) for name in ("ours", "expected"))
    assert all(map(np.array_equal, ours.model.get_weights(), expected.model.get_weights()))
    lines = ["seven cats sleep", "zürich"]
    assert ours.tokenizers["target"].tokenize(lines).to_list() == source_tokenizer.tokenize(lines).to_list()


def test_words_need_no_subword_model(exported, refused, tmp_path):
    for side in ("source", "target"):
        (exported / f"{side}.spm").unlink()
    vocabulary = exported / "vocab.yml"  # as of texts that a BPE has cut into words and beginnings of words
    tokens = [x.split(": ")[0].strip('"') for x in vocabulary.read_text().splitlines()]

    def write(mark, before=""):
        marked = (f"{before * (i % 2)}w{i}{mark * (i % 2)}" for i in range(4, len(tokens)))
        words = [*tokens[:2], "▁@@", "▁", *marked]
        vocabulary.write_text("".join(f"{json.dumps(word)}: {i}\n" for i, word in enumerate(words)))

    write("x")
    import_model(exported, tmp_path / "ours")
    tokenizer = load(tmp_path / "ours").tokenizers["source"]
    names = tokenizer.pieces()
    assert [names[i] for i in tokenizer.tokenize(["w8 w9x w10"]).to_list()[0]] == ["▁w8", "▁w9x", "▁w10"]
    for marks, told in (
        (("@@",), "pieces of subword-nmt, but this package"),
        (("\uffed",), "pieces of OpenNMT's Tokenizer"),
        (("", "Ġ1"), "pieces of a byte-level BPE"),
        (("", "##"), "pieces of WordPiece"),
    ):
        write(*marks)
        refused(exported, told)


def test_text_of_other_programs_is_refused(exported, refused, tmp_path):
    (exported / "source.bpe").touch()
    (exported / "source.tcmodel").touch()
    for path in (exported, shutil.make_archive(str(tmp_path / "opus"), "zip", exported)):
        refused(path, "preprocess.sh has segmented .* Received: source.bpe, source.tcmodel")


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_texts_are_segmented_as_before_with_the_other_sides_pieces(kind, tmp_path):
    """The joint vocabulary of OPUS-MT has the pieces of two subword models."""
    texts = {"source": "the cat sat on the mat and ran home", "target": "then thee hero mane sand tatters at ease"}
    protos = {}
    for side, text in texts.items():
        (tmp_path / side).write_text(f"{text}\n" * 20)
        sentencepiece.SentencePieceTrainer.train(
            input=str(tmp_path / side), model_prefix=str(tmp_path / f"{side}_model"), vocab_size=36, model_type=kind,
            bos_id=-1, eos_id=0, unk_id=1, minloglevel=2, hard_vocab_limit=False,
        )  # fmt: skip
        protos[side] = (tmp_path / f"{side}_model.model").read_bytes()
    tokens = list(dict.fromkeys(x.piece for proto in protos.values() for x in ModelProto.FromString(proto).pieces))
    for proto in protos.values():
        made = Vocabulary(tokens, None, 1, None, 0, proto).make_model()
        ours, theirs = (sentencepiece.SentencePieceProcessor(model_proto=x) for x in (made, proto))
        for text in " ".join(texts.values()).split():
            assert ours.encode(text, out_type=str) == theirs.encode(text, out_type=str)


@pytest.mark.parametrize("bytes_there", [0, 100, 256])
def test_bytes_stay_if_all_are_there(bytes_there, tmp_path):
    (tmp_path / "text").write_text("the cat sat on the mat\n" * 20)
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(tmp_path / "m"), vocab_size=280, byte_fallback=True,
        bos_id=-1, eos_id=0, unk_id=1, minloglevel=2, hard_vocab_limit=False,
    )  # fmt: skip
    proto = (tmp_path / "m.model").read_bytes()
    pieces = [piece.piece for piece in ModelProto.FromString(proto).pieces]
    tokens = [*pieces[: 2 + bytes_there], *pieces[2 + 256 :]]
    made = Vocabulary(tokens, None, 1, None, 0, proto).make_model()
    processor = sentencepiece.SentencePieceProcessor(model_proto=made)
    assert processor.decode(processor.encode("the cat")) == "the cat"
    assert processor.encode("ü")[1:] == ([4 + 0xC3, 4 + 0xBC] if bytes_there == 256 else [1])


def npy(shape, content=b"", dtype="<f4"):
    """A file `.npy` whose header may lie."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue() + content


def test_damaged_models_are_refused(exported, refused):
    path = exported / "model.npz"
    whole, arrays = path.read_bytes(), read_npz(path)
    settings = bytes(arrays[SETTINGS]).decode()

    # Files that are no npz, and arrays that claim more than there is, or are pickles.
    for content, told in (
        (b"PK", "no model|damaged"),
        (whole.replace(b"Wemb", b"WXmb", 1), "damaged"),
    ):
        path.write_bytes(content)
        refused(exported, told)
    for content, told in (
        (npy((1 << 40, 4)), "is damaged"),
        (npy((2,), bytes(16), "|O"), "is damaged. Received: Object arrays cannot be loaded"),
        (npy((2,), bytes(16), "<U2"), "arrays of numbers"),
        (npy((2,)).replace(b"}", b"1: {[]: 1}}"), "is damaged"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("Wemb.npy", content)
        refused(exported, told)
    # Arrays that do not fit; those of all formats are in `test_huggingface.py`.
    for change, told in (
        ({SETTINGS: None}, "not a model of Marian"),
        ({"Wemb": arrays["Wemb"][:-1]}, "must have 117 tokens"),
        ({"decoder_ff_logit_out_b": arrays["decoder_ff_logit_out_b"][:, :-1]}, "a row for each"),
    ):
        write_npz(path, {key: x for key, x in {**arrays, **change}.items() if x is not None})
        refused(exported, told)
    autoreg = '"transformer-decoder-autoreg": "self-attention"'
    for old, new, told in (
        (autoreg, autoreg.replace("self", "average"), "must be self-attention.*average"),
        ('"type": "transformer"', "type: s2s", "`type` must be transformer"),
        ('"right-left": "false"', "right-left: true", "right-left"),
        ('"transformer-ffn-activation": "swish"', "transformer-ffn-activation: gelu", "swish or relu"),
        ('"transformer-preprocess": ""', "transformer-preprocess: nd", "norms must stand after each"),
        ('"enc-depth": 2', "enc-depth: &a [*a, *a]", "strings and lists"),
        ('"enc-depth": 2', "enc-depth: " + "[" * 5000, "strings and lists|damaged"),
        ('"enc-depth": 2', '"enc-depth": 2\n"enc-depth": 2', "each name once"),
    ):
        assert old in settings
        text = np.frombuffer(settings.replace(old, new).encode() + b"\0", "int8")
        write_npz(path, {**arrays, SETTINGS: text})
        refused(exported, told)
    path.write_bytes(whole)
    # Vocabularies and the settings of the search.
    vocabulary, decoder = exported / "vocab.yml", exported / "decoder.yml"
    lines = vocabulary.read_text()
    for changed, content, told in (
        (vocabulary, lines.replace('"</s>": 0', '"end": 0'), "Missing token: </s>"),
        (vocabulary, lines.replace('"</s>": 0', '"</s>": 1000'), "ids from 0"),
        (decoder, 'models: ["gone.npz"]', "Missing model, which .*decoder.yml names: .*gone.npz"),  # not another
        (decoder, 'vocabs: ["vocab.yml"]', r"two vocabularies. Received: \['vocab.yml'\]"),
        (decoder, "beam-size: 4.5", "`beam-size` of the search.*Received: "),
        (decoder, "normalize: 10.5", "`normalize` of the search.*Received: .*10.5"),
        (decoder, "max-length-factor: many", "`max-length-factor` of the search.*Received: max-length-factor='many'"),
    ):
        vocabulary.write_text(lines)
        changed.write_text(content)
        refused(exported, told)
    for content, expected in (("quiet: true", (12, 0.0)), ("beam-size: 3", (3, 0.0)), ("normalize: 0.6", (12, 0.6))):
        decoder.write_text(content)
        search = read(exported).search
        assert (search["beam_size"], search["length_penalty"], search["length_penalty_form"]) == (*expected, "power")
    for penalty, told in (("0", []), ("0.0", []), ("0.6", ["word-penalty=0.6"])):
        decoder.write_text(f"word-penalty: {penalty}")
        assert [note.rpartition(", ")[2] for note in read(exported).notes] == told


def test_what_marian_lacks_is_named(make, make_model, source_tokenizer, refused, tmp_path, monkeypatch):
    smaller = {"num_encoder_layers": 1}
    for options, told in (
        ({"positions": "sinusoidal"}, "Marian does not support these positions"),
        ({"feed_forward": "gelu"}, "not support this feed-forward network.*'gelu'"),
        ({"scale_embeddings": False}, "embeddings without a scale"),
        ({"source_end": False}, "sources without EOS"),
        ({"norm_epsilon": 1.1e-5}, "epsilon of norms"),
        ({"norm": "pre"}, "not support norms of keys and values before attentions"),
    ):
        with pytest.raises(UserError, match=told):
            export_marian(tmp_path / "theirs", *make(**smaller, **options))
    with pytest.raises(UserError, match="begins a translation with zeros"):
        export_marian(tmp_path / "theirs", make_model(**PLAIN), source_tokenizer)
    assert not (tmp_path / "theirs").exists()
    search = {"length_penalty": 0.7, "min_length": 1, "max_length_factor": 2, "coverage_penalty": 0.0}
    with pytest.warns(match="of the model: min_length=1, max_length_factor=2, length_penalty_form=gnmt$"):
        folder = export_marian(tmp_path / "theirs", *make(**smaller, norm_epsilon=1e-5), search)
    monkeypatch.setitem(sys.modules, "yaml", None)
    refused(folder, r"pip install 'keras_nmt\[marian\]'")


# With Marian itself.
SEARCH = {"beam_size": 1, "length_penalty": 0.0, "min_length": 0, "max_length_factor": 3, "max_length_offset": 3}
TRAINED = [  # settings, updates
    ("--tied-embeddings-all", 400),
    ("--tied-embeddings --transformer-ffn-activation relu", 60),
    ("--tied-embeddings-src --transformer-postprocess-emb dn", 60),
    ("--output-omit-bias", 60),
]


def marian(*arguments):
    script = Path(__file__).with_name("pymarian_oracle.py")
    subprocess.run([sys.executable, script, *map(str, arguments)], check=True, capture_output=True)


@pytest.mark.nightly
@pytest.mark.parametrize(("settings", "updates"), TRAINED, ids=str)
@pytest.mark.skipif(importlib.util.find_spec("pymarian") is None, reason="needs pymarian")
def test_marian_translates_alike(settings, updates, multi30k, tmp_path):
    folder, lines = tmp_path / "theirs", tmp_path / "lines"
    folder.mkdir()
    for language in ("en", "de"):
        with gzip.open(multi30k / f"train.{language}.gz", "rt", encoding="utf-8") as file:
            (folder / language).write_text("".join(next(file) for _ in range(10_000)))
    with gzip.open(multi30k / "val.en.gz", "rt", encoding="utf-8") as file:
        given = [next(file).strip() for _ in range(200)]
    sentencepiece.SentencePieceTrainer.train(
        input=f"{folder}/en,{folder}/de", model_prefix=f"{folder}/vocab", vocab_size=1500, minloglevel=2,
        bos_id=-1, eos_id=0, unk_id=1, pad_id=-1,
    )  # fmt: skip
    (folder / "vocab.model").rename(folder / "vocab.spm")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "vocab.spm"))

    def translated(folder, kind, *names):
        lines.write_text(
            "\n".join(given if kind == "spm" else [" ".join(processor.encode(x, out_type=str)) for x in given])
        )
        marian("translate", folder, lines, tmp_path / "result", *names)
        rows = json.loads((tmp_path / "result").read_text("utf-8"))
        return [(text if kind == "spm" else processor.decode(text.split()).strip(), score) for text, score in rows]

    marian(
        "train", "--train-sets", folder / "en", folder / "de", "--vocabs", folder / "vocab.spm", folder / "vocab.spm",
        "--model", folder / "model.npz", "--type", "transformer", "--dim-emb", 64, "--enc-depth", 2, "--dec-depth", 1,
        "--transformer-heads", 4, "--transformer-dim-ffn", 128, "--learn-rate", 0.003, "--lr-warmup", 200,
        "--lr-decay-inv-sqrt", 200, "--mini-batch", 64, "--cpu-threads", 2, "-w", 400, "--after-batches", updates,
        "--seed", 1, "--max-length", 60, *settings.split(),
    )  # fmt: skip
    expected = translated(folder, "spm", "model.npz", *["vocab.spm"] * 2)
    import_model(folder, tmp_path / "ours")
    ours = load(tmp_path / "ours")
    # Marian never writes the unknown token.
    translator = Translator(ours.model, ours.tokenizers, **SEARCH, unknown="forbid")
    found = [(row.text.strip(), row.score) for row in translator.translate(given)]
    is_trained = updates > 100
    assert len({text for text, _ in expected}) > (100 if is_trained else 1)
    assert [text for text, _ in found] == [text for text, _ in expected]
    np.testing.assert_allclose([x for _, x in found], [x for _, x in expected], rtol=1e-4, atol=1e-3)
    # The same model out again, with a vocabulary of pieces.
    back = export_marian(tmp_path / "back", ours.model, ours.tokenizers)
    names = ["vocab.yml"] * 2 if (back / "vocab.yml").exists() else ["vocab.source.yml", "vocab.target.yml"]
    again = translated(back, "yml", "model.npz", *names)
    assert [text for text, _ in again] == [text for text, _ in expected]
    np.testing.assert_allclose([x for _, x in again], [x for _, x in expected], rtol=1e-5, atol=1e-4)
