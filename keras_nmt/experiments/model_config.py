"""The model of an experiment: its architecture, its arguments and its subwords."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt

from keras_nmt.data.subword_models import SubwordOptions
from keras_nmt.errors import UserError, nearest, require
from keras_nmt.experiments.corpus_files import File
from keras_nmt.files.settings import check_rule, documented, setting
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, LowRank, Transformer
from keras_nmt.models.transformer import TRANSFORMER_PRESETS

# Arguments of models that other settings determine.
OWN_ARGUMENTS = {
    *("source_vocabulary_size", "target_vocabulary_size", "vocabulary_size", "languages", "dtype", "use_cudnn"),
    "kwargs",
}


@dataclasses.dataclass(frozen=True)
class Architecture:
    """The class of a model, and the defaults of experiments with it.

    Args:
        model: Class of the model.
        has_languages: Whether the model distinguishes languages, by an encoder, a decoder or a label for each. If not,
            it has one direction, with the sides "source" and "target".
        joint_vocabulary: Whether all languages share one vocabulary by default.
        preset: The default preset.
    """

    model: Any
    has_languages: bool = True
    joint_vocabulary: bool = True
    preset: str | None = None

    def sides(self, languages: Sequence[str]) -> tuple[str, ...]:
        """Returns the sides with a vocabulary: the languages, or "source" and "target"."""
        return tuple(languages) if self.has_languages else ("source", "target")

    @property
    def arguments(self) -> set[str]:
        """The names of the arguments of the class that the section `model` may set."""
        return set(inspect.signature(self.model).parameters) - OWN_ARGUMENTS

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        """Raises a `UserError` if the class has no such argument, or if a number or a flag is given arguments."""
        if unknown := sorted(set(arguments) - self.arguments):
            shown = as_model_arguments(unknown, self) or nearest(unknown, self.arguments) or "see its docstring"
            raise UserError(
                f"{self.model.__name__} has no such arguments; {shown}. "
                f"Received: {', '.join(f'model.{name}' for name in unknown)}"
            )
        parameters = inspect.signature(self.model).parameters
        for name, value in arguments.items():
            takes_objects = any(kind in str(parameters[name].annotation) for kind in ("Mapping", "LayerSpec"))
            if isinstance(value, Mapping) and not takes_objects:
                shown = ", ".join(f"model.{name}.{inner}" for inner in value) or f"model.{name}={value}"
                raise UserError(f"`model.{name}` must be one value without arguments. Received: {shown}")


ARCHITECTURES = {
    "transformer": Architecture(Transformer, has_languages=False, preset="transformer_small"),
    "attention_bridge": Architecture(AttentionBridgeModel, joint_vocabulary=False),
    "language_label": Architecture(LanguageLabelModel),
}


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """The model of an experiment.

    All other names in this section are arguments of the architecture's class, such as `model.dropout`; they take
    precedence over the preset's.
    """

    architecture: Literal["transformer", "attention_bridge", "language_label"] | None = setting(
        None, 'By default "transformer" for one direction to train on, "attention_bridge" for several.'
    )
    preset: str | None = setting(
        None,
        'Sizes of the model, see `Transformer.from_preset`; by default "transformer_small" for a Transformer, and the '
        "defaults of the class for other architectures.",
    )
    frozen: Sequence[str] = setting((), 'Patterns of the weights that are not trained, such as "bridge/*" or "de_*".')
    lora: dict[str, Any] | None = setting(
        None,
        "Trains an adapter, small matrices in `adapter.weights.h5`, instead of the weights of `init_from`: its `rank`, "
        "`alpha`, `patterns` and `quantize`, each with a default; see `keras_nmt.models.LowRank`. By default there is "
        "no adapter.",
    )
    arguments: dict[str, Any] = setting(factory=dict, text="Arguments of the architecture's class.", is_open=True)

    @property
    def kind(self) -> Architecture:
        """The architecture."""
        return ARCHITECTURES[self.architecture or "transformer"]

    def __post_init__(self) -> None:
        known = ", ".join(TRANSFORMER_PRESETS)
        require(self.preset in (None, *TRANSFORMER_PRESETS), f"{{preset}} must be one of {known}", preset=self.preset)
        if self.lora is not None:
            LowRank.from_settings(self.lora)
        self.kind.check_arguments(self.arguments)

    def make(self, sizes: Mapping[str, int], *, is_joint: bool, dtype: str, jit_compile: bool) -> Any:
        """Makes the model, with its frozen weights; see `ExperimentConfig.make_model`."""
        if not self.kind.has_languages:
            model = Transformer.from_preset(**{**self.transformer_arguments(sizes, is_joint), "dtype": dtype})
        else:
            arguments = {**self.arguments, "dtype": dtype, "use_cudnn": False if jit_compile else "auto"}
            if self.preset is not None:
                preset = dict(TRANSFORMER_PRESETS[self.preset])
                names = ("num_heads", "intermediate_dim", "decoder_self_attention")
                of_transformer = {name: preset.pop(name) for name in names if name in preset}
                arguments = {"encoder": "transformer", "decoder": "transformer", **preset, **arguments}
                arguments["transformer"] = {**of_transformer, **(self.arguments.get("transformer") or {})}
            model = self.kind.model(dict(sizes), **arguments)
        for pattern in self.frozen:
            matching = [weight for weight in model.weights if fnmatchcase(weight.path, pattern)]
            if not matching:
                paths = ", ".join(sorted({f"{weight.path.split('/')[0]}/..." for weight in model.weights}))
                raise UserError(
                    f"Each pattern of `frozen` must match a weight; paths are {paths}. Received: {pattern!r}"
                )
            for weight in matching:
                weight.trainable = False
        if self.lora is not None:
            LowRank.from_settings(self.lora).layers(model)  # checks that each pattern matches a layer
        return model

    def transformer_arguments(self, sizes: Mapping[str, int], is_joint: bool) -> dict[str, Any]:
        """Returns the arguments of `Transformer.from_preset`, for vocabularies of these sizes."""
        return {
            **self.arguments,
            "preset": self.preset,
            "source_vocabulary_size": sizes["source"],
            "target_vocabulary_size": None if is_joint else sizes["target"],
        }


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class SubwordConfig(SubwordOptions):
    """The subwords of an experiment. They are trained on its text unless `models` or `init_from` provides them."""

    model_type: Literal["bpe", "unigram"] = setting("bpe", '"bpe" or "unigram".')
    vocabulary_size: PositiveInt | dict[str, PositiveInt] = setting(
        8000,
        'Number of subwords of a model; for separate vocabularies also a dictionary by language ("source" and "target" '
        "of a Transformer).",
    )
    joint_vocabulary: bool | None = setting(
        None, "Whether all languages share one vocabulary; by default true except with an attention bridge."
    )
    models: File | dict[str, File] | None = setting(
        None,
        "SentencePiece model to use instead of training one, or a dictionary of models by language, as for "
        "`vocabulary_size`. Its ids must be pad 0, unknown 1, begin 2, end 3.",
    )
    sampling: Annotated[float, Field(gt=0, le=1)] | None = setting(
        None,
        "Subword regularisation: the alpha with which each epoch samples another segmentation of the training text, "
        "see `SubwordSampling`; by default every epoch has the same.",
    )

    def sizes(self, sides: Sequence[str]) -> dict[str, int]:
        """Returns the size that the settings give the vocabulary of each side."""
        size = self.vocabulary_size
        return dict(size) if isinstance(size, dict) else dict.fromkeys(sides, size)

    @property
    def options(self) -> dict[str, Any]:
        """The options of `train_subwords`."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(SubwordOptions)}

    def changed_options(self) -> set[str]:
        """Returns the names of the options of `train_subwords` that have another value than by default."""
        default = SubwordOptions()
        return {name for name, value in self.options.items() if value != getattr(default, name)}

    def given_models(self, sides: Sequence[str]) -> dict[str, File]:
        """Returns the files of `models` by side; empty if there are none."""
        if self.models is None:
            return {}
        return dict(self.models) if isinstance(self.models, dict) else dict.fromkeys(sides, self.models)

    def check(self, kind: Architecture, sides: Sequence[str], trains: bool) -> None:
        """Checks all settings for an architecture, the sides with a vocabulary, and whether subwords are trained."""
        is_joint, named, size = self.joint_vocabulary, ", ".join(sides), self.vocabulary_size
        check = functools.partial(check_rule, self)
        problem = "A model with language labels must have one vocabulary"
        check(is_joint or kind.model is not LanguageLabelModel, problem, "joint_vocabulary")
        for name in ("vocabulary_size", "models"):
            value = getattr(self, name)
            is_right = not isinstance(value, dict) or (not is_joint and set(value) <= set(sides))
            problem = f"{{{name}}} by language needs separate vocabularies (joint_vocabulary=false) of {named}"
            check(is_right, problem, name, "joint_vocabulary")
        problem = f"{{vocabulary_size}} must have a size for each of {named}"
        check(not isinstance(size, dict) or set(size) == set(sides), problem, "vocabulary_size")
        problem = f"One file of subwords needs a joint vocabulary; separate ones need a file for each of {named}"
        check(is_joint or not isinstance(self.models, str | os.PathLike), problem, "models", "joint_vocabulary")
        if trains and self.models is None:
            for size in self.sizes(sides).values():
                self.check_size(size, labels_of(kind, sides))


def labels_of(kind: Architecture, sides: Sequence[str]) -> list[str]:
    """Returns the labels of the languages, subwords that the model knows by their ids; empty for other models."""
    return LanguageLabelModel.labels(sides) if kind.model is LanguageLabelModel else []


def as_model_arguments(names: Collection[str], kind: Architecture) -> str:
    """Explains how to set names that are arguments of the model; "" if one of them is not."""
    inner = ARCHITECTURES["transformer"].arguments
    dotted = []
    for name in names:
        if name in kind.arguments:
            dotted.append(f"model.{name}")
        elif name in inner and "transformer" in kind.arguments:
            dotted.append(f"model.transformer.{name}")
        else:
            return ""
    return f"arguments of the model are set by --set {' and --set '.join(f'{name}=VALUE' for name in dotted)}"
