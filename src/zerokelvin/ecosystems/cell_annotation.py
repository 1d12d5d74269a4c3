"""What a session knows of cells, written beside them in an AnnData object."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from zerokelvin.errors import DataError
from zerokelvin.graph.convert import observation_names
from zerokelvin.session import Session

__all__ = ["annotate"]


def annotate(adata: Any, session: Session, prefix: str = "zk_") -> None:
    """Write what a session says of every observation into ``adata``, in place.

    Parameters
    ----------
    adata
        The AnnData object that the session began with, or one with the same names in any order. Observations
        the session does not have are refused.
    session
        A session whose nodes are observations.
    prefix
        What the columns' names begin with.

    ``obs`` gets the columns ``label`` (an answer where there is one, else the prediction; a categorical),
    ``probability`` (of that label; 1 where it is an answer), ``answered`` and ``asked`` (whether the answer
    was asked for), each with the prefix; ``obsm`` gets ``proba``, the probabilities as the model has them,
    and ``uns`` the ``classes`` that its columns stand for.
    """
    import pandas as pd

    if not hasattr(adata, "obs_names"):
        raise DataError(
            f"annotate writes into an AnnData object, not into {type(adata).__name__}; for a table take "
            "session.to_frame()."
        )
    columns = session.node_columns()
    graph = session.graph
    known = _places(observation_names(adata), session)
    labels = [columns["label"][i] for i in known]
    adata.obs[f"{prefix}label"] = pd.Categorical(labels, categories=list(session.classes))
    for name in ("probability", "answered", "asked"):
        adata.obs[f"{prefix}{name}"] = np.asarray(columns[name])[known]
    adata.obsm[f"{prefix}proba"] = session.predict_proba_all()[known]
    adata.uns[f"{prefix}classes"] = [str(label) for label in session.classes]
    if graph.num_nodes != len(known):
        adata.uns[f"{prefix}elsewhere"] = int(graph.num_nodes - len(known))


def _places(names: list[Hashable], session: Session) -> list[int]:
    """The index in the graph of every observation, (observations,)."""
    if session.graph.names is None and session.graph.num_nodes != len(names):
        raise DataError(f"{len(names)} observations for {session.graph.num_nodes} nodes without names.")
    return [session.graph.index(name) for name in names]
