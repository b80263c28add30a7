"""Lines of three sentences of news, which a model of single captions translates sentence by sentence, by any door."""

import html

import pytest
from configs import config

from keras_nmt.data import read_lines
from keras_nmt.experiments import run
from keras_nmt.inference import Translator
from keras_nmt.serving import Client, DevelopmentServer, export

SETTINGS = {
    **{"preset": "transformer_tiny", "vocabulary_size": 4000, "batch_size": 1536, "max_updates": 500},
    **{"schedule": "cosine", "learning_rate": 0.0026, "warmup_steps": 100},
    **{"evaluation.every": 250, "dev_sentences": 100},
}


@pytest.mark.nightly
def test_lines_of_three_sentences_keep_their_full_stops(multi30k, tmp_path):
    news = multi30k.parent / "newstest" / "newstest2014.en-de.en"
    if not news.is_file():
        pytest.skip(f"There is no {news}")
    data = {part: str(multi30k / f"{name}.{{language}}") for part, name in (("train", "train"), ("dev", "val"))}
    run(config(tmp_path / "run", {"languages": ["en", "de"], "pairs": ["en-de"], **data}, SETTINGS), report=str)
    # Headlines have no end mark, at which a line could be split.
    sentences = [line for line in read_lines(news) if line.endswith((".", "!", "?"))][:200]
    lines = [" ".join(sentences[i : i + 3]) for i in range(0, 200, 3)]
    marked = [f"<p>{html.escape(line)}</p>" for line in lines]

    def full_stops(translations):
        return sum(translation.text.count(".") for translation in translations)

    translator = Translator.from_directory(tmp_path / "run")
    one_by_one = full_stops(translator.translate(sentences))
    assert one_by_one > 100
    assert full_stops(translator.translate(lines, split_sentences="none")) < one_by_one / 2
    export(tmp_path / "export", translator.model, translator.tokenizers, signatures=["align"])
    with DevelopmentServer(tmp_path / "export", port=0) as server, Client(server.rest_url) as client:
        for door in (translator, client):
            for found in (door.translate(lines, split_sentences="en"), door.translate(marked, markup="html")):
                assert full_stops(found) >= 0.99 * one_by_one
