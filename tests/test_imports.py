"""The imports that the architecture allows."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path

import keras_nmt

ROOT = Path(keras_nmt.__file__).parent
BASE = {"errors", "ids", "progress"}
ALLOWED = {
    "files": set(),
    "text": {"files"},
    "layers": set(),
    "models": {"layers", "files"},
    "decoding": set(),
    "quickstart_data": set(),
    "data": {"text", "files"},
    "preparation": {"text", "files", "data"},
    "training": {"text", "models", "evaluation", "data", "layers", "files"},
    "evaluation": {"text"},
    "inference": {"text", "models", "decoding", "data", "layers", "files"},
    "analysis": {"text", "evaluation", "inference", "models", "layers", "data", "files"},
    "serving": {"text", "inference", "models", "decoding", "data", "layers", "files"},
    "hub": {"inference", "models", "decoding", "layers", "data", "files"},
    "formats": {"hub", "text", "serving", "inference", "models", "data", "layers", "files"},
    "experiments": {"text", "models", "data", "training", "evaluation", "inference", "serving", "layers", "files"},
    "testing": {"layers", "models"},
    "cli": {"experiments", "models", "data", "training", "evaluation", "analysis", "inference", "serving", "files"}
    | {"text", "preparation", "quickstart_data", "formats"},
}
# A function of this module has a form for TensorFlow, in which TensorFlow is imported, and a form for other backends.
WITH_TENSORFLOW = ("decoding/search_loop.py",)
NO_TENSORFLOW = ("layers", "models", "decoding", "files", "preparation")
# Preparation imports these modules of `data`, and their imports, in an environment without TensorFlow.
DATA_WITHOUT_TENSORFLOW = ("sentence_pairs", "prepared_folder", "subword_models", "target_tags")


@functools.cache
def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_packages_import_only_lower_packages():
    for package, allowed in ALLOWED.items():
        for path in [*(ROOT / package).rglob("*.py")] or [ROOT / f"{package}.py"]:
            own = {name.split(".")[1] for name in _imports(path) if name.startswith("keras_nmt.") and "." in name}
            own &= set(ALLOWED)
            assert own <= allowed | BASE | {package}, f"{path} imports {own}"
    there = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert there - {"__init__", "__main__"} == set(ALLOWED) | BASE


def test_packages_for_every_backend_do_not_import_tensorflow():
    for path in (path for package in NO_TENSORFLOW for path in (ROOT / package).rglob("*.py")):
        imports_it = any(name.split(".")[0] == "tensorflow" for name in _imports(path))
        assert imports_it == (path.relative_to(ROOT).as_posix() in WITH_TENSORFLOW), path


def test_only_the_door_to_keras_hub_imports_it():
    users = {path.relative_to(ROOT).parts[0] for path in ROOT.rglob("*.py") if "keras_hub" in _imports(path)}
    assert users == {"hub"}  # the format imports `keras_nmt.hub`, when it is used


def test_texts_need_nothing_heavy_and_what_preparation_reads_needs_no_tensorflow():
    imported = {f"keras_nmt.data.{known}" for known in DATA_WITHOUT_TENSORFLOW}
    text = ", ".join(f"keras_nmt.text.{path.stem}" for path in (ROOT / "text").glob("*.py"))
    code = (
        f"import sys, {text}; assert not {{'tensorflow', 'keras', 'numpy'}} & set(sys.modules)\n"
        f"import {', '.join(imported)}; assert not {{'tensorflow', 'keras'}} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    of_preparation = set().union(*(_imports(path) for path in (ROOT / "preparation").glob("*.py")))
    modules = {f"keras_nmt.data.{path.stem}" for path in (ROOT / "data").glob("*.py")}
    assert of_preparation & modules <= imported


def _circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The sets of files that reach each other, from the files that each file imports."""
    reached = {name: set(imports) for name, imports in graph.items()}
    changed = True
    while changed:
        changed = False
        for name, others in reached.items():
            more = others.union(*(reached[other] for other in others))
            changed |= more != others
            reached[name] = more
    circles = [{other for other in reached[name] if name in reached[other]} for name in graph]
    return [circle for i, circle in enumerate(circles) if circle and circle not in circles[:i]]


def test_files_do_not_import_each_other_in_circles():
    """Anywhere in a file: also in functions, and for types alone."""
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [{"b", "c"}]
    paths = {path.relative_to(ROOT.parent).with_suffix("").as_posix(): path for path in ROOT.rglob("*.py")}
    paths = {name.removesuffix("/__init__").replace("/", "."): path for name, path in paths.items()}
    assert _circles({name: _imports(path) & set(paths) for name, path in paths.items()}) == []
