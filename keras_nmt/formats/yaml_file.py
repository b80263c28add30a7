"""Reads and writes YAML files that contain strings and lists of strings under names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keras_nmt.errors import UserError, one_line
from keras_nmt.formats.vocabulary import MAX_BYTES

NO_TEXT = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def read_yaml(path: Path | str, content: bytes | None = None) -> dict[str, Any]:
    """Reads a YAML file with strings and lists of strings under names. Numbers and tokens such as `no` stay strings.

    Args:
        path: The file, also for messages.
        content: The content, if it is not in a file. Defaults to None: it is read from `path`.

    Raises:
        UserError: The file is damaged or has another form, or PyYAML is missing.
    """
    try:
        import yaml
    except ImportError:
        raise UserError(
            "Missing package yaml for this file: install the extra by pip install 'keras_nmt[marian]'. "
            f"Received: {path}"
        ) from None
    if content is None:
        if (size := Path(path).stat().st_size) > MAX_BYTES:
            raise UserError(f"{path} must have at most {MAX_BYTES:,} bytes. Received: {size:,}")
        content = Path(path).read_bytes()
    wrong = UserError(f"{path} must contain only strings and lists of strings, under names.")
    found: dict[str, Any] = {}
    name: str | None = None
    depth = 0
    try:
        # Read events instead of objects: they have no types, and an alias creates nothing.
        for event in yaml.parse(content, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth == 1 and isinstance(event, yaml.MappingStartEvent):
                    continue
                if depth > 2 or name is None or isinstance(event, yaml.MappingStartEvent):
                    raise wrong
                found[name] = []
            elif isinstance(event, yaml.CollectionEndEvent):
                depth, name = depth - 1, None
            elif isinstance(event, yaml.AliasEvent):
                raise wrong
            elif isinstance(event, yaml.ScalarEvent):
                if depth == 0:
                    raise wrong
                if name is None:
                    name = event.value
                    if name in found:
                        raise UserError(f"{path} must contain each name once. Received twice: {one_line(name)[:100]}")
                elif depth == 2:
                    found[name].append(event.value)
                else:
                    found[name], name = event.value, None
    except yaml.YAMLError as error:
        raise UserError(f"{path} is damaged. Received: {one_line(error)[:300]}") from None
    return found


def write_yaml(settings: Mapping[str, Any]) -> str:
    """Returns settings as YAML, one on each line, which Marian needs.

    JSON is YAML except for some characters, which are escaped.
    """
    lines = (f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(x)}\n" for name, x in settings.items())
    return NO_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", "".join(lines))
