"""Keras layers for any backend and any model: the mechanisms, and the Transformer blocks that contain them.

Importing this package imports Keras, but no other package of `keras_nmt` and no TensorFlow by itself.
"""

from keras_nmt.layers._taps import Record, intervening, recording, tap
from keras_nmt.layers.attention_bridge import AttentionBridge
from keras_nmt.layers.attentive_recurrent_decoder import AttentiveRecurrentDecoder
from keras_nmt.layers.bilinear_pooling import BilinearPooling, LinearCombination, LowRankBilinearPooling
from keras_nmt.layers.composition_layer import CompositionLayer
from keras_nmt.layers.dropout import Dropout
from keras_nmt.layers.feed_forward import FeedForward, GatedFeedForward
from keras_nmt.layers.hierarchical_aggregation import HierarchicalAggregation
from keras_nmt.layers.layer_spec import LayerSpec
from keras_nmt.layers.lexical_shortcut import LexicalShortcut
from keras_nmt.layers.luong_attention import LuongAttention
from keras_nmt.layers.mechanisms import Composition, Roles, Shortcuts
from keras_nmt.layers.multi_head_attention import KeyValueProjection, MultiHeadAttention
from keras_nmt.layers.recurrent_encoder import RecurrentEncoder
from keras_nmt.layers.role_assignment import RoleAssignment
from keras_nmt.layers.role_interaction import ContextualizedEmbedding, RoleInteraction
from keras_nmt.layers.rotary_encoding import RotaryEncoding
from keras_nmt.layers.ssru import SSRU
from keras_nmt.layers.transformer_decoder import TransformerDecoder
from keras_nmt.layers.transformer_decoder_layer import TransformerDecoderLayer
from keras_nmt.layers.transformer_encoder import TransformerEncoder
from keras_nmt.layers.transformer_encoder_layer import TransformerEncoderLayer

__all__ = [
    "AttentionBridge",
    "AttentiveRecurrentDecoder",
    "BilinearPooling",
    "Composition",
    "CompositionLayer",
    "ContextualizedEmbedding",
    "Dropout",
    "FeedForward",
    "GatedFeedForward",
    "HierarchicalAggregation",
    "KeyValueProjection",
    "LayerSpec",
    "LexicalShortcut",
    "LinearCombination",
    "LowRankBilinearPooling",
    "LuongAttention",
    "MultiHeadAttention",
    "Record",
    "RecurrentEncoder",
    "RoleAssignment",
    "RoleInteraction",
    "Roles",
    "RotaryEncoding",
    "SSRU",
    "Shortcuts",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "intervening",
    "recording",
    "tap",
]
