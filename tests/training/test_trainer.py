"""The trainer: exact updates, stopping and resuming, the end of a run, and the kept weights."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_nmt.data import ParallelCorpus, SubwordSampling, TrainingBatches, read_parallel
from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights
from keras_nmt.models import Transformer
from keras_nmt.text import SubwordTokenizer, train_subwords
from keras_nmt.training import (
    Checkpoints,
    InverseSquareRootSchedule,
    LabelSmoothedCrossEntropy,
    Trainer,
    TrainingLog,
    TrainingResult,
    make_optimizer,
    make_strategy,
    measurements,
)

TIMES = ("tokens_per_second", "seconds")  # values that differ between runs
Make = Callable[..., Trainer]


@pytest.fixture
def make_trainer(
    tmp_path: Path, batches: TrainingBatches, make_model: Callable[..., keras.Model], make_any_trainer: Make
) -> Make:
    """Makes a trainer of the small model, or of the model that `model` makes, in the folder `name`."""

    def make(
        name: str = "run",
        *,
        replicas: int = 1,
        model: Callable[[], keras.Model] | None = None,
        optimizer: Callable[[], keras.optimizers.Optimizer] = lambda: make_optimizer("adam", 0.01, clip=0.5),
        data: Any = batches,
        **options: Any,
    ) -> Trainer:
        strategy = make_strategy(replicas)
        with strategy.scope():
            options = {"max_updates": 10, "strategy": strategy, **options}
            return make_any_trainer((model or make_model)(), data, tmp_path / name, optimizer=optimizer(), **options)

    return make


def log_of(trainer: Trainer) -> list[dict[str, Any]]:
    """The log, without values that differ between runs."""
    return [{k: v for k, v in line.items() if k not in TIMES} for line in TrainingLog(trainer.log.file.path).read()]


def losses_of(trainer: Trainer) -> list[float]:
    return [line["loss"] for line in log_of(trainer) if "loss" in line]


def values_of(trainer: Trainer) -> list[np.ndarray]:
    return [v.numpy() for v in trainer.model.weights + trainer.optimizer.variables]


def assert_same(a: list[np.ndarray], b: list[np.ndarray]) -> None:
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


class PenaltyLayer(keras.layers.Layer):
    """Adds a loss: the mean over the sentences of a batch of the square of their first state."""

    def call(self, states: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
        real = keras.ops.cast(ids[:, 0] != 0, states.dtype)
        penalties = real * keras.ops.sum(states[:, 0] ** 2, -1)
        self.add_loss(keras.ops.sum(penalties) / keras.ops.maximum(keras.ops.sum(real), 1))
        return states


# Equal updates for every split of a batch.


def test_the_split_of_a_batch_does_not_matter(make_trainer: Make) -> None:
    """Updates of a Transformer; test_tasks.py tests each kind of split separately."""

    def model() -> keras.Model:
        keras.utils.set_random_seed(0)
        layers = {"num_encoder_layers": 1, "num_decoder_layers": 1}
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
    make_trainer: Make, make_model: Callable[..., keras.Model], clip: str, normalize_by: str, xla: bool
) -> None:
    def model() -> keras.Model:
        model = make_model()
        model.get_layer("output").kernel.regularizer = keras.regularizers.L2(0.01)
        hidden = PenaltyLayer()(model.get_layer("hidden").output, model.inputs[1])
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
    trainer = make_trainer(loss=Margin(), optimizer=lambda: make_optimizer("sgd", 0.1), accumulation_steps=2)
    model, batch = trainer.model, next(iter(batches.dataset()))
    weights = [variable.value for variable in model.trainable_variables]
    with tf.GradientTape() as tape:
        loss, nll = Margin().terms(batch["target_output"], model([batch["source"], batch["target_input"]]))
        loss = tf.reduce_sum(loss) / (tokens := float(np.sum(batch["target_output"].numpy() != 0)))
    expected = [w - 0.1 * tf.convert_to_tensor(g) for w, g in zip(weights, tape.gradient(loss, weights), strict=True)]
    expected = [value.numpy() for value in expected]
    after: list[list[np.ndarray]] = []
    trainer.callbacks = [
        keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: after.append(model.get_weights()))
    ]
    trainer.train()
    first = log_of(trainer)[0]
    np.testing.assert_allclose(first["loss"], loss, rtol=1e-5)
    np.testing.assert_allclose(first["perplexity"], np.exp(nll.numpy().sum() / tokens), rtol=1e-5)
    for found, wanted in zip(after[0], expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert losses_of(trainer)[-1] < losses_of(trainer)[0]


# Dropout.


def test_masks_differ_between_replicas_layers_and_updates_and_come_again(
    make_trainer: Make, make_model: Callable[..., keras.Model]
) -> None:
    trainer = make_trainer(replicas=2, model=lambda: make_model(dropout=0.5))
    layers = [trainer.model.get_layer(name) for name in ("first_dropout", "second_dropout")]

    @tf.function
    def masks(update: tf.Tensor) -> Any:
        def replica() -> tf.Tensor:
            part = tf.distribute.get_replica_context().replica_id_in_sync_group
            trainer.update.set_seeds(update, tf.cast(part, "int64"))
            return tf.stack([layer(tf.ones([200]), training=True) for layer in layers])

        return trainer.strategy.experimental_local_results(trainer.strategy.run(replica))

    first, second = ([copy.numpy() for copy in masks(tf.constant(update, "int64"))] for update in (4, 5))
    rows = [tuple(row) for mask in (*first, *second) for row in mask]
    assert len(rows) == len(set(rows)) == 8  # 2 updates, 2 replicas, 2 layers
    assert_same(first, [copy.numpy() for copy in masks(tf.constant(4, "int64"))])


def test_dropout_depends_on_the_part_of_the_batch_only(
    make_trainer: Make, make_model: Callable[..., keras.Model]
) -> None:
    losses = []
    for replicas, accumulation_steps, seed in ((2, 2, 0), (1, 4, 0), (1, 4, 1)):
        trainer = make_trainer(
            f"{replicas} {seed}",
            model=lambda: make_model(dropout=0.3),
            replicas=replicas,
            accumulation_steps=accumulation_steps,
            seed=seed,
        )
        trainer.train()
        losses.append(losses_of(trainer))
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-4)
    assert abs(losses[2][0] - losses[1][0]) > 1e-4


# Stopping and starting again.


class Kill(keras.callbacks.Callback):
    """A callback that ends the program in the middle of the run, by Ctrl-C, SIGTERM, or a crash."""

    def __init__(self, update: int, number: signal.Signals | None) -> None:
        super().__init__()
        self.update, self.number = update, number

    def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
        if batch + 1 == self.update:
            if self.number is None:
                raise RuntimeError("crash")
            os.kill(os.getpid(), self.number)


STOPS = [  # with saves every 3 and evaluations every 6 updates
    (None, 5),  # a crash: continues from update 3
    (signal.SIGINT, 7),
    (signal.SIGTERM, 12),  # before the evaluation
    (signal.SIGTERM, 15),  # before the save
    (signal.SIGTERM, 18),  # before the work at the end
]


def test_a_stopped_run_equals_an_uninterrupted_run(make_trainer: Make, make_model: Callable[..., keras.Model]) -> None:
    reports: list[str] = []

    def trainer_of(name: str, seed: int = 0, stop: tuple[int, signal.Signals | None] | None = None) -> Trainer:
        reports.clear()
        trainer = make_trainer(
            name,
            model=lambda: make_model(dropout=0.2, seed=seed),
            accumulation_steps=2,
            max_updates=18,
            log_every=4,  # a line covers updates from before and after a stop
            save_every=3,
            evaluate_every=6,
            evaluate=lambda: {"bleu": float(np.sin(trainer.progress.update))},
            keep_last=4,  # covers saves before the stops: stops must not count as saves
            keep_best=2,
            callbacks=[Kill(*stop)] if stop else [],
            report=reports.append,
        )
        return trainer

    whole = trainer_of("whole")
    expected = whole.train()

    last = None
    for number, update in STOPS:
        trainer = trainer_of("stopped", seed=update if last else 0, stop=(update, number))
        with pytest.raises(SystemExit if number else RuntimeError) as stopped:
            trainer.train()
        assert trainer.progress.update == update
        if last:
            assert f"Going on from update {last} in" in reports[0]
        if number:
            assert stopped.value.code == 128 + number
        last = update if number else 3
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    again = trainer_of("stopped", seed=9)
    result = again.train()

    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)
    assert result.final_updates == expected.final_updates
    assert result.best_update == expected.best_update
    index = [json.loads((t.directory / "checkpoints" / "index.json").read_text()) for t in (whole, again)]
    assert index[0] == index[1]


def test_a_resumed_run_may_evaluate_at_other_updates(make_trainer: Make) -> None:
    def run(max_updates: int, every: int) -> Trainer:
        trainer = make_trainer(evaluate=Scores(1.0, 0.0), evaluate_every=every, max_updates=max_updates, log_every=100)
        trainer.train()
        return trainer

    run(6, 3)
    trainer = run(13, 4)
    lines = [line for line in log_of(trainer) if "final" not in line]
    assert [line["update"] for line in lines] == [3, 6, 8, 12, 13]
    assert trainer.progress.evaluations_since_best == 4  # the best evaluation, 3, was before the stop
    kept = json.loads((trainer.directory / "checkpoints" / "index.json").read_text())
    assert kept["last"] == [3, 6, 8, 12, 13]


def test_a_stopped_run_with_corpus_weights_and_sampling_continues(
    make_trainer: Make, make_model: Callable[..., keras.Model], tmp_path: Path
) -> None:
    generator = np.random.default_rng(1)
    for name in ("one", "two"):
        lines = [" ".join(generator.choice(["abba", "bab", "ab"], size)) for size in generator.integers(1, 5, 60)]
        (tmp_path / name).write_text("\n".join(lines))
    files = [tmp_path / "one", tmp_path / "two"]
    tokenizer = SubwordTokenizer(train_subwords(files, tmp_path / "subwords", vocabulary_size=10))

    def train(name: str, number: int | None = None, seed: int = 0) -> Trainer:
        trainer = make_trainer(
            name,
            data=TrainingBatches(
                [read_parallel(file, file, tokenizer, tokenizer, keep_text=True) for file in files],
                batch_size=16,
                batch_unit="sentences",
                weights=[0.7, 1],
                sampling=SubwordSampling(tokenizer, tokenizer, alpha=0.3),
            ),
            model=lambda: make_model(dropout=0.2, seed=seed),
            callbacks=[Kill(11, number)] if number else [],  # 7 updates per epoch
            max_updates=18,
        )
        if number:
            with pytest.raises(SystemExit):
                trainer.train()
        else:
            trainer.train()
        return trainer

    whole = train("whole")
    train("cut", signal.SIGTERM)
    again = train("cut", seed=9)
    assert_same(values_of(whole), values_of(again))
    assert log_of(whole) == log_of(again)


def test_an_interrupted_run_can_be_finished_at_its_update(make_trainer: Make) -> None:
    options: dict[str, Any] = {"evaluate": Scores(1.0), "evaluate_every": 8, "final": "best"}
    with pytest.raises(SystemExit):
        make_trainer(callbacks=[Kill(5, signal.SIGTERM)], **options).train()
    rounds: list[str] = []
    callback = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: rounds.append(f"begin {epoch}"),
        on_epoch_end=lambda epoch, logs: rounds.append(f"end {epoch} {logs['val_bleu']}"),
    )
    result = make_trainer(callbacks=[callback], **{**options, "max_updates": 5}).train()
    assert (result.reason, result.final_updates, result.best_score) == ("max_updates", [5], 1.0)
    assert rounds == ["begin 0", "end 0 1.0"]


def test_a_failed_evaluation_loses_no_updates(make_trainer: Make) -> None:
    class Counter(keras.callbacks.Callback):
        updates = 0

        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            self.updates += 1

    def fail() -> dict[str, float]:
        raise MemoryError("the dev set is too long")

    options = {"evaluate_every": 5, "max_updates": 10}
    with pytest.raises(MemoryError):
        make_trainer(evaluate=fail, **options).train()
    counter = Counter()
    trainer = make_trainer(evaluate=Scores(1.0, 2.0, 2.0), callbacks=[counter], **options)
    result = trainer.train()
    assert counter.updates == 5
    assert [line["update"] for line in log_of(trainer) if "val_bleu" in line][:2] == [5, 10]
    whole = make_trainer("whole", evaluate=Scores(1.0, 2.0, 2.0), **options)
    assert whole.train().final_updates == result.final_updates
    assert_same(values_of(trainer), values_of(whole))


def test_a_resumed_run_keeps_its_loss_scale(make_trainer: Make) -> None:
    def scales(name: str, *ends: int) -> list[float]:
        for max_updates in ends:
            trainer = make_trainer(
                name,
                optimizer=lambda: keras.optimizers.LossScaleOptimizer(
                    make_optimizer("adam", 0.01), initial_scale=8.0, dynamic_growth_steps=2
                ),
                max_updates=max_updates,
            )
            trainer.train()
        return [line["loss_scale"] for line in log_of(trainer)]

    assert scales("stopped", 5, 8) == scales("whole", 8)
    assert len(set(scales("whole", 8))) > 3


def test_a_time_limit_between_evaluations_ends_with_an_evaluation(make_trainer: Make) -> None:
    class Slow(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            if batch == 2:
                time.sleep(1.0)

    scores = Scores(1.0)
    options = {"evaluate": scores, "evaluate_every": 100, "final": "best", "max_updates": None, "time_limit": 1.0}
    result = make_trainer(callbacks=[Slow()], **options).train()
    assert result.reason == "time_limit"
    assert result.final_updates == [result.update] == [result.best_update]


def test_a_time_limit_during_a_save_ends_with_an_evaluation(
    make_trainer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Checkpoints.save

    def slow_save(*arguments: Any) -> str:
        trainer._began -= 100  # simulates a slow save
        return save(*arguments)

    monkeypatch.setattr(Checkpoints, "save", slow_save)
    trainer = make_trainer(
        evaluate=Scores(1.0), evaluate_every=4, save_every=2, final="best", max_updates=None, time_limit=50
    )
    result = trainer.train()
    assert (result.reason, result.update, result.best_update) == ("time_limit", 3, 3)


def test_a_callback_ends_the_run_with_its_epoch(make_trainer: Make) -> None:
    def stop(epoch: int, logs: dict[str, float]) -> None:
        trainer.model.stop_training = True

    trainer = make_trainer(save_every=3, callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=stop)])
    result = trainer.train()
    assert (result.reason, result.update) == ("callback", 3)


def test_too_little_memory_is_the_users_error(make_trainer: Make) -> None:
    class Full(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            raise tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor\nwith shape [9]")

    with pytest.raises(UserError, match="lower `batch_size`.* Received: OOM when allocating tensor with shape"):
        make_trainer(callbacks=[Full()]).train()


def test_starting_a_finished_run_again_changes_nothing(make_trainer: Make) -> None:
    first = make_trainer(max_updates=5)
    result = first.train()
    again = make_trainer(max_updates=5)
    assert again.train().final_updates == result.final_updates == [5]
    assert_same(values_of(first), values_of(again))
    assert log_of(first) == log_of(again)


# The end of a run, and the kept weights.


class Scores:
    """An evaluation that gives these scores, and then always the last score."""

    def __init__(self, *scores: float) -> None:
        self.scores, self.calls = list(scores), 0

    def __call__(self) -> dict[str, float]:
        self.calls += 1
        return {"bleu": self.scores[min(self.calls, len(self.scores)) - 1], "chrf": 1.0}


def run(make_trainer: Make, *scores: float, **options: Any) -> tuple[Trainer, TrainingResult]:
    trainer = make_trainer(evaluate=Scores(*scores), evaluate_every=2, **options)
    return trainer, trainer.train()


def test_patience_ends_the_run_and_the_best_weights_are_found(make_trainer: Make) -> None:
    trainer, result = run(make_trainer, 1, 3, 2, 3, 0, patience=2, keep_best=2, final="best", max_updates=100)
    assert (result.reason, result.update, result.best_update, result.best_score) == ("patience", 8, 4, 3.0)
    assert result.final_updates == [4]
    assert result.final_metrics == {"bleu": 0.0, "chrf": 1.0}
    index = json.loads((trainer.directory / "checkpoints" / "index.json").read_text())
    assert index["best"] == [4, 8]
    assert index["scores"]["4"] == 3.0
    best = make_trainer("other").model
    read_weights(trainer.directory / "checkpoints" / "update-4.weights.h5", best)
    assert_same(best.get_weights(), trainer.model.get_weights())
    evaluations = [line for line in log_of(trainer) if "val_bleu" in line and "final" not in line]
    assert [(line["update"], line["val_bleu"]) for line in evaluations] == [(2, 1.0), (4, 3.0), (6, 2.0), (8, 3.0)]


@pytest.mark.parametrize("metric", ["loss", "nll", "perplexity", "ter"])
def test_lower_is_better_for_losses_and_error_rates(make_trainer: Make, metric: str) -> None:
    options = {"evaluate_every": 2, "best_metric": metric, "final": "best", "max_updates": 4}
    trainer = make_trainer(evaluate=lambda: {metric: trainer.progress.update}, **options)
    result = trainer.train()
    assert (result.best_update, result.final_updates) == (2, [2])


def test_a_loss_scale_is_undone_on_replicas(make_trainer: Make) -> None:
    """Updates by SGD, because a factor does not change Adam's updates."""

    def weights(name: str, wrap: Callable[[Any], Any]) -> list[np.ndarray]:
        def optimizer() -> Any:
            return wrap(make_optimizer("sgd", 0.5, clip=0.05))

        trainer = make_trainer(name, replicas=2, max_updates=3, optimizer=optimizer)
        trainer.train()
        return trainer.model.get_weights()

    scaled = weights("scaled", lambda inner: keras.optimizers.LossScaleOptimizer(inner, initial_scale=2.0**10))
    for one, other in zip(scaled, weights("plain", lambda inner: inner), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_the_time_of_a_resumed_run_continues(make_trainer: Make) -> None:
    class Long(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            first._began -= 100  # simulates a slow update

    first = make_trainer(max_updates=3, callbacks=[Long()])
    first.train()
    assert make_trainer(max_updates=4).train().seconds > 200


def test_tokens_per_second_are_those_of_updates_without_evaluations(
    make_trainer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(measurements, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def after(seconds: float) -> dict[str, float]:
        now[0] += seconds
        return {"bleu": 1.0}

    update = keras.callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: after(1.0))
    options = {"evaluate_every": 2, "max_updates": 4, "log_every": 4, "callbacks": [update]}
    trainer = make_trainer(evaluate=lambda: after(100.0), optimizer=lambda: make_optimizer("sgd", 0.1), **options)
    trainer.train()
    (line,) = (line for line in TrainingLog(trainer.log.file.path).read() if "loss" in line)
    assert line["tokens_per_second"] == pytest.approx(line["tokens"] / 4)


def test_final_weights(make_trainer: Make) -> None:
    for options, expected in (
        ({"final": "last"}, [10]),
        ({"final": "average_last"}, [6, 8, 10]),
        ({"final": "average_last", "average": 2}, [8, 10]),
        ({"final": "best"}, [4]),
        ({"final": "average_best"}, [4, 6]),
        ({"final": "average_best", "average": 9}, [4, 6]),
    ):
        # The run ends in the first round; the other rounds only make its final weights again.
        trainer, result = run(make_trainer, 1, 5, 4, 3, 2, keep_last=3, keep_best=2, **options)
        assert result.final_updates == expected
        weights = []
        model = make_trainer("other").model
        for update in expected:
            read_weights(trainer.directory / "checkpoints" / f"update-{update}.weights.h5", model)
            weights.append(model.get_weights())
        read_weights(result.weights, model)
        for final, in_trainer, *saved in zip(model.get_weights(), trainer.model.get_weights(), *weights, strict=True):
            np.testing.assert_allclose(final, np.mean(saved, 0), rtol=1e-5, atol=1e-7)
            np.testing.assert_array_equal(final, in_trainer)


def test_the_time_limit_covers_all_starts(make_trainer: Make) -> None:
    trainer = make_trainer(max_updates=None, time_limit=0.5)
    result = trainer.train()
    assert result.reason == "time_limit"
    assert result.update > 0
    assert result.seconds >= 0.5
    again = make_trainer(max_updates=None, time_limit=0.5)
    assert again.train().update == result.update


def test_keras_callbacks(make_trainer: Make, tmp_path: Path) -> None:
    class Recorder(keras.callbacks.Callback):
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[tuple] = []

        def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
            self.calls.append(("begin", epoch))

        def on_epoch_end(self, epoch: int, logs: dict | None = None) -> None:
            self.calls.append(("end", epoch, (logs or {}).get("val_bleu")))

        def on_train_batch_end(self, batch: int, logs: dict | None = None) -> None:
            self.calls.append((batch, round((logs or {})["loss"], 6)))

    early = keras.callbacks.EarlyStopping("val_bleu", mode="max", patience=1)
    recorder = Recorder()
    callbacks = [
        recorder,
        early,
        keras.callbacks.CSVLogger(str(tmp_path / "log.csv")),
        keras.callbacks.TensorBoard(str(tmp_path / "board")),
        keras.callbacks.ReduceLROnPlateau("val_bleu", mode="max", patience=5),
    ]
    trainer, result = run(make_trainer, 2, 1, 1, callbacks=callbacks, max_updates=100)
    assert result.reason == "callback"
    assert result.update == 4
    losses = [round(loss, 6) for loss in losses_of(trainer)]
    assert recorder.calls == [
        ("begin", 0), (0, losses[0]), (1, losses[1]), ("end", 0, 2.0),
        ("begin", 1), (2, losses[2]), (3, losses[3]), ("end", 1, 1.0),
    ]  # fmt: skip
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3
    assert list((tmp_path / "board").rglob("events.*"))


def test_tensorboard(make_trainer: Make) -> None:
    trainer, _ = run(make_trainer, 2, tensorboard=True)
    file = next((trainer.directory / "tensorboard").glob("events.*"))
    seen = {
        (value.tag, event.step)
        for event in tf.compat.v1.train.summary_iterator(str(file))
        for value in event.summary.value
    }
    assert {("loss", 1), ("loss", 10), ("val_bleu", 2)} <= seen


def test_the_progress_has_all_numbers(make_trainer: Make) -> None:
    reports: list[str] = []
    make_trainer(max_updates=6, log_every=3, report=reports.append).train()
    assert len(reports) == 3
    for word in ("update 3/6", "loss", "perplexity", "tokens/s", "learning rate", "gradient", "left"):
        assert word in reports[0]


def test_starts_from_another_model(make_trainer: Make, make_model: Callable[..., keras.Model]) -> None:
    source = make_model(seed=7)
    trainer = make_trainer(init_from=source, max_updates=1, optimizer=lambda: make_optimizer("sgd", 0.0))
    trainer.train()
    assert_same(source.get_weights(), trainer.model.get_weights())
    # A resumed run takes its checkpoint instead.
    again = make_trainer(init_from=make_model(seed=8), max_updates=1, optimizer=lambda: make_optimizer("sgd", 0.0))
    again.train()
    assert_same(source.get_weights(), again.model.get_weights())


def test_mixed_bfloat16_learns(make_trainer: Make, make_model: Callable[..., keras.Model]) -> None:
    keras.config.set_dtype_policy("mixed_bfloat16")
    trainer = make_trainer(accumulation_steps=2, max_updates=40)
    trainer.train()
    losses = losses_of(trainer)
    assert losses[-1] < losses[0] - 0.1
    assert all(weight.dtype == np.float32 for weight in trainer.model.get_weights())


def scaled_adam(scale: float = 2.0**10) -> keras.optimizers.Optimizer:
    return keras.optimizers.LossScaleOptimizer(make_optimizer("adam", 0.01, clip=0.5), initial_scale=scale)


def test_mixed_float16_learns_as_float32_does(make_trainer: Make) -> None:
    trainer = make_trainer("float32")
    trainer.train()
    expected = log_of(trainer)
    keras.config.set_dtype_policy("mixed_float16")
    trainer = make_trainer("float16", replicas=2, optimizer=scaled_adam)
    trainer.train()
    log = log_of(trainer)
    assert trainer.num_traces == 1
    assert [(line["skipped_updates"], line["loss_scale"]) for line in log] == [(0, 2.0**10)] * 10
    for key, tolerance in (("loss", 2e-3), ("gradient_norm", 2e-2)):
        np.testing.assert_allclose([x[key] for x in log], [x[key] for x in expected], rtol=tolerance)


def test_a_too_large_loss_scale_is_halved_until_gradients_are_finite(make_trainer: Make) -> None:
    keras.config.set_dtype_policy("mixed_float16")
    trainer = make_trainer(optimizer=lambda: scaled_adam(2.0**24))
    trainer.train()
    log = log_of(trainer)
    skipped = [line["skipped_updates"] for line in log]
    assert 0 < sum(skipped) < 8
    assert skipped[0] == 1
    assert skipped[-1] == 0
    assert log[-1]["loss_scale"] == 2.0 ** (24 - sum(skipped))
    assert np.isfinite([line["gradient_norm"] for line in log]).all()
    assert int(trainer.optimizer.iterations) == 10 - sum(skipped)


class Explosion(keras.layers.Layer):
    """Returns its inputs, with an infinite gradient for batches that contain a token."""

    def __init__(self, token: int) -> None:
        super().__init__()
        self.token = token

    def call(self, states: tf.Tensor, ids: tf.Tensor) -> tf.Tensor:
        is_there = tf.reduce_any(ids == self.token)

        @tf.custom_gradient
        def explode(x: tf.Tensor) -> Any:
            return tf.identity(x), lambda gradient: tf.where(is_there, np.inf, gradient)

        return explode(states)


@pytest.mark.parametrize("accumulation_steps", [1, 2])
def test_an_infinite_gradient_on_one_replica_is_skipped_by_all(
    make_trainer: Make, make_model: Callable[..., keras.Model], accumulation_steps: int
) -> None:
    sentences = [[4 + i % 10] * 3 for i in range(63)]
    sentences.insert(20, [19] * 3)  # one line of the corpus: one part of one batch
    corpus = ParallelCorpus.from_lists(sentences, sentences)

    def model() -> keras.Model:
        model = make_model()
        hidden = Explosion(19)(model.get_layer("hidden").output, model.inputs[0])
        return keras.Model(model.inputs, model.get_layer("output")(hidden))

    changes: list[bool] = []

    class Watch(keras.callbacks.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            self.before = self.model.get_weights()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            after = self.model.get_weights()
            changes.append(any((a != b).any() for a, b in zip(self.before, after, strict=True)))
            self.before = after

    trainer = make_trainer(
        replicas=2,
        accumulation_steps=accumulation_steps,
        model=model,
        data=TrainingBatches(corpus, batch_size=16, batch_unit="sentences", seed=1),
        optimizer=scaled_adam,
        max_updates=4,  # one epoch
        callbacks=[Watch()],
    )
    trainer.train()
    skipped = [line["skipped_updates"] for line in log_of(trainer)]
    assert sorted(skipped) == [0, 0, 0, 1]
    assert changes == [number == 0 for number in skipped]
    for variable in [*trainer.model.trainable_variables, *trainer.optimizer.variables]:
        copies = trainer.strategy.experimental_local_results(variable.value)
        assert_same([copies[0].numpy()], [copies[1].numpy()])
        assert np.isfinite(copies[0].numpy()).all()


def test_gradients_that_no_scale_makes_finite_end_the_run(
    make_trainer: Make, make_model: Callable[..., keras.Model]
) -> None:
    def model() -> keras.Model:
        model = make_model()
        hidden = Explosion(3)(model.get_layer("hidden").output, keras.ops.full_like(model.inputs[0], 3))
        return keras.Model(model.inputs, model.get_layer("output")(hidden))

    trainer = make_trainer(model=model, optimizer=lambda: scaled_adam(8.0))
    with pytest.raises(UserError, match=r"not finite at update 5, .*line numbers"):  # at the scales 8, 4, 2, 1: skipped
        trainer.train()


# Errors.


def test_an_update_that_is_not_finite_names_the_lines_and_saves_nothing(
    make_trainer: Make, batches: TrainingBatches
) -> None:
    trainer = make_trainer(
        optimizer=lambda: keras.optimizers.SGD(
            # The fifth update makes the weights infinite, which the sixth update detects.
            keras.optimizers.schedules.PiecewiseConstantDecay([3], [0.01, 1e38])
        ),
        save_every=3,
        log_every=100,
    )
    with pytest.raises(UserError, match="update 6") as error:
        trainer.train()
    lines = next(iter(batches.dataset(5)))["line_numbers"].numpy()
    assert ", ".join(map(str, sorted(lines[lines >= 0]))) in str(error.value)
    assert json.loads((trainer.directory / "checkpoints" / "index.json").read_text())["last"] == [3]
    assert not (trainer.directory / "model.weights.h5").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normalize_by": "words"}, "normalize_by='words'"),
        ({"final": "first"}, "final='first'"),
        ({"final": "best"}, "final='best'"),
        ({"average": 0}, "average=0"),
        ({"log_every": 0}, "every=0"),
        ({"evaluate": dict, "evaluate_every": 0}, "every=0"),
        ({"evaluate": dict, "evaluate_every": 1, "patience": 0}, "patience=0"),
        ({"save_every": 0}, "every=0"),
        ({"keep_best": -1}, "keep_best=-1"),
        ({"max_updates": 0}, "max_updates=0"),
        ({"loss": "mse"}, "needs a method `terms.*loss='mse'"),
        ({"max_updates": None}, "Nothing would end"),
        ({"keep_last": 0}, "keep_last=0"),
        ({"accumulation_steps": 0}, "accumulation_steps=0"),
    ],
)
def test_contradicting_arguments_are_rejected(make_trainer: Make, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_trainer(**options)


class Batches:
    """Custom data: `change` makes the elements from the elements of `TrainingBatches`."""

    def __init__(self, batches: TrainingBatches, change: Callable[[dict[str, tf.Tensor]], Any] | None) -> None:
        self.batches, self.change = batches, change

    def dataset(self, *arguments: Any, **options: Any) -> Any:
        dataset = self.batches.dataset(*arguments, **options)
        return dataset.map(self.change) if self.change else dataset.take(1).as_numpy_iterator()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: {**x, "source": tf.cast(x["source"], "int64")}, "int64"),
        (lambda x: {**x, "target_output": x["target_output"][0]}, "of rank 2, line_numbers of rank 1. Received: "),
        (lambda x: {key: x[key] for key in x if key != "line_numbers"}, "int32 tensors: source, target_input and"),
        (lambda x: {**x, "weight": x["line_numbers"]}, "weight"),
        (lambda x: (x["source"], x["target_input"]), "data of task 'translation' must give dictionaries"),
        (None, "must give a tf.data.Dataset. Received: dataset="),
    ],
)
def test_other_data_are_rejected_before_the_first_update(
    make_trainer: Make, batches: TrainingBatches, change: Any, message: str
) -> None:
    trainer = make_trainer(data=Batches(batches, change))
    with pytest.raises(UserError, match=message) as error:
        trainer.train()
    assert "\n" not in str(error.value)
    assert trainer.num_traces == 0


