"""The notebooks of the documentation, executed on tiny models."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
WORDS = ["the", "small", "cat", "sat", "in", "three", "old", "houses", "and", "saw", "mice"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_small_and_hold_no_outputs(path):
    text = path.read_text(encoding="utf-8")
    assert len(text) < 100_000
    cells = json.loads(text)["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


@pytest.fixture
def folder(tmp_path, run_python):
    """A folder with two trained models, with shortcuts and without, and a test text."""
    rng = np.random.default_rng(0)
    for name, number in (("train", 300), ("dev", 8), ("test", 40)):
        lines = [rng.choice(WORDS, rng.integers(1, 24)) for _ in range(number)]
        for side, step in (("en", 1), ("de", -1)):
            (tmp_path / f"{name}.{side}").write_text("".join(f"{' '.join(line[::step])}\n" for line in lines))
    with (tmp_path / "test.en").open("a", encoding="utf-8") as english:
        english.write("the cat\u2028saw mice\n")  # a separator of lines that ends no line of a file
    with (tmp_path / "test.de").open("a", encoding="utf-8") as german:
        german.write("mice saw cat the\n")
    files = [tmp_path / f"{name}.{side}" for name in ("train", "dev") for side in ("en", "de")]
    for name, shortcuts in (("baseline", "none"), ("fusion", "fusion")):
        command = ["train", "--directory", tmp_path / "runs" / name, "--train", *files[:2], "--dev", *files[2:]]
        command += [
            "--preset",
            "transformer_tiny",
            "--shortcuts",
            shortcuts,
            "--vocabulary-size",
            40,
            "--max-updates",
            4,
        ]
        code = "from keras_nmt.cli.app import main; main()"
        run = run_python("-c", code, *command, PYTHONPATH=os.pathsep.join(sys.path))
        assert run.returncode == 0, run.stderr.decode()
    return tmp_path


@pytest.mark.nightly
def test_the_notebook_of_baseline_and_fusion_runs(folder, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(DOCS / "notebooks" / "baseline_against_fusion.ipynb", as_version=4)
    nbformat.validate(notebook)
    there = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=there).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output["data"] for output in outputs if output["output_type"] == "execute_result"]
    tables = [data["text/markdown"] for data in shown if "text/markdown" in data]
    pictures = [data for data in shown if "image/png" in data]
    assert len(tables) == len(pictures) == 4
    assert tables[0].startswith("| encoder | baseline | fusion | fusion - baseline | p |")
    assert tables[2].startswith("| encoder self keys | model |")
    printed = "".join(output["text"] for output in outputs if output.get("name") == "stdout")
    assert "fusion: " in printed
    assert "</s>" in printed
