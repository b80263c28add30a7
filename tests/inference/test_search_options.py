"""What of the search the command line offers: samples, prefixes, phrases, ensembles, alignments."""

import builtins
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.errors import UserError
from keras_nmt.files import weights_file
from keras_nmt.files.atomic_files import write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.inference import Translator
from keras_nmt.inference.load import load
from keras_nmt.models import ModelDirectory, Transformer
from keras_nmt.serving import export

pytestmark = pytest.mark.usefixtures("eager")

TEXT = "the small cat\na mouse\n"


def make_directory(path, model, tokenizers):
    folder = ModelDirectory(path)
    for side, tokenizer in tokenizers.items():
        tokenizer.save(path / f"{side}.model")
    search = {"beam_size": 2, "max_length": 7}
    folder.save_config(model, subwords={side: f"{side}.model" for side in tokenizers}, search=search)
    folder.save_weights(model)
    return path


@pytest.fixture(scope="module")
def directory(model, tokenizers, tmp_path_factory):
    return make_directory(tmp_path_factory.mktemp("directory"), model, tokenizers)


@pytest.fixture(scope="module")
def other(make_model, tokenizers, tmp_path_factory):
    """Of other sizes."""
    model = make_model(target_vocabulary_size=100, hidden_dim=8, shortcuts=None)
    return make_directory(tmp_path_factory.mktemp("other"), model, tokenizers)


@pytest.fixture(scope="module")
def translate(directory):
    """Lines of standard output, and what went wrong."""

    def run(*arguments, stdin=TEXT):
        found = CliRunner().invoke(app, ["translate", str(directory), *map(str, arguments)], input=stdin.encode())
        return found.stdout.splitlines(), found.exception

    return run


@pytest.mark.slow
def test_samples_depend_on_the_seed_and_not_on_the_division_into_parts(directory, translate, monkeypatch):
    monkeypatch.setattr("keras_nmt.cli.lines.LINES_AT_ONCE", 3)
    flags = ["--sample", "--temperature", 1.5, "--top-k", 40, "--top-p", 0.9, "--n-best", 3, "--seed", 5]
    found, error = translate(*flags, stdin=TEXT * 2)
    assert error is None
    options = {"sample": True, "temperature": 1.5, "top_k": 40, "top_p": 0.9, "num_hypotheses": 3}
    expected = Translator.from_directory(directory, **options).translate(TEXT.splitlines() * 2, seeds=5)
    assert found == [hypothesis.text for translation in expected for hypothesis in translation.hypotheses]
    assert found[:6] != found[6:], "the same line is drawn anew"


def test_the_directory_gives_the_options_that_the_command_line_does_not_set(directory, translate, tmp_path):
    kept = (directory / "config.json").read_text()
    config = ModelDirectory(directory).read().config
    config["search"] |= {"num_hypotheses": 2, "coverage_penalty": 0.1, "length_buckets": [4, 8]}
    try:
        write_json(directory / "config.json", with_digest(config))
        texts, _ = translate("--alignments", tmp_path / "words")
        expected = Translator.from_directory(directory).align(["the small cat"] * 2 + ["a mouse"] * 2, texts)
        lines = (tmp_path / "words").read_text().splitlines()
        assert [[tuple(map(int, pair.split("-"))) for pair in line.split()] for line in lines] == expected
        assert any(expected)
        found, error = translate("--sample")  # the penalty goes with a beam
        assert (len(found), error) == (4, None)
        text = "the small cat sat in the garden of the old house\na mouse\n"
        found = CliRunner().invoke(app, ["translate", str(directory)], input=text.encode())
        assert "1 line(s) of 8 subwords or more were truncated." in found.stderr
    finally:
        (directory / "config.json").write_text(kept)


def test_prefixes_belong_to_their_lines_whatever_the_division_into_parts(translate, tmp_path, monkeypatch):
    monkeypatch.setattr("keras_nmt.cli.lines.LINES_AT_ONCE", 1)
    (tmp_path / "prefixes").write_text("sieben vö\ndrei\n")
    found, error = translate("--prefixes", tmp_path / "prefixes")
    assert error is None
    assert [text.startswith(start) for text, start in zip(found, ("sieben vö", "drei"), strict=True)] == [True, True]
    _, error = translate("--prefixes", tmp_path / "prefixes", stdin="a mouse\n")
    assert re.search("prefixes must have a line.*Received: 2 lines", str(error))
    (tmp_path / "limits").write_text("2\n\n")
    (short, other), _ = translate("--max-lengths", tmp_path / "limits")
    assert (short, other) == (translate("--max-length", 2)[0][0], translate()[0][1])


@pytest.mark.slow
def test_empty_and_cut_off_translations_are_counted(directory, translate, tmp_path):
    def told(*arguments, stdin=TEXT + "\n"):
        found = CliRunner().invoke(app, [*arguments], input=stdin.encode(), catch_exceptions=False)
        return [line for line in found.stderr.splitlines() if "translation(s)" in line]

    (tmp_path / "text").write_text(TEXT)
    evaluate = ["evaluate", str(directory), "--source", str(tmp_path / "text"), "--references", str(tmp_path / "text")]
    advice = "(--max-length-factor and --max-length set it)"
    for command in (["translate", str(directory)], [*evaluate, "--metrics", "bleu"]):
        cut = told(*command, "--max-length", "2")
        assert cut == [f"2 translation(s) were cut off at the length limit {advice}."]
    assert told("translate", str(directory), stdin="\n  \n") == []
    flags = ["--max-length", 40, "--max-length-factor"]
    lengths = [[len(x) for x in translate(*flags, factor, "--min-length", factor)[0]] for factor in (1, 9)]
    assert all(less < more for less, more in zip(*lengths, strict=True))


