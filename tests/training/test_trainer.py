"""The trainer: the end of a run, the kept weights, callbacks, logs and errors."""

import fcntl
import json
import os
import re
import resource
import shutil
import signal
from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
from training_runs import assert_same, evaluated_updates, log_of, losses_of, make_copier, scores, trainer_of

from keras_nmt.errors import UserError
from keras_nmt.files.weights_file import read_weights
from keras_nmt.models import Transformer
from keras_nmt.training import Evaluation, Logging, Saving, StopCriteria, UpdateConfig, make_optimizer, training_log
from keras_nmt.training.checkpoints import Progress
from keras_nmt.training.final_weights import choose_updates
from keras_nmt.training.tasks import check_element

# The end of a run, and the kept weights.


def test_patience_ends_the_run_and_the_best_weights_are_found(make_trainer):
    options = {"patience": 2, "keep_best": 2, "final_weights": "best", "max_updates": 100}
    trainer = make_trainer(evaluate=scores(1, 3, 2, 3, 0), evaluate_every=2, **options)
    result = trainer.train()
    assert (result.reason, result.update, result.best_update, result.best_score) == ("patience", 8, 4, 3.0)
    assert result.final_updates == [4]
    assert result.final_metrics == {"bleu": 0.0, "chrf": 1.0}
    index = json.loads((trainer.directory / "checkpoints" / "index.json").read_text())
    assert index["best"] == [4, 8]
    assert index["scores"]["4"] == 3.0
    best = make_copier()
    read_weights(trainer.directory / "checkpoints" / "update-4.weights.h5", best)
    assert_same(best.get_weights(), trainer.model.get_weights())
    evaluations = [line for line in log_of(trainer) if "val_bleu" in line and "final" not in line]
    assert [(line["update"], line["val_bleu"]) for line in evaluations] == [(2, 1.0), (4, 3.0), (6, 2.0), (8, 3.0)]


def test_evaluations_count_for_the_time_left_and_not_for_tokens_per_second(make_trainer, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(training_log, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def after(seconds):
        now[0] += seconds
        return {"bleu": 1.0}

    # The first two updates wait for a slow machine.
    update = keras.callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: after(100.0 if batch < 2 else 1.0))
    reports = []
    options = {"evaluate_every": 2, "max_updates": 10, "log_every": 2, "callbacks": [update], "report": reports.append}
    trainer = make_trainer(evaluate=lambda: after(4.0), optimizer=lambda: make_optimizer("sgd", 0.1), **options)
    trainer.train()
    (line,) = (line for line in reports if line.startswith("update 6/10"))
    assert line.endswith("  0:00:12 left")  # 4 updates of 1 second, and 4 seconds of evaluation for two updates
    lines = [line for line in training_log.TrainingLog(trainer.log.file.path).read() if "loss" in line]
    assert lines[2]["tokens_per_second"] == pytest.approx((lines[2]["tokens"] - lines[1]["tokens"]) / 2)


@pytest.fixture(scope="module")
def evaluated_run(made_once, batches):
    """The folder of a run with evaluations of the updates 2, 4 ... 10."""

    def make(folder):
        options = {"evaluate": scores(2.0, 30.0, 29.1, 20.0, 29.4), "evaluate_every": 2, "keep_last": 3, "keep_best": 2}
        trainer = trainer_of(make_copier(), batches, folder / "run", optimizer=adam(), max_updates=10, **options)
        trainer.train()

    return made_once("evaluated run", make) / "run"


def adam(**options):
    return make_optimizer("adam", 0.01, clip=0.5, **options)


@pytest.mark.slow
def test_final_weights(make_trainer, evaluated_run, tmp_path):
    for number, (after, options, expected) in enumerate(
        [
            (2.0, {"final_weights": "last"}, [10]),
            (2.0, {"final_weights": "best"}, [4]),
            # The average is better than the best alone, as good, or worse.
            (31.0, {"final_weights": "average_last"}, [6, 10]),
            (30.0, {"final_weights": "average_last", "average": 2}, [10]),
            (30.0, {"final_weights": "average_best", "average": 9}, [4, 10]),
            (29.9, {"final_weights": "average_last"}, [4]),
            (29.9, {"final_weights": "average_best"}, [4]),
        ]
    ):
        shutil.copytree(evaluated_run, tmp_path / f"{number}")
        lines = []
        options |= {"evaluate": scores(after, 30.0), "evaluate_every": 2, "keep_last": 3, "keep_best": 2}
        trainer = make_trainer(f"{number}", report=lines.append, **options)
        result = trainer.train()
        assert result.final_updates == expected
        weights, model = [], make_copier()
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
        assert len(compared) == (options["final_weights"] != "best")
        for line in compared:
            found = re.search(r": (\S+) for .*, 30 for update 4, (\S+) apart: .*(?:updates|update) (.*) is taken", line)
            assert [float(found[1]), float(found[2])] == pytest.approx([after, abs(after - 30)], abs=0.01)
            assert [int(update) for update in found[3].split(", ")] == expected
            assert ('final_weights="best"' in line) == (options["final_weights"] == "last")


def test_averages_keep_to_the_plateau_of_losses_and_of_saves_without_a_score():
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


@pytest.mark.slow
def test_without_any_kept_weights_a_run_cannot_end(make_trainer, evaluated_run, tmp_path):
    shutil.copytree(evaluated_run, tmp_path / "run")
    for path in (tmp_path / "run" / "checkpoints").glob("update-*.weights.h5"):
        path.unlink()
    with pytest.raises(UserError, match="weights of all saves are missing"):
        make_trainer(evaluate=scores(30.0), evaluate_every=2).train()


@pytest.mark.slow
def test_a_run_that_starts_from_other_weights_may_end_with_them(make_trainer):
    source, seen, epochs = make_copier(seed=7), [], []

    def evaluate():
        seen.append(trainer.model.get_weights())
        if len(seen) == 1:
            raise RuntimeError("a failed evaluation")
        return {"bleu": 30.0 - len(seen)}

    callback = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: epochs.append(epoch))
    options = {"evaluate": evaluate, "evaluate_every": 2, "final_weights": "best", "optimizer": lambda: adam(ema=0.5)}
    trainer = make_trainer(init_from=source, max_updates=4, callbacks=[callback], **options)
    with pytest.raises(RuntimeError, match="a failed evaluation"):
        trainer.train()
    trainer = make_trainer(init_from=source, max_updates=4, callbacks=[callback], **options)
    result = trainer.train()
    assert (result.best_update, result.final_updates) == (0, [0])
    assert epochs == [0, 1]
    for weights in (seen[0], seen[1], trainer.model.get_weights()):
        assert_same(weights, source.get_weights())
    assert evaluated_updates(trainer) == [0, 2, 4]
    # A resumed run takes its checkpoint instead.
    continued = make_trainer(init_from=make_copier(seed=8), max_updates=6, **options)
    assert continued.train().final_updates == [0]
    assert evaluated_updates(continued) == [0, 2, 4, 6]
    assert_same(continued.model.get_weights(), source.get_weights())


