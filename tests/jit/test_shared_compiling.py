"""Two processes that need the same kernel: one compiles, the other waits and reads."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("fcntl")

KERNEL = (
    "import numpy as np, sys, time\n"
    "import zerokelvin as zk\n"
    "from zerokelvin.jit import shared_compiling as shared\n"
    "from zerokelvin.learners.auto.hedge import hedge_weights as kernel\n"
    "given = tuple(np.ones(3) for _ in range(4))\n"
    "dispatcher = kernel.dispatcher\n"
    "kinds = tuple(dispatcher.typeof_pyval(value) for value in given)\n"
)
HOLD = KERNEL + (
    "with shared._claimed(dispatcher, kinds) as free:\n"
    "    print(free, flush=True)\n"
    "    sys.stdin.readline()\n"
    "    {}\n"
    "print('done', flush=True)\nsys.stdin.readline()\n"
)
USE = KERNEL + (
    "print('calls', flush=True)\n"
    "with zk.jit.compilations() as found, zk.jit.compilation_seconds() as spent:\n"
    "    kernel(*given)\n"
    "print(sum(one.kernel == 'hedge_weights' for one in found), spent.seconds, dispatcher.stats.cache_hits)\n"
)


@pytest.fixture
def environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_DISABLE")}
    return kept | {"NUMBA_CACHE_DIR": str(tmp_path), "ZEROKELVIN_COMPILE": "now"}


def begin(script, environment):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", script], env=environment, **pipes)


@pytest.mark.parametrize("compiles", [True, False])
def test_who_finds_a_kernel_claimed_waits_for_its_code_or_for_the_claim(environment, compiles):
    work = "dispatcher.compile(kinds)" if compiles else "time.sleep(1.0)"
    with begin(HOLD.format(work), environment) as first, begin(USE, environment) as second:
        assert first.stdout.readline() == "True\n"
        assert second.stdout.readline() == "calls\n"
        first.stdin.write("\n")
        first.stdin.flush()
        assert first.stdout.readline() == "done\n"
        number, seconds, hits = second.communicate()[0].split(maxsplit=2)
        first.communicate("\n")
    assert first.returncode == second.returncode == 0
    assert int(number) >= 1  # the wait, which counts as compilation
    assert float(seconds) > 0
    assert (hits.count("1") >= 1) is compiles


def test_a_claim_ends_with_the_process_that_is_killed(environment):
    with begin(HOLD.format("pass"), environment) as first:
        assert first.stdout.readline() == "True\n"
        with begin(USE, environment) as second:
            assert second.stdout.readline() == "calls\n"
            first.kill()
            number, _, _ = second.communicate()[0].split(maxsplit=2)
    assert second.returncode == 0
    assert int(number) >= 1
