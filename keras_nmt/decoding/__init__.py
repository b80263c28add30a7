"""Search over any step function: beam and greedy, static shapes, with or without XLA."""

from keras_nmt.decoding.beam_search import beam_search
from keras_nmt.decoding.decoder_step import DecoderStep
from keras_nmt.decoding.greedy_search import greedy_search
from keras_nmt.decoding.length_penalty import length_penalty
from keras_nmt.decoding.search_result import SearchResult
from keras_nmt.decoding.sequence_log_probability import sequence_log_probability
from keras_nmt.decoding.shift_right import shift_right

__all__ = [
    "DecoderStep",
    "SearchResult",
    "beam_search",
    "greedy_search",
    "length_penalty",
    "sequence_log_probability",
    "shift_right",
]
