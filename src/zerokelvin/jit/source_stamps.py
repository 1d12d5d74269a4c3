"""What machine code on disk is bound to: the text of a module and of every module that it imports.

Machine code holds the kernels it calls, also those of other modules, while numba looks at a kernel's own
module only. So a stamp is the hash of the text of a kernel's module and of all modules of the package that it
imports, directly or not, and no upgrade or edit can leave stale code.

The texts are read when the first kernel is called, which may be long after the modules were imported. What
runs in this process is then no longer what the files say if one of them was changed in between; such a module
has no stamp (`changed_since`), and its kernels are neither read from disk nor kept there.
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["changed_since", "module_stamp"]

COARSE = 0.02
"""Seconds that the time of a file may lie behind the clock: file systems count in ticks of up to 10 ms."""


class Source(NamedTuple):
    """A module's text as a hash, the modules of the package that it names, and when its file was changed."""

    digest: str
    imports: list[str]
    changed: float


def module_stamp(folder: Path, module: str) -> str:
    """A hash of a module of the package below `folder` and of all its modules that it imports, however far.

    A module from elsewhere, which may call any kernel, is bound to the whole package.
    """
    sources = _sources(folder)
    return hashlib.sha256(
        "".join(sources[name].digest for name in sorted(_reached(folder, module))).encode()
    ).hexdigest()


def changed_since(folder: Path, module: str, moment: float) -> str | None:
    """A module whose file was changed after a moment, of those behind a stamp; None if none was.

    A file counts as changed by its own time and by that of its entry on disk, which no copying can set back.
    """
    sources = _sources(folder)
    late = (name for name in _reached(folder, module) if sources[name].changed > moment - COARSE)
    return min(late, default=None)


def _reached(folder: Path, module: str) -> set[str]:
    sources = _sources(folder)
    reached: set[str] = set()
    waiting = [module] if module in sources else list(sources)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(sources[name].imports)
    return reached


@functools.cache
def _sources(folder: Path) -> dict[str, Source]:
    """Every module of the package below a folder."""
    package = Path(__file__).parents[1].name
    texts, changes = {}, {}
    for path in sorted((folder / package).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        about = path.stat()
        changes[name] = max(about.st_mtime, about.st_ctime)
        texts[name] = path.read_text(encoding="utf-8")
    statement = re.compile(
        rf"^\s*(?:from ({package}[\w.]*) import (\([^)]*\)|.*)|import ({package}[\w.]*))", re.M
    )
    found = {}
    for name, text in texts.items():
        named = set()
        for source, members, whole in statement.findall(text):
            named.add(source or whole)
            named.update(f"{source}.{member}" for member in re.findall(r"\w+", members))
        digest = hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()
        found[name] = Source(digest, sorted(named & texts.keys()), changes[name])
    return found
