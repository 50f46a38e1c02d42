"""What cells import: entities of SketchUp's model and parts of this session, and what each import gives now.

    found = imports.found(cell)         # the cell with what its imports give, and what must run before it
    imports.of(cell.cell_id)            # its references: edges of the graph
    imports.entities()                  # the entities that cells depend on: what is worth watching

What an import gives belongs to the run: it stands in the `CellSource`, so a history that is replayed gives
what it gave. The value of a part is no copy: the cell that makes the part stands earlier in the history.
A native solid comes in the real size that its instance has, in its own axes and from its own origin, as a
part of ours does; where it stands is `:transform`. On the session's thread, but for `findings`, `of` and
`entities`. Knows neither service nor truth; what lies outside of the cells it is given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.contracts.messages import CellSource, ClosedMesh, Imported
from vcad_kernel.errors import ErrorCode, LoonSyntaxError, Place, ServiceFailure, VcadError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from notebook_ext.display.part import Part
    from notebook_ext.session.project.design_model import DesignModel, Transform
    from notebook_ext.sketchup.bridge.bridge import Bridge
    from vcad_kernel.cad.imports import ExtractedImports, ImportForm
    from vcad_kernel.loon.diagnostics import Diagnostic

__all__ = ["CellImports", "Found", "ImportRef", "Outside"]

ResolvedType: TypeAlias = Literal["native", "vcad", "native_mesh"]
"""What an import is of: an entity that a person drew, a part of ours, the mesh of a drawn solid."""

_DATA: Final = "vcad.imports.data"
_MESH: Final = "vcad.imports.native_mesh"
_TOOL: Final = "resolve_vcad_import"

_LARGEST: Final = 6 * 2**20
"""Bytes of an imported mesh: as base64 they take half of a line of the service (16 MiB), in which a history
that is replayed goes over. Some 250,000 triangles."""

_RIGID: Final = 1e-12
"""By how much the stretch of an instance that is only moved and turned may differ from 1: rounding of 16
numbers in inches, some thousand times the spacing of doubles at 1."""

_FAILED: Final = 256
"""Cells that have failed whose references are kept: a kernel runs for weeks."""

_EXTRACTS: Final[Mapping[str, str]] = {
    "dimensions": "dims",
    "bbox": "bbox",
    "transform": "transform",
    "solid": "solid",
}
"""Ours → the extension's."""


