"""The line about compilation: one, for people and for logs, and none for those who do not want it."""

import os
import pty
import re
import subprocess
import sys

import pytest

GAME = (
    "import zerokelvin as zk\n"
    "line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])\n"
    "zk.play(line, [0, 0, 1, 1], 'nearest')\n"
    "print('played', flush=True)\n"
)
SMALL = (
    "import numpy as np\nimport zerokelvin as zk\nimport zerokelvin.jit.compile_line as line\n"
    "from zerokelvin.learners.auto.hedge import hedge_weights as kernel\n"
    "line.NOTICEABLE = 1e-9\n"
    "kernel(*(np.ones(3) for _ in range(4)))\n"
    "print('played', flush=True)\n"
)
"""One kernel, which would be told of although it takes less time than a whole learner."""

LINE = r"zerokelvin: compiling for the first use, once per installation \.\.\. \d+ s \(\d+ kernels?\)\.\n"


@pytest.fixture
def environment(tmp_path):
    """An empty cache."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_DISABLE")}
    return kept | {"NUMBA_CACHE_DIR": str(tmp_path)}


def stderr_of(script, environment, *words):
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr


def test_a_log_gets_one_whole_line_and_a_second_process_none(environment):
    assert re.fullmatch(LINE, stderr_of(GAME, environment))
    assert stderr_of(GAME, environment) == ""


def test_a_terminal_gets_the_line_begun_at_once_and_completed(environment):
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", SMALL], env=environment, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        pieces = []
        while piece := read(ours):
            pieces.append(piece)
        process.wait()
    shown = "".join(pieces).replace("\r\n", "\n")
    begun = "zerokelvin: compiling for the first use, once per installation ..."
    assert shown.startswith(begun)
    assert shown.count("zerokelvin:") == 1
    assert "played" in shown[len(begun) :]  # the end of the line may come after what was printed meanwhile
    assert re.search(r" \d+ s \(\d+ kernels?\)\.\n", shown)


def read(terminal):
    try:
        return os.read(terminal, 65536).decode()
    except OSError:  # how Linux says that the other end is closed
        return ""


def test_quiet_by_environment_function_and_block(environment, tmp_path):
    def fresh(name):
        return environment | {"NUMBA_CACHE_DIR": str(tmp_path / name)}

    assert re.fullmatch(LINE, stderr_of(SMALL, fresh("a")))
    assert stderr_of(SMALL, fresh("b") | {"ZEROKELVIN_QUIET": "1"}) == ""
    switched = SMALL.replace("kernel(*", "zk.jit.announce_compilation(False)\nkernel(*")
    assert stderr_of(switched, fresh("c")) == ""
    inside = SMALL.replace("kernel(*", "with zk.jit.quiet(): kernel(*")
    assert stderr_of(inside, fresh("d")) == ""


def test_a_worker_says_nothing(environment):
    script = (
        "import multiprocessing, sys\n"
        "def work():\n"
        + "".join(f"    {line}\n" for line in SMALL.splitlines())
        + "if __name__ == '__main__':\n"
        "    worker = multiprocessing.get_context('fork').Process(target=work)\n"
        "    worker.start(); worker.join(); sys.exit(worker.exitcode)\n"
    )
    assert stderr_of(script, environment) == ""


def test_whoever_shows_compilation_gets_no_line(environment):
    script = (
        "import zerokelvin as zk\nfrom zerokelvin.jit import on_compile\nnames = []\n"
        "with on_compile(names.append):\n"
        + "".join(f"    {line}\n" for line in SMALL.splitlines())
        + "assert names\n"
    )
    assert stderr_of(script, environment) == ""


def test_kernels_of_others_are_not_ours_to_tell(environment):
    script = (
        "import numba, numpy as np, time\nimport zerokelvin.jit as jit\n"
        "jit.compile_line.NOTICEABLE = 1e-9\n"
        "with jit.compilation_seconds() as spent:\n"
        "    numba.njit(lambda x: np.sort(x))(np.ones(3))\n"
        "assert spent.kernels == 1\n"
    )
    assert stderr_of(script, environment) == ""
