"""Analysis of trained models: functions that return numbers with their tables and figures, for any model and text."""

from keras_nmt.analysis._insides_html import Insides, SubwordRole
from keras_nmt.analysis.alignment_error_rate import GoldAlignment, alignment_error_rate, read_gold_alignments
from keras_nmt.analysis.bridge_attention import BridgeAttention, bridge_attention
from keras_nmt.analysis.bridge_entropy import bridge_entropy
from keras_nmt.analysis.composition import composition
from keras_nmt.analysis.contrast import ContrastItem, contrast, contrast_of_texts, read_contrast
from keras_nmt.analysis.gates import gates
from keras_nmt.analysis.hidden_states import HiddenStates, HiddenStatesBatch, hidden_states
from keras_nmt.analysis.lengths import lengths
from keras_nmt.analysis.lexical import lexical
from keras_nmt.analysis.look_inside import look_inside
from keras_nmt.analysis.measurements import Comparison, Measurements, compare, over_seeds
from keras_nmt.analysis.plot_bridge_attention import plot_bridge_attention
from keras_nmt.analysis.roles import Roles, roles
from keras_nmt.analysis.senses import SenseItem, read_senses, senses
from keras_nmt.analysis.sentence_vectors import sentence_vectors
from keras_nmt.analysis.senteval import senteval
from keras_nmt.analysis.similarity import similarity
from keras_nmt.analysis.token_groups import TaggedSentence, by_frequency, by_tag, read_conllu
from keras_nmt.analysis.transfer import read_transfer, transfer
from keras_nmt.analysis.word_alignment import WordAlignment

__all__ = [
    "BridgeAttention",
    "Comparison",
    "ContrastItem",
    "GoldAlignment",
    "HiddenStates",
    "HiddenStatesBatch",
    "Insides",
    "Measurements",
    "Roles",
    "SenseItem",
    "SubwordRole",
    "TaggedSentence",
    "WordAlignment",
    "alignment_error_rate",
    "bridge_attention",
    "bridge_entropy",
    "by_frequency",
    "by_tag",
    "compare",
    "composition",
    "contrast",
    "contrast_of_texts",
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
    "senteval",
    "sentence_vectors",
    "similarity",
    "transfer",
]
