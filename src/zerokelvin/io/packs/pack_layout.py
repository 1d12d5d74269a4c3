"""The layout of a packed graph, version 1: a head, arrays at whole pages, the checksums of their blocks.

    0      8 bytes    ``MAGIC``, which a transfer as text would break
    8      4 bytes    version, little-endian, as everything is
    12     4 bytes    length of the description
    16     32 bytes   BLAKE2b of the description
    48     …          description: JSON, of at most `HEAD` − 48 bytes
    4096   …          sections, each at a multiple of `HEAD`
    …      …          `DIGEST` bytes for every block of `BLOCK` bytes of every section, in order

The description names nodes and arcs, the kind, size and place of every section, the size of the whole file
and the BLAKE2b of the checksums, so that a head that agrees vouches for everything else. Sections:

    indptr       i8  n + 1    where the neighbours of each node begin
    indices      i4 or i8     the neighbours, in the order of their names
    weights      f4 or f8     their weights, f4 where that is exact; one single weight where all are equal
    degrees      f8  n        sum of the sizes of the weights at each node
    heaviest     f8  n        the largest weight at each node, 0 where there is none
    components   i4 or i8  n  where there is more than one
    order        i4 or i8  n  the node at every rank by name, where nodes are not numbered by their names
    numbers      i8  n        names that are whole numbers; or
    starts, texts             names that are texts, in UTF-8; without both, names are 0 … n − 1
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from zerokelvin.errors import DataError

__all__ = ["BLOCK", "DIGEST", "HEAD", "MAGIC", "VERSION", "PackHead", "Section", "block_digest", "blocks_of"]

MAGIC = b"\x89ZKG\r\n\x1a\n"
VERSION = 1
HEAD = 4096
BLOCK = 1 << 20
DIGEST = 16
_FIXED = struct.Struct("<8sII32s")
_KINDS = ("<i8", "<i4", "<f8", "<f4", "|u1")


@dataclass(frozen=True)
class Section:
    """An array in the file: its kind as NumPy writes it, how many entries, and where it begins."""

    kind: str
    count: int
    offset: int

    @property
    def size(self) -> int:
        """The number of bytes it takes."""
        return self.count * np.dtype(self.kind).itemsize


@dataclass(frozen=True)
class PackHead:
    """What the head of a pack says: sizes and places, and what `PackFacts` knows of the graph."""

    nodes: int
    arcs: int
    order: str
    components: int
    signed: bool
    least: float
    largest: float
    total: float
    size: int
    checksums: str
    table: int
    sections: dict[str, Section] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """A hash of everything in the file, by its checksums."""
        said = f"zerokelvin pack {VERSION}\0{self.nodes}\0{self.arcs}\0{self.order}\0{self.checksums}"
        return hashlib.sha256(said.encode()).hexdigest()

    def to_bytes(self) -> bytes:
        """The head as it stands in the file, `HEAD` bytes."""
        text = json.dumps(asdict(self)).encode()
        if len(text) > HEAD - _FIXED.size:
            raise DataError(f"the description of a pack takes {len(text)} bytes, too many for its head.")
        fixed = _FIXED.pack(MAGIC, VERSION, len(text), hashlib.blake2b(text, digest_size=32).digest())
        return (fixed + text).ljust(HEAD, b"\0")

    @classmethod
    def from_bytes(cls, data: bytes, path: object) -> PackHead:
        """The head out of the first bytes of a file; one that is damaged or of another version is refused."""
        if data[: len(MAGIC)] != MAGIC:
            raise DataError(f"'{path}' is no packed graph; make one with zerokelvin pack.")
        if len(data) < HEAD:
            raise DataError(f"'{path}' ends within its head; pack the graph again.")
        _, version, length, digest = _FIXED.unpack_from(data)
        if version != VERSION:
            raise DataError(
                f"'{path}' has version {version} of the packed format, and this zerokelvin reads version "
                f"{VERSION}; pack the graph again."
            )
        text = data[_FIXED.size : _FIXED.size + length]
        rest = data[_FIXED.size + length :]
        if any(rest) or len(text) != length or hashlib.blake2b(text, digest_size=32).digest() != digest:
            raise DataError(f"the head of '{path}' is damaged; pack the graph again.")
        found: dict[str, Any] = json.loads(text)
        sections = {name: Section(**one) for name, one in found.pop("sections").items()}
        if any(one.kind not in _KINDS for one in sections.values()):
            raise DataError(f"'{path}' holds arrays of an unknown kind; pack the graph again.")
        return cls(**found, sections=sections)


def block_digest(block: bytes | memoryview) -> bytes:
    """The checksum of a block.

    >>> len(block_digest(b"abc")) == DIGEST
    True
    """
    return hashlib.blake2b(block, digest_size=DIGEST).digest()


def blocks_of(size: int) -> int:
    """How many blocks so many bytes take.

    >>> blocks_of(0), blocks_of(1), blocks_of(BLOCK)
    (0, 1, 1)
    """
    return -(-size // BLOCK)
