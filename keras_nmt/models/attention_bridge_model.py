"""The multilingual model with an attention bridge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from keras_nmt.errors import require
from keras_nmt.layers import AttentionBridge, LuongAttention
from keras_nmt.layers._common import check_booleans, check_effect, check_positive, optional_size, plain_number
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.sides_config import takes_sides
from keras_nmt.models.translation_model import TargetSide, Untracked


@keras.saving.register_keras_serializable(package="keras_nmt")
class AttentionBridgeModel(MultilingualModel):
    """An encoder and a decoder for each language, and one attention bridge between all of them.

    Each encoder maps a sentence to k vectors M, and each decoder reads only M. (Shortcuts on cross-attention also read
    A E; see `transformer`.) Any encoder therefore works with any decoder, also in directions without training data, and
    M is a representation of the sentence. Recurrent decoders start from the mean of M.

    Each language has one table of embeddings for its encoder and its decoder. They are multiplied by sqrt(d) if either
    of the two is a Transformer. The defaults are the sizes of the paper's experiments on Multi30k and the dropout rate
    of the toolkit used there. That toolkit applies dropout to the states between LSTMs; this model also applies it to
    embeddings and to the outputs of decoders. Logits have no bias, unlike in the toolkit.

    Args:
        languages: Mapping of each language, such as "de", to the number of its subwords.
        encoder: "recurrent" (two-way LSTMs) or "transformer". Defaults to "recurrent".
        decoder: "recurrent" (LSTMs with Luong attention) or "transformer". Defaults to "recurrent".
        num_encoder_layers: Integer. Defaults to 2.
        num_decoder_layers: Integer. Defaults to 2.
        hidden_dim: Integer d, width of embeddings, states and M. Defaults to 512.
        dropout: Float, dropout rate. Defaults to 0.3.
        attention_score: "general", "dot" or "concat", the score of recurrent decoders; see `LuongAttention`. Defaults
            to "general".
        input_feeding: Boolean, see `AttentiveRecurrentDecoder`. Defaults to True.
        dropout_in_loop: Boolean, see `AttentiveRecurrentDecoder`. Defaults to False.
        bridge_heads: Integer k, or None for no bridge. Without a bridge, the next three arguments and `bridge_bias`
            have no effect, decoders read the encoder's states, and each layer of a recurrent decoder starts from the
            final state of the same layer of the encoder, or from the mean of its states if the encoder is a
            Transformer. Defaults to 10.
        bridge_hidden_dim: Integer dw, inner width of the bridge. Defaults to 1024.
        penalty_weight: Float, weight of the bridge's penalty. Defaults to 1.
        penalty: "root", as in the paper, or "squared"; see `AttentionBridge`. Defaults to "squared".
        bridge_bias: Boolean, whether W1 and W2 of the bridge have biases. Defaults to True.
        tie_output: Boolean, whether the logits use the table of the embeddings. Defaults to False.
        shared_attention: Boolean, whether recurrent decoders share the weights of their attention. With
            `bridge_heads=None`, this is the idea of Firat et al. (2016), with which the paper compares the bridge.
            Defaults to False.
        transformer: Mapping of further arguments of `Transformer` to their values, for Transformer encoders and
            decoders: `num_heads` (defaults to 8), `intermediate_dim` (defaults to 4 d) and any of its mechanisms. With
            a bridge, shortcuts on cross-attention gate M with A E, where A is the bridge's attention and E are the
            embeddings or states of the source, depending on the `source` of the shortcuts.
        use_cudnn: False, or "auto": cuDNN's kernels for recurrent encoders if a GPU is visible. They train faster, but
            XLA cannot compile them. Not part of the configuration: a loaded or exported model does not use them.
            Defaults to False.
        uniform_start: Float above 0. All weights are initially uniform between minus and plus this number, as with
            OpenNMT-py's `-param_init` (0.1 by default). Defaults to None: each layer has its own initializers.
        **kwargs: Further arguments of `keras.Model`: `name`, `trainable`, and `dtype`, the dtype policy of all layers.

    Raises:
        TypeError: An argument is unknown.
        ValueError: A size is not a positive integer, an option is unknown, there is no language, the name of a language
            is invalid, or options contradict each other.

    Example:

    >>> import numpy as np
    >>> model = AttentionBridgeModel({"de": 50, "fr": 60}, hidden_dim=16, bridge_heads=4, bridge_hidden_dim=8)
    >>> source, target_input = np.array([[5, 6, 7, 3]]), np.array([[2, 8, 9]])
    >>> tuple(model.pair("de", "fr")([source, target_input]).shape)
    (1, 3, 60)
    >>> {name: tuple(x.shape) for name, x in model.bridge_outputs("fr")(source).items()}
    {'sentence': (1, 4, 16), 'mean': (1, 16), 'attention': (1, 4, 4)}

    Reference:
        [Vázquez et al., 2020](https://doi.org/10.1162/COLI_a_00377), section 2.2;
        [Firat et al., 2016](https://arxiv.org/abs/1601.01073), for the attention that decoders share.
    """

    @takes_sides
    def __init__(
        self,
        languages: Mapping[str, int],
        *,
        bridge_heads: int | None = 10,
        bridge_hidden_dim: int = 1024,
        penalty_weight: float = 1.0,
        penalty: str = "squared",
        bridge_bias: bool = True,
        shared_attention: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(languages, **kwargs)
        check_positive(bridge_hidden_dim=bridge_hidden_dim)
        # Attention to a bridge has no source positions.
        aligning = {"alignment_head": self.alignment_head, "alignment_layer": self.alignment_layer}
        check_effect(bridge_heads is None, "bridge_heads=None", **aligning)
        check_booleans(bridge_bias=bridge_bias, shared_attention=shared_attention)
        self._bridge_options = {
            "bridge_heads": optional_size("bridge_heads", bridge_heads),
            "bridge_hidden_dim": int(bridge_hidden_dim),
            "penalty_weight": plain_number(penalty_weight),
            "penalty": penalty,
            "bridge_bias": bridge_bias,
            "shared_attention": shared_attention,
        }
        bridge = AttentionBridge(  # made even if it is not used, to check the options
            bridge_heads or 1,
            bridge_hidden_dim,
            penalty_weight=penalty_weight,
            penalty=penalty,
            use_bias=bridge_bias,
            dtype=self._policy,
            name="bridge",
        )
        self.bridge = None if bridge_heads is None else bridge
        if bridge_heads is None:
            self._check_sides_fit()
        self._check_cross_shortcuts()
        self.shared_attention = self._make_shared_attention() if shared_attention else None
        self._sides = _Sides(sources={}, targets={})
        for language, size in languages.items():
            embedding = self._embedding(int(size), name=f"{language}_embedding")
            source_side = self._make_source_side(embedding, f"{language}_")
            target_side = self._make_target_side(embedding, f"{language}_", self.shared_attention)
            self._track(source_side, target_side)
            self._sides.sources[language], self._sides.targets[language] = source_side, target_side
        self._build_all(self.languages)

    def bridge_outputs(self, language: str) -> keras.Model:
        """Returns a model that computes the outputs of the bridge for sentences of a language.

        Args:
            language: String, the language.

        Returns:
            A functional model that maps ids `[B, S]` to a dictionary with "sentence": M `[B, k, d]`; "mean": the mean
            of its k vectors `[B, d]`; and "attention": A `[B, k, S]`, float32.

        Raises:
            ValueError: The language is unknown, or the model has no bridge.
        """
        self._check_languages(language)
        require(self.bridge is not None, "A model without a bridge has no sentence representation", bridge_heads=None)
        bridges = self._views.bridges
        if language not in bridges:
            ids = keras.Input((None,), dtype="int32", name="source")
            sentence, attention, _ = self._bridged(self._sides.sources[language](ids))
            outputs = {"sentence": sentence, "mean": _mean(sentence), "attention": attention}
            bridges[language] = keras.Model(ids, outputs, name=f"{language}_bridge_model")
        return bridges[language]

    @property
    def positions_before_source(self) -> int | None:
        return 0 if self.bridge is None else None

    def _make_shared_attention(self) -> LuongAttention:
        d, score = self._config.hidden_dim, self._config.attention_score
        is_right = self._config.decoder == "recurrent" and score != "dot"
        problem = "`shared_attention` is for recurrent decoders and for scores with weights: 'general' and 'concat'"
        require(is_right, problem, decoder=self._config.decoder, attention_score=score)
        attention = LuongAttention(d, score, dtype="float32", name="shared_attention")
        attention.build((None, None, d), (None, None, d))  # a decoder would build it under the decoder's name
        return attention

    def _bridged(self, memory: dict[str, Any]) -> Any:
        """Returns M `[B, k, d]`, A `[B, k, S]` and the penalties `[B]` of an encoder's states."""
        assert self.bridge is not None
        return self.bridge(memory["states"], mask=memory["mask"], return_attention_scores=True, return_penalty=True)

    def _memory(self, ids: Any, source: str, target: str) -> tuple[dict[str, Any], Any]:
        memory = self._sides.sources[source](ids)
        if self.bridge is None:
            return self._with_initial(memory), None
        sentence, attention, penalties = self._bridged(memory)
        bridged = {"states": sentence, "mask": ops.ones_like(sentence[..., 0], dtype="bool")}
        if "shortcut_states" in memory:
            states = memory["shortcut_states"]  # E, [B, S, d]
            bridged["shortcut_states"] = ops.matmul(ops.cast(attention, states.dtype), states)  # A E, [B, k, d]
        if self._config.decoder == "recurrent":
            bridged["initial"] = _mean(sentence)
        return bridged, penalties

    def _target_side(self, target: str) -> TargetSide:
        return self._sides.targets[target]

    def get_config(self) -> dict[str, Any]:
        return {"languages": self.vocabulary_sizes, **super().get_config(), **self._bridge_options}


class _Sides(Untracked):
    """The encoders and decoders by language. Their layers are attributes of the model, which saves them."""

    sources: dict[str, Any]
    targets: dict[str, Any]


def _mean(sentence: Any) -> Any:
    """Computes the mean of the k vectors of M, `[B, d]`, float32."""
    return ops.mean(ops.cast(sentence, "float32"), axis=1)
