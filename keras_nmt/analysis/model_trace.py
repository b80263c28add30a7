"""The trace of a sentence through a model: its translations, and the values of each mechanism, as numbers and HTML.

The page of `keras-nmt demo` shows such traces, of the models of `demo_systems`.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import io
import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keras_nmt.analysis.alignments import WordAlignment, word_attention
from keras_nmt.analysis.bridges import BridgeAttention, plot_bridge_attention
from keras_nmt.analysis.layer_means import composition_of_batches, gates_of_batches
from keras_nmt.analysis.measurements import Measurements, compare
from keras_nmt.analysis.token_attention import aligning
from keras_nmt.analysis.token_states import HiddenStatesBatch, Model, hidden_states, open_pair, open_translator
from keras_nmt.errors import UserError, require
from keras_nmt.inference import Translation, Translator
from keras_nmt.models import TranslationModel
from keras_nmt.text.translation import split_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Wide figures shrink to three quarters on a narrow screen, and scroll from there on.
SHRINK = 0.75
STYLE = """.insides h3{font-size:1.1em;margin:1.4em 0 .3em}.insides p{margin:.3em 0}
.insides table{border-collapse:collapse}.insides th,.insides td{text-align:left;padding:.2em 1em .2em 0;
vertical-align:top}.insides td[dir]{overflow-wrap:anywhere}.insides .figures{display:flex;flex-wrap:wrap;gap:.6em}
.insides figure{margin:0;max-width:100%;overflow-x:auto}.insides img{display:block;max-width:100%;height:auto;
background:#fff}.insides .word{display:inline-block;text-align:center;margin:0 .6em .5em 0}
.insides .word span{display:inline-block;padding:0 .1em}
.insides .word .role{display:block;font-size:.85em;opacity:.8}"""
TENSORS = ("attention", "gates", "roles", "composition", "bridge")


class SubwordRole(NamedTuple):
    """A subword of a text, the index of its word, and the number, from 1, of the role with the largest weight."""

    subword: str
    word: int
    role: int


@dataclasses.dataclass(frozen=True, eq=False)
class ModelTrace:
    """The translations of a sentence, and what happens in the model for the sentence and its best translation.

    An attribute is None, or empty, if the model does not have the mechanism. A notebook shows the object as HTML.

    Args:
        source: String, the sentence.
        translation: `Translation`, the hypotheses with their scores.
        alignment: `WordAlignment`; None if there are no words, or the decoder does not attend to words, as behind a
            bridge.
        roles: Dictionary from "source" and "translation" to tuples of `SubwordRole`; empty without roles.
        gates: `Measurements` of the mean gates of lexical shortcuts by layer, as `gates` returns them.
        composition: `Measurements` of the part of each layer or head in compositions, as `composition` returns them;
            compositions that are not of second order are left out.
        bridge: `BridgeAttention`, the attention of the bridge's heads over the source.
    """

    source: str
    translation: Translation
    alignment: WordAlignment | None
    roles: dict[str, tuple[SubwordRole, ...]]
    gates: Measurements | None
    composition: Measurements | None
    bridge: BridgeAttention | None

    def to_html(self) -> str:
        """Returns a fragment of HTML: the translations, and a section with SVG figures for each mechanism.

        Raises:
            UserError: matplotlib is missing.
        """
        sections = [_section("Translations", "Scores are log-probabilities after the length penalty.", _table(self))]
        if self.alignment is not None:
            text = "Darker cells have more attention; a dot marks aligned words."
            sections.append(_section("Word alignment", text, _alignment_html(self.alignment)))
        if self.gates is not None:
            text = "Mean gate of each layer: 1 takes the features of the embedding alone, 0 those of the state."
            sections.append(_section("Gates of the shortcuts", text, _plots(self.gates)))
        if self.roles:
            text = "Under each subword, the number of the role with the largest weight."
            shown = "".join(f"<p><b>{name}</b></p>{_roles_html(roles)}" for name, roles in self.roles.items())
            sections.append(_section("Roles", text, shown))
        if self.composition is not None:
            text = "Norm of the part of each layer or head, first and second order apart."
            sections.append(_section("Composition", text, _plots(self.composition)))
        if self.bridge is not None:
            text = "Attention of each head to the subwords of the source."
            sections.append(_section("Attention bridge", text, _bridge_html(self.bridge)))
        return f'<div class="insides"><style>{STYLE}</style>{"".join(sections)}</div>'

    _repr_html_ = to_html


def _section(heading: str, explanation: str, content: str) -> str:
    return f"<section><h3>{heading}</h3><p>{explanation}</p>{content}</section>"


def _table(trace: ModelTrace) -> str:
    rows = "".join(
        f'<tr><td>{hypothesis.score:.3f}</td><td dir="auto">{html.escape(hypothesis.text)}</td></tr>'
        for hypothesis in trace.translation.hypotheses
    )
    note = "<p>The sentence or the forced beginning was too long, and was truncated.</p>"
    head = '<thead><tr><th scope="col">score</th><th scope="col">translation</th></tr></thead>'
    return f"<table>{head}<tbody>{rows}</tbody></table>{note * trace.translation.truncated}"


def _alignment_html(alignment: WordAlignment) -> str:
    words = [f"{alignment.source[i]} – {alignment.target[j]}" for i, j in alignment.pairs]
    return _figures([(alignment.plot(), f"Aligned words: {', '.join(words)}")])


def _plots(measurements: Measurements) -> str:
    """Draws a figure for each group, so that figures fit on a narrow screen."""
    figures = []
    for group in compare({"model": measurements}).groups():
        values = {key: value for key, value in measurements.values.items() if key[0] == group}
        alone = dataclasses.replace(measurements, values=values, samples={})
        text = ", ".join(f"{item}: {value:.3f}" for (_, item), value in values.items())
        figures.append((alone.plot(), f"{group}, {measurements.unit}: {text}"))
    return _figures(figures)


def _roles_html(roles: Sequence[SubwordRole]) -> str:
    words = []
    for _, subwords in itertools.groupby(roles, key=lambda role: role.word):
        cells = (
            f'<span><span dir="auto">{html.escape(x.subword.removeprefix("▁"))}</span>'
            f'<span class="role">{x.role}</span></span>'
            for x in subwords
        )
        words.append(f'<span class="word">{"".join(cells)}</span>')
    return f"<div>{' '.join(words)}</div>"


def _bridge_html(bridge: BridgeAttention) -> str:
    top = [f"{head} {bridge.tokens[i]}" for head, i in enumerate(bridge.attention.argmax(axis=1), 1)]
    return _figures([(plot_bridge_attention(bridge), f"Subword with most attention of each head: {', '.join(top)}")])


def _figures(figures: Sequence[tuple[Figure, str]]) -> str:
    import matplotlib

    images = []
    for figure, text in figures:
        buffer = io.BytesIO()
        # Text stays text: the browser has letters that matplotlib's font lacks.
        with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")
            figure.savefig(buffer, format="svg", metadata={"Date": None})
        data = base64.b64encode(buffer.getvalue()).decode()
        least = f"min-width:{SHRINK * 96 * figure.get_figwidth():.0f}px"
        image = f'<img style="{least}" alt="{html.escape(text)}" src="data:image/svg+xml;base64,{data}">'
        images.append(f"<figure>{image}</figure>")
    return f'<div class="figures">{"".join(images)}</div>'


def look_inside(
    model: Model,
    text: str,
    *,
    prefix: str = "",
    source_language: str | None = None,
    target_language: str | None = None,
) -> ModelTrace:
    """Translates a sentence, and reads what happens in the model, by teacher forcing of the best translation.

    Args:
        model: String or path of a model directory, or a `Translator`, whose options decide on the search and on the
            number of translations.
        text: String, the sentence.
        prefix: String, text that the translations have to begin with. Defaults to none.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        A `ModelTrace`.

    Raises:
        UserError: The text is empty, the model is an ensemble, or does not have the direction.

    Example:

    >>> import pathlib, tempfile
    >>> from keras_nmt.inference import Translator
    >>> from keras_nmt.models import Transformer
    >>> from keras_nmt.data import SubwordTokenizer, train_subwords
    >>> text = pathlib.Path(tempfile.mkdtemp()) / "text.txt"
    >>> _ = text.write_text("the cat sat\\nthe mat sat\\n")
    >>> tokenizer = SubwordTokenizer(train_subwords(text, text.with_suffix(".model"), vocabulary_size=20))
    >>> model = Transformer(
    ...     20, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, num_heads=2, shortcuts="plain"
    ... )
    >>> trace = look_inside(Translator(model, tokenizer, num_hypotheses=2), "the cat", prefix="the mat")
    >>> len(trace.translation.hypotheses), trace.translation.text.startswith("the mat")
    (2, True)
    >>> [layer for group, layer in trace.gates.values if group == "encoder self keys"], trace.bridge is None
    (['1'], True)
    """
    require(text.strip(), f"There is no text to translate. Received: {text!r}")
    translator, languages = open_translator(model, source_language, target_language)
    pair = open_pair(translator, *languages).model
    (translation,) = translator.translate([text], *languages, prefixes=[prefix] if prefix else None)
    (batch,) = hidden_states(
        translator,
        [text],
        [translation.text],
        tensors=TENSORS,
        source_language=languages[0],
        target_language=languages[1],
    )
    alignment, bridge = None, batch.source.bridge
    if pair.positions_before_source is not None and split_words(text) and split_words(translation.text):
        (pairs,) = translator.align([text], [translation.text], *languages)
        alignment = _alignment(batch, text, translation.text, pairs, pair)
    return ModelTrace(
        source=text,
        translation=translation,
        alignment=alignment,
        roles=_roles(batch),
        gates=gates_of_batches([batch]),
        composition=composition_of_batches([batch])[0],
        bridge=bridge and BridgeAttention(tuple(batch.source.subwords), bridge[1][0]),
    )


def _alignment(
    batch: HiddenStatesBatch, source: str, target: str, pairs: list[tuple[int, int]], model: TranslationModel
) -> WordAlignment | None:
    assert batch.target is not None
    if "cross" not in batch.target.attention:  # a decoder of the user's own that records nothing
        return None
    attention = aligning(model, batch.target.attention["cross"][0])  # [1 + n, m + 1]
    source_words, target_words = tuple(split_words(source)), tuple(split_words(target))
    size, numbers = (len(target_words), len(source_words)), batch.source.words
    words = word_attention(attention[:-1, numbers >= 0], numbers[numbers >= 0], batch.target.words[1:], size)
    return WordAlignment(source_words, target_words, words, tuple(pairs))


def _roles(batch: HiddenStatesBatch) -> dict[str, tuple[SubwordRole, ...]]:
    roles = {}
    for name, side in (("source", batch.source), ("translation", batch.target)):
        if side is not None and side.roles is not None:
            best = side.roles.argmax(axis=1) + 1  # [N]
            roles[name] = tuple(
                SubwordRole(side.subwords[i], int(side.words[i]), int(best[i])) for i in np.flatnonzero(side.words >= 0)
            )
    return roles


@dataclasses.dataclass(frozen=True)
class DemoSystem:
    """A model in one direction.

    Args:
        name: String, the name of model and direction, which the page lists and links contain.
        translator: `Translator`, whose options decide on the search.
        source_language, target_language: Strings, the direction, or the language of a tag; None for a model of one
            direction.
        max_characters: Integer, the largest number of characters of a text, and of a forced beginning.
    """

    name: str
    translator: Translator
    source_language: str | None
    target_language: str | None
    max_characters: int

    def show(self, text: str, prefix: str) -> str:
        """Returns the translations and the insides of the model as HTML, or the error of the user.

        The limit holds for requests that do not come from the page, too.
        """
        heading = f"<h2>{html.escape(self.name)}</h2>"
        try:
            longest = max(len(text), len(prefix))
            if longest > self.max_characters:
                raise UserError(f"At most {self.max_characters:,} characters. Received: {longest:,} characters")
            languages = {"source_language": self.source_language, "target_language": self.target_language}
            return heading + look_inside(self.translator, text, prefix=prefix, **languages).to_html()
        except UserError as error:
            return f'{heading}<p role="alert">{html.escape(str(error))}</p>'


def demo_systems(translators: Mapping[str, Translator], max_characters: int) -> dict[str, DemoSystem]:
    """Returns the models with each of their directions, by name.

    Args:
        translators: Mapping from names of models to translators.
        max_characters: Integer, see `DemoSystem`.

    Returns:
        Dictionary from names to `DemoSystem`: "many, de to fr" for each direction, "tagged, to deu" for each language
        of a model with target-language tags, and the model's own name if it has one direction.
    """
    systems = []
    for name, translator in translators.items():
        directions: dict[str, tuple[str | None, str | None]] = {name: (None, None)}
        if len(translator.directions) > 1:
            directions = {f"{name}, {source} to {target}": (source, target) for source, target in translator.directions}
        elif translator.tags and translator.target is None:
            directions = {f"{name}, to {target}": (None, target) for target in translator.tags.texts}
        systems += [DemoSystem(of, translator, *direction, max_characters) for of, direction in directions.items()]
    return {system.name: system for system in systems}
