"""``zerokelvin embed``: the smoothest coordinates of a graph's nodes, on disk, by any number of workers."""

from __future__ import annotations

from typing import Any

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import GAMES, JOBS, POSITIVE, SEED, Number
from zerokelvin.cli.output import print_json, print_table, print_text
from zerokelvin.cli.progress import reporting

__all__ = ["embed"]


@click.command()
@click.argument("graph")
@click.option("--rank", type=POSITIVE, default=100, show_default=True, help="How many eigenpairs.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the embedding, made if missing.")
@click.option(
    "--tol",
    type=Number(1e-12, 0.99, whole=False),
    default=1e-3,
    show_default=True,
    help="Largest residual, as a share of the largest eigenvalue wanted, at most 1.",
)
@click.option("--turns", type=GAMES, default=60, show_default=True, help="Turns after which to give up.")
@click.option(
    "--b",
    type=Number(1e-300, 1e300, whole=False),
    default=2.0,
    show_default=True,
    help="Square of the constant column.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the columns that are begun with.")
@click.option("--jobs", type=JOBS, metavar="N", help="Filter columns in N processes of this machine.")
@click.option(
    "--cluster",
    metavar="WHERE",
    help="Filter columns on a Dask cluster that sees GRAPH and DIR: local, local:N or tcp://HOST:PORT.",
)
@click.option("--memory", metavar="SIZE", help="What a worker of --cluster local may use, such as 2GB.")
@common_options
def embed(
    graph: str,
    rank: int,
    out: str,
    jobs: int | None,
    cluster: str | None,
    memory: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Embed a GRAPH that may be larger than memory into a folder.

    GRAPH is a pack (.zkg), which is mapped and not read, or any other file of a graph. Computed are the
    --rank smallest eigenpairs of its Laplacian, zeros left out; columns are filtered by themselves, so work
    spreads over --jobs or --cluster, with the same bits on any number of workers. Stopped in any way, the
    same command goes on from the last block on the disk.

    \b
    Examples:
      zerokelvin embed graph.zkg --rank 100 --out emb
      zerokelvin embed graph.zkg --rank 100 --out emb --cluster local:2 --memory 2GB
      zerokelvin embed edges.csv --rank 20 --out emb --json

    With --json: folder, nodes, edges, components, rank, b, tol, residual, turns, products, values.

    Next: zk.open_embedding("emb") is a table of features for ollgc, sslgc, bbq, second-order and gaussian.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.sweeps.choosing import choose_place, parse_size
    from zerokelvin.sweeps.columns.column_embedding import embed_graph
    from zerokelvin.sweeps.places import Here

    place = choose_place(jobs, cluster, None if memory is None else parse_size(memory)) or Here()
    with reporting() as report, place:
        found = embed_graph(graph, out, rank, place=place, progress=report, **given)
    names = ("nodes", "edges", "components", "rank", "b", "tol", "residual", "turns", "products")
    said = {"folder": out} | {name: found.manifest[name] for name in names}
    if as_json:
        print_json(said | {"values": found.values.tolist()})
        return
    rows = [
        ["graph", f"{said['nodes']:,} nodes, {said['edges']:,} edges, {said['components']:,} components"],
        ["eigenvalues", f"{rank} from {found.values[0]:.4g} to {found.values[-1]:.4g}"],
        ["largest residual", f"{said['residual']:.1e}"],
        ["work", f"{said['turns']} turns, {said['products']:,} products with a column"],
    ]
    print_table([out, ""], rows)
    print_text(f"Next: zk.open_embedding({out!r})")
