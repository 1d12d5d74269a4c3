"""Compiled code on disk: many processes may add to it, and what was killed leaves nothing wrong behind."""

import multiprocessing

import pytest
from numba.core.caching import IndexDataCacheFile

from zerokelvin.jit.cache_files import bind_to

WRITERS, KEYS = 6, 12


def cache_in(folder, stamp):
    cache = IndexDataCacheFile(str(folder), "kernel", (0.0, 0))
    bind_to(cache, stamp, covers_module=True)
    return cache


def write_keys(folder, barrier, number):
    cache = cache_in(folder, "now")
    barrier.wait()
    for i in range(KEYS):
        cache.save((number, i), f"code of {number}, {i}")


def test_processes_that_write_at_the_same_time_lose_and_confuse_nothing(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(WRITERS)
    writers = [context.Process(target=write_keys, args=(tmp_path, barrier, n)) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    cache = cache_in(tmp_path, "now")
    keys = [(number, i) for number in range(WRITERS) for i in range(KEYS)]
    assert [cache.load(key) for key in keys] == [f"code of {number}, {i}" for number, i in keys]


def test_code_of_another_stamp_is_not_read(tmp_path):
    cache_in(tmp_path, "old").save("key", "old code")
    assert cache_in(tmp_path, "old").load("key") == "old code"
    assert cache_in(tmp_path, "new").load("key") is None
    cache_in(tmp_path, "new").save("key", "new code")
    assert cache_in(tmp_path, "new").load("key") == "new code"
    assert cache_in(tmp_path, "old").load("key") is None


@pytest.mark.parametrize("step", ["_save_data", "_save_index"])
def test_a_process_that_is_killed_while_it_writes_leaves_no_wrong_code(tmp_path, monkeypatch, step):
    cache_in(tmp_path, "old").save("key", "old code")
    cache = cache_in(tmp_path, "new")
    plain = getattr(cache, step)
    calls = []

    def killed(*values):
        calls.append(values)
        if step == "_save_data" or len(calls) == 2:  # the second index is the one that names the file
            raise KeyboardInterrupt
        return plain(*values)

    monkeypatch.setattr(cache, step, killed)
    with pytest.raises(KeyboardInterrupt):
        cache.save("key", "new code")
    for stamp in ("old", "new"):
        assert cache_in(tmp_path, stamp).load("key") is None
