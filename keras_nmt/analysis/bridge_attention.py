"""The attention of a bridge over sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import sentencepiece
import tensorflow as tf

from keras_nmt.errors import UserError
from keras_nmt.ids import END, PAD
from keras_nmt.models import AttentionBridgeModel, MultilingualModel, TranslationModel
from keras_nmt.steps import count_steps
from keras_nmt.text import SubwordTokenizer

TOKENS_AT_ONCE = 4096


class BridgeAttention(NamedTuple):
    """The attention of a bridge's heads over one sentence.

    Attributes:
        tokens: Tuple of the n subwords, as SentencePiece writes them, and the end of the sentence.
        attention: Array A `[k, n]`, float32: each head's distribution over the tokens.
    """

    tokens: tuple[str, ...]
    attention: np.ndarray


def bridge_attention(
    model: TranslationModel | MultilingualModel, tokenizer: SubwordTokenizer, language: str, sentences: Sequence[str]
) -> list[BridgeAttention]:
    """The attention A of a model's bridge over sentences, without padding.

    Args:
        model: `AttentionBridgeModel` with a bridge.
        tokenizer: `SubwordTokenizer` of the language.
        language: String, the language of the sentences.
        sentences: Sequence of texts of any length, which are not truncated. An empty text has only its end.

    Returns:
        A list of `BridgeAttention`, one per sentence.

    Raises:
        UserError: The model has no bridge, or does not have the language.

    Example:

    >>> import os, tempfile
    >>> from keras_nmt.text import train_subwords
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = os.path.join(folder, "text.txt")
    ...     _ = open(text, "w").write("the cat sat\\nthe mat sat\\n")
    ...     tokenizer = SubwordTokenizer(train_subwords([text], os.path.join(folder, "en.model"), vocabulary_size=20))
    >>> model = AttentionBridgeModel({"en": 20}, hidden_dim=8, bridge_heads=4, bridge_hidden_dim=8)
    >>> tokens, attention = bridge_attention(model, tokenizer, "en", ["the cat"])[0]
    >>> tokens[-1], attention.shape == (4, len(tokens))
    ('</s>', True)

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), Eq. 8.
    """
    if not isinstance(model, AttentionBridgeModel) or model.bridge is None:
        raise UserError(f"The model has no attention bridge. Received: {type(model).__name__} without one")
    if language not in model.languages:
        raise UserError(f"The model has the languages {', '.join(model.languages)}. Received: {language}")
    pieces = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.proto)
    rows = [[*ids, END] for ids in tokenizer.tokenize(tf.constant(sentences, tf.string, [len(sentences)])).to_list()]
    outputs = tf.function(
        model.bridge_outputs(language), input_signature=[tf.TensorSpec([None, None], tf.int32)], autograph=False
    )
    results: dict[int, BridgeAttention] = {}
    with count_steps(len(rows), "lines") as advance:
        for batch in _batches(rows):
            ids = tf.ragged.constant([rows[row] for row in batch], dtype=tf.int32).to_tensor(PAD)  # [B, S]
            for row, attention in zip(batch, outputs(ids)["attention"].numpy(), strict=True):  # [k, S]
                tokens = tuple(pieces.id_to_piece(rows[row]))
                results[row] = BridgeAttention(tokens, attention[:, : len(tokens)].copy())
            advance(len(batch))
    return [results[row] for row in range(len(rows))]


def _batches(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Indices of rows of similar lengths, the longest first, at most `TOKENS_AT_ONCE` tokens in a batch."""
    order = sorted(range(len(rows)), key=lambda row: -len(rows[row]))
    while order:
        size = max(1, TOKENS_AT_ONCE // len(rows[order[0]]))
        yield order[:size]
        order = order[size:]
