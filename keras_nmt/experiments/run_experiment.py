"""Runs an experiment in a model directory: subwords, batches, model, training and scores."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras_nmt.data import (
    ParallelCorpus,
    PreparedCorpus,
    SourceNoise,
    SubwordSampling,
    SubwordTokenizer,
    TrainingBatches,
    read_line_pairs,
    read_lines,
    read_parallel,
    train_subwords,
)
from keras_nmt.data.prepared_folder import prepared_side
from keras_nmt.data.word_alignments import parse_pharaoh_alignments
from keras_nmt.errors import UserError, check_backend, require
from keras_nmt.experiments.config import ExperimentConfig, as_user_errors
from keras_nmt.experiments.corpus_files import File, Sides
from keras_nmt.experiments.data_config import Direction, digests_of
from keras_nmt.experiments.model_config import labels_of
from keras_nmt.experiments.results import SAMPLING, finished_results, gpu_names, read_digests, record, subword_names
from keras_nmt.experiments.scores import development_scores, score_test
from keras_nmt.files.atomic_files import directory_lock, write_json
from keras_nmt.files.json_file import with_digest
from keras_nmt.files.model_config import read_model_files
from keras_nmt.files.process_resources import warn_without_bfloat16
from keras_nmt.files.search_options import WITHOUT_SEARCH, SearchOptions, search_limits
from keras_nmt.files.weights_file import weights_digest, written_digest
from keras_nmt.inference import Translator
from keras_nmt.inference.alignment import subword_links
from keras_nmt.models import AttentionBridgeModel, LowRank, ModelDirectory, add_adapter, merge_adapter
from keras_nmt.models.language_label_model import FIRST_LABEL
from keras_nmt.text.sentences import count_sentences
from keras_nmt.training import (
    Evaluation,
    LabelSmoothedCrossEntropy,
    Logging,
    RoleTemperature,
    Task,
    Trainer,
    WarmStart,
    WordDistillation,
    make_strategy,
    warm_start,
)
from keras_nmt.training.callbacks import may_end_run, one_hot_layers
from keras_nmt.training.distribution import Workers, is_chief

Report = Callable[[str], None]


def run(
    config: ExperimentConfig,
    report: Report = lambda line: print(line, flush=True),
    callbacks: Sequence[keras.callbacks.Callback] = (),
) -> dict[str, Any]:
    """Trains and evaluates an experiment in its model directory.

    Args:
        config: `ExperimentConfig`.
        report: Callable that gets each line of progress. Defaults to printing.
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
    strategy = make_strategy(config.training.replicas)  # first: the check makes layers, some of which start TensorFlow
    config.check()
    with directory_lock(config.directory) if is_chief() else contextlib.nullcontext():
        return _run(config, strategy, report, callbacks)


