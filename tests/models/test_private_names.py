"""Private names of other packages: each occurs in one file of keras_nmt and exists in the installed version."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import keras
import pytest
import tensorflow_text

import keras_nmt
from keras_nmt.layers import _keras_private

ROOT = Path(keras_nmt.__file__).parent
# A private name, the file that uses the name, the distribution that has the name, and the object that has it.
NAMES = {
    "_flatten_layers": ("layers/_keras_private.py", "keras", keras.Model),
    "_get_variable_index": ("training/optimizers.py", "keras", keras.optimizers.Adam),
    "_tracker": ("layers/_keras_private.py", "keras", keras.layers.Dense(1)),
    "_model_resource": ("data/subword_tokenizer.py", "tensorflow-text", None),
}


def _users(pattern: str) -> set[str]:
    files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py")}
    return {name for name, text in files.items() if re.search(pattern, text)}


@pytest.mark.parametrize("name", NAMES)
def test_private_names_exist_and_are_used_in_one_file(name):
    file, package, owner = NAMES[name]
    assert _users(rf"\.{name}\b") == {file}
    if owner is None:  # an attribute that the constructor sets
        source = Path(tensorflow_text.__file__).parent / "python" / "ops" / "sentencepiece_tokenizer.py"
        there = name in source.read_text(encoding="utf-8")
    else:
        there = hasattr(owner, name)
    assert there, f"{package} {importlib.metadata.version(package)} has no {name}, which {file} uses: adapt the file"


def test_private_modules_of_keras_are_imported_in_one_file():
    assert _users(r"keras\.src") == {"layers/_keras_private.py"}  # its import fails if Keras lacks the module
    marked = keras.ops.ones((1, 2))
    _keras_private.set_keras_mask(marked, mask="a mask")
    assert _keras_private.get_keras_mask(marked) == "a mask"


def test_the_version_of_keras_is_bounded():
    configuration = (Path(__file__).parents[2] / "setup.cfg").read_text(encoding="utf-8")
    assert re.search(r"^ +keras>=3\.15,<3\.16$", configuration, re.M), "Private names were tried with Keras 3.15 alone"
