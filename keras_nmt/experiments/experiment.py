"""An experiment, from corpus to scores: its settings, and their checks."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from keras_nmt.errors import UserError
from keras_nmt.evaluation.metrics import check_tokenizer, warn_of_script
from keras_nmt.experiments.architectures import as_model_arguments, check_model_arguments, make_model_of
from keras_nmt.experiments.directions import (
    BY_FILES,
    BY_PATTERNS,
    Direction,
    Pairs,
    check_files,
    directions_of,
    files,
    pairs_of,
)
from keras_nmt.experiments.experiment_settings import LIMITS, ExperimentSettings
from keras_nmt.experiments.learning_rates import check_learning_rate
from keras_nmt.experiments.settings import as_user_errors
from keras_nmt.files.read_lines import read_lines
from keras_nmt.files.subwords import check_subword_settings
from keras_nmt.models import LanguageLabelModel
from keras_nmt.models._without_weights import without_weights
from keras_nmt.models.presets import TRANSFORMER_PRESETS

PAIRS = ("pairs", "dev_pairs", "test_pairs")


@dataclasses.dataclass(kw_only=True)
class Experiment(ExperimentSettings):
    """Trains subwords and a model on parallel files, and scores the model.

    `keras_nmt.experiments.run` leaves a model directory with `settings.json`, `data.json` and `results.json`. A run
    that was stopped continues when it is started again with the same settings. Settings that change no update may
    differ: the length (except `max_updates` with the cosine schedule), the devices, the log, saves and evaluations, the
    final weights and the test; and files may have moved. A finished run reports its scores.

    An experiment is a set of directions. One direction is described by its files: `train_source`, `train_target` and so
    on. Several are described by `languages` and patterns of files: "{language}" stands for the language, an optional
    "{pair}" for the two languages of a corpus, with a "-" between and in either order. Without "{pair}", all languages
    have the same sentences, line by line. A file may have ".gz" after its name. Pairs are named "SOURCE-TARGET", such
    as "de-en"; "de-de" is the task of writing German again, on the German sides of the corpora of the other pairs.

    Args:
        directory: Path, the model directory to make.
        train_source: Path, the source side of the training data, plain text or gzip, one sentence a line; or a side of
            a prepared corpus, such as "prepared/de", see `PreparedCorpus`; a list of paths for several corpora.
        train_target: Path or list of paths, the target side.
        dev_source: Path, the source side of the development data.
        dev_target: Path, the target side.
        test_source: Path, the source side of the test data. Defaults to `None`: no test.
        test_target: Path, the target side.
        languages: List of str, each in a pair to train or in the model of `init_from`. Defaults to `None`: one
            direction, described by its files.
        pairs: List of str, pairs to train on. Defaults to all pairs of different languages.
        dev_pairs: List of str, pairs whose mean BLEU chooses between checkpoints. Defaults to the pairs of two
            languages in `pairs`, or to all of them where none has two.
        test_pairs: List of str, pairs to test. Defaults to all pairs of different languages that can be translated,
            also without training; with one language, to `pairs`.
        train: Str, pattern of the training files; a list of patterns for several corpora, each with files for some of
            the pairs.
        dev: Str, pattern of the development files.
        test: Str, pattern of the test files. Defaults to `None`: no test.
        corpus_weights: List of floats, how often an epoch has the sentences of each corpus: with 2, a corpus is seen
            twice as often as its size alone says. Subwords are trained on each corpus once. Defaults to 1 for each.
        dev_sentences: Int, the number of lines of the development data to translate. Defaults to `None`: all.
        lowercase: Bool, whether the subword models lower-case all text, and scores ignore case. Defaults to `False`.
        vocabulary_size: Int, the number of subwords of a subword model; or a dict of them by language ("source" and
            "target" of a Transformer), where vocabularies are separate. Defaults to 8000.
        subword_model: "bpe" or "unigram". Defaults to "bpe".
        joint_vocabulary: Bool, whether all languages share one vocabulary. Defaults to `False` with an attention
            bridge, else to `True`.
        user_symbols: List of str, subwords that are never split, such as language tags. Defaults to none.
        normalization: "nfc", "nfkc" or "identity", the form of text; see `normalization_rules`. Defaults to "nfc".
        character_coverage: Float from 0.98 to 1, the share of characters that have a subword. Defaults to 1.
        byte_fallback: Bool, whether other characters are spelled as bytes, 256 of the subwords. Defaults to `False`.
        subwords: Path of a SentencePiece model to use instead of training one, or a dict of paths by language
            ("source" and "target" of a Transformer). Its ids are pad 0, unknown 1, begin 2, end 3. Defaults to `None`.
        subword_sampling: Float in (0, 1], subword regularisation: the alpha by which the training text is segmented
            anew each epoch; see `SubwordSampling`. Defaults to `None`: always the same segmentation.
        max_length: Int, longest sentence of the training data in subwords. Defaults to 256.
        max_ratio: Float, largest ratio of the lengths of a sentence pair. Defaults to 3.
        architecture: "transformer" (one direction), "attention_bridge" or "language_label". Defaults to "transformer",
            or to "attention_bridge" where `languages` is set.
        preset: Str, sizes of the model, see `Transformer.from_preset`. Defaults to "transformer_small" for a
            Transformer, to the defaults of the other architectures' classes.
        model: Dict, arguments of the architecture's class; they take precedence over the preset's.
        frozen: List of str, patterns of the weights that are not trained, such as "bridge/*" or "de_*".
        init_from: Path of a model directory whose weights, and subwords, to start from; they are evaluated as update 0.
            Defaults to `None`.
        allow_new: List of str, patterns of the weights that `init_from` may lack, such as "*/key_value/*"; see
            `warm_start`.
        allow_unused: List of str, patterns of the weights of `init_from` that the model may lack.
        task_schedule: "uniform": the pairs take turns; "weighted": by `task_weights`; "temperature": by the number of
            sentences to the power of 1 / `temperature`. Defaults to "uniform".
        task_weights: Dict, the weight of each pair, where the schedule is "weighted".
        temperature: Float, see `task_schedule`. Defaults to 5.
        batch_size: Int, the size of an update's batch, over all replicas and accumulation steps. Defaults to 4096.
        batch_unit: "tokens" (positions of a side, padding included) or "sentences". Defaults to "tokens".
        length_buckets: List of ints, edges of the length buckets in subwords. Defaults to `TrainingBatches`' default.
        accumulation_steps: Int, micro-batches per replica. Defaults to 1.
        optimizer: "adam", "adamw" or "sgd". Defaults to "adam".
        beta_2: Float, decay of the second moment of "adam" and "adamw". Defaults to 0.98, as in Vaswani et al., 2017.
        epsilon: Float, added to the root of the second moment. Defaults to 1e-9, as in the same paper.
        schedule: "noam", "inverse_square_root", "constant", or "cosine": down to zero at `max_updates`, which it needs.
            Defaults to "noam".
        learning_rate: Float, the peak learning rate; with "noam" a factor instead, and the peak is `learning_rate *
            (width * warmup_steps) ** -0.5`. Defaults to 1 with "noam"; all other schedules need it.
        warmup_steps: Int, updates of linear warm-up. Defaults to 4000, with "constant" to 0.
        weight_decay: Float, decoupled weight decay of "adamw".
        clip: Float, the largest global norm of the gradient. Defaults to `None`: not clipped.
        ema: Float in [0, 1), momentum of an exponential moving average of the weights, such as 0.999. With an average,
            evaluations score the averaged weights, and checkpoints hold them; see `Trainer`. Defaults to `None`: none.
        label_smoothing: Float, probability spread over the vocabulary. Defaults to 0.1.
        normalize_by: "tokens" or "sentences", the divisor of the summed loss of an update. Defaults to "tokens"; with
            an attention bridge to "sentences", as in its paper: the bridge's penalty is a mean over sentences, and
            beside a mean over tokens, the penalty would weigh more, by the number of tokens of a sentence.
        dtype: "float32", "mixed_bfloat16", or "mixed_float16", whose loss is scaled. Defaults to "float32".
        jit_compile: Bool, whether XLA compiles training, once per batch shape. Made for GPUs. Defaults to `False`.
        replicas: Int, number of replicas; logical CPU devices where there is no GPU. Defaults to all GPUs, or one.
        seed: Int, determines initial weights, data order and dropout. Defaults to 1.
        deterministic: Bool, whether to use deterministic operations only. Defaults to `False`.
        max_updates: Int, updates after which training ends, counted over all directions: each direction gets a part.
        time_limit: Float, minutes after which training ends.
        patience: Int, evaluations without a new best after which training ends; see `Evaluation`.
        evaluate_every: Int, updates between evaluations by `dev_metrics`, with greedy search. Defaults to 1000.
        save_every: Int, updates between checkpoints. Defaults to `evaluate_every`.
        log_every: Int, updates between lines of the log. Defaults to 100.
        keep_last: Int, number of last checkpoints kept. Defaults to 5.
        keep_best: Int, number of best checkpoints kept, by `best_metric`. Defaults to 1.
        dev_metrics: List of "bleu" and some of "chrf" (chrF++) and "loss" (nats per subword, without label smoothing),
            the scores of an evaluation. "loss" reads the development data once more. Defaults to "bleu" and "chrf".
        best_metric: Str, the score that chooses the best weights: one of `dev_metrics`, as the mean over the
            development pairs, or of one pair, such as "bleu_de-en". Defaults to "bleu".
        bleu_tokenizer: Str, sacreBLEU's tokenizer for BLEU of development and test data, such as "13a", "intl", "zh" or
            "ja-mecab". Defaults to "13a".
        final: "last", "best", "average_last", "average_best" or "ema", the final weights. "average_last" averages the
            kept last checkpoints whose `best_metric` is within 3% of the best; both averages give way to the best
            checkpoint where it is better. Defaults to "average_last"; with `ema` to "ema", the exponential moving
            average at the end, which replaces "last".
        tensorboard: Bool, whether to write for TensorBoard. Defaults to `False`.
        beam_size: Int, beam of the test and default of the final model. Defaults to 4.
        length_penalty: Float, exponent alpha of the length penalty, from -2 to 10. Defaults to 0.6.
        min_length: Int, the least number of subwords of a translation; 0 allows empty ones. Defaults to 1.

    Raises:
        UserError: A setting has another type, is out of its range, or contradicts another one.

    Example:

    >>> sides = {"train_source": "train.de", "train_target": "train.en", "dev_source": "d.de", "dev_target": "d.en"}
    >>> experiment = Experiment(directory="runs/de-en", **sides, max_updates=1000)
    >>> experiment.architecture, experiment.preset, experiment.joint_vocabulary
    ('transformer', 'transformer_small', True)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        several = self.languages is not None
        self.architecture = self.architecture or ("attention_bridge" if several else "transformer")
        if self.preset is None and self.architecture == "transformer":
            self.preset = "transformer_small"
        if self.joint_vocabulary is None:
            self.joint_vocabulary = self.architecture != "attention_bridge"
        if self.normalize_by is None:
            has_bridge = self.architecture == "attention_bridge" and self.model.get("bridge_heads", True) is not None
            self.normalize_by = "sentences" if has_bridge else "tokens"
        if self.final is None:
            self.final = "average_last" if self.ema is None else "ema"
        self._check_missing(vars(self))
        self._check_data()
        self._check_model_settings()
        self._check_training()

    def _require(self, is_right: bool, message: str, *names: str) -> None:
        """Raises a `UserError` with the values of the settings of these names, unless they are right."""
        if not is_right:
            received = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            raise UserError(f"{message}. Received: {received}")

    def _check_data(self) -> None:
        require, several = self._require, self.languages is not None
        wrong = [name for name in (BY_FILES if several else (*BY_PATTERNS, *PAIRS)) if getattr(self, name) is not None]
        rule = (
            "patterns with `languages`, and not by files" if several else "files without `languages`, not by patterns"
        )
        require(not wrong, f"Data are described by {rule}", *wrong)
        for name in BY_PATTERNS:
            is_pattern = all("{language}" in os.fspath(pattern) for pattern in files(getattr(self, name)))
            require(is_pattern, "A pattern of files has {language} in it", name)
        corpora, targets = files(self.train_source), files(self.train_target)
        is_equal = several or len(corpora) == len(targets) > 0
        require(is_equal, "Each corpus has two sides: give as many files of either", "train_source", "train_target")
        number = len(files(self.train) if several else corpora)
        is_equal = self.corpus_weights is None or len(self.corpus_weights) == number
        require(is_equal, f"`corpus_weights` has a number for each of {number} corpora", "corpus_weights")
        is_equal = (self.test_source is None) == (self.test_target is None)
        require(is_equal, "Test data has two sides: give both or none", "test_source", "test_target")
        pairs = self.pair_lists
        is_equal = (self.task_weights is not None) == (self.task_schedule == "weighted")
        require(is_equal, "`task_weights` go with the schedule 'weighted'", "task_schedule", "task_weights")
        names = sorted(f"{s}-{t}" for s, t in pairs.train)
        is_equal = self.task_weights is None or sorted(self.task_weights) == names
        require(is_equal, f"Give each pair a weight: {', '.join(names)}", "task_weights")
        require("bleu" in self.dev_metrics, "`dev_metrics` needs bleu, by which runs are compared", "dev_metrics")
        of_pairs = [f"{name}_{s}-{t}" for name in self.dev_metrics for s, t in pairs.dev if several]
        metrics = [*self.dev_metrics, *of_pairs]
        message = f"`best_metric` is one of {', '.join(metrics)}, by `dev_metrics`"
        require(self.best_metric in metrics, message, "best_metric")
        check_tokenizer(self.bleu_tokenizer, "bleu_tokenizer", load=False)

    def _check_model_settings(self) -> None:
        require, is_transformer = self._require, self.architecture == "transformer"
        require(is_transformer or self.languages is not None, "Name the `languages` of the model", "architecture")
        message = "A Transformer has one direction: name one pair, or choose another `architecture`"
        require(not is_transformer or len(self.pair_lists.train) == 1, message, "architecture", "pairs")
        is_joint = bool(self.joint_vocabulary)
        is_right = is_joint or self.architecture != "language_label"
        require(is_right, "A model with language labels has one vocabulary", "joint_vocabulary")
        presets = ", ".join(TRANSFORMER_PRESETS)
        require(self.preset is None or self.preset in TRANSFORMER_PRESETS, f"`preset` is one of {presets}", "preset")
        check_model_arguments(self)
        sides = ", ".join(self.sides)
        for name in ("vocabulary_size", "subwords"):
            value = getattr(self, name)
            is_right = not isinstance(value, dict) or (not is_joint and set(value) <= set(self.sides))
            message = f"`{name}` by language is for separate vocabularies (joint_vocabulary=false) of {sides}"
            require(is_right, message, name, "joint_vocabulary")
        size = self.vocabulary_size
        is_whole = not isinstance(size, dict) or set(size) == set(self.sides)
        require(is_whole, f"Give the size of the vocabulary of each of {sides}", "vocabulary_size")
        message = f"One file of subwords is for a joint vocabulary; give one for each of {sides}"
        is_right = is_joint or self.subwords is None or isinstance(self.subwords, dict)
        require(is_right, message, "subwords", "joint_vocabulary")
        if self.subwords is None and self.init_from is None:
            for value in self.vocabulary_sizes.values():
                check_subword_settings(value, **self.subword_settings)

    def _check_training(self) -> None:
        require = self._require
        kept = "keep_best" if self.final in ("best", "average_best") else "keep_last"
        require(getattr(self, kept) > 0, f"`{kept}` must be positive with these final weights", kept, "final")
        check_learning_rate(self)
        is_right = (self.weight_decay is not None) == (self.optimizer == "adamw")
        message = '`weight_decay` goes with optimizer="adamw", which needs it, and with no other'
        require(is_right, message, "optimizer", "weight_decay")
        is_adam = self.optimizer != "sgd" or (self.beta_2, self.epsilon) == (None, None)
        require(is_adam, "`beta_2` and `epsilon` are for adam and adamw", "optimizer", "beta_2", "epsilon")
        is_right = self.final != ("last" if self.ema is not None else "ema")
        require(is_right, 'The last weights are "ema" with `ema`, and "last" without', "final", "ema")
        is_limited = any(getattr(self, name) is not None for name in LIMITS)
        require(is_limited, "Say when the training ends: set one of these", *LIMITS)

    @classmethod
    def _suggestion(cls, unknown: Sequence[str], settings: Mapping[str, Any]) -> str:
        return as_model_arguments(unknown, settings) or super()._suggestion(unknown, settings)

    @classmethod
    def _check_missing(cls, settings: Mapping[str, Any]) -> None:
        needed = {"directory": "--directory DIRECTORY"}
        if settings.get("languages") is None:
            needed |= dict.fromkeys(BY_FILES[:2], "--train SOURCE TARGET")
            needed |= dict.fromkeys(BY_FILES[2:4], "--dev SOURCE TARGET")
        else:
            needed |= {name: f"--set {name}=PATTERN" for name in BY_PATTERNS[:2]}
        options: dict[str, list[str]] = {}
        for name, option in needed.items():
            if settings.get(name) is None:
                options.setdefault(option, []).append(f"`{name}`")
        if options:
            shown = ", ".join(f"{' and '.join(names)} ({option})" for option, names in options.items())
            raise UserError(f"Missing settings: {shown}")

    @property
    def pair_lists(self) -> Pairs:
        """The pairs of languages to train, develop and test on."""
        return pairs_of(self)

    @functools.cached_property
    def directions(self) -> list[Direction]:
        """The directions with their files, which must exist where patterns describe them."""
        return directions_of(self)

    @property
    def sides(self) -> tuple[str, ...]:
        """The owners of vocabularies: the languages, or "source" and "target" of a Transformer."""
        return ("source", "target") if self.architecture == "transformer" else tuple(self.languages or ())

    @property
    def vocabulary_sizes(self) -> dict[str, int]:
        """The size of the vocabulary of each of `sides`, as set."""
        size = self.vocabulary_size
        return dict(size) if isinstance(size, dict) else dict.fromkeys(self.sides, size)

    @property
    def subword_settings(self) -> dict[str, Any]:
        """The arguments of `train_subwords`, except files and sizes."""
        labels = LanguageLabelModel.labels(self.sides) if self.architecture == "language_label" else []
        found = {"model_type": self.subword_model, "user_symbols": self.user_symbols, "control_symbols": labels}
        names = ("normalization", "character_coverage", "byte_fallback", "lowercase")
        return found | {name: getattr(self, name) for name in names}

    def make_model(self, sizes: Mapping[str, int]) -> Any:
        """Makes the model, with its frozen weights.

        Args:
            sizes: Dict, the size of the vocabulary of each of `sides`.

        Returns:
            A model of the architecture's class.

        Raises:
            ValueError: An argument of the model is out of its range.
            UserError: A pattern of `frozen` matches no weight.
        """
        return make_model_of(self, sizes)

    def check(self) -> int:
        """Checks files and model, before subwords are trained and text is read. Returns the number of parameters.

        Raises:
            OSError: A file is missing or cannot be read.
            UserError: Files do not fit each other, an argument is out of its range, or the tokenizer of BLEU cannot be
                loaded.
        """
        check_tokenizer(self.bleu_tokenizer, "bleu_tokenizer")
        check_files(self.directions)
        for direction in self.directions:
            if direction.dev is not None:
                warn_of_script(self.bleu_tokenizer, read_lines(direction.dev[1]))
        with as_user_errors():
            return without_weights(lambda: self.make_model(self.vocabulary_sizes)).count_params()
