"""Contenders of the benchmark of training on TensorFlow: keras_nmt and keras_hub."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from contender import BETAS, EPSILON, LABEL_SMOOTHING, LEARNING_RATE, Measured, Work, clock_of, policy_of
from training_batches import training_batches

from keras_nmt.cli.run_app import import_tensorflow
from keras_nmt.ids import PAD


class Ours:
    """`Trainer`'s update, with its own input pipeline."""

    jit_compile = False

    def __init__(self, work: Work) -> None:
        _tensorflow(work)
        from keras_nmt.models import Transformer
        from keras_nmt.training import Budget, Computation, LabelSmoothedCrossEntropy, Trainer, make_optimizer

        options = {**work.sizes, "dropout": work.dropout}
        model = Transformer(work.vocabulary_size, **options, dtype=policy_of(work))
        self.parameters = model.count_params()
        self._clock = clock_of(work)
        self._data = training_batches(work)
        self._trainer = Trainer(
            model,
            self._data,
            tempfile.gettempdir(),  # nothing is written
            optimizer=make_optimizer(learning_rate=LEARNING_RATE, beta_1=BETAS[0], beta_2=BETAS[1], epsilon=EPSILON),
            loss=LabelSmoothedCrossEntropy(LABEL_SMOOTHING),
            computation=Computation(jit_compile=self.jit_compile),
            budget=Budget(max_updates=1),
        )
        self._update: Any = None

    def train(self, updates: int) -> Measured:
        batches = self._trainer.make_batches()
        if self._update is None:
            self._update = self._trainer.make_update(batches.element_spec)
        self._update(next(batches)).measurements.numpy()
        waited, start = 0.0, self._clock()
        for _ in range(updates):
            asked = self._clock()
            batch = next(batches)
            waited += self._clock() - asked
            measurements = self._update(batch).measurements
        measurements.numpy()
        return Measured(self._clock() - start, waited, self._trainer.num_traces)


class OursCompiled(Ours):
    """`Ours` with forward and backward pass compiled by XLA, in the first round."""

    jit_compile = True


class KerasHub:
    """keras_hub's Transformer layers under `fit`, with Keras' own loss and `Trainer`'s input pipeline."""

    jit_compile = False

    def __init__(self, work: Work) -> None:
        keras = _tensorflow(work)
        from keras_hub.layers import SinePositionEncoding, TransformerDecoder, TransformerEncoder

        keras.config.set_dtype_policy(policy_of(work))
        sizes = work.sizes
        options: dict[str, Any] = {name: sizes[name] for name in ("intermediate_dim", "num_heads")}
        options |= {"dropout": work.dropout, "normalize_first": True}
        embedding = keras.layers.ReversibleEmbedding(work.vocabulary_size, sizes["hidden_dim"])
        positions = SinePositionEncoding()

        def embed(ids: Any) -> Any:
            embedded = embedding(ids)
            return keras.layers.Dropout(work.dropout)(embedded + positions(embedded))

        source, target_input = keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32")
        source_mask = keras.ops.not_equal(source, PAD)
        memory, states = embed(source), embed(target_input)
        for _ in range(sizes["num_encoder_layers"]):
            layer = TransformerEncoder(**options)
            memory = layer(memory, padding_mask=source_mask)
            _without_attention_dropout(layer._self_attention_layer)
        memory = keras.layers.LayerNormalization()(memory)
        for _ in range(sizes["num_decoder_layers"]):
            layer = TransformerDecoder(**options)
            states = layer(states, memory, encoder_padding_mask=source_mask)
            _without_attention_dropout(layer._self_attention_layer)
            _without_attention_dropout(layer._cross_attention_layer)
        logits = embedding(keras.layers.LayerNormalization()(states), reverse=True)
        self._model = keras.Model([source, target_input], logits)
        self._model.compile(
            optimizer=keras.optimizers.Adam(LEARNING_RATE, *BETAS, EPSILON),
            loss=self._loss(keras),
            jit_compile=self.jit_compile,
        )
        self.parameters = self._model.count_params()
        self._batches = training_batches(work).dataset().map(_for_fit)

        self._clock, self._started = clock_of(work), 0.0
        self._starter = keras.callbacks.LambdaCallback(on_train_batch_end=self._start)

    def _loss(self, keras: Any) -> Any:
        def loss(targets: Any, logits: Any) -> Any:
            rows = keras.ops.one_hot(targets, logits.shape[-1])  # Keras smooths one-hot labels only
            return keras.losses.categorical_crossentropy(
                rows, logits, from_logits=True, label_smoothing=LABEL_SMOOTHING
            )

        return loss

    def _start(self, batch: int, logs: Any) -> None:
        if batch == 0:
            self._started = self._clock()

    def train(self, updates: int) -> Measured:
        self._model.fit(self._batches, steps_per_epoch=updates + 1, shuffle=False, verbose=0, callbacks=[self._starter])
        return Measured(self._clock() - self._started)


class KerasHubWithOurLoss(KerasHub):
    """`KerasHub` with `LabelSmoothedCrossEntropy`: only model, optimizer and `fit` differ from `Ours`."""

    def _loss(self, keras: Any) -> Any:
        from keras_nmt.training import LabelSmoothedCrossEntropy

        return LabelSmoothedCrossEntropy(LABEL_SMOOTHING, reduction="mean")


class KerasHubCompiled(KerasHub):
    """`KerasHub` with XLA."""

    jit_compile = True


def _tensorflow(work: Work) -> Any:
    os.environ["KERAS_BACKEND"] = "tensorflow"
    import_tensorflow()
    import keras
    import tensorflow as tf

    if work.threads:
        tf.config.threading.set_intra_op_parallelism_threads(work.threads)
        tf.config.threading.set_inter_op_parallelism_threads(work.threads)
    keras.utils.set_random_seed(1)
    return keras


def _without_attention_dropout(attention: Any) -> None:
    """Switches dropout of attention weights off: keras_hub has one rate for all dropouts."""
    attention._dropout = attention._dropout_layer.rate = 0.0


def _for_fit(batch: dict[str, Any]) -> tuple[Any, Any, Any]:
    target = batch["target_output"]
    return (batch["source"], batch["target_input"]), target, target != PAD
