"""The run of an experiment: subwords, batches, model, training and scores, in a model directory."""

from __future__ import annotations

import contextlib
import datetime
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from keras_nmt.data import (
    ParallelCorpus,
    PreparedCorpus,
    SubwordSampling,
    TrainingBatches,
    read_line_pairs,
    read_parallel,
)
from keras_nmt.errors import UserError, check_backend
from keras_nmt.evaluation import corpus_scores
from keras_nmt.experiments.development_scores import development_scores, translate_direction
from keras_nmt.experiments.directions import BY_FILES, BY_PATTERNS, ONE, Direction, Sides, digests_of
from keras_nmt.experiments.experiment import Experiment
from keras_nmt.experiments.experiment_settings import LIMITS
from keras_nmt.experiments.learning_rates import make_optimizer_of, warnings_of_learning_rate
from keras_nmt.experiments.results import (
    OF_MACHINE,
    OF_NO_EFFECT,
    SEARCH,
    START,
    describe_machine,
    differences,
    finished_results,
    hypotheses_path,
    read_digests,
    read_results,
    start_digest,
    subword_names,
    test_line,
    unchanged_files,
)
from keras_nmt.experiments.settings import as_user_errors
from keras_nmt.files.atomic_files import write_json, write_text
from keras_nmt.files.directory_lock import directory_lock
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.prepared_folder import prepared_side
from keras_nmt.inference import Translator
from keras_nmt.inference.search_options import search_limits
from keras_nmt.inference.translation import count_outputs
from keras_nmt.models import LanguageLabelModel, ModelDirectory
from keras_nmt.models.language_label_model import FIRST_LABEL
from keras_nmt.text import SubwordTokenizer, train_subwords
from keras_nmt.training import (
    Budget,
    Computation,
    Evaluation,
    LabelSmoothedCrossEntropy,
    Logging,
    RoleTemperature,
    Saving,
    Start,
    Task,
    TaskSchedule,
    Trainer,
    TrainingResult,
    make_strategy,
)
from keras_nmt.training.role_temperature import one_hot_layers
from keras_nmt.training.task import ONLY as ONLY_TASK
from keras_nmt.training.workers import Workers, is_chief

Report = Callable[[str], None]
# Settings that may change when a run continues, because they change no update: its length, machine and reports, its
# evaluations and saves, and the use of its outcome.
MAY_CHANGE = (
    *("directory", "max_updates", "time_limit", "patience", *OF_MACHINE, "allow_new", "allow_unused"),
    *("log_every", "tensorboard", "evaluate_every", "save_every"),
    *("dev_metrics", "best_metric", "bleu_tokenizer", "dev_sentences", "dev_pairs"),
    *("final", "keep_last", "keep_best", "beam_size", "length_penalty", "min_length"),
    *("test", "test_source", "test_target", "test_pairs"),
)
# Settings of the subwords: a change before the first checkpoint makes the run train new subwords.
OF_SUBWORDS = (
    *("vocabulary_size", "subword_model", "joint_vocabulary", "user_symbols", "subwords", "lowercase", "seed"),
    *("normalization", "character_coverage", "byte_fallback"),
    *("init_from", "architecture", "languages", "pairs"),
)
SAMPLING = "subword_sampling"  # the key of the digests of sampled segmentations in data.json


def run(
    experiment: Experiment,
    report: Report = lambda line: print(line, flush=True),
    callbacks: Sequence[keras.callbacks.Callback] = (),
) -> dict[str, Any]:
    """Trains and evaluates an experiment, and leaves a model directory.

    Args:
        experiment: `Experiment`.
        report: Callable, gets each line of progress. Defaults to printing.
        callbacks: Sequence of Keras callbacks; see `Trainer` for their epochs and logs. Defaults to none.

    Returns:
        The content of `results.json`: updates, seconds, parameters, dev and test scores by direction. On workers
        other than the chief, an empty dict.

    Raises:
        UserError: A file is missing or does not fit, a setting is wrong, or another process uses the directory.
    """
    check_backend("Training")
    if is_chief():
        report("Checking the files of the data")
    experiment.check()
    with directory_lock(experiment.directory) if is_chief() else contextlib.nullcontext():
        return _run(experiment, report, callbacks)


