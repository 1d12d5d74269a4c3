"""The attributes of a graph as arrays of its npz file: the rules, the encoded columns, the directions.

What is kept is what was made of the table, not the table: so the attributes of a graph that has grown are
there again to the last bit, and a node that comes later is encoded by the same rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.errors import DataError
from zerokelvin.graph.attributes import Attributes
from zerokelvin.graph.attributes.encoded_columns import FrameRules, MatrixRules, TextRule
from zerokelvin.io.files import PathLike
from zerokelvin.io.limits import DEFAULT, Limits, short

__all__ = ["attribute_arrays", "attributes_of"]

RULES = "attributes_rules"
VERSION = 1


def attribute_arrays(attributes: Attributes) -> dict[str, Any]:
    """The arrays that `attributes_of` makes the attributes of again."""
    rules = attributes.rules
    if isinstance(rules, FrameRules):
        told: Any = [[name, _as_dict(rule)] for name, rule in rules.rules]
    else:
        told = _as_dict(rules)
    about = {
        "version": VERSION,
        "rules": told,
        "fixed_on": attributes.fixed_on,
        "left_out": attributes.left_out,
    }
    arrays: dict[str, Any] = {
        RULES: np.frombuffer(json.dumps(about, allow_nan=False).encode(), dtype=np.uint8),
        "attributes_indptr": attributes.encoded.indptr.astype(np.int64),
        "attributes_indices": attributes.encoded.indices.astype(np.int64),
        "attributes_data": attributes.encoded.data,
    }
    if attributes.basis is not None:
        arrays["attributes_basis"] = attributes.basis
    return arrays


def attributes_of(
    arrays: Mapping[str, NDArray[Any]], path: PathLike, limits: Limits = DEFAULT
) -> Attributes | None:
    """The attributes in the arrays of an npz file, None where it has none; refused where they are damaged."""
    if RULES not in arrays:
        return None
    try:
        about = json.loads(arrays[RULES].astype(np.uint8).tobytes())
        told = _rules_told(about)
        rules: MatrixRules | FrameRules
        if isinstance(told, list):
            rules = FrameRules(tuple((str(name), _rule(one)) for name, one in told))
        else:
            rules = _matrix_rules(told)
        fixed_on, left_out = int(about["fixed_on"]), float(about["left_out"])
        basis = _finite(arrays.get("attributes_basis"))
        encoded = _encoded(arrays, len(rules.columns))
        width = encoded.shape[1] if basis is None else basis.shape[-1]
        limits.check("bytes", 8 * encoded.shape[0] * width, path)  # few that are not 0 may be of many
        return Attributes.of_encoded(rules, encoded, basis, fixed_on, left_out)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as problem:
        reason = short(str(problem) or type(problem).__name__, 120).rstrip(".")
        raise DataError(f"'{path}' holds damaged attributes: {reason}.") from None


def _rules_told(about: Mapping[str, Any]) -> Any:
    if about["version"] != VERSION:
        raise ValueError(f"version {about['version']} is not {VERSION}")
    return about["rules"]


def _as_dict(rule: MatrixRules | TextRule) -> dict[str, Any]:
    if isinstance(rule, TextRule):
        return {"name": rule.name, "values": rule.values, "words": rule.words}
    return {
        "names": rule.names,
        "shift": rule.shift.tolist(),
        "scale": rule.scale.tolist(),
        "gaps": np.flatnonzero(rule.gaps).tolist(),
    }


def _rule(told: Mapping[str, Any]) -> MatrixRules | TextRule:
    if "values" in told:
        return TextRule(str(told["name"]), tuple(map(str, told["values"])), bool(told["words"]))
    return _matrix_rules(told)


def _matrix_rules(told: Mapping[str, Any]) -> MatrixRules:
    names = tuple(map(str, told["names"]))
    shift, scale = (np.array(told[key], dtype=np.float64) for key in ("shift", "scale"))
    if shift.shape != (len(names),) or scale.shape != shift.shape or not (scale > 0).all():
        raise ValueError("a rule does not fit its columns")
    gaps = np.zeros(len(names), dtype=np.bool_)
    gaps[np.array(told["gaps"], dtype=np.int64)] = True
    return MatrixRules(names, shift, scale, gaps)


def _encoded(arrays: Mapping[str, NDArray[Any]], columns: int) -> sp.csr_array:
    data, indptr = arrays["attributes_data"].astype(np.float64), arrays["attributes_indptr"].astype(np.int64)
    found = sp.csr_array(
        (data, arrays["attributes_indices"].astype(np.int64), indptr), shape=(len(indptr) - 1, columns)
    )
    found.check_format(full_check=True)
    if not found.has_canonical_format:
        raise ValueError("the columns are not in order")
    _finite(data)
    return found


def _finite(numbers: NDArray[Any] | None) -> NDArray[np.float64] | None:
    if numbers is None:
        return None
    found = np.ascontiguousarray(numbers, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("a number is not finite")
    return found
