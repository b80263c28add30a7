"""Settings as a dataclass: checked by their types, read from JSON, compared with the settings of an earlier start."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import json
import os
import re
import textwrap
import types
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import ConfigDict, TypeAdapter, ValidationError

from keras_nmt.errors import UserError, nearest
from keras_nmt.files.check_path import check_local
from keras_nmt.files.json_file import named_damage, read_json
from keras_nmt.layers.mechanism import as_json
from keras_nmt.models import ModelDirectory

# pydantic's errors about a value of the right type; all others are reported by the name of the type.
OF_VALUES = ("literal_error", "finite_number", "greater_than", "greater_than_equal", "less_than", "less_than_equal")


@dataclasses.dataclass(kw_only=True)
class Settings:
    """The settings of a run, which its model directory keeps in `settings.json`.

    Subclasses are dataclasses whose annotations are checked strictly: "5" is not taken for 5; an integer is taken for
    a float.

    Args:
        directory: Path, the model directory.

    Raises:
        UserError: A setting has another type or is out of its range, or the directory is an address of storage.
    """

    # The titles of groups of settings, by the first setting of each.
    GROUPS: ClassVar[dict[str, str]] = {"directory": "Settings"}

    directory: str | os.PathLike[str]

    def __post_init__(self) -> None:
        for name, adapter in _adapters(type(self)).items():  # type: ignore[arg-type]
            value = getattr(self, name)
            try:
                setattr(self, name, adapter.validate_python(value))
            except ValidationError as error:
                reasons = [e["msg"] for e in error.errors(include_url=False) if e["type"] in OF_VALUES]
                kind = reasons[0].removeprefix("Input should be ") if reasons else _words(_hints(type(self))[name])
                raise UserError(f"`{name}` must be {kind}. Received: {name}={value!r}") from None
        check_local(self.directory)

    @staticmethod
    def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
        """Reads settings by name from a JSON file or a pipe. For errors, see `read_json`."""
        return read_json(path, "the settings of a run", may_be_pipe=True)

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> Self:
        """Makes an instance from settings by name.

        Raises:
            UserError: A setting is unknown, missing, or of another type.
        """
        known = _hints(cls)
        if unknown := sorted(set(settings) - set(known)):
            suggestion = cls._suggestion(unknown, settings)
            raise UserError(f"There are no such settings; {suggestion}. Received: {', '.join(unknown)}")
        cls._check_missing(settings)
        return cls(**settings)

    @classmethod
    def described(cls, width: int) -> str:
        """Returns all settings as text, by group: each with its default as JSON and its description."""
        parts = re.findall(r"^    (\w+): ((?:.+\n)(?: {8}.+\n)*)", f"{inspect.getdoc(cls)}\n", re.MULTILINE)
        descriptions = {name: " ".join(text.split()) for name, text in parts}
        lines: list[str] = []
        for field in dataclasses.fields(cls):
            if field.name in cls.GROUPS:
                lines += ["", cls.GROUPS[field.name]]
            default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
            shown = "needed" if default is dataclasses.MISSING else json.dumps(default)
            text = textwrap.fill(descriptions[field.name], width, initial_indent=" " * 6, subsequent_indent=" " * 6)
            lines += [f"  {field.name} = {shown}", text]
        return "\n".join(lines[1:])

    def settings(self) -> dict[str, Any]:
        """Returns all settings by name, as `settings.json` holds them: paths are absolute."""
        settings = dataclasses.asdict(self)
        for name, hint in _hints(type(self)).items():
            if "PathLike" in str(hint):
                settings[name] = _absolute(settings[name])
        as_read: dict[str, Any] = json.loads(json.dumps(settings, default=as_json))  # tuples become lists
        return as_read

    def changed_settings(self, may_change: Collection[str]) -> list[str]:
        """Returns the differences from the settings in the model directory, as "name=value (was value)".

        A setting that is newer than the settings in the directory had its default. Settings of `may_change` are not
        compared.
        """
        path = ModelDirectory(self.directory).settings_path
        with named_damage(path):
            old = self._old_settings(read_json(path, "the settings of a run"))
        return [
            f"{name}={value!r} (was {old[name]!r})"
            for name, value in self.settings().items()
            if old[name] != value and name not in may_change
        ]

    def _old_settings(self, written: dict[str, Any]) -> dict[str, Any]:
        """The settings of an earlier start as settings of this one, in the directory of this one."""
        known = {name: value for name, value in written.items() if name in _hints(type(self))}
        return type(self).from_settings({**known, "directory": self.directory}).settings()

    @classmethod
    def _suggestion(cls, unknown: Sequence[str], settings: Mapping[str, Any]) -> str:
        """Says what to do instead of setting a name that is no setting."""
        return nearest(unknown, _hints(cls)) or "`keras-nmt train --list-settings` lists the settings"

    @classmethod
    def _check_missing(cls, settings: dict[str, Any]) -> None:
        """Raises a `UserError` for settings that are needed and not there."""


@contextlib.contextmanager
def as_user_errors() -> Iterator[None]:
    """A block in which an error of a layer or an optimizer about an argument becomes a `UserError`."""
    try:
        yield
    except UserError:
        raise
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error


_type_hints = functools.cache(typing.get_type_hints)  # evaluating annotations takes milliseconds


def _hints(cls: type) -> dict[str, Any]:
    """The type of each setting, without constraints."""
    hints: dict[str, Any] = _type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


@functools.cache
def _adapters(cls: type) -> dict[str, TypeAdapter[Any]]:
    hints = typing.get_type_hints(cls, include_extras=True)
    config = ConfigDict(strict=True, allow_inf_nan=False)
    return {field.name: TypeAdapter(hints[field.name], config=config) for field in dataclasses.fields(cls)}


def _words(hint: Any) -> str:
    """A type as settings are written, such as "list[int] | None"."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return " | ".join(_words(argument) for argument in typing.get_args(hint))
    if hint is types.NoneType:
        return "None"
    return inspect.formatannotation(hint).replace("collections.abc.", "").replace("Sequence", "list")


def _absolute(value: Any) -> Any:
    """Makes a path, or the paths in a list or a dict, absolute."""
    if isinstance(value, dict):
        return {name: _absolute(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_absolute(one) for one in value]
    return None if value is None else os.path.abspath(value)