def _run(experiment: Experiment, report: Report, callbacks: Sequence[keras.callbacks.Callback]) -> dict[str, Any]:
    """Runs an experiment that has been checked, in a directory that is locked."""
    e = experiment
    strategy = make_strategy(e.replicas)  # before anything else of TensorFlow: it may make logical devices
    keras.utils.set_random_seed(e.seed)
    if e.deterministic:
        tf.config.experimental.enable_op_determinism()
    folder, workers = ModelDirectory(e.directory), Workers(strategy)
    report = report if workers.is_chief else lambda line: None
    finished = finished_results(e, report) if workers.is_chief else None
    if workers.from_chief(finished is not None):
        return finished or {}
    with workers.chief_first():
        if workers.is_chief:
            record(e, folder)
        tokenizers = make_tokenizers(e, folder, report)
    if e.subword_sampling is not None:
        _check_sampling(e, folder, tokenizers, workers)
    model, batches = build(e, tokenizers, strategy, report)
    for line in warnings_of_learning_rate(e, model.get_config()["hidden_dim"]):
        report(line)
    development = {}
    for direction in e.directions:
        if direction.dev is not None:
            sources, references = read_line_pairs(*direction.dev)
            development[direction] = (sources[: e.dev_sentences], references[: e.dev_sentences])
    search: dict[str, Any] = {name: getattr(e, name) for name in SEARCH}
    search |= search_limits((data.typical_lengths for data in batches.values()), e.max_length)
    if workers.is_chief:
        folder.save_config(model, subwords=subword_names(e), search=search)

    # Greedy and not compiled: fast enough for a score that chooses between checkpoints.
    greedy = Translator(model, tokenizers, **{**search, "beam_size": 1})

    def evaluate() -> dict[str, float]:
        return development_scores(e, greedy, development)

    trainer = make_trainer(
        e,
        model,
        batches,
        strategy,
        e.directory,
        evaluate=evaluate,
        logging=Logging(every=e.log_every, tensorboard=e.tensorboard, report=report),
        callbacks=callbacks,
    )
    report("Training; the first update of each direction takes longer, because its graph is traced")
    result = trainer.train()
    results: dict[str, Any] = {}
    if workers.is_chief:
        results = _results(e, folder, model, result, report)
        write_json(folder.path / "results.json", with_digest(results))
    workers.end()
    return results


def build(
    experiment: Experiment, tokenizers: dict[str, SubwordTokenizer], strategy: tf.distribute.Strategy, report: Report
) -> tuple[Any, dict[str, TrainingBatches]]:
    """Makes the model, and the batches of each direction."""
    e = experiment
    batches = {d.name: _batches(e, d, tokenizers, report) for d in e.directions if d.corpora}
    report("Building the model")
    with as_user_errors(), strategy.scope():
        model = e.make_model({side: tokenizers[side].vocabulary_size for side in e.sides})
    report(
        f"{model.count_params():,} parameters, {len(batches)} direction(s), "
        f"{strategy.num_replicas_in_sync} replica(s), {e.dtype}"
    )
    return model, batches


