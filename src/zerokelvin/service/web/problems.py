"""Errors as RFC 9457 problem documents that name the bad value and the remedy."""

from __future__ import annotations

import re
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import msgspec

from zerokelvin.errors import (
    DataError,
    GraphError,
    LabelError,
    MissingDependencyError,
    NodeError,
    ParameterError,
    SessionError,
)
from zerokelvin.service.records.refusals import (
    BusyError,
    ConflictError,
    NotThereError,
    RefusedError,
    TooLargeError,
    UnderWayError,
)
from zerokelvin.service.store import LogDamaged, NoSuchProject, StoreError

__all__ = ["FieldProblem", "ProblemDocument", "ProblemError", "problem_of", "unreadable"]

KIND = "application/problem+json"


class FieldProblem(msgspec.Struct):
    """A field of the request that cannot be used: where it stands, its value, and what to do."""

    field: str
    value: str
    detail: str


class ProblemDocument(msgspec.Struct, omit_defaults=True):
    """What went wrong (RFC 9457); ``instance`` is the number of the request, as in the service's log."""

    type: str
    title: str
    status: int
    detail: str
    instance: str = ""
    errors: list[FieldProblem] = []


class ProblemError(Exception):
    """A problem as an error, with headers that go with it."""

    def __init__(
        self,
        status: int,
        detail: str,
        errors: list[FieldProblem] | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(detail)
        title = HTTPStatus(status).phrase
        kind = "urn:zerokelvin:problem:" + title.lower().replace(" ", "-")
        self.problem = ProblemDocument(kind, title, status, detail, errors=errors or [])
        self.headers = headers

    @classmethod
    def later(cls, status: int, detail: str, seconds: float) -> ProblemError:
        """One with the time to wait until the request is sent again."""
        return cls(status, detail, headers=((b"retry-after", str(max(1, round(seconds))).encode()),))


def problem_of(error: BaseException) -> ProblemError | None:
    """The problem that an error is to the client; None for what is the service's own fault."""
    text = str(error)
    match error:
        case ProblemError():
            return error
        case RefusedError():
            _, _, wrong = text.partition(": ")
            return ProblemError(422, text, [FieldProblem(error.field, error.value, wrong)])
        case BusyError():
            return ProblemError.later(503, text, error.after)
        case TimeoutError():
            return ProblemError.later(503, "the request took too long and was given up; ask for less.", 5)
        case NotThereError() | NoSuchProject():
            return ProblemError(404, text)
        case UnderWayError():
            return ProblemError.later(409, text, 1)
        case ConflictError():
            return ProblemError(409, text)
        case TooLargeError():
            return ProblemError(413, text)
        case LogDamaged():
            return ProblemError(500, text)
        case StoreError():
            return ProblemError.later(503, text, 2)
        case SessionError():
            return ProblemError(409, text)
        case DataError() | GraphError() | LabelError() | NodeError() | ParameterError():
            return ProblemError(422, text)
        case MissingDependencyError():
            return ProblemError(422, text)
    return None


PATH = re.compile(r" - at `(\$[^`]*)`$")
STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def unreadable(error: msgspec.DecodeError | UnicodeDecodeError, body: bytes) -> ProblemError:
    """The problem of a body that is no JSON, or not of the type it should be."""
    text, document = str(error), None
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        document = msgspec.json.decode(body, type=Any)
    if not isinstance(error, msgspec.ValidationError) or document is None:
        return ProblemError(400, f"the body is no JSON: {text}; send one JSON object.")
    found = PATH.search(text)
    where = found[1] if found else "$"
    said = text[: found.start()] if found else text
    field = where.removeprefix("$").removeprefix(".") or "the body"
    value = _shown(_at(document, where))
    remedy = "see /openapi.json for what goes there"
    wrong = f"{said[0].lower()}{said[1:]}"
    return ProblemError(
        422, f"{field}: {value}: {wrong}; {remedy}.", [FieldProblem(field, value, f"{wrong}; {remedy}")]
    )


def _at(value: Any, path: str) -> Any:
    """The value at a path of a JSON document, as far as it can be followed."""
    for name, number in STEP.findall(path):
        try:
            value = value[name] if name else value[int(number)]
        except (KeyError, IndexError, TypeError):
            return value
    return value


def _shown(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (msgspec.EncodeError, UnicodeError):
        text = repr(value)
    return text if len(text) <= 120 else f"{text[:119]}…"
