"""Who may do what: API keys with a role and projects, and the open door of a service without keys.

A key is shown once, when it is made; what is kept is its sha256, which for 256 random bits is as good as any
slower hash. Keys that are made or revoked while the service runs count within two seconds. As long as there
never was a key, a service that listens on loopback takes whoever comes for its owner, if the request does not
come from a page of another site: the host it names must be loopback too.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable
from functools import lru_cache

from zerokelvin.errors import ParameterError
from zerokelvin.service.service_settings import is_loopback
from zerokelvin.service.store import Store, StoredKey
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.roles import ROLES, Actor

__all__ = ["Access", "new_key"]

REFRESH = 1.0
"""Seconds after which keys are read again."""

OWNER = "local"
"""Who a request is from where there are no keys."""


class Access:
    """Finds out who sends a request."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_digest: dict[bytes, StoredKey] = {}
        self._read_at = 0.0
        self._reading = False
        self.open = True
        self._take(store.keys())

    def _take(self, keys: Iterable[StoredKey]) -> None:
        found = list(keys)
        self.open = not found  # also where all are revoked, the door stays shut
        self._by_digest = {key.digest: key for key in found if key.revoked_at is None}
        self._read_at = time.monotonic()

    def refresh(self) -> None:
        """Read the keys again, now."""
        self._take(self._store.keys())

    def actor(self, authorization: bytes | None, host: str) -> Actor:
        """Who a request is from, by its header and the host it names; a problem where that is nobody."""
        if time.monotonic() - self._read_at > REFRESH and not self._reading:
            self._reading = True
            asyncio.get_running_loop().run_in_executor(None, self._reread)
        if self.open:
            if not is_loopback(_host_name(host)):
                raise ProblemError(
                    421, f"host {host[:80]!r} is not this machine; without keys only loopback is served."
                )
            return Actor(OWNER, "admin")
        scheme, _, key = (authorization or b"").partition(b" ")
        digest = hashlib.sha256(key.strip()).digest()
        known = self._by_digest.get(digest)
        if scheme.lower() != b"bearer" or known is None or not hmac.compare_digest(known.digest, digest):
            raise ProblemError(
                401,
                "no key, or none in force; send 'Authorization: Bearer KEY'.",
                headers=((b"www-authenticate", b'Bearer realm="zerokelvin"'),),
            )
        return Actor(known.key, known.role, known.projects)

    def _reread(self) -> None:
        try:
            self._take(self._store.keys())
        finally:
            self._reading = False


def new_key(store: Store, name: str, role: str, projects: Iterable[str] = (), note: str = "") -> str:
    """Make a key and keep its digest; the text of the key, which is known to nobody afterwards."""
    if role not in ROLES:
        raise ParameterError(f"role {role!r} is none; give one of {', '.join(ROLES)}.")
    known = store.keys()
    if name in [one.key for one in known]:
        raise ParameterError(f"there is or was a key '{name}' already; choose another name.")
    text = f"zk_{secrets.token_urlsafe(32)}"
    digest = hashlib.sha256(text.encode()).digest()
    store.add_key(StoredKey(name, digest, role, tuple(projects), time.time(), None, note))
    return text


@lru_cache(256)
def _host_name(host: str) -> str:
    """The host of a Host header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host