def make_trainer(
    experiment: Experiment,
    model: Any,
    batches: Mapping[str, Any],
    strategy: tf.distribute.Strategy,
    directory: str | os.PathLike[str],
    *,
    evaluate: Callable[[], Mapping[str, float]] | None = None,
    logging: Logging,
    callbacks: Sequence[keras.callbacks.Callback] = (),
) -> Trainer:
    """Makes the trainer of an experiment, with an optimizer and a task for each direction that has batches.

    `batches` are `TrainingBatches` by direction, or have their `dataset` and `num_pairs`. `evaluate` returns metrics by
    name. Without `evaluate`, training has no evaluations.
    """
    e = experiment
    with as_user_errors(), strategy.scope():
        optimizer = make_optimizer_of(e, model.get_config()["hidden_dim"])
        weights = task_weights(e, {name: data.num_pairs for name, data in batches.items()})
        tasks = [
            Task(
                name=ONLY_TASK if e.languages is None else d.name,
                model=model.pair(*sides_of(e, d)),
                data=batches[d.name],
                weight=weights[d.name],
            )
            for d in e.directions
            if d.name in batches
        ]
    return Trainer(
        model,
        tasks,
        directory,
        optimizer=optimizer,
        loss=LabelSmoothedCrossEntropy(e.label_smoothing),
        computation=Computation(
            strategy=strategy,
            accumulation_steps=e.accumulation_steps,
            normalize_by=e.normalize_by or "tokens",
            jit_compile=e.jit_compile,
            seed=e.seed,
        ),
        budget=Budget(max_updates=e.max_updates, time_limit=None if e.time_limit is None else 60 * e.time_limit),
        evaluation=None
        if evaluate is None
        else Evaluation(
            evaluate=evaluate,
            every=e.evaluate_every,
            best_metric=e.best_metric,
            patience=e.patience,
            scored_by=f"{e.bleu_tokenizer}, {e.dev_sentences or 'all'} sentences of "
            + ", ".join(d.name for d in e.directions if d.dev is not None),
        ),
        saving=Saving(every=e.save_every, keep_last=e.keep_last, keep_best=e.keep_best, final=e.final or ""),
        start=Start(init_from=e.init_from, allow_new=e.allow_new, allow_unused=e.allow_unused),
        logging=logging,
        callbacks=[*([RoleTemperature()] if one_hot_layers(model) else []), *callbacks],
    )


def record(experiment: Experiment, folder: ModelDirectory) -> None:
    """Writes `data.json` and `settings.json` of an experiment into a model directory.

    Raises:
        UserError: The run in the folder began with other data or settings. Nothing is written.
    """
    e, before = experiment, read_digests(folder.data_path)
    of_start = {name: before.pop(name) for name in (SAMPLING, START) if name in before}
    of_data = digests_of(e.directions)

    def without_test(data: dict[str, list[str]]) -> dict[str, list[str]]:
        return {name: data[name] for name in data if not name.startswith("test ")}

    other_text = [name for name in without_test(before) if name in of_data and of_data[name] != before[name]]
    may_change = {*MAY_CHANGE, *unchanged_files(e)} - ({"max_updates"} if e.schedule == "cosine" else set())
    if without_test(before) == without_test(of_data):  # the same lines, wherever they are
        may_change |= {*BY_FILES, *BY_PATTERNS}
    changed = e.changed_settings(may_change) if folder.settings_path.exists() else []
    digests = {**of_data, **start_digest(e)}
    if folder.checkpoints_path.exists():
        if other_text:
            raise UserError(
                f"{folder.path} holds a run that began with other text: take another folder, or the same data. "
                f"Received: {', '.join(other_text)}"
            )
        if changed:
            raise UserError(
                f"{folder.path} holds a run with other settings: take another folder, or the same settings. "
                f"Received: {', '.join(changed)}"
            )
        digests = {**of_data, **of_start}
    elif folder.weights_path.exists():
        raise UserError(
            f"{folder.path} holds a model, and no checkpoints to go on from: take another folder, and give this "
            f"one as `init_from` to start from it. Received: directory={os.fspath(e.directory)}"
        )
    else:
        is_other_text = any(name.startswith("train") for name in other_text)
        if is_other_text or (changed and e.changed_settings(set(e.settings()) - set(OF_SUBWORDS))):
            for path in (folder.config_path, *folder.path.glob("subwords*.model")):  # the digests of subwords first
                path.unlink(missing_ok=True)
    folder.path.mkdir(parents=True, exist_ok=True)
    results = read_results(folder.path)
    if results is not None and differences(e, results, {*OF_NO_EFFECT, *LIMITS}, of_data):
        # Scored in another way. Beside the new settings, the results would pass for new ones if this process is killed.
        (folder.path / "results.json").unlink()
    write_json(folder.data_path, with_digest(digests))
    write_json(folder.settings_path, e.settings())


