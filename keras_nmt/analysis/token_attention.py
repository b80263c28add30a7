"""The attention of a layer and a head, as matrices of subwords."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from keras_nmt.analysis.token_states import HiddenStatesBatch, Model, hidden_states, open_pair, open_translator
from keras_nmt.errors import check_choice, check_no_string, is_integer, require
from keras_nmt.models import TranslationModel
from keras_nmt.models.translation_model import attention_layer
from keras_nmt.text.translation import END_PIECE

SITES = ("cross", "encoder", "decoder")


class TokenAttention(NamedTuple):
    """The attention of the T tokens of a sentence to S tokens.

    Attributes:
        rows: Tuple of the T subwords that attend, as SentencePiece writes them: of "cross", those that the model
            predicts, the end included; of "encoder" and "decoder", those that it reads.
        columns: Tuple of the S subwords that they attend to; the numbers from 1 of the vectors of a bridge.
        weights: Array `[T, S]`, float32.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: np.ndarray


def attention(
    model: Model,
    source: Iterable[str],
    target: Iterable[str] | None = None,
    *,
    site: str = "cross",
    layer: int | None = None,
    head: int | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> list[TokenAttention]:
    """Returns the attention of a layer, of one head or the mean over heads, for sentences and their translations.

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Iterable of strings.
        target: Iterable of strings, a translation of each source, read by teacher forcing. Defaults to None: the
            model's own best translations.
        site: String, "cross" for the decoder's attention to the source, "encoder" or "decoder" for that of a side to
            itself. Defaults to "cross".
        layer: Integer from 1. Defaults to the layer by which `Translator.align` aligns for "cross", and to the last
            one for the others.
        head: Integer from 1. Defaults to None: the mean over heads, or for "cross", without a `layer`, the model's
            `alignment_head` if it has one.
        source_language, target_language: Strings, the direction; see `hidden_states`.

    Returns:
        A list of `TokenAttention`, one for each source.

    Raises:
        UserError: The model has no such attention, layer or head; see also `hidden_states`.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.data import SubwordTokenizer, train_subwords
    >>> from keras_nmt.inference import Translator
    >>> from keras_nmt.models import Transformer
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> model = Transformer(20, num_encoder_layers=1, num_decoder_layers=2, hidden_dim=8, num_heads=2)
    >>> (matrix,) = attention(Translator(model, tokenizer), ["cat"], ["mat"], layer=2, head=1)
    >>> matrix.rows[-1], matrix.columns[-1], matrix.weights.shape == (len(matrix.rows), len(matrix.columns))
    ('</s>', '</s>', True)
    """
    check_no_string(source=source, target=target)
    check_choice("site", site, SITES)
    source = list(source)
    if target is None and site != "encoder":
        translator, languages = open_translator(model, source_language, target_language)
        target = [translation.text for translation in translator.translate(source, *languages)]
        model, (source_language, target_language) = translator, languages
    pair = open_pair(model, source_language, target_language)
    in_order: dict[int, TokenAttention] = {}
    for batch in hidden_states(pair, source, target, tensors=("attention",)):
        for row, rows, columns, weights in _of_texts(batch, site):  # weights [L, H, T, S]
            aligns = site == "cross" and layer is None
            matrix = aligning(pair.model, weights, head) if aligns else _of_layer(weights, layer, head)
            in_order[row] = TokenAttention(rows, columns, matrix)
    return [in_order[row] for row in range(len(source))]


def _of_texts(
    batch: HiddenStatesBatch, site: str
) -> Iterable[tuple[int, tuple[str, ...], tuple[str, ...], np.ndarray]]:
    """Yields of each text its row, the subwords that attend and are attended to, and the weights of all layers."""
    side = batch.source if site == "encoder" else batch.target
    assert side is not None
    of_source, of_side = iter(batch.source.subwords), iter(side.subwords)
    lengths = zip(batch.source.lengths, side.lengths, strict=True)
    texts = zip(side.rows.tolist(), lengths, side.attention["cross" if site == "cross" else "self"], strict=True)
    for row, (source_length, length), weights in texts:
        rows = columns = tuple(itertools.islice(of_side, length))
        if site == "cross":
            rows, columns = (*rows[1:], END_PIECE), tuple(itertools.islice(of_source, source_length))
            if side.attends_to_bridge:
                columns = tuple(map(str, range(1, weights.shape[-1] + 1)))
        yield row, rows, columns, weights


def aligning(model: TranslationModel, weights: np.ndarray, head: int | None = None) -> np.ndarray:
    """Returns the weights `[T, S]` by which `Translator.align` aligns, or of another head, of those `[L, H, T, S]`."""
    layer = attention_layer(model.alignment_layer, len(weights))
    return _of_layer(weights, layer, model.alignment_head if head is None else head)


def _of_layer(weights: np.ndarray, layer: int | None, head: int | None) -> np.ndarray:
    """Returns the weights `[T, S]` of a layer and a head, or the mean over heads, of those `[L, H, T, S]` of all."""
    for number, count, name in ((layer, len(weights), "layer"), (head, weights.shape[1], "head")):
        is_right = number is None or (is_integer(number) and 1 <= number <= count)
        require(is_right, f"{{{name}}} must be from 1 to {count} here", **{name: number})
    of_layer = weights[-1 if layer is None else layer - 1]
    return of_layer.mean(axis=0) if head is None else of_layer[head - 1].copy()
