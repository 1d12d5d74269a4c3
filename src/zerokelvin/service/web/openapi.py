"""The OpenAPI 3.1 document, made of the table of routes and the types of requests and answers.

Links lead from an answer to the requests that can follow it, so that a tester can walk through the API: from
a project that was made to its predictions, from these to their labels.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from zerokelvin import __version__
from zerokelvin.service.cookies import COOKIE, CSRF_HEADER
from zerokelvin.service.web.problems import KIND, ProblemDocument
from zerokelvin.service.web.roles import OPEN
from zerokelvin.service.web.route_table import RouteInfo

__all__ = ["openapi_document"]

REF = "#/components/schemas/{name}"
PROBLEMS = {
    "400": "The body is no JSON.",
    "401": "There is no key, or none in force.",
    "403": "The key has not the role, or is not for this project.",
    "404": "There is nothing of this name.",
    "409": "It cannot be done beside what is there or under way.",
    "413": "It is too large.",
    "415": "It is no JSON.",
    "421": "The host is not this machine.",
    "422": "A value cannot be used; the document names it and the remedy.",
    "429": "Too many requests; Retry-After says when to come again.",
    "503": "Too busy, or it took too long; Retry-After says when to come again.",
}

LINKS: dict[str, tuple[str, dict[str, str]]] = {
    "show_project": ("Look at the project.", {"name": "$response.body#/name"}),
    "project_state": ("Ask where the project stands.", {"name": "$response.body#/name"}),
    "predict": ("Predict nodes of the project.", {"name": "$response.body#/name"}),
    "next_questions": ("Ask for questions.", {"name": "$response.body#/name"}),
    "label_table": ("List all labels.", {"name": "$response.body#/name"}),
    "answer": ("Send labels.", {"name": "$request.path.name"}),
    "skip_node": ("Pass over a node.", {"name": "$request.path.name"}),
    "correct_label": ("Correct a label.", {"name": "$request.path.name"}),
}


def openapi_document(routes: list[RouteInfo], keys: bool) -> bytes:
    """The document as JSON; `keys` says whether requests need a key."""
    types = {info.takes for info in routes} | {info.gives for info in routes} | {ProblemDocument}
    wanted = [kind for kind in types if kind is not None]
    wanted.sort(key=lambda kind: str(kind.__name__))
    shown, components = msgspec.json.schema_components(wanted, ref_template=REF)
    schemas = dict(zip(wanted, shown, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for info in routes:
        paths.setdefault(info.path, {})[info.method.lower()] = _operation(info, schemas, keys)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "zerokelvin",
            "version": __version__,
            "description": "Online prediction of node labels on a graph: decisions now, answers later.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }
    if keys:
        document["components"]["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
            "csrf": {"type": "apiKey", "in": "header", "name": CSRF_HEADER.decode()},
        }
    return msgspec.json.encode(document)


def _operation(info: RouteInfo, schemas: dict[Any, Any], keys: bool) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", info.path)
    ]
    parameters += [
        {"name": one.name, "in": "query", "required": False, "schema": one.schema, "description": one.text}
        for one in info.query
    ]
    if info.writes:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
                "description": "The same key and body give the same answer again, and nothing is done twice.",
            }
        )
    gives: dict[str, Any] = {"description": info.text}
    if info.gives is not None:
        gives["content"] = {info.kind: {"schema": schemas[info.gives]}}
    else:
        gives["content"] = {info.kind: {}}
    gives["content"] |= {kind.partition(";")[0]: {} for kind in info.kinds if kind != info.kind}
    if info.links:
        gives["links"] = {
            name: {"operationId": name, "description": LINKS[name][0], "parameters": LINKS[name][1]}
            for name in info.links
        }
    problem = {"content": {KIND: {"schema": schemas[ProblemDocument]}}}
    answers = {str(info.status): gives}
    answers |= {status: {"description": text, **problem} for status, text in PROBLEMS.items()}
    operation: dict[str, Any] = {
        "operationId": info.name,
        "summary": info.text,
        "parameters": parameters,
        "responses": answers,
        "description": f"Role: {info.role}.",
    }
    if info.takes is not None:
        content = {"application/json": {"schema": schemas[info.takes]}}
        operation["requestBody"] = {"required": True, "content": content}
    elif info.plain:
        operation["requestBody"] = {"required": True, "content": {"application/x-ndjson": {}}}
    if keys and info.role != OPEN:
        by_cookie: dict[str, list[str]] = {"cookie": []}
        if info.method != "GET":
            by_cookie["csrf"] = []
        operation["security"] = [{"key": []}, by_cookie]
    return operation
