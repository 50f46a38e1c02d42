"""Part: what a ``%%loon`` cell gives to Python.

A thin, read-only face over an evaluation result: figures, mesh, export, views. Does not evaluate
and does not know the session; a Part stays valid when the cell that made it has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_ext.viewer.mime import WIDGET_VIEW, widget_reference
from vcad_kernel.geometry.measure import Figures, measure
from vcad_kernel.geometry.mesh import PartMesh, TriMesh
from vcad_kernel.service.protocol import EvaluationResult, PartResult
from vcad_kernel.service.summary import parts_line

if TYPE_CHECKING:
    import trimesh

    from notebook_ext.viewer.inline import InlineView

__all__ = ["Part", "Views"]

Views = Callable[["Part"], "InlineView | None"]
"""Gives the inline view that shows a part in the running cell; None where no widget can be shown."""


class Part:
    """A solid, or a scene of several, with its figures in millimetres.

    A scene is iterable and indexable by position or name; its figures are those of all its parts.
    """

    def __init__(
        self, name: str, result: EvaluationResult, source: str, views: Views, parts: tuple[PartResult, ...]
    ) -> None:
        self.name = name
        self.source = source
        """The text of the cell that made it."""
        self.result = result
        self._parts = parts
        self._views = views

    # ---- figures -------------------------------------------------------------------------

    @cached_property
    def figures(self) -> Figures:
        """All figures at once; for a scene, of its parts together."""
        if len(self._parts) == 1:
            return self._parts[0].figures
        each = [part.figures for part in self._parts]
        chords = [one.tolerance for one in each if one.tolerance is not None]
        return measure(self.mesh, exact=all(one.exact for one in each), tolerance=max(chords, default=None))

    @property
    def volume(self) -> float:
        """Volume, mm³."""
        return self.figures.volume

    @property
    def area(self) -> float:
        """Surface area, mm², walls of cavities included."""
        return self.figures.surface_area

    @property
    def bounds(self) -> tuple[tuple[float, float, float], tuple[float, float, float]] | None:
        """Lowest and highest corner of the axis-aligned box, mm; None when empty."""
        return self.figures.bounds

    @property
    def center_of_mass(self) -> tuple[float, float, float] | None:
        """Centroid of the volume, mm; None when empty."""
        return self.figures.center_of_mass

    @property
    def genus(self) -> int:
        """Number of through-holes."""
        return self.figures.genus

    @property
    def exact(self) -> bool:
        """Whether the figures are those of the exact body; otherwise see ``tolerance``."""
        return self.figures.exact

    @property
    def tolerance(self) -> float | None:
        """Chord error of the measured mesh, mm; None when the figures are exact."""
        return self.figures.tolerance

    @property
    def summary(self) -> str:
        """The figures in one line."""
        return parts_line(self.name, self._parts)

    # ---- parts of a scene ------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Part]:
        return (self._one(part) for part in self._parts)

    def __getitem__(self, key: int | str) -> Part:
        if isinstance(key, int):
            return self._one(self._parts[key])
        for part in self._parts:
            if part.name == key:
                return self._one(part)
        raise KeyError(f"no part {key!r}; the parts are {', '.join(part.name for part in self._parts)}")

    def _one(self, part: PartResult) -> Part:
        return Part(part.name, self.result, self.source, self._views, (part,))

    # ---- geometry --------------------------------------------------------------------------

    @property
    def mesh(self) -> TriMesh:
        """Triangles as numpy arrays: ``positions`` (n, 3) float64 mm and ``indices`` (m, 3) uint32."""
        return TriMesh.joined([part.mesh for part in self._parts])

    @property
    def part_meshes(self) -> tuple[PartMesh, ...]:
        """Each part's name, mesh and material."""
        return tuple(part.part_mesh() for part in self._parts)

    @property
    def part_keys(self) -> tuple[bytes, ...]:
        """Content hashes of the parts' meshes, in the same order."""
        return tuple(part.digest for part in self._parts)

    def to_trimesh(self) -> trimesh.Trimesh:
        """The mesh as a ``trimesh.Trimesh``, for everything that library can do."""
        import trimesh

        mesh = self.mesh
        return trimesh.Trimesh(mesh.positions, mesh.indices, process=False)

    def export(self, path: str | Path, tolerance: float | None = None) -> Path:
        """Write a file whose suffix names the format: .stl .obj .dae .glb .3mf.

        tolerance: chord error of curved faces, mm; by default 0.005, finer than what is shown.
        Returns: the path written.
        Raises: ExportError for an unknown suffix, a scene without geometry, or a disk that refuses.
        """
        from vcad_kernel.service.export import export

        target = Path(path).expanduser()
        export(target, self.result, self._parts, tolerance)
        return target

    # ---- seeing it -------------------------------------------------------------------------

    def view(self) -> InlineView:
        """The interactive view; the n-th of a cell that is run again is the same widget.

        Raises: RuntimeError without a notebook front end, or when the part's session is closed.
        """
        shown = self._views(self)
        if shown is None:
            raise RuntimeError(
                "a view needs a notebook, and a session that has not been closed; `part.png()` needs neither"
            )
        return shown

    def png(self, view: str = "iso", width: int = 640, height: int = 480) -> bytes:
        """A picture drawn without GL or browser: PNG bytes.

        view: iso, front, back, left, right, top or bottom. width, height: pixels.
        """
        from vcad_kernel.render.picture import draw

        return draw(self.part_meshes, width, height, view=view)

    def __repr__(self) -> str:
        return self.summary

    def _repr_mimebundle_(self, **_tiers: Any) -> Mapping[str, Any]:
        """All tiers at once: the live widget, a PNG for the saved notebook, a line of figures."""
        bundle: dict[str, Any] = {"text/plain": self.summary, "image/png": self.png()}
        shown = self._views(self)
        if shown is not None:
            bundle[WIDGET_VIEW] = widget_reference(shown.widget)
        return bundle
