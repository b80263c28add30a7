"""Text files, subword models, parallel corpora, and batches for training by `tf.data`.

Names that need NumPy or TensorFlow are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

from keras_nmt.text.normalization import normalization_rules
from keras_nmt.text.text_files import read_line_pairs, read_lines, text_digest

if TYPE_CHECKING:
    from keras_nmt.data.extend_subwords import extend_subwords
    from keras_nmt.data.parallel_corpus import ParallelCorpus, read_parallel
    from keras_nmt.data.prepared_corpus import PreparedCorpus, write_prepared
    from keras_nmt.data.source_noise import SourceNoise
    from keras_nmt.data.subword_models import train_subwords
    from keras_nmt.data.subword_sampling import SubwordSampling
    from keras_nmt.data.subword_tokenizer import SubwordTokenizer
    from keras_nmt.data.training_batches import TrainingBatches

__getattr__, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "extend_subwords": ["extend_subwords"],
        "parallel_corpus": ["ParallelCorpus", "read_parallel"],
        "prepared_corpus": ["PreparedCorpus", "write_prepared"],
        "source_noise": ["SourceNoise"],
        "subword_models": ["train_subwords"],
        "subword_sampling": ["SubwordSampling"],
        "subword_tokenizer": ["SubwordTokenizer"],
        "training_batches": ["TrainingBatches"],
    },
)

__all__ = [
    "ParallelCorpus",
    "PreparedCorpus",
    "SourceNoise",
    "SubwordSampling",
    "SubwordTokenizer",
    "TrainingBatches",
    "extend_subwords",
    "normalization_rules",
    "read_line_pairs",
    "read_lines",
    "read_parallel",
    "text_digest",
    "train_subwords",
    "write_prepared",
]


def __dir__() -> list[str]:
    return sorted(__all__)
