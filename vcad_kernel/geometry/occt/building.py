"""What the builders of B-reps are given: the node they build, its operands, and a voice to warn or refuse.

A builder is a function ``(build, node, operands) → Brep | None``, one for each kind of node; the table
is in :mod:`vcad_kernel.geometry.occt.kernel`. Operands are the B-reps of the node's children in order;
``None`` is the empty solid. A builder never changes the shape of an operand: the cache holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from vcad_kernel.errors import GeometryError
from vcad_kernel.geometry.occt.brep import Brep
from vcad_kernel.geometry.placement import Matrix, standing
from vcad_kernel.geometry.solid import Note, SearchLimit, geometry_error
from vcad_kernel.geometry.sweeps.planes import Plane
from vcad_kernel.geometry.sweeps.profiles.fits import fit_under
from vcad_kernel.geometry.sweeps.profiles.regions import Region, Source, read_plane, read_region
from vcad_kernel.ir.digest import Digest
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.node import NodeId, Vec3
from vcad_kernel.paths import Workspace

__all__ = ["Build", "Builder", "Operands"]

Operands: TypeAlias = Sequence[Brep | None]
Builder: TypeAlias = Callable[["Build", Any, Operands], Brep | None]


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """The building of one node's B-rep."""

    document: Document
    node: NodeId
    notes: list[Note] = field(default_factory=list)
    fits: list[float] = field(default_factory=list)
    """How far curves that are laid along others are off, as far as was measured, mm."""
    files: Workspace | None = None
    """Where imported files are read; None = nowhere."""
    search: SearchLimit = field(default_factory=SearchLimit)
    """How far the largest size that works is looked for when this one does not."""
    source: Source | None = None
    """Who knows the planes of faces, and solids that profiles stand on."""
    body: NodeId | None = None
    """Whose edges and faces selections are of; None = the node's first child."""
    merged: Callable[[NodeId], Brep | None] | None = None
    """The merged body of another node below; None = none can be had."""

    def region(self, sketch: NodeId) -> Region:
        """The profile of a node. Raises: GeometryError, as `read_region`."""
        assert self.source is not None
        return read_region(self.document, sketch, self.source)

    def plane(self, node: NodeId) -> Plane:
        """The plane of a node. Raises: GeometryError, as `read_plane`."""
        assert self.source is not None
        return read_plane(self.document, node, self.source)

    @property
    def fit(self) -> float:
        """How far the body may be off because of the profiles that it grows out of, mm.

        Raises: GeometryError.
        """
        return 0.0 if self.source is None else fit_under(self.document, self.node, self.source)

    @property
    def maker(self) -> Digest:
        """Who made the new faces."""
        return self.document.digest(self.node)

    @property
    def selected_from(self) -> NodeId | None:
        """The node whose edges and faces selections are of; None where there is none."""
        children = self.document.nodes[self.node].children()
        return self.body if self.body is not None else children[0] if children else None

    def warn(self, code: str, message: str) -> None:
        """Say something that changes no geometry; the message is read after ``function: ``."""
        function = self.document.function_of(self.node)
        self.notes.append(Note(code, f"{function}: {message}", self.maker))

    def fault(
        self,
        code: str,
        message: str,
        *,
        argument: str | None = None,
        failed: bool = True,
        fix: str | None = None,
        details: Mapping[str, Any] | None = None,
        lines: Sequence[Sequence[Vec3]] = (),
    ) -> GeometryError:
        """The error of this node, to be raised. failed: it could not be built; else it is bad input.

        lines: points of those that it is about, mm, as the node's operand is modelled.
        """
        error = geometry_error(
            self.document, self.node, code, message, argument=argument, failed=failed, fix=fix
        )
        error.details.update(details or {})
        if lines:
            part, matrix = standing(self.document, self.node)
            error.details["failing_part"] = part
            error.details["failing_lines"] = [_moved(line, matrix) for line in lines]
        return error


def _moved(line: Sequence[Vec3], matrix: Matrix) -> list[list[float]]:
    """Points as they stand in their part, to a millionth of a millimetre: they are drawn, not measured."""
    points = np.asarray(line, np.float64) @ matrix[:, :3].T + matrix[:, 3]
    return [[round(value, 6) + 0.0 for value in point] for point in points.tolist()]
