"""All labels as a file: csv, jsonl, parquet or h5ad, each with what the random checks prove of them.

Every item has its label, its probability, whether it was asked for or predicted, by whom and when. In csv no
text begins as a formula of a spreadsheet does: an apostrophe goes before it.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from zerokelvin.client.page_messages import PageCertificate
from zerokelvin.errors import MissingDependencyError
from zerokelvin.service.page.desk import Desk
from zerokelvin.service.page.overview import Overview, said_of
from zerokelvin.service.passing_files import passing_folder
from zerokelvin.service.records.page_book import PageBook

__all__ = ["COLUMNS", "FORMATS", "as_bytes", "export_rows"]

COLUMNS = ("node", "label", "probability", "source", "by", "at")
FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "h5ad": "application/x-hdf5",
}
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a text begins with that spreadsheets take for a formula."""


def export_rows(desk: Desk, book: PageBook, found: Overview) -> dict[str, list[Any]]:
    """The columns of an export by name, a value per item each."""
    rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    with book.lock:
        for node in range(len(found.predicted)):
            said = said_of(book, node)
            told = found.told[node] >= 0
            rows["node"].append(desk.name(node))
            rows["label"].append(found.label(node))
            rows["probability"].append(float(found.probability[node]) if found.classes else None)
            rows["source"].append(("taught" if found.taught[node] else "asked") if told else "predicted")
            rows["by"].append(said.by if said is not None else None)
            rows["at"].append(said.when if said is not None else None)
    return rows


def as_bytes(rows: dict[str, list[Any]], kind: str, proved: PageCertificate) -> bytes:
    """An export in the format asked for, as bytes."""
    if kind == "csv":
        return _csv(rows)
    if kind == "jsonl":
        columns = zip(*rows.values(), strict=True)
        lines = [json.dumps(dict(zip(rows, cells, strict=True)), ensure_ascii=False) for cells in columns]
        return "".join(f"{line}\n" for line in lines).encode()
    if kind == "parquet":
        texts = {name: pa.array([None if v is None else str(v) for v in rows[name]]) for name in COLUMNS}
        texts["probability"] = pa.array(rows["probability"], pa.float64())
        about = {"zerokelvin": json.dumps(_plain(proved))}
        sink = io.BytesIO()
        pq.write_table(pa.table(texts).replace_schema_metadata(about), sink)
        return sink.getvalue()
    return _h5ad(rows, proved)


def _csv(rows: dict[str, list[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(rows)
    for cells in zip(*rows.values(), strict=True):
        writer.writerow([_cell(cell) for cell in cells])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return "" if value is None else value


def _h5ad(rows: dict[str, list[Any]], proved: PageCertificate) -> bytes:
    try:
        import anndata
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "'anndata' is not installed; get it with pip install 'zerokelvin[anndata]'."
        ) from None
    texts = {
        name: ["" if v is None else str(v) for v in rows[name]] for name in ("label", "source", "by", "at")
    }
    probability = [float("nan") if v is None else v for v in rows["probability"]]
    frame = pd.DataFrame({**texts, "probability": probability}, index=[str(v) for v in rows["node"]])
    data = anndata.AnnData(obs=frame)
    data.uns["zerokelvin"] = {name: "" if v is None else v for name, v in _plain(proved).items()}
    with passing_folder() as folder:
        path = folder / "labels.h5ad"
        data.write_h5ad(path)
        return path.read_bytes()


def _plain(proved: PageCertificate) -> dict[str, Any]:
    return {name: getattr(proved, name) for name in proved.__struct_fields__}
