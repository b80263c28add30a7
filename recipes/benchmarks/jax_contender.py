"""keras_nmt on JAX in the benchmark of training."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from contender import BETAS, EPSILON, LABEL_SMOOTHING, LEARNING_RATE, Measured, Work, clock_of, policy_of


class OursOnJax:
    """The update on JAX, which XLA compiles; the batches are tensors before the clock starts."""

    def __init__(self, work: Work) -> None:
        os.environ["KERAS_BACKEND"] = "jax"
        import jax
        import keras
        from jax_update import jax_update

        from keras_nmt.models import Transformer

        keras.utils.set_random_seed(1)
        model = Transformer(work.vocabulary_size, **{**work.sizes, "dropout": work.dropout}, dtype=policy_of(work))
        self.parameters = model.count_params()
        update, self._state = jax_update(
            model, keras.optimizers.Adam(LEARNING_RATE, *BETAS, EPSILON), label_smoothing=LABEL_SMOOTHING
        )
        self._traces = 0

        def counted(*arguments: Any) -> Any:
            self._traces += 1  # Python runs while JAX traces
            return update(*arguments)

        self._update = jax.jit(counted, donate_argnums=0)
        self._wait, self._clock = jax.block_until_ready, clock_of(work)
        with np.load(work.batches) as file:
            arrays = [jax.device_put(file[f"arr_{number}"]) for number in range(len(file.files))]
        self._batches = list(zip(arrays[::3], arrays[1::3], arrays[2::3], strict=True))

    def _run(self, batches: list[Any]) -> None:
        for batch in batches:
            self._state, loss = self._update(self._state, *batch)
        self._wait(loss)

    def train(self, updates: int) -> Measured:
        self._run(self._batches[:1])
        start = self._clock()
        self._run(self._batches[1 : updates + 1])
        return Measured(self._clock() - start, traces=self._traces)
