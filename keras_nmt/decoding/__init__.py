"""Beam search, greedy search and sampling over any step function, with static shapes, with or without XLA."""

from keras_nmt.decoding.beam_search import beam_search
from keras_nmt.decoding.greedy_search import greedy_search
from keras_nmt.decoding.interface import DecoderStep, SearchResult
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
from keras_nmt.decoding.logits import NEG_INF
from keras_nmt.decoding.rerank_by_coverage import rerank_by_coverage
from keras_nmt.decoding.sampling_search import sampling_search
from keras_nmt.decoding.scores import (
    length_penalty,
    sequence_log_probability,
    shift_right,
    token_log_probabilities,
)

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
    "sequence_log_probability",
    "shift_right",
    "token_log_probabilities",
]
