"""The trainer: the end of a run, the kept weights, callbacks, logs and errors."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import Make, MakeModel, Scores, assert_same, log_of, losses_of

from keras_nmt.data import TrainingBatches
from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights
from keras_nmt.models import Transformer
from keras_nmt.training import (
    Evaluation,
    Saving,
    Trainer,
    TrainingLog,
    TrainingResult,
    make_optimizer,
    training_log,
)
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.final_weights import choose_updates

# The end of a run, and the kept weights.


def run(make_trainer: Make, *scores: float, **options: Any) -> tuple[Trainer, TrainingResult]:
    trainer = make_trainer(evaluate=Scores(*scores), evaluate_every=2, **options)
    return trainer, trainer.train()


def test_patience_ends_the_run_and_the_best_weights_are_found(make_trainer: Make) -> None:
    trainer, result = run(make_trainer, 1, 3, 2, 3, 0, patience=2, keep_best=2, final_weights="best", max_updates=100)
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


@pytest.mark.parametrize("metric", ["loss", "nll", "perplexity", "ter", "loss_de-en", "ter_de-en_newstest"])
def test_lower_is_better_for_losses_and_error_rates(make_trainer: Make, metric: str) -> None:
    options = {"evaluate_every": 2, "best_metric": metric, "final_weights": "best", "max_updates": 4}
    trainer = make_trainer(evaluate=lambda: {metric: trainer.progress.update}, **options)
    result = trainer.train()
    assert (result.best_update, result.final_updates) == (2, [2])


def test_tokens_per_second_are_those_of_updates_without_evaluations(
    make_trainer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(training_log, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def after(seconds: float) -> dict[str, float]:
        now[0] += seconds
        return {"bleu": 1.0}

    update = keras.callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: after(1.0))
    options = {"evaluate_every": 2, "max_updates": 4, "log_every": 4, "callbacks": [update]}
    trainer = make_trainer(evaluate=lambda: after(100.0), optimizer=lambda: make_optimizer("sgd", 0.1), **options)
    trainer.train()
    (line,) = (line for line in TrainingLog(trainer.log.file.path).read() if "loss" in line)
    assert line["tokens_per_second"] == pytest.approx(line["tokens"] / 4)


def test_the_time_left_is_at_the_pace_of_the_last_round_evaluation_included(
    make_trainer: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(training_log, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def after(seconds: float) -> dict[str, float]:
        now[0] += seconds
        return {"bleu": 1.0}

    # The first two updates wait for a slow machine.
    update = keras.callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: after(100.0 if batch < 2 else 1.0))
    reports: list[str] = []
    options = {"evaluate_every": 2, "max_updates": 10, "log_every": 1, "callbacks": [update], "report": reports.append}
    make_trainer(evaluate=lambda: after(4.0), optimizer=lambda: make_optimizer("sgd", 0.1), **options).train()
    (line,) = (line for line in reports if line.startswith("update 6/10"))
    assert line.endswith("  0:00:12 left")  # 4 updates of 1 second, and 4 seconds of evaluation for two updates


@pytest.mark.parametrize(
    ("after", "options", "expected"),
    [
        (2.0, {"final_weights": "last"}, [10]),
        (2.0, {"final_weights": "best"}, [4]),
        # The average is better than the best alone, as good, or worse.
        (31.0, {"final_weights": "average_last"}, [6, 10]),
        (30.0, {"final_weights": "average_last", "average": 2}, [10]),
        (30.0, {"final_weights": "average_best"}, [4, 10]),
        (30.0, {"final_weights": "average_best", "average": 9}, [4, 10]),
        (29.9, {"final_weights": "average_last"}, [4]),
        (29.9, {"final_weights": "average_best"}, [4]),
    ],
)
def test_final_weights(make_trainer: Make, after: float, options: dict[str, Any], expected: list[int]) -> None:
    lines: list[str] = []
    scores = (2.0, 30.0, 29.1, 20.0, 29.4, after, 30.0)  # of the updates 2, 4 ... 10, and of the final weights
    trainer, result = run(make_trainer, *scores, keep_last=3, keep_best=2, report=lines.append, **options)
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
    (logged,) = (line for line in log_of(trainer) if "final" in line)
    assert logged["final"] == expected
    compared = [line for line in lines if "on the development data" in line]
    if options["final_weights"] == "best":
        assert not compared
    else:
        (line,) = compared
        assert line.startswith("bleu on the development data: ")
        found = re.search(
            r": (\S+) for .*, 30 for update 4, (\S+) apart: (.* updates|update) (\S+) ?(\S*) is taken", line
        )
        assert found is not None
        assert [float(found[1]), float(found[2])] == pytest.approx([after, abs(after - 30)], abs=0.01)
        assert [int(update.rstrip(",")) for update in found.groups()[3:] if update] == expected
        assert ('final_weights="best"' in line) == (options["final_weights"] == "last")


def test_averages_keep_to_the_plateau_of_losses_and_of_saves_without_a_score() -> None:
    evaluation = Evaluation(evaluate=dict, every=1, best_metric="loss_de-en")
    saved = [100, 200, 300, 400, 500]
    progress = Progress(scores={100: 2.0, 300: 1.53, 500: 1.5}, saved=saved, last=saved)
    assert choose_updates(Saving(), progress, evaluation) == [200, 300, 400, 500]  # 200 is nearer to 300
    assert choose_updates(Saving(average=2), progress, evaluation) == [400, 500]
    assert choose_updates(Saving(final_weights="average_best", keep_best=2), progress, evaluation) == [500, 300]
    progress.scores[500] = 1.6
    assert choose_updates(Saving(average=2), progress, evaluation) == [300]  # the best one instead of none
    unscored = Progress(saved=saved, last=saved[1:])
    assert choose_updates(Saving(), unscored, None) == saved[1:]
    assert choose_updates(Saving(keep_last=3), unscored, None) == saved[2:]


def test_a_best_save_is_no_last_save_where_more_are_kept_later(make_trainer: Make) -> None:
    scores = (30.0, 29.9, 29.8, 29.7, 29.6, 29.5)  # of the updates 2, 4 ... 10, and of the final weights
    run(make_trainer, *scores, keep_last=2, keep_best=2)
    trainer, result = run(make_trainer, *scores, keep_last=5, keep_best=2)
    assert trainer.progress.saved == [2, 4, 8, 10]
    assert result.final_updates == [8, 10]


def test_without_any_kept_weights_a_run_cannot_end(make_trainer: Make) -> None:
    trainer, _ = run(make_trainer, 30.0, 29.9, 29.8, 29.7, 29.6, 29.5)
    for path in (trainer.directory / "checkpoints").glob("update-*.weights.h5"):
        path.unlink()
    with pytest.raises(UserError, match="weights of all saves are missing: restore them, or train further. Received"):
        run(make_trainer, 30.0)


@pytest.mark.parametrize("ema", [None, 0.5])
def test_a_run_that_starts_from_other_weights_may_end_with_them(make_trainer: Make, make_copier, ema) -> None:
    source = make_copier(seed=7)
    optimizer = lambda: make_optimizer("adam", 0.01, ema=ema)  # noqa: E731
    options = {"init_from": source, "final_weights": "best", "optimizer": optimizer, "max_updates": 4}
    seen = []

    def evaluate() -> dict[str, float]:
        seen.append(trainer.model.get_weights())
        return {"bleu": 30.0 - len(seen)}

    epochs: list[int] = []
    callback = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: epochs.append(epoch))
    trainer = make_trainer(evaluate=evaluate, evaluate_every=2, callbacks=[callback], **options)
    result = trainer.train()
    assert (result.best_update, result.final_updates) == (0, [0])
    assert epochs == [0, 1]
    assert_same(seen[0], source.get_weights())
    assert_same(trainer.model.get_weights(), source.get_weights())
    updates = [line["update"] for line in log_of(trainer) if "val_bleu" in line and "final" not in line]
    assert updates == [0, 2, 4]
    continued = make_trainer(evaluate=evaluate, evaluate_every=2, **{**options, "max_updates": 6})
    continued.train()
    updates = [line["update"] for line in log_of(continued) if "val_bleu" in line and "final" not in line]
    assert updates == [0, 2, 4, 6]


def test_a_failed_evaluation_of_the_start_comes_again(make_trainer: Make, make_copier) -> None:
    options = {"init_from": make_copier(seed=7), "evaluate_every": 5, "max_updates": 5}

    def fail() -> dict[str, float]:
        raise RuntimeError("a failed evaluation")

    with pytest.raises(RuntimeError, match="a failed evaluation"):
        make_trainer(evaluate=fail, **options).train()
    trainer = make_trainer(evaluate=Scores(3.0, 1.0), **options)
    assert trainer.train().best_update == 0


def test_the_last_updates_are_logged(make_trainer: Make) -> None:
    trainer = make_trainer(max_updates=5, log_every=3)
    trainer.train()
    lines = [line for line in log_of(trainer) if "loss" in line]
    assert [line["update"] for line in lines] == [3, 5]
    each = make_trainer("each", max_updates=5, log_every=1)
    each.train()
    losses = [(line["loss"], line["tokens"]) for line in log_of(each) if "loss" in line]
    before = losses[2][1]
    sizes = np.diff([before, *(tokens for _, tokens in losses[3:])])
    assert lines[1]["loss"] == pytest.approx(np.dot(sizes, [loss for loss, _ in losses[3:]]) / sizes.sum(), rel=1e-5)


def test_the_time_limit_covers_all_starts(make_trainer: Make) -> None:
    trainer = make_trainer(max_updates=None, time_limit=0.5 / 60)
    result = trainer.train()
    assert result.reason == "time_limit"
    assert result.update > 0
    assert result.seconds >= 0.5
    again = make_trainer(max_updates=None, time_limit=0.5 / 60)
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


def test_the_progress_has_all_numbers(make_trainer: Make) -> None:
    reports: list[str] = []
    make_trainer(max_updates=6, log_every=3, report=reports.append).train()
    assert len(reports) == 3
    for word in ("update 3/6", "loss", "perplexity", "tokens/s", "learning rate", "gradient", "left"):
        assert word in reports[0]


def test_starts_from_another_model(make_trainer: Make, make_copier: MakeModel) -> None:
    source = make_copier(seed=7)
    trainer = make_trainer(init_from=source, max_updates=1, optimizer=lambda: make_optimizer("sgd", 0.0))
    trainer.train()
    assert_same(source.get_weights(), trainer.model.get_weights())
    # A resumed run takes its checkpoint instead.
    again = make_trainer(init_from=make_copier(seed=8), max_updates=1, optimizer=lambda: make_optimizer("sgd", 0.0))
    again.train()
    assert_same(source.get_weights(), again.model.get_weights())


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
        ({"final_weights": "first"}, "final_weights='first'"),
        ({"final_weights": "best"}, "final_weights='best'"),
        ({"average": 0}, "average=0"),
        ({"log_every": 0}, "every=0"),
        ({"evaluate": dict, "evaluate_every": 0}, "every=0"),
        ({"evaluate": dict, "evaluate_every": 1, "patience": 0}, "patience=0"),
        ({"save_every": 0}, "every=0"),
        ({"keep_best": -1}, "keep_best=-1"),
        ({"max_updates": 0}, "max_updates=0"),
        ({"loss": "mse"}, "must have a method `terms.*loss='mse'"),
        ({"max_updates": None}, "Missing end of the training"),
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
        (lambda x: {key: x[key] for key in x if key != "line_numbers"}, "int32 tensors: source, target_input, "),
        (lambda x: {**x, "weight": x["line_numbers"]}, "weight"),
        (lambda x: (x["source"], x["target_input"]), "`dataset` of task 'translation' must have dictionaries"),
        (None, "must return a tf.data.Dataset. Received: "),
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


@pytest.mark.parametrize("sizes", [(10, 20), (20, 10)])
def test_ids_outside_of_the_vocabulary_are_rejected(
    batches: TrainingBatches, tmp_path, make_any_trainer, sizes
) -> None:
    """XLA and GPUs would train on other embeddings."""
    model = Transformer(
        *sizes, num_encoder_layers=1, num_decoder_layers=1, hidden_dim=8, intermediate_dim=8, num_heads=1
    )
    trainer = make_any_trainer(
        model, batches, tmp_path, optimizer=keras.optimizers.Adam(), max_updates=1, jit_compile=True
    )
    side = "source" if sizes[0] == 10 else "target"
    rule = f"^Ids of task 'translation' must be below 10, the model's `{side}_vocabulary_size`"
    with pytest.raises(UserError, match=rf"{rule}. Received: \w+=1\d$"):
        trainer.train()


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
    assert {path.name for path in folder.iterdir()} == {"index.json", "state-3.h5", "update-3.weights.h5"}
    again = make_trainer(save_every=3, log_every=100)
    again.train()
    assert again.progress.update == 10


def test_an_evaluation_without_the_best_metric_is_rejected(make_trainer: Make) -> None:
    with pytest.raises(UserError, match="best_metric='bleu'"):
        make_trainer(evaluate=lambda: {"chrf": 1.0}, evaluate_every=1).train()
