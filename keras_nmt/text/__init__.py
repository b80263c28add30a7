"""Subword models: trained by SentencePiece, run inside TensorFlow graphs; and the reading of text files."""

from keras_nmt.text.lowercase_rules import lowercase_rules
from keras_nmt.text.read_blocks import read_blocks
from keras_nmt.text.subword_tokenizer import SubwordTokenizer
from keras_nmt.text.train_subwords import train_subwords

__all__ = ["SubwordTokenizer", "lowercase_rules", "read_blocks", "train_subwords"]
