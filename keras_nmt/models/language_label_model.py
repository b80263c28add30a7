"""The language label model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import keras
from keras import ops

from keras_nmt.ids import PAD
from keras_nmt.models._search_models import TargetSide
from keras_nmt.models.multilingual_model import MultilingualModel

FIRST_LABEL = 4  # after the reserved ids, the position of control symbols in subword training


@keras.saving.register_keras_serializable(package="keras_nmt")
class LanguageLabelModel(MultilingualModel):
    """One encoder and one decoder for all languages; a label before the source names the target language.

    The baseline of multilingual translation: all languages share all weights and the subwords. The labels are the first
    subwords of the joint vocabulary, one for each language in the languages' order, as `train_subwords` makes them with
    `control_symbols=LanguageLabelModel.labels(languages)`: no text has their ids, and "<2fr>" in a text is text.

    Args:
        languages: Mapping of each language to the number of subwords, the same for all; or a sequence of languages,
            with `vocabulary_size`.
        encoder: "recurrent" or "transformer". Defaults to "recurrent".
        decoder: "recurrent" or "transformer". Defaults to "recurrent".
        num_encoder_layers: Integer. Defaults to 2.
        num_decoder_layers: Integer. Defaults to 2.
        hidden_dim: Integer d, width of embeddings and states. Defaults to 512.
        dropout: Float, dropout rate. Defaults to 0.3.
        attention_score: "general", "dot" or "concat", the score of a recurrent decoder. Defaults to "general".
        input_feeding: Boolean, see `AttentiveRecurrentDecoder`. Defaults to True.
        dropout_in_loop: Boolean, see `AttentiveRecurrentDecoder`. Defaults to False.
        tie_output: Boolean, whether the logits use the embeddings' table. Defaults to False.
        transformer: Mapping of further arguments of `Transformer`, see `AttentionBridgeModel`. Defaults to None.
        use_cudnn: False or "auto", see `AttentionBridgeModel`. Defaults to False.
        vocabulary_size: Integer, number of joint subwords, labels included. Defaults to the number in `languages`.
        uniform_start: Float above 0, see `AttentionBridgeModel`. Defaults to None.
        **kwargs: Further arguments of `keras.Model`: `name`, `trainable`, and `dtype`.

    Raises:
        TypeError: An argument is unknown.
        ValueError: See `AttentionBridgeModel`; or the vocabulary is not joint, or too small for the labels.

    Example:

    >>> import numpy as np
    >>> model = LanguageLabelModel(["de", "fr"], vocabulary_size=50, hidden_dim=16)
    >>> source, target_input = np.array([[6, 7, 3]]), np.array([[2, 8, 9]])
    >>> tuple(model.pair("de", "fr")([source, target_input]).shape)
    (1, 3, 50)

    Reference:
        [Johnson et al., 2017](https://arxiv.org/abs/1611.04558).
    """

    encodes_by: ClassVar[str] = "target"

    def __init__(
        self,
        languages: Mapping[str, int] | Sequence[str],
        encoder: str = "recurrent",
        decoder: str = "recurrent",
        num_encoder_layers: int = 2,
        num_decoder_layers: int = 2,
        hidden_dim: int = 512,
        dropout: float = 0.3,
        attention_score: str = "general",
        input_feeding: bool = True,
        dropout_in_loop: bool = False,
        tie_output: bool = False,
        transformer: Mapping[str, Any] | None = None,
        use_cudnn: bool | str = False,
        vocabulary_size: int | None = None,
        uniform_start: float | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(languages, Mapping):
            if vocabulary_size is None:
                raise ValueError(f"`vocabulary_size` is needed. Received: languages={languages!r}")
            if isinstance(languages, str) or not languages or len(set(languages)) < len(languages):
                raise ValueError(f"`languages` must be a list of distinct names. Received: languages={languages!r}")
            languages = dict.fromkeys(languages, vocabulary_size)
        sizes = set(languages.values())
        if len(sizes) > 1 or (vocabulary_size is not None and sizes != {vocabulary_size}):
            raise ValueError(f"The vocabulary is joint, of one size. Received: {dict(languages)!r}, {vocabulary_size=}")
        super().__init__(
            languages,
            encoder=encoder,
            decoder=decoder,
            num_encoder_layers=num_encoder_layers,
            num_decoder_layers=num_decoder_layers,
            hidden_dim=hidden_dim,
            dropout=dropout,
            attention_score=attention_score,
            input_feeding=input_feeding,
            dropout_in_loop=dropout_in_loop,
            tie_output=tie_output,
            transformer=transformer,
            use_cudnn=use_cudnn,
            uniform_start=uniform_start,
            **kwargs,
        )
        self._check_sides_fit()
        self._check_cross_shortcuts()
        size = int(next(iter(languages.values())))
        if size <= FIRST_LABEL + len(languages):
            raise ValueError(
                f"A vocabulary needs room for 4 reserved ids, {len(languages)} labels and text. Received: size {size}"
            )
        embedding = self._embedding(size, name="embedding")
        self._source, self._target = self._make_source_side(embedding), self._make_target_side(embedding)
        self._track(self._source, self._target)
        self._build_all(self.languages[:1])  # all weights are shared

    @staticmethod
    def labels(languages: Sequence[str]) -> list[str]:
        """The labels as subwords.

        Args:
            languages: Sequence of the languages.

        Example:

        >>> LanguageLabelModel.labels(["de", "fr"])
        ['<2de>', '<2fr>']
        """
        return [f"<2{language}>" for language in languages]

    def with_language(self, language: str, vocabulary_size: int, freeze: bool = True) -> MultilingualModel:
        raise ValueError(
            "The vocabulary of this model is joint, and has no label or subwords for another language. "
            f"Received: language={language!r}"
        )

    @property
    def positions_before_source(self) -> int | None:
        return 1  # the label

    def _memory(self, ids: Any, source: str, target: str) -> tuple[dict[str, Any], Any]:
        label = FIRST_LABEL + self.languages.index(target)
        # Rows of padding have no label.
        first = ops.where(ops.equal(ids[:, :1], PAD), PAD, label)  # [B, 1]
        return self._with_initial(self._source(ops.concatenate([first, ids], axis=1))), None

    def _target_side(self, target: str) -> TargetSide:
        return self._target

    def get_config(self) -> dict[str, Any]:
        return {"languages": self.vocabulary_sizes, **super().get_config()}
