"""``zerokelvin label``: a page in the browser on which a person answers the questions that matter."""

from __future__ import annotations

import re
from pathlib import Path

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import Number
from zerokelvin.cli.output import say
from zerokelvin.errors import MissingDependencyError, ParameterError

__all__ = ["label"]

PORT = Number(0, 65535)
FILE = click.Path(path_type=Path)


@click.command()
@click.argument("source", required=False, type=FILE, metavar="[FILE|FOLDER]")
@click.option("--demo", is_flag=True, help="Label the 1,797 digits that come with the package.")
@click.option("--text", metavar="COLUMN", help="The column with the texts.")
@click.option("--name", metavar="COLUMN", help="The column that names the items; by default their numbers.")
@click.option(
    "--label", "known", metavar="COLUMN", help="A column with labels known already, empty elsewhere."
)
@click.option("--columns", metavar="A,B,…", help="The columns of numbers that rows are compared by.")
@click.option("--embedding", type=FILE, help="A .npy file with a row of numbers for each item.")
@click.option("--attributes", type=FILE, help="A table with a row for each node of a graph, shown beside it.")
@click.option("--classes", metavar="A,B,…", help="The classes; without them they are typed in the page.")
@click.option(
    "--project", type=FILE, metavar="DIR", help="The folder of the project; by default named after FILE."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=0, show_default=True, help="The port; 0 takes a free one.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@common_options
def label(
    source: Path | None,
    demo: bool,
    text: str | None,
    name: str | None,
    known: str | None,
    columns: str | None,
    embedding: Path | None,
    attributes: Path | None,
    classes: str | None,
    project: Path | None,
    host: str,
    port: int,
    no_browser: bool,
    as_json: bool,  # noqa: ARG001 - every command has it; the first line is the same
) -> None:
    """Label a data set or a graph in the browser by answering only the questions that matter.

    FILE is a csv, tsv, parquet or jsonl table, an AnnData .h5ad, or a graph; FOLDER holds images. All is
    kept in one folder; the same command goes on where it was left. The first line on standard output says
    where the page is; Ctrl-C ends.

    \b
    Examples:
      zerokelvin label --demo
      zerokelvin label mails.csv --text body --classes spam,ham
      zerokelvin label photos --embedding photos.npy
      zerokelvin label edges.csv --attributes accounts.csv --label verdict
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
    if demo == (source is not None):
        raise ParameterError(
            "give a file or a folder to label, or --demo; 'zerokelvin label --help' shows how."
        )
    from zerokelvin.labelling.source import ItemOptions
    from zerokelvin.service import ServiceSettings
    from zerokelvin.service.page.opening_folder import open_project
    from zerokelvin.service.web.running import serve

    options = ItemOptions(text, name, known, _listed(columns), embedding, attributes)
    stem = (
        "digits" if source is None else re.sub(r"[^A-Za-z0-9._-]+", "-", source.resolve().stem).strip("-._")
    )
    called = (stem or "items")[:80]
    folder = project or Path(f"{called}.zerokelvin")
    for sentence in open_project(folder, called, source, options, _listed(classes)):
        say(sentence)
    settings = ServiceSettings(data=folder, host=host, port=port, log_requests=False, patience=25.0)
    serve(settings, None if no_browser else f"/label/{called}")


def _listed(text: str | None) -> tuple[str, ...]:
    """The parts of a list with commas."""
    parts = [] if text is None else [part.strip() for part in text.split(",")]
    if len(set(parts)) != len(parts) or not all(parts):
        raise ParameterError(
            f"'{text}' holds an empty part, or one twice; separate different ones by commas."
        )
    return tuple(parts)
