"""Analysis of trained models: functions that return numbers with their tables and figures, for any model and text.

A name is imported on first use: importing the package loads no TensorFlow. The page of `keras-nmt demo` is in the
module `keras_nmt.analysis.demo`, which needs the extra `demo`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from keras_nmt.analysis.ablations import Ablations, Change, ablate
    from keras_nmt.analysis.alignments import GoldAlignment, WordAlignment, alignment_error_rate, read_gold_alignments
    from keras_nmt.analysis.bleu_by_length import lengths
    from keras_nmt.analysis.bridges import BridgeAttention, bridge_attention, bridge_entropy, plot_bridge_attention
    from keras_nmt.analysis.contrastive import ContrastItem, contrast, contrast_of_texts, read_contrast
    from keras_nmt.analysis.cuts import Cut
    from keras_nmt.analysis.layer_means import composition, gates, similarity
    from keras_nmt.analysis.lexical_probes import lexical
    from keras_nmt.analysis.measurements import Measurements, ModelComparison, compare, over_seeds
    from keras_nmt.analysis.model_trace import DemoSystem, ModelTrace, SubwordRole, demo_systems, look_inside
    from keras_nmt.analysis.sentence_probes import sentence_vectors
    from keras_nmt.analysis.senteval_scores import senteval
    from keras_nmt.analysis.token_attention import TokenAttention, attention
    from keras_nmt.analysis.token_groups import TaggedSentence, by_frequency, by_tag, read_conllu
    from keras_nmt.analysis.token_roles import Roles, roles
    from keras_nmt.analysis.token_states import HiddenStates, HiddenStatesBatch, hidden_states
    from keras_nmt.analysis.transfer_tasks import read_transfer, transfer
    from keras_nmt.analysis.word_senses import SenseItem, read_senses, senses

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "ablations": ["Ablations", "Change", "ablate"],
        "alignments": ["GoldAlignment", "WordAlignment", "alignment_error_rate", "read_gold_alignments"],
        "bleu_by_length": ["lengths"],
        "bridges": ["BridgeAttention", "bridge_attention", "bridge_entropy", "plot_bridge_attention"],
        "contrastive": ["ContrastItem", "contrast", "contrast_of_texts", "read_contrast"],
        "cuts": ["Cut"],
        "layer_means": ["composition", "gates", "similarity"],
        "lexical_probes": ["lexical"],
        "measurements": ["ModelComparison", "Measurements", "compare", "over_seeds"],
        "model_trace": ["DemoSystem", "ModelTrace", "SubwordRole", "demo_systems", "look_inside"],
        "sentence_probes": ["sentence_vectors"],
        "senteval_scores": ["senteval"],
        "token_attention": ["TokenAttention", "attention"],
        "token_groups": ["TaggedSentence", "by_frequency", "by_tag", "read_conllu"],
        "token_roles": ["Roles", "roles"],
        "token_states": ["HiddenStates", "HiddenStatesBatch", "hidden_states"],
        "transfer_tasks": ["read_transfer", "transfer"],
        "word_senses": ["SenseItem", "read_senses", "senses"],
    },
)

__all__ = [
    "Ablations",
    "BridgeAttention",
    "Change",
    "ContrastItem",
    "Cut",
    "DemoSystem",
    "GoldAlignment",
    "HiddenStates",
    "HiddenStatesBatch",
    "Measurements",
    "ModelComparison",
    "ModelTrace",
    "Roles",
    "SenseItem",
    "SubwordRole",
    "TaggedSentence",
    "TokenAttention",
    "WordAlignment",
    "ablate",
    "alignment_error_rate",
    "attention",
    "bridge_attention",
    "bridge_entropy",
    "by_frequency",
    "by_tag",
    "compare",
    "composition",
    "contrast",
    "contrast_of_texts",
    "demo_systems",
    "gates",
    "hidden_states",
    "lengths",
    "lexical",
    "look_inside",
    "over_seeds",
    "plot_bridge_attention",
    "read_conllu",
    "read_contrast",
    "read_gold_alignments",
    "read_senses",
    "read_transfer",
    "roles",
    "senses",
    "sentence_vectors",
    "senteval",
    "similarity",
    "transfer",
]