def test_other_weights_are_loaded(directory, model, tmp_path):
    other = Transformer.from_config({**model.get_config(), "dtype": "float32"})
    other.set_weights([-weight for weight in model.get_weights()])
    other.save_weights(tmp_path / "other.weights.h5")
    found = Translator.from_directory(directory, weights=tmp_path / "other.weights.h5").model
    assert all(map(np.array_equal, found.get_weights(), other.get_weights()))


@pytest.mark.nightly
def test_an_ensemble_translates(directory, other, translate, make_model, source_tokenizer, tmp_path):
    found, error = translate("--ensemble", other)
    assert error is None
    translator = Translator.from_directory(directory, ensemble=[other])
    assert found == [translation.text for translation in translator.translate(TEXT.splitlines())]
    joint = make_directory(tmp_path, make_model(), dict.fromkeys(("source", "target"), source_tokenizer))
    with pytest.raises(UserError, match="same subword models"):
        Translator.from_directory(directory, ensemble=[other, joint])


@pytest.mark.nightly  # usually: exports of one model, and ensembles in Python
def test_an_exported_ensemble_translates_and_scores(directory, other, tmp_path):
    lines, targets = TEXT.splitlines(), ["die katze", "drei hunde"]
    loaded = load(directory, ensemble=[other])
    found = [x.text for x in Translator(loaded.model, loaded.tokenizers, **loaded.search).translate(lines)]
    path = export(tmp_path, loaded.model, loaded.tokenizers, **loaded.search, length_buckets=(8,), batch_buckets=(2,))
    served = tf.saved_model.load(str(path)).signatures
    texts = served["serving_default"](text=tf.constant(lines))["translation"].numpy()
    assert [text.decode() for text in texts] == found

    scores = [Translator.from_directory(path).score(lines, targets) for path in (directory, other)]
    both = served["score"](source=tf.constant(lines), target=tf.constant(targets))["log_probability"].numpy()
    # A mean of probabilities is more than the exponential of the mean of their logarithms.
    assert all(sum(pair) / 2 < of_mean for *pair, of_mean in zip(*scores, both, strict=True))


@pytest.mark.slow
def test_phrases_come_from_files_and_from_a_glossary(directory, translate, tmp_path):
    paths = {name: tmp_path / name for name in ("constraints", "avoid", "glossary")}
    for name, text in (("constraints", "katze\tdrei|vier\n\n"), ("avoid", "\ndie\n"), ("glossary", "Mouse\thunde\n")):
        paths[name].write_text(text)
    flags = [x for name, path in paths.items() for x in (f"--{name}", path)]
    found, error = translate(*flags, "--ignore-case")
    assert error is None
    phrases = {"constraints": [["katze", "drei|vier"], ["hunde"]], "avoid": [[], ["die"]]}
    expected = Translator.from_directory(directory).translate(TEXT.splitlines(), **phrases)
    assert found == [translation.text for translation in expected]
    assert "katze" in found[0]
    assert "hunde" in found[1]
    assert "hunde" not in translate("--glossary", paths["glossary"], stdin="a mouse\n")[0][0], "the case differs"


def test_wrong_flags_and_files_are_refused(translate, tmp_path):
    def refused(told, *flags):
        _, error = translate(*flags)
        assert isinstance(error, UserError)
        assert re.search(told, str(error)), error

    for flags, told in (
        (["--top-k", 4, "--top-p", 0.5], r"go with --sample. Received: --top-k 4, --top-p 0\.5"),
        (["--seed", 4], "--seed goes with --sample. Received: --seed 4"),
        (["--sample", "--beam-size", 4], "Received: --beam-size 4"),
        (["--sample", "--temperature", 0], r"--temperature must be a finite number above 0\. Received: --temperature"),
        (["--prefix-bias-beta", 0.5], "--prefix-bias-beta goes with --prefixes FILE"),
        (["--alternatives", 9999], r"--alternatives must be an integer from 1 to \d+\. Received: --alternatives 9999"),
    ):
        refused(told, *flags)
    for name, text, told in (
        ("constraints", "katze\n", "must have a line, which may be empty, for each line of the input. Received: 1"),
        *(
            ("max_lengths", f"3\n{limit}\n", f"integer of at least 1 a line, or nothing. Received: line 2, '{limit}'$")
            for limit in ("x", "1.5", "0", "-1", str(2**31))
        ),
        ("glossary", "cat\tkatze\ndog\n", "words of the source, tab, phrase of the target. Received: .*, line 2, 'dog"),
        ("glossary", "a  cat\tkatze\na cat\tkater\n", "must have one phrase.* 'a cat' with 'katze' and 'kater'"),
    ):
        (tmp_path / name).write_text(text)
        refused(told, f"--{name.replace('_', '-')}", tmp_path / name)


def test_a_directory_is_read_once_and_its_model_is_made_and_its_weights_are_hashed_once(directory, monkeypatch):
    counts = Counter()
    for owner, name in ((builtins, "open"), (weights_file, "_digest"), (Transformer, "from_config")):
        real = getattr(owner, name)

        def counted(*args, real=real, name=name, **kwargs):
            counts[name] += name != "open" or Path(args[0]).name == "config.json"
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)
    Translator.from_directory(directory)
    assert counts == {"open": 1, "_digest": 1, "from_config": 1}