def _run(
    config: ExperimentConfig,
    strategy: tf.distribute.Strategy,
    report: Report,
    callbacks: Sequence[keras.callbacks.Callback],
) -> dict[str, Any]:
    """Runs an experiment after its checks, while its directory is locked."""
    training = config.training
    keras.utils.set_random_seed(training.update.seed)
    if training.deterministic:
        tf.config.experimental.enable_op_determinism()
    folder, workers = ModelDirectory(config.directory), Workers(strategy)
    report = report if workers.is_chief else lambda line: None
    may_be_ended = may_end_run(callbacks)
    finished = finished_results(config, report, may_be_ended=may_be_ended) if workers.is_chief else None
    if workers.from_chief(finished is not None):
        return finished or {}
    with workers.chief_first():
        if workers.is_chief:
            record(config)
        tokenizers = make_tokenizers(config, folder, report)
    if config.subwords.sampling is not None:
        _check_sampling(config, folder, tokenizers, workers)
    model, batches = build(config, tokenizers, strategy, report)
    for line in training.warnings(model.get_config()["hidden_dim"]):
        report(line)
    development = {}
    for direction in config.directions:
        if direction.dev is not None:
            sources, references = read_line_pairs(*direction.dev)
            number = config.evaluation.dev_sentences
            development[direction] = (sources[:number], references[:number])
    lengths = [(x.typical.source_lengths, x.typical.target_lengths) for x in batches.values()]
    search = _search_of_model(config, lengths, report)
    sentences_per_line = _sentences_per_line(config, batches, tokenizers)
    if workers.is_chief:
        folder.save_config(
            model,
            subwords=subword_names(config),
            search=search,
            sentences_per_line=sentences_per_line,
        )

    # Greedy search without XLA is fast, and good enough to compare checkpoints.
    greedy = Translator(model, tokenizers, **{**search, **WITHOUT_SEARCH, "beam_size": 1})
    logging = dataclasses.replace(training.logging, report=report)
    trainer = make_trainer(
        config,
        model,
        batches,
        strategy,
        config.directory,
        evaluate=lambda: development_scores(config, greedy, development),
        logging=logging,
        callbacks=callbacks,
    )
    report("Training; the first update of each direction takes longer, because its graph is traced")
    result = trainer.train()
    results: dict[str, Any] = {}
    if workers.is_chief:
        whole = model
        if config.model.lora is not None:  # the directory gets whole weights, too, as any other
            whole = config.make_model({side: tokenizers[side].vocabulary_size for side in config.sides})
            merge_adapter(whole, result.weights, _load_base(config, whole))
            folder.save_weights(whole)
        tested = whole if training.dtype == "float32" else whole.with_dtype("float32")
        translator = Translator(tested, tokenizers, **search)  # without reading the weights and making a model again
        translator.sentences_per_line = sentences_per_line
        results = {
            "data": digests_of(config.directions),
            "limits": config.limits,
            "parameters": whole.count_params(),
            "trained_parameters": _number_trained(model),
            "updates": result.update,
            "training_seconds": round(result.seconds, 1),
            "ended_by": result.reason,
            "replicas": strategy.num_replicas_in_sync,  # with dropout, each has random numbers of its own
            "final_updates": result.final_updates,
            "weights": written_digest(folder.weights_path),
            "dev_greedy": {name: round(value, 2) for name, value in result.final_metrics.items()},
            **score_test(config, translator, report),
        }
        write_json(folder.path / "results.json", with_digest(results))
    workers.end()
    return results


def build(
    config: ExperimentConfig, tokenizers: dict[str, SubwordTokenizer], strategy: tf.distribute.Strategy, report: Report
) -> tuple[Any, dict[str, TrainingBatches]]:
    """Makes the model, and the batches of each direction."""
    if config.training.teacher is not None:
        _check_subwords_of_teacher(config.training.teacher, tokenizers)
    start = config.training.start.init_from
    if start is not None and not ModelDirectory(config.directory).checkpoints_path.exists():
        _check_subwords_of_start(start, tokenizers)
    batches = {d.name: _batches(config, d, tokenizers, report) for d in config.directions if d.corpora}
    report("Building the model")
    with as_user_errors(), strategy.scope():
        model = config.make_model({side: tokenizers[side].vocabulary_size for side in config.sides})
        if config.model.lora is not None:
            add_adapter(model, LowRank.from_settings(config.model.lora), _load_base(config, model))
    devices = gpu_names() or "CPU"
    if devices == "CPU":
        warn_without_bfloat16(config.training.dtype)
    report(
        f"{model.count_params():,} parameters, {len(batches)} direction(s), "
        f"{strategy.num_replicas_in_sync} replica(s) on {devices}, {config.training.dtype}"
    )
    report(f"{_number_trained(model):,} of them are trained")
    return model, batches


def _sentences_per_line(
    config: ExperimentConfig, batches: Mapping[str, TrainingBatches], tokenizers: Mapping[str, SubwordTokenizer]
) -> int | None:
    """Returns how many sentences the source lines have, but for one in a thousand, in the direction with the most.

    In lower case, sentences cannot be counted by the capital letters at their beginnings: the result is None.
    """
    counts = []
    for direction in config.directions:
        if direction.name in batches:
            tokenizer = tokenizers[direction.sides[0]]
            if tokenizer.lowercases:
                return None
            texts = tokenizer.detokenize(batches[direction.name].typical.source)
            numbers = [count_sentences(text.decode("utf-8", "replace")) for text in texts.numpy()]
            counts.append(np.quantile(numbers, 0.999, method="inverted_cdf"))
    return max(1, *map(int, counts))