def task_weights(experiment: Experiment, sizes: dict[str, int]) -> dict[str, float]:
    """Returns the weights of the trained directions, from the number of sentences of each direction."""
    if experiment.task_weights is not None:
        return {name: experiment.task_weights[name] for name in sizes}
    if experiment.task_schedule == "temperature":
        return TaskSchedule.by_temperature(sizes, experiment.temperature).weights
    return dict.fromkeys(sizes, 1.0)


def sides_of(e: Experiment, direction: Direction) -> tuple[str, str]:
    """The names of a direction's languages in the model: "source" and "target" in a Transformer."""
    return ONE if e.architecture == "transformer" else (direction.source, direction.target)


def _batches(
    e: Experiment, direction: Direction, tokenizers: dict[str, SubwordTokenizer], report: Report
) -> TrainingBatches:
    sides = [tokenizers[side] for side in sides_of(e, direction)]
    prefix = "" if e.languages is None else f"{direction.name}: "
    corpora = []
    for files in direction.corpora:
        report(f"{prefix}Reading {files[0]} and {files[1]}")
        corpora.append(_corpus(e, files, sides))
        report(f"{prefix}{corpora[-1].summary()}")
    sampling = None
    if e.subword_sampling is not None:
        sampling = SubwordSampling(*sides, alpha=e.subword_sampling, max_length=e.max_length)
    with as_user_errors():
        batches = TrainingBatches(
            corpora,
            batch_size=e.batch_size,
            batch_unit=e.batch_unit,
            length_buckets=e.length_buckets,
            seed=e.seed,
            weights=direction.weights,
            sampling=sampling,
        )
    report(f"{prefix}{batches.summary()}")
    return batches


def _corpus(e: Experiment, files: Sides, tokenizers: Sequence[SubwordTokenizer]) -> ParallelCorpus | PreparedCorpus:
    keep_text = e.subword_sampling is not None
    if prepared_side(files[0]) is None:
        return read_parallel(*files, *tokenizers, max_length=e.max_length, max_ratio=e.max_ratio, keep_text=keep_text)
    corpus = PreparedCorpus(*files, text=keep_text)
    corpus.check(*tokenizers, max_length=e.max_length, max_ratio=e.max_ratio)
    return corpus


def make_tokenizers(e: Experiment, folder: ModelDirectory, report: Report) -> dict[str, SubwordTokenizer]:
    """The subword models of the folder, which are given, or come from `init_from`, or are trained first."""
    names = subword_names(e)
    for side, path in _given_subwords(e, folder).items():
        if not (folder.path / names[side]).exists():
            SubwordTokenizer(path).save(folder.path / names[side])  # the tokenizer checks the special ids
    for name in dict.fromkeys(names.values()):
        if (folder.path / name).exists():
            continue
        files = _training_files(e, [side for side in e.sides if names[side] == name])
        size = next(e.vocabulary_sizes[side] for side in e.sides if names[side] == name)
        report(f"Training {size:,} subwords ({e.subword_model}) on {len(files)} file(s): {name}")
        train_subwords(files, folder.path / name, vocabulary_size=size, seed=e.seed, **e.subword_settings)
    models = {name: SubwordTokenizer(folder.path / name) for name in dict.fromkeys(names.values())}
    if e.architecture == "language_label":
        _check_labels(e, folder, models[names[e.sides[0]]])
    return {side: models[name] for side, name in names.items()}


def _given_subwords(e: Experiment, folder: ModelDirectory) -> dict[str, Any]:
    """Files of subwords by side: from `subwords`, or from `init_from`, or from prepared corpora."""
    given: dict[str, Any] = {}
    names = subword_names(e)
    for direction in e.directions:
        for sides in direction.corpora:
            for side, path in zip(sides_of(e, direction), sides, strict=True):
                if prepared := prepared_side(path):
                    given.setdefault(side, prepared[0].subwords_path(prepared[1]))
    if e.init_from is not None and not all((folder.path / name).exists() for name in names.values()):
        theirs = ModelDirectory(e.init_from).subword_paths()
        theirs = {side: theirs[side] for side in e.sides if side in theirs}
        given |= theirs
        if len(theirs) > 1 and (len(set(theirs.values())) == 1) != e.joint_vocabulary:
            raise UserError(
                f"The vocabulary of {e.init_from} is {'separate' if e.joint_vocabulary else 'joint'}: set "
                f"`joint_vocabulary` to match. Received: joint_vocabulary={e.joint_vocabulary}"
            )
    if e.subwords is not None:
        given |= e.subwords if isinstance(e.subwords, dict) else dict.fromkeys(e.sides, e.subwords)
    return given


