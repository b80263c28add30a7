"""Updates that do not depend on the split of a batch: losses, gradients, clipping and dropout."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Penalty, Recorder, assert_same, log_of, losses_of, make_copier, with_hidden

from keras_nmt.models import Transformer
from keras_nmt.training import InverseSquareRootSchedule, make_optimizer


def penalised():
    model = with_hidden(Penalty())
    model.get_layer("output").kernel.regularizer = keras.regularizers.L2(0.01)
    return model


def transformer():
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
    keras.utils.set_random_seed(0)
    return Transformer.from_preset("transformer_tiny", source_vocabulary_size=20, dropout=0.0, **layers)


@pytest.mark.parametrize(
    ("model", "clip", "options"),
    [
        (penalised, "global_clipnorm", {}),
        pytest.param(penalised, "clipnorm", {"normalize_by": "sentences", "jit_compile": True}, marks=pytest.mark.slow),
        pytest.param(penalised, "clipvalue", {}, marks=pytest.mark.nightly),
        pytest.param(transformer, "global_clipnorm", {}, marks=pytest.mark.slow),
    ],
)
def test_the_split_of_a_batch_does_not_matter(make_trainer, model, clip, options):
    """With XLA or not, with extra losses, a loss scale, and every clipping; test_tasks.py has each kind of split."""

    def train(parts, **options):
        def optimizer():
            sgd = keras.optimizers.SGD(0.5, **{clip: 0.05})
            return keras.optimizers.LossScaleOptimizer(sgd, initial_scale=2.0**10) if clip == "clipnorm" else sgd

        parted = {"replicas": parts, "accumulation_steps": parts, "max_updates": 3}
        trainer = make_trainer(str(parts), model=model, optimizer=optimizer, **parted, **options)
        trainer.train()
        assert trainer.num_traces == 1
        assert all((line.get("extra_loss", 0) > 0) == (model is penalised) for line in log_of(trainer))
        assert clip != "global_clipnorm" or log_of(trainer)[0]["gradient_norm"] > 0.05
        return trainer

    whole, split = train(1, **{**options, "jit_compile": False}), train(2, **options)
    np.testing.assert_allclose(losses_of(split), losses_of(whole), rtol=1e-4)
    for ours, theirs in zip(split.model.get_weights(), whole.model.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    for variable in split.model.trainable_variables:
        assert_same(*[[copy.numpy()] for copy in split.strategy.experimental_local_results(variable.value)])


@pytest.mark.slow
def test_a_compiled_update_equals_a_plain_one(make_trainer):
    """On one device, XLA also compiles clipping, the loss scale and the optimizer. (Its dropout has other masks.)"""

    def optimizer():
        inner = make_optimizer("adamw", InverseSquareRootSchedule(0.02, 3), weight_decay=0.1, clip=0.5)
        return keras.optimizers.LossScaleOptimizer(inner, initial_scale=1024.0, dynamic_growth_steps=2)

    trainers = [make_trainer(str(xla), optimizer=optimizer, jit_compile=xla, max_updates=5) for xla in (False, True)]
    for trainer, jit_compile in zip(trainers, (False, True), strict=True):
        trainer.train()
        assert trainer.num_traces == 1
        assert hasattr(trainer.update._apply, "get_concrete_function") == jit_compile
    for plain, compiled in zip(*map(log_of, trainers), strict=True):
        for name in ("loss", "gradient_norm", "learning_rate"):
            np.testing.assert_allclose(compiled[name], plain[name], rtol=1e-5, err_msg=name)
    assert len({line["learning_rate"] for line in log_of(trainers[1])}) == 5
    for plain, compiled in zip(*[trainer.optimizer.variables for trainer in trainers], strict=True):
        np.testing.assert_allclose(compiled.numpy(), plain.numpy(), rtol=1e-4, atol=1e-6, err_msg=plain.path)
    for plain, compiled in zip(*[trainer.model.get_weights() for trainer in trainers], strict=True):
        np.testing.assert_allclose(compiled, plain, atol=1e-6)


class Margin:
    """A custom loss: the mean of all logits minus the logit of the right token."""

    def terms(self, targets, logits):
        real = tf.cast(targets != 0, "float32")
        right = tf.gather(logits, targets, batch_dims=2)
        margin = tf.reduce_mean(logits, -1) - right
        return real * margin, real * (tf.reduce_logsumexp(logits, -1) - right)


@pytest.mark.parametrize(
    ("normalize_by", "parts", "loss"),
    [
        ("tokens", 1, None),
        ("sentences", 1, Margin()),
        *(pytest.param(unit, 2, None, marks=pytest.mark.slow) for unit in ("tokens", "sentences")),
    ],
)
def test_an_update_follows_the_gradient_of_the_loss_of_tokens_and_of_the_mean_penalty_of_sentences(
    make_trainer, batches, normalize_by, parts, loss
):
    recorder = Recorder()
    trainer = make_trainer(
        model=lambda: with_hidden(Penalty()),
        optimizer=lambda: keras.optimizers.SGD(0.1),
        replicas=parts,
        accumulation_steps=parts,
        normalize_by=normalize_by,
        loss=loss,
        max_updates=2,
        callbacks=[recorder],
    )
    kernel = trainer.model.get_layer("hidden").kernel
    kernel.regularizer = keras.regularizers.L2(0.1)
    batch = next(iter(batches.dataset()))
    inputs, targets = [batch["source"], batch["target_input"]], batch["target_output"]
    weights = [variable.value for variable in trainer.model.trainable_variables]
    states = keras.Model(trainer.model.inputs, trainer.model.get_layer("hidden").output)
    real = np.asarray(targets) != 0
    sentences = real[:, 0].sum()
    with tf.GradientTape() as tape:
        tape.watch(weights)
        logits = trainer.model(inputs)
        log_probabilities = tf.nn.log_softmax(logits)  # [n, T, V]
        right = tf.gather(log_probabilities, targets, batch_dims=2)
        losses = -0.9 * right - 0.1 * tf.reduce_mean(log_probabilities, -1)  # [n, T]
        if loss is not None:
            losses = tf.reduce_mean(logits, -1) - tf.gather(logits, targets, batch_dims=2)
        # The sum over the sentences of the batch, by their number, whatever the unit of the loss.
        penalty = tf.reduce_sum(real[:, 0] * tf.reduce_sum(states(inputs)[:, 0] ** 2, -1)) / sentences
        penalty += 0.1 * tf.reduce_sum(kernel.value**2)
        objective = tf.reduce_sum(losses * real) / (real.sum() if normalize_by == "tokens" else sentences) + penalty
    gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(objective, weights)]
    expected = [(value - 0.1 * gradient).numpy() for value, gradient in zip(weights, gradients, strict=True)]
    perplexity = np.exp(-np.sum(right * real) / real.sum())
    trainer.train()
    line, later = log_of(trainer)
    found = [line[name] for name in ("loss", "extra_loss", "gradient_norm", "perplexity")]
    wanted = [objective, penalty, tf.linalg.global_norm(gradients), perplexity]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert line["tokens"] == real.sum() < later["tokens"]
    for found, wanted in zip(recorder.weights[1].values(), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


# Dropout.


def test_masks_differ_between_replicas_layers_and_updates_and_come_again(make_trainer):
    trainer = make_trainer(replicas=2, model=lambda: make_copier(dropout=0.5))
    layers = [trainer.model.get_layer(name) for name in ("first_dropout", "second_dropout")]

    @tf.function
    def masks(update):
        def replica():
            part = tf.distribute.get_replica_context().replica_id_in_sync_group
            trainer.update.set_seeds(trainer.update.make_key(update, part))
            return tf.stack([layer(tf.ones([200]), training=True) for layer in layers])

        return trainer.strategy.experimental_local_results(trainer.strategy.run(replica))

    first, second = ([copy.numpy() for copy in masks(tf.constant(update, "int64"))] for update in (4, 5))
    rows = [tuple(row) for mask in (*first, *second) for row in mask]
    assert len(rows) == len(set(rows)) == 8  # 2 updates, 2 replicas, 2 layers
    assert_same(first, [copy.numpy() for copy in masks(tf.constant(4, "int64"))])


@pytest.mark.slow
def test_dropout_depends_on_the_part_of_the_batch_only(make_trainer):
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