def _search_of_model(
    config: ExperimentConfig, lengths: Sequence[tuple[np.ndarray, np.ndarray]], report: Report
) -> dict[str, Any]:
    """Returns the search of the final model: its settings, and limits for its text, within the search of `init_from`.

    `lengths` are those of the text, as for `search_limits`. It reports where the settings are others than those of
    `init_from`.
    """
    own, longest = dataclasses.asdict(config.search), config.data.max_length
    start = config.training.start.init_from
    if start is None:
        return {**own, **search_limits(lengths, longest)}
    folder = ModelDirectory(start)
    if not folder.config_path.is_file():  # a run that goes on does not need its start
        folder = ModelDirectory(config.directory)
    search = {name: value for name, value in folder.read().search.items() if name != "num_hypotheses"}
    if others := [name for name in own if own[name] != search.get(name, getattr(SearchOptions, name))]:
        before, here = (", ".join(f"{name} {of[name]}" for name in others) for of in (search, own))
        report(f"Warning: the model of `init_from` searches with {before}, the model of this run with {here}")
    limits = search_limits(lengths, longest, search.get("max_length_offset", SearchOptions.max_length_offset))
    defaults = {name: getattr(SearchOptions, name) for name in ("max_length_factor", "length_buckets")}
    factors, buckets = ([{**defaults, **of}[name] for of in (search, limits)] for name in defaults)
    return {**search, **own, "max_length_factor": max(factors), "length_buckets": max(buckets, key=max)}


def _load_base(config: ExperimentConfig, model: keras.Model) -> str:
    """Loads the weights of `init_from` into a model with an adapter, and returns their digest."""
    base = ModelDirectory(config.training.start.init_from or "")
    start = base.load_model(dtype="float32")
    if isinstance(model, AttentionBridgeModel) and set(model.languages) != set(start.languages):
        here, there = (", ".join(one.languages) for one in (model, start))
        problem = "An adapter must have all languages of `init_from` and no others: choose directions by `pairs`"
        raise UserError(f"{problem}. Received: languages {here}; of `init_from` {there}")
    has_head = config.data.alignments is None or getattr(start, "alignment_head", None) is not None
    problem = "An adapter learns by the `alignment_head` of its start, which has none: leave out `alignments`"
    require(has_head, f"{problem}. Received: lora, init_from={config.training.start.init_from}")
    other = warm_start(model, start).other_arguments
    problem = "An adapter must have the model of `init_from`: leave out the arguments and the preset that differ"
    require(not other, f"{problem}. Received: {'; '.join(other)}")
    return weights_digest(base.weights_path)


def _check_subwords_of_teacher(teacher: File, tokenizers: Mapping[str, SubwordTokenizer]) -> None:
    """Checks that the teacher has one direction and the subwords of the model."""
    theirs = read_model_files(teacher).subword_paths()
    if set(theirs) != set(tokenizers) or any(
        SubwordTokenizer(path).proto != tokenizers[side].proto for side, path in theirs.items()
    ):
        raise UserError(
            "The teacher must have one direction and the subwords of the model: leave out `subwords.models`, and use "
            f"another folder if this one has subwords already. Received: teacher={teacher}"
        )


def _check_subwords_of_start(start: File, tokenizers: Mapping[str, SubwordTokenizer]) -> None:
    """Checks that rows of embeddings are not taken for those of other subwords. Other numbers of rows do not fit."""
    for side, path in read_model_files(start).subword_paths().items():
        theirs, ours = SubwordTokenizer(path), tokenizers.get(side)
        if ours is not None and theirs.vocabulary_size == ours.vocabulary_size and theirs.proto != ours.proto:
            raise UserError(
                f"The embeddings of {start} belong to other {side} subwords: leave `subwords.models` out, and use "
                f"another folder if this one has subwords already. Received: init_from={start}"
            )


