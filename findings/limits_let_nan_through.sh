#!/usr/bin/env bash
# Guess: a rate that must be from 0 to 1 cannot be NaN, as a command line, JSON of Python (NaN) and YAML (.nan) may give it: each library that
# checks limits refuses it, as it refuses 2.
# Behaviour: click's `FloatRange(0, 1)` takes "nan", also with `clamp=True`; `minimum` and `maximum` of jsonschema and fastjsonschema, `min`
# and `max` of Cerberus and traitlets and `Range` of colander let NaN through: each asks whether a value is outside. pydantic, attrs, msgspec,
# voluptuous and WTForms refuse it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile click==8.5.1 jsonschema==4.26.0 fastjsonschema==2.22.3 Cerberus==1.3.8 traitlets==5.16.1 \
    colander==2.0 pydantic==2.13.5 attrs==26.1.0 msgspec==0.23.0 voluptuous==0.16.0 WTForms==3.3.2
"$folder/venv/bin/python" - <<'PY'
import json
import sys
from importlib.metadata import version
from typing import Annotated

import attrs
import cerberus
import click
import colander
import fastjsonschema
import jsonschema
import msgspec
import pydantic
import traitlets
import voluptuous
import wtforms
from click.testing import CliRunner

SCHEMA = {"properties": {"rate": {"type": "number", "minimum": 0, "maximum": 1}}}


def by_click(text, **options):
    command = click.Command("train", params=[click.Option(["--rate"], type=click.FloatRange(0, 1, **options))], callback=lambda rate: click.echo(rate))
    result = CliRunner().invoke(command, ["--rate", text])
    if result.exit_code:
        raise ValueError(result.output)
    return float(result.output)


def by_cerberus(text):
    validator = cerberus.Validator({"rate": {"type": "float", "min": 0, "max": 1}})
    if not validator.validate({"rate": float(text)}):
        raise ValueError(validator.errors)
    return validator.document["rate"]


class Traits(traitlets.HasTraits):
    rate = traitlets.Float(min=0, max=1)


class Colander(colander.MappingSchema):
    rate = colander.SchemaNode(colander.Float(), validator=colander.Range(0, 1))


class Pydantic(pydantic.BaseModel):
    rate: float = pydantic.Field(ge=0, le=1)


@attrs.define
class Attrs:
    rate: float = attrs.field(validator=[attrs.validators.ge(0), attrs.validators.le(1)])


class Struct(msgspec.Struct):
    rate: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Form(wtforms.Form):
    rate = wtforms.FloatField(validators=[wtforms.validators.NumberRange(0, 1)])


class Data(dict):
    def getlist(self, name):
        return [self[name]]


def by_wtforms(text):
    form = Form(Data(rate=text))
    if not form.validate():
        raise ValueError(form.errors)
    return form.rate.data


checks = {
    "click": by_click,
    "click, clamp=True": lambda text: by_click(text, clamp=True),
    "jsonschema": lambda text: jsonschema.validate(json.loads(f'{{"rate": {text.replace("nan", "NaN")}}}'), SCHEMA),
    "fastjsonschema": lambda text: fastjsonschema.compile(SCHEMA)(json.loads(f'{{"rate": {text.replace("nan", "NaN")}}}')),
    "Cerberus": by_cerberus,
    "traitlets": lambda text: Traits(rate=float(text)).rate,
    "colander": lambda text: Colander().deserialize({"rate": text})["rate"],
    "pydantic": lambda text: Pydantic(rate=text).rate,
    "attrs": lambda text: Attrs(float(text)).rate,
    "msgspec": lambda text: msgspec.convert({"rate": float(text)}, Struct).rate,
    "voluptuous": lambda text: voluptuous.Schema({"rate": voluptuous.Range(min=0, max=1)})({"rate": float(text)}),
    "WTForms": by_wtforms,
}
seen = {}
for name, check in checks.items():
    for text in ("0.5", "2", "nan"):
        try:
            check(text)
            seen[name, text] = True
        except (ValueError, TypeError, jsonschema.ValidationError, fastjsonschema.JsonSchemaValueException, traitlets.TraitError, colander.Invalid, voluptuous.Invalid):
            seen[name, text] = False
    print(name, version(name.split(",")[0]), "from 0 to 1:", ", ".join(f"{text} {'taken' if seen[name, text] else 'refused'}" for text in ("0.5", "2", "nan")))
if any(not seen[name, "0.5"] or seen[name, "2"] and "clamp" not in name for name in checks):
    sys.exit("not as expected: 0.5 is inside, 2 outside")
if [name for name in checks if seen[name, "nan"]] != list(checks)[:7]:
    sys.exit("a library changed")
PY
