"""Items: what a person sees of a node, kept in one Arrow file that is read where it lies on the disk.

A column each for the title, the text, the path or the bytes of an image and the number of the group of
near-duplicates; every further column is a field shown beside the item. The file is mapped, not read, so that
a hundred thousand long texts cost no memory and any one of them is there at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import DataError
from zerokelvin.io.files import replacing
from zerokelvin.labelling.origin import Origin

__all__ = ["ItemFile", "ItemKind", "NewItems", "title_of", "write_items"]

ItemKind = Literal["text", "row", "image", "node"]

TITLE = 120
"""Characters of a title that is made from a text."""

MOST_TEXT = 200_000
"""Characters of a text that are shown; the rest is counted."""

OWN = ("__title__", "__text__", "__image__", "__bytes__", "__group__", "__x__", "__y__")
"""Columns that are no fields."""


@dataclass(eq=False)
class NewItems:
    """Items before they are kept: columns of equal length, empty where there is none.

    `names` are the nodes' names, `labels` what a partly labelled column says (None where it says nothing),
    `places` where they lie on the map, (items, 2), `said` sentences about what was found and left out.
    """

    kind: ItemKind
    names: list[str]
    titles: list[str]
    texts: list[str] | None = None
    fields: dict[str, list[str]] = field(default_factory=dict)
    images: list[str] | None = None
    pictures: list[bytes] | None = None
    folder: str = ""
    labels: list[str | None] | None = None
    places: Floats | None = None
    said: list[str] = field(default_factory=list)


class ItemFile:
    """The items of a project, by place; `at` gives one."""

    def __init__(self, path: Path) -> None:
        try:
            with pa.memory_map(str(path)) as source:
                self._table = pa.ipc.open_file(source).read_all()
            about = json.loads(self._table.schema.metadata[b"zerokelvin"])
        except (OSError, pa.ArrowInvalid, KeyError, TypeError, ValueError):
            raise DataError(f"'{path}' holds no items; make the project anew, or restore it.") from None
        self.kind: ItemKind = about["kind"]
        self.folder = Path(about["folder"])
        self.origin = None if about.get("origin") is None else Origin(**about["origin"])
        """What the items were made of; None for items of a version that did not keep it."""
        self.columns = [name for name in self._table.column_names if name not in OWN]
        groups = self._table["__group__"].to_numpy()
        self.groups: Ints = groups.astype(np.int64)
        self.places: Floats | None = None
        if "__x__" in self._table.column_names:
            self.places = np.column_stack([self._table[axis].to_numpy() for axis in ("__x__", "__y__")])
        order = np.argsort(self.groups, kind="stable")
        self._order, self._sorted = order, self.groups[order]

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def title(self, place: int) -> str:
        """What an item is called in lists."""
        return str(self._cell("__title__", place) or "")

    def text(self, place: int) -> str | None:
        """The text of an item; very long ones are cut, and say so."""
        found = self._cell("__text__", place)
        if found is None or len(found) <= MOST_TEXT:
            return found
        return f"{found[:MOST_TEXT]}\n… ({len(found) - MOST_TEXT:,} more characters)"

    def fields(self, place: int) -> list[tuple[str, str]]:
        """The further columns of an item, those that say something."""
        found = ((name, self._cell(name, place)) for name in self.columns)
        return [(name, value) for name, value in found if value]

    def has_image(self, place: int) -> bool:
        """Whether an item has an image, there or missing."""
        return bool(self._cell("__image__", place)) or self._cell("__bytes__", place) is not None

    def image(self, place: int) -> bytes | Path | None:
        """The image of an item: its bytes, or where they are."""
        data = self._cell("__bytes__", place)
        if data is not None:
            return bytes(data)
        name = self._cell("__image__", place)
        return self.folder / name if name else None

    def duplicates(self, place: int) -> list[int]:
        """The other items of its group of near-duplicates."""
        group = self.groups[place]
        low, high = np.searchsorted(self._sorted, [group, group + 1])
        return [int(other) for other in np.sort(self._order[low:high]) if other != place]

    def matching(self, search: str) -> Ints:
        """The places of items that have a text somewhere, whatever the case."""
        found = np.zeros(len(self), dtype=np.bool_)
        for name in ("__title__", "__text__", *self.columns):
            if name in self._table.column_names:
                hits = pc.match_substring(self._table[name], search, ignore_case=True)
                found |= pc.fill_null(hits, fill_value=False).to_numpy(zero_copy_only=False)
        return np.flatnonzero(found)

    def _cell(self, name: str, place: int) -> Any:
        if name not in self._table.column_names:
            return None
        return self._table[name][place].as_py()


def write_items(
    path: Path, items: NewItems, groups: Sequence[int] | Ints, origin: Origin | None = None
) -> None:
    """Keep items in a file, replaced in one step."""
    columns: dict[str, Any] = {
        "__title__": pa.array(items.titles, pa.large_string()),
        "__group__": pa.array(np.asarray(groups, dtype=np.int64)),
    }
    if items.texts is not None:
        columns["__text__"] = pa.array(items.texts, pa.large_string())
    if items.images is not None:
        columns["__image__"] = pa.array(items.images, pa.large_string())
    if items.pictures is not None:
        columns["__bytes__"] = pa.array(items.pictures, pa.large_binary())
    if items.places is not None:
        columns["__x__"], columns["__y__"] = (pa.array(axis) for axis in items.places.T.copy())
    for name, values in items.fields.items():
        if name not in OWN:
            columns[name] = pa.array(values, pa.large_string())
    about: dict[str, Any] = {"kind": items.kind, "folder": items.folder, "version": 1}
    if origin is not None:
        about["origin"] = asdict(origin)
    table = pa.table(columns).replace_schema_metadata({"zerokelvin": json.dumps(about)})
    with (
        replacing(path) as draft,
        pa.OSFile(str(draft), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table.combine_chunks())


def title_of(text: str) -> str:
    """A title made from a text: its first line, cut at a word.

    >>> title_of("  Dear all ")
    'Dear all'
    """
    lines = text.strip().splitlines()
    line = " ".join(lines[0].split()) if lines else ""
    if len(line) <= TITLE:
        return line
    cut = line[:TITLE].rsplit(" ", 1)[0]
    return f"{cut if len(cut) > TITLE // 2 else line[:TITLE]}…"
