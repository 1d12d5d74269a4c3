"""The workplace that options name: processes, or a Dask cluster; and sizes of memory as people write them."""

from __future__ import annotations

import re

from zerokelvin.errors import ParameterError
from zerokelvin.sweeps.places import Workplace, cores

__all__ = ["FORMS", "choose_place", "parse_size"]

FORMS = "local, local:N or tcp://HOST:PORT"
"""How a cluster is written."""

WRITTEN = re.compile(r"local(:(?P<workers>[1-9]\d{0,2}))?|(?P<address>(tcp|tls)://\S+)")


def choose_place(
    jobs: int | None = None, cluster: str | None = None, memory: int | None = None
) -> Workplace | None:
    """The place that options name; None where they name none.

    Parameters
    ----------
    jobs
        Processes on this machine.
    cluster
        ``"local"`` or ``"local:N"``: a Dask cluster of N processes started here, one for each core by
        default; ``"tcp://HOST:PORT"``: the scheduler of a Dask cluster that is there.
    memory
        Bytes that each worker of a cluster started here may use.

    >>> choose_place() is None, choose_place(jobs=2).told()
    (True, '2 processes')
    >>> choose_place(cluster="here")
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: cluster='here' is no cluster; write local, local:N or tcp://HOST:PORT.
    """
    if memory is not None and not str(cluster).startswith("local"):
        raise ParameterError("memory is what workers of cluster='local' may use; give it with that alone.")
    if cluster is not None:
        if jobs is not None:
            raise ParameterError(
                "jobs are processes of this machine and cluster names others; give one of them."
            )
        written = WRITTEN.fullmatch(str(cluster))
        if written is None:
            raise ParameterError(f"cluster='{cluster}' is no cluster; write {FORMS}.")
        from zerokelvin.sweeps.dask_cluster import DaskCluster

        if written["address"]:
            return DaskCluster(address=written["address"])
        return DaskCluster(workers=int(written["workers"] or cores()), memory=memory)
    if jobs is None:
        return None
    if jobs < 1:
        raise ParameterError(f"jobs={jobs} must be at least 1.")
    from zerokelvin.sweeps.processes import Processes

    return Processes(jobs)


def parse_size(text: str) -> int:
    """The bytes that a text such as ``"2GB"`` or ``"512 MiB"`` stands for.

    >>> parse_size("2GB"), parse_size("1.5 GiB")
    (2000000000, 1610612736)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", text.lower())
    if found is None or float(found[1]) == 0:
        raise ParameterError(f"memory='{text}' is no size; write it as 2GB or 512MiB.")
    return round(float(found[1]) * (1024 if found[3] else 1000) ** " kmgt".index(found[2] or " "))
