"""Part: what a ``%%loon`` cell gives to Python.

A thin, read-only face over an evaluation result: figures, mesh, export, views. Does not evaluate
and does not know the session; a Part stays valid when the cell that made it has changed. Who reads one whose
cell is about to be evaluated again waits for that, and gets what it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from notebook_ext.viewer.mime import view_bundle
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, SceneError, ServiceFailure
from vcad_kernel.geometry.measure.figures import Figures, total
from vcad_kernel.geometry.tri_mesh import PartMesh, TriMesh
from vcad_kernel.service.protocol import EvaluationResult, PartResult, Question
from vcad_kernel.service.questions import (
    ChangedFrom,
    ClearanceOf,
    Drawing,
    EdgesOf,
    Export,
    FacesOf,
    FeaturesOf,
    FiguresOf,
    InterferenceOf,
    MeasureBetween,
    Section,
    SelectionOf,
    SelectorFor,
    ThinnestOf,
)
from vcad_kernel.service.summary import figure_warning_lines, parts_line

if TYPE_CHECKING:
    import trimesh

    from notebook_ext.display.profile import ProfileView
    from notebook_ext.viewer.inline.inline import InlineView
    from vcad_kernel.geometry.measure.between.between import MeasureResult
    from vcad_kernel.geometry.measure.between.changes import Changed
    from vcad_kernel.geometry.measure.between.clearance import Clearance
    from vcad_kernel.geometry.measure.inspection.features import Features
    from vcad_kernel.geometry.measure.inspection.inspection import Edge, Face, Table
    from vcad_kernel.geometry.measure.inspection.selected import Selected
    from vcad_kernel.geometry.measure.inspection.selecting import SelectorFound
    from vcad_kernel.geometry.measure.readings import Picked
    from vcad_kernel.geometry.measure.wall import Wall
    from vcad_kernel.ir.parameter import Parameter
    from vcad_kernel.operations.features.selections import Target
    from vcad_kernel.operations.node import Vec3

__all__ = ["Keeper", "Part", "Views"]

Views = Callable[["Part"], "InlineView | None"]
"""Gives the inline view that shows a part in the running cell; None where no widget can be shown."""
_TARGETS: Final = ("edge", "face")
"""What there is to select."""


class Keeper(Protocol):
    """Knows which part is what its cell gives now."""

    def settled(self, part: Part, /) -> Part:
        """The part, or the one in its place once what it waits for is done. Raises: LoonCellFailed."""

    def why_stale(self, part: Part, /) -> str | None:
        """Why a part is out of date; None where it is not."""

    def show_taken(self, part: Part, taken: Mapping[Target, Selected], /) -> None:
        """Have viewers show what a selection took of a part."""


class Part:
    """A solid, or a scene of several, with its figures in millimetres.

    A scene is iterable and indexable by position or name; its figures are those of all its parts.
    """

    def __init__(
        self,
        name: str,
        result: EvaluationResult,
        source: str,
        views: Views,
        parts: tuple[PartResult, ...],
        keeper: Keeper | None = None,
    ) -> None:
        self.name = name
        self._source = source
        self._result = result
        self._own_parts = parts
        self._views = views
        self._keeper = keeper
        self._drawing = Lock()
        self._picture: bytes | None = None

    # ---- whether it is what its cell gives -----------------------------------------------

    @property
    def stale(self) -> str | None:
        """Why it is out of date, in words; None where it is what its cell gives now."""
        return None if self._keeper is None else self._keeper.why_stale(self)

    def _now(self) -> Part:
        """Itself, or what its cell gives once what it was waiting for is done."""
        return self if self._keeper is None else self._keeper.settled(self)

    @property
    def result(self) -> EvaluationResult:
        """What was evaluated."""
        return self._now()._result

    @property
    def source(self) -> str:
        """The text of the cell that made it."""
        return self._now()._source

    @property
    def _parts(self) -> tuple[PartResult, ...]:
        return self._now()._own_parts

    # ---- copies --------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        """In a pickle it is its document; see `notebook_ext.display.pickled_result`."""
        from notebook_ext.display.pickled_result import packed

        numbers = tuple(self.result.parts.index(part) for part in self._parts)
        return _unpickled, (self.name, self.source, numbers, *packed(self.result))

    def __copy__(self) -> Part:
        """Itself: it is immutable."""
        return self

    def __deepcopy__(self, _memo: object) -> Part:
        """Itself, as `__copy__`."""
        return self

    # ---- figures -------------------------------------------------------------------------

    @property
    def figures(self) -> Figures:
        """All figures at once; for a scene, of its parts together."""
        return self._now()._figures

    @cached_property
    def _figures(self) -> Figures:
        return self._together([part.figures for part in self._own_parts])

    def _together(self, each: list[Figures]) -> Figures:
        """The figures of several parts as those of one body."""
        return each[0] if len(each) == 1 else total(each, lambda: _joined(self._own_parts))

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
    def mass(self) -> float | None:
        """In kg, of parts with a material of engineering (``[root :steel …]``); None where one has none."""
        masses = [(part.figures.volume, part.material.density) for part in self._now()._own_parts]
        return sum(v * d * 1e-9 for v, d in masses if d is not None) if all(d for _, d in masses) else None

    @property
    def center_of_mass(self) -> tuple[float, float, float] | None:
        """Centroid of the volume, mm; None when empty."""
        return self.figures.center_of_mass

    @property
    def inertia(self) -> tuple[Vec3, Vec3, Vec3] | None:
        """Inertia tensor about the centre of mass at density 1, mm⁵; None when empty.

        On the diagonal ∫(y² + z²) dV and so on, beside it −∫xy dV and so on.
        """
        return self.figures.inertia

    @property
    def genus(self) -> int:
        """Number of through-holes."""
        return self.figures.genus

    @property
    def is_manifold(self) -> bool:
        """Whether the mesh is closed: every edge in exactly two triangles of opposite direction."""
        return self.figures.is_manifold

    @property
    def exact(self) -> bool:
        """Whether the figures are those of the exact body; otherwise see ``tolerance``."""
        return self.figures.exact

    @property
    def tolerance(self) -> float | None:
        """Chord error of the measured mesh, mm; None when the figures are exact."""
        return self.figures.tolerance

    def measure(self, *, exact: bool = False) -> Figures:
        """All figures; exact: of the exact body, also where the rule for figures takes the mesh.

        Raises, when exact: CapabilityUnavailable for a curved body with an imported mesh inside,
        GeometryError when the exact body cannot be built or is not the one that the mesh shows.
        """
        if not exact:
            return self.figures
        return self._together([part.answers.ask(FiguresOf(exact=True), part) for part in self._parts])

    def edges(self, *, exact: bool = False) -> Table[Edge]:
        """Every edge with kind, length, radius, centre, direction and the faces it lies between.

        exact: of the exact body, also where the rule for figures takes the mesh; raises as ``measure``.
        """
        part = self._single("edges")
        return part.answers.ask(EdgesOf(exact=exact), part)

    def faces(self, *, exact: bool = False) -> Table[Face]:
        """Every face with kind, area, radius, centre, normal and the call that made it; as ``edges``."""
        part = self._single("faces")
        return part.answers.ask(FacesOf(exact=exact), part)

    def select(self, target: Target, criteria: str | None = None, *, indexes: Sequence[int] = ()) -> Selected:
        """What a selection takes of the exact body: numbers as ``edges`` and ``faces`` have them, and lines.
        It glows in the viewers that show this part; of one that its cell has replaced, or out of a scene,
        nothing does.

        target: "edge" or "face". criteria: Loon text of a selection, as ``":top"`` or
        ``"{:parallel :z}"``; without it, those of ``indexes``.
        Raises: LoonError or GeometryError for criteria that are none; ServiceFailure INVALID_PARAMS for
        another target; as ``measure`` with exact.
        """
        if target not in _TARGETS:
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f'a selection is of "edge" or "face", not {target!r}',
                details={"path": "target", "expected": "'edge' or 'face'"},
            )
        now = self._now()
        part = now._single(f"{target}s")
        question = SelectionOf(target=target, criteria=criteria, indexes=tuple(indexes))
        taken = part.answers.ask(question, part)
        if now._keeper is not None:
            now._keeper.show_taken(now, {target: taken})
        return taken

    def selector(self, target: Target, indexes: Sequence[int]) -> SelectorFound:
        """The shortest criteria that select exactly these edges or faces, by their numbers; tried before.

        Raises: GeometryError for a number that is not there; as ``measure`` with exact.
        """
        part = self._single(f"{target}s")
        return part.answers.ask(SelectorFor(target=target, indexes=tuple(indexes)), part)

    def between(self, a: Picked, b: Picked | None = None, *, other: Part | None = None) -> MeasureResult:
        """How far two faces, edges, vertices or parts are apart, and at what angle; or how large one is.

        a: `Picked` names it by number, as ``edges`` and ``faces`` have them, or by a point on it. b: of
        the same part, or of the other.
        Raises: GeometryError for what is not there.
        """
        mine = self._single("measures")
        question = MeasureBetween(a=a, b=b)
        if other is None:
            return mine.answers.ask(question, mine)
        return mine.answers.ask(question, mine, other._single("measures"))

    def changed_from(self, old: Part) -> Changed:
        """What this part has more and less than another, as meshes, with the figures of both.

        Pieces no thicker than the chord errors of both are left out: ``film`` says how thick that is, mm.
        Raises: GeometryError MESH_UNSOUND for a mesh that is not its part.
        """
        new = self._single("changes")
        return new.answers.ask(ChangedFrom(), new, old._single("changes"))

    def clearance(self, other: Part, *, exact: bool = False) -> Clearance:
        """The least distance to another part, mm, and the points where they come nearest.

        exact: of the exact bodies, also where the rule for figures takes the meshes.
        Raises: SceneError EMPTY_BODY when one of them is empty; when exact as ``measure``.
        """
        pairs = [(mine, theirs) for mine in self._solid_parts() for theirs in other._solid_parts()]
        distances = (a.answers.ask(ClearanceOf(exact=exact), a, b) for a, b in pairs)
        return min(distances, key=lambda measured: measured.distance)

    def distance_to(self, other: Part, *, exact: bool = False) -> float:
        """The least distance to another part, mm; 0 where they touch or overlap. As ``clearance``."""
        return self.clearance(other, exact=exact).distance

    def interference(self, other: Part, *, exact: bool = False) -> float:
        """The volume that both have in common, mm³; 0 where they only touch.

        exact: of the exact bodies, also where the rule for figures takes the meshes.
        Raises: GeometryError when the intersection cannot be built; when exact as ``measure``.
        """
        return self.common(other, exact=exact).volume

    def common(self, other: Part, *, exact: bool = False) -> Figures:
        """Figures of what both have in common; empty where they only touch. As ``interference``."""
        each = [
            mine.answers.ask(InterferenceOf(exact=exact), mine, theirs)
            for mine in self._parts
            for theirs in other._parts
        ]
        return (
            each[0]
            if len(each) == 1
            else total(each, lambda: TriMesh.joined([shared.mesh for shared in each]))
        )

    def features(self) -> Features:
        """Faces, edges and corners by number, and holes, bosses and patterns of equal holes.

        Of the exact body where the rule for figures asks that; else the counts are the mesh's.
        """
        part = self._single("features")
        return part.answers.ask(FeaturesOf(), part)

    def thinnest(self) -> Wall | None:
        """The thinnest wall, mm, and where: what lies between two faces that look away from each other.

        Found by rays through the mesh, so approximate: between two of them a wall may be thinner.
        None where there is no wall, as in a cone. Of a scene, the thinnest of its parts.
        Raises: SceneError EMPTY_BODY when nothing is there.
        """
        walls = [part.answers.ask(ThinnestOf(), part) for part in self._solid_parts()]
        return min((wall for wall in walls if wall), key=lambda wall: wall.thickness, default=None)

    def _single(self, question: str) -> PartResult:
        if len(self._parts) != 1:
            raise SceneError(
                f"{question} are those of one part; this is a scene of {len(self._parts)}",
                code=ErrorCode.MULTI_PART_UNSUPPORTED,
                count=len(self._parts),
                fix="take one of its parts, by position or name",
            )
        return self._parts[0]

    def _solid_parts(self) -> list[PartResult]:
        solid = [part for part in self._parts if not part.mesh_figures.is_empty]
        if not solid:
            raise SceneError(
                f"{self.name} is empty: it has no walls, and nothing is near to it",
                code=ErrorCode.EMPTY_BODY,
                count=0,
                fix="the subject of a difference comes last: see whether its tool swallows it",
            )
        return solid

    # ---- where it comes from ---------------------------------------------------------------

    def profile(self) -> ProfileView:
        """Where the time went when it was made: a table of forms with ms, triangles, and what was known."""
        from notebook_ext.display.profile import ProfileView

        return ProfileView(self.result.profile(self._parts))

    # ---- as text ---------------------------------------------------------------------------

    @property
    def summary(self) -> str:
        """The figures in one line."""
        return self._now()._summary

    @cached_property
    def _summary(self) -> str:
        return parts_line(self.name, self._own_parts)

    @property
    def known_summary(self) -> str:
        """The line from what has been found by now: asked for on threads that must not wait."""
        return parts_line(self.name, self._own_parts, wait=False)

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What the cell declared with ``defparam``, by name, with the values that it ran with."""
        return MappingProxyType({parameter.name: parameter for parameter in self.result.parameters})

    @property
    def parts(self) -> tuple[PartResult, ...]:
        """What was evaluated of each."""
        return self._parts

    @property
    def shown_parts(self) -> tuple[PartResult, ...]:
        """The same as it is, for who must not wait: viewers show what is out of date as such."""
        return self._own_parts

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
        """Triangles as numpy arrays: ``positions`` (n, 3) float64 mm and ``indices`` (m, 3) uint32.

        Raises: GeometryError MESH_UNSOUND where the mesh is known not to be the part.
        """
        return TriMesh.joined([part.given_mesh() for part in self._parts])

    @property
    def part_meshes(self) -> tuple[PartMesh, ...]:
        """Each part's name, mesh and material, as viewers take them."""
        return tuple(part.part_mesh() for part in self._parts)

    @property
    def given_meshes(self) -> tuple[PartMesh, ...]:
        """The same for who makes something of them. Raises: as ``mesh``."""
        return tuple(PartMesh(part.name, part.given_mesh(), part.material) for part in self._parts)

    @property
    def part_keys(self) -> tuple[bytes, ...]:
        """Content hashes of the parts' meshes, in the same order."""
        return tuple(part.digest for part in self._parts)

    @property
    def mesh_bounds(self) -> tuple[Vec3, Vec3] | None:
        """Lowest and highest corner of the shown mesh, mm; found at once. None when empty."""
        corners = [part.mesh.positions for part in self._parts if not part.mesh.is_empty]
        if not corners:
            return None
        low = [min(float(points[:, axis].min()) for points in corners) for axis in range(3)]
        high = [max(float(points[:, axis].max()) for points in corners) for axis in range(3)]
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def to_trimesh(self) -> trimesh.Trimesh:
        """The mesh as a ``trimesh.Trimesh``, for everything that library can do."""
        import trimesh

        mesh = self.mesh
        return trimesh.Trimesh(mesh.positions, mesh.indices, process=False)

    def export(self, path: str | Path, tolerance: float | None = None) -> Path:
        """Write a file whose suffix names the format: .step .stl .obj .dae .glb .3mf .ops .html.

        tolerance: chord error of curved faces, mm; by default 0.005, finer than what is shown. A STEP
        file holds the exact body and needs none, an .ops file the model itself (`vcad run` reads it), an
        .html file what is shown, with the viewer: it opens in any browser, without a network.
        Returns: the path written.
        Raises: ExportError for an unknown suffix, a scene without geometry, or a disk that refuses;
        CapabilityUnavailable for STEP of a part with an imported mesh inside.
        """
        target = Path(path).expanduser()
        if target.suffix.lower() == ".html":
            from notebook_ext.viewer.html_file import write_parts

            write_parts(target, self.name, self._parts, self.summary)
        else:
            self._ask_all(Export(path=target, chord=tolerance))
        return target

    def section(
        self,
        path: str | Path,
        normal: Vec3 = (0.0, 0.0, 1.0),
        origin: Vec3 | None = None,
        *,
        hatch: bool = True,
    ) -> Path:
        """Write what a plane cuts, at full size: .dxf or .svg.

        normal: towards the viewer. origin: a point of the plane, mm; by default the middle of the box.
        hatch: fill what is cut with lines, in an SVG.
        Returns: the path written.
        Raises: ExportError for another suffix, a plane that misses the part, or a disk that refuses.
        """
        target = Path(path).expanduser()
        self._ask_all(Section(path=target, origin=origin, normal=normal, hatch=hatch))
        return target

    def drawing(
        self,
        path: str | Path,
        views: Sequence[str] = ("front", "top", "right", "iso"),
        scale: float | None = None,
    ) -> Path:
        """Write a sheet with up to four views, hidden lines dashed: .svg.

        views: front, back, left, right, top, bottom, iso. scale: paper over model; by default the
        largest standard scale that fits.
        Returns: the path written.
        Raises: ExportError for another suffix, an unknown view, or a disk that refuses.
        """
        target = Path(path).expanduser()
        self._ask_all(Drawing(path=target, views=tuple(views), scale=scale))
        return target

    def _ask_all(self, question: Question[int]) -> None:
        self._parts[0].answers.ask(question, *self._parts)

    # ---- seeing it -------------------------------------------------------------------------

    def view(self) -> InlineView:
        """The interactive view; the n-th of a cell that is run again is the same widget.

        Raises: CapabilityUnavailable without a notebook front end, or when the part's session is closed.
        """
        shown = self._views(self)
        if shown is None:
            raise CapabilityUnavailable(
                "a view needs a notebook, and a session that has not been closed; part.png() needs neither",
                details={"required_capability": "view"},
            )
        shown.picture = self._now().saved_picture
        return shown

    def png(self, view: str = "iso", width: int = 640, height: int = 480) -> bytes:
        """A picture drawn without GL or browser: PNG bytes.

        view: iso, front, back, left, right, top or bottom. width, height: pixels.
        """
        from vcad_kernel.render.picture import draw

        return draw(self.part_meshes, width, height, view=view)

    def __repr__(self) -> str:
        return "\n".join([self.summary, *figure_warning_lines(self._parts)])

    def _repr_mimebundle_(self, **_tiers: Any) -> Mapping[str, Any]:
        """All tiers at once: the live widget, a PNG for the saved notebook, a line of figures."""
        now = self._now()
        shown = self._views(now)
        widget = shown.displayed if shown is not None and shown.has_comms else None
        return view_bundle(repr(now), now.saved_picture, widget)

    @property
    def saved_picture(self) -> bytes:
        """What a saved notebook shows: PNG, 640 × 480 pixels. From any thread: it is drawn once."""
        with self._drawing:
            if self._picture is None:
                from vcad_kernel.render.picture import draw

                self._picture = draw([part.part_mesh() for part in self._own_parts], 640, 480, view="iso")
            return self._picture


def _joined(parts: Sequence[PartResult]) -> TriMesh:
    """The shown meshes of some parts as one."""
    return TriMesh.joined([part.mesh for part in parts])


def _unpickled(name: str, source: str, numbers: Sequence[int], content: bytes, folder: str | None) -> Part:
    """A part of a pickle; it has no view."""
    from notebook_ext.display.pickled_result import unpacked

    result = unpacked(content, folder)
    return Part(name, result, source, lambda _: None, tuple(result.parts[number] for number in numbers))
