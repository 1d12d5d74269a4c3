"""API keys: make, list and revoke them while the service runs."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from zerokelvin.client.messages import KeyMade, KeyShown, KeysShown, MakeKey
from zerokelvin.errors import ParameterError
from zerokelvin.service.records.refusals import ConflictError, NotThereError
from zerokelvin.service.web.access import new_key
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.route_table import Call, route


@route("POST", "/v1/keys", "admin", takes=MakeKey, gives=KeyMade, status=201)
async def make_key(call: Call) -> KeyMade:
    """Make an API key; its text is shown this once."""
    _require_all(call)
    wanted: MakeKey = call.body
    try:
        entry = call.entry("make key", "", f"{wanted.name} {wanted.role}")
        text = await aside(new_key, call.hall.store, wanted.name, wanted.role, wanted.projects, entry)
    except ParameterError as problem:
        raise ConflictError(str(problem)) from None
    await aside(call.parts.access.refresh)
    return KeyMade(name=wanted.name, role=wanted.role, projects=wanted.projects, key=text)


@route("GET", "/v1/keys", "admin", gives=KeysShown)
async def list_keys(call: Call) -> KeysShown:
    """List the API keys, without their texts."""
    _require_all(call)
    keys = await aside(call.hall.store.keys)
    return KeysShown(
        keys=[
            KeyShown(
                name=key.key,
                role=key.role,
                projects=list(key.projects),
                made_at=datetime.fromtimestamp(key.made_at, UTC).isoformat(),
                revoked=key.revoked_at is not None,
            )
            for key in keys
        ]
    )


@route("DELETE", "/v1/keys/{key}", "admin", gives=KeysShown)
async def revoke_key(call: Call) -> KeysShown:
    """Revoke an API key."""
    _require_all(call)
    entry = call.entry("revoke key", "", call.path["key"][:100])
    if not await aside(call.hall.store.revoke_key, call.path["key"], time.time(), entry):
        raise NotThereError(f"there is no key '{call.path['key'][:100]}' in force.")
    await aside(call.parts.access.refresh)
    return await list_keys(call)


def _require_all(call: Call) -> None:
    """Keys are for those who may see all projects."""
    if call.actor.projects:
        raise ProblemError(403, f"key '{call.actor.name}' is for some projects only; keys need one for all.")
