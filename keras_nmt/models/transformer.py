"""The Transformer translation model, and its named sizes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import keras

from keras_nmt.errors import check_choice, is_integer, nearest
from keras_nmt.layers import Composition, LayerSpec, Roles, Shortcuts
from keras_nmt.layers._common import check_booleans
from keras_nmt.layers._taps import Record
from keras_nmt.models._sides import TransformerSource, TransformerTarget
from keras_nmt.models.factory import TransformerConfig, TransformerFactory
from keras_nmt.models.token_embedding import TokenEmbedding
from keras_nmt.models.translation_model import SearchModels, TranslationModel, attention_layer


def _sizes(
    layers: int | tuple[int, int], hidden_dim: int, num_heads: int, intermediate_dim: int, dropout: float, **more: Any
) -> dict[str, Any]:
    encoder, decoder = layers if isinstance(layers, tuple) else (layers, layers)
    return {
        "num_encoder_layers": encoder,
        "num_decoder_layers": decoder,
        "hidden_dim": hidden_dim,
        "num_heads": num_heads,
        "intermediate_dim": intermediate_dim,
        "dropout": dropout,
        **more,
    }


# Dropout is 0.1 and 0.3 (base and big) as in Vaswani et al., 2017, table 3, and 0.3 for small, whose corpora are small.
TRANSFORMER_PRESETS: dict[str, dict[str, Any]] = {
    "transformer_tiny": _sizes(2, 128, 4, 256, 0.1),
    # Most layers are in the encoder, which runs once. An SSRU needs no keys and values of earlier positions.
    "transformer_student": _sizes((6, 2), 192, 4, 512, 0.1, decoder_self_attention="ssru"),
    "transformer_small": _sizes(3, 256, 4, 512, 0.3),
    "transformer_base_half": _sizes(6, 256, 4, 1024, 0.1),
    "transformer_base": _sizes(6, 512, 8, 2048, 0.1),
    "transformer_big": _sizes(6, 1024, 16, 4096, 0.3),
}


@keras.saving.register_keras_serializable(package="keras_nmt")
class Transformer(TranslationModel):
    """The Transformer for translation, with any combination of lexical shortcuts, composition and roles.

    It is a functional Keras model `(source ids [B, S], target-input ids [B, T]) -> logits [B, T, V]`. See
    `TranslationModel` for the parts that search calls. A `LayerSpec` replaces a named mechanism by a layer of your own;
    see `docs/own_mechanism.md`.

    Args:
        source_vocabulary_size: Integer, number of source subwords, or of all subwords if the vocabulary is joint.
        target_vocabulary_size: Integer V, number of target subwords. Defaults to None: the vocabulary is joint.
        num_encoder_layers: Integer, number of encoder layers. Defaults to 6.
        num_decoder_layers: Integer, number of decoder layers. Defaults to 6.
        hidden_dim: Integer, width d of all states; a multiple of `num_heads`. Defaults to 512.
        num_heads: Integer, number of attention heads. Defaults to 8.
        intermediate_dim: Integer, inner width of the feed-forward networks. Defaults to 2048.
        dropout: Float, dropout rate of embeddings and of each sub-layer's output. Defaults to 0.1.
        attention_dropout: Float, dropout rate of attention weights. Defaults to 0.
        activation_dropout: Float, dropout rate inside the feed-forward networks. Defaults to 0.
        norm: "pre": LayerNorm before the sub-layers and at the end of each stack; "post": LayerNorm after the
            sub-layers; "released": as in the code that Emelin et al. released, see `TransformerEncoderLayer`; "rms":
            `RMSNormalization`; or a `LayerSpec` of a norm. Defaults to "pre".
        norm_position: "pre" or "post", the position of the norms for `norm="rms"` or a `LayerSpec`. Defaults to "pre".
        feed_forward: "relu", "gelu" or "swish": a `FeedForward` with this activation; "swiglu": `GatedFeedForward`,
            which with two thirds of the `intermediate_dim` of "relu" has the same number of weights; or a `LayerSpec`.
            Defaults to "relu".
        positions: "sinusoidal": `PositionalEncoding`, added to embeddings; "rotary": `RotaryEncoding` of queries and
            keys of self-attentions; or a `LayerSpec` of either kind. Defaults to "sinusoidal".
        decoder_self_attention: "attention"; "ssru": an `SSRU` instead of each self-attention of the decoder, so that
            a decoding step takes the same time at every position; or a `LayerSpec` of another causal recurrent layer.
            Defaults to "attention".
        num_key_value_heads: Integer, number of heads of keys and values in all attentions; see `MultiHeadAttention`.
            Defaults to `num_heads`.
        tied_layers: Sequence of "encoder", "decoder" or both, the sides whose layers all share the weights of one layer
            (Dabre and Fujita, 2019). Norms before a composition are not tied. Defaults to none.
        tie_embeddings: Boolean. True: one table for source, target and output if the vocabulary is joint, otherwise one
            for target and output. False: three tables. Defaults to True.
        shortcuts: `Shortcuts`, from the embeddings to keys and values. This and the next three arguments can also be
            only the kind, such as "fusion", or the JSON form, such as `{"kind": "fusion", "sites": ["cross"]}`.
            Defaults to None.
        layer_composition: `Composition` of the states of all layers, which is the output of encoder and decoder. Unless
            layers are post-LN, each state is normalised before the composition, and the result after it. An aggregate
            of "hierarchical" is already normalised, unless it is a residual. Defaults to None: the output is the last
            layer's states.
        head_composition: `Composition` of the heads of attentions, followed by W_O. After "hierarchical", whose
            aggregate is as wide as a head, W_O projects that width to d. Defaults to None: W_O alone.
        roles: `Roles`, on each side. Defaults to None.
        attention_bias: Boolean, whether all projections of attentions have biases. Defaults to False.
        norm_epsilon: Float, the number that norms add to the variance. Defaults to 1e-6.
        scale_embeddings: Boolean, whether embeddings are multiplied by sqrt(d). Defaults to True.
        embedding_norm: Boolean, whether a LayerNorm follows the embeddings with their positions. Defaults to False.
        logits_bias: Boolean, whether each target subword's logit has a bias. Defaults to False.
        source_end: Boolean. False: encoder and decoder do not see the EOS id of the source, for models that were
            trained without it. Defaults to True.
        alignment_head: Integer from 1, a head of `alignment_layer`. Training with alignments teaches this head to align
            words, and `attention` then returns its weights. Defaults to None: `attention` returns the mean over the
            heads.
        alignment_layer: Integer from 1, the decoder layer that aligns words. Defaults to None, for the last but one (or
            the only one).
        **kwargs: Further arguments of `keras.Model`: `name`, `trainable`, and `dtype`, the dtype policy of all layers.

    Raises:
        TypeError: An argument is unknown.
        ValueError: A size is not a positive integer, a rate is out of range, an argument is unknown, or it has no
            effect without another one that is missing.

    Example:

    >>> import numpy as np
    >>> model = Transformer.from_preset("transformer_tiny", source_vocabulary_size=100, shortcuts="fusion")
    >>> source, target_input = np.array([[5, 6, 7, 3]]), np.array([[2, 8, 9]])
    >>> tuple(model([source, target_input]).shape)
    (1, 3, 100)

    Reference:
        [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762);
        [Emelin et al., 2019](https://arxiv.org/abs/1906.12284), Eq. 5 to 14 and section 4.2;
        [Li et al., 2020](https://arxiv.org/abs/1911.09877), Eq. 4 to 11;
        [Kim et al., 2019](https://aclanthology.org/D19-5632/), for the SSRU;
        [Dabre and Fujita, 2019](https://arxiv.org/abs/1807.05353), for tied layers;
        Weissenborn et al., [Contextualized Role Interaction for Neural Machine
        Translation](https://openreview.net/forum?id=ryx3_iAcY7), submitted to ICLR 2019, section 3.
    """

    def __init__(
        self,
        source_vocabulary_size: int,
        target_vocabulary_size: int | None = None,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        hidden_dim: int = 512,
        num_heads: int = 8,
        intermediate_dim: int = 2048,
        dropout: float = 0.1,
        *,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        norm: str | LayerSpec = "pre",
        norm_position: str = "pre",
        feed_forward: str | LayerSpec = "relu",
        positions: str | LayerSpec = "sinusoidal",
        decoder_self_attention: str | LayerSpec = "attention",
        num_key_value_heads: int | None = None,
        tied_layers: str | Sequence[str] = (),
        tie_embeddings: bool = True,
        shortcuts: Shortcuts | LayerSpec | str | Mapping[str, Any] | None = None,
        layer_composition: Composition | LayerSpec | str | Mapping[str, Any] | None = None,
        head_composition: Composition | LayerSpec | str | Mapping[str, Any] | None = None,
        roles: Roles | LayerSpec | str | Mapping[str, Any] | None = None,
        attention_bias: bool = False,
        norm_epsilon: float = 1e-6,
        scale_embeddings: bool = True,
        embedding_norm: bool = False,
        logits_bias: bool = False,
        source_end: bool = True,
        alignment_head: int | None = None,
        alignment_layer: int | None = None,
        **kwargs: Any,
    ) -> None:
        config = TransformerConfig(
            num_heads=num_heads,
            hidden_dim=hidden_dim,
            intermediate_dim=intermediate_dim,
            dropout=dropout,
            attention_dropout=attention_dropout,
            activation_dropout=activation_dropout,
            norm=norm,
            norm_position=norm_position,
            feed_forward=feed_forward,
            positions=positions,
            decoder_self_attention=decoder_self_attention,
            num_key_value_heads=num_key_value_heads,
            tied_layers=tied_layers,
            shortcuts=Shortcuts.of("shortcuts", shortcuts),
            layer_composition=Composition.of("layer_composition", layer_composition),
            head_composition=Composition.of("head_composition", head_composition),
            roles=Roles.of("roles", roles),
            attention_bias=attention_bias,
            norm_epsilon=norm_epsilon,
            scale_embeddings=scale_embeddings,
            embedding_norm=embedding_norm,
            logits_bias=logits_bias,
            source_end=source_end,
            alignment_head=alignment_head,
            alignment_layer=alignment_layer,
        )
        check_booleans(tie_embeddings=tie_embeddings)
        if unknown := sorted(set(kwargs) - {"name", "trainable", "dtype"}):
            suggestion = nearest(unknown, inspect.signature(Transformer).parameters) or "its docstring lists them"
            raise TypeError(f"Unknown arguments of `Transformer`; {suggestion}. Received: {', '.join(unknown)}")
        policy = keras.dtype_policies.get(kwargs.pop("dtype", None) or keras.config.dtype_policy())
        for name, size in (
            ("source_vocabulary_size", source_vocabulary_size),
            ("target_vocabulary_size", target_vocabulary_size),
        ):
            if size is None and name == "target_vocabulary_size":  # joint
                continue
            if not is_integer(size) or size < 5:
                raise ValueError(f"`{name}` must be an integer above 4, the reserved ids. Received: {name}={size!r}")
        source_vocabulary_size = int(source_vocabulary_size)
        target_vocabulary_size = None if target_vocabulary_size is None else int(target_vocabulary_size)
        factory, hidden_dim = TransformerFactory(config, policy), config.hidden_dim
        encoder, decoder = factory.encoder(num_encoder_layers), factory.decoder(num_decoder_layers)
        joint = target_vocabulary_size is None
        if joint and tie_embeddings:
            source_embedding = target_embedding = TokenEmbedding(
                source_vocabulary_size, hidden_dim, True, scale_embeddings, logits_bias, dtype=policy, name="embedding"
            )
        else:
            source_embedding = TokenEmbedding(
                source_vocabulary_size, hidden_dim, scale=scale_embeddings, dtype=policy, name="source_embedding"
            )
            target_embedding = TokenEmbedding(
                target_vocabulary_size or source_vocabulary_size,
                hidden_dim,
                tie_embeddings,
                scale_embeddings,
                logits_bias,
                dtype=policy,
                name="target_embedding",
            )
        source_side = TransformerSource(factory, source_embedding, encoder)
        target_side = TransformerTarget(factory, target_embedding, decoder)

        source = keras.Input((None,), dtype="int32", name="source")
        target_input = keras.Input((None,), dtype="int32", name="target_input")
        memory = source_side(source)
        super().__init__(inputs=[source, target_input], outputs=target_side.logits(target_input, memory), **kwargs)

        self.source_vocabulary_size = source_vocabulary_size
        self.target_vocabulary_size = target_vocabulary_size or source_vocabulary_size
        self.alignment_head, self.alignment_layer = config.alignment_head, config.alignment_layer
        self.source_side, self.target_side = source_side, target_side
        self._config = {
            "source_vocabulary_size": source_vocabulary_size,
            "target_vocabulary_size": target_vocabulary_size,
            "num_encoder_layers": int(num_encoder_layers),
            "num_decoder_layers": int(num_decoder_layers),
            "tie_embeddings": tie_embeddings,
            **config.as_json(),
            "dtype": policy.name,
        }
        self._search = SearchModels(keras.Model(source, memory, name="encoder_model"), target_side, policy)

    def recorded_alignment(self, records: Sequence[Record]) -> Any:
        """Returns the attention of `alignment_head`, `[B, T, S]`, from a call of this model inside `recording`.

        Args:
            records: Sequence of the records of the call.

        Raises:
            ValueError: The model has no `alignment_head`, or its attention does not record its weights.
        """
        if self.alignment_head is None:
            raise ValueError("The model must have an `alignment_head` to align words. Received: alignment_head=None")
        side: Any = self._search.step.side
        # In the order of the calls: a tied layer records its attention once for each of its depths.
        attentions = [layer.cross_attention for layer in side.stack.layers]
        recorded = [x.value for x in records if x.name == "attention" and any(x.layer is one for one in attentions)]
        if len(recorded) != len(attentions):
            raise ValueError(
                f"The attention must record its weights. Received: {type(attentions[-1]).__name__}, "
                f"{len(recorded)} records of {len(attentions)} layers"
            )
        weights = recorded[attention_layer(self.alignment_layer, len(attentions)) - 1]  # [B, H, T, S]
        return weights[:, self.alignment_head - 1]

    @classmethod
    def from_preset(cls, preset: str, **overrides: Any) -> Transformer:
        """Makes a model with the sizes of a preset.

        Args:
            preset: String, "transformer_tiny", "transformer_student", "transformer_small", "transformer_base_half",
                "transformer_base" or "transformer_big".
            **overrides: Constructor arguments, which override the preset. Must include `source_vocabulary_size`.

        Returns:
            A `Transformer` with initial weights.

        Raises:
            ValueError: The preset is unknown.
        """
        check_choice("preset", preset, TRANSFORMER_PRESETS)
        return cls(**{**TRANSFORMER_PRESETS[preset], **overrides})

    def get_config(self) -> dict[str, Any]:
        return {**self._config, "name": self.name, "trainable": self.trainable}
