"""What the README shows works."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_layer_in_a_model_of_your_own_trains():
    block = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    names: dict = {}
    exec(block, names)
    tokens = np.array([[5, 6, 7, 0], [8, 9, 10, 11]])
    names["model"].fit(tokens, np.array([0, 1]), verbose=0)
    # Padding is invisible, although nobody passed a mask.
    np.testing.assert_allclose(names["model"](tokens[:1, :3]), names["model"](tokens[:1]), rtol=1e-4, atol=1e-5)


def test_the_two_commands_of_the_setup_are_there():
    assert "pip install -e . && python recipes/quickstart.py" in README
    assert 'pip install -e ".[test]" && python -m pytest' in README
