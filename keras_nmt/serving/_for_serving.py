from __future__ import annotations

from typing import TypeVar

from keras_nmt.models import MultilingualModel, TranslationModel, quantize

Model = TypeVar("Model", TranslationModel, MultilingualModel)


def for_serving(model: Model, mode: str | None) -> Model:
    """A copy of a model that computes in float32, or as `quantize` says where a mode is given."""
    copy = model.with_dtype("float32")
    if mode is not None:
        quantize(copy, mode)
    return copy
