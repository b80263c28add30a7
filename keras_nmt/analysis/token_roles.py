"""The roles that a model assigns to the tokens of a text."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from keras_nmt.analysis.measurements import new_figure, write_results
from keras_nmt.analysis.token_groups import TokenGroups
from keras_nmt.analysis.token_states import Model, hidden_states, open_pair, open_translator
from keras_nmt.data import SubwordTokenizer
from keras_nmt.errors import UserError, check_no_string, require
from keras_nmt.files.markdown import markdown_table
from keras_nmt.ids import EOS
from keras_nmt.text.translation import split_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONTEXT = 2  # words on either side
PARTITIONS = 10  # of the subwords, by chance


@dataclasses.dataclass(frozen=True)
class Role:
    """A role: its number from 1, the number of its tokens, their tags, its most typical subwords, and examples.

    `lifts` are of the typical subwords: how many times as frequent a subword is in the role as in the text.
    """

    number: int
    count: int
    tags: dict[str, int]
    subwords: tuple[str, ...]
    lifts: tuple[float, ...]
    examples: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Occurrence:
    """An occurrence of a subword: its role, its context, and the words that it was translated to."""

    role: int
    context: str
    translation: str | None


@dataclasses.dataclass(frozen=True)
class Information:
    """How much roles and tags tell of each other.

    Attributes:
        normalized: Float from 0 to 1, the normalised mutual information.
        by_chance: Float, that of a random partition of the types of subwords into as many parts of equal sizes, instead
            of the roles: what a partition tells that knows the subword alone. The mean over ten partitions.
        adjusted: Float, the adjusted mutual information: 0 for roles that are given to the tokens by chance.
    """

    normalized: float
    by_chance: float
    adjusted: float


@dataclasses.dataclass(frozen=True)
class Roles:
    """The roles of a text's tokens, the most frequent role first.

    Args:
        roles: Tuple of `Role`, of roles with tokens.
        tokens: Integer, the number of tokens.
        num_roles: Integer, the number of the model's roles.
        information: `Information` of roles about tags; None without tags.
        occurrences: Tuple of `Occurrence` of the requested subword; empty without one.
        token: String, the requested subword. Defaults to None.
    """

    roles: tuple[Role, ...]
    tokens: int
    num_roles: int
    information: Information | None
    occurrences: tuple[Occurrence, ...]
    token: str | None = None

    def to_markdown(self) -> str:
        """Returns the roles, and the occurrences of the subword, as tables in Markdown; tags where there are any."""
        columns = {
            "role": [str(role.number) for role in self.roles],
            "share of subwords": [f"{role.count / self.tokens:.3f}" for role in self.roles],
            "tags": [
                ", ".join(f"{tag} {count / sum(role.tags.values()):.2f}" for tag, count in [*role.tags.items()][:3])
                for role in self.roles
            ],
            "typical subwords (times as frequent as in the text)": [
                " ".join(f"{t} ({lift:.1f})" for t, lift in zip(role.subwords, role.lifts, strict=True))
                for role in self.roles
            ],
            "examples": ["; ".join(role.examples) for role in self.roles],
        }
        if not any(columns["tags"]):
            del columns["tags"]
        parts = [markdown_table([*columns], zip(*columns.values(), strict=True))]
        if self.information is not None:
            mutual = self.information
            parts.append(
                f"Normalised mutual information of roles and tags: {mutual.normalized:.3f}; of a random partition of "
                f"the subwords into as many parts: {mutual.by_chance:.3f}. Adjusted: {mutual.adjusted:.3f}."
            )
        if self.occurrences:
            rows = [[str(x.role), x.context, x.translation or ""] for x in self.occurrences]
            parts.append(markdown_table(["role", "context", "translation"], rows))
        elif self.token is not None:
            parts.append(f"The subword {self.token} does not occur in the text.")
        return "\n\n".join(parts)

    def plot(self) -> Figure:
        """Draws the share of each role as a `matplotlib.figure.Figure`."""
        figure = new_figure(min(2 + 0.3 * len(self.roles), 40), 3.5)
        axes = figure.add_subplot()
        names = [str(role.number) for role in self.roles]
        axes.bar(names, [role.count / self.tokens for role in self.roles], color="#0072B2")
        axes.set_xlabel("role")
        axes.set_ylabel("share of tokens")
        return figure

    def numbers(self) -> dict[str, Any]:
        """Returns all results in types of JSON."""
        return {"analysis": "roles", **dataclasses.asdict(self)}

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes results.json, table.md and roles.png into a folder."""
        write_results(folder, self, "roles")


