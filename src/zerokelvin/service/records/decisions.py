"""Decisions as signed texts: what was shown, carried by the client until the label comes.

Predicting writes nothing. What an answer is scored by (`zerokelvin.session.late.ShownDecision`) goes out with
the prediction, as bytes in base64url with a keyed blake2b of 16 bytes behind them, and comes back with the
label, whenever that is. The key is the project's own secret, so that a decision can neither be made up nor be
used for another project, and is good after any restart.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.session.late import DIGEST

__all__ = ["MAC", "Decision", "DecisionRecord", "read_decision", "write_decision"]

MAC = 16
"""Bytes of the signature."""

HEAD = struct.Struct(f"<BQIBQd{DIGEST}s")
"""Version, node index, class code, flags, events of the session, time, digest of the scores."""

VERSION = 1
SAFE = bytes.maketrans(b"+/", b"-_")
"""From base64 to base64url."""

ASK, OVERRULED = 1, 2
MOST = 4096
"""Characters of a decision at most: one with some thousand classes left out would be longer."""


class Decision(NamedTuple):
    """What was shown for a node, by numbers: of the node, of the class predicted and of those left out."""

    node: int
    code: int
    ask: bool
    overruled: bool
    made_at: int
    time: float
    digest: bytes
    left_out: tuple[int, ...] = ()


class DecisionRecord(msgspec.Struct, frozen=True):
    """A decision as it lies in the log, with the label of an answer to it."""

    code: int
    ask: bool
    overruled: bool
    made_at: int
    time: float
    digest: str
    left_out: tuple[int, ...] = ()

    @classmethod
    def of(cls, shown: Decision) -> DecisionRecord:
        """The record of what was shown."""
        return cls(
            shown.code,
            shown.ask,
            shown.overruled,
            shown.made_at,
            shown.time,
            shown.digest.hex(),
            shown.left_out,
        )


def write_decision(secret: bytes, decision: Decision) -> str:
    """A decision as a signed text."""
    flags = ASK * decision.ask + OVERRULED * decision.overruled
    said = HEAD.pack(
        VERSION, decision.node, decision.code, flags, decision.made_at, decision.time, decision.digest
    )
    if decision.left_out:
        said += struct.pack(f"<{len(decision.left_out)}I", *decision.left_out)
    text = binascii.b2a_base64(said + _mac(secret, said), newline=False)
    return text.translate(SAFE).rstrip(b"=").decode()


def read_decision(secret: bytes, text: str) -> Decision:
    """The decision in a text; refused where it was not made by this project.

    >>> shown = Decision(3, 0, True, False, 7, 1.5, bytes(8), (1,))
    >>> read_decision(b"key", write_decision(b"key", shown)) == shown
    True
    """
    try:
        data = base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    said, mac = data[:-MAC], data[-MAC:]
    known = len(said) >= HEAD.size and hmac.compare_digest(mac, _mac(secret, said))
    if not known or said[0] != VERSION or len(text) > MOST:
        raise RefusedError(
            "decision",
            text[:80],
            "is no decision of this project; send back the text that predict or next gave, or leave it out",
        )
    _, node, code, flags, made_at, time, digest = HEAD.unpack_from(said)
    rest = said[HEAD.size :]
    left_out: Sequence[int] = struct.unpack(f"<{len(rest) // 4}I", rest)
    return Decision(
        node, code, bool(flags & ASK), bool(flags & OVERRULED), made_at, time, digest, tuple(left_out)
    )


def _mac(secret: bytes, said: bytes) -> bytes:
    return hashlib.blake2b(said, key=secret, digest_size=MAC).digest()