def test_the_last_updates_are_logged_and_a_line_is_the_mean_of_its_updates(make_trainer, monkeypatch):
    reports, updates, epochs = [], [], []
    callback = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: epochs.append((epoch, len(updates))))
    options = {"save_every": 3, "callbacks": [callback], "report": reports.append}
    trainer = make_trainer(max_updates=5, log_every=3, **options)
    add = trainer._measurements.add
    monkeypatch.setattr(trainer._measurements, "add", lambda *given: (add(*given), updates.append(given[2].numpy())))
    trainer.train()
    assert epochs == [(0, 3), (1, 5)]  # without evaluations, the time between saves
    lines = [line for line in log_of(trainer) if "loss" in line]
    assert [line["update"] for line in lines] == [3, 5]
    for line, part in zip(lines, (updates[:3], updates[3:]), strict=True):
        loss, nll, _, tokens, *_ = np.sum(part, 0)
        assert line["loss"] == pytest.approx(loss / tokens, rel=1e-5)
        assert line["perplexity"] == pytest.approx(np.exp(nll / tokens), rel=1e-5)
    for word in ("update 3/5", "loss", "perplexity", "tokens/s", "learning rate", "gradient", "left"):
        assert word in reports[0]


def test_keras_callbacks(make_trainer, tmp_path):
    calls = []
    recorder = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: calls.append(("begin", epoch)),
        on_epoch_end=lambda epoch, logs: calls.append(("end", epoch, logs["val_bleu"])),
        on_train_batch_end=lambda batch, logs: calls.append((batch, round(logs["loss"], 6))),
    )
    callbacks = [
        recorder,
        keras.callbacks.EarlyStopping("val_bleu", mode="max", patience=1),
        keras.callbacks.CSVLogger(str(tmp_path / "log.csv")),
        keras.callbacks.TensorBoard(str(tmp_path / "board")),
        keras.callbacks.ReduceLROnPlateau("val_bleu", mode="max", patience=5),
    ]
    trainer = make_trainer(evaluate=scores(2, 1, 1), evaluate_every=2, callbacks=callbacks, max_updates=100)
    result = trainer.train()
    assert (result.reason, result.update) == ("callback", 4)
    losses = [round(loss, 6) for loss in losses_of(trainer)]
    assert calls == [
        ("begin", 0), (0, losses[0]), (1, losses[1]), ("end", 0, 2.0),
        ("begin", 1), (2, losses[2]), (3, losses[3]), ("end", 1, 1.0),
    ]  # fmt: skip
    assert len((tmp_path / "log.csv").read_text().splitlines()) == 3
    assert list((tmp_path / "board").rglob("events.*"))


