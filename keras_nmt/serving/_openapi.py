"""An OpenAPI description of the development server's REST API, with the signatures of the served version."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping
from typing import Any

import tensorflow as tf

OPENAPI_PATH, MODELS_PATH = "/openapi.json", "/v1/models"
_BASE64 = {
    "type": "object",
    "properties": {"b64": {"type": "string", "contentEncoding": "base64"}},
    "required": ["b64"],
    "additionalProperties": False,
}
_ERRORS = {
    400: "The request is malformed, or does not fit the signature.",
    404: "The server has no such model or version.",
    500: "The computation failed, or the signature needs XLA and the server does not allow XLA.",
}


def openapi(name: str, version: int, signatures: Mapping[str, Any]) -> dict[str, Any]:
    """Describes the REST API.

    Args:
        name: String, the name of the model.
        version: Integer, the version that is served.
        signatures: Mapping of names to `SignatureDef`.

    Returns:
        Dictionary, an OpenAPI 3.1 document for JSON.
    """
    signatures = {key: value for key, value in signatures.items() if not key.startswith("__")}
    schemas: dict[str, Any] = {"error": _object({"error": {"type": "string"}})}
    requests: list[dict[str, str]] = []
    answers: list[dict[str, str]] = []
    for signature, definition in sorted(signatures.items()):
        inputs, outputs = (
            {key: _type(info) for key, info in x.items()} for x in (definition.inputs, definition.outputs)
        )
        for part, content, made in (
            ("request", _request(signature, inputs), requests),
            ("answer", _answer(outputs), answers),
        ):
            key = f"{_key(signature)}.{part}"
            schemas[key] = content
            made.append({"$ref": f"#/components/schemas/{key}"})
    model = f"/v1/models/{urllib.parse.quote(name, safe='')}"
    paths: dict[str, Any] = {}
    for path, named in ((model, []), (f"{model}/versions/{{version}}", [_VERSION])):
        more = {"parameters": named} if named else {}
        paths[path] = {"get": {"summary": "The state of the model's versions", **more, **_responses(_STATUS)}}
        paths[f"{path}/metadata"] = {"get": {"summary": "The signatures", **more, **_responses(_METADATA)}}
        paths[f"{path}:predict"] = {
            "post": {
                "summary": "Runs a signature on rows (`instances`) or on columns (`inputs`)",
                **more,
                "requestBody": {"required": True, **_json({"anyOf": requests})},
                **_responses({"anyOf": answers}),
            }
        }
    models = _object({"models": _list({"type": "string"})})
    paths[MODELS_PATH] = {"get": {"summary": "The names of the server's models", **_responses(models)}}
    paths[OPENAPI_PATH] = {"get": {"summary": "This description", **_responses({"type": "object"})}}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Development server of {name}", "version": str(version)},
        "paths": paths,
        "components": {"schemas": schemas},
    }


_VERSION = {"name": "version", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 0}}


def _key(signature: str) -> str:
    """A signature's name in the characters of a key of `components`; names of languages may have others."""
    return urllib.parse.quote(signature, safe="").replace("~", "%7E").replace("%", ".")


def _object(properties: dict[str, Any], required: bool = True) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(properties)} if required else {})}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_STATUS = _object(
    {
        "model_version_status": _list(
            _object({"version": {"type": "string"}, "state": {"type": "string"}, "status": {"type": "object"}})
        )
    }
)
_METADATA = _object({"model_spec": {"type": "object"}, "metadata": {"type": "object"}})


def _type(info: Any) -> tuple[dict[str, Any], int | None]:
    """The schema of a tensor's elements, and the tensor's rank, None where it is unknown."""
    dtype, shape = tf.as_dtype(info.dtype), tf.TensorShape(info.tensor_shape)
    if dtype == tf.string:
        element: dict[str, Any] = {"anyOf": [{"type": "string"}, _BASE64]}
    elif dtype == tf.bool:
        element = {"type": "boolean"}
    elif dtype.is_integer:
        element = {"type": "integer", "minimum": dtype.min, "maximum": dtype.max}
    else:
        element = {"type": "number"}
    return element, shape.rank


def _nested(element: dict[str, Any], rank: int | None) -> dict[str, Any]:
    """A tensor of a rank, in JSON."""
    if rank is None:
        return {}
    for _ in range(rank):
        element = _list(element)
    return element


def _request(signature: str, inputs: Mapping[str, tuple[dict[str, Any], int | None]]) -> dict[str, Any]:
    columns = {name: _nested(element, rank) for name, (element, rank) in inputs.items()}
    row = {name: _nested(element, rank and rank - 1) for name, (element, rank) in inputs.items()}
    in_rows, in_columns = [{**_object(row), "additionalProperties": False}], [_object(columns)]
    if len(inputs) == 1:  # alone, without its name
        in_rows += row.values()
        in_columns += columns.values()
    is_default = signature == "serving_default"
    named: dict[str, Any] = {"signature_name": {"enum": [signature, ""] if is_default else [signature]}}
    required = [] if is_default else ["signature_name"]
    return {
        "oneOf": [
            {
                "type": "object",
                "properties": {**named, key: content},
                "required": [*required, key],
                "additionalProperties": False,
            }
            for key, content in (
                ("instances", {**_list({"anyOf": in_rows}), "minItems": 1}),
                ("inputs", {"anyOf": in_columns}),
            )
        ]
    }


def _answer(outputs: Mapping[str, tuple[dict[str, Any], int | None]]) -> dict[str, Any]:
    columns = {name: _nested(element, rank) for name, (element, rank) in outputs.items()}
    row = {name: _nested(element, rank and rank - 1) for name, (element, rank) in outputs.items()}
    if len(outputs) == 1:  # alone, without its name
        (in_columns,), (in_row,) = columns.values(), row.values()
    else:
        in_columns, in_row = ({**_object(x), "additionalProperties": False} for x in (columns, row))
    of_columns, of_rows = _object({"outputs": in_columns}), _object({"predictions": _list(in_row)})
    return {"oneOf": [of_columns, of_rows]}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _responses(schema: dict[str, Any]) -> dict[str, Any]:
    error = _json({"$ref": "#/components/schemas/error"})
    errors = {str(status): {"description": text, **error} for status, text in _ERRORS.items()}
    return {"responses": {"200": {"description": "The answer.", **_json(schema)}, **errors}}
