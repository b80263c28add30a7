"""The settings of the papers: settings of `ExperimentConfig` and configurations of `Recipe` that several recipes share.

A comment names the section, table or equation of the paper. "Ours" marks settings that a paper leaves open.
"""

from __future__ import annotations

from typing import Any

from keras_nmt.files.settings import merge_arguments

Settings = dict[str, Any]

# Gated lexical shortcuts: Emelin et al., 2019, https://arxiv.org/abs/1906.12284, appendix A.
SHORTCUTS: Settings = {
    "preset": "transformer_base",  # A.1; one table for source, target and output is the model's default
    # Ours. The authors' release has a norm in front of each sub-layer, too, but adds the normalised states to the
    # sub-layer's output, and makes keys and values of states that are not normalised: RELEASED.
    "model": {"norm": "pre"},
    "batch_size": 25_000,  # A.1
    "schedule": "noam",  # A.1, as Vaswani et al., 2017
    "warmup_steps": 4000,  # A.1
    "label_smoothing": 0.1,  # as Vaswani et al., 2017, like the optimizer, dropout and the search: the paper is silent
    "max_updates": 150_000,  # A.1
    "evaluation.every": 4000,  # A.1; checkpoints too
    "keep_last": 5,  # A.1
    "final_weights": "average_last",
    "beam_size": 4,
    "length_penalty": 0.6,
}
# 32,000 merges, of which, and the characters, the paper's numbers of parameters give 41,138 subwords.
SHORTCUTS_WMT14: Settings = {**SHORTCUTS, "vocabulary_size": 41_138}
SHORTCUTS_BIG: Settings = {  # differences from the base model, A.1
    "preset": "transformer_big",
    "warmup_steps": 16_000,
    "max_updates": 300_000,
    "keep_last": 16,
}
# More parameters, longer warm-up (A.1). The ablations of section 4 change fusion, and keep its warm-up (ours).
PLAIN: Settings = {"warmup_steps": 6000, "model": {"shortcuts": "plain"}}
FUSION: Settings = {"warmup_steps": 8000, "model": {"shortcuts": "fusion"}}
RELEASED: Settings = {"model": {"norm": "released"}}  # joined to another configuration
SHORTCUT_KINDS: dict[str, Settings] = {"baseline": {}, "plain": PLAIN, "fusion": FUSION}  # the rows of table 2

# Representation composition by neuron interaction: Li et al., 2020, https://arxiv.org/abs/1911.09877, "Setup".
# It follows Vaswani et al., 2017, "to set the configurations": settings marked (V) are from there.
COMPOSITION: Settings = {
    "preset": "transformer_base",
    "model": {"norm": "post"},  # (V)
    "vocabulary_size": 32_000,  # 32K merges; the subwords here include the characters
    "batch_size": 8 * 4096,  # eight GPUs
    "schedule": "noam",  # (V)
    "warmup_steps": 4000,  # (V)
    "label_smoothing": 0.1,  # (V)
    "max_updates": 100_000,  # (V); of the Transformer, and again of each model that starts from it (ours)
    "evaluation.every": 2000,  # ours
    "keep_last": 5,  # (V)
    "final_weights": "average_last",
    "beam_size": 4,  # (V)
    "length_penalty": 0.6,  # (V)
}
COMPOSITION_BIG: Settings = {"preset": "transformer_big", "max_updates": 300_000, "keep_last": 20}  # all (V)

OUTPUT = "*_attention/output/kernel"  # W_O


def composed(model: Settings, base: str = "baseline") -> Settings:
    """A configuration that starts from the trained Transformer, as the paper does."""
    objects = merge_arguments(model, {"layer_composition": {}, "head_composition": {}})
    layers, heads = objects["layer_composition"], objects["head_composition"]
    new = ["*/layer_composition*", "*/head_composition/*"]  # with the norms of pre-LN
    # An aggregate of heads is d / H wide, so the projection after it is new; one of layers is normalised already.
    new += [OUTPUT] if _is_plain_tree(heads) else []
    unused = ["*/final_norm/*"] if _is_plain_tree(layers) else []
    unused += [] if heads.get("output_projection", True) else [OUTPUT]
    return {"start_from": base, "allow_missing": new, **({"ignore_extra": unused} if unused else {}), "model": model}


def _is_plain_tree(composition: Settings) -> bool:
    return composition.get("kind") == "hierarchical" and not composition.get("residual")


