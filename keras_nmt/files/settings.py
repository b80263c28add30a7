"""Settings as dataclasses: each field has its type, its description and its default in one place, and a dotted name.

A dataclass is a section of settings, and a field whose type is a dataclass is a section inside it. The description of a
setting is the `text` of `setting`, or else the entry under "Args:" in the docstring of the dataclass.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import os
import textwrap
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from keras_nmt.errors import UserError, require
from keras_nmt.files.search_options import described_arguments

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Nested = dict[str, Any]

PROGRAMS = ("strategy", "report")  # fields that only programs set, because files cannot contain their objects
# pydantic's errors about values of the right type. For all others, the message names the type.
VALUE_ERRORS = ("literal_error", "finite_number", "greater_than", "greater_than_equal", "less_than", "less_than_equal")


def _cached(function: F) -> F:
    """Caches a function as `functools.cache` does, but keeps its type for mypy."""
    return typing.cast(F, functools.cache(function))


def setting(
    default: Any = dataclasses.MISSING,
    text: str = "",
    *,
    factory: Any = dataclasses.MISSING,
    is_open: bool = False,
    **goes_with: tuple[str, ...],
) -> Any:
    """Returns the field of a setting.

    Args:
        default: The default. A setting without `default` and `factory` is required.
        text: String, the description for documentation, `--list-settings` and messages.
        factory: Callable without arguments that makes the default. Defaults to none.
        is_open: Boolean, whether the field is a dictionary that takes all names which are not settings of the section.
            Defaults to `False`.
        **goes_with: `needs`, the name of another setting of the section, and the values of it with which this setting
            has an effect; without values, any but None. `needed_with`, the same for values that need this setting.
    """
    metadata = {"text": text, "is_open": is_open, "goes_with": goes_with}
    return dataclasses.field(default=default, default_factory=factory, metadata=metadata)


def documented(cls: type[T]) -> type[T]:
    """Adds the descriptions of the settings to the docstring of their dataclass, for `help`."""
    lines = [
        textwrap.fill(f"{name}: {_text(cls, field)}", 120, initial_indent=" " * 8, subsequent_indent=" " * 12)
        for name, field in _fields(cls).items()
        if not dataclasses.is_dataclass(_hints(cls)[name])
    ]
    cls.__doc__ = "\n".join([(cls.__doc__ or "").rstrip(), "", "    Args:", *lines, "    "])
    return cls


@_cached
def sections(cls: type) -> dict[str, type]:
    """Returns the sections inside a section, by name."""
    return {
        name: hint for name, hint in _hints(cls).items() if isinstance(hint, type) and dataclasses.is_dataclass(hint)
    }


@_cached
def setting_names(cls: type) -> dict[str, tuple[type, dataclasses.Field[Any]]]:
    """Returns the dotted names of all settings, and the section and field of each."""
    names: dict[str, tuple[type, dataclasses.Field[Any]]] = {}
    for name, field in _fields(cls).items():
        if name in sections(cls):
            names |= {f"{name}.{inner}": found for inner, found in setting_names(sections(cls)[name]).items()}
        elif not field.metadata.get("is_open"):
            names[name] = (cls, field)
    return names


def whole_name(cls: type, name: str) -> str:
    """Returns the full dotted name of a setting or section, given that name or the end of it after a dot.

    Returns `name` itself if no known name ends with it, or if several do.
    """
    known = {*setting_names(cls), *_section_names(cls)}
    whole = [one for one in known if one.endswith(f".{name}")]
    return whole[0] if name not in known and len(whole) == 1 else name


def merge_settings(cls: type, *layers: Mapping[str, Any]) -> Nested:
    """Merges settings into nested dictionaries by section; later layers take precedence.

    Sections are merged setting by setting, and arguments of an open section by `merge_arguments`. In the layers,
    sections are mappings, or names are dotted, see `whole_name`; a dotted name can name an entry of nested dictionaries
    of any depth. `cls` is the section that contains all others.

    Raises:
        UserError: A section is not a mapping.
    """
    merged: Nested = {}
    for layer in layers:
        for name, value in _flat(cls, layer):
            set_value(merged, name, value, merges=name not in setting_names(cls))
    return merged


def set_value(target: Nested, name: str, value: Any, *, merges: bool = False) -> None:
    """Sets the value of a dotted name in nested dictionaries. Inner dictionaries are copied.

    An inner value that is short for a dictionary is replaced by this dictionary: see `as_arguments`. With `merges`, a
    dictionary is merged with the old value: see `merge_arguments`.

    Example:

    >>> settings = {"model": {"shortcuts": "fusion", "transformer": {"dropout": 0.1}}}
    >>> set_value(settings, "model.transformer.num_heads", 8)
    >>> set_value(settings, "model.shortcuts.sites", ["self"])
    >>> settings
    {'model': {'shortcuts': {'kind': 'fusion', 'sites': ['self']}, 'transformer': {'dropout': 0.1, 'num_heads': 8}}}
    """
    first, _, rest = name.partition(".")
    if rest:
        inner = as_arguments(target.get(first), f"`{first}`")
        set_value(inner, rest, value, merges=merges)
        value = inner
    target[first] = merge_arguments(target.get(first), value) if merges and not rest else value


def merge_arguments(old: Any, new: Any) -> Any:
    """Merges nested dictionaries of arguments; new arguments take precedence.

    An object with arguments is a dictionary with the entry "kind"; if it has no other arguments, the kind alone is
    short for it. New arguments without "kind" change the old object, and those with "kind" replace it.

    Example:

    >>> merge_arguments({"dropout": 0.1, "shortcuts": "fusion"}, {"shortcuts": {"sites": ["cross"]}})
    {'dropout': 0.1, 'shortcuts': {'kind': 'fusion', 'sites': ['cross']}}
    """
    if not isinstance(new, Mapping) or {"kind", "class_name"} & set(new):
        return new
    old = as_arguments(old)
    return {**old, **{name: merge_arguments(old.get(name), value) for name, value in new.items()}}


def as_arguments(value: Any, name: str = "This value") -> dict[str, Any]:
    """Returns the arguments of a value by name; the value may be a kind alone, an object with a JSON form, or None.

    `name` stands for the value in the error if it has no arguments.
    """
    value = value.get_config() if hasattr(value, "get_config") else value
    if isinstance(value, str) or (isinstance(value, Mapping) and "class_name" in value):
        return {"kind": value}
    if value is not None and not isinstance(value, Mapping):
        raise UserError(f"{name} must have arguments to change. Received: {str(value)[:200]}")
    return dict(value or {})


def make_settings(cls: type[T], settings: Mapping[str, Any], prefix: str = "", default: T | None = None) -> T:
    """Makes a dataclass of settings, and the sections inside it, from settings as `merge_settings` returns them.

    `prefix` is the dotted name of the section and a dot, for messages. All other settings have the values of `default`,
    or else the fields' defaults.

    Raises:
        UserError: A setting is unknown, has another type, or is out of its range.
    """
    values: dict[str, Any] = {}
    others: dict[str, Any] = {}
    open_name = next((name for name, field in _fields(cls).items() if field.metadata.get("is_open")), None)
    for name, value in settings.items():
        if name in sections(cls):
            inner = sections(cls)[name]
            inner_default = _default(_fields(cls)[name]) if default is None else getattr(default, name)
            inner_default = None if inner_default is dataclasses.MISSING else inner_default
            is_made = isinstance(value, inner)
            values[name] = value if is_made else make_settings(inner, value, f"{prefix}{name}.", inner_default)
        elif name in _fields(cls) and name != open_name:
            values[name] = checked(cls, name, value, prefix)
        else:
            others[name] = value
    if open_name is not None:
        values[open_name] = others
    elif others:
        raise UserError(f"There are no such settings. Received: {', '.join(prefix + name for name in others)}")
    made = cls(**values) if default is None else dataclasses.replace(default, **values)  # type: ignore[type-var]
    _check_needs(made)
    return made


def checked(cls: type, name: str, value: Any, prefix: str = "") -> Any:
    """Checks the type and range of a setting, and returns its value. An integer becomes a float if the type is float.

    Types are strict: "5" is not accepted as 5.

    Raises:
        UserError: The value has another type, or is out of its range.
    """
    from pydantic import ValidationError  # the import is slow, and light commands do not need it

    is_right = not _is_path(cls, name) or "" not in _leaves(value)
    require(is_right, f"{{{prefix}{name}}} must be a path, not empty", **{f"{prefix}{name}": value})
    try:
        return _adapters(cls)[name].validate_python(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        reasons = [e["msg"] for e in details if e["type"] in VALUE_ERRORS]
        wanted = _words(_hints(cls)[name])
        where = details[0]["loc"]
        if isinstance(value, Mapping) and len(where) == 1 and where[0] in value:  # a value of the dictionary is wrong
            name, value, reasons = f"{name}.{where[0]}", value[where[0]], [details[0]["msg"]]
        if isinstance(value, str) and wanted.startswith("list[str]"):
            wanted += f", such as {json.dumps(value.split(','))}"
        kind = reasons[0].removeprefix("Input should be ") if reasons else wanted
        raise UserError(f"{{{prefix}{name}}} must be {kind}", {f"{prefix}{name}": value}) from None


def check_rule(settings: Any, is_right: object, problem: str, *names: str) -> None:
    """Checks a rule about several settings of a section, given their dotted names; raises a `UserError` otherwise.

    In `problem`, settings are named in braces, by the ends of their names.
    """
    require(is_right, problem, **{name.rpartition(".")[2]: value_at(settings, name) for name in names})


def _check_needs(settings: Any) -> None:
    """Checks that settings which need others have them, and are there if others need them; see `setting`."""
    for name, field in _fields(type(settings)).items():
        is_set = getattr(settings, name) != _default(field)
        for which, (other, *values) in field.metadata.get("goes_with", {}).items():
            value = getattr(settings, other)
            has_other = value in values if values else value is not None
            is_right = has_other or not is_set if which == "needs" else is_set or not has_other
            shown = f"{other}={'|'.join(values)}" if values else f"`{other}`"
            problem = f"{{{name}}} needs {shown}" if which == "needs" else f"Missing `{name}`: {other}={value} needs it"
            check_rule(settings, is_right, problem, other, name)


def as_nested(settings: Any) -> Nested:
    """Returns a dataclass of settings as nested dictionaries by section, as files contain them."""
    nested: Nested = {}
    for name, field in _fields(type(settings)).items():
        value = getattr(settings, name)
        if field.metadata.get("is_open"):
            nested |= value
        else:
            nested[name] = as_nested(value) if name in sections(type(settings)) else value
    return nested


def flatten(cls: type, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns nested settings by their dotted names."""
    return dict(_flat(cls, settings))


