"""Opening a folder to label in: the project that is there goes on, and where there is none one is made."""

from __future__ import annotations

from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.labelling.reading import prepare, read_items
from zerokelvin.labelling.source import ItemOptions
from zerokelvin.labelling.sources.demo_digits import CLASSES, read_digit_items
from zerokelvin.service.page.page_project import create_page_project
from zerokelvin.service.store import open_store

__all__ = ["open_project"]


def open_project(
    folder: Path, name: str, source: Path | None, options: ItemOptions, classes: tuple[str, ...]
) -> list[str]:
    """Open or make a project in a folder; without a source, of the digits. What there is to say."""
    store = open_store(folder)
    try:
        if name in store.names():
            return [f"Going on with '{folder}'."]
        read = read_digit_items() if source is None else read_items(source, options)
        prepared = prepare(read, options)
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
        create_page_project(
            store, folder, name, prepared, given or found, open_classes=not given, audit_share=0.1
        )
        known = sum(label is not None for label in prepared.items.labels or ())
        said = [f"{len(prepared.items.names):,} items in '{folder}'", *prepared.said]
        if known:
            said.append(f"{known:,} of them have a label already")
        return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in said]
    finally:
        store.close()
