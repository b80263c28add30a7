"""Models of random weights, and sentences of random words for them."""

from __future__ import annotations

import io
from typing import Any

import keras
import numpy as np
import sentencepiece

from keras_nmt.ids import BOS, EOS, PAD, UNK
from keras_nmt.models import Transformer

FIRST_WORD = max(PAD, UNK, BOS, EOS) + 1
# Subwords per sentence of the German test set of Multi30k (10,000 BPE subwords of English and German): 32 quantiles.
LENGTHS = [7, 7, 8, 9, 9, 10, 10, 10, 11, 11, 11, 11, 12, 12, 13, 13]
LENGTHS += [13, 14, 14, 14, 15, 15, 16, 16, 16, 17, 18, 19, 20, 21, 24, 30]


def make_model(**arguments: Any) -> Transformer:
    """A model of random weights that never ends a translation."""
    keras.utils.set_random_seed(1)
    model = Transformer(**arguments)
    table = model.get_layer("embedding").table.embeddings
    # The logits of these ids are 0; all others vary by 1 and more. So these ids are never among the likeliest.
    rows = [PAD, BOS, EOS]
    table.assign(np.where(np.isin(np.arange(table.shape[0]), rows)[:, None], 0.0, table.numpy()))
    return model


def word(number: int) -> str:
    return f"w{number}"


def make_batches(size: int, sentences: int, vocabulary_size: int, length: int = 0) -> list[list[str]]:
    """Batches of random words with the lengths of Multi30k, sorted by length, or all of one `length`."""
    random = np.random.default_rng(1)
    lengths = [length or LENGTHS[int((number + 0.5) / sentences * len(LENGTHS))] for number in range(sentences)]
    lines = [" ".join(map(word, random.integers(FIRST_WORD, vocabulary_size, length))) for length in lengths]
    return [lines[start : start + size] for start in range(0, sentences, size)]


def make_subwords(vocabulary_size: int) -> bytes:
    """A SentencePiece model whose subwords are whole words, for sentences of any length."""
    model = io.BytesIO()
    words = [word(number) for number in range(FIRST_WORD, vocabulary_size)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(words),
        model_writer=model,
        vocab_size=vocabulary_size,
        model_type="word",
        pad_id=PAD,
        unk_id=UNK,
        bos_id=BOS,
        eos_id=EOS,
        minloglevel=2,
    )
    return model.getvalue()
