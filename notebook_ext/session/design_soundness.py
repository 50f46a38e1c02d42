"""What a change to the project's truth must not bring in, beyond what its schema says.

    require_sound(before, wanted, workspace, "project_patch")

Only what differs is looked at: what an older version, or a person, has written stays as it is. Lengths: mm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from notebook_ext.session.node_names import checked_node_id
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import Workspace

if TYPE_CHECKING:
    from notebook_ext.session.design_model import Component, DesignModel, Instance

__all__ = ["require_sound"]

_FLATTEST: Final = 1e-9
"""Of a transform: the least share of its longest axis that its volume's cube root may be."""


def require_sound(before: DesignModel, wanted: DesignModel, workspace: Path, operation: str) -> None:
    """Let pass a design that can be built, and that says nothing which nobody would read.

    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED; PathRefused for a source outside of the workspace.
    """
    _require_known("", before.extra, wanted.extra, operation)
    for node_id, component in wanted.components.items():
        former = before.components.get(node_id)
        if component == former:
            continue
        where = f"components/{node_id}"
        if former is None:
            _require_name(node_id, where, operation)
        _require_known(where, {} if former is None else former.extra, component.extra, operation)
        _require_buildable(former, component, where, workspace, operation)
    for instance_id, instance in wanted.instances.items():
        known = before.instances.get(instance_id)
        if instance == known:
            continue
        where = f"instances/{instance_id}"
        if known is None:
            _require_name(instance_id, where, operation)
        _require_known(where, {} if known is None else known.extra, instance.extra, operation)
        _require_placeable(known, instance, where, operation)


def _require_name(name: str, where: str, operation: str) -> None:
    if checked_node_id(name, argument=where) != name or not name.strip("."):
        raise _refused(where, "a name of letters, digits and . _ : - of ASCII", operation)


def _require_known(where: str, before: Mapping[str, Any], wanted: Mapping[str, Any], operation: str) -> None:
    """Let no name in that means nothing here: it would be a slip of the pen."""
    for name, value in wanted.items():
        if name not in before or before[name] != value:
            raise _refused(f"{where}/{name}".lstrip("/"), "a name that the project's schema has", operation)


def _require_buildable(
    former: Component | None, component: Component, where: str, workspace: Path, operation: str
) -> None:
    if component.status != ("active" if former is None else former.status):
        raise _refused(f"{where}/status", "what the session finds; nobody else's to write", operation)
    for name, value in component.parameters.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise _refused(f"{where}/parameters/{name}", "a finite number", operation)
    source = component.source
    if source.file is not None and (former is None or former.source.file != source.file):
        Workspace(workspace).resolve(source.file)
    known = {} if former is None else former.source.extra
    _require_known(f"{where}/source", known, source.extra, operation)


def _require_placeable(former: Instance | None, instance: Instance, where: str, operation: str) -> None:
    if former is not None and former.transform == instance.transform:
        return
    if not all(math.isfinite(one) for one in instance.transform):
        raise _refused(f"{where}/transform", "16 finite numbers", operation)
    matrix = np.array(instance.transform).reshape(4, 4).T
    if not np.array_equal(matrix[3], [0.0, 0.0, 0.0, 1.0]):
        raise _refused(f"{where}/transform", "column by column, with 0, 0, 0, 1 as the last row", operation)
    longest = float(np.linalg.norm(matrix[:3, :3], axis=0).max())
    if abs(float(np.linalg.det(matrix[:3, :3] / (longest or 1.0)))) < _FLATTEST**3:
        raise _refused(f"{where}/transform", "one that leaves a solid its volume", operation)


def _refused(path: str, expected: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{operation}: {path} must be {expected}",
        details={"path": path, "expected": expected, "operation": operation},
    )
