"""Another process that compiles: ahead of need while work is small, or beside this one when much is needed.

What a learner needs is known by rehearsing it (`zerokelvin.experiments.rehearsal`, which is run by name,
since it stands far above this room). The process is started

- when the interpreter plays small work of a learner (`zerokelvin.jit.small_work`) that nobody has rehearsed
  in this installation, so that the code is there when larger work comes. One line on standard error says so
  (`zerokelvin.jit.compile_line`); who does not want the line is not given the process either;
- when kernels have to be compiled before work can go on, if there is a second core: it begins with what is
  needed last, and what it compiles is read from disk here.

It has a session of its own, and a low priority where nobody waits for it, prints nothing, goes on when this
process ends, and ends by itself. There is one at a time, by a lock on disk; a mark there says what is done.
None is started by a process that multiprocessing or a fork has started, where no folder can be written, nor
with ``ZEROKELVIN_COMPILE=now``.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from zerokelvin.jit import compile_line, small_work
from zerokelvin.startup import PROCESS

__all__ = [
    "LOCK",
    "begin_unless_done",
    "compile_ahead",
    "expect",
    "folder_of_marks",
    "help_with_the_rest",
    "mark",
    "mark_of",
]

PACKAGE = Path(__file__).parents[1]

REHEARSE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from zerokelvin.experiments.rehearsal import main; main(sys.argv[2:])"
)

LOCK = "zerokelvin.ahead.lock"
"""The file that a process in the background locks; it is there from the moment one is started."""

TELLS = "zerokelvin: compiling in the background for larger work, once per installation"


class _Helper:
    """The learners of this process, and the process that compiles what they need."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.handled: set[str] = set()
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()
        self.untold = False

    def start(self, tell: bool, way: str = "ahead") -> None:
        """Start the process for the learners that wait, unless one runs; ``beside`` if it is waited for."""
        with self.lock:
            if self.process is not None or not self.waiting or not _is_allowed():
                return
            folder = folder_of_marks()
            learners = [name for name in self.waiting if folder is None or not mark_of(folder, name).exists()]
            self.handled.update(self.waiting)
            self.waiting.clear()
            if folder is None or not learners:
                return
            with contextlib.suppress(OSError):  # no memory, no such program: nobody is helped
                (folder / LOCK).touch()
                self.process = _spawn(way, learners)
                watched = compile_line.is_watched()
                self.untold = tell and not watched  # before the thread runs: this process may end first
                threading.Thread(
                    target=self._accompany,
                    args=(self.process, tell, watched),
                    name="zerokelvin-background",
                    daemon=True,
                ).start()

    def _accompany(self, process: subprocess.Popen[str], tell: bool, watched: bool) -> None:
        """Wait for the process to end, and tell: at once where somebody watches, else at the end."""
        began = time.perf_counter()
        if tell and watched:
            compile_line.write(sys.stderr, f"{TELLS}.\n")
        with process:  # closes what it wrote to, and waits
            said = process.stdout.read() if process.stdout is not None else ""
        with self.lock:
            untold, self.untold, self.process = self.untold, False, None
        kernels = int(said) if said.strip().isdigit() else 0
        if tell and kernels:
            spent = f"{time.perf_counter() - began:.0f} s ({kernels} kernels).\n"
            head = f"{TELLS} ... " if untold else "zerokelvin: compiled in the background: "
            compile_line.write(sys.stderr, head + spent)

    def leave(self) -> None:
        """End without it: the other process goes on."""
        process = self.process
        if process is not None:
            process.returncode = process.poll() or 0  # it is nobody's business here that it runs on
        if self.untold:
            self.untold = False
            compile_line.write(sys.stderr, f"{TELLS}.\n")


_HELPER = _Helper()
atexit.register(_HELPER.leave)


def expect(learner: str) -> None:
    """Note that a learner is going to be used in this process."""
    if learner not in _HELPER.handled and learner not in _HELPER.waiting:
        _HELPER.waiting.append(learner)


def compile_ahead(learner: str, tell: bool = True) -> None:
    """Let another process compile what a learner needs, from now on, unless that is done already.

    For programs that know what will be used before it is: a service that waits for its first project. With
    `tell` it has a low priority, and a line on standard error says so, where such lines are wanted; without,
    somebody is waiting for what it does.
    """
    expect(learner)
    if not small_work.now():
        _HELPER.start(tell and compile_line.is_wanted(), "ahead" if tell else "beside")


def begin_unless_done() -> None:
    """Compile ahead what the learners of this process need; called whenever the interpreter plays."""
    if _HELPER.waiting and not small_work.now() and compile_line.is_wanted():
        _HELPER.start(tell=True)


def help_with_the_rest() -> None:
    """Compile beside this process, which is about to compile; called for every kernel that is not on disk."""
    if _HELPER.waiting and not small_work.now() and _cores() > 1:
        _HELPER.start(tell=False, way="beside")


def folder_of_marks() -> Path | None:
    """Where it is noted what is compiled: the folder that numba is told to use, or writes to by itself."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    beside, home = PACKAGE / "jit" / "__pycache__", Path(user).expanduser() / "zerokelvin"
    for folder in [Path(given)] if given else [beside, home]:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return None


def mark_of(folder: Path, learner: str) -> Path:
    """The file that is there when what a learner needs is compiled, by this Python and this installation."""
    about = f"{learner} {PACKAGE} {(PACKAGE / '__init__.py').stat().st_mtime_ns} {sys.version}"
    return folder / f"zerokelvin-{hashlib.sha256(about.encode()).hexdigest()[:16]}.ahead"


def mark(learner: str) -> None:
    """Note that what a learner needs is compiled."""
    folder = folder_of_marks()
    if folder is not None:
        with contextlib.suppress(OSError):
            mark_of(folder, learner).touch()


def _is_allowed() -> bool:
    """Whether this process may start another: not itself a child, and a Python that can be started again."""
    children = sys.modules.get("multiprocessing.process")
    alone = os.getpid() == PROCESS and (children is None or children.parent_process() is None)
    return alone and bool(sys.executable) and not getattr(sys, "frozen", False) and not small_work.now()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _spawn(way: str, learners: list[str]) -> subprocess.Popen[str]:
    places = [str(Path(place).absolute()) for place in sys.path]
    apart: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        flags = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW", "BELOW_NORMAL_PRIORITY_CLASS")
        apart = {"creationflags": sum(getattr(subprocess, flag) for flag in flags)}
    return subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-c", REHEARSE, json.dumps(places), way, *learners],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=PACKAGE,
        env=os.environ | {"ZEROKELVIN_COMPILE": "now", "ZEROKELVIN_QUIET": "1"},
        **apart,
    )
