from .ablations import Ablations, Change, ablate
from .alignments import GoldAlignment, WordAlignment, alignment_error_rate, read_gold_alignments
from .bleu_by_length import lengths
from .bridges import BridgeAttention, bridge_attention, bridge_entropy, plot_bridge_attention
from .contrastive import ContrastItem, contrast, contrast_of_texts, read_contrast
from .cuts import Cut
from .layer_means import composition, gates, similarity
from .lexical_probes import lexical
from .measurements import Measurements, ModelComparison, compare, over_seeds
from .model_trace import DemoSystem, ModelTrace, SubwordRole, demo_systems, look_inside
from .sentence_probes import sentence_vectors
from .senteval_scores import senteval
from .token_attention import TokenAttention, attention
from .token_groups import TaggedSentence, by_frequency, by_tag, read_conllu
from .token_roles import Roles, roles
from .token_states import HiddenStates, HiddenStatesBatch, hidden_states
from .transfer_tasks import read_transfer, transfer
from .word_senses import SenseItem, read_senses, senses

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