def _number_trained(model: keras.Model) -> int:
    return sum(math.prod(weight.shape) for weight in model.trainable_weights)


def make_trainer(
    config: ExperimentConfig,
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

    `batches` are `TrainingBatches` by direction, or objects with the same `dataset` and `num_pairs`. `evaluate` returns
    metrics by name; without it, training has no evaluations.
    """
    training, settings = config.training, config.evaluation
    with as_user_errors(), strategy.scope():
        optimizer = training.make_optimizer(model.get_config()["hidden_dim"])
        word_distillation = None
        if training.teacher is not None:
            word_distillation = WordDistillation(
                teacher=ModelDirectory(training.teacher).load_model(dtype=training.dtype),
                weight=training.teacher_weight or 0.5,
                temperature=training.teacher_temperature or 1.0,
            )
        weights = training.weights_of_tasks({name: data.num_pairs for name, data in batches.items()})
        tasks = [
            Task(name=d.name, model=model.pair(*d.sides), data=batches[d.name], weight=weights[d.name])
            for d in config.directions
            if d.name in batches
        ]
    evaluation = None
    if evaluate is not None:
        evaluated = ", ".join(d.name for d in config.directions if d.dev is not None)
        number = settings.dev_sentences or "all"
        # Greedy search depends on the least length, and on no other setting of the search.
        shortest = "" if config.search.min_length == 1 else f", at least {config.search.min_length} subwords"
        evaluation = Evaluation(
            evaluate=evaluate,
            every=settings.every,
            best_metric=settings.best_metric,
            patience=settings.patience,
            scored_by=f"{settings.bleu_tokenizer}, {number} sentences of {evaluated}{shortest}",
        )
    return Trainer(
        model,
        tasks,
        directory,
        optimizer=optimizer,
        loss=LabelSmoothedCrossEntropy(training.label_smoothing),
        update_config=dataclasses.replace(training.update, strategy=strategy),
        stop_criteria=training.stop,
        evaluation=evaluation,
        saving=training.saving,
        warm_start=training.start if config.model.lora is None else WarmStart(init_from=model),
        logging=logging,
        callbacks=[*([RoleTemperature()] if one_hot_layers(model) else []), *callbacks],
        word_distillation=word_distillation,
    )


def _batches(
    config: ExperimentConfig, direction: Direction, tokenizers: dict[str, SubwordTokenizer], report: Report
) -> TrainingBatches:
    sides = [tokenizers[side] for side in direction.sides]
    training, alpha = config.training, config.subwords.sampling
    corpora = []
    for number, files in enumerate(direction.corpora):
        report(f"{direction.name}: Reading {files[0]} and {files[1]}")
        corpora.append(_corpus(config, files, sides))
        if direction.alignments:
            corpora[-1] = _aligned(corpora[-1], sides, direction.alignments[number])
        report(f"{direction.name}: {corpora[-1].summary()}")
    sampling, noise = None, config.data.noise
    if alpha is not None or noise is not None:
        made = None if noise is None else SourceNoise.from_settings(noise)
        sampling = SubwordSampling(*sides, alpha=alpha, noise=made, max_length=config.data.max_length)
    with as_user_errors():
        batches = TrainingBatches(
            corpora,
            batch_size=training.batch_size,
            batch_unit=training.batch_unit,
            length_buckets=training.length_buckets,
            seed=training.update.seed,
            weights=direction.weights,
            sampling=sampling,
        )
    report(f"{direction.name}: {batches.summary()}")
    source, target = batches.typical.unknown_shares
    if source or target:
        report(
            f"{direction.name}: {source:.2%} of the sources and {target:.2%} of the targets have characters without a "
            "subword, of which the model learns nothing"
        )
    return batches


def _corpus(
    config: ExperimentConfig, files: Sides, tokenizers: Sequence[SubwordTokenizer]
) -> ParallelCorpus | PreparedCorpus:
    limits: dict[str, Any] = {"max_length": config.data.max_length, "max_ratio": config.data.max_ratio}
    keep_text = any(x is not None for x in (config.subwords.sampling, config.data.noise, config.data.alignments))
    if prepared_side(files[0]) is None:
        return read_parallel(*files, *tokenizers, **limits, keep_text=keep_text)
    corpus = PreparedCorpus(*files, text=keep_text)
    corpus.check(*tokenizers, **limits)
    return corpus


def _aligned(
    corpus: ParallelCorpus | PreparedCorpus, tokenizers: Sequence[SubwordTokenizer], path: File
) -> ParallelCorpus:
    """Returns a corpus of text files with the links of a file of alignments instead of its text."""
    assert isinstance(corpus, ParallelCorpus) and corpus.text is not None  # noqa: PT018
    lines = read_lines(path)
    alignments = parse_pharaoh_alignments(lines[number - 1] for number in corpus.line_numbers)
    sources, targets = ([text.decode() for text in side] for side in corpus.text)
    links = subword_links((tokenizers[0], tokenizers[1]), sources, targets, alignments)
    return dataclasses.replace(corpus, links=links, text=None)


def make_tokenizers(config: ExperimentConfig, folder: ModelDirectory, report: Report) -> dict[str, SubwordTokenizer]:
    """Returns the subword models of the folder. Missing ones are copied from files or other models, or trained."""
    names, settings = subword_names(config), config.subwords
    given: dict[str, SubwordTokenizer] = {}
    for side, path in _given_subwords(config, folder).items():
        if names[side] not in given and not (folder.path / names[side]).exists():
            given[names[side]] = SubwordTokenizer(path)  # the tokenizer checks the special ids
    _check_given(config, names, given)
    sizes = {names[side]: config.vocabulary_sizes[side] for side in config.sides}
    ignored = settings.changed_options() - {"user_symbols", "lowercase"} if given.keys() == sizes.keys() else ()
    if ignored:
        report(f"All subwords are given: {', '.join(sorted(ignored))} of the section `subwords` have no effect")
    for name, tokenizer in given.items():
        tokenizer.save(folder.path / name)
        if tokenizer.vocabulary_size != sizes[name]:
            report(
                f"{name} is given and has {tokenizer.vocabulary_size:,} subwords: vocabulary_size={sizes[name]} has no "
                "effect"
            )
    labels = labels_of(config.model.kind, config.sides)
    for name in dict.fromkeys(names.values()):
        if (folder.path / name).exists():
            continue
        files = _training_files(config, [side for side in config.sides if names[side] == name])
        report(f"Training {sizes[name]:,} subwords ({settings.model_type}) on {len(files)} file(s): {name}")
        train_subwords(
            files,
            folder.path / name,
            vocabulary_size=sizes[name],
            control_symbols=labels,
            seed=config.training.update.seed,
            sources=_sources_alone(config, files),
            **settings.options,
        )
    models = {name: SubwordTokenizer(folder.path / name) for name in dict.fromkeys(names.values())}
    if labels:
        _check_labels(config, folder, models[names[config.sides[0]]], labels)
    return {side: models[name] for side, name in names.items()}


def _check_given(config: ExperimentConfig, names: Mapping[str, str], given: Mapping[str, SubwordTokenizer]) -> None:
    """Checks that given subwords keep user symbols whole, on one side at least, and treat case as the settings say.

    Scores ignore case if the settings say that the text is lower-cased.
    """
    symbols, lowercase = config.subwords.user_symbols, config.subwords.lowercase
    every = given.keys() == set(names.values())  # otherwise some are trained, with the symbols
    known = {symbol for tokenizer in given.values() for symbol in tokenizer.user_symbols}
    if every and (missing := [symbol for symbol in symbols if symbol not in known]):
        raise UserError(
            "`user_symbols` must be in the subwords of `subwords.models`, `init_from`, `teacher` or a prepared corpus: "
            f"make these with the symbols, or leave `user_symbols` out. Received: user_symbols={missing}"
        )
    for name, tokenizer in given.items():
        if tokenizer.lowercases != lowercase:
            what = "lower-case" if tokenizer.lowercases else "do not lower-case"
            raise UserError(
                f"The given subwords {name} {what} text: set subwords.lowercase={str(tokenizer.lowercases).lower()}. "
                f"Received: lowercase={str(lowercase).lower()}"
            )


def _given_subwords(config: ExperimentConfig, folder: ModelDirectory) -> dict[str, Any]:
    """Returns files of subwords by side, from `subwords.models`, `init_from`, the teacher, or prepared corpora."""
    given: dict[str, Any] = {}
    names, training = subword_names(config), config.training
    for direction in config.directions:
        for sides in direction.corpora:
            for side, path in zip(direction.sides, sides, strict=True):
                if prepared := prepared_side(path):
                    given.setdefault(side, prepared[0].subwords_path(prepared[1]))
    for other in (training.teacher, training.start.init_from):
        if other is None or all((folder.path / name).exists() for name in names.values()):
            continue
        files = read_model_files(other)
        theirs = {side: path for side, path in files.subword_paths().items() if side in config.sides}
        given |= theirs
        is_joint = config.subwords.joint_vocabulary
        is_right = len(theirs) <= 1 or files.has_joint_vocabulary == is_joint
        problem = f"`joint_vocabulary` must be as in {other}, whose vocabulary is {'separate' if is_joint else 'joint'}"
        require(is_right, f"{problem}. Received: joint_vocabulary={is_joint}")
    return given | config.subwords.given_models(config.sides)


def _training_files(config: ExperimentConfig, sides: Sequence[str]) -> list[Any]:
    """Returns the text files of some sides, ordered by direction: first the sources, then the targets."""
    files: dict[Any, None] = {}
    for direction in config.directions:
        for number, side in enumerate(direction.sides):
            if side in sides:
                paths = (of_corpus[number] for of_corpus in direction.corpora)
                files |= dict.fromkeys(path for path in paths if prepared_side(path) is None)
    return list(files)


def _sources_alone(config: ExperimentConfig, files: Sequence[Any]) -> list[Any]:
    """Returns those of the files that no direction has as targets."""
    targets = {os.fspath(target) for direction in config.directions for _, target in direction.corpora}
    return [file for file in files if os.fspath(file) not in targets]


def _check_labels(
    config: ExperimentConfig, folder: ModelDirectory, tokenizer: SubwordTokenizer, labels: list[str]
) -> None:
    """Checks that the first subwords are the labels in this order: the model knows them by their ids."""
    pieces = tokenizer.pieces(FIRST_LABEL, FIRST_LABEL + len(labels))
    if pieces != labels:
        raise UserError(
            "`languages` must be those of the labels at the beginning of the subwords of "
            f"{config.subwords.models or config.training.start.init_from or folder.path}, in the same order. "
            f"Received: languages={list(config.sides)}, subwords {', '.join(pieces)}"
        )
    tokenizer.check_control_symbols(FIRST_LABEL, FIRST_LABEL + len(labels))


def _check_sampling(
    config: ExperimentConfig, folder: ModelDirectory, tokenizers: dict[str, SubwordTokenizer], workers: Workers
) -> None:
    """Checks that restarts and all workers sample the same segmentations."""
    alpha = config.subwords.sampling
    assert alpha is not None
    digests = [tokenizers[side].sampling_digest(alpha) for side in config.sides]
    data = read_digests(folder.data_path)
    expected = workers.from_chief(data.get(SAMPLING, digests))
    if digests != expected:
        raise UserError(
            "Subword sampling must give the same segmentations as at the start of the run and on the chief: use the "
            f"same version of this package. Received: digests {', '.join(digests)} instead of {', '.join(expected)}"
        )
    if workers.is_chief and SAMPLING not in data:
        write_json(folder.data_path, with_digest({**data, SAMPLING: digests}))
