#!/usr/bin/env bash
# Guess: whatever a model writes under a JSON schema is JSON that follows the schema, and each value that the schema lists can be written.
# Behaviour: a value or name that contains a quotation mark ends there: of the choice between He said "yes". and He said "no"., the model can
# only write "He said ", which is neither. A whole number may be 1e-5, and a number 1.e5, which no JSON parser reads. A field that may be
# null, with the types string and null, loses all its other rules: its pattern, its length, the properties of its object.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile lm-format-enforcer==0.11.3 jsonschema==4.26.0
"$folder/venv/bin/python" - <<'PY'
import json
import sys
from importlib.metadata import version

import jsonschema
from lmformatenforcer import JsonSchemaParser

print(*(f"{name} {version(name)}" for name in ("lm-format-enforcer", "jsonschema")))


def can_be_written(schema, text):
    parser = JsonSchemaParser(schema)
    for character in text:
        if character not in parser.get_allowed_characters():
            return False
        parser = parser.add_character(character)
    return parser.can_end()


def is_valid(schema, text):
    try:
        jsonschema.validate(json.loads(text), schema)
    except (json.JSONDecodeError, jsonschema.ValidationError):
        return False
    return True


choice = {"type": "string", "enum": ['He said "yes".', 'He said "no".']}
named = {"type": "object", "properties": {'the "end"': {"type": "integer"}}, "required": ['the "end"']}
point = {"properties": {"x": {"type": "integer"}}, "required": ["x"]}
cases = [  # schema, text, whether it can be written and is valid
    ({"type": "string", "enum": ["yes", "no"]}, '"yes"', True, True),
    ({"type": "string", "enum": ["yes", "no"]}, '"maybe"', False, False),
    (choice, json.dumps(choice["enum"][0]), False, True),
    (choice, '"He said "', True, False),
    (named, '{"the \\"end\\"": 1}', False, True),
    ({"type": "integer"}, "12", True, True),
    ({"type": "integer"}, "1.5", False, False),
    ({"type": "integer"}, "1e-5", True, False),
    ({"type": "number"}, "1.e5", True, False),
    ({"type": "string", "maxLength": 3}, '"four"', False, False),
    ({"type": ["string", "null"], "maxLength": 3}, '"four"', True, False),
    ({"type": "string", "pattern": "^[a-z]{2}$"}, '"Deutsch"', False, False),
    ({"type": ["string", "null"], "pattern": "^[a-z]{2}$"}, '"Deutsch"', True, False),
    ({"type": "object", **point}, '{"y": "z"}', False, False),
    ({"type": ["object", "null"], **point}, '{"y": "z"}', True, False),
]
for schema, text, *expected in cases:
    seen = [can_be_written(schema, text), is_valid(schema, text)]
    print(f"{json.dumps(schema)}: {text} {'can' if seen[0] else 'cannot'} be written, is {'' if seen[1] else 'not '}valid")
    if seen[1] != expected[1] or (expected[0] == expected[1] and seen[0] != expected[0]):
        sys.exit("not as expected")
    if seen[0] != expected[0]:
        sys.exit("lm-format-enforcer changed")
PY
