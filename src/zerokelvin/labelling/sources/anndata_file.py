"""The observations of an AnnData file as items: cells with their annotations.

The graph is the one the file has (``obsp['connectivities']``); without one, the nearest neighbours in
``obsm['X_pca']``, in another embedding of ``obsm`` with at least three columns, or in ``X`` reduced to 50
dimensions. The map of the page is ``obsm['X_umap']`` where the file has it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError, MissingDependencyError
from zerokelvin.graph import Graph
from zerokelvin.graph.convert import connectivities
from zerokelvin.labelling.item_vectors import number_vectors, reduced
from zerokelvin.labelling.items import NewItems
from zerokelvin.labelling.source import ItemOptions, ItemSource, column_named, unique_names

__all__ = ["open_anndata", "read_anndata_items"]

REDUCED = 50
MAP = "X_umap"


def open_anndata(path: Path) -> Any:
    """The file, with the sentence to read where it cannot be opened."""
    try:
        import anndata
    except ImportError:
        raise MissingDependencyError(
            "'anndata' is not installed; get it with pip install 'zerokelvin[anndata]'."
        ) from None
    try:
        return anndata.read_h5ad(path)
    except Exception as problem:  # noqa: BLE001 - h5py and anndata have many
        raise DataError(f"'{path}' cannot be read as AnnData: {str(problem).splitlines()[0]}.") from None


def read_anndata_items(path: Path, options: ItemOptions) -> ItemSource:
    """The observations of an .h5ad file as items, with their vectors, labels and map."""
    data = open_anndata(path)
    if not data.n_obs:
        raise DataError(f"'{path}' has no observations; there is nothing to label.")
    columns = [str(name) for name in data.obs.columns]
    names = [str(name) for name in data.obs_names]
    if options.name is not None:
        names = [str(v) for v in data.obs[column_named(options.name, columns, path)]]
    unique_names(names, options.name or "obs_names", path)
    labels: list[str | None] | None = None
    if options.label is not None:
        values = data.obs[column_named(options.label, columns, path)]
        labels = [None if v is None or v != v else str(v).strip() or None for v in values]
    shown = {
        name: ["" if v is None or v != v else str(v) for v in data.obs[name]]
        for name in columns
        if name != options.label
    }
    items = NewItems("row", names, names, fields=shown, labels=labels, places=_places(data))
    if items.places is not None:
        items.said.append(f"the map is its '{MAP}'")
    if options.embedding is not None:
        return ItemSource(items)
    if "connectivities" in data.obsp:
        joined = connectivities(data, "connectivities")
        return ItemSource(
            items, graph=Graph.from_scipy(joined, names), said=["its own graph of connectivities is used"]
        )
    wide = [key for key in data.obsm if np.ndim(data.obsm[key]) == 2 and data.obsm[key].shape[1] >= 3]
    key = "X_pca" if "X_pca" in wide else wide[0] if wide else None
    if key is not None:
        return ItemSource(
            items, np.asarray(data.obsm[key], dtype=np.float64), said=[f"neighbours in '{key}'"]
        )
    return ItemSource(items, _reduced(data.X), said=["neighbours in X"])


def _places(data: Any) -> Floats | None:
    """The first two columns of the file's map within −1 and 1; None where there is none, or not finite."""
    found = data.obsm.get(MAP)
    if found is None or np.ndim(found) != 2 or found.shape[1] < 2:
        return None
    places: Floats = np.asarray(found, dtype=np.float64)[:, :2]
    if not np.isfinite(places).all():
        return None
    low, high = places.min(axis=0), places.max(axis=0)
    return (places - 0.5 * (low + high)) / (0.5 * float((high - low).max()) or 1.0)


def _reduced(matrix: Any) -> Any:
    """X as at most so many dimensions."""
    dense = matrix.astype(np.float64) if hasattr(matrix, "tocsr") else np.asarray(matrix, dtype=np.float64)
    if dense.shape[1] <= REDUCED or dense.shape[0] <= REDUCED:
        return number_vectors(dense.toarray() if hasattr(dense, "toarray") else dense)
    return reduced(dense, REDUCED)
