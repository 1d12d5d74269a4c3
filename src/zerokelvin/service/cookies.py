"""Signed cookies: a browser that has shown an API key once goes on with a cookie instead.

A cookie says whose it is, until when it is good, and a random number of its own, under a keyed blake2b. The
key of that is made of a secret of the service and of the digest of the API key, so a cookie is good as long
as its API key is: whoever revokes the one revokes the other, and what is kept of keys is not enough to make a
cookie. The secret is random and lasts as long as the process, unless one is given
(`ServiceSettings.cookie_secret`), as several instances behind one address need.

Browsers send cookies by themselves, also where the page of another site makes them send a request. So the
cookie is `HttpOnly` and `SameSite=Strict`, and a request that changes something must repeat, in the header
`Zerokelvin-CSRF`, a token that only a page of this service could read; that token is another keyed blake2b of
the same cookie.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
import time
from typing import NamedTuple

__all__ = ["COOKIE", "CSRF_HEADER", "LoginCookie", "SignedCookies", "cookie_header", "cookie_of"]

COOKIE = "zerokelvin"
"""The name of the cookie."""

CSRF_HEADER = b"zerokelvin-csrf"
"""The header that repeats the token."""

NONCE, MAC = 16, 32
HEAD = struct.Struct(f"<Bd{NONCE}s")
"""Version, the time it ends in seconds since 1970, its random number; the name of the key follows."""

VERSION = 1
MOST = 1000
"""Characters of a cookie at most."""


class LoginCookie(NamedTuple):
    """What a cookie says: the name of the API key, until when it is good, its own number; and its bytes."""

    key: str
    until: float
    nonce: bytes
    said: bytes
    mac: bytes


class SignedCookies:
    """Makes cookies and knows them again.

    >>> cookies = SignedCookies(b"secret", lifetime=60.0)
    >>> text = cookies.issue("ann", b"digest of her key", now=0.0)
    >>> found = cookies.read(text)
    >>> found.key, cookies.good(found, b"digest of her key", now=59.0)
    ('ann', True)
    >>> cookies.good(found, b"digest of her key", now=60.0), cookies.good(found, b"another", now=1.0)
    (False, False)
    >>> cookies.end(found)
    >>> cookies.good(found, b"digest of her key", now=1.0)
    False
    """

    def __init__(self, secret: bytes | None, lifetime: float) -> None:
        self._secret = hashlib.blake2b(secret).digest() if secret else secrets.token_bytes(64)
        self.lifetime = lifetime
        self._ended: dict[bytes, float] = {}

    def issue(self, key: str, digest: bytes, now: float | None = None) -> str:
        """A new cookie for whoever has shown the API key of this name and digest."""
        until = (time.time() if now is None else now) + self.lifetime
        said = HEAD.pack(VERSION, until, secrets.token_bytes(NONCE)) + key.encode()
        return base64.urlsafe_b64encode(said + self._mac(said, digest, b"cookie")).decode().rstrip("=")

    def read(self, text: str) -> LoginCookie | None:
        """What a cookie says, not yet whether it is good; None where it says nothing."""
        if len(text) > MOST:
            return None
        try:
            data = base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
            said, mac = data[:-MAC], data[-MAC:]
            version, until, nonce = HEAD.unpack_from(said)
            key = said[HEAD.size :].decode()
        except (binascii.Error, ValueError, struct.error):
            return None
        return LoginCookie(key, until, nonce, said, mac) if version == VERSION else None

    def good(self, cookie: LoginCookie, digest: bytes, now: float | None = None) -> bool:
        """Whether a cookie was made here for a key of this digest, has not ended and was not given back."""
        at = time.time() if now is None else now
        signed = hmac.compare_digest(cookie.mac, self._mac(cookie.said, digest, b"cookie"))
        return signed and at < cookie.until and cookie.nonce not in self._ended

    def token(self, cookie: LoginCookie, digest: bytes) -> str:
        """What a request that changes something repeats in a header."""
        return self._mac(cookie.said, digest, b"csrf")[:NONCE].hex()

    def end(self, cookie: LoginCookie) -> None:
        """Take a cookie back before its time, at this instance."""
        now = time.time()
        self._ended = {nonce: until for nonce, until in self._ended.items() if until > now}
        self._ended[cookie.nonce] = cookie.until

    def _mac(self, said: bytes, digest: bytes, use: bytes) -> bytes:
        key = hashlib.blake2b(digest, key=self._secret, person=use).digest()
        return hashlib.blake2b(said, key=key, digest_size=MAC).digest()


def cookie_header(text: str, seconds: int, secure: bool) -> tuple[bytes, bytes]:
    """The header that sets the cookie, or with 0 seconds takes it away."""
    only = "; Secure" if secure else ""
    said = f"{COOKIE}={text}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{only}"
    return b"set-cookie", said.encode()


def cookie_of(header: bytes) -> str | None:
    """The cookie among those that a request has."""
    for part in header.decode("latin-1").split(";"):
        name, found, value = part.strip().partition("=")
        if found and name == COOKIE:
            return value
    return None
