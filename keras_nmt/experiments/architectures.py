"""The architectures of experiments: their classes and arguments, and the model of an experiment."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from keras_nmt.errors import UserError, nearest
from keras_nmt.experiments.experiment_settings import ExperimentSettings
from keras_nmt.layers.mechanism import as_json
from keras_nmt.models import AttentionBridgeModel, LanguageLabelModel, Transformer
from keras_nmt.models.presets import TRANSFORMER_PRESETS

ARCHITECTURES: dict[str, Any] = {
    "transformer": Transformer,
    "attention_bridge": AttentionBridgeModel,
    "language_label": LanguageLabelModel,
}
# Arguments of models that other settings set.
OWN_ARGUMENTS = {"source_vocabulary_size", "target_vocabulary_size", "vocabulary_size"} | {
    *("languages", "dtype", "use_cudnn", "kwargs")
}


def model_arguments(architecture: str) -> set[str]:
    """Returns the names of the arguments that `model` may set for an architecture."""
    return set(inspect.signature(ARCHITECTURES[architecture]).parameters) - OWN_ARGUMENTS


def as_model_arguments(names: Sequence[str], values: Mapping[str, Any]) -> str:
    """Says how to set arguments of the model that were taken for settings; "" where one is no argument.

    Args:
        names: Sequence of str.
        values: Mapping, the value of each name, and the settings that choose the architecture.
    """
    default = "transformer" if values.get("languages") is None else "attention_bridge"
    architecture = values.get("architecture") or default
    if architecture not in ARCHITECTURES:
        return ""
    known, inner = model_arguments(architecture), model_arguments("transformer")
    own = {name: values[name] for name in names if name in known}
    nested = {name: values[name] for name in names if name in inner - known and "transformer" in known}
    if len(own) + len(nested) < len(names):
        return ""
    others = values["model"] if isinstance(values.get("model"), dict) else {}
    arguments = {**others, **own, **({"transformer": nested} if nested else {})}
    return f"arguments of the model are set by --set 'model={json.dumps(arguments, default=as_json)}'"


def check_model_arguments(experiment: ExperimentSettings) -> None:
    """Checks the names of the arguments of the model of an experiment.

    Raises:
        UserError: The architecture has no such argument.
    """
    e, architecture = experiment, experiment.architecture or ""
    known = model_arguments(architecture)
    if unknown := sorted(set(e.model) - known):
        settings = [name for name in unknown if hasattr(e, name)]
        suggestion = f"`{settings[0]}` is a setting beside `model`" if settings else nearest(unknown, known)
        suggestion = as_model_arguments(unknown, {**e.model, "architecture": architecture}) or suggestion
        raise UserError(
            f"`model` sets arguments of {ARCHITECTURES[architecture].__name__}, which has no such ones; "
            f"{suggestion or 'see its docstring'}. Received: {', '.join(unknown)}"
        )


def make_model_of(experiment: ExperimentSettings, sizes: Mapping[str, int]) -> Any:
    """Makes the model of an experiment; see `Experiment.make_model`."""
    e = experiment
    if e.architecture == "transformer":
        model = Transformer.from_preset(**{**transformer_arguments(e, sizes), "dtype": e.dtype})
    else:
        arguments = {**e.model, "dtype": e.dtype, "use_cudnn": False if e.jit_compile else "auto"}
        if e.preset is not None:
            preset = dict(TRANSFORMER_PRESETS[e.preset])
            heads = {name: preset.pop(name) for name in ("num_heads", "intermediate_dim")}
            arguments = {"encoder": "transformer", "decoder": "transformer", **preset, **arguments}
            arguments["transformer"] = {**heads, **(e.model.get("transformer") or {})}
        model = ARCHITECTURES[e.architecture or ""](dict(sizes), **arguments)
    for pattern in e.frozen:
        matching = [weight for weight in model.weights if fnmatchcase(weight.path, pattern)]
        if not matching:
            paths = ", ".join(sorted({f"{weight.path.split('/')[0]}/..." for weight in model.weights}))
            raise UserError(f"No weight has such a path: paths are {paths}. Received: frozen has {pattern!r}")
        for weight in matching:
            weight.trainable = False
    return model


def transformer_arguments(experiment: ExperimentSettings, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Returns the arguments of `Transformer.from_preset`, for vocabularies of these sizes."""
    return {
        **experiment.model,
        "preset": experiment.preset,
        "source_vocabulary_size": sizes["source"],
        "target_vocabulary_size": None if experiment.joint_vocabulary else sizes["target"],
    }
