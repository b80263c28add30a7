"""Analysis of trained models: functions that return numbers, and figures of the numbers."""

from keras_nmt.analysis.bridge_attention import BridgeAttention, bridge_attention
from keras_nmt.analysis.bridge_entropy import BridgeEntropy, bridge_entropy
from keras_nmt.analysis.plot_bridge_attention import plot_bridge_attention
from keras_nmt.analysis.plot_bridge_entropy import plot_bridge_entropy

__all__ = [
    "BridgeAttention",
    "BridgeEntropy",
    "bridge_attention",
    "bridge_entropy",
    "plot_bridge_attention",
    "plot_bridge_entropy",
]
