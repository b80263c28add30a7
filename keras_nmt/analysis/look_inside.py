"""Everything that a model shows of one sentence: its translations, and what its mechanisms did."""

from __future__ import annotations

import numpy as np

from keras_nmt.analysis._insides_html import Insides, SubwordRole
from keras_nmt.analysis.bridge_attention import BridgeAttention
from keras_nmt.analysis.composition import composition_of_batches
from keras_nmt.analysis.gates import gates_of_batches
from keras_nmt.analysis.hidden_states import (
    HiddenStates,
    HiddenStatesBatch,
    Model,
    hidden_states,
    open_pair,
    open_translator,
)
from keras_nmt.analysis.word_alignment import WordAlignment, word_attention
from keras_nmt.errors import UserError
from keras_nmt.inference.aligned_words import split_words
from keras_nmt.models._search_models import attention_layer

TENSORS = ("attention", "gates", "roles", "composition", "bridge")


def look_inside(
    model: Model,
    text: str,
    *,
    prefix: str = "",
    source_language: str | None = None,
    target_language: str | None = None,
) -> Insides:
    """Translates a sentence, and reads the insides of the model by teacher forcing of the best translation.

    Args:
        model: String or path of a model directory, or a `Translator`, whose options decide on the search and on the
            number of translations.
        text: String, the sentence.
        prefix: String, text that the translations have to begin with. Defaults to none.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        An `Insides`.

    Raises:
        UserError: The text is empty, the model is an ensemble, or does not have the direction.

    Example:

    >>> import os, tempfile
    >>> from keras_nmt.inference import Translator
    >>> from keras_nmt.models import Transformer
    >>> from keras_nmt.text import SubwordTokenizer, train_subwords
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = os.path.join(folder, "text.txt")
    ...     _ = open(text, "w").write("the cat sat\\nthe mat sat\\n")
    ...     tokenizer = SubwordTokenizer(train_subwords([text], os.path.join(folder, "subwords"), vocabulary_size=20))
    >>> model = Transformer(
    ...     20, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2, shortcuts="plain"
    ... )
    >>> insides = look_inside(Translator(model, tokenizer, num_hypotheses=2), "the cat", prefix="the mat")
    >>> len(insides.translation.hypotheses), insides.translation.text.startswith("the mat")
    (2, True)
    >>> [layer for group, layer in insides.gates.values if group == "encoder self keys"], insides.bridge is None
    (['1'], True)
    """
    if not text.strip():
        raise UserError(f"There is no text to translate. Received: {text!r}")
    translator, languages = open_translator(model, source_language, target_language)
    pair, _ = open_pair(translator, *languages)
    (translation,) = translator.translate([text], *languages, prefixes=[prefix] if prefix else None)
    (batch,) = hidden_states(
        translator,
        [text],
        [translation.text],
        tensors=TENSORS,
        source_language=languages[0],
        target_language=languages[1],
    )
    alignment = None
    if pair.positions_before_source is not None and split_words(text) and split_words(translation.text):
        (pairs,) = translator.align([text], [translation.text], *languages)
        alignment = _alignment(batch, text, translation.text, pairs)
    return Insides(
        source=text,
        translation=translation,
        alignment=alignment,
        roles=_roles(batch),
        gates=gates_of_batches([batch]),
        composition=composition_of_batches([batch])[0],
        bridge=_bridge(batch.source),
    )


def _alignment(
    batch: HiddenStatesBatch, source: str, target: str, pairs: list[tuple[int, int]]
) -> WordAlignment | None:
    assert batch.target is not None
    if "cross" not in batch.target.attention:  # a decoder of the user's own that records nothing
        return None
    layers = batch.target.attention["cross"][0]  # [L, H, 1 + n, m + 1]
    attention = layers[attention_layer(None, len(layers)) - 1].mean(axis=0)  # as `Translator.align`
    of_source, of_target = tuple(split_words(source)), tuple(split_words(target))
    size = len(of_target), len(of_source)
    words = word_attention(attention[:-1, :-1], batch.source.words[:-1], batch.target.words[1:], size)
    return WordAlignment(of_source, of_target, words, tuple(pairs))


def _roles(batch: HiddenStatesBatch) -> dict[str, tuple[SubwordRole, ...]]:
    found = {}
    for name, side in (("source", batch.source), ("translation", batch.target)):
        if side is not None and side.roles is not None:
            best = side.roles.argmax(axis=1) + 1  # [N]
            found[name] = tuple(
                SubwordRole(side.subwords[i], int(side.words[i]), int(best[i])) for i in np.flatnonzero(side.words >= 0)
            )
    return found


def _bridge(side: HiddenStates) -> BridgeAttention | None:
    return None if side.bridge is None else BridgeAttention(tuple(side.subwords), side.bridge[1][0])
