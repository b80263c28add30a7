"""The recipe of adaptation: its parts of a corpus, its settings and its table."""

import gzip
import json
from pathlib import Path

import pytest

from keras_nmt.experiments import ExperimentConfig

pytestmark = pytest.mark.nightly
SCRIPT = "adaptation/adapt.py"


@pytest.fixture
def data(tmp_path):
    """1,200 pairs of either domain, of which 200 sources occur twice in Tatoeba, and two captions."""
    for folder in ("tatoeba", "newstest", "multi30k"):
        (tmp_path / folder).mkdir()
    with gzip.open(tmp_path / "tatoeba" / "deu.txt.gz", "wt", encoding="utf-8") as file:
        file.write("1\t2\n" + "".join(f"go {i % 1000}\tgeh {i}\tCC-BY\n" for i in range(1200)))
    for language in ("en", "de"):
        news = "".join(f"{language} {i}\n" for i in range(1200))
        (tmp_path / "newstest" / f"newstest2014.en-de.{language}").write_text(news)
        with gzip.open(tmp_path / "multi30k" / f"train.{language}.gz", "wt", encoding="utf-8") as file:
            file.write("a\nb\n")
    return tmp_path


@pytest.mark.parametrize(("domain", "size"), [("tatoeba", 1000), ("news", 1200)])
def test_no_source_is_in_two_parts(script, data, domain, size):
    parts = script.read_domain(domain, data)
    sources = [source for pairs in parts.values() for source, _ in pairs]
    assert len(sources) == len(set(sources)) == size
    assert (len(parts["dev"]), len(parts["test"])) == (300, 500)
    assert parts == script.read_domain(domain, data)


def test_the_settings_are_those_of_an_experiment(script, data):
    names = ("batch_size", "batch_unit", "dtype", "label_smoothing")
    trained = {
        "model": {"preset": "transformer_tiny"},
        "subwords": {"vocabulary_size": 100},
        "training": dict(zip(names, (64, "tokens", "float32", 0.1), strict=True)),
    }
    for configuration in script.CONFIGURATIONS:
        settings = script.settings_of(configuration, data, 4, data / "multi30k", trained)
        config = ExperimentConfig.from_settings(*settings, {"directory": "run", "init_from": "base"})
        assert config.model.preset == "transformer_tiny"
        assert (config.model.lora is not None) == (configuration == "lora")
        assert bool(config.model.frozen) == (configuration == "frozen")
        assert config.data.corpus_weights == ([1, 2] if configuration == "mixed" else None)


def test_the_table_has_means_and_leaves_empty_what_was_not_run_and_is_in_the_readme(script):
    scores = {"bleu": 10.0, "chrf": 20.0}
    rows = [{"domain": "news", "configuration": "before", "seed": None, "new": scores, "old": scores}]
    for seed, bleu in ((1, 12.0), (2, 14.0)):
        new = {"new": {"bleu": bleu, "chrf": 20.0}, "old": scores, "seconds": 3.0, "stored": 2_500_000}
        rows.append({"domain": "news", "configuration": "lora", "seed": seed, "trained_parameters": 1234, **new})
    lines = script.table(rows).splitlines()
    assert lines[2] == "| tatoeba | before | | | | | | | | |"
    assert lines[7] == "| news | before | | | | | 10.0 | 20.0 | 10.0 | 20.0 |"
    assert lines[9] == "| news | lora | 1, 2 | 1,234 | 2.50 | 3 | 13.0 ± 1.4 | 20.0 | 10.0 | 20.0 |"
    results = [json.loads(line) for line in script.RESULTS.read_text().splitlines()]
    assert script.table(results) in Path(script.README).read_text(encoding="utf-8")
