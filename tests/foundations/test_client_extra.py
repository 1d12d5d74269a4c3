"""The client without the packages it needs says how to get them."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules[{package!r}] = None
import zerokelvin as zk
try:
    zk.{name}("http://127.0.0.1:1")
except zk.errors.MissingDependencyError as problem:
    print(problem)
"""


def test_what_is_missing_is_named_with_the_extra_that_brings_it():
    for package in ("httpx", "msgspec"):
        for name in ("Client", "AsyncClient"):
            program = PROGRAM.format(package=package, name=name)
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            assert done.stdout == (
                f"'{package}' is not installed; get it with pip install 'zerokelvin[service]'.\n"
            )
