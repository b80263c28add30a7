"""Keras callbacks that the command line names."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from keras_nmt.errors import UserError

if TYPE_CHECKING:
    import keras


def make_callbacks(names: Iterable[str], settings: Mapping[str, Any]) -> list[keras.callbacks.Callback]:
    """Makes the callbacks of factories, each named as "module:factory".

    The user names a factory at each start: settings and model directories name no code.

    Args:
        names: Iterable of strings.
        settings: Mapping, the settings of the experiment, the argument of each factory.

    Returns:
        List of the callbacks, in the order of the names.

    Raises:
        UserError: A module cannot be imported, has no such function, or the function returns no callbacks.
    """
    from keras.callbacks import Callback

    callbacks: list[Any] = []
    for name in names:
        module, _, factory = name.partition(":")
        try:
            function = getattr(importlib.import_module(module), factory)
        except (ImportError, AttributeError, ValueError) as error:
            raise UserError(
                "--callbacks takes MODULE:FACTORY of a module that Python finds, for example by PYTHONPATH. "
                f"Received: {name} ({error})"
            ) from None
        made = function(dict(settings))
        made = list(made) if isinstance(made, list | tuple) else [made]
        if not all(isinstance(callback, Callback) for callback in made):
            raise UserError(f"A factory returns a Keras callback, or a list of such. Received: {name} gave {made!r}")
        callbacks += made
    return callbacks
