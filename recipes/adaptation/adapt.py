"""Adapts a model of image captions to short sentences and to news, in four ways.

    python recipes/adaptation/adapt.py run MODEL --data-dir DATA --output runs/adaptation
    python recipes/adaptation/adapt.py write

MODEL is a model directory of `recipes/multi30k`, English to German. DATA holds `multi30k`, `tatoeba/deu.txt.gz` (of
https://www.manythings.org/anki) and `newstest/newstest2014.en-de.en` and `.de`. `write` writes the table of the README.
"""

from __future__ import annotations

import datetime
import json
import random
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.cli.run_app import import_tensorflow, make_app, run_app
from keras_nmt.errors import UserError
from keras_nmt.files.atomic_files import write_text
from keras_nmt.files.markdown import markdown_table
from keras_nmt.files.weights_file import weights_digest
from keras_nmt.text.text_files import read_lines

RESULTS = Path(__file__).parent / "results" / "results.jsonl"
README = Path(__file__).parent / "README.md"
DOMAINS = ("tatoeba", "news")
LANGUAGES = ["en", "de"]
SEEDS = (1, 2, 3)
DEV, TEST, MOST = 300, 500, 20_000  # sentence pairs of a domain; the most that are trained on
# Few updates of a small constant rate. An adapter begins at zero, and learns at a larger one.
SETTINGS: dict[str, Any] = {
    "schedule": "constant",
    "learning_rate": 5e-4,
    "warmup_steps": 20,
    "max_updates": 150,
    "evaluation.every": 150,
    "logging.every": 75,
    "keep_last": 1,
    "dev_sentences": 100,
    # Scores of the development data far from the model's own are noise, and would choose among noise.
    "final_weights": "last",
}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "full": {},
    "lora": {"lora": {"rank": 8, "alpha": 16, "patterns": ["*attention/*", "*/feed_forward/*"]}, "learning_rate": 2e-3},
    "frozen": {"frozen": ["embedding/*"]},
    "mixed": {},  # as many pairs of Multi30k as of the domain, by `corpus_weights`
}
COLUMNS = ("trained parameters", "MB to store", "seconds", "BLEU", "chrF", "BLEU, Multi30k", "chrF, Multi30k")
Pairs = list[tuple[str, str]]

app = make_app("Adapts a model of image captions to other domains.")


def read_domain(domain: str, data_dir: Path) -> dict[str, Pairs]:
    """Returns the pairs of "train", "dev" and "test" of a domain, of which no two have the same source."""
    if domain == "tatoeba":  # sorted by length
        rows = [line.split("\t")[:2] for line in read_lines(data_dir / "tatoeba" / "deu.txt.gz")]
        pairs = list({row[0]: (row[0], row[1]) for row in rows if len(row) == 2 and not row[0].isdigit()}.values())
        random.Random(1).shuffle(pairs)
    else:  # by documents
        sides = [read_lines(data_dir / "newstest" / f"newstest2014.en-de.{language}") for language in ("en", "de")]
        pairs = list({source: (source, target) for source, target in zip(*sides, strict=True)}.values())
    rest = pairs[: -DEV - TEST]
    return {"train": rest[:MOST], "dev": pairs[-DEV - TEST : -TEST], "test": pairs[-TEST:]}


def read_captions(multi30k: Path, name: str) -> list[list[str]]:
    """Returns the English and the German lines of a corpus of Multi30k, plain or compressed."""
    from keras_nmt.experiments.corpus_files import sides_of_corpus

    return [*map(read_lines, sides_of_corpus(multi30k / f"{name}.{{language}}", ("en", "de"), is_needed=True) or ())]


def settings_of(
    configuration: str, folder: Path, size: int, multi30k: Path, trained: dict[str, Any]
) -> list[dict[str, Any]]:
    """Returns the settings of a run: those of the model, of the recipe, of the data, and of the configuration."""
    taken = {
        "model": trained["model"],
        "vocabulary_size": trained["subwords"]["vocabulary_size"],
        **{name: trained["training"][name] for name in ("batch_size", "batch_unit", "dtype", "label_smoothing")},
    }
    files = {part: str(folder / f"{part}.{{language}}") for part in ("train", "dev")}
    settings: dict[str, Any] = {"languages": LANGUAGES, "pairs": ["-".join(LANGUAGES)], **files}
    if configuration == "mixed":
        captions = str(multi30k / "train.{language}")
        settings["train"] = [files["train"], captions]
        settings["corpus_weights"] = [1, size / len(read_captions(multi30k, "train")[0])]
    return [taken, SETTINGS, CONFIGURATIONS[configuration], settings]