def nested_items(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the dotted names and the values of nested dictionaries. An empty dictionary is a value."""
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from nested_items(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def value_at(settings: Any, name: str) -> Any:
    """Returns the value of a dotted name in nested dataclasses."""
    return functools.reduce(getattr, name.split("."), settings)


def change_paths(cls: type, settings: Mapping[str, Any], change: Callable[[str], str]) -> Nested:
    """Returns nested settings in which `change` was applied to all paths, also those in lists and dictionaries."""

    def changed(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: changed(one) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [changed(one) for one in value]
        return None if value is None else change(os.fspath(value))

    result: Nested = {}
    names = setting_names(cls)
    for name, value in _flat(cls, settings):
        is_path = name in names and _is_path(names[name][0], names[name][1].name)
        set_value(result, name, changed(value) if is_path else value)
    return result


def _is_path(cls: type, name: str) -> bool:
    return "PathLike" in str(_hints(cls)[name])


def _leaves(value: Any) -> list[Any]:
    """Returns the values in nested dictionaries and lists."""
    if isinstance(value, Mapping | list | tuple):
        values = value.values() if isinstance(value, Mapping) else value
        return [leaf for one in values for leaf in _leaves(one)]
    return [value]


def list_settings(cls: type, width: int) -> str:
    """Returns a text that lists all settings by section, with their defaults as JSON and their descriptions."""
    lines: list[str] = []
    last = None
    for name, (owner, field) in setting_names(cls).items():
        section = name.rpartition(".")[0]
        if section != last:
            lines += ["", section or "experiment"]
            last = section
        default = _default_at(cls, name)
        shown = "needed" if default is dataclasses.MISSING else json.dumps(default)
        text = textwrap.fill(_text(owner, field), width, initial_indent=" " * 6, subsequent_indent=" " * 6)
        lines += [f"  {name} = {shown}", text]
    return "\n".join(lines[1:])


def _flat(cls: type, settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for end, value in settings.items():
        name = whole_name(cls, end)
        inner = _section_names(cls).get(name)
        if inner is None or isinstance(value, inner):
            yield prefix + name, value
        elif isinstance(value, Mapping):
            yield from _flat(inner, value, f"{prefix}{name}.")
        else:
            raise UserError(f"`{prefix}{name}` must be settings by name. Received: {prefix}{name}={value!r}")


@_cached
def _section_names(cls: type) -> dict[str, type]:
    names = dict(sections(cls))
    for name, inner in sections(cls).items():
        names |= {f"{name}.{one}": found for one, found in _section_names(inner).items()}
    return names


def _fields(cls: type) -> dict[str, dataclasses.Field[Any]]:
    return {field.name: field for field in dataclasses.fields(cls) if field.name not in PROGRAMS}


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _default_at(cls: type, name: str) -> Any:
    """Returns the default of a setting. A section may override the defaults of the classes of its inner sections."""
    first, _, rest = name.partition(".")
    default = _default(_fields(cls)[first])
    if not rest or default is not dataclasses.MISSING:
        return value_at(default, rest) if rest else default
    return _default_at(sections(cls)[first], rest)


def _text(cls: type, field: dataclasses.Field[Any]) -> str:
    return field.metadata.get("text") or described_arguments(cls)[field.name]


@_cached
def _hints(cls: type) -> dict[str, Any]:
    """Returns the type of each setting, without constraints."""
    hints = typing.get_type_hints(cls)
    return {name: hints[name] for name in _fields(cls)}


@_cached
def _adapters(cls: type) -> dict[str, Any]:
    from pydantic import ConfigDict, TypeAdapter

    hints = typing.get_type_hints(cls, include_extras=True)
    config = ConfigDict(strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)
    return {name: TypeAdapter(hints[name], config=config) for name in _fields(cls) if name not in sections(cls)}


def _words(hint: Any) -> str:
    """Returns a type as text for messages, such as "list[int] | None"."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return " | ".join(_words(argument) for argument in typing.get_args(hint))
    if hint is types.NoneType:
        return "None"
    return inspect.formatannotation(hint).replace("collections.abc.", "").replace("Sequence", "list")
