from __future__ import annotations

from typing import TypeVar

from keras_nmt.errors import UserError
from keras_nmt.models import MultilingualModel, TranslationModel, quantize

Model = TypeVar("Model", TranslationModel, MultilingualModel)


def for_serving(model: Model, mode: str | None) -> Model:
    """A copy of a model that computes in float32, or as `quantize` says where a mode is given."""
    if any(weight.dtype == "int8" for weight in model.weights):
        raise UserError(
            'The model is quantised already: export it as it was before, with quantize="int8". '
            f"Received: {type(model).__name__} with weights of int8"
        )
    copy = model.with_dtype("float32")
    if mode is not None:
        quantize(copy, mode)
    return copy