# Errors.


def test_an_update_that_is_not_finite_names_the_lines_and_saves_nothing(make_trainer, batches):
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
    assert {path.name for path in (trainer.directory / "checkpoints").glob("state-*")} == {"state-3.h5"}
    assert not (trainer.directory / "model.weights.h5").exists()


def test_two_runs_cannot_share_a_folder(make_trainer, tmp_path):
    (tmp_path / "run").mkdir()
    with open(tmp_path / "run" / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as another process holds it
        with pytest.raises(UserError, match="Another run is using this folder"):
            make_trainer().train()
        assert [path.name for path in (tmp_path / "run").iterdir()] == [".lock"]


def test_contradicting_arguments_are_rejected(make_trainer):
    for make, options, message in (
        (UpdateConfig, {"normalize_by": "words"}, "normalize_by='words'"),
        (UpdateConfig, {"accumulation_steps": 0}, "accumulation_steps=0"),
        (UpdateConfig, {"alignment_weight": 0.0}, "`alignment_weight` must be positive"),
        (UpdateConfig, {"seed": 2**32}, "seed=4294967296"),
        (StopCriteria, {"max_updates": 0}, "max_updates=0"),
        (Logging, {"every": 0}, "every=0"),
        (Evaluation, {"evaluate": dict, "every": 1, "patience": 0}, "patience=0"),
        (Saving, {"every": 0}, "every=0"),
        (Saving, {"final_weights": "first"}, "final_weights='first'"),
        (Saving, {"final_weights": "last", "average": 2}, "average=2"),
        (Saving, {"keep_last": 0}, "keep_last=0"),
        (make_trainer, {"final_weights": "best"}, "final_weights='best'"),
        (make_trainer, {"final_weights": "ema"}, "final_weights='ema'"),
        (make_trainer, {"optimizer": lambda: adam(ema=0.5), "final_weights": "last"}, "final_weights='last'"),
        (make_trainer, {"max_updates": None}, "Missing end of the training"),
    ):
        with pytest.raises(UserError, match=message):
            make(**options)
    keras.config.set_dtype_policy("mixed_float16")
    with pytest.raises(UserError, match=r"LossScaleOptimizer. Received: optimizer=.*Adam"):
        make_trainer()


def test_other_data_are_rejected_before_the_first_update(batches):
    for change, message in (
        (lambda x: {**x, "source": tf.cast(x["source"], "int64")}, "int64"),
        (lambda x: {**x, "target_output": x["target_output"][0]}, "of rank 2, line_numbers of rank 1. Received: "),
        (lambda x: {key: x[key] for key in x if key != "line_numbers"}, "int32 tensors: source, target_input, "),
        (lambda x: {**x, "weight": x["line_numbers"]}, "weight"),
        (lambda x: (x["source"], x["target_input"]), "`dataset` of task 'a' must have dictionaries"),
    ):
        with pytest.raises(UserError, match=message) as error:
            check_element("a", batches.dataset().map(change))
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("sizes", [(19, 20), (20, 19)])
def test_ids_outside_of_the_vocabulary_are_rejected(make_trainer, sizes):
    """XLA and GPUs would train on other embeddings."""
    layers = {"num_encoder_layers": 1, "num_decoder_layers": 1, "hidden_dim": 8, "intermediate_dim": 8, "num_heads": 1}
    trainer = make_trainer(model=lambda: Transformer(*sizes, **layers))
    side = "source" if sizes[0] == 19 else "target"
    rule = f"^Ids of task 'translation' must be below 19, the model's `{side}_vocabulary_size`"
    with pytest.raises(UserError, match=rf"{rule}. Received: \w+=19$"):
        trainer.train()


# Interrupted, a run saves the state only; else weights, too.
@pytest.mark.parametrize(
    "interrupted", [pytest.param(False, marks=pytest.mark.slow), pytest.param(True, marks=pytest.mark.nightly)]
)
def test_a_full_disk_ends_the_run_and_keeps_existing_files(make_trainer, interrupted):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill_the_disk(batch, logs):
        """Limits files to 4 kB from update 5 on: the system reports the limit like a full disk."""
        if batch == 4:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
            if interrupted:
                os.kill(os.getpid(), signal.SIGTERM)

    fill = keras.callbacks.LambdaCallback(on_train_batch_end=fill_the_disk)
    trainer = make_trainer(save_every=3, callbacks=[fill], log_every=100)
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
