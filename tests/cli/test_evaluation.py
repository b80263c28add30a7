"""`keras-nmt evaluate` on files: its options reach sacreBLEU."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from keras_nmt.cli.app import app
from keras_nmt.data import SubwordTokenizer, train_subwords
from keras_nmt.evaluation import corpus_scores
from keras_nmt.models import ModelDirectory, Transformer

# Tokenised text, in which sacreBLEU's tokenizers find other tokens.
REFERENCES = ["a well @-@ known dog , in the snow .", "two cats &apos;s food"]
HYPOTHESES = ["a well @-@ known cat , in the snow .", "two cats &apos;s meal"]


@pytest.mark.parametrize("tokenize", [None, "none", "intl", "char"])
@pytest.mark.parametrize("has_baseline", [False, True])
def test_bleu_uses_the_chosen_tokenizer(tmp_path, tokenize, has_baseline):
    files = {name: tmp_path / name for name in ("references", "hypotheses", "baseline")}
    for name, lines in (("references", REFERENCES), ("hypotheses", HYPOTHESES), ("baseline", HYPOTHESES)):
        files[name].write_text("\n".join([*lines, ""]))
    arguments = ["--references", str(files["references"]), "--hypotheses", str(files["hypotheses"])]
    arguments += ["--baseline", str(files["baseline"])] if has_baseline else []
    arguments += [] if tokenize is None else ["--tokenize", tokenize]
    run = CliRunner().invoke(app, ["evaluate", *arguments], catch_exceptions=False)
    name = tokenize or "13a"
    expected = corpus_scores(HYPOTHESES, REFERENCES, metrics=("bleu",), tokenize=name)["bleu"]
    assert f"|tok:{name}|" in expected.signature
    assert f"|tok:{name}|" in run.stdout
    assert f"{expected.score:.2f}" in run.stdout


@pytest.mark.parametrize("lowercase", [True, False])
def test_case_counts_as_in_the_target_of_the_model(tmp_path, lowercase):
    text, directory = tmp_path / "text", ModelDirectory(tmp_path / "model")
    text.write_text("The small Cat sat in THREE old houses\n" * 9)
    subwords = train_subwords([text], directory.path / "s.model", vocabulary_size=38, lowercase=lowercase)
    size = SubwordTokenizer(subwords).vocabulary_size
    model = Transformer(size, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2)
    directory.save_config(model, subwords=dict.fromkeys(("source", "target"), "s.model"))
    directory.save_weights(model)
    command = ["evaluate", str(directory.path), "--source", str(text), "--references", str(text), "--metrics", "bleu"]
    for option, ignored in (([], lowercase), (["--lowercase"], True), (["--no-lowercase"], False)):
        run = CliRunner().invoke(app, [*command, "--max-length", "3", *option], catch_exceptions=False)
        assert ("|case:lc|" in run.stdout) == ignored
        assert ("|case:mixed|" in run.stdout) == (not ignored)
