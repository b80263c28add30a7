"""The multilingual model whose languages share all weights, and labels name the languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import check_choice
from keras_nmt.ids import BOS, PAD
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.sides_config import takes_sides
from keras_nmt.models.translation_model import TargetSide, Untracked

FIRST_LABEL = 4  # id of the first label: subword training puts control symbols after the reserved ids
LABEL_SIDES = ("source", "both")


@keras.saving.register_keras_serializable(package="keras_nmt")
class LanguageLabelModel(MultilingualModel):
    """One encoder and one decoder for all languages, in which labels (tags) name the languages.

    This is the baseline of multilingual translation: all languages share all weights and subwords. Either a label
    before the source names the target language. Or, as in M2M-100 and NLLB, a label before the source names the source
    language, and a label before the target, which is given and not predicted, names the target language. The labels are
    the first subwords of the joint vocabulary, one for each language in their order. `train_subwords` makes them with
    `control_symbols=LanguageLabelModel.labels(languages)`. Text never gets their ids: "<2fr>" in a text stays text.

    Args:
        languages: Mapping of each language to the number of subwords, which must be the same for all; or a sequence of
            languages, together with `vocabulary_size`.
        encoder: "recurrent" or "transformer". Defaults to "recurrent".
        decoder: "recurrent" or "transformer". Defaults to "recurrent".
        num_encoder_layers to use_cudnn, uniform_start, **kwargs: See `AttentionBridgeModel`.
        vocabulary_size: Integer, number of joint subwords including labels. Defaults to the number in `languages`.
        label_sides: "source": the label of the target language stands before the source. "both": the label of the
            source language stands before the source, and that of the target language before the target. Defaults to
            "source".

    Raises:
        TypeError: An argument is unknown.
        ValueError: See `AttentionBridgeModel`; or the vocabulary is not joint, or is too small for the labels.

    Example:

    >>> import numpy as np
    >>> model = LanguageLabelModel(["de", "fr"], vocabulary_size=50, hidden_dim=16)
    >>> source, target_input = np.array([[6, 7, 3]]), np.array([[2, 8, 9]])
    >>> tuple(model.pair("de", "fr")([source, target_input]).shape)
    (1, 3, 50)

    Reference:
        [Johnson et al., 2017](https://arxiv.org/abs/1611.04558); for labels on both sides
        [Fan et al., 2021](https://arxiv.org/abs/2010.11125), section 2.1.
    """

    @takes_sides
    def __init__(
        self,
        languages: Mapping[str, int] | Sequence[str],
        *,
        vocabulary_size: int | None = None,
        label_sides: str = "source",
        **kwargs: Any,
    ) -> None:
        check_choice("label_sides", label_sides, LABEL_SIDES)
        if not isinstance(languages, Mapping):
            if vocabulary_size is None:
                raise ValueError(
                    f"Missing `vocabulary_size` for a list of languages. Received: languages={languages!r}"
                )
            if isinstance(languages, str) or not languages or len(set(languages)) < len(languages):
                raise ValueError(f"`languages` must be a list of distinct names. Received: languages={languages!r}")
            languages = dict.fromkeys(languages, vocabulary_size)
        sizes = set(languages.values())
        if len(sizes) > 1 or (vocabulary_size is not None and sizes != {vocabulary_size}):
            raise ValueError(
                f"All languages must have the same vocabulary size. Received: {dict(languages)!r}, {vocabulary_size=}"
            )
        super().__init__(languages, **kwargs)
        self._check_sides_fit()
        self._check_cross_shortcuts()
        size = int(next(iter(languages.values())))
        if size <= FIRST_LABEL + len(languages):
            raise ValueError(
                f"The vocabulary must be larger than 4 reserved ids and {len(languages)} labels. Received: size {size}"
            )
        embedding = self._embedding(size, name="embedding")
        self._source, self._target = self._make_source_side(embedding), self._make_target_side(embedding)
        self._track(self._source, self._target)
        self.label_sides, self.num_labels = label_sides, len(languages)
        self._labelled = Untracked(targets=[])
        if label_sides == "source":
            self.encodes_by = "target"
        else:
            self.positions_before_target = 1
            self._labelled.targets = [_LabelledTarget(self._target, FIRST_LABEL + i) for i in range(len(languages))]
        self._build_all(self.languages[:1])  # all weights are shared

    @staticmethod
    def labels(languages: Sequence[str]) -> list[str]:
        """Returns the labels of languages as subwords.

        Args:
            languages: Sequence of the languages.

        Example:

        >>> LanguageLabelModel.labels(["de", "fr"])
        ['<2de>', '<2fr>']
        """
        return [f"<2{language}>" for language in languages]

    def with_language(self, language: str, vocabulary_size: int, freeze: bool = True) -> MultilingualModel:
        raise ValueError(
            "This model cannot be extended: its joint vocabulary has no label or subwords for another language. "
            f"Received: language={language!r}"
        )

    @property
    def positions_before_source(self) -> int | None:
        return 1  # the label

    def _memory(self, ids: Any, source: str, target: str) -> tuple[dict[str, Any], Any]:
        label = FIRST_LABEL + self.languages.index(target if self.label_sides == "source" else source)
        # Rows that are all padding get no label.
        first = ops.where(ops.equal(ids[:, :1], PAD), PAD, label)  # [B, 1]
        return self._with_initial(self._source(ops.concatenate([first, ids], axis=1))), None

    def _target_side(self, target: str) -> TargetSide:
        targets = self._labelled.targets
        return targets[self.languages.index(target)] if targets else self._target

    def get_config(self) -> dict[str, Any]:
        return {"languages": self.vocabulary_sizes, **super().get_config(), "label_sides": self.label_sides}


class _LabelledTarget:
    """A target side that inserts a label after the BOS id; the label is given, not predicted."""

    def __init__(self, side: Any, label: int) -> None:
        self._side, self._label = side, label

    def _labelled(self, ids: Any) -> Any:
        label = ops.full_like(ids[:, :1], self._label)
        return ops.concatenate([ids[:, :1], label, ids[:, 1:]], axis=1)  # [B, T] -> [B, 1 + T]

    def logits(self, ids: Any, memory: dict[str, Any]) -> Any:
        return self._side.logits(self._labelled(ids), memory)[:, 1:]  # [B, T, V]

    def attention(self, ids: Any, memory: dict[str, Any], layer: int | None = None) -> Any:
        return self._side.attention(self._labelled(ids), memory, layer)[:, 1:]  # [B, T, S']

    def prepare(self, memory: dict[str, Any], beam_size: int, max_length: int | None) -> tuple[Any, Any]:
        longest = None if max_length is None else max_length + 1
        constants, caches = self._side.prepare(memory, beam_size, longest)
        begin = ops.full((ops.shape(memory["mask"])[0], beam_size), BOS, dtype="int32")
        return constants, self._side.step(begin, ops.convert_to_tensor(0, "int32"), constants, caches)[1]

    def output_kernel(self, ids: Any = None) -> Any:
        return self._side.output_kernel(ids)

    def step(
        self, tokens: Any, position: Any, constants: Any, caches: Any, output_kernel: Any = None
    ) -> tuple[Any, Any]:
        tokens = ops.where(ops.equal(position, 0), self._label, tokens)  # BOS is already in the caches
        return self._side.step(tokens, position + 1, constants, caches, output_kernel)
