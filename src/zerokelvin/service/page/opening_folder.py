"""Opening a folder to label in: the project that is there goes on, and where there is none one is made.

A project goes on only with what it was made of: a file that has changed since, another file of the same name
or other columns are refused, because the labels would go to other items.
"""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.labelling.items import ItemFile
from zerokelvin.labelling.origin import changed_file, origin_of
from zerokelvin.labelling.reading import prepare, read_items
from zerokelvin.labelling.source import ItemOptions
from zerokelvin.labelling.sources.demo_digits import CLASSES, read_digit_items
from zerokelvin.service.page.page_project import create_page_project, items_file
from zerokelvin.service.store import open_store

__all__ = ["kept_project", "open_project"]


def kept_project(path: Path | None) -> str | None:
    """The name of the project that a folder keeps; None where it is no folder of a project."""
    if path is None or not (path / "items").is_dir() or not (path / "projects").is_dir():
        return None
    with contextlib.closing(open_store(path)) as store:
        names = [name for name in store.names() if items_file(path, name).is_file()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise DataError(f"'{path}' keeps no project to label; give the file or folder of the items.")
    raise DataError(
        f"'{path}' keeps several projects ({', '.join(names[:10])}); give the file of the one that is meant, "
        "or open them all with 'zerokelvin serve'."
    )


def open_project(
    folder: Path, name: str, source: Path | None, options: ItemOptions, classes: tuple[str, ...]
) -> list[str]:
    """Open or make a project in a folder; without a source, of the digits. What there is to say."""
    if folder.exists():
        with contextlib.closing(open_store(folder)) as store:
            if name in store.names():
                return _going_on(folder, name, source, options)
    files, columns = options.files(source), options.columns_named()
    read = read_digit_items() if source is None else read_items(source, options)
    prepared = prepare(read, options)  # before anything is written: what is wrong leaves no folder behind
    prepared.origin = origin_of(files, columns)
    given = list(CLASSES) if source is None else list(classes)
    found = sorted({label for label in prepared.items.labels or () if label is not None})
    strange = [label for label in found if given and label not in given]
    if strange:
        raise DataError(
            f"the column of labels holds '{strange[0]}', which is not among the classes "
            f"{', '.join(given[:20])}; add it to --classes."
        )
    if len(given) == 1:
        raise DataError(
            f"'{given[0]}' is the only class; give at least two, or none and type them in the page."
        )
    with contextlib.closing(open_store(folder)) as store:
        create_page_project(
            store, folder, name, prepared, given or found, open_classes=not given, audit_share=0.1
        )
    known = sum(label is not None for label in prepared.items.labels or ())
    count = len(prepared.items.names)
    said = [f"{count:,} item{'s' if count != 1 else ''} in '{folder}'", *prepared.said]
    if known:
        said.append(f"{known:,} of them {'have' if known != 1 else 'has'} a label already")
    return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in said]


def _going_on(folder: Path, name: str, source: Path | None, options: ItemOptions) -> list[str]:
    """What there is to say of a project that goes on; refused where it was made of something else."""
    said = [f"Going on with '{folder}'."]
    path = items_file(folder, name)
    made = ItemFile(path).origin if path.is_file() else None
    if made is None:
        return said
    anew = "or give --project another folder to begin anew"
    files = options.files(None if source == folder else source)
    if source is None and "file" in made.files:
        raise DataError(
            f"'{folder}' was made of a file and not of the digits; give the file to go on, {anew}."
        )
    other = changed_file(made, files)
    if other is not None:
        raise DataError(
            f"'{other}' is not what '{folder}' was made of; go on with the items of then by "
            f"'zerokelvin label {shlex.quote(str(folder))}', {anew} (exported labels can be brought in)."
        )
    for option, value in options.columns_named().items():
        before = made.columns.get(option)
        if before != value:
            how = f"without {option}" if before is None else f"with {option} {shlex.quote(before)}"
            raise DataError(f"'{folder}' was made {how}, not {value}; leave {option} out to go on, {anew}.")
    gone = [file for file in files.values() if not file.exists()]
    return said + [f"'{file}' is not there; the items are kept in '{folder}'." for file in gone]
