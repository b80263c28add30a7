"""Training and decoding of a model on JAX."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np
from jax_multiply_adds import jax_multiply_adds
from jax_search import jax_search
from jax_update import jax_update
from overhead_sizes import FIRST_WORD, Sizes

from keras_nmt.models import Transformer


class JaxWork:
    """`TensorFlowWork` on JAX: training is compiled, too. The first measurement compiles."""

    def __init__(self, model: Transformer, sizes: Sizes) -> None:
        self._vocabulary_size = model.source_vocabulary_size
        update, self._state = jax_update(model, keras.optimizers.Adam(1e-4), label_smoothing=0.1)
        search, self._weights = jax_search(model, sizes.beam, sizes.steps)
        self._batch = [self._words(sizes.batch, sizes.length)] * 3
        self._source = self._words(sizes.sentences, sizes.length)
        self._traced = {
            "training": jax.jit(update, donate_argnums=0).trace(self._state, *self._batch),
            "decoding": jax.jit(search).trace(self._weights, self._source),
        }
        self._compiled: dict[str, Any] = {}
        self.operations = {name: jax_multiply_adds(traced.jaxpr, sizes.steps) for name, traced in self._traced.items()}

    def measure(self, what: str, clock: Callable[[], float] = time.perf_counter) -> float:
        """Runs training or decoding once and returns the seconds."""
        if what not in self._compiled:
            self._compiled[what] = self._traced[what].lower().compile()
        start = clock()
        if what == "training":
            self._state, result = self._compiled[what](self._state, *self._batch)
        else:
            result = self._compiled[what](self._weights, self._source)
        jax.block_until_ready(result)
        return clock() - start

    def _words(self, *shape: int) -> Any:
        random = np.random.default_rng(1)
        return jax.numpy.asarray(random.integers(FIRST_WORD, self._vocabulary_size, shape), "int32")
