"""Subwords of a few short words."""

from __future__ import annotations

import pytest

from keras_nmt.data import SubwordTokenizer, train_subwords


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder = tmp_path_factory.mktemp("subwords")
    (folder / "text").write_text("the cat sat on the mat\na mat is on the cat\nthat is that: a bat and a rat\n" * 3)
    model = train_subwords(folder / "text", folder / "m", vocabulary_size=40, user_symbols=["<2de>"])
    return SubwordTokenizer(model)
