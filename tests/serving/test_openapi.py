"""The OpenAPI description of the development server, checked against what the server takes and gives."""

from __future__ import annotations

import json
import shutil
import time
import urllib.request
from urllib.error import HTTPError

import pytest
from echo_models import write_echo, write_echo_of_languages
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from keras_nmt.serving import DevelopmentServer

ONE = {"signature_name": "serving_default", "inputs": {"text": ["a", "b"]}}
# Requests to the model of one direction, and whether the server takes these.
REQUESTS = [
    (ONE, True),
    ({"inputs": ["a"]}, True),
    ({"signature_name": "", "inputs": [{"b64": "YQ=="}]}, True),
    ({"instances": ["a", "b"]}, True),
    ({"instances": [{"text": "a"}]}, True),
    ({"signature_name": "sample", "instances": [{"text": "a", "seed": 3}]}, True),
    ({"signature_name": "sample", "inputs": {"text": ["a"], "seed": [3]}}, True),
    ({"signature_name": "score", "inputs": {"source": ["a"], "target": ["b"]}}, True),
    ({"signature_name": "half", "inputs": [[1, 2]]}, True),
    ({"signature_name": "half", "instances": [[1, 2]]}, True),
    ({"signature_name": "bytes", "instances": ["a"]}, True),
    ({"signature_name": "sum", "inputs": [0.5, 1]}, True),
    ({**ONE, "instances": ["a"]}, False),
    ({"signature_name": "sing", "inputs": ["a"]}, False),
    ({"inputs": [1]}, False),
    ({"inputs": {"txt": ["a"]}}, False),
    ({"instances": []}, False),
    ({"instances": [{"text": "a", "more": "b"}]}, False),
    ({"signature_name": "sample", "instances": [{"text": "a"}]}, False),
    ({"signature_name": "sample", "instances": [{"text": "a", "seed": 2**31}]}, False),
    ({"signature_name": "score", "inputs": ["a"]}, False),
    ({}, False),
    (["a"], False),
]


def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=60) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture(scope="module", params=[write_echo, write_echo_of_languages], ids=["one", "many"])
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    request.param(folder / "en dé" / "3")
    with DevelopmentServer(folder / "en dé", port=0, rest_port=0) as server:
        yield server


@pytest.fixture(scope="module")
def description(server):
    status, found = ask(server.rest_url + "/openapi.json")
    assert status == 200
    return found


def validator(description, schema):
    return Draft202012Validator({**schema, "components": description["components"]})


def schemas(description, path):
    """The validators of requests, if any, and of answers by status."""
    (operation,) = description["paths"][path].values()
    content = [operation.get("requestBody")], operation["responses"]
    request, *answers = [
        None if x is None else validator(description, x["content"]["application/json"]["schema"])
        for x in (*content[0], *content[1].values())
    ]
    return request, dict(zip(map(int, content[1]), answers, strict=True))


def test_the_description_is_valid_and_names_the_version_and_its_signatures(server, description):
    OpenAPIV31SpecValidator(description).validate()
    assert description["info"]["version"] == "3"
    signatures = {key.removesuffix(".request") for key in description["components"]["schemas"] if ".request" in key}
    assert signatures == set(server._model.current.definitions) - {"__saved_model_init_op"}
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_path_answers_as_described(server, description):
    assert len(description["paths"]) == 8
    for path in description["paths"]:
        _, answers = schemas(description, path)
        for number in ("3", "4"):
            url = server.rest_url + path.format(version=number)
            status, answer = ask(url, {"inputs": ["a"]} if path.endswith(":predict") else None)
            answers[status].validate(answer)
            assert ("error" in answer) == (status != 200)
            assert (status == 404) == ("{version}" in path and number == "4")


def test_requests_are_taken_as_described(server, description):
    if "half" not in server._model.current.definitions:  # of several directions
        requests = [
            ({"inputs": {"text": ["a"], "source_language": ["de"], "target_language": ["fr"]}}, True),
            ({"instances": [{"text": "a", "source_language": "de", "target_language": "fr"}]}, True),
            ({"instances": [{"text": "a"}]}, False),
        ]
    else:
        requests = REQUESTS
    (path,) = (path for path in description["paths"] if path.endswith(":predict") and "{" not in path)
    request, answers = schemas(description, path)
    for body, taken in requests:
        status, answer = ask(server.rest_url + path, body)
        assert (status == 200) == taken, body
        assert request.is_valid(body) == taken, body
        answers[status].validate(answer)
        if taken:
            name = body.get("signature_name") or "serving_default"
            schema = description["components"]["schemas"][f"{name}.answer"]
            validator(description, schema).validate(answer)
            columns = answer.get("outputs")
            if isinstance(columns, dict):  # the schema is of this answer: a column less is an error
                less = {"outputs": dict(list(columns.items())[1:])}
                assert not validator(description, schema).is_valid(less)


def test_a_server_without_a_version_has_no_description(tmp_path):
    write_echo(tmp_path / "echo" / "1")
    with DevelopmentServer(tmp_path / "echo", port=0, rest_port=0, poll_seconds=0.05) as server:
        shutil.rmtree(tmp_path / "echo" / "1")
        while server.version is not None:
            time.sleep(0.05)
        assert ask(server.rest_url + "/openapi.json")[0] == 404
