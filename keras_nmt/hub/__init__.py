"""Trained models as tasks of keras_hub: `from_preset`, `fit` on text, `generate`, `save_to_preset`.

Import this package before `from_preset` of keras_hub loads a preset of it, which registers the classes.
"""

from keras_nmt.hub.backbone import TranslationBackbone
from keras_nmt.hub.preprocessor import TranslationSeq2SeqLMPreprocessor
from keras_nmt.hub.sampler import BeamSampler
from keras_nmt.hub.task import TranslationSeq2SeqLM
from keras_nmt.hub.tokenizer import TranslationTokenizer

__all__ = [
    "BeamSampler",
    "TranslationBackbone",
    "TranslationSeq2SeqLM",
    "TranslationSeq2SeqLMPreprocessor",
    "TranslationTokenizer",
]
