#!/usr/bin/env bash
# Guess: text that is generated under the regular expression of a JSON schema is JSON that the schema allows.
# Behaviour: the `pattern` of a string is put between two quotes as it stands. So yes|no allows a quote and yes, or no and
# a quote, and nothing else: a string that does not end, or does not begin, and every object with such a field is broken. The dot of a pattern
# allows quotes inside a string.
# A pattern without anchors must match the whole string, though JSON Schema asks that it occurs somewhere. The fraction of a `time`
# must begin with a backslash and any character. `minimum` and `maximum` are ignored.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile outlines_core==0.2.14
"$folder/venv/bin/python" - <<'PY'
import json
import re
import sys
from importlib.metadata import version

from outlines_core import Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

print("outlines_core", version("outlines_core"))


def expression(schema):
    return build_regex_from_schema(json.dumps(schema))


def allows(schema, text):
    return bool(re.fullmatch(expression(schema), text))


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def generated(schema, characters):
    """Returns all texts of the characters that the index, which masks the tokens of a model, lets end."""
    index = Index(expression(schema), Vocabulary(len(characters), {character: [i] for i, character in enumerate(characters)}))
    transitions, complete, open_states = index.get_transitions(), set(), [("", index.get_initial_state())]
    while open_states:
        text, state = open_states.pop()
        if index.is_final_state(state):
            complete.add(text)
        moves = transitions.get(state, {}).items()
        open_states += [(text + characters[token], new) for token, new in moves if token < len(characters)]
    return complete


choice = {"type": "string", "pattern": "yes|no"}
fields = {"type": "object", "properties": {"formal": choice}, "required": ["formal"]}
texts = generated(choice, 'yesno"'), generated(fields, 'yesno"{}:formal'), generated({"type": "string", "pattern": "^.{2}$"}, 'ab"')
for found in texts:
    print(f"{sum(map(is_json, found))} of {len(found)} texts are JSON:", *sorted(found, reverse=True)[:4])
checks = [
    ({"type": "string", "pattern": "[0-9]"}, '"room 5"', False),
    ({"type": "string", "pattern": "^.*[0-9].*$"}, '"room 5"', True),
    ({"type": "string", "format": "time"}, '"10:00:00.5Z"', False),
    ({"type": "string", "format": "time"}, '"10:00:00\\x5Z"', True),
    ({"type": "integer", "minimum": 1, "maximum": 5}, "-99", True),
]
seen = [allows(schema, text) for schema, text, _ in checks]
for (schema, text, _), allowed in zip(checks, seen):
    print(f"{json.dumps(schema)} {'allows' if allowed else 'does not allow'} {text}")
if seen != [expected for *_, expected in checks] or any(map(is_json, texts[0] | texts[1])) or all(map(is_json, texts[2])):
    sys.exit("outlines_core changed")
PY
