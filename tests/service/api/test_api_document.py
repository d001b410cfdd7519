"""The OpenAPI document: valid, complete, and with examples that are what their schemas say."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_shapes import ANSWERED_BY
from running import Running

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture
def document(running: Running) -> dict[str, Any]:
    found: dict[str, Any] = running.client.get("/v1/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        assert set(methods) <= METHODS
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def schemas(value: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object below, with its place."""
    if isinstance(value, dict):
        yield place, value
        for name, one in value.items():
            yield from schemas(one, f"{place}/{name}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from schemas(one, f"{place}/{index}")


def with_components(document: dict[str, Any], schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(schema | {"components": document["components"]})


def test_it_is_a_document_of_openapi(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    assert document["info"]["title"] == "ragcortex"
    for name, schema in document["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert schema.get("description"), f"{name} says nothing of itself"


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    for place, one in schemas(document):
        if isinstance(one.get("$ref"), str):
            found: Any = document
            for part in one["$ref"].removeprefix("#/").split("/"):
                assert part in found, (place, one["$ref"])
                found = found[part]


def test_every_operation_says_what_it_does_in_a_line_of_its_own(document: dict[str, Any]) -> None:
    summaries = {}
    for name, operation in operations(document):
        summary = operation["summary"]
        assert 10 <= len(summary) <= 110, name
        assert not summary.endswith("."), name
        assert operation["description"].startswith(summary[:20]), name
        assert operation["tags"], name
        assert summary not in summaries, (name, summaries.get(summary))
        summaries[summary] = name
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(set(ids)) == len(ids)


def test_every_operation_says_how_it_is_refused(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status in ("401", "403", "422", "429", "503"):
            problem = operation["responses"][status]
            assert problem["description"], (name, status)
            if name == "GET /readyz" and status == "503":
                continue
            assert "application/problem+json" in problem["content"], (name, status)


def test_every_parameter_that_is_a_list_or_a_text_has_limits(document: dict[str, Any]) -> None:
    """What is asked for has a bound, so that nobody asks for everything at once."""
    for name, operation in operations(document):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query" and parameter["name"] in ("limit", "k", "offset", "cursor"):
                schema = parameter["schema"]
                options = schema.get("anyOf", [schema])
                assert any("maximum" in one or "maxLength" in one for one in options), (name, parameter["name"])


def test_examples_are_what_their_schemas_say(document: dict[str, Any]) -> None:
    n = 0
    for _, one in schemas(document):
        for example in one.get("examples", []) if isinstance(one.get("examples"), list) else []:
            with_components(document, {k: v for k, v in one.items() if k != "examples"}).validate(example)
            n += 1
        if isinstance(one.get("examples"), dict) and "schema" in one:
            for example in one["examples"].values():
                with_components(document, one["schema"]).validate(example["value"])
                n += 1
    assert n >= 4


def test_examples_of_checks_are_judged(running: Running, document: dict[str, Any]) -> None:
    for example in document["components"]["schemas"]["CheckIn"]["examples"]:
        assert running.client.post("/v1/check", json=example).status_code == 200


def test_what_is_answered_is_what_the_document_says(running: Running, document: dict[str, Any]) -> None:
    for (method, path), ask in ANSWERED_BY.items():
        response = ask(running)
        said = document["paths"][path][method]["responses"][str(response.status_code)]
        (kind, content), *_ = said["content"].items()
        assert response.headers["content-type"].partition(";")[0] == kind, path
        if kind == "application/json":
            with_components(document, content["schema"]).validate(response.json())


def test_nobody_else_is_asked_for_the_documentation(running: Running) -> None:
    """The pages that show a document load their scripts from another host; this service has none of them."""
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert running.client.get(path).status_code == 404
