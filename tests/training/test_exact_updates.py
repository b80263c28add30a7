"""Updates that do not depend on the split of a batch: losses, gradients, clipping and dropout."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Make, MakeModel, Penalty, assert_same, log_of, losses_of

from keras_nmt.data import TrainingBatches
from keras_nmt.models import Transformer
from keras_nmt.training import (
    InverseSquareRootSchedule,
    LabelSmoothedCrossEntropy,
    make_optimizer,
)


@pytest.mark.parametrize(
    "options",
    [{}, {"decoder_self_attention": "ssru", "num_decoder_layers": 2, "tied_layers": ["decoder"]}],
    ids=["plain", "cheap decoder"],
)
def test_the_split_of_a_batch_does_not_matter(make_trainer: Make, options: dict[str, Any]) -> None:
    """Updates of a Transformer; test_tasks.py tests each kind of split separately."""

    def model() -> keras.Model:
        keras.utils.set_random_seed(0)
        layers = {"num_encoder_layers": 1, "num_decoder_layers": 1, **options}
        return Transformer.from_preset("transformer_tiny", source_vocabulary_size=20, dropout=0.0, **layers)

    def losses(number: int) -> list[float]:
        trainer = make_trainer(
            str(number),
            model=model,
            optimizer=lambda: make_optimizer("adam", InverseSquareRootSchedule(1e-3, 50), clip=0.5),
            replicas=number,
            accumulation_steps=number,
            max_updates=20,
        )
        trainer.train()
        assert trainer.num_traces == 1
        assert any(line["gradient_norm"] > 0.5 for line in log_of(trainer)), "clipping is not tried"
        return losses_of(trainer)

    expected = losses(1)
    assert len(expected) == 20
    assert expected[-1] < expected[0] - 0.5
    np.testing.assert_allclose(losses(2), expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("clip", "normalize_by", "xla"),
    [("global_clipnorm", "tokens", True), ("clipnorm", "sentences", False), ("clipvalue", "tokens", False)],
)
def test_splits_agree_with_xla_extra_losses_and_every_clipping(
    make_trainer: Make, make_copier: MakeModel, clip: str, normalize_by: str, xla: bool
) -> None:
    def model() -> keras.Model:
        model = make_copier()
        model.get_layer("output").kernel.regularizer = keras.regularizers.L2(0.01)
        hidden = Penalty()(model.get_layer("hidden").output, model.inputs[1])
        return keras.Model(model.inputs, model.get_layer("output")(hidden))

    results = []
    for number, (replicas, accumulation_steps, jit_compile) in enumerate([(1, 1, False), (2, 2, xla)]):
        trainer = make_trainer(
            str(number),
            model=model,
            optimizer=lambda: keras.optimizers.SGD(0.5, **{clip: 0.05}),
            replicas=replicas,
            accumulation_steps=accumulation_steps,
            jit_compile=jit_compile,
            normalize_by=normalize_by,
            max_updates=5,
        )
        trainer.train()
        assert trainer.num_traces == 1
        assert all(line["extra_loss"] > 0 for line in log_of(trainer))
        results.append((losses_of(trainer), trainer.model.get_weights()))
        if replicas == 2:
            for variable in trainer.model.trainable_variables:
                assert_same(*[[copy.numpy()] for copy in trainer.strategy.experimental_local_results(variable.value)])
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-4)
    for ours, theirs in zip(results[0][1], results[1][1], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_compiled_update_equals_a_plain_one(make_trainer: Make, make_copier: MakeModel) -> None:
    """On one device, XLA also compiles clipping, the loss scale and the optimizer. (Its dropout has other masks.)"""

    def optimizer() -> keras.optimizers.Optimizer:
        inner = make_optimizer("adamw", InverseSquareRootSchedule(0.02, 3), weight_decay=0.1, clip=0.5)
        return keras.optimizers.LossScaleOptimizer(inner, initial_scale=1024.0, dynamic_growth_steps=2)

    trainers = []
    for jit_compile in (False, True):
        trainer = make_trainer(
            str(jit_compile),
            optimizer=optimizer,
            jit_compile=jit_compile,
            max_updates=5,
        )
        trainer.train()
        assert trainer.num_traces == 1
        assert hasattr(trainer.update._apply, "get_concrete_function") == jit_compile
        trainers.append(trainer)
    for plain, compiled in zip(*map(log_of, trainers), strict=True):
        for name in ("loss", "gradient_norm", "learning_rate"):
            np.testing.assert_allclose(compiled[name], plain[name], rtol=1e-5, err_msg=name)
    assert len({line["learning_rate"] for line in log_of(trainers[1])}) == 5
    for plain, compiled in zip(*[trainer.optimizer.variables for trainer in trainers], strict=True):
        np.testing.assert_allclose(compiled.numpy(), plain.numpy(), rtol=1e-4, atol=1e-6, err_msg=plain.path)
    for plain, compiled in zip(*[trainer.model.get_weights() for trainer in trainers], strict=True):
        np.testing.assert_allclose(compiled, plain, atol=1e-6)


@pytest.mark.parametrize("normalize_by", ["tokens", "sentences"])
@pytest.mark.parametrize("parts", [1, 2])
def test_an_update_follows_the_gradient_of_the_loss_of_tokens_and_of_the_mean_penalty_of_sentences(
    make_trainer: Make, make_copier: MakeModel, batches: TrainingBatches, normalize_by: str, parts: int
) -> None:
    def model() -> keras.Model:
        model = make_copier()
        hidden = Penalty()(model.get_layer("hidden").output, model.inputs[1])
        return keras.Model(model.inputs, model.get_layer("output")(hidden))

    trainer = make_trainer(
        model=model,
        optimizer=lambda: keras.optimizers.SGD(0.1),
        replicas=parts,
        accumulation_steps=parts,
        normalize_by=normalize_by,
        max_updates=1,
    )
    batch = next(iter(batches.dataset()))
    inputs, targets = [batch["source"], batch["target_input"]], batch["target_output"]
    weights = [variable.value for variable in trainer.model.trainable_variables]
    states = keras.Model(trainer.model.inputs, trainer.model.get_layer("hidden").output)
    real = np.asarray(targets) != 0
    sentences = real[:, 0].sum()
    with tf.GradientTape() as tape:
        tape.watch(weights)
        log_probabilities = tf.nn.log_softmax(trainer.model(inputs))  # [n, T, V]
        right = tf.gather(log_probabilities, targets, batch_dims=2)
        smoothed = -0.9 * right - 0.1 * tf.reduce_mean(log_probabilities, -1)  # [n, T]
        loss = tf.reduce_sum(smoothed * real) / (real.sum() if normalize_by == "tokens" else sentences)
        # The sum over the sentences of the batch, by their number, whatever the unit of the loss.
        penalty = tf.reduce_sum(real[:, 0] * tf.reduce_sum(states(inputs)[:, 0] ** 2, -1)) / sentences
        objective = loss + penalty
    gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(objective, weights)]
    expected = [(value - 0.1 * gradient).numpy() for value, gradient in zip(weights, gradients, strict=True)]
    trainer.train()
    for found, wanted in zip(trainer.model.trainable_variables, expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, atol=1e-6)


@pytest.mark.parametrize("normalize_by", ["tokens", "sentences"])
def test_the_first_loss_is_the_loss_of_the_batch(
    make_trainer: Make, batches: TrainingBatches, normalize_by: str
) -> None:
    trainer = make_trainer(normalize_by=normalize_by, max_updates=1)
    kernel = trainer.model.get_layer("hidden").kernel
    kernel.regularizer = keras.regularizers.L2(0.1)
    squares = 0.1 * np.sum(kernel.numpy() ** 2)
    batch = next(iter(batches.dataset()))
    logits = trainer.model([batch["source"], batch["target_input"]])
    loss, nll = LabelSmoothedCrossEntropy(0.1).terms(batch["target_output"], logits)
    tokens = np.sum(batch["target_output"].numpy() != 0)
    count = tokens if normalize_by == "tokens" else np.sum(batch["target_output"].numpy()[:, 0] != 0)
    trainer.train()
    line = log_of(trainer)[0]
    np.testing.assert_allclose(line["extra_loss"], squares, rtol=1e-5)
    np.testing.assert_allclose(line["loss"], loss.numpy().sum() / count + squares, rtol=1e-5)
    np.testing.assert_allclose(line["perplexity"], np.exp(nll.numpy().sum() / tokens), rtol=1e-5)
    assert line["tokens"] == tokens


def test_clips_the_gradient_of_the_whole_update(make_trainer: Make) -> None:
    for replicas in (1, 2):
        trainer = make_trainer(
            str(replicas), replicas=replicas, max_updates=1, optimizer=lambda: make_optimizer("sgd", 1.0, clip=0.01)
        )
        before = trainer.model.get_weights()
        trainer.train()
        change = [new - old for old, new in zip(before, trainer.model.get_weights(), strict=True)]
        np.testing.assert_allclose(np.sqrt(sum(np.sum(c**2) for c in change)), 0.01, rtol=1e-4)


class Margin:
    """A custom loss: the mean of all logits minus the logit of the right token."""

    def terms(self, targets: tf.Tensor, logits: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        real = tf.cast(targets != 0, "float32")
        right = tf.gather(logits, targets, batch_dims=2)
        margin = tf.reduce_mean(logits, -1) - right
        return real * margin, real * (tf.reduce_logsumexp(logits, -1) - right)


def test_a_custom_loss(make_trainer: Make, batches: TrainingBatches) -> None:
    after: list[list[np.ndarray]] = []
    look = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: after.append(model.get_weights()))
    options = {"optimizer": lambda: make_optimizer("sgd", 0.1), "accumulation_steps": 2, "callbacks": [look]}
    trainer = make_trainer(loss=Margin(), **options)
    model, batch = trainer.model, next(iter(batches.dataset()))
    weights = [variable.value for variable in model.trainable_variables]
    with tf.GradientTape() as tape:
        loss, nll = Margin().terms(batch["target_output"], model([batch["source"], batch["target_input"]]))
        loss = tf.reduce_sum(loss) / (tokens := float(np.sum(batch["target_output"].numpy() != 0)))
    expected = [w - 0.1 * tf.convert_to_tensor(g) for w, g in zip(weights, tape.gradient(loss, weights), strict=True)]
    expected = [value.numpy() for value in expected]
    trainer.train()
    first = log_of(trainer)[0]
    np.testing.assert_allclose(first["loss"], loss, rtol=1e-5)
    np.testing.assert_allclose(first["perplexity"], np.exp(nll.numpy().sum() / tokens), rtol=1e-5)
    for found, wanted in zip(after[0], expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert losses_of(trainer)[-1] < losses_of(trainer)[0]


# Dropout.


def test_masks_differ_between_replicas_layers_and_updates_and_come_again(
    make_trainer: Make, make_copier: MakeModel
) -> None:
    trainer = make_trainer(replicas=2, model=lambda: make_copier(dropout=0.5))
    layers = [trainer.model.get_layer(name) for name in ("first_dropout", "second_dropout")]

    @tf.function
    def masks(update: tf.Tensor) -> Any:
        def replica() -> tf.Tensor:
            part = tf.distribute.get_replica_context().replica_id_in_sync_group
            trainer.update.set_seeds(trainer.update.make_key(update, part))
            return tf.stack([layer(tf.ones([200]), training=True) for layer in layers])

        return trainer.strategy.experimental_local_results(trainer.strategy.run(replica))

    first, second = ([copy.numpy() for copy in masks(tf.constant(update, "int64"))] for update in (4, 5))
    rows = [tuple(row) for mask in (*first, *second) for row in mask]
    assert len(rows) == len(set(rows)) == 8  # 2 updates, 2 replicas, 2 layers
    assert_same(first, [copy.numpy() for copy in masks(tf.constant(4, "int64"))])


def test_dropout_depends_on_the_part_of_the_batch_only(make_trainer: Make, make_copier: MakeModel) -> None:
    losses = []
    for replicas, accumulation_steps, seed in ((2, 2, 0), (1, 4, 0), (1, 4, 1)):
        trainer = make_trainer(
            f"{replicas} {seed}",
            model=lambda: make_copier(dropout=0.3),
            replicas=replicas,
            accumulation_steps=accumulation_steps,
            seed=seed,
        )
        trainer.train()
        losses.append(losses_of(trainer))
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    assert abs(losses[2][0] - losses[1][0]) > 1e-4