def roles(
    model: Model,
    source: Sequence[str],
    *,
    groups: TokenGroups | None = None,
    token: str | None = None,
    references: Sequence[str] | None = None,
    typical: int = 8,
    examples: int = 3,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Roles:
    """Reads the roles of the tokens of source texts: the role with the largest weight for each subword.

    The most typical subwords t of a role r have the largest n(r, t) log p(t | r) / p(t).

    Args:
        model: String or path of a model directory, or a `Translator`.
        source: Sequence of strings.
        groups: Tags of the tokens, of `by_tag`. Defaults to None.
        token: String, a subword whose every occurrence is listed; one that begins a word without its space mark too.
            Defaults to None.
        references: Sequence of strings, a translation of each source: occurrences are listed with the words that the
            model's attention aligns them to. Defaults to None.
        typical: Integer, the number of typical subwords of a role. Defaults to 8.
        examples: Integer, the number of examples of a role. Defaults to 3.
        source_language, target_language: Strings, the direction of a multilingual model.

    Returns:
        A `Roles`.

    Raises:
        UserError: The model has no roles or no such subword, there are no tokens, or there is not a reference for each
            source.

    Reference:
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), tables 3 to 5.
    """
    check_no_string(source=source, references=references)
    languages: dict[str, Any] = {"source_language": source_language, "target_language": target_language}
    pair = open_pair(model, **languages)
    if token is not None:
        _check_token(token, pair.tokenizers[0])
    links: list[list[tuple[int, int]]] = []
    if references is not None:
        translator, languages_of_pair = open_translator(model, **languages)
        links = translator.align(source, references, *languages_of_pair)
    tokens: list[_Token] = []
    num_roles = 0
    for side, _ in hidden_states(pair, source, tensors=("roles",)):
        assert side.roles is not None
        num_roles = side.roles.shape[1]
        labels = None if groups is None else groups(side)
        best = side.roles.argmax(axis=1) + 1  # [N]
        for i in np.flatnonzero((side.ids > EOS) & (side.words >= 0)):
            place = int(side.rows[side.sentences[i]]), int(side.words[i])
            tag = "" if labels is None else str(labels[i])
            tokens.append(_Token(place, int(best[i]), int(side.ids[i]), side.subwords[i], tag))
    require(tokens, "The text has no subwords.")
    by_role: dict[int, list[_Token]] = {}
    for one in tokens:
        by_role.setdefault(one.role, []).append(one)
    everywhere = Counter(one.subword for one in tokens)
    most_frequent_first = []
    for role, of_role in sorted(by_role.items(), key=lambda item: -len(item[1])):
        lifts = dict(itertools.islice(_typical(Counter(one.subword for one in of_role), everywhere).items(), typical))
        places = sorted({one.place for one in of_role})  # a word may have several subwords
        places = places[:: max(1, len(places) // max(1, examples))][:examples]
        most_frequent_first.append(
            Role(
                number=role,
                count=len(of_role),
                tags=dict(Counter(one.tag for one in of_role if one.tag).most_common()),
                subwords=tuple(lifts),
                lifts=tuple(lifts.values()),
                examples=tuple(_context(source, place) for place in places),
            )
        )
    names = () if token is None else (token, f"▁{token}")
    occurrences = []
    for (row, word), role in sorted((one.place, one.role) for one in tokens if one.subword in names):
        translation = None if references is None else _translation(links[row], references[row], word)
        occurrences.append(Occurrence(role, _context(source, (row, word)), translation))
    information = None
    if tagged := [one for one in tokens if one.tag]:
        information = _information([x.role for x in tagged], [x.tag for x in tagged], [x.id for x in tagged])
    return Roles(tuple(most_frequent_first), len(tokens), num_roles, information, tuple(occurrences), token)


class _Token(NamedTuple):
    """A subword of the text: its place, which is a row and a word of it, its role from 1, and its tag or ""."""

    place: tuple[int, int]
    role: int
    id: int
    subword: str
    tag: str


def _check_token(token: str, tokenizer: SubwordTokenizer) -> None:
    pieces = tokenizer.pieces()
    if not {token, f"▁{token}"} & {*pieces[EOS + 1 :]}:
        split = " ".join(pieces[i] for i in tokenizer.tokenize([token]).flat_values.numpy())
        raise UserError(f"The token must be one subword of the model. Received: {token!r}, which is split as {split!r}")


def _information(role_numbers: list[int], tags: list[str], subwords: list[int]) -> Information:
    from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

    types, types_of_tokens = np.unique(subwords, return_inverse=True)
    generator = np.random.default_rng(1)
    parts = np.arange(len(types)) % len(set(role_numbers))  # as many as there are roles: more would share more
    by_chance = [
        normalized_mutual_info_score(tags, generator.permutation(parts)[types_of_tokens]) for _ in range(PARTITIONS)
    ]
    return Information(
        normalized=float(normalized_mutual_info_score(tags, role_numbers)),
        by_chance=float(np.mean(by_chance)),
        adjusted=float(adjusted_mutual_info_score(tags, role_numbers)),
    )


def _typical(counts: Counter[str], everywhere: Counter[str]) -> dict[str, float]:
    """Returns the lift p(t | r) / p(t) of each subword t of a role r, the most typical subword first."""
    of_role, tokens = counts.total(), everywhere.total()
    lifts = {t: n / of_role * tokens / everywhere[t] for t, n in counts.items()}
    return {t: lifts[t] for t in sorted(lifts, key=lambda t: -counts[t] * np.log(lifts[t]))}


def _context(source: Sequence[str], place: tuple[int, int]) -> str:
    row, word = place
    words = split_words(source[row]) or [""]  # a text of tabs may have subwords, and has no word
    return " ".join([*words[max(word - CONTEXT, 0) : word], f"[{words[word]}]", *words[word + 1 : word + 1 + CONTEXT]])


def _translation(links: list[tuple[int, int]], reference: str, word: int) -> str:
    words = split_words(reference)
    return " ".join(words[j] for i, j in links if i == word)
