"""Parallel text: reading, subword ids, and batches for training by `tf.data`."""

from keras_nmt.data.parallel_corpus import ParallelCorpus
from keras_nmt.data.prepared_corpus import PreparedCorpus
from keras_nmt.data.read_parallel import read_parallel
from keras_nmt.data.subword_sampling import SubwordSampling
from keras_nmt.data.text_digest import text_digest
from keras_nmt.data.training_batches import TrainingBatches
from keras_nmt.data.write_prepared import write_prepared
from keras_nmt.files.read_line_pairs import read_line_pairs
from keras_nmt.files.read_lines import read_lines

__all__ = [
    "ParallelCorpus",
    "PreparedCorpus",
    "SubwordSampling",
    "TrainingBatches",
    "read_line_pairs",
    "read_lines",
    "read_parallel",
    "text_digest",
    "write_prepared",
]
