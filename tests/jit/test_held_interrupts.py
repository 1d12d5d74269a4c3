"""Ctrl-C while numba is imported or compiles: it waits for that, and all can be compiled afterwards."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from zerokelvin.jit.held_interrupts import interrupts_held

# A job in the background ignores Ctrl-C, and so would the tests in it: every script heeds it first.
SCRIPT = """
import importlib.abc, signal, sys
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)
class Strike(importlib.abc.MetaPathFinder):
    done = False
    def find_spec(self, name, path, target=None):
        if name == "numba.core.types.misc" and not self.done:
            self.done = True
            signal.raise_signal(signal.SIGINT)

strike = Strike()
sys.meta_path.insert(0, strike)
from zerokelvin.trees.spanning.neighbourhoods import _search
assert "numba" not in sys.modules
try:
    _search.dispatcher
except KeyboardInterrupt:
    print("interrupted", strike.done, "numba.core.types.misc" in sys.modules)
number, order = np.full(2, -1), np.empty(2, np.int64)
_search(np.array([0, 1, 2]), np.array([1, 0]), number, order)
print(number.tolist(), len(_search.overloads))
"""


def test_an_interrupt_while_numba_is_imported_waits_for_it(tmp_path):
    """Cut short, the import left modules half there, and every kernel failed from then on."""
    usual = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "ZEROKELVIN_COMPILE": "now"}
    usual.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=False, env=usual, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["interrupted True True", "[0, 1] 1"], done.stderr


COMPILING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
from numba.core import compiler
from zerokelvin.jit.shared_compiling import is_kept
from zerokelvin.trees.spanning.neighbourhoods import _search as search

def struck(whole):
    def strike(self):
        signal.raise_signal(signal.SIGINT)
        reached.append(whole.__name__)
        return whole(self)
    return strike

reached, values = [], (np.array([0, 1, 2]), np.array([1, 0]), np.full(2, -1), np.empty(2, np.int64))
kinds = tuple(search.dispatcher.typeof_pyval(value) for value in values)
for owner, name, call in [
    (compiler.CompileResult, "_reduce", lambda: search(*values)),
    (type(search.dispatcher.targetctx), "refresh", lambda: is_kept(search.dispatcher, kinds)),
]:
    whole = getattr(owner, name)
    setattr(owner, name, struck(whole))
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted", name in reached)
    setattr(owner, name, whole)
print(len(search.overloads), is_kept(search.dispatcher, kinds))
"""


def test_an_interrupt_while_a_kernel_is_compiled_waits_for_it(tmp_path):
    """Or it was lost in code that numba calls back, or it ended a generator that numba needs again."""
    usual = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "ZEROKELVIN_COMPILE": "now"}
    usual.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-c", COMPILING]
    done = subprocess.run(command, check=False, env=usual, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["interrupted True", "interrupted True", "1 True"], done.stderr


def test_what_cannot_be_made_is_said_once(monkeypatch):
    from zerokelvin.jit import kernel_code

    def broken(*_):
        raise AttributeError("half there")

    monkeypatch.setattr(kernel_code, "dispatcher_of", broken)
    kernel = kernel_code.LazyKernel(lambda values: values)
    with pytest.raises(RuntimeError, match="cannot be compiled: half there"):
        _ = kernel.overloads


@pytest.fixture
def heeded():
    """Ctrl-C as Python has it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_an_interrupt_is_raised_at_the_end_of_the_block_and_others_are_left_alone():
    before, steps = signal.getsignal(signal.SIGINT), []

    def block():
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            steps.append("rest of the block")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert steps == ["rest of the block"]
    assert signal.getsignal(signal.SIGINT) is before

    def elsewhere():
        with interrupts_held():
            steps.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert steps[1:] == [True]
