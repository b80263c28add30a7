"""Subword models, trained by SentencePiece and run inside TensorFlow graphs."""

from keras_nmt.text.normalization_rules import normalization_rules
from keras_nmt.text.subword_tokenizer import SubwordTokenizer
from keras_nmt.text.train_subwords import train_subwords

__all__ = ["SubwordTokenizer", "normalization_rules", "train_subwords"]
