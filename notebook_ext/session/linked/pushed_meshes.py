"""The files that SketchUp reads parts from: one COLLADA file for each node and revision that is pushed.

They lie in ``<workspace>/.vcad/artifacts/sketchup``, which SketchUp's path policy lets it read, each with a
manifest of what it is; of a node the newest stays. A part that is shown is written as it is shown; of one
that this kernel has not evaluated, the source in the project's truth is evaluated. Knows no connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vcad_kernel.contracts.messages import source_hash
from vcad_kernel.contracts.validation import validate
from vcad_kernel.errors import ErrorCode, ServiceFailure, VcadError
from vcad_kernel.paths import own_folder
from vcad_kernel.request_id import current_request
from vcad_kernel.rfc3339 import rfc3339

if TYPE_CHECKING:
    from notebook_ext.display.part import Part
    from notebook_ext.sketchup.planning import MeshArtifact

__all__ = ["PushedMeshes", "mesh_digest", "note_stale"]

_FOLDER: Final = Path("artifacts") / "sketchup"


class PushedMeshes:
    """The `Meshes` of a session's plans.

    workspace: asked for when a file is written. find: the part of a node at a revision; raises VcadError with
    the reason where there is none. imports: what a node is built from. written: called with each manifest.
    """

    def __init__(
        self,
        workspace: Callable[[], Path],
        find: Callable[[str, int], Part],
        imports: Callable[[str], Sequence[Mapping[str, Any]]] = lambda _node_id: (),
        written: Callable[[], object] = lambda: None,
    ) -> None:
        self._root = workspace
        self._find = find
        self._imports = imports
        self._manifest_written = written
        self._written: dict[tuple[str, int], MeshArtifact] = {}

    @property
    def _workspace(self) -> Path:
        return self._root()

    def unavailable(self, node_id: str, revision: int) -> str | None:
        """Why there is no mesh of this revision; None when there is one."""
        try:
            self.mesh(node_id, revision)
        except VcadError as error:
            return f"[{error.code}] {error.message}"
        return None

    def mesh(self, node_id: str, revision: int) -> MeshArtifact:
        """The file of a node's revision; written when it is first asked for. Raises: VcadError."""
        known = self._written.get((node_id, revision))
        if known is not None and (self._workspace / known.path).is_file():
            return known
        part = self._find(node_id, revision)
        artifact = self._write(node_id, revision, part)
        self._written = {key: written for key, written in self._written.items() if key[0] != node_id}
        self._written[node_id, revision] = artifact
        return artifact

    def _write(self, node_id: str, revision: int, part: Part) -> MeshArtifact:
        from notebook_ext.session.project.design_model import Bounds
        from notebook_ext.sketchup.planning import MeshArtifact
        from vcad_kernel.exchange import dae, formats

        try:
            base = _base(self._workspace, node_id, revision, part)
            path = base.with_name(base.name + ".dae")
            parts = formats.writable(part.given_meshes)
            mesh = dae.encode(parts, base.name, paint_default=False)[".dae"]
            formats.replace_all({path: mesh}, path)
            manifest = _manifest(self._workspace, "applied", node_id, revision, part, path, None)
            _note(base, {**manifest, "imports": [dict(row) for row in self._imports(node_id)]})
            self._manifest_written()
            self._remove_older(base)
        except OSError as failed:
            raise ServiceFailure(
                ErrorCode.EXPORT_FAILED,
                f"the mesh for SketchUp cannot be written: {failed.strerror or failed}",
                fix=f"make room in {self._workspace}, or let it be written to",
                details={"node_id": node_id},
            ) from failed
        return MeshArtifact(
            path=path.relative_to(self._workspace).as_posix(),
            bbox=Bounds.of(part.mesh_bounds),
            digest=mesh_digest(part),
        )

    @staticmethod
    def _remove_older(base: Path) -> None:
        """Of a node one pair stays: the name before the two last dashes is the node's."""
        node, _, _ = base.name.rsplit("-", 2)
        for suffix in (".dae", ".manifest.json"):
            for file in base.parent.glob(f"*{suffix}"):
                stem = file.name.removesuffix(suffix)
                if stem != base.name and stem.rsplit("-", 2)[0] == node:
                    with suppress(OSError):
                        file.unlink()


def note_stale(workspace: Path, node_id: str, revision: int, part: Part, newest: int) -> bool:
    """Leave word of a result that was not applied, since a newer change had been accepted; whether it could
    be written."""
    reason = f"revision {newest} was accepted before it was done"
    with suppress(VcadError, OSError):  # word of nothing: what matters is that it was not applied
        base = _base(workspace, node_id, revision, part)
        _note(base, _manifest(workspace, "stale_dropped", node_id, revision, part, None, reason))
        return True
    return False


def _base(workspace: Path, node_id: str, revision: int, part: Part) -> Path:
    folder = own_folder(workspace) / _FOLDER
    if any(path.is_symlink() for path in (folder.parent, folder)):
        raise OSError(None, f"{folder} is a link")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{node_id.replace(':', '+')}-{revision}-{mesh_digest(part)[:12]}"


def _manifest(
    workspace: Path,
    status: str,
    node_id: str,
    revision: int,
    part: Part,
    path: Path | None,
    reason: str | None,
) -> Mapping[str, Any]:
    now = rfc3339(datetime.now(UTC))
    bounds = part.mesh_bounds
    figures = [named.known_figures for named in part.parts]
    return {
        "status": status,
        "node_id": node_id,
        "revision": revision,
        "request_id": current_request(),
        "source_file": None,
        "source_hash": source_hash(part.source),
        "imports": [],
        "obj_path": None if path is None else path.relative_to(workspace).as_posix(),
        "bbox": None if bounds is None else {"min": list(bounds[0]), "max": list(bounds[1])},
        "volume": sum(figure.volume for figure in figures),
        "surface_area": sum(figure.surface_area for figure in figures),
        "queued_at": now,
        "started_at": now,
        "finished_at": now,
        **({} if reason is None else {"reason": reason}),
    }


def _note(base: Path, manifest: Mapping[str, Any]) -> None:
    validate("artifact_manifest", manifest, operation="push")
    text = json.dumps(manifest, indent=2, sort_keys=True)
    base.with_name(base.name + ".manifest.json").write_text(text + "\n", encoding="utf-8")


def mesh_digest(part: Part) -> str:
    """Of all that SketchUp is given of a part: equal for equal geometry, names and materials."""
    looks = [(mesh.name, mesh.material) for mesh in part.part_meshes]
    return source_hash(repr(([key.hex() for key in part.part_keys], looks)))
