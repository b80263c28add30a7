"""The command that shows everything once, on a corpus that comes with the package: `quickstart`."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli.recipe_app import export_run
from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.errors import check_choice, one_line, require
from keras_nmt.quickstart_data import FOLDER, LANGUAGES
from keras_nmt.text.text_files import read_lines

# A program that needs TensorFlow and TensorFlow Text, but not keras_nmt.
EXPORT_PROGRAM = """
import json, sys
sys.modules["keras_nmt"] = None  # makes any import of keras_nmt fail
import tensorflow as tf, tensorflow_text
translate = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
texts = translate(text=tf.constant(json.loads(sys.argv[2])))["translation"].numpy()
print(json.dumps([text.decode() for text in texts]))
"""


def quickstart(
    source: Annotated[str, typer.Option(help="Language to translate from: en, de, fr or cs.")] = "en",
    target: Annotated[str, typer.Option(help="Language to translate to.")] = "de",
    shortcuts: Annotated[str, typer.Option(help="Lexical shortcuts: none, plain or fusion.")] = "plain",
    output: Annotated[Path, typer.Option(help="Folder for the model and its export.")] = Path("runs/quickstart"),
    data_dir: Annotated[
        Path, typer.Option(help="Folder of the corpus: train, dev and test, as train.en.", show_default=False)
    ] = FOLDER,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 1,
    max_updates: Annotated[int, typer.Option(help="Updates to train.")] = 600,
) -> None:
    """Trains a small model, scores the model on held-out lines, exports the model and runs the export.

    The corpus comes with the package: numbers, dates and times in short sentences. Two cores suffice, no GPU and no
    download; the default of 600 updates takes minutes. The export runs in a process that cannot import keras_nmt.
    Recipes for real corpora are in the folder `recipes` of the repository and of the package's source archive.
    """
    start = time.monotonic()
    check_choice("source", source, LANGUAGES)
    check_choice("target", target, LANGUAGES)
    require(source != target, f"Source and target must differ. Received: {source} and {target}")
    import_tensorflow()
    from keras_nmt.experiments import ExperimentConfig, run

    directory = output / f"{source}-{target}-{shortcuts}-{seed}"
    results = run(
        ExperimentConfig.from_settings(
            {
                "directory": directory,
                "data": {
                    "languages": [source, target],
                    "pairs": [f"{source}-{target}"],
                    **{name: data_dir / f"{name}.{{language}}" for name in ("train", "dev", "test")},
                },
                "subwords": {"vocabulary_size": 2000},
                "model": {
                    "preset": "transformer_tiny",
                    "num_encoder_layers": 3,
                    "num_decoder_layers": 3,
                    "intermediate_dim": 512,
                    "shortcuts": None if shortcuts == "none" else shortcuts,
                },
                "training": {
                    "batch_size": 2048,
                    "schedule": "inverse_square_root",
                    "learning_rate": 0.003,
                    "warmup_steps": 200,
                    "update.seed": seed,
                    "stop.max_updates": max_updates,
                    "saving.every": 50,
                    "logging.every": 50,
                },
                "evaluation": {"every": 300},
            }
        )
    )

    sources = read_lines(data_dir / f"test.{source}")
    references = read_lines(data_dir / f"test.{target}")
    hypotheses = read_lines(directory / f"test.{source}-{target}.hypotheses.txt")
    bleu = results["test"][f"{source}-{target}"]["bleu"]
    print(f"\nHeld-out BLEU: {bleu['score']}  ({bleu['signature']})")
    shown = random.Random(seed).sample(range(len(sources)), min(4, len(sources)))
    for number in shown:
        print(f"  {source}: {sources[number]}\n  {target}: {hypotheses[number]}  (reference: {references[number]})")

    print(flush=True)
    exported = export_run(directory, directory / "export" / "quickstart")
    texts = [sources[number] for number in shown]
    answers = answers_without_keras_nmt(exported, texts)
    same = answers == [hypotheses[number] for number in shown]
    print(f"The SavedModel in {exported}, run by a process without keras_nmt, gives")
    print("\n".join(f"  {answer}" for answer in answers))
    print("the same translations." if same else "other translations than above: please report this.")

    model_path = (directory / "export" / "quickstart").resolve()
    request = json.dumps({"inputs": {"text": texts[:1]}}, ensure_ascii=False)
    print(
        f"""
Serve the export, for development or with Docker, and ask the server:

    keras-nmt serve {shlex.quote(str(model_path))}
    docker run --rm -p 8501:8501 -e MODEL_NAME=quickstart \\
        --mount type=bind,source="{model_path}",target=/models/quickstart,readonly tensorflow/serving:2.20.0
    curl -s http://localhost:8501/v1/models/quickstart:predict -d {shlex.quote(request)}

Translate a line:

    echo {shlex.quote(texts[0])} | keras-nmt translate {directory}

All this took {time.monotonic() - start:.0f} s."""
    )


def answers_without_keras_nmt(exported: Path, texts: list[str]) -> list[str]:
    """Translates texts with an export, in a process that cannot import keras_nmt."""
    run = subprocess.run(
        [sys.executable, "-c", EXPORT_PROGRAM, str(exported), json.dumps(texts)],
        check=False,
        capture_output=True,
        encoding="utf-8",  # the answers are in ASCII; TensorFlow's messages name paths in any encoding
        errors="replace",
    )
    require(not run.returncode, f"The export does not run without keras_nmt. Received: {one_line(run.stderr[-1000:])}")
    answers: list[str] = json.loads(run.stdout.splitlines()[-1])
    return answers
