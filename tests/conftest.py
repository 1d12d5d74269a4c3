"""Settings and data for all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("ZEROKELVIN_COMPILE", "now")  # tests of kernels are of compiled ones

import zerokelvin as zk  # reads the environment

settings.register_profile("default", max_examples=150, deadline=None)
settings.register_profile("kernels-interpreted", max_examples=25, deadline=None)
settings.load_profile("kernels-interpreted" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "default")

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ZEROKELVIN_DATA") or ROOT.parent / "shared" / "data")

LONG = (
    "docs/test_docs.py",
    "cli/test_sweeping.py",
    "ecosystems/test_networkx_backend.py",
    "service/test_killing.py",
    "sweeps/test_embedding.py",
    "experiments/report/test_every_claim.py",
    "jit/test_small_work.py",
    "jit/test_background.py",
    "cli/commands/test_warm.py",
    "jit/test_compile_line.py",
    "scikit_learn/test_classifier.py",
    "service/page/test_acts.py",
    "guarantee/test_audit.py",
    "cli/test_interrupts.py",
    "experiments/reproduction/test_reproduce_table2.py",
    "cli/commands/test_bench_latency.py",
    "browser/test_looks.py",
    "graph/test_builders.py",
    "learners/auto/test_auto.py",
    "learners/base/test_at_scale.py",
    "session/test_checkpoints.py",
    "service/test_state_machine.py",
)
"""Files of some ten seconds and more, the longest first."""


def pytest_make_parametrize_id(val):
    """Bytes are named by their length: archives hold the time they were made, and workers must agree."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) else None


def pytest_collection_modifyitems(config, items):
    """Workers begin with the files that take longest, so that none works alone at the end.

    Tests on real graphs say why they are skipped where the folder is absent; CI always has it.
    """
    if hasattr(config, "workerinput"):
        rank = {ROOT / "tests" / name: place for place, name in enumerate(LONG)}
        items.sort(key=lambda item: rank.get(item.path, len(LONG)))
    if DATA.is_dir():
        return
    missing = pytest.mark.skip(reason=f"no real graphs at {DATA}; set ZEROKELVIN_DATA")
    for item in items:
        if "data" in item.keywords:
            if os.environ.get("CI"):
                raise pytest.UsageError(f"no real graphs at {DATA}; CI must run the tests that need them")
            item.add_marker(missing)


@pytest.fixture(autouse=True, scope="session")
def no_embedding_cache():
    """No test reads or writes the embeddings in the user's cache; those of the cache turn on their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZEROKELVIN_CACHE", "off")
        yield


@pytest.fixture(autouse=True, scope="session")
def no_line_about_compilation():
    """What commands say on standard error here does not depend on what earlier tests compiled."""
    zk.jit.announce_compilation(False)


@pytest.fixture
def data_folder():
    return DATA
