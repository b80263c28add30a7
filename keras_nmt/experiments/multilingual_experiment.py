"""An experiment with several languages, from corpus to scores in all directions."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, ClassVar

from keras_nmt.data import ParallelCorpus, read_line_pairs, text_digest
from keras_nmt.errors import UserError
from keras_nmt.evaluation import corpus_scores
from keras_nmt.experiments.settings import TrainingSettings, as_user_errors
from keras_nmt.files.atomic_files import write_bytes, write_json
from keras_nmt.inference import Translator
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, ModelDirectory, MultilingualModel
from keras_nmt.models._without_weights import without_weights
from keras_nmt.models.language_label_model import FIRST_LABEL
from keras_nmt.text import SubwordTokenizer, train_subwords
from keras_nmt.training import RoleTemperature, Task, TaskSchedule, TrainingResult

ARCHITECTURES: dict[str, type[AttentionBridgeModel] | type[LanguageLabelModel]] = {
    "attention_bridge": AttentionBridgeModel,
    "language_label": LanguageLabelModel,
}
_OWN_ARGUMENTS = ("languages", "vocabulary_size", "dtype", "use_cudnn", "kwargs")  # settings of their own say these


@dataclasses.dataclass(kw_only=True)
class MultilingualExperiment(TrainingSettings):
    """Trains subwords and a multilingual model on several pairs of languages in turn, and scores it in all directions.

    As `Experiment`, it leaves a model directory, and goes on when it is started again with the same settings.

    Pairs are named "SOURCE-TARGET", such as "de-en"; "de-de" is the task of writing German again. Files are named by
    patterns: "{language}" in them stands for the language; "{pair}", if there, for the two languages of a corpus, with
    a "-" between and in either order. Without "{pair}", all languages have the same sentences, line by line. A file may
    have ".gz" after its name. The task "de-de" has the German sides of all corpora of the other pairs.

    Attributes, beside those of `TrainingSettings`:
        languages: The languages, each in a pair that is trained, or in the model of `init_from`.
        train: Pattern of the training data, plain text or gzip, one sentence a line.
        dev: Pattern of the development data.
        test: Pattern of the test data. None: no test.
        pairs: Pairs to train on. Default: all pairs of different languages.
        dev_pairs: Pairs whose mean BLEU chooses between checkpoints. Default: those of `pairs` with two languages.
        dev_sentences: How many lines of the development data to translate. Default None: all.
        test_pairs: Pairs to test. Default: all of different languages that can be translated, those never trained on
            included.
        architecture: "attention_bridge" or "language_label"; the model's arguments are in `model`.
        lowercase: Whether to lower-case all text, by the subword models, and ignore case in scores.
        task_schedule: "uniform": the pairs take turns; "weighted": by `task_weights`; "temperature": by the number of
            sentences to the power of 1 / `temperature`.
        task_weights: Weight of each pair, where the schedule is "weighted".
        temperature: See `task_schedule`.
        frozen: Patterns of the weights that are not trained, such as "bridge/*" or "de_*".
        best_metric: Score that tells which weights are best: "bleu", the mean over `dev_pairs`, or one pair's, such as
            "bleu_de-en".
    """

    languages: Sequence[str]
    train: str | os.PathLike[str]
    dev: str | os.PathLike[str]
    test: str | os.PathLike[str] | None = None
    pairs: Sequence[str] | None = None
    dev_pairs: Sequence[str] | None = None
    dev_sentences: int | None = None
    test_pairs: Sequence[str] | None = None
    architecture: str = "attention_bridge"
    lowercase: bool = False
    task_schedule: str = "uniform"
    task_weights: dict[str, float] | None = None
    temperature: float = 5.0
    frozen: Sequence[str] = ()
    best_metric: str = "bleu"

    CHOICES: ClassVar[dict[str, tuple[Any, ...]]] = {
        **TrainingSettings.CHOICES,
        "architecture": tuple(ARCHITECTURES),
        "task_schedule": ("uniform", "weighted", "temperature"),
    }
    POSITIVE: ClassVar[tuple[str, ...]] = (*TrainingSettings.POSITIVE, "dev_sentences", "temperature")
    MAY_CHANGE: ClassVar[tuple[str, ...]] = (*TrainingSettings.MAY_CHANGE, "test", "test_pairs")
    OF_SUBWORDS: ClassVar[tuple[str, ...]] = (
        *TrainingSettings.OF_SUBWORDS,
        *("languages", "pairs", "architecture", "lowercase"),
    )
    DATA: ClassVar[tuple[str, ...]] = ("train", "dev", "test")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.languages)) != len(self.languages) or not self.languages:
            raise UserError(f"Name each language once. Received: languages={list(self.languages)}")
        for name in ("pairs", "dev_pairs", "test_pairs"):
            pairs = [self.languages_of(pair) for pair in getattr(self, name) or ()]
            if len(set(pairs)) != len(pairs):
                raise UserError(f"Name each pair once. Received: {name}={getattr(self, name)}")
        if not self.training_pairs:
            raise UserError(f"There is no pair to train on. Received: languages={list(self.languages)}")
        sources, targets = self._trained()
        if unused := [language for language in self.languages if language not in sources | targets]:
            raise UserError(f"Each language must be in a pair that is trained. Received: none has {', '.join(unused)}")
        if not self.development_pairs:
            raise UserError(f"`dev_pairs` is needed where all pairs are of one language. Received: pairs={self.pairs}")
        # A decoder that was never trained cannot write, an encoder that was never trained cannot read.
        for name, pairs in (("dev_pairs", self.development_pairs), ("test_pairs", self.tested_pairs)):
            if untrained := [f"{s}-{t}" for s, t in pairs if s not in sources or t not in targets]:
                raise UserError(
                    f"The source of these was never read, or their target never written, in training. "
                    f"Received: {name} has {', '.join(untrained)}"
                )
        for name in ("train", "dev", "test"):
            pattern = getattr(self, name)
            if pattern is not None and "{language}" not in os.fspath(pattern):
                raise UserError(f"A pattern of files has {{language}} in it. Received: {name}={os.fspath(pattern)!r}")
        if (self.task_weights is not None) != (self.task_schedule == "weighted"):
            raise UserError(
                "`task_weights` go with the schedule 'weighted'. "
                f"Received: task_schedule={self.task_schedule!r}, task_weights={self.task_weights!r}"
            )
        names = {f"{s}-{t}" for s, t in self.training_pairs}
        if self.task_weights is not None and set(self.task_weights) != names:
            raise UserError(f"Give each pair a weight: {', '.join(sorted(names))}. Received: {self.task_weights!r}")
        metrics = ("bleu", *(f"bleu_{s}-{t}" for s, t in self.development_pairs))
        if self.best_metric not in metrics:
            raise UserError(f"`best_metric` is one of {', '.join(metrics)}. Received: best_metric={self.best_metric!r}")

    def model_arguments(self) -> set[str]:
        return set(inspect.signature(ARCHITECTURES[self.architecture]).parameters) - set(_OWN_ARGUMENTS)

    def languages_of(self, pair: str) -> tuple[str, str]:
        """Source and target of "SOURCE-TARGET".

        Raises:
            UserError: It names no two of the languages.
        """
        for source in self.languages:  # which may have a "-" in their names
            for target in self.languages:
                if pair == f"{source}-{target}":
                    return source, target
        raise UserError(f"A pair is SOURCE-TARGET of {', '.join(self.languages)}. Received: {pair}")

    @property
    def training_pairs(self) -> list[tuple[str, str]]:
        """The tasks."""
        if self.pairs is not None:
            return [self.languages_of(pair) for pair in self.pairs]
        return [(s, t) for s in self.languages for t in self.languages if s != t]

    @property
    def development_pairs(self) -> list[tuple[str, str]]:
        """The pairs whose scores choose between checkpoints."""
        if self.dev_pairs is not None:
            return [self.languages_of(pair) for pair in self.dev_pairs]
        return [(s, t) for s, t in self.training_pairs if s != t]

    @property
    def tested_pairs(self) -> list[tuple[str, str]]:
        """The pairs that are scored in the end."""
        if self.test is None:
            return []
        if self.test_pairs is not None:
            return [self.languages_of(pair) for pair in self.test_pairs]
        sources, targets = self._trained()
        return [(s, t) for s in self.languages for t in self.languages if s != t and s in sources and t in targets]

    def _trained(self) -> tuple[set[str], set[str]]:
        """The languages whose encoder, and those whose decoder, has been trained in the end."""
        if self.init_from is not None:  # before, or now
            return set(self.languages), set(self.languages)
        sources, targets = ({pair[side] for pair in self.training_pairs} for side in (0, 1))
        return sources, targets

    def check_files(self) -> None:
        for pair in self.training_pairs:
            self._training_files(*pair)
        for pair in self.development_pairs:
            read_line_pairs(*self._files(self.dev, *pair))
        for pair in self.tested_pairs:
            assert self.test is not None
            read_line_pairs(*self._files(self.test, *pair))

    def data_digests(self) -> dict[str, list[str]]:
        files = {f"train {s}-{t}": [*itertools.chain(*self._training_files(s, t))] for s, t in self.training_pairs}
        for name, pattern, pairs in (
            ("dev", self.dev, self.development_pairs),
            ("test", self.test, self.tested_pairs),
        ):
            if pattern is not None:
                files |= {f"{name} {s}-{t}": [*self._files(pattern, s, t)] for s, t in pairs}
        return {name: [text_digest(path) for path in paths] for name, paths in files.items()}

    def check_model(self) -> None:
        sizes = dict.fromkeys(self.languages, self.vocabulary_size)
        self._freeze(without_weights(lambda: ARCHITECTURES[self.architecture](sizes, **self.model)))

    def _run(self, report: Callable[[str], None]) -> dict[str, Any]:
        training_files = {pair: self._training_files(*pair) for pair in self.training_pairs}
        dev_files = {pair: self._files(self.dev, *pair) for pair in self.development_pairs}
        folder, strategy, workers = self._begin()
        report = report if workers.is_chief else lambda line: None
        names = self._subword_names()
        with workers.chief_first():
            tokenizers = self._tokenizers(folder, training_files, report)

        batches = {}
        for (source, target), files in training_files.items():
            sides = tokenizers[source], tokenizers[target]
            corpus = ParallelCorpus.concatenate(self._read(files, *sides))
            report(f"{source}-{target}: {corpus.summary()}")
            batches[source, target] = self._batches([corpus], *sides)
        development = {pair: self._head(*read_line_pairs(*files)) for pair, files in dev_files.items()}

        with as_user_errors(), strategy.scope():
            arguments = {**self.model, "dtype": self.dtype, "use_cudnn": False if self.jit_compile else "auto"}
            sizes = {language: tokenizers[language].vocabulary_size for language in self.languages}
            model = ARCHITECTURES[self.architecture](sizes, **arguments)
            self._freeze(model)
            optimizer = self._optimizer(model.get_config()["hidden_dim"])
            weights = self._task_weights({pair: len(batches[pair].corpus) for pair in batches})
            tasks = [
                Task(
                    name=f"{source}-{target}",
                    model=model.pair(source, target),
                    data=data,
                    weight=weights[source, target],
                )
                for (source, target), data in batches.items()
            ]
        report(
            f"{model.count_params():,} parameters, {len(tasks)} task(s), {strategy.num_replicas_in_sync} replica(s), "
            f"{self.dtype}"
        )
        if workers.is_chief:
            folder.save_config(
                model,
                subwords=names,
                search={"beam_size": self.beam_size, "length_penalty": self.length_penalty},
            )

        # Greedy and not compiled: fast enough for a score that chooses between checkpoints.
        greedy = Translator(model, tokenizers, beam_size=1)
        trainer = self._trainer(
            model,
            tasks,
            optimizer,
            strategy,
            evaluate=lambda: self._evaluate(greedy, development),
            report=report,
            best_metric=self.best_metric,
            callbacks=[RoleTemperature()] if (self.model.get("transformer") or {}).get("roles") == "one_hot" else [],
        )
        result = trainer.train()
        results: dict[str, Any] = {}
        if workers.is_chief:
            results = self._results(folder, model, result, report)
            write_json(folder.path / "results.json", results)
        workers.end()
        return results

    def _evaluate(
        self,
        translator: Translator,
        data: Mapping[tuple[str, str], tuple[list[str], list[str]]],
    ) -> dict[str, float]:
        """BLEU of each pair, and their mean."""
        scores = {}
        for (source, target), (sources, references) in data.items():
            hypotheses = [translation.text for translation in translator.translate(sources, source, target)]
            bleu = corpus_scores(hypotheses, references, metrics=("bleu",), lowercase=self.lowercase)["bleu"]
            scores[f"bleu_{source}-{target}"] = bleu.score
        return {"bleu": sum(scores.values()) / len(scores), **scores}

    def _results(
        self, folder: ModelDirectory, model: MultilingualModel, result: TrainingResult, report: Callable[[str], None]
    ) -> dict[str, Any]:
        results: dict[str, Any] = {
            **self._outcome(folder, model, result),
            "dev_greedy": {name: round(value, 2) for name, value in result.final_metrics.items()},
        }
        if self.test is None:
            return results
        start = time.monotonic()
        translator = Translator.from_directory(folder.path)
        trained = set(self.training_pairs)
        results["test"] = {}
        for source, target in self.tested_pairs:
            sources, references = read_line_pairs(*self._files(self.test, source, target))
            hypotheses = [translation.text for translation in translator.translate(sources, source, target)]
            name = f"{source}-{target}"
            write_bytes(folder.path / f"test.{name}.hypotheses.txt", "\n".join([*hypotheses, ""]).encode())
            scores = corpus_scores(hypotheses, references, metrics=("bleu", "chrf"), lowercase=self.lowercase)
            results["test"][name] = {
                "trained": (source, target) in trained,
                **{
                    metric: {"score": round(score.score, 2), "signature": score.signature}
                    for metric, score in scores.items()
                },
            }
            unseen = "" if (source, target) in trained else "  (never trained)"
            report(f"test {name}  " + "  ".join(f"{x.name} {x.score:.2f}" for x in scores.values()) + unseen)
        results["test_seconds"] = round(time.monotonic() - start, 1)
        return results

    # Files.

    def _training_files(self, source: str, target: str) -> list[tuple[Path, Path]]:
        """The corpora of a task."""
        if source != target or "{pair}" not in os.fspath(self.train):
            return [self._files(self.train, source, target)]
        others = dict.fromkeys(
            t if s == source else s for s, t in self.training_pairs if (s == source) != (t == source)
        )
        if not others:
            raise UserError(
                f"The task has the corpora of the pairs of {source} with other languages. Received: no such pair"
            )
        files = [self._file(self.train, source, f"{source}-{other}", f"{other}-{source}") for other in others]
        return [(file, file) for file in files]

    def _files(self, pattern: str | os.PathLike[str], source: str, target: str) -> tuple[Path, Path]:
        """Both sides of the corpus of a pair."""
        pairs = f"{source}-{target}", f"{target}-{source}"
        return self._file(pattern, source, *pairs), self._file(pattern, target, *pairs)

    @staticmethod
    def _file(pattern: str | os.PathLike[str], language: str, *pairs: str) -> Path:
        names = [os.fspath(pattern).replace("{language}", language).replace("{pair}", pair) for pair in pairs]
        candidates = [Path(name + ending) for name in dict.fromkeys(names) for ending in ("", ".gz")]
        for path in candidates:
            if path.is_file():
                return path
        raise UserError(f"There is no data for {pairs[0]}. Received: {' nor '.join(dict.fromkeys(names))}")

    def _head(self, sources: list[str], targets: list[str]) -> tuple[list[str], list[str]]:
        return sources[: self.dev_sentences], targets[: self.dev_sentences]

    # Subwords.

    def _subword_names(self) -> dict[str, str]:
        if self.architecture == "language_label":
            return dict.fromkeys(self.languages, "subwords.model")
        return {language: f"subwords.{language}.model" for language in self.languages}

    def _tokenizers(
        self,
        folder: ModelDirectory,
        training_files: Mapping[tuple[str, str], Sequence[tuple[Path, Path]]],
        report: Callable[[str], None],
    ) -> dict[str, SubwordTokenizer]:
        """By language: those of the folder, or of `init_from`, or freshly trained on the training data."""
        names = self._subword_names()
        if self.init_from is not None and not all((folder.path / name).exists() for name in names.values()):
            given = ModelDirectory(self.init_from).subword_paths()
            for language in self.languages:
                if language in given and not (folder.path / names[language]).exists():
                    write_bytes(folder.path / names[language], given[language].read_bytes())
        for name in dict.fromkeys(names.values()):
            if (folder.path / name).exists():
                continue
            files = dict.fromkeys(
                file
                for pair, corpora in training_files.items()
                for corpus in corpora
                for language, file in zip(pair, corpus, strict=True)
                if names[language] == name
            )
            report(f"Training {self.vocabulary_size:,} subwords ({self.subword_model}) on {len(files)} file(s): {name}")
            train_subwords(
                list(files),
                folder.path / name,
                vocabulary_size=self.vocabulary_size,
                model_type=self.subword_model,
                user_symbols=LanguageLabelModel.labels(self.languages) if self.architecture == "language_label" else (),
                lowercase=self.lowercase,
                seed=self.seed,
            )
        tokenizers = {name: SubwordTokenizer(folder.path / name) for name in dict.fromkeys(names.values())}
        if self.architecture == "language_label":
            self._check_labels(folder, tokenizers["subwords.model"])
        return {language: tokenizers[name] for language, name in names.items()}

    def _check_labels(self, folder: ModelDirectory, tokenizer: SubwordTokenizer) -> None:
        """The first subwords must be the labels, in this order: the model knows them by their place."""
        labels = LanguageLabelModel.labels(self.languages)
        found = tokenizer.pieces(FIRST_LABEL, FIRST_LABEL + len(labels))
        if found != labels:
            raise UserError(
                f"The subwords of {self.init_from or folder.path} begin with other labels: give the languages they are "
                f"for, in that order. Received: languages={list(self.languages)}, subwords {', '.join(found)}"
            )

    # Tasks.

    def _task_weights(self, sizes: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], float]:
        if self.task_schedule == "weighted":
            assert self.task_weights is not None
            return {(s, t): self.task_weights[f"{s}-{t}"] for s, t in sizes}
        if self.task_schedule == "temperature":
            named = {f"{s}-{t}": size for (s, t), size in sizes.items()}
            weights = TaskSchedule.by_temperature(named, self.temperature).weights
            return {(s, t): weights[f"{s}-{t}"] for s, t in sizes}
        return dict.fromkeys(sizes, 1.0)

    def _freeze(self, model: MultilingualModel) -> None:
        for pattern in self.frozen:
            matching = [weight for weight in model.weights if fnmatchcase(weight.path, pattern)]
            if not matching:
                raise UserError(f"No weight has such a path; 'bridge/*' would be a right one. Received: {pattern!r}")
            for weight in matching:
                weight.trainable = False
