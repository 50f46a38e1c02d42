"""Carries out single operations of a trace in SketchUp; finds out what became of one whose answer was lost.

Each operation is one call of the bridge and one undo step, which the extension takes back itself when it
fails. Knows what SketchUp showed before and what has been done since; knows no truth and no order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import convert

from notebook_ext.sketchup.bridge.answers import Bounds, Change, Identity, NodeRow, Placement
from notebook_ext.sketchup.scene_check import merged
from notebook_ext.sketchup.trace import Operation
from notebook_ext.sketchup.trace_result import OperationResult
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from notebook_ext.sketchup.bridge.bridge import Bridge

__all__ = ["UNTAGGED", "SceneWriter"]

UNTAGGED: Final = ("", "Layer0", "Untagged")
"""What the layer that everything is on by default is called: by us, by SketchUp's API, by its window."""
_NEAR: Final = 1e-6
"""Numbers of a transformation this near are the same one, after inches and back."""


class SceneWriter:
    """One run.

    project_id, session_id: written beside what is put there. rows: what the model showed of the project
    before. known: persistent ids by instance id. copies: persistent ids of what carries an instance's id and
    is a person's, by instance id.
    """

    def __init__(
        self,
        bridge: Bridge,
        rows: Collection[NodeRow],
        known: Mapping[str, int],
        copies: Mapping[str, Collection[int]],
        request_id: str,
        *,
        project_id: str,
        session_id: str | None,
    ) -> None:
        self._bridge = bridge
        self._project_id = project_id
        self._session_id = session_id
        self._request_id = request_id
        self._copies = copies
        self._ids: dict[str, int] = {}
        self._versions: dict[str, int] = {}
        self._stood: dict[str, Placement] = {}
        self.model_revision: int | None = None
        """SketchUp's count after the last answer; None while it is not known."""
        for row in merged(rows).values():
            self._versions[row.node_id] = row.version
            for placement in row.placements:
                name, number = placement.instance_id, placement.persistent_id
                if name is not None and number is not None and number not in copies.get(name, ()):
                    self._ids.setdefault(name, number)
        self._ids.update(known)
        standing = {placement.persistent_id: placement for row in rows for placement in row.placements}
        self._stood = {name: standing[number] for name, number in self._ids.items() if number in standing}
        self._calls: dict[str, Callable[[Operation, str], OperationResult]] = {
            "upsert_definition": self._upsert,
            "place_instance": self._place,
            "move_instance": self._set,
            "set_layer": self._set,
            "set_material": self._set,
            "remove_instance": self._remove_instance,
            "remove_definition": self._remove_definition,
        }

    def write(self, operation: Operation) -> OperationResult:
        """Carry an operation out.

        An answer that is lost is made up for: if the model shows what was wanted, that is the result; else
        the operation is asked for once more, by the same request id. Not so after an interruption.
        Raises: VcadError, as the bridge; the model is then as before, or it is UNKNOWN_OUTCOME.
        """
        try:
            result = self._call(operation)
        except VcadError as error:
            if revision := error.details.get("model_revision"):
                self.model_revision = revision
            if error.error_code != ErrorCode.UNKNOWN_OUTCOME:
                raise
            result = self._settled(operation, error)
        self._note(operation, result)
        return result

    def stood(self, instance_id: str) -> Placement | None:
        """How an instance stood before the first operation."""
        return self._stood.get(instance_id)

    def undo(self, operation: Operation, expected: int | None) -> int | None:
        """Take SketchUp's last step back, which was this operation. Returns: SketchUp's count afterwards.

        Raises: VcadError, as the bridge; STATE_CHANGED when the count is not as expected.
        """
        request_id = f"{self._request_id}/undo-{operation.operation_id}"
        steps = self._bridge.undo(1, expected_model_revision=expected, request_id=request_id)
        self.model_revision = steps.model_revision
        return steps.model_revision

    def _call(self, operation: Operation) -> OperationResult:
        return self._calls[operation.type](operation, f"{self._request_id}/{operation.operation_id}")

    def _note(self, operation: Operation, result: OperationResult) -> None:
        if result.model_revision is not None:
            self.model_revision = result.model_revision
        if operation.type == "upsert_definition" and result.version is not None:
            self._versions[operation.target] = result.version
        elif operation.type == "remove_definition":
            self._versions.pop(operation.target, None)
        elif operation.type == "remove_instance":
            self._ids.pop(operation.target, None)
        elif result.persistent_id is not None:
            self._ids[operation.target] = result.persistent_id

    # the calls

    def _upsert(self, operation: Operation, request_id: str) -> OperationResult:
        payload = operation.payload
        change = self._bridge.upsert_definition(
            operation.target,
            payload["mesh_path"],
            component_name=payload.get("component_name"),
            source_file=payload.get("source_file"),
            expected_bbox=convert(payload.get("expected_bbox_mm"), Bounds | None),
            revision=payload["revision"],
            identity=Identity(self._project_id, payload["mesh_digest"], self._session_id),
            request_id=request_id,
        )
        return _result(
            operation,
            change,
            created=change.created,
            persistent_id=change.definition_persistent_id,
            version=change.version,
            replaced_instances=None if change.created else change.replaced_instances,
            bounds=change.bounds,
            warnings=change.warnings,
        )

    def _place(self, operation: Operation, request_id: str) -> OperationResult:
        payload = operation.payload
        change = self._bridge.place_instance(
            payload["component"],
            payload["instance_id"],
            payload["transform"],
            layer=payload["layer"],
            material=payload["material"],
            copies=self._copies.get(operation.target, ()),
            project_id=self._project_id,
            request_id=request_id,
        )
        return _result(
            operation,
            change,
            created=change.created,
            entity_id=change.entity_id,
            persistent_id=change.persistent_id,
            bounds=change.bounds,
        )

    def _set(self, operation: Operation, request_id: str) -> OperationResult:
        payload = operation.payload
        wanted: dict[str, Any] = {}
        if operation.type == "move_instance":
            wanted["transform"] = payload["transform"]
        elif operation.type == "set_layer":
            wanted["layer"] = payload["layer"] or ""  # empty: the layer of everything that has none
        else:
            wanted["material"] = payload["material"] or ""  # empty: none
        persistent_id = self._id_of(operation)
        whose = self._project_id
        change = self._bridge.set_instance(persistent_id, project_id=whose, request_id=request_id, **wanted)
        return _result(
            operation,
            change,
            entity_id=change.entity_id,
            persistent_id=change.persistent_id or persistent_id,
            bounds=change.bounds,
        )

    def _remove_instance(self, operation: Operation, request_id: str) -> OperationResult:
        try:
            change = self._bridge.remove_instance(
                self._id_of(operation), project_id=self._project_id, request_id=request_id
            )
        except VcadError as error:
            if error.error_code != ErrorCode.ENTITY_NOT_FOUND:
                raise
            return _result(operation, Change())  # a person was first
        return _result(operation, change)

    def _remove_definition(self, operation: Operation, request_id: str) -> OperationResult:
        try:
            change = self._bridge.remove_node(
                operation.target, project_id=self._project_id, request_id=request_id
            )
        except VcadError as error:
            if error.error_code != ErrorCode.NODE_NOT_FOUND:
                raise
            return _result(operation, Change())
        return _result(operation, change)

    def _id_of(self, operation: Operation) -> int:
        persistent_id = operation.payload.get("persistent_id") or self._ids.get(operation.target)
        if persistent_id is None:
            raise ServiceFailure(
                ErrorCode.ENTITY_NOT_FOUND,
                f"SketchUp shows no instance {operation.target}",
                fix="push again: what was removed there is then placed anew",
                details={"entity_ref": operation.target, "operation": operation.type},
            )
        return int(persistent_id)

    # an answer that was lost

    def _settled(self, operation: Operation, lost: VcadError) -> OperationResult:
        """What became of an operation whose answer never came. Raises: VcadError."""
        if lost.details.get("interrupted"):  # looking would wait for what the user no longer waits for
            raise lost
        try:
            listed = self._bridge.nodes(self._project_id)
        except VcadError as error:
            raise lost from error
        rows = merged(row for row in listed if row.project_id == self._project_id)
        self._same_model(rows, operation)
        result = self._done(operation, rows)
        if result is not None:
            return result
        return self._call(operation)

    def _same_model(self, rows: Mapping[str, NodeRow], operation: Operation) -> None:
        """Raises: ServiceFailure STATE_CHANGED when nothing is there of what was there."""
        here = {placement.persistent_id for row in rows.values() for placement in row.placements}
        if operation.type in ("remove_instance", "remove_definition"):
            return
        if (self._ids and not here & set(self._ids.values())) or (self._versions and not rows):
            raise ServiceFailure(
                ErrorCode.STATE_CHANGED,
                "SketchUp was started anew, or shows another model: nothing of this project is in it",
                fix="open the model that the project belongs to, or push again to build it in this one",
                details={"operation": operation.type},
            )

    def _done(self, operation: Operation, rows: Mapping[str, NodeRow]) -> OperationResult | None:
        """The result as the rows show it; None when they show that the operation was not done."""
        if operation.type == "upsert_definition":
            row = rows.get(operation.target)
            if row is None or not self._is_newer(operation, row):
                return None
            return _result(
                operation,
                Change(),
                settled=True,
                created=operation.target not in self._versions,
                persistent_id=row.definition_persistent_id,
                version=row.version,
                bounds=convert(operation.payload.get("expected_bbox_mm"), Bounds | None),
            )
        if operation.type == "remove_definition":
            return None if operation.target in rows else _result(operation, Change(), settled=True)
        placement = self._placement(operation, rows)
        if operation.type == "remove_instance":
            return None if placement is not None else _result(operation, Change(), settled=True)
        if placement is None or not _shows(placement, operation):
            return None
        return _result(
            operation,
            Change(),
            settled=True,
            created=True if operation.type == "place_instance" else None,
            entity_id=placement.entity_id,
            persistent_id=placement.persistent_id,
        )

    def _is_newer(self, operation: Operation, row: NodeRow) -> bool:
        """Whether a definition shows what was to be written; by its count, where it does not say."""
        if row.digest is not None:
            return bool(row.digest == operation.payload["mesh_digest"])
        return row.version > self._versions.get(operation.target, 0)

    def _placement(self, operation: Operation, rows: Mapping[str, NodeRow]) -> Placement | None:
        row = rows.get(operation.payload["component"])
        wanted = operation.payload.get("persistent_id") or self._ids.get(operation.target)
        copies = self._copies.get(operation.target, ())
        for placement in () if row is None else row.placements:
            if wanted is not None:
                if placement.persistent_id == wanted:
                    return placement
            elif placement.instance_id == operation.target and placement.persistent_id not in copies:
                return placement
        return None


def _shows(placement: Placement, operation: Operation) -> bool:
    """Whether a placement is as the operation wants it."""
    payload = operation.payload
    if operation.type == "move_instance":
        now, wanted = placement.transform, payload["transform"]
        return now is not None and all(
            abs(a - b) <= _NEAR * max(1.0, abs(b)) for a, b in zip(now, wanted, strict=True)
        )
    if operation.type == "set_layer":
        return placement.layer == payload["layer"] or (
            not payload["layer"] and (placement.layer or "") in UNTAGGED
        )
    if operation.type == "set_material":
        return (placement.material or None) == (payload["material"] or None)
    return True


def _result(operation: Operation, change: Change, **fields: Any) -> OperationResult:
    payload = operation.payload
    return OperationResult(
        operation_id=operation.operation_id,
        type=operation.type,
        target=operation.target,
        model_revision=change.model_revision,
        elapsed_ms=change.elapsed_ms,
        component=payload.get("component"),
        transform=tuple(payload["transform"]) if "transform" in payload else None,
        **fields,
    )
