"""The insides of a model for one sentence, and their HTML."""

from __future__ import annotations

import base64
import dataclasses
import html
import io
import itertools
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from keras_nmt.analysis.bridge_attention import BridgeAttention
from keras_nmt.analysis.measurements import Measurements, compare
from keras_nmt.analysis.plot_bridge_attention import plot_bridge_attention
from keras_nmt.analysis.word_alignment import WordAlignment
from keras_nmt.inference import Translation

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


class SubwordRole(NamedTuple):
    """A subword of a text, the index of its word, and the number, from 1, of the role with the largest weight."""

    subword: str
    word: int
    role: int


@dataclasses.dataclass(frozen=True, eq=False)
class Insides:
    """The translations of a sentence, and the insides of the model for the sentence and its best translation.

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
        """A fragment of HTML with a section for each mechanism; figures are part of the text, in SVG.

        Raises:
            UserError: matplotlib is missing.
        """
        return insides_html(self)

    _repr_html_ = to_html


def insides_html(insides: Insides) -> str:
    """A fragment of HTML: the translations, and a section with a heading for each mechanism."""
    sections = [_section("Translations", "Scores are log-probabilities after the length penalty.", _table(insides))]
    if insides.alignment is not None:
        text = "Darker cells have more attention; a dot marks aligned words."
        sections.append(_section("Word alignment", text, _alignment(insides.alignment)))
    if insides.gates is not None:
        text = "Mean gate of each layer: 1 takes the features of the embedding alone, 0 those of the state."
        sections.append(_section("Gates of the shortcuts", text, _plots(insides.gates)))
    if insides.roles:
        text = "Under each subword, the number of the role with the largest weight."
        shown = "".join(f"<p><b>{name}</b></p>{_roles(roles)}" for name, roles in insides.roles.items())
        sections.append(_section("Roles", text, shown))
    if insides.composition is not None:
        text = "Norm of the part of each layer or head, first and second order apart."
        sections.append(_section("Composition", text, _plots(insides.composition)))
    if insides.bridge is not None:
        text = "Attention of each head to the subwords of the source."
        sections.append(_section("Attention bridge", text, _bridge(insides.bridge)))
    return f'<div class="insides"><style>{STYLE}</style>{"".join(sections)}</div>'


def _section(heading: str, explanation: str, content: str) -> str:
    return f"<section><h3>{heading}</h3><p>{explanation}</p>{content}</section>"


def _table(insides: Insides) -> str:
    rows = "".join(
        f'<tr><td>{hypothesis.score:.3f}</td><td dir="auto">{html.escape(hypothesis.text)}</td></tr>'
        for hypothesis in insides.translation.hypotheses
    )
    note = "<p>The sentence or the forced beginning was too long, and was truncated.</p>"
    head = '<thead><tr><th scope="col">score</th><th scope="col">translation</th></tr></thead>'
    return f"<table>{head}<tbody>{rows}</tbody></table>{note * insides.translation.truncated}"


def _alignment(alignment: WordAlignment) -> str:
    words = [f"{alignment.source[i]} – {alignment.target[j]}" for i, j in alignment.pairs]
    return _figures([(alignment.plot(), f"Aligned words: {', '.join(words)}")])


def _plots(measurements: Measurements) -> str:
    """A figure for each group, so that figures fit on a narrow screen."""
    found = []
    for group in compare({"model": measurements}).groups():
        values = {key: value for key, value in measurements.values.items() if key[0] == group}
        alone = dataclasses.replace(measurements, values=values, samples={})
        text = ", ".join(f"{item}: {value:.3f}" for (_, item), value in values.items())
        found.append((alone.plot(), f"{group}, {measurements.unit}: {text}"))
    return _figures(found)


def _roles(roles: Sequence[SubwordRole]) -> str:
    words = []
    for _, subwords in itertools.groupby(roles, key=lambda role: role.word):
        cells = (
            f'<span><span dir="auto">{html.escape(x.subword.removeprefix("▁"))}</span>'
            f'<span class="role">{x.role}</span></span>'
            for x in subwords
        )
        words.append(f'<span class="word">{"".join(cells)}</span>')
    return f"<div>{' '.join(words)}</div>"


def _bridge(bridge: BridgeAttention) -> str:
    most = [f"{head} {bridge.tokens[i]}" for head, i in enumerate(bridge.attention.argmax(axis=1), 1)]
    return _figures([(plot_bridge_attention(bridge), f"Subword with most attention of each head: {', '.join(most)}")])


def _figures(figures: Sequence[tuple[Figure, str]]) -> str:
    return f'<div class="figures">{"".join(_images(figures))}</div>'


def _images(figures: Sequence[tuple[Figure, str]]) -> Iterator[str]:
    import matplotlib

    for figure, text in figures:
        buffer = io.BytesIO()
        # Text stays text: the browser has letters that matplotlib's font lacks.
        with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")
            figure.savefig(buffer, format="svg", metadata={"Date": None})
        data = base64.b64encode(buffer.getvalue()).decode()
        least = f"min-width:{SHRINK * 96 * figure.get_figwidth():.0f}px"
        yield (
            f'<figure><img style="{least}" alt="{html.escape(text)}" src="data:image/svg+xml;base64,{data}"></figure>'
        )
