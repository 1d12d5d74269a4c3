"""``zerokelvin label``: a page in the browser on which a person answers the questions that matter."""

from __future__ import annotations

import re
from pathlib import Path

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import Number
from zerokelvin.cli.output import say
from zerokelvin.cli.problem_options import ColumnChoice
from zerokelvin.errors import MissingDependencyError, ParameterError

__all__ = ["label"]

PORT = Number(0, 65535)
FILE = click.Path(path_type=Path)


@click.command()
@click.argument("path", required=False, type=FILE, metavar="[FILE|FOLDER]")
@click.option("--demo", is_flag=True, help="Label the 1,797 digits that come with the package.")
@click.option("--text", metavar="COLUMN", help="The column with the texts.")
@click.option("--name", metavar="COLUMN", help="The column that names the items; by default their numbers.")
@click.option(
    "--label", "known", metavar="COLUMN", help="A column with labels known already, empty elsewhere."
)
@click.option("--columns", metavar="A,B,…", help="The columns of numbers that rows are compared by.")
@click.option("--embedding", type=FILE, help="A .npy file with a row of numbers for each item.")
@click.option("--attributes", type=FILE, help="A table of the nodes of a graph: shown, and predicted from.")
@click.option("--source", type=ColumnChoice(), metavar="COLUMN", help="Of a table of edges, the one node.")
@click.option("--target", type=ColumnChoice(), metavar="COLUMN", help="Of a table of edges, the other node.")
@click.option("--weight", type=ColumnChoice(), metavar="COLUMN", help="Of a table of edges; 'none' for none.")
@click.option("--classes", metavar="A,B,…", help="The classes; without them they are typed in the page.")
@click.option(
    "--project", type=FILE, metavar="DIR", help="The folder of the project; by default named after FILE."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=0, show_default=True, help="The port; 0 takes a free one.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@common_options
def label(
    path: Path | None,
    demo: bool,
    text: str | None,
    name: str | None,
    known: str | None,
    columns: str | None,
    embedding: Path | None,
    attributes: Path | None,
    source: str | int | None,
    target: str | int | None,
    weight: str | int | None,
    classes: str | None,
    project: Path | None,
    host: str,
    port: int,
    no_browser: bool,
    as_json: bool,  # noqa: ARG001 - every command has it; the first line is the same
) -> None:
    """Label a data set or a graph in the browser by answering only the questions that matter.

    FILE is a csv, tsv, parquet or jsonl table, an AnnData .h5ad, or a graph; FOLDER holds images, or is
    what an earlier start has made. All is kept in one folder; the same command goes on where it was left.
    The first line on standard output says where the page is; Ctrl-C ends.

    \b
    Examples:
      zerokelvin label --demo
      zerokelvin label mails.csv --text body --classes spam,ham
      zerokelvin label photos --embedding photos.npy
      zerokelvin label edges.csv --attributes accounts.csv --label verdict
      zerokelvin label payments.csv --source payer --target payee --weight amount --classes fraud,ok
      zerokelvin label cells.h5ad --label cell_type --no-browser --port 8322

    Next: export the labels in the page, or open /docs at the address it prints.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    try:
        import msgspec  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as problem:
        raise MissingDependencyError(
            f"'{problem.name}' is not installed; get it with pip install 'zerokelvin[service]'."
        ) from None
    if demo == (path is not None):
        raise ParameterError(
            "give a file or a folder to label, or --demo; 'zerokelvin label --help' shows how."
        )
    from zerokelvin.labelling.source import ItemOptions
    from zerokelvin.service import ServiceSettings
    from zerokelvin.service.page.opening_folder import kept_project, open_project
    from zerokelvin.service.web.running import serve

    given = {"source": source, "target": target, "weight": False if weight == "none" else weight}
    edges = {key: column for key, column in given.items() if column is not None}
    options = ItemOptions(text, name, known, _listed(columns), embedding, attributes, edges)
    stem = "digits" if path is None else re.sub(r"[^A-Za-z0-9._-]+", "-", path.resolve().stem).strip("-._")
    kept = kept_project(path)
    called = kept or (stem or "items")[:80]
    folder = path if path is not None and kept else project or Path(f"{called}.zerokelvin")
    for sentence in open_project(folder, called, path, options, _listed(classes)):
        say(sentence)
    settings = ServiceSettings(
        data=folder,
        host=host,
        port=port,
        log_requests=False,
        error_log=folder.resolve() / "errors.log",
        first_project=called,
        patience=25.0,
    )
    serve(settings, None if no_browser else f"/label/{called}")


def _listed(text: str | None) -> tuple[str, ...]:
    """The parts of a list with commas."""
    parts = [] if text is None else [part.strip() for part in text.split(",")]
    if len(set(parts)) != len(parts) or not all(parts):
        raise ParameterError(
            f"'{text}' holds an empty part, or one twice; separate different ones by commas."
        )
    return tuple(parts)
