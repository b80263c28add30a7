"""Beam search, greedy search and sampling over any step function, with static shapes, with or without XLA."""

from keras_nmt.decoding.beam_search import beam_search
from keras_nmt.decoding.greedy_and_sampling import greedy_search, sampling_search
from keras_nmt.decoding.logit_processors import (
    BiasedPrefix,
    FixedMask,
    LogitProcessor,
    MinLength,
    NoRepeatNGram,
    RepetitionPenalty,
    Step,
    SuppressSequences,
    SuppressTokens,
    Temperature,
    TokenMask,
    TopP,
)
from keras_nmt.decoding.scores import NEG_INF, length_penalty, rerank_by_coverage, shift_right, token_log_probabilities
from keras_nmt.decoding.search_loop import DecoderStep, SearchResult

__all__ = [
    "NEG_INF",
    "BiasedPrefix",
    "DecoderStep",
    "FixedMask",
    "LogitProcessor",
    "MinLength",
    "NoRepeatNGram",
    "RepetitionPenalty",
    "SearchResult",
    "Step",
    "SuppressSequences",
    "SuppressTokens",
    "Temperature",
    "TokenMask",
    "TopP",
    "beam_search",
    "greedy_search",
    "length_penalty",
    "rerank_by_coverage",
    "sampling_search",
    "shift_right",
    "token_log_probabilities",
]
