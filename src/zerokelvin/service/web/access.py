"""Who may do what: API keys with a role and projects, cookies in their place, and the open door without keys.

A key is shown once, when it is made; what is kept is its sha256, which for 256 random bits is as good as any
slower hash. Keys that are made or revoked while the service runs count within two seconds. As long as there
never was a key, a service that listens on loopback takes whoever comes for its owner, if the request does not
come from a page of another site: the host it names must be loopback too. A cookie is as good as the key that
was shown for it (`zerokelvin.service.cookies`), but for writing it takes the token besides.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from zerokelvin.errors import ParameterError
from zerokelvin.service.cookies import CSRF_HEADER, LoginCookie, SignedCookies, cookie_of
from zerokelvin.service.service_settings import is_loopback
from zerokelvin.service.store import AuditEntry, Store, StoredKey
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.roles import ROLES, Actor

__all__ = ["Access", "Visit", "new_key"]

REFRESH = 1.0
"""Seconds after which keys are read again."""

OWNER = "local"
"""Who a request is from where there are no keys."""


READS = frozenset({"GET", "HEAD"})
"""Methods that change nothing of the events, and need no token."""


class Visit(NamedTuple):
    """A cookie that is good, the key it stands for, and its token."""

    cookie: LoginCookie
    key: StoredKey
    token: str


class Access:
    """Finds out who sends a request."""

    def __init__(self, store: Store, cookies: SignedCookies) -> None:
        self._store = store
        self.cookies = cookies
        self._by_digest: dict[bytes, StoredKey] = {}
        self._by_name: dict[str, StoredKey] = {}
        self._read_at = 0.0
        self._reading = False
        self.open = True
        self._take(store.keys())

    def _take(self, keys: Iterable[StoredKey]) -> None:
        found = list(keys)
        self.open = not found  # also where all are revoked, the door stays shut
        self._by_digest = {key.digest: key for key in found if key.revoked_at is None}
        self._by_name = {key.key: key for key in self._by_digest.values()}
        self._read_at = time.monotonic()

    def refresh(self) -> None:
        """Read the keys from the store again, now."""
        self._take(self._store.keys())

    def actor(self, headers: Mapping[bytes, bytes], method: str = "GET") -> Actor:
        """Who a request is from, by its headers; a problem where that is nobody."""
        if time.monotonic() - self._read_at > REFRESH and not self._reading:
            self._reading = True
            asyncio.get_running_loop().run_in_executor(None, self._reread)
        if self.open:
            host = headers.get(b"host", b"").decode("latin-1")
            if not is_loopback(_host_name(host)):
                raise ProblemError(
                    421, f"host {host[:80]!r} is not this machine; without keys only loopback is served."
                )
            return Actor(OWNER, "admin")
        authorization = headers.get(b"authorization")
        if authorization is None and b"cookie" in headers:
            return self._by_cookie(headers, method)
        scheme, _, text = (authorization or b"").partition(b" ")
        known = self.key(text) if scheme.lower() == b"bearer" else None
        if known is None:
            raise _nobody("no key, or none in force; send 'Authorization: Bearer KEY'.")
        return Actor(known.key, known.role, known.projects)

    def key(self, text: bytes) -> StoredKey | None:
        """The key in force that has this text."""
        digest = hashlib.sha256(text.strip()).digest()
        known = self._by_digest.get(digest)
        return known if known is not None and hmac.compare_digest(known.digest, digest) else None

    def visit(self, headers: Mapping[bytes, bytes]) -> Visit | None:
        """The cookie of a request, if it has one that is good."""
        text = cookie_of(headers.get(b"cookie", b""))
        cookie = None if text is None else self.cookies.read(text)
        known = None if cookie is None else self._by_name.get(cookie.key)
        if cookie is None or known is None or not self.cookies.good(cookie, known.digest):
            return None
        return Visit(cookie, known, self.cookies.token(cookie, known.digest))

    def _by_cookie(self, headers: Mapping[bytes, bytes], method: str) -> Actor:
        found = self.visit(headers)
        if found is None:
            raise _nobody("the cookie has ended, or its key is not in force; POST /label/login with a key.")
        given = headers.get(CSRF_HEADER, b"")
        if method not in READS and not hmac.compare_digest(given, found.token.encode()):
            raise ProblemError(
                403,
                "a request by cookie must repeat the token of GET /v1/me in the header 'Zerokelvin-CSRF'.",
            )
        return Actor(found.key.key, found.key.role, found.key.projects)

    def _reread(self) -> None:
        try:
            self._take(self._store.keys())
        finally:
            self._reading = False


def new_key(
    store: Store, name: str, role: str, projects: Iterable[str] = (), entry: AuditEntry | None = None
) -> str:
    """Make a key and keep its digest; the text of the key, which is known to nobody afterwards.

    With an entry for the audit trail, which is then written or else there is no key.
    """
    granted = next((one for one in ROLES if one == role), None)
    if granted is None:
        raise ParameterError(f"role {role!r} is none; give one of {', '.join(ROLES)}.")
    known = store.keys()
    if name in [one.key for one in known]:
        raise ParameterError(f"there is or was a key '{name}' already; choose another name.")
    text = f"zk_{secrets.token_urlsafe(32)}"
    digest = hashlib.sha256(text.encode()).digest()
    store.add_key(StoredKey(name, digest, granted, tuple(projects), time.time()), entry)
    return text


def _nobody(text: str) -> ProblemError:
    return ProblemError(401, text, headers=((b"www-authenticate", b'Bearer realm="zerokelvin"'),))


@lru_cache(256)
def _host_name(host: str) -> str:
    """The host of a Host header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host
