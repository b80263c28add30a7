"""Training and decoding of a model on TensorFlow."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from multiply_adds import multiply_adds
from overhead_sizes import FIRST_WORD, Sizes

from keras_nmt.decoding import beam_search
from keras_nmt.ids import BEGIN, END, PAD
from keras_nmt.models import Transformer
from keras_nmt.training import Budget, Trainer, make_optimizer


class TensorFlowWork:
    """Training and decoding of one model: `measure` runs either, `operations` has the multiply-adds of both."""

    def __init__(self, model: Transformer, sizes: Sizes) -> None:
        self.model = model
        self.operations: dict[str, int] = {}
        self._calls = {"training": self._training(sizes), "decoding": self._decoding(sizes)}

    def measure(self, what: str, clock: Callable[[], float] = time.perf_counter) -> float:
        """Runs training or decoding once and returns the seconds."""
        start = clock()
        self._calls[what]().numpy()  # waits for the result
        return clock() - start

    def _training(self, sizes: Sizes) -> Callable[[], Any]:
        """The update of `Trainer`: forward pass, backward pass, Adam. Dropout is on."""
        trainer = Trainer(
            self.model,
            None,  # type: ignore[arg-type]  # the batch is given
            tempfile.gettempdir(),  # nothing is written
            optimizer=make_optimizer(learning_rate=1e-4),
            budget=Budget(max_updates=1),
        )
        batch = {
            name: self._words(1, sizes.batch, sizes.length) for name in ("source", "target_input", "target_output")
        }
        # Counting needs known shapes. In training, one graph, which is as fast, serves all shapes.
        update: Any = trainer.make_update({name: tf.TensorSpec(words.shape, "int32") for name, words in batch.items()})
        self.operations["training"] = multiply_adds(update.get_concrete_function().graph)
        return lambda: update(batch).measurements

    def _decoding(self, sizes: Sizes) -> Callable[[], Any]:
        """Encoder, preparation and beam search, compiled by XLA. END is never chosen, so that all steps run."""
        model = self.model

        def search(source: tf.Tensor) -> tf.Tensor:
            constants, caches = model.prepare(model.encoder(source, training=False), sizes.beam, sizes.steps)
            return beam_search(
                model.decoder_step,
                constants,
                caches,
                batch_size=sizes.sentences,
                beam_size=sizes.beam,
                max_length=sizes.steps,
                suppress=(PAD, BEGIN, END),
            ).tokens

        source = self._words(sizes.sentences, sizes.length)
        compiled = tf.function(search, autograph=False, jit_compile=True)
        self.operations["decoding"] = multiply_adds(compiled.get_concrete_function(source).graph, sizes.steps)
        return lambda: compiled(source)

    def _words(self, *shape: int) -> tf.Tensor:
        random = np.random.default_rng(1)
        return tf.constant(random.integers(FIRST_WORD, self.model.source_vocabulary_size, shape), "int32")