def with_identity_start(compositions: dict[str, Settings]) -> dict[str, Settings]:
    """The arguments of composed models by name, and beside each NAME the arm NAME_identity.

    The paper's models start with fresh weights beside those of the trained Transformer. The arm NAME_identity computes
    at first what the trained Transformer computes, by a residual path: all kinds, ranks and orders have it, also those
    whose equation could start so without it, because a model with the path learns faster. Without W_O, there is no such
    arm.
    """
    arms = {
        f"{name}_identity": merge_arguments(model, {part: {"start": "identity", "residual": True} for part in model})
        for name, model in compositions.items()
        if "without_output" not in name
    }
    return {**compositions, **arms}


# Role interaction: Weissenborn et al., "Contextualized Role Interaction for Neural Machine Translation", submitted to
# ICLR 2019, https://openreview.net/forum?id=ryx3_iAcY7, section 4. Dropout 0.3 is the role vector's, too, as is the
# model's default.
ROLES: Settings = {
    "model": {"dropout": 0.3, "norm": "post"},  # norm: as Vaswani et al., 2017, to which the paper refers
    "schedule": "inverse_square_root",
    "warmup_steps": 4000,
    "label_smoothing": 0.1,
    "final_weights": "average_last",  # ours
    "beam_size": 4,
    "length_penalty": 0.6,  # ours
}
ROLES_SMALL: Settings = {
    **ROLES,
    "preset": "transformer_small",
    "vocabulary_size": 10_000,
    "learning_rate": 1e-3,
    "batch_size": 4000,
    "max_updates": 50_000,  # ours
}
ROLES_WMT: Settings = {**ROLES, "vocabulary_size": 40_000, "learning_rate": 5e-4}
ROLES_BASE: Settings = {
    **ROLES_WMT,
    "preset": "transformer_base",
    "batch_size": 20_000,
    "max_updates": 100_000,  # ours
    "evaluation.every": 2000,  # ours
}
ROLES_BIG: Settings = {
    **ROLES_WMT,
    "preset": "transformer_big",
    "batch_size": 400_000,
    "accumulation_steps": 32,  # 12,500 tokens at once on one GPU; the outcome does not depend on it
    "max_updates": 30_000,  # ours
}


def role_model(
    roles: str, num_roles: int, residual: bool = True, context: str = "lstm", low_rank: bool = False
) -> Settings:
    """The arguments of `Transformer` for one cell of the role paper's tables."""
    arguments = {"num_roles": num_roles, "residual": residual, "context": context, "low_rank": low_rank}
    return {"roles": {"kind": roles, **arguments}}


def one_hot_from(softmax: str, settings: Settings, learning_rate: float) -> Settings:
    """The configuration that goes on from a softmax configuration with one role a token (section 4, last paragraph).

    The constant learning rate of the paper is 2e-4 (small) or 1e-4.
    """
    model = merge_arguments(settings["model"], {"roles": {}})
    return {
        **softmax_continued(softmax, settings, learning_rate),
        # Section 4: dropout is the role vector's.
        "model": {**model, "roles": {**model["roles"], "kind": "one_hot", "dropout_on": "vector"}},
        "allow_missing": ["*/temperature"],
    }


def softmax_continued(softmax: str, settings: Settings, learning_rate: float) -> Settings:
    """The control of `one_hot_from`: the softmax configuration, trained for as long in the same way."""
    return {
        "model": settings["model"],
        "start_from": softmax,
        "schedule": "constant",
        "learning_rate": learning_rate,
        "warmup_steps": 0,
        "max_updates": 10_000,  # ours; the temperature of one-hot roles is at its floor after 4,605
    }


# The rows of the paper's table 2, and the model of its tables 3 and 5.
ROLES_OF_WMT: dict[str, Settings] = {
    "baseline": {},
    "matched": {"matched_to": "dense"},
    "dense": {"model": role_model("dense", 32, residual=False)},
    "softmax": {"model": role_model("softmax", 32, residual=False)},
    "dense_residual": {"model": role_model("dense", 32)},
    "softmax_residual": {"model": role_model("softmax", 32)},
}
SOFTMAX_OF_WMT = ("softmax_residual", ROLES_OF_WMT["softmax_residual"], 1e-4)
ROLES_OF_WMT["one_hot_residual"] = one_hot_from(*SOFTMAX_OF_WMT)
ROLES_OF_WMT["softmax_residual_continued"] = softmax_continued(*SOFTMAX_OF_WMT)  # not in the paper

