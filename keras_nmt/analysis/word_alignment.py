"""The alignment of a translation's words, with the attention that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from keras_nmt.files.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class WordAlignment(NamedTuple):
    """The alignment of a translation's words with the words of the source; spaces and tabs separate words.

    Attributes:
        source: Tuple of the S words of the source.
        target: Tuple of the T words of the translation.
        attention: Array `[T, S]`, float32: the attention to the subwords of a source word, where the model predicts a
            subword of a target word; a sum over the former, a mean over the latter and over heads.
        pairs: Tuple of the pairs (source word, target word), from 0, of `Translator.align`.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    attention: np.ndarray
    pairs: tuple[tuple[int, int], ...]

    def plot(self) -> Figure:
        """A heat map of the attention, target words (rows) by source words (columns), with a dot at each pair.

        Raises:
            UserError: matplotlib is missing.

        Example:

        >>> alignment = WordAlignment(("a", "cat"), ("eine", "Katze"), np.eye(2, dtype="float32"), ((0, 0), (1, 1)))
        >>> [label.get_text() for label in alignment.plot().axes[0].get_yticklabels()]
        ['eine', 'Katze']
        """
        across, down = (0.1 * max(map(len, words)) for words in (self.target, self.source))  # of the labels
        figure = new_figure(min(2 + across + 0.3 * len(self.source), 40), min(1 + down + 0.3 * len(self.target), 40))
        axes = figure.add_subplot()
        image = axes.imshow(self.attention, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        axes.set_xticks(range(len(self.source)), self.source, rotation=90, parse_math=False)
        axes.set_yticks(range(len(self.target)), self.target, parse_math=False)
        axes.scatter([i for i, _ in self.pairs], [j for _, j in self.pairs], s=25, color="#D55E00", edgecolor="white")
        figure.colorbar(image, label="attention")
        return figure


def word_attention(
    attention: np.ndarray, source_words: np.ndarray, target_words: np.ndarray, size: tuple[int, int]
) -> np.ndarray:
    """The attention between words, from the attention between subwords.

    Args:
        attention: Array `[n, m]`, the attention to each source subword where the model predicts each target subword.
        source_words, target_words: Integer arrays `[m]` and `[n]`, the word of each subword.
        size: T and S, the numbers of words, of which some may have no subwords.

    Returns:
        Float32 array `[T, S]`: a sum over a source word's subwords, a mean over a target word's.

    Example:

    >>> word_attention(np.array([[0.5, 0.5, 0], [0, 0, 1]]), np.array([0, 0, 1]), np.array([0, 0]), (1, 2)).tolist()
    [[0.5, 0.5]]
    """
    of_target, of_source = (np.eye(n)[words] for n, words in zip(size, (target_words, source_words), strict=True))
    counts = np.maximum(of_target.sum(axis=0), 1)  # [T]
    words: np.ndarray = (of_target.T @ attention @ of_source / counts[:, None]).astype("float32")
    return words
