"""Scores by COMET, a neural metric, which runs as a program of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import check_lines
from keras_nmt.text.text_files import check_any_text

PROGRAM = "comet-score"


class CometScores(NamedTuple):
    """COMET scores of a system's output.

    Attributes:
        score: Float, the mean over the sentences. Higher is better; the range depends on the model.
        sentences: List of floats, the score of each sentence.
        model: String, the last three parts of the model's path, such as `wmt22-comet-da/checkpoints/model.ckpt`. Scores
            of different models must not be compared.
    """

    score: float
    sentences: list[float]
    model: str

    def __str__(self) -> str:
        return f"COMET|model:{self.model} = {self.score:.4f}"


def comet_scores(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    model: str | os.PathLike[str],
    program: str | os.PathLike[str] = PROGRAM,
) -> CometScores:
    """Computes COMET of a system's detokenised output, with the program `comet-score` of the package unbabel-comet.

    unbabel-comet needs older versions of NumPy and protobuf than TensorFlow, so it must have an environment of its own.
    Version 2.2.7 also needs older versions of two packages:

        python -m venv comet && comet/bin/pip install unbabel-comet "sentencepiece<0.2.2" "setuptools<81"

    The model is a file, and nothing is downloaded if its encoder is on the disk. COMET loads the file with PyTorch,
    which runs code from the file: use only models of publishers that you trust.

    Args:
        sources: Sequence of strings, the source sentences.
        hypotheses: Sequence of strings, the system's output.
        references: Sequence of strings, one reference for each sentence.
        model: Path of the model's checkpoint, `.ckpt`, with COMET's `hparams.yaml` in the folder above. The encoder
            that `hparams.yaml` names must be a folder, or be in Hugging Face's cache.
        program: String, the name or the path of `comet-score`. Defaults to "comet-score".

    Raises:
        UserError: There are no lines, the numbers of lines differ, the model or the program is missing, or the program
            fails.

    Reference:
        [Rei et al., 2020](https://aclanthology.org/2020.emnlp-main.213/).
    """
    check_lines(sources=sources, hypotheses=hypotheses, references=references)
    check_any_text("references", references)
    model = Path(model)
    executable = check_comet(model, program)
    with tempfile.TemporaryDirectory() as folder:
        files = {option: Path(folder) / option for option in ("sources", "translations", "references")}
        for path, lines in zip(files.values(), (sources, hypotheses, references), strict=True):
            path.write_text("".join(f"{' '.join(line.splitlines())}\n" for line in lines), encoding="utf-8")
        written = Path(folder) / "scores.json"
        command = [executable, *(x for option, path in files.items() for x in (f"--{option}", str(path)))]
        command += ["--model", str(model), "--to_json", str(written), "--quiet"]  # uses a GPU if there is one
        run = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if run.returncode or not written.exists():
            last = next((line for line in reversed(run.stderr.splitlines()) if line.strip()), "no message")
            raise UserError(f"{PROGRAM} failed. Received: exit code {run.returncode}, {last.strip()}")
        (rows,) = json.loads(written.read_text(encoding="utf-8")).values()
    scores = [float(row["COMET"]) for row in rows]
    return CometScores(sum(scores) / len(scores), scores, "/".join(model.resolve().parts[-3:]))


def check_comet(model: Path, program: str | os.PathLike[str]) -> str:
    """Returns the path of the program; raises a `UserError` if the program or the model is missing."""
    if model.suffix != ".ckpt" or not model.is_file():
        raise UserError(f"COMET's model must be a file that ends with .ckpt. Received: {model}")
    executable = shutil.which(program)
    if executable is None:
        raise UserError(
            f"Missing COMET's program: install unbabel-comet in an environment of its own, and give the path of its "
            f"{PROGRAM}. Received: {program}"
        )
    return executable
