"""Changes to the project's truth that come as a whole new text of it: checked, and taken over as design.

    changed(linked, content, base_revision=7, operation="project_patch")

What SketchUp answered (``execution``, what was applied, what is to be removed) is feedback and no client's to
write. A part whose source changes gets a new revision, as if its cell had been run.

Of what must not come in, only what differs is looked at: what an older version, or a person, has written
stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec.structs import replace

from notebook_ext.session.node_names import checked_node_id, name_of
from vcad_kernel.errors import ErrorCode, ServiceFailure
from vcad_kernel.paths import Workspace

if TYPE_CHECKING:
    from notebook_ext.session.linked.linked_parts import LinkedParts
    from notebook_ext.session.project.design_model import Component, DesignModel, Instance

__all__ = ["changed", "checked", "removed", "require_revision", "touched"]


_LEFT: Final = "left as it is: what SketchUp answers is written there, and nothing else"
_OF_COMPONENT: Final = ("applied_revision", "applied_version", "pending_revision", "execution")
_BEGINNING: Final[Mapping[str, Any]] = {"applied_revision": 0}
"""What feedback is of a component that is new; all else is nothing."""


def changed(
    linked: LinkedParts, content: object, base_revision: int | None, *, operation: str
) -> DesignModel:
    """Make this the truth, as far as it is design, and give it as it stands now. On the session's thread.

    content: as `DesignModel.to_json` gives it. base_revision: of the truth that it was made from; None for
    whatever there is.
    Raises: ServiceFailure REVISION_CONFLICT when the truth has moved on, SCHEMA_VALIDATION_FAILED for what is
    no truth or changes feedback, TRUTH_INVALID for an instance of nothing, BUSY, SAVE_FAILED; PathRefused
    for a source outside of the workspace. Nothing has changed then.
    """
    truth = linked.project.loaded()
    if truth.problem is not None and truth.set_aside is None:
        raise truth.problem
    truth.require_writable(operation)
    before = truth.model
    if base_revision is not None:
        require_revision(before, base_revision, operation)
    wanted = checked(before, content, linked.project.workspace, operation=operation)
    made = _taken_over(before, wanted, linked)
    after = truth.save(made)
    for node_id in sorted(after.components):
        if after.components[node_id].revision != _revision(before, node_id):
            linked.nodes.superseded(node_id)
    linked.on_placed()
    return after


def checked(before: DesignModel, content: object, workspace: Path, *, operation: str) -> DesignModel:
    """The truth that a content would be, if it may follow the one before. Raises: as `changed`."""
    from notebook_ext.session.project.design_model import DesignModel

    wanted = DesignModel.from_json(content, operation=operation)
    _require_feedback_untouched(before, wanted, operation)
    require_sound(before, wanted, workspace, operation)
    _require_references(wanted, operation)
    return wanted


def require_revision(model: DesignModel, expected: int, operation: str) -> None:
    """Let pass what was decided on the truth as it is. Raises: ServiceFailure REVISION_CONFLICT."""
    if model.revision != expected:
        raise _conflict(expected, model.revision, operation)


def touched(before: DesignModel, after: DesignModel) -> tuple[str, ...]:
    """The ids of components and instances that differ, sorted; ``settings`` where those do."""
    changed = {
        name
        for old, new in ((before.components, after.components), (before.instances, after.instances))
        for name in {*old, *new}
        if old.get(name) != new.get(name)
    }
    return (*sorted(changed), *(("settings",) if before.settings != after.settings else ()))


def removed(before: DesignModel, wanted: DesignModel) -> tuple[str, ...]:
    """What of the design would be gone, as a person reads it: parts, instances, sources, settings.

    An instance of another part is another instance: the one that stood there is gone.
    """
    gone = [f"part {name_of(node_id)}" for node_id in before.components if node_id not in wanted.components]
    for instance_id, instance in before.instances.items():
        there = wanted.instances.get(instance_id)
        if there is None or there.component != instance.component:
            gone.append(f"instance {instance_id} of {name_of(instance.component)}")
    for node_id, component in before.components.items():
        wanted_one = wanted.components.get(node_id)
        if wanted_one is not None and wanted_one.source != component.source:
            gone.append(f"the source of {name_of(node_id)}, {component.source.file or 'its cell'}")
    gone += [f"setting {name}" for name in before.settings if name not in wanted.settings]
    return tuple(gone)


def _taken_over(before: DesignModel, wanted: DesignModel, linked: LinkedParts) -> DesignModel:
    made = before
    for instance_id in sorted(before.instances.keys() - wanted.instances.keys()):
        if before.instances[instance_id].component in wanted.components:
            made = made.without_instance(instance_id)
    for node_id in sorted(before.components.keys() - wanted.components.keys()):
        made = made.without_component(node_id)
    for node_id, component in wanted.components.items():
        former = before.components.get(node_id)
        if former is None or _is_another(former, component):
            revision = linked.project.accept(node_id)
            linked.project.revisions.begin(node_id, revision)
            component = replace(component, revision=revision)
        if component != former:
            made = made.with_component(node_id, component)
    for instance_id, instance in wanted.instances.items():
        if instance != before.instances.get(instance_id):
            made = made.with_instance(instance_id, instance)
    return replace(made, settings=wanted.settings, extra=wanted.extra)


def _is_another(former: Component, component: Component) -> bool:
    """Whether its geometry may differ."""
    return (former.source, former.parameters, former.imports) != (
        component.source,
        component.parameters,
        component.imports,
    )


def _revision(model: DesignModel, node_id: str) -> int:
    component = model.components.get(node_id)
    return 0 if component is None else component.revision


def _require_feedback_untouched(before: DesignModel, wanted: DesignModel, operation: str) -> None:
    """Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for the first thing that is feedback and differs."""
    if wanted.revision != before.revision:
        raise _untouchable("revision", operation)
    if wanted.project_id not in (
        "",
        before.project_id,
    ):  # an older client leaves it out
        raise _untouchable("project_id", operation)
    if [*map(dict, wanted.operations)] != [*map(dict, before.operations)]:
        raise _untouchable("operations", operation)
    if wanted.removed != before.removed:
        raise _untouchable("removed", operation)
    for node_id, component in wanted.components.items():
        former = before.components.get(node_id)
        where = f"components/{node_id}"
        for name in _OF_COMPONENT:
            kept = _BEGINNING.get(name) if former is None else getattr(former, name)
            if getattr(component, name) != kept:
                raise _untouchable(f"{where}/{name}", operation)
        if component.revision != _revision(before, node_id):
            raise _untouchable(f"{where}/revision", operation)
    for instance_id, instance in wanted.instances.items():
        known = before.instances.get(instance_id)
        if instance.execution != (None if known is None else known.execution):
            raise _untouchable(f"instances/{instance_id}/execution", operation)


def _require_references(wanted: DesignModel, operation: str) -> None:
    lost = sorted(name for name, at in wanted.instances.items() if at.component not in wanted.components)
    if lost:
        missing = wanted.instances[lost[0]].component
        raise ServiceFailure(
            ErrorCode.TRUTH_INVALID,
            f"instance {lost[0]} is of component {missing}, which would not be there",
            fix="remove its instances along with a component, or add the component",
            details={"operation": operation, "object_ids": lost},
        )


def _untouchable(path: str, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SCHEMA_VALIDATION_FAILED,
        f"{operation}: {path} is not design and must be {_LEFT}",
        details={"path": path, "expected": _LEFT, "operation": operation},
    )


def _conflict(expected: int, current: int, operation: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.REVISION_CONFLICT,
        f"the project is at revision {current} by now, not {expected}; nothing was changed",
        fix="read it again, and make the change anew; project_get gives it",
        details={"node_id": None, "expected": expected, "current": current, "operation": operation},
    )


_FLATTEST: Final = 1e-9
"""Of a transform: the least share of its longest axis that its volume's cube root may be."""


def require_sound(before: DesignModel, wanted: DesignModel, workspace: Path, operation: str) -> None:
    """Let pass a design that can be built, and that says nothing that would not be read.

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
    if not all(math.isfinite(number) for number in instance.transform):
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
