"""Subwords of a few short words."""

from __future__ import annotations

import pytest
from small import subwords_of

from keras_nmt.data import SubwordTokenizer


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    folder = tmp_path_factory.mktemp("subwords")
    text = "the cat sat on the mat\na mat is on the cat\nthat is that: a bat and a rat\n" * 3
    return subwords_of(folder, text, vocabulary_size=40, user_symbols=["<2de>"])
