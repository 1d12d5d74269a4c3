"""A Dask cluster: workers of its own on this machine, or those of a scheduler that is there.

The stage is a plugin of the workers, so that each has it once, also one that joins or is begun again later. A
task whose worker is lost is computed by another, which Dask sees to; a task that costs several workers is
named in an error. Dask names tasks by tokens that differ from one interpreter to the next, so ours are named
by us, and every result is kept by the one who asked for it: workers need no disk, and no folder is shared.
"""

from __future__ import annotations

import logging
import queue
import secrets
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from zerokelvin.errors import ClusterError, MissingDependencyError
from zerokelvin.sweeps.places import Done, Stage, Work, Workplace
from zerokelvin.sweeps.result_store import code_version

try:
    import distributed
    import distributed.client
    import distributed.scheduler
    from distributed.diagnostics.plugin import WorkerPlugin
except ImportError:
    raise MissingDependencyError(
        "a cluster needs Dask; get it with pip install zerokelvin[cluster], or take --jobs."
    ) from None

__all__ = ["DaskCluster"]

NEWS = 1.0
"""Seconds after which the number of workers is looked at again."""

NOBODY = 60.0
"""Seconds without any worker after which nobody is expected to come."""

REACHED = 10.0
"""Seconds within which a scheduler has to answer."""

_STAGES: dict[str, Stage] = {}


class StagePlugin(WorkerPlugin):
    """Brings a stage to every worker of a cluster, under a name.

    Workers of our own do not hear Ctrl-C from then on: who began them hears it, and ends them.
    """

    def __init__(self, name: str, stage: Stage, deaf: bool) -> None:
        self.name, self.stage, self.deaf = name, stage, deaf

    def setup(self, worker: Any) -> None:
        """Put the stage where tasks find it."""
        _STAGES[self.name] = self.stage
        if self.deaf and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def teardown(self, worker: Any) -> None:
        """Take the stage off the worker again."""
        _STAGES.pop(self.name, None)


def compute_there(name: str, version: str, task: Any) -> Any:
    """What a worker does: one task on the stage of this name."""
    if code_version() != version:
        raise ClusterError(
            f"a worker runs other code (version {code_version()}) than this process ({version}); install the "
            "same zerokelvin on all machines and restart the workers."
        )
    return _STAGES[name].compute(task)


class DaskCluster(Workplace):
    """The scheduler at `address`, or without one `workers` processes of this machine, begun when needed."""

    def __init__(
        self, address: str | None = None, workers: int | None = None, memory: int | None = None
    ) -> None:
        self.address, self.workers, self.memory = address, workers, memory
        self._client: Any = None
        self._own: Any = None
        self._seen = 0

    @property
    def client(self) -> Any:
        """The connection, made when it is first asked for."""
        if self._client is None:
            self._client = self._connect()
            self._look()
        return self._client

    def told(self) -> str:
        """How many workers there are, and where."""
        where = self.address or "this machine"
        return f"{self._seen} worker{'' if self._seen == 1 else 's'} of a cluster on {where}"

    def results(self, stage: Stage, tasks: Sequence[Work]) -> Iterator[Done]:
        """The results as they come, and news about the workers once a second."""
        client, name, version = self.client, f"zerokelvin-{secrets.token_hex(8)}", code_version()
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        numbers: dict[Any, int] = {}
        client.register_plugin(StagePlugin(name, stage, self.address is None), name=name)
        try:
            for number, task in enumerate(tasks):
                key = f"{task.name}-{number}-{name}"
                future = client.submit(compute_there, name, version, task.value, key=key, pure=False)
                numbers[future] = number
                future.add_done_callback(done.put)
            left, met = len(numbers), time.monotonic()
            while left:
                try:
                    future = done.get(timeout=NEWS)
                except queue.Empty:
                    met = time.monotonic() if self._look() else met
                    self._require_somebody(time.monotonic() - met)
                    yield Done(None)
                    continue
                left -= 1
                number = numbers[future]
                yield Done(number, self._result(future, tasks[number].name))
                future.release()
        finally:
            with suppress(Exception):  # whatever ended the work may have ended the cluster
                client.cancel(list(numbers))
                client.unregister_worker_plugin(name)

    def close(self) -> None:
        """Leave the cluster, and end it if it was begun here."""
        client, own = self._client, self._own
        self._client = self._own = None
        with suppress(Exception):  # it may be gone
            if client is not None:
                client.close(timeout=2)
        with suppress(Exception):
            if own is not None:
                own.close(timeout=5)

    def _connect(self) -> Any:
        try:
            if self.address is not None:
                return distributed.Client(self.address, timeout=REACHED, set_as_default=False)
            self._own = distributed.LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                processes=True,
                memory_limit="auto" if self.memory is None else self.memory,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # any port: others may run one too
                silence_logs=logging.CRITICAL,
            )
            return distributed.Client(self._own, set_as_default=False)
        except (OSError, TimeoutError) as problem:
            where = self.address or "this machine"
            raise ClusterError(f"no cluster can be reached on {where}: {problem}.") from None
        except RuntimeError as problem:  # of a worker that did not start
            raise ClusterError(
                f"no worker could be started here: {problem} Workers read a script that starts them, so "
                "put what it does under 'if __name__ == \"__main__\":', or take jobs= instead."
            ) from None

    def _look(self) -> int:
        """How many workers there are now."""
        try:
            self._seen = len(self._client.nthreads())
        except Exception:  # noqa: BLE001 - asked again in a second; results tell if it is gone
            self._seen = 0
        return self._seen

    def _require_somebody(self, alone: float) -> None:
        if alone > NOBODY:
            raise ClusterError(
                f"the cluster on {self.address or 'this machine'} has had no worker for {alone:.0f} seconds; "
                "start some (dask worker ADDRESS) and run this again, what was computed is kept."
            )

    def _result(self, future: Any, name: str) -> Any:
        try:
            return future.result()
        except distributed.scheduler.KilledWorker:
            raise ClusterError(
                f"workers were lost at '{name}' again and again; it may need more memory than they have."
            ) from None
        except distributed.client.FutureCancelledError:
            raise ClusterError(
                f"the cluster on {self.address or 'this machine'} was lost; what was computed is kept, run "
                "this again."
            ) from None
