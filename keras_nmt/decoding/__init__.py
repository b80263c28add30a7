"""Search over any step function: beam, greedy and sampling, static shapes, with or without XLA."""

from keras_nmt.decoding.beam_search import beam_search
from keras_nmt.decoding.decoder_step import DecoderStep
from keras_nmt.decoding.greedy_search import greedy_search
from keras_nmt.decoding.length_penalty import length_penalty
from keras_nmt.decoding.rerank_by_coverage import rerank_by_coverage
from keras_nmt.decoding.sampling_search import sampling_search
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.decoding.sequence_log_probability import sequence_log_probability
from keras_nmt.decoding.shift_right import shift_right

__all__ = [
    "DecoderStep",
    "SearchResult",
    "beam_search",
    "greedy_search",
    "length_penalty",
    "rerank_by_coverage",
    "sampling_search",
    "sequence_log_probability",
    "shift_right",
]
