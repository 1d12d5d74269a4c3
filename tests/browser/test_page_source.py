"""The source of the page: types, unit tests, and a bundle that is small and what the source gives."""

import shutil
import subprocess

import pytest

from browsing import PAGE, WITHOUT_PACKAGES

pytestmark = pytest.mark.skipif(
    shutil.which("npm") is None or not (PAGE / "node_modules").exists(), reason=WITHOUT_PACKAGES
)


@pytest.mark.parametrize("script", ["check", "test", "compare"])
def test_the_source_is_sound(script):
    run = subprocess.run(
        ["npm", "run", "--silent", script], cwd=PAGE, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


def test_licences_are_free_ones():
    """The bundle holds MIT, BSD or Apache only; axe-core (MPL) is for tests and never shipped."""
    import json

    lock = json.loads((PAGE / "package-lock.json").read_text())["packages"]
    shipped = {name: one.get("license", "") for name, one in lock.items() if name and not one.get("dev")}
    assert shipped
    assert set(shipped.values()) <= {"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC"}
