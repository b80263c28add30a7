"""An experiment from corpus to scores: what a recipe declares, and how it is run."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from keras_nmt.data import read_line_pairs, text_digest
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.experiments.settings import TrainingSettings, as_user_errors
from keras_nmt.files.atomic_files import write_bytes, write_json
from keras_nmt.inference import Translator
from keras_nmt.models import ModelDirectory, Transformer
from keras_nmt.models._without_weights import without_weights
from keras_nmt.models.presets import TRANSFORMER_PRESETS
from keras_nmt.text import SubwordTokenizer, train_subwords
from keras_nmt.training import RoleTemperature, TrainingResult

Files = list[str | os.PathLike[str]]
_OWN_ARGUMENTS = ("source_vocabulary_size", "target_vocabulary_size", "dtype")  # settings of their own say these


@dataclasses.dataclass(kw_only=True)
class Experiment(TrainingSettings):
    """Trains subwords and a Transformer on parallel files, and scores it.

    A recipe fills in what differs and calls `run`. The settings are written to `settings.json` in the model directory;
    a run that was stopped goes on when it is started again with the same settings. It refuses other ones, but for those
    of how long it runs (with the cosine schedule, `max_updates` has to stay), what it tells, and what is done with its
    checkpoints.

    Attributes, beside those of `TrainingSettings`:
        train_source: Source side of the training data, plain text or gzip, one sentence a line. Of several corpora, a
            list of files.
        train_target: Target side; a list of as many files.
        corpus_weights: How often an epoch has the sentences of each corpus. None: once. With 2 a corpus is seen twice
            as often as its size alone says, with 0.5 half as often. Subwords are trained on each corpus once.
        dev_source: Source side of the development data.
        dev_target: Target side.
        test_source: Source side of the test data. None: no test.
        test_target: Target side.
        joint_vocabulary: Whether both sides share one vocabulary. If not, `vocabulary_size` is that of each side.
        target_vocabulary_size: The size of the target's vocabulary, where it is not joint. None: `vocabulary_size`.
        user_symbols: Subwords that are never split, such as language tags.
        preset: Sizes of the model, see `Transformer.from_preset`. `model` may give further arguments of `Transformer`;
            they win over the preset's.
    """

    train_source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    train_target: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
    dev_source: str | os.PathLike[str]
    dev_target: str | os.PathLike[str]
    test_source: str | os.PathLike[str] | None = None
    test_target: str | os.PathLike[str] | None = None
    corpus_weights: Sequence[float] | None = None
    joint_vocabulary: bool = True
    target_vocabulary_size: int | None = None
    user_symbols: Sequence[str] = ()
    preset: str = "transformer_small"

    CHOICES: ClassVar[dict[str, tuple[Any, ...]]] = {**TrainingSettings.CHOICES, "preset": tuple(TRANSFORMER_PRESETS)}
    MAY_CHANGE: ClassVar[tuple[str, ...]] = (*TrainingSettings.MAY_CHANGE, "test_source", "test_target")
    OF_SUBWORDS: ClassVar[tuple[str, ...]] = (
        *TrainingSettings.OF_SUBWORDS,
        *("joint_vocabulary", "target_vocabulary_size", "user_symbols"),
    )
    DATA: ClassVar[tuple[str, ...]] = tuple(
        f"{data}_{side}" for data in ("train", "dev", "test") for side in ("source", "target")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        sources, targets = self._training_files()
        if len(sources) != len(targets) or not sources:
            raise UserError(
                "Each corpus has two sides: give as many files of either. "
                f"Received: train_source={self.train_source}, train_target={self.train_target}"
            )
        weights = self.corpus_weights
        if weights is not None and (
            isinstance(weights, str)
            or len(weights) != len(sources)
            or not all(isinstance(w, int | float) and 0 < w < math.inf for w in weights)
        ):
            raise UserError(
                f"`corpus_weights` are numbers above zero, one for each of {len(sources)} corpora. "
                f"Received: corpus_weights={weights!r}"
            )
        if self.target_vocabulary_size is not None and (self.joint_vocabulary or self.target_vocabulary_size <= 0):
            raise UserError(
                "`target_vocabulary_size` is positive, and goes with joint_vocabulary=false. Received: "
                f"target_vocabulary_size={self.target_vocabulary_size}, joint_vocabulary={self.joint_vocabulary}"
            )
        if (self.test_source is None) != (self.test_target is None):
            raise UserError(
                "Test data has two sides: give both or none. "
                f"Received: test_source={self.test_source}, test_target={self.test_target}"
            )

    def model_arguments(self) -> set[str]:
        return set(inspect.signature(Transformer).parameters) - {*_OWN_ARGUMENTS, "kwargs"}

    def _training_files(self) -> tuple[Files, Files]:
        """Source and target side of each corpus."""
        return _files("train_source", self.train_source), _files("train_target", self.train_target)

    def data_digests(self) -> dict[str, list[str]]:
        return {name: [text_digest(path) for path in _files(name, getattr(self, name))] for name in self.DATA}

    def check_files(self) -> None:
        for path in itertools.chain(*self._training_files()):
            with open(path, "rb"):
                pass
        read_line_pairs(self.dev_source, self.dev_target)
        if self.test_source is not None and self.test_target is not None:
            read_line_pairs(self.test_source, self.test_target)

    def check_model(self) -> None:
        arguments = self.transformer_arguments(vars(self))
        without_weights(lambda: Transformer.from_preset(**arguments))

    @staticmethod
    def transformer_arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of `Transformer.from_preset` by an experiment's settings, all of them: what a run's model is of."""
        size = settings["vocabulary_size"]
        return {
            **settings["model"],
            "preset": settings["preset"],
            "source_vocabulary_size": size,
            "target_vocabulary_size": None
            if settings["joint_vocabulary"]
            else settings["target_vocabulary_size"] or size,
        }

    def _run(self, report: Callable[[str], None]) -> dict[str, Any]:
        folder, strategy, workers = self._begin()
        report = report if workers.is_chief else lambda line: None
        with workers.chief_first():
            source_tokenizer, target_tokenizer = self._tokenizers(folder, report)

        files = list(zip(*self._training_files(), strict=True))
        corpora = self._read(files, source_tokenizer, target_tokenizer)
        for (source, _), corpus in zip(files, corpora, strict=True):
            report(f"{source}: {corpus.summary()}" if len(files) > 1 else corpus.summary())
        batches = self._batches(corpora, source_tokenizer, target_tokenizer, self.corpus_weights)
        report(batches.summary())
        dev_source, dev_target = read_line_pairs(self.dev_source, self.dev_target)

        with as_user_errors(), strategy.scope():
            model = Transformer.from_preset(
                self.preset,
                source_vocabulary_size=source_tokenizer.vocabulary_size,
                target_vocabulary_size=None if self.joint_vocabulary else target_tokenizer.vocabulary_size,
                **{**self.model, "dtype": self.dtype},
            )
            optimizer = self._optimizer(model.get_config()["hidden_dim"])
        report(f"{model.count_params():,} parameters, {strategy.num_replicas_in_sync} replica(s), {self.dtype}")
        if workers.is_chief:
            folder.save_config(
                model,
                subwords={
                    "source": source_tokenizer_name(self.joint_vocabulary),
                    "target": target_tokenizer_name(self.joint_vocabulary),
                },
                search={"beam_size": self.beam_size, "length_penalty": self.length_penalty},
            )

        # Greedy and not compiled: fast enough for a score that chooses between checkpoints.
        greedy = Translator(model, {"source": source_tokenizer, "target": target_tokenizer}, beam_size=1)
        trainer = self._trainer(
            model,
            batches,
            optimizer,
            strategy,
            evaluate=lambda: {"bleu": _bleu(greedy, dev_source, dev_target)},
            report=report,
            callbacks=[RoleTemperature()] if model.get_config()["roles"] == "one_hot" else [],
        )
        result = trainer.train()
        results: dict[str, Any] = {}
        if workers.is_chief:
            results = self._results(folder, model, result, report)
            write_json(folder.path / "results.json", results)
        workers.end()
        return results

    def _results(
        self, folder: ModelDirectory, model: Transformer, result: TrainingResult, report: Callable[[str], None]
    ) -> dict[str, Any]:
        results: dict[str, Any] = {
            **self._outcome(folder, model, result),
            "dev_bleu_greedy": round(result.final_metrics["bleu"], 2),
        }
        if self.test_source is not None and self.test_target is not None:
            sources, references = read_line_pairs(self.test_source, self.test_target)
            start = time.monotonic()
            translator = Translator.from_directory(folder.path)
            hypotheses = [translation.text for translation in translator.translate(sources)]
            results["test_seconds"] = round(time.monotonic() - start, 1)
            write_bytes(folder.path / "test.hypotheses.txt", "\n".join([*hypotheses, ""]).encode())
            scores = corpus_scores(hypotheses, references)
            results["test"] = {
                name: {"score": round(score.score, 2), "signature": score.signature} for name, score in scores.items()
            }
            for score in scores.values():
                report(f"test {score.name} {score.score:.2f}  {score.signature}")
        return results

    def _tokenizers(
        self, folder: ModelDirectory, report: Callable[[str], None]
    ) -> tuple[SubwordTokenizer, SubwordTokenizer]:
        """The subword models: those of the folder, or of `init_from`, or freshly trained on the training data."""
        sources, targets = self._training_files()
        sides = {source_tokenizer_name(False): sources, target_tokenizer_name(False): targets}
        sizes = [self.vocabulary_size, self.target_vocabulary_size or self.vocabulary_size]
        if self.joint_vocabulary:
            sides = {source_tokenizer_name(True): [*sources, *targets]}
        if self.init_from is not None and not all((folder.path / name).exists() for name in sides):
            given = dict.fromkeys(ModelDirectory(self.init_from).subword_paths().values())
            if len(given) != len(sides):
                raise UserError(
                    f"The vocabulary of {self.init_from} is {'joint' if len(given) == 1 else 'separate'}: set "
                    f"`joint_vocabulary` to match. Received: joint_vocabulary={self.joint_vocabulary}"
                )
            for name, path in zip(sides, given, strict=True):
                if not (folder.path / name).exists():
                    write_bytes(folder.path / name, path.read_bytes())
        for (name, files), size in zip(sides.items(), sizes, strict=False):
            if not (folder.path / name).exists():
                report(f"Training {size:,} subwords ({self.subword_model}) on {len(files)} file(s)")
                train_subwords(
                    files,
                    folder.path / name,
                    vocabulary_size=size,
                    model_type=self.subword_model,
                    user_symbols=self.user_symbols,
                    seed=self.seed,
                )
        tokenizers = [SubwordTokenizer(folder.path / name) for name in sides]
        return tokenizers[0], tokenizers[-1]


def _files(name: str, value: Any) -> Files:
    """One file, several or none as a list."""
    files = [] if value is None else [value] if isinstance(value, str | os.PathLike) else value
    if not isinstance(files, list | tuple) or not all(isinstance(file, str | os.PathLike) for file in files):
        raise UserError(f"`{name}` must be a file, or a list of files. Received: {name}={value!r}")
    return list(files)


def source_tokenizer_name(joint: bool) -> str:
    """The name of the source's subword model in a model directory."""
    return "subwords.model" if joint else "subwords.source.model"


def target_tokenizer_name(joint: bool) -> str:
    """The name of the target's subword model in a model directory."""
    return "subwords.model" if joint else "subwords.target.model"


def _bleu(translator: Translator, sources: list[str], references: list[str]) -> float:
    hypotheses = [translation.text for translation in translator.translate(sources)]
    return corpus_scores(hypotheses, references, metrics=("bleu",))["bleu"].score
