"""The OpenAPI document: it is complete, and what a tester draws from it never breaks the service.

ZEROKELVIN_SCHEMA_EXAMPLES=500 pytest tests/service/test_schema.py     more than a few
"""

import os

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from serving import LINE, Served, app_client, make_project
from zerokelvin.service.web.route_table import all_routes

EXAMPLES = int(os.environ.get("ZEROKELVIN_SCHEMA_EXAMPLES", "6"))
"""Cases drawn for every operation."""

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
LIMITS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    stateful_step_count=8,
)


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    with app_client(tmp_path_factory.mktemp("document")) as client:
        return client.get("/openapi.json").json()


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The schema of a service that runs, with a project; names drawn are mostly those of projects there."""
    with Served(tmp_path_factory.mktemp("drawn"), "--quiet") as served:
        body = {"name": "p", "graph": {"edges": LINE}, "classes": ["fraud", "ok"], "learner": "nearest"}
        assert httpx.post(f"{served.url}/v1/projects", json=body, timeout=60).status_code == 201
        document = httpx.get(f"{served.url}/openapi.json").json()
        del document["paths"]["/v1/projects/{name}/events"], document["paths"]["/v1/projects/{name}/log"]
        for item in document["paths"].values():
            for operation in item.values():
                for parameter in operation["parameters"]:
                    if parameter["name"] == "name":
                        parameter["schema"] = {"enum": ["p", "q"]}
        found = schemathesis.openapi.from_dict(document)
        found.config.update(base_url=served.url)
        yield found
        assert served.process.poll() is None


def test_every_route_is_in_it(document):
    assert document["openapi"] == "3.1.0"
    listed = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert listed == {(info.method, info.path) for info in all_routes()}
    names = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    assert len(set(names)) == len(names)


def test_links_lead_somewhere(document):
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    names = {operation["operationId"] for operation in operations}
    found = {
        link["operationId"]
        for operation in operations
        for answer in operation["responses"].values()
        for link in answer.get("links", {}).values()
    }
    assert {"predict", "answer"} <= found <= names


LEFT_OUT = {"project_events", "import_log", "export_log"}  # without end, or no JSON (test_api.py)
DRAWN = [one for one in all_routes() if one.name not in LEFT_OUT]


@pytest.mark.parametrize("info", DRAWN, ids=lambda one: one.name)
def test_nothing_that_can_be_drawn_breaks_it(schema, info):
    """Bodies and parameters by the schema: an answer as described, never a failure of the service."""
    operation = schema[info.path][info.method]

    @LIMITS
    @given(case=operation.as_strategy())
    def one(case):
        case.call_and_validate(checks=CHECKS)

    one()


def test_walks_along_the_links_do_not_break_it(schema):
    machine = schema.as_state_machine()

    class Walk(machine):
        def validate_response(self, response, case, additional_checks=(), **kwargs):
            case.validate_response(response, checks=CHECKS)

    run_state_machine_as_test(Walk, settings=LIMITS)


@pytest.mark.parametrize(
    ("path", "kind"), [("labels", "csv"), ("labels", "json"), ("export", "jsonl"), ("export", "parquet")]
)
def test_what_an_answer_is_depends_on_the_request_and_is_told(tmp_path, document, path, kind):
    with app_client(tmp_path / "data") as client:
        answer = client.get(f"{make_project(client)}/{path}", params={"format": kind})
    assert answer.status_code == 200
    told = document["paths"][f"/v1/projects/{{name}}/{path}"]["get"]["responses"]["200"]["content"]
    assert answer.headers["content-type"].partition(";")[0] in told