def _training_files(e: Experiment, languages: Sequence[str]) -> list[Any]:
    """The text files in some of the languages: of each direction, first the sources, then the targets."""
    files: dict[Any, None] = {}
    for direction in e.directions:
        for number, language in enumerate(sides_of(e, direction)):
            if language in languages:
                files |= dict.fromkeys(
                    sides[number] for sides in direction.corpora if prepared_side(sides[number]) is None
                )
    return list(files)


def _check_labels(e: Experiment, folder: ModelDirectory, tokenizer: SubwordTokenizer) -> None:
    """The first subwords must be the labels, in this order: the model identifies them by their ids."""
    labels = LanguageLabelModel.labels(e.sides)
    found = tokenizer.pieces(FIRST_LABEL, FIRST_LABEL + len(labels))
    if found != labels:
        raise UserError(
            f"The subwords of {e.subwords or e.init_from or folder.path} begin with other labels: give the languages "
            f"they are for, in that order. Received: languages={list(e.sides)}, subwords {', '.join(found)}"
        )
    tokenizer.check_control_symbols(FIRST_LABEL, FIRST_LABEL + len(labels))


def _check_sampling(
    e: Experiment, folder: ModelDirectory, tokenizers: dict[str, SubwordTokenizer], workers: Workers
) -> None:
    """Segmentations are sampled alike at every start and by all workers, or the run would not be reproducible."""
    assert e.subword_sampling is not None
    own = [tokenizers[side].sampling_digest(e.subword_sampling) for side in e.sides]
    data = read_digests(folder.data_path)
    expected = workers.from_chief(data.get(SAMPLING, own))
    if own != expected:
        raise UserError(
            "Subword sampling gives other segmentations than when the run began, or than on the chief: use the same "
            f"version of this package. Received: digests {', '.join(own)} instead of {', '.join(expected)}"
        )
    if workers.is_chief and SAMPLING not in data:
        write_json(folder.data_path, with_digest({**data, SAMPLING: own}))


def _results(
    e: Experiment, folder: ModelDirectory, model: keras.Model, result: TrainingResult, report: Report
) -> dict[str, Any]:
    """The content of `results.json`, with the scores of the test data, whose translations are written."""
    results: dict[str, Any] = {
        "data": digests_of(e.directions),
        "limits": {name: getattr(e, name) for name in LIMITS},
        "parameters": model.count_params(),
        "updates": result.update,
        "training_seconds": round(result.seconds, 1),
        "ended_by": result.reason,
        "final_updates": result.final_updates,
        "dev_greedy": {name: round(value, 2) for name, value in result.final_metrics.items()},
        "machine": describe_machine(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    tested = {d: d.test for d in e.directions if d.test is not None}
    if not tested:
        return results
    report("Translating the test data")
    start = time.monotonic()
    translator = Translator.from_directory(folder.path)
    results["test"] = {}
    for direction, files in tested.items():
        sources, references = read_line_pairs(*files)
        translations = translate_direction(e, translator, direction, sources)
        hypotheses = [translation.text for translation in translations]
        write_text(hypotheses_path(folder.path, direction.name), "\n".join([*hypotheses, ""]))
        scores = corpus_scores(hypotheses, references, lowercase=e.lowercase, tokenize=e.bleu_tokenizer)
        results["test"][direction.name] = {
            "trained": bool(direction.corpora),
            "outputs": dict(count_outputs(translations)),
            **{name: {"score": round(score.score, 2), "signature": score.signature} for name, score in scores.items()},
        }
        report(test_line(direction.name, results["test"][direction.name]))
    results["test_seconds"] = round(time.monotonic() - start, 1)
    return results
