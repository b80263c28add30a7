"""The notebooks of the documentation, executed on tiny models."""

import json
import os
import sys

import pytest
from scripts import RECIPES
from small import save_model

DOCS = RECIPES.parent / "docs"


def test_notebooks_are_small_and_hold_no_outputs():
    paths = [*(DOCS / "notebooks").glob("*.ipynb")]
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert len(text) < 100_000
        cells = json.loads(text)["cells"]
        assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


@pytest.fixture
def folder(tmp_path, make_model, source_tokenizer, lines):
    """A folder with two models, with shortcuts and without, and a test text."""
    for name, shortcuts in (("baseline", None), ("fusion", "fusion")):
        model = make_model(shortcuts=shortcuts, num_encoder_layers=2, num_decoder_layers=2)
        save_model(tmp_path / "runs" / name, model, source_tokenizer, beam_size=2, max_length=8)
    # A separator of lines that ends no line of a file.
    text = [*[line for line in lines if line.strip()] * 8, "the cat\u2028saw a mouse"]
    for name, step in (("test.en", 1), ("test.de", -1)):
        (tmp_path / name).write_text("".join(f"{' '.join(x.split(' ')[::step])}\n" for x in text), encoding="utf-8")
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
