"""Translation models built from the layers, and the directories of trained models."""

from keras_nmt.models.adapters import LowRank, add_adapter, merge_adapter
from keras_nmt.models.attention_bridge_model import AttentionBridgeModel
from keras_nmt.models.ensemble import Ensemble
from keras_nmt.models.inner_layers import inner_layers
from keras_nmt.models.language_label_model import LanguageLabelModel
from keras_nmt.models.model_directory import ModelDirectory
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.parameter_counts import MatchedWidth, count_parameters, matched_width
from keras_nmt.models.positional_encoding import LearnedPositions, PositionalEncoding
from keras_nmt.models.quantize import quantize
from keras_nmt.models.transformer import Transformer
from keras_nmt.models.translation_model import TranslationModel

__all__ = [
    "AttentionBridgeModel",
    "Ensemble",
    "LanguageLabelModel",
    "LearnedPositions",
    "LowRank",
    "MatchedWidth",
    "ModelDirectory",
    "MultilingualModel",
    "PositionalEncoding",
    "Transformer",
    "TranslationModel",
    "add_adapter",
    "count_parameters",
    "inner_layers",
    "matched_width",
    "merge_adapter",
    "quantize",
]