@app.command()
def run(
    model: Annotated[Path, typer.Argument(help="Model directory of Multi30k, English to German.")],
    data_dir: Annotated[Path, typer.Option(help="Folder of the corpora.")],
    output: Annotated[Path, typer.Option(help="Folder of the runs.")],
    domains: Annotated[list[str], typer.Option("--domain", help="Domain. May be repeated.")] = list(DOMAINS),  # noqa: B006
    seeds: Annotated[list[int], typer.Option("--seed", help="Seed. May be repeated.")] = list(SEEDS),  # noqa: B006
) -> None:
    """Trains and scores what has no result yet, seed by seed."""
    import_tensorflow()
    from keras_nmt.experiments import ExperimentConfig
    from keras_nmt.experiments import run as run_experiment
    from keras_nmt.experiments.results import describe_machine
    from keras_nmt.files.settings import merge_settings
    from keras_nmt.inference import Translator

    multi30k = data_dir / "multi30k"
    if unknown := sorted(set(domains) - set(DOMAINS)):
        raise UserError(f"--domain must be one of {', '.join(DOMAINS)}. Received: {', '.join(unknown)}")
    captions = [lines[:TEST] for lines in read_captions(multi30k, "test_2016_flickr")]
    trained = json.loads((model / "settings.json").read_text(encoding="utf-8"))

    def score(directory: Path, domain: dict[str, Pairs]) -> dict[str, Any]:
        translator = Translator.from_directory(directory)
        pairs: dict[str, Any] = {"new": list(zip(*domain["test"], strict=True)), "old": captions}
        return {name: _scores(translator, *sides) for name, sides in pairs.items()}

    base = weights_digest(model / "model.weights.h5")[:16]
    if others := {row["base"] for row in _read_rows()} - {base}:
        raise UserError(
            f"{RESULTS} has results of another model, and its means are over one: remove the file, or use that model. "
            f"Received: weights {base}, in the file {', '.join(sorted(others))}"
        )

    def keep(**row: Any) -> None:
        context = {"base": base, "machine": describe_machine()}
        row |= context | {"date": datetime.datetime.now(datetime.UTC).date().isoformat()}
        write_text(RESULTS, "".join(json.dumps(one) + "\n" for one in [*_read_rows(), row]))
        print(json.dumps(row), flush=True)

    done = {(row["domain"], row["configuration"], row["seed"]) for row in _read_rows()}
    for seed in seeds:
        for name in domains:
            domain = read_domain(name, data_dir)
            for part, pairs in domain.items():
                for language, lines in zip(LANGUAGES, zip(*pairs, strict=True), strict=True):
                    write_text(output / name / f"{part}.{language}", "".join(f"{line}\n" for line in lines))
            if (name, "before", None) not in done:
                done.add((name, "before", None))
                keep(domain=name, configuration="before", seed=None, **score(model, domain))
            for configuration in CONFIGURATIONS:
                if (name, configuration, seed) in done:
                    continue
                directory = output / name / f"{configuration}-{seed}"
                settings = settings_of(configuration, output / name, len(domain["train"]), multi30k, trained)
                start = {"directory": directory, "init_from": model, "seed": seed}
                config = ExperimentConfig.from_settings(*settings, start)
                results = run_experiment(config)
                stored = directory / ("adapter.weights.h5" if config.model.lora else "model.weights.h5")
                keep(
                    domain=name,
                    configuration=configuration,
                    seed=seed,
                    seconds=results["training_seconds"],
                    trained_parameters=results["trained_parameters"],
                    stored=stored.stat().st_size,
                    settings=merge_settings(ExperimentConfig, *settings[:-1]),
                    **score(directory, domain),
                )


@app.command()
def write() -> None:
    """Writes the table of the README from the results."""
    text = README.read_text(encoding="utf-8")
    pattern = re.compile(r"(<!-- written by adapt.py -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
    write_text(README, pattern.sub(lambda match: match[1] + table(_read_rows()) + match[2], text))


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Returns the results as a table: means over seeds, and the standard deviation; empty where nothing was run."""
    lines = []
    for domain in DOMAINS:
        for configuration in ("before", *CONFIGURATIONS):
            own = [row for row in rows if (row["domain"], row["configuration"]) == (domain, configuration)]
            cells = [_sum_up(own, "trained_parameters", ",.0f"), _sum_up(own, "stored", ".2f", 1e-6)]
            cells.append(_sum_up(own, "seconds", ".0f"))
            for part in ("new", "old"):
                cells += [_sum_up([row[part] for row in own], metric, ".1f") for metric in ("bleu", "chrf")]
            seeds = ", ".join(str(row["seed"]) for row in own if row["seed"] is not None)
            lines.append([domain, configuration, seeds, *cells])
    return markdown_table(["domain", "configuration", "seeds", *COLUMNS], lines)


def _scores(translator: Any, sources: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
    from keras_nmt.evaluation import corpus_scores

    hypotheses = [translation.text for translation in translator.translate(sources)]
    scores = corpus_scores(hypotheses, references, metrics=("bleu", "chrf"))
    found: dict[str, Any] = {name: round(score.score, 2) for name, score in scores.items()}
    return found | {"signatures": [score.signature for score in scores.values()]}


def _read_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in read_lines(RESULTS)] if RESULTS.exists() else []


def _sum_up(rows: Sequence[dict[str, Any]], name: str, form: str, factor: float = 1) -> str:
    """The mean of an entry over rows, and the standard deviation where the rows differ; "" where no row has it."""
    values = [row[name] * factor for row in rows if name in row]
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):{form}}" if len(set(values)) > 1 else ""
    return f"{statistics.mean(values):{form}}{spread}"


if __name__ == "__main__":
    run_app(app)