@dataclass(frozen=True, slots=True)
class ImportRef:
    """One import of a cell: an edge of the graph."""

    binding_name: str
    entity_ref: str
    """``entity:…``, ``pid:…`` or ``node:…``, as the text has it."""
    extract: str
    resolved_type: ResolvedType = "native"
    source_node_id: str | None = None
    """The part of this session that it is of."""
    persistent_id: int | None = None
    """Of the entity, by which it is known beyond this run of SketchUp; None for a part, and where unknown."""

    @property
    def row(self) -> dict[str, Any]:
        """As the project's truth has it."""
        return {
            "binding_name": self.binding_name,
            "entity_ref": self.entity_ref,
            "extract": self.extract,
            "resolved_type": self.resolved_type,
            "source_node_id": self.source_node_id,
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A cell that can run: with what its imports give."""

    cell: CellSource
    first: tuple[CellSource, ...] = ()
    """Cells of linked parts that none has made here yet, in the order in which they must run before it."""


class Outside(Protocol):
    """What lies outside of the cells."""

    @property
    def workspace(self) -> Path:
        """The folder that SketchUp may write to for us."""

    def bridge(self) -> Bridge:
        """The way to SketchUp. Raises: VcadError."""

    def cells_of(self, names: Sequence[str], /) -> Sequence[CellSource]:
        """How linked parts that no cell has made here would be made; of a name that is not linked none."""

    def standing_part(self, node_id: str, /) -> Part:
        """The part that a linked node is now. Raises: VcadError."""

    def standing(self) -> DesignModel:
        """The project's truth. Raises: VcadError."""

    def placements(self) -> Mapping[str, Mapping[str, Transform]]:
        """Component → its instances, each with where it is to stand; from any thread."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a cell's last run imported."""

    name: str | None
    """Of its part."""
    refs: tuple[ImportRef, ...]
    failed: bool = False
    """Whether something could not be had: the cell is not in the history, and may be run again."""


class CellImports:
    """outside: asked for when something is imported. parts: those that cells have made, by name."""

    def __init__(self, outside: Callable[[], Outside], parts: Mapping[str, Part]) -> None:
        self._outside = outside
        self._parts = parts
        self._kept: dict[str, _Kept] = {}
        """By cell; the one that ran last comes last."""
        self._persistent: dict[str, int] = {}
        """``entity:…`` → the persistent id that it was last found to have."""
        self.before_reading: Callable[[frozenset[str]], object] = lambda _: None
        """Called with the entities that are about to be read: who watches them then misses nothing."""
        self._under_way: list[str] = []
        """The parts whose cells are being looked at: of which one imports the next."""

    # ---- what there is -----------------------------------------------------------------------

    def of(self, cell_id: str) -> tuple[ImportRef, ...]:
        """What a cell imported when it ran last; what has failed since, too. From any thread."""
        kept = self._kept.get(cell_id)
        return () if kept is None else kept.refs

    def rows(self, cell_id: str) -> list[dict[str, Any]]:
        """The same as the project's truth has it."""
        return [ref.row for ref in self.of(cell_id)]

    def cells(self) -> Mapping[str, tuple[ImportRef, ...]]:
        """What each cell imports, by its id. From any thread."""
        return {cell_id: kept.refs for cell_id, kept in list(self._kept.items())}

    def entities_of(self, cell_id: str) -> tuple[str, ...]:
        """The entities that a cell depends on, ``pid:…`` wherever that is known, else ``id:…``."""
        refs = self.of(cell_id)
        if not refs:
            return ()
        entities = (_entity(ref) for ref in refs if not ref.entity_ref.startswith("node:"))
        return tuple(dict.fromkeys(entities))

    def entities(self) -> frozenset[str]:
        """The entities that any cell depends on, as `entities_of`. From any thread."""
        if not self._kept:
            return frozenset()
        return frozenset(entity for cell_id in list(self._kept) for entity in self.entities_of(cell_id))

    def measured(self, nodes: Collection[str] | None) -> frozenset[str]:
        """The entities that cells measure and that are instances of some nodes, or of any."""
        return frozenset(
            _entity(ref)
            for refs in self.cells().values()
            for ref in refs
            if ref.source_node_id is not None
            and (nodes is None or ref.source_node_id in nodes)
            and ref.extract != "solid"
            and not ref.entity_ref.startswith("node:")
        )

    def findings(self, source: str, title: str) -> tuple[Diagnostic, ...]:
        """Which references of a text end with this run of SketchUp, and what to write in place of each.

        Of an entity that has been looked for at least once; asks no host. From any thread.
        """
        if not self._persistent or not any(ref in source for ref in list(self._persistent)):
            return ()
        from vcad_kernel.loon.diagnostics import Diagnostic, Label, Repair
        from vcad_kernel.loon.source import Span

        with suppress(VcadError):  # what is wrong with the text is said elsewhere
            program = _program(source, title)
            made = []
            for form, span in program.forms:
                known = self._persistent.get(form.entity_ref)
                if known is None:
                    continue
                start = source.find(f'"{form.entity_ref}"', span.start)
                lasting = f'"pid:{known}"'
                place = Span(span.source, start, start + len(form.entity_ref) + 2)
                made.append(
                    Diagnostic(
                        "ENTITY_REFERENCE",
                        f"{form.entity_ref} names the entity only until SketchUp is closed",
                        (Label(place),),
                        why="SketchUp gives out other numbers each time a model is opened",
                        fix=f"write {lasting}, which stays",
                        severity="warning",
                        repairs=(Repair(place, lasting),),
                    )
                )
            return tuple(made)
        return ()

    def forget(self, cell_id: str) -> None:
        """A cell imports nothing any more."""
        self._kept.pop(cell_id, None)

    def prune(self, cells: Collection[str]) -> None:
        """Only these cells matter any more; of those that have failed, the last few do, too."""
        if not self._kept:
            return
        gone = [cell_id for cell_id, kept in self._kept.items() if cell_id not in cells]
        failed = [cell_id for cell_id in gone if self._kept[cell_id].failed]
        for cell_id in {*gone} - {*failed[-_FAILED:]}:
            del self._kept[cell_id]

    def clear(self) -> None:
        """There are no cells."""
        self._kept.clear()

    # ---- finding values ----------------------------------------------------------------------

    def found(self, cell: CellSource, *, keep: bool = True) -> Found:
        """A cell with what its imports give now. keep: whether it is a cell, rather than a text that is
        looked at and leaves nothing behind.

        Where something cannot be had, all is as it was, but that the references are known.
        Raises: ServiceFailure IMPORT_FORM_INVALID, ENTITY_NOT_FOUND, ENTITY_NOT_SOLID, NODE_NOT_FOUND,
        NODE_AMBIGUOUS, NO_TRANSFORMATION, SOLID_IMPORT_UNAVAILABLE, DEPENDENCY_CYCLE, PAYLOAD_TOO_LARGE;
        CapabilityUnavailable; what the bridge raises; each with the place of the import.
        """
        try:
            program = _program(cell.source, cell.title)
        except LoonSyntaxError:  # said when it runs
            return Found(cell)
        if not program.imports:
            if keep:
                self.forget(cell.cell_id)
            return Found(replace(cell, imports={}) if cell.imports else cell)
        entities = {form.entity_ref for form in program.imports if not form.entity_ref.startswith("node:")}
        if keep and not entities <= {ref.entity_ref for ref in self.of(cell.cell_id)}:
            self.before_reading(self.entities() | entities)
        looking = _Looking(self, cell.bind if keep else None)
        refs: list[ImportRef] = []
        try:
            with self._looking_at(cell.bind if keep else None):
                for form, span in program.forms:
                    refs.append(looking.ref(form, span.place()))
        except VcadError:
            if keep:
                self._keep_known(cell, program, refs)
            raise
        if keep:
            self._keep(cell, refs)
        return Found(replace(cell, imports=looking.values), tuple(looking.first))

    @contextmanager
    def _looking_at(self, name: str | None) -> Iterator[None]:
        if name is None:
            yield
            return
        self._under_way.append(name)
        try:
            yield
        finally:
            self._under_way.pop()

    def _keep(self, cell: CellSource, refs: Sequence[ImportRef], *, failed: bool = False) -> None:
        self._kept.pop(cell.cell_id, None)
        if refs:
            self._kept[cell.cell_id] = _Kept(cell.bind, tuple(refs), failed)

    def _keep_known(self, cell: CellSource, program: ExtractedImports, refs: Sequence[ImportRef]) -> None:
        """What is known of the references of a cell that cannot run: an entity may come back.

        The edges between parts stay those of its last run, which still stands.
        """
        before = {(ref.entity_ref, ref.extract): ref for ref in self.of(cell.cell_id)}
        by_entity = {(ref.entity_ref, ref.extract): ref for ref in refs}
        rows = []
        for form in program.imports:
            key = form.entity_ref, form.extract
            ref = before.get(key) or by_entity.get(key) or ImportRef(form.binding_name, *key)
            if not ref.entity_ref.startswith("node:"):
                rows.append(ref)
        edges = [ref for ref in before.values() if ref not in rows]
        self._keep(cell, [*edges, *rows], failed=True)

    # ---- cycles ------------------------------------------------------------------------------

    def refuse_cycle(self, name: str | None, source: str) -> None:
        """Let pass what closes no cycle of parts. name: of the part that is to import another.

        Raises: ServiceFailure DEPENDENCY_CYCLE.
        """
        if source in self._under_way:
            cycle = [*self._under_way[self._under_way.index(source) :], source]
        elif name is not None and (way := self._way(source, name)):
            cycle = [name, *way]
        else:
            return
        raise ServiceFailure(
            ErrorCode.DEPENDENCY_CYCLE,
            f"{cycle[0]} would be built from itself: {' ← '.join(cycle)}",
            fix="let one of them use what both share: a module, or a part of its own",
            details={"cycle": [node_id_of(name) for name in cycle]},
        )

    def _way(self, name: str, to: str) -> list[str]:
        """The parts from one to another, each built from the next; empty where there is no way."""
        sources = {
            kept.name: [name_of(ref.source_node_id) for ref in kept.refs if ref.source_node_id is not None]
            for kept in self._kept.values()
            if kept.name is not None
        }
        ways = [[name]]
        seen: set[str] = set()
        while ways:
            way = ways.pop()
            if way[-1] == to:
                return way
            if way[-1] not in seen:
                seen.add(way[-1])
                ways += [[*way, source] for source in sources.get(way[-1], ())]
        return []

    # ---- for those who look ------------------------------------------------------------------

    @property
    def outside(self) -> Outside:
        """What lies outside of the cells."""
        return self._outside()

    def part(self, name: str) -> Part | None:
        """The part that a cell here has made."""
        return self._parts.get(name)

    def note_persistent(self, entity_ref: str, persistent_id: int | None) -> None:
        """An entity has this persistent id."""
        if entity_ref.startswith("entity:") and persistent_id is not None:
            self._persistent[entity_ref] = persistent_id


def _entity(ref: ImportRef) -> str:
    """The entity of a reference, as the graph names it."""
    if ref.persistent_id is not None:
        return f"pid:{ref.persistent_id}"
    return ref.entity_ref.replace("entity:", "id:", 1)


class _Looking:
    """One cell's imports being looked for. name: of its part."""

    def __init__(self, imports: CellImports, name: str | None) -> None:
        self._imports = imports
        self._name = name
        self.values: dict[str, Imported] = {}
        """By `ImportForm.key`."""
        self.first: list[CellSource] = []
        self._refs: dict[str, ImportRef] = {}

    def ref(self, form: ImportForm, place: Place) -> ImportRef:
        """What a form refers to; its value is among ``values`` then. Raises: VcadError, with a place."""
        known = self._refs.get(form.key)
        if known is not None:  # one entity under two names is asked for once
            return replace(known, binding_name=form.binding_name)
        try:
            look = self._node if form.entity_ref.startswith("node:") else self._entity
            ref, value = look(form)
        except VcadError as error:
            error.place = error.place or place
            error.details.setdefault("entity_ref", form.entity_ref)
            raise
        self._refs[form.key] = ref
        self.values[form.key] = value
        return ref

    # ---- parts of this session ---------------------------------------------------------------

    def _node(self, form: ImportForm) -> tuple[ImportRef, Imported]:
        name = name_of(node_id_of(form.entity_ref.partition(":")[2]))
        self._imports.refuse_cycle(self._name, name)
        part = self._there(name)
        ref = ImportRef(form.binding_name, form.entity_ref, form.extract, "vcad", node_id_of(name))
        if form.extract == "solid":
            return ref, self._solid_of(form, name, part)
        if form.extract == "transform":
            return ref, Imported({"matrix": self._placement(form, name)})
        part = part or self._imports.outside.standing_part(node_id_of(name))
        bounds = part.bounds
        if bounds is None:
            raise _unavailable(form, "it is empty, and has no extent")
        low, high = bounds
        if form.extract == "bbox":
            return ref, Imported({"min": list(map(float, low)), "max": list(map(float, high))})
        return ref, Imported(
            _dimensions([float(top - bottom) for bottom, top in zip(low, high, strict=True)])
        )

    def _there(self, name: str) -> Part | None:
        """The part that a cell has made; None for one that is linked, and made by none here yet.

        Raises: ServiceFailure NODE_NOT_FOUND; as looking for its own imports does.
        """
        part = self._imports.part(name)
        if part is not None:
            return part
        cells = self._imports.outside.cells_of([name])
        if not cells:
            raise ServiceFailure(
                ErrorCode.NODE_NOT_FOUND,
                f"there is no part {name!r} in this session",
                fix=f"run the cell that makes it, `%%loon {name}`, or mend the name",
                details={"node_id": node_id_of(name)},
            )
        for cell in cells:
            with self._imports._looking_at(name):
                inner = _Looking(self._imports, None)
                whole = inner.whole(cell)
            for needed in (*inner.first, whole):
                if needed.cell_id not in {known.cell_id for known in self.first}:
                    self.first.append(needed)
        return None

    def whole(self, cell: CellSource) -> CellSource:
        """A cell with what its imports give. Raises: VcadError."""
        for form, span in _program(cell.source, cell.title).forms:
            self.ref(form, span.place())
        return replace(cell, imports=self.values)

    def _solid_of(self, form: ImportForm, name: str, part: Part | None) -> Imported:
        """The model of a part. Raises: ServiceFailure SOLID_IMPORT_UNAVAILABLE."""
        if part is not None and len(part.parts) != 1:
            raise _unavailable(form, f"it gives {len(part.parts)} parts")
        return Imported(node=name)

    def _placement(self, form: ImportForm, name: str) -> list[float]:
        """The transformation of a part's only instance.

        Raises: ServiceFailure NO_TRANSFORMATION, NODE_AMBIGUOUS.
        """
        there = dict(self._imports.outside.standing().instances_of(node_id_of(name)))
        if not there:
            raise ServiceFailure(
                ErrorCode.NO_TRANSFORMATION,
                f"{form.entity_ref} stands nowhere: it has not been placed",
                fix=f"place it: `%%loon {name} --push`",
            )
        if len(there) > 1:
            raise ServiceFailure(
                ErrorCode.NODE_AMBIGUOUS,
                f"{form.entity_ref} stands at {len(there)} places: {', '.join(sorted(there))}",
                fix='import the :transform of one instance, by its "pid:…"',
                details={
                    "entity_ids": [
                        None if instance.execution is None else instance.execution.entity_id
                        for instance in there.values()
                    ]
                },
            )
        (instance,) = there.values()
        return list(map(float, instance.transform))

    # ---- entities of SketchUp's model ----------------------------------------------------------

    def _entity(self, form: ImportForm) -> tuple[ImportRef, Imported]:
        kind, _, number = form.entity_ref.partition(":")
        bridge = self._imports.outside.bridge()
        bridge.connection.require(_MESH if form.extract == "solid" else _DATA, _TOOL)
        entity_id, persistent_id = (None, int(number)) if kind == "pid" else (int(number), None)
        extract = _EXTRACTS[form.extract]
        answer = bridge.resolve_import(entity_id=entity_id, persistent_id=persistent_id, extract=extract)
        persistent_id = answer.get("persistent_id")
        persistent_id = persistent_id if isinstance(persistent_id, int) else None
        self._imports.note_persistent(form.entity_ref, persistent_id)
        source = answer.get("vcad_node_id")
        source = source if isinstance(source, str) and self._is_ours(source) else None
        if source is not None:
            self._imports.refuse_cycle(self._name, name_of(source))
        ref = ImportRef(
            form.binding_name,
            form.entity_ref,
            form.extract,
            "native" if source is None else "vcad",
            source,
            persistent_id,
        )
        if form.extract != "solid":
            return ref, Imported(_data(form.extract, answer.get("data")))
        if answer.get("source") == "vcad":
            if source is None:
                raise _unavailable(form, f"it is {answer.get('vcad_node_id')}, a part of another project")
            name = name_of(source)
            return ref, self._solid_of(form, name, self._there(name))
        mesh = self._mesh(answer, form)
        return replace(ref, resolved_type="native_mesh"), Imported(mesh=mesh)

    def _is_ours(self, node_id: str) -> bool:
        """Whether it is a part of this project."""
        name = name_of(node_id)
        return self._imports.part(name) is not None or bool(self._imports.outside.cells_of([name]))

    def _mesh(self, answer: Mapping[str, Any], form: ImportForm) -> ClosedMesh:
        """The mesh of a drawn solid, in the size that it really has.

        Raises: ServiceFailure ENTITY_NOT_SOLID, PAYLOAD_TOO_LARGE, SCHEMA_VALIDATION_FAILED.
        """
        import numpy as np

        from vcad_kernel.geometry.mesh.reading.literal import closed_edges

        mesh = answer.get("mesh")
        if mesh is None:
            mesh = self._file(str(answer.get("mesh_file") or ""))
        given = mesh if isinstance(mesh, dict) else {}
        transform = answer.get("transform")
        with _understood("mesh", "positions and indices of triangles"):
            points = np.asarray(given["positions"], np.float64).reshape(-1, 3)
            triangles = np.asarray(given["indices"] or [0, 0, 0]).reshape(-1, 3)
            if not (np.issubdtype(triangles.dtype, np.integer) and np.isfinite(points).all()):
                raise ValueError("no numbers of a mesh")
            if given["indices"] and not 0 <= triangles.min() <= triangles.max() < len(points):
                raise ValueError("an index without a point")
        if not given["indices"] or closed_edges(triangles.astype(np.int64), len(points)):
            raise ServiceFailure(
                ErrorCode.ENTITY_NOT_SOLID,
                f"{form.entity_ref} is no closed solid",
                fix="close it in SketchUp, or import its :bbox or :dimensions",
            )
        stretch = _stretch(_matrix(transform if transform is not None else {}, "transform"))
        if stretch is not None:
            points = points @ stretch.T
            if np.linalg.det(stretch) < 0:
                triangles = triangles[:, ::-1]
        mesh = ClosedMesh(points.astype("<f8").tobytes(), triangles.astype("<i4").tobytes())
        size = len(mesh.positions) + len(mesh.indices)
        if size > _LARGEST:
            raise ServiceFailure(
                ErrorCode.PAYLOAD_TOO_LARGE,
                f"{form.entity_ref} has {len(triangles)} triangles, more than can be imported",
                fix="export it from SketchUp as a file of the workspace, and use [import-mesh …]",
                details={"limit": _LARGEST, "size": size},
            )
        return mesh

    def _file(self, path: str) -> Any:
        """A mesh that SketchUp has written beside its answer; the file is not needed any more."""
        from vcad_kernel.paths import Workspace

        files = Workspace(self._imports.outside.workspace)
        text = files.read(path)
        with suppress(OSError):
            files.resolve(path).unlink()
        with _understood("mesh_file", "JSON"):
            try:
                return json.loads(text)
            except RecursionError:
                raise ValueError("nested too deeply") from None


def _program(source: str, title: str) -> ExtractedImports:
    """Raises: LoonSyntaxError; ServiceFailure IMPORT_FORM_INVALID."""
    from vcad_kernel.cad.imports import extract_imports
    from vcad_kernel.loon.source import Source

    return extract_imports(Source(title, source))


def _unavailable(form: ImportForm, reason: str) -> ServiceFailure:
    return ServiceFailure(
        ErrorCode.SOLID_IMPORT_UNAVAILABLE,
        f"{form.entity_ref} cannot be taken as a solid: {reason}"
        if form.extract == "solid"
        else f"{form.entity_ref} cannot be measured: {reason}",
        fix="import a part that is one solid, as a cell of this session has made it",
        details={"entity_ref": form.entity_ref, "reason": reason},
    )


# ---- what the extension answers ------------------------------------------------------------------


@contextmanager
def _understood(path: str, expected: str) -> Iterator[None]:
    """Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for whatever is not as it must be."""
    try:
        yield
    except (TypeError, ValueError, KeyError, OverflowError) as bad:
        from notebook_ext.sketchup.bridge.answers import broken

        raise broken(_TOOL, path, expected) from bad


def _data(extract: str, given: Any) -> Mapping[str, Any]:
    """What was measured of an entity, as the program gets it: every number a float."""
    with _understood("data", f"the {extract} of an entity, in finite numbers"):
        if extract == "dimensions":
            return _dimensions(_numbers([given[name] for name in ("width", "height", "depth")], 3))
        if extract == "bbox":
            return {name: _numbers(given[name], 3) for name in ("min", "max")}
        return {"matrix": _numbers(given["matrix"], 16)}


def _dimensions(sizes: Sequence[float]) -> Mapping[str, float]:
    """Along X, Y and Z."""
    return dict(zip(("width", "height", "depth"), sizes, strict=True))


def _numbers(given: Any, count: int) -> list[float]:
    import math

    numbers = [float(number) for number in given if not isinstance(number, bool | str)]
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{count} finite numbers")
    return numbers


def _matrix(given: Any, path: str) -> list[float]:
    with _understood(path, "a matrix of 16 finite numbers"):
        return _numbers(given["matrix"], 16)


def _stretch(matrix: Sequence[float]) -> NDArray[np.float64] | None:
    """What an instance's transformation does to size and shape, without its turn: (3, 3), mm to mm.

    matrix: 16 numbers, column by column. With M = Q U, Q a rotation and U upper triangular, U is the scale
    along each axis, and shear where there is some; mirroring is in its first row. None for one that is only
    moved and turned.
    Raises: ServiceFailure SCHEMA_VALIDATION_FAILED for one that flattens everything.
    """
    import numpy as np

    from vcad_kernel.operations.bodies.transforms import turn_of

    with _understood("transform", "a matrix that keeps solids solid"):
        turn = np.array(turn_of(matrix))
    linear = np.array(matrix, np.float64).reshape(4, 4).T[:3, :3] / matrix[15]
    stretch = np.triu(turn @ linear)
    return None if np.abs(stretch - np.eye(3)).max() <= _RIGID else stretch
