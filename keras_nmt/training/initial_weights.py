"""Warm starts: a run begins with the weights of another model."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase

import keras

from keras_nmt.errors import UserError, require
from keras_nmt.files.settings import nested_items
from keras_nmt.models.multilingual_model import MultilingualModel
from keras_nmt.models.translation_model import TranslationModel

# Arguments that do not change what is computed from weights and texts, also inside of other arguments.
NO_EFFECT = {"name", "trainable", "dtype", "languages", "use_cudnn"}
NO_EFFECT |= {"penalty", "penalty_weight", "uniform_start", "start"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class WarmStart:
    """The weights with which `Trainer` starts a run without a checkpoint; see `warm_start`.

    Args:
        init_from: Model, or path of a model directory. Defaults to `None`, the model's own weights.
        allow_missing: List of shell patterns of the variables that `init_from` may lack. Defaults to none.
        ignore_extra: List of shell patterns of the variables that only `init_from` may have. Defaults to none.

    Raises:
        UserError: There are patterns, and no `init_from`.
    """

    init_from: keras.Model | str | os.PathLike[str] | None = None
    allow_missing: Sequence[str] = ()
    ignore_extra: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("allow_missing", "ignore_extra"):
            patterns = getattr(self, name)
            is_used = self.init_from is not None or not patterns
            require(is_used, f"{{{name}}} needs `init_from`, the model to start from", **{name: patterns})


@dataclasses.dataclass
class WarmStartResult:
    """The result of `warm_start`, as lists of variable paths.

    Attributes:
        taken: Variables with the values of the source.
        new: Variables that the source lacks. They keep their initial values.
        misfit: Variables that have another shape in the source. They keep their initial values.
        unused: Variables of the source that the model lacks.
        other_arguments: Arguments of the model's class whose values differ, such as "num_heads=8, not 4": with the
            same weights, the model computes something else. Those about sizes of vocabularies and dropout are left out,
            and `languages`, unless they have other labels.
    """

    taken: list[str] = dataclasses.field(default_factory=list)
    new: list[str] = dataclasses.field(default_factory=list)
    misfit: list[str] = dataclasses.field(default_factory=list)
    unused: list[str] = dataclasses.field(default_factory=list)
    other_arguments: list[str] = dataclasses.field(default_factory=list)

    def summary(self) -> str:
        """Returns the result as lines of text."""
        lines = [f"Warm start: {len(self.taken)} weight(s) taken"]
        lines += [f"  new: {path}" for path in self.new]
        lines += [f"  did not fit: {path}" for path in self.misfit]
        lines += [f"  not used: {path}" for path in self.unused]
        lines += [f"  other argument: {text}" for text in self.other_arguments]
        return "\n".join(lines)


def warm_start(
    model: keras.Model, source: keras.Model, *, allow_missing: Sequence[str] = (), ignore_extra: Sequence[str] = ()
) -> WarmStartResult:
    """Copies the weights of `source` into the variables of `model` that have the same path and shape.

    Args:
        model: Model whose variables are set; with a strategy, call this function in its scope.
        source: Model to start from.
        allow_missing: List of shell patterns of the paths of variables of `model` that `source` may lack or have in
            another shape ("decoder/*"; "*" allows all). Defaults to none.
        ignore_extra: List of shell patterns of the paths of variables of `source` that `model` may lack. Defaults to
            none.

    Returns:
        `WarmStartResult`, which variables were copied and which were not.

    Raises:
        UserError: A variable is missing, has another shape or is unused, and no pattern allows it. Nothing is copied.

    Example:

    >>> def make(units):
    ...     layers = [keras.layers.Dense(3, name="a"), keras.layers.Dense(units, name="b")]
    ...     return keras.Sequential([keras.Input((2,)), *layers], name="model")
    >>> result = warm_start(make(5), make(4), allow_missing=["model/b/*"])
    >>> len(result.taken), len(result.misfit)
    (2, 2)
    """
    for name, patterns in {"allow_missing": allow_missing, "ignore_extra": ignore_extra}.items():
        if isinstance(patterns, str):  # each character would be a pattern
            raise UserError(f"`{name}` must be a list of patterns. Received: {name}={patterns!r}")
    theirs = {variable.path: variable for variable in source.weights}
    ours = {variable.path: variable for variable in model.weights}
    result = WarmStartResult(unused=[path for path in theirs if path not in ours])
    for path, variable in ours.items():
        if path not in theirs:
            result.new.append(path)
        elif tuple(theirs[path].shape) != tuple(variable.shape):
            result.misfit.append(path)
        else:
            result.taken.append(path)
    for what, paths, option, allowed in (
        ("are missing in the model to start from", result.new, "allow_missing", allow_missing),
        ("have another shape in the model to start from", result.misfit, "allow_missing", allow_missing),
        ("of the model to start from are missing in this model", result.unused, "ignore_extra", ignore_extra),
    ):
        refused = [path for path in paths if not any(fnmatchcase(path, pattern) for pattern in allowed)]
        problem = f"{len(refused)} weight(s) {what}; `{option}` can allow it. Received: {', '.join(refused[:5])}"
        require(not refused, problem)
    problem = f"The model to start from must have a weight of this model. Received: {', '.join(list(theirs)[:5])}"
    require(result.taken, problem)
    for path in result.taken:
        ours[path].assign(theirs[path].numpy())
    result.other_arguments = _other_arguments(model, source)
    return result


def _other_arguments(model: keras.Model, source: keras.Model) -> list[str]:
    """Returns, as text, the arguments of two translation models of the same class that differ."""
    if type(model) is not type(source) or not isinstance(model, TranslationModel | MultilingualModel):
        return []
    ours, theirs = (dict(nested_items(one.get_config())) for one in (model, source))

    def has_effect(name: str) -> bool:
        parts = name.split(".")
        return not any(x in NO_EFFECT for x in parts) and "vocabulary" not in name and "dropout" not in parts[-1]

    different = [name for name in {**ours, **theirs} if has_effect(name) and ours.get(name) != theirs.get(name)]
    shown = [f"{name}={ours.get(name)}, not {theirs.get(name)}" for name in different]
    languages, others = model.languages, source.languages
    if model.num_labels and languages != others[: len(languages)]:  # the order of languages tells their labels' ids
        shown.append(f"languages={', '.join(languages)}, not {', '.join(others)}")
    return shown
