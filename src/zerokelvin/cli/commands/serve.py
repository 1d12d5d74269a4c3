"""``zerokelvin serve``: projects behind HTTP, every answer on the disk before it is acknowledged."""

from __future__ import annotations

from pathlib import Path

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import Number
from zerokelvin.cli.output import print_json, print_text
from zerokelvin.errors import MissingDependencyError, ParameterError

__all__ = ["serve"]

PORT = Number(0, 65535)
COUNT = Number(1, 10**6)
SECRET = "ZEROKELVIN_COOKIE_SECRET"  # noqa: S105 - the name of a variable
ROLES = click.Choice(["read", "predict", "label", "admin"])


@click.command()
@click.option(
    "--data", required=True, metavar="DIR", help="The folder of the projects, or a postgresql:// address."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=PORT, default=8321, show_default=True, help="The port; 0 takes a free one.")
@click.option(
    "--graphs", type=click.Path(path_type=Path), help="A folder whose files projects may be made from."
)
@click.option("--awake", type=COUNT, default=32, show_default=True, help="Projects in memory at a time.")
@click.option("--rate", type=COUNT, help="Requests per second and key at most.")
@click.option(
    "--lease", type=COUNT, default=300, show_default=True, help="Seconds that a question is kept for one."
)
@click.option("--quiet", is_flag=True, help="Write no line per request on standard error.")
@click.option("--trace", is_flag=True, help="Send spans to an OpenTelemetry collector (OTEL_* variables).")
@click.option("--add-key", metavar="NAME", help="Make an API key, print it once, and end.")
@click.option("--role", type=ROLES, default="label", show_default=True, help="What the new key is for.")
@click.option(
    "--project", multiple=True, metavar="NAME", help="A project that the new key is for; all if none."
)
@click.option("--revoke-key", metavar="NAME", help="Revoke an API key, and end.")
@click.option("--backup", type=click.Path(path_type=Path), help="Copy all data into a new folder, and end.")
@common_options
def serve(
    data: str,
    host: str,
    port: int,
    graphs: Path | None,
    awake: int,
    rate: int | None,
    lease: int,
    quiet: bool,
    trace: bool,
    add_key: str | None,
    role: str,
    project: tuple[str, ...],
    revoke_key: str | None,
    backup: Path | None,
    as_json: bool,
) -> None:
    """Serve projects over HTTP from the folder --data: predict now, be told the labels later.

    Every label is on the disk before it is acknowledged. Without keys only this machine is served; keys are
    made with --add-key, also while the service runs. The first line on standard output says where it listens.

    \b
    Examples:
      zerokelvin serve --data projects
      zerokelvin serve --data projects --port 0 --quiet
      zerokelvin serve --data projects --add-key ann --role label --project fraud
      zerokelvin serve --data projects --host 0.0.0.0 --graphs graphs
      zerokelvin serve --data projects --backup copy-of-today

    Next: open /docs at the address it prints, or use zk.Client in Python.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    try:
        import msgspec  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as problem:
        raise MissingDependencyError(
            f"'{problem.name}' is not installed; get it with pip install 'zerokelvin[service]'."
        ) from None
    if sum(given is not None for given in (add_key, revoke_key, backup)) > 1:
        raise ParameterError("give one of --add-key, --revoke-key and --backup at a time.")
    if add_key is not None or revoke_key is not None or backup is not None:
        _administer(data, add_key, role, project, revoke_key, backup, as_json)
        return
    import os

    from zerokelvin.jit import announce_compilation, compile_ahead
    from zerokelvin.service import ServiceSettings
    from zerokelvin.service.telemetry import otlp_tracer
    from zerokelvin.service.web.running import serve as listen

    settings = ServiceSettings(
        data=data,
        host=host,
        port=port,
        graphs=graphs,
        most_awake=awake,
        rate=rate,
        lease=float(lease),
        log_requests=not quiet,
        cookie_secret=os.environ.get(SECRET) or None,
        tracer=otlp_tracer() if trace else None,
    )
    announce_compilation(False)  # standard error is for lines of JSON, and for nothing if --quiet
    compile_ahead("auto")  # so that the first project need not wait for it
    listen(settings)


def _administer(
    data: str,
    add_key: str | None,
    role: str,
    projects: tuple[str, ...],
    revoke_key: str | None,
    backup: Path | None,
    as_json: bool,
) -> None:
    """What is done to the data beside a service that may be running."""
    import time

    from zerokelvin.service.store import open_store
    from zerokelvin.service.web.access import new_key

    store = open_store(data, beside=True)
    try:
        if add_key is not None:
            key = new_key(store, add_key, role, projects)
            if as_json:
                print_json({"name": add_key, "role": role, "projects": list(projects), "key": key})
            else:
                print_text(f"{key}\nThis key is not shown again. Send it as 'Authorization: Bearer KEY'.")
        elif revoke_key is not None:
            if not store.revoke_key(revoke_key, time.time()):
                raise ParameterError(f"there is no key '{revoke_key}' in force.")
            print_json({"revoked": revoke_key}) if as_json else print_text(f"'{revoke_key}' is revoked.")
        elif backup is not None:
            store.backup(backup)
            print_json({"backup": str(backup)}) if as_json else print_text(f"Everything is in '{backup}'.")
    finally:
        store.close()