# Attention bridge: Vázquez et al., 2020, https://doi.org/10.1162/COLI_a_00377, section 3.1. The toolkit is a fork of
# OpenNMT-py: (O) is the toolkit's default of that time, where the paper is silent.
ATTENTION_BRIDGE: Settings = {
    "system": "many_to_many",
    "vocabulary_size": 10_000,  # merges a language; the subwords here include the characters
    "lowercase": True,
    "model": {
        "architecture": "attention_bridge",
        "hidden_dim": 512,  # embeddings, both directions of the encoder, decoder
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dropout": 0.3,  # (O); of embeddings, too (ours)
        "dropout_in_loop": True,  # (O)
        "uniform_start": 0.1,  # (O)
        "attention_score": "general",  # (O)
        "bridge_heads": 10,
        "bridge_hidden_dim": 1024,
        "penalty": "root",  # Eq. 10
    },
    "optimizer": "sgd",
    "schedule": "constant",  # ours: (O) halves the rate every 10,000 updates after 50,000
    "learning_rate": 1.0,
    "batch_size": 64,
    "batch_unit": "sentences",
    "normalize_by": "sentences",  # (O), and the unit of the bridge's penalty
    "label_smoothing": 0.0,  # (O)
    "clip": 5.0,  # (O)
    "max_length": 100,  # ours
    "keep_last": 1,
    "final_weights": "best",  # on the development data
    "beam_size": 5,  # (O)
    "length_penalty": 0.0,  # (O)
}
# The systems of tables 1 to 3, and changes that are joined to them by "+", such as hub+no_bridge+k1.
ATTENTION_BRIDGE_CONFIGURATIONS: dict[str, Settings] = {
    "bilingual": {"system": "bilingual"},
    "hub": {"system": "hub"},
    "many_to_many": {},
    "autoencoding": {"autoencoding": True},
    "no_bridge": {"model": {"bridge_heads": None}},
    "no_penalty": {"model": {"penalty_weight": 0.0}},
    "squared_penalty": {"model": {"penalty": "squared"}},  # not the paper's: Lin et al., 2017, Eq. 8
    "shared_attention": {"model": {"shared_attention": True}},
    "label": {"model": {"architecture": "language_label"}, "vocabulary_size": 40_000},  # Johnson et al., 2017
    **{f"k{k}": {"model": {"bridge_heads": k}} for k in (1, 10, 25, 50)},  # section 3.2
}
# For two cores: Transformer encoders and decoders, Adam. All of it ours.
ATTENTION_BRIDGE_SMALL: Settings = {
    "vocabulary_size": 4000,
    "model": {
        "encoder": "transformer",
        "decoder": "transformer",
        "hidden_dim": 256,
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dropout": 0.1,
        "dropout_in_loop": False,
        "uniform_start": None,
        "tie_output": True,
        "transformer": {"num_heads": 4, "intermediate_dim": 512},
    },
    "optimizer": "adam",
    "schedule": "cosine",
    "learning_rate": 0.001,
    "warmup_steps": 400,
    "batch_size": 1536,
    "batch_unit": "tokens",
    "label_smoothing": 0.1,
    "clip": None,
    "dev_sentences": 200,
    "keep_last": 5,
    "final_weights": "last",
    "beam_size": 4,
    "length_penalty": 0.6,
}
# Smaller, for three seeds in hours. All of it ours; so are the rates.
ATTENTION_BRIDGE_TINY: Settings = {
    **ATTENTION_BRIDGE_SMALL,
    "vocabulary_size": 2000,
    "model": merge_arguments(
        ATTENTION_BRIDGE_SMALL["model"],
        {"hidden_dim": 128, "bridge_hidden_dim": 256, "transformer": {"intermediate_dim": 256}},
    ),
    "schedule": "inverse_square_root",
    "learning_rate": 0.0026,
    "warmup_steps": 300,
}
# The same sizes for the language label, which has no bridge.
LANGUAGE_LABEL_TINY: Settings = {
    **ATTENTION_BRIDGE_TINY,
    "model": {
        **{name: value for name, value in ATTENTION_BRIDGE_TINY["model"].items() if name != "bridge_hidden_dim"},
        "architecture": "language_label",
    },
}
# Section 3.2.1.
ATTENTION_BRIDGE_EUROPARL: Settings = {
    "vocabulary_size": 32_000,  # merges a language; the subwords here include the characters
    "optimizer": "adam",
    "beta_2": 0.999,  # Kingma and Ba, 2015, to whom the paper refers
    "epsilon": 1e-8,  # the same
    "learning_rate": 0.0004,
    "batch_size": 256,
}