def test_float16_without_loss_scaling_is_rejected(make_trainer: Make) -> None:
    keras.config.set_dtype_policy("mixed_float16")
    with pytest.raises(UserError, match=r"LossScaleOptimizer. Received: optimizer=.*Adam"):
        make_trainer()


@pytest.mark.parametrize("interrupted", [False, True])  # saves weights and state; or the state only
def test_a_full_disk_ends_the_run_and_keeps_existing_files(make_trainer: Make, interrupted: bool) -> None:
    class FillTheDisk(keras.callbacks.Callback):
        """Limits files to 4 kB from update 5 on: the system reports the limit like a full disk."""

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 4:
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
                if interrupted:
                    os.kill(os.getpid(), signal.SIGTERM)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    trainer = make_trainer(save_every=3, callbacks=[FillTheDisk()], log_every=100)
    try:
        with pytest.raises(UserError, match=r"Update [56] could not be saved.*Received: folder=.*checkpoints \("):
            trainer.train()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    folder = trainer.directory / "checkpoints"
    assert {path.name for path in folder.iterdir()} == {
        "checkpoint",
        "index.json",
        "state-3.index",
        "state-3.data-00000-of-00001",
        "update-3.weights.h5",
    }
    again = make_trainer(save_every=3, log_every=100)
    again.train()
    assert again.progress.update == 10


def test_an_evaluation_without_the_best_metric_is_rejected(make_trainer: Make) -> None:
    with pytest.raises(UserError, match="best_metric='bleu'"):
        make_trainer(evaluate=lambda: {"chrf": 1.0}, evaluate_every=1).train()
