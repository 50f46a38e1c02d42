"""The service says what evaluation in this process says: the same cases through both, compared in everything.

A `Story` is a notebook's cells before one form of the service; what it tells is all that a user could see.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import re
import signal
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import psutil
import pytest
import trimesh

from notebook_ext.viewer.relay.nodes import mesh_buffers
from tests.service import warm
from vcad_kernel.cad.imports import extract_imports
from vcad_kernel.contracts.messages import CellSource, ClosedMesh, HistoryEntry, Imported, TakenBack
from vcad_kernel.errors import GeometryError, VcadError
from vcad_kernel.geometry.measure.between.changes import Changed
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.readings import Picked
from vcad_kernel.geometry.mesh.surface.edges import Creases
from vcad_kernel.loon.source import Source
from vcad_kernel.render.picture import draw
from vcad_kernel.service.client.recent_meshes import RecentMeshes
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult, EvaluationService, PartResult
from vcad_kernel.service.questions import (
    ChangedFrom,
    ClearanceOf,
    Drawing,
    EdgesOf,
    Export,
    FacesOf,
    FiguresOf,
    InterferenceOf,
    MeasureBetween,
    SceneOf,
    Section,
    SelectorFor,
)
from vcad_kernel.service.requests import EvalCell, EvalCode

PATIENCE = 60.0
"""Seconds that a test waits for what must come."""

Told = Any
"""Plain data that can be compared."""


class Story:
    """A notebook's cells before one form of the service."""

    def __init__(self, service: EvaluationService, folder: Path) -> None:
        self.service = service
        self.folder = folder
        self.history: list[HistoryEntry] = []
        self.told: list[Told] = []
        self.results: list[EvaluationResult] = []

    def run(
        self,
        source: str,
        cell_id: str = "",
        *,
        name: str = "",
        bind: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        tolerance: float | None = None,
        exact: bool = False,
        imports: Mapping[str, Imported] = MappingProxyType({}),
        **bindings: Any,
    ) -> None:
        """Run a cell and tell what came of it. imports: by reference."""
        cell_id = cell_id or f"cell-{len(self.history)}"
        earlier = tuple(self.history)
        given = {
            form.key: imports[form.entity_ref]
            for form in (extract_imports(Source("cell", source)).imports if imports else ())
        }
        self.history.append(CellSource(cell_id, source, name, bindings, bind, dict(parameters or {}), given))
        self._tell(
            lambda output: self.service.evaluate(
                EvalCell(
                    source,
                    earlier,
                    bindings=bindings,
                    cell_id=cell_id,
                    name=name,
                    bind=bind,
                    base_dir=self.folder,
                    parameters=parameters,
                    tolerance=tolerance,
                    exact=exact,
                    imports=given,
                ),
                output=output,
            )
        )
        self.told.append([(name, _plain(one)) for name, one in self.service.definitions().items()])

    def program(self, source: str, **options: Any) -> None:
        """Run a program of its own and tell what came of it."""
        options.setdefault("base_dir", self.folder)
        self._tell(lambda output: self.service.evaluate(EvalCode(source, **options), output=output))

    def take_back(self, *names: str) -> None:
        self.service.take_back(names)
        self.history.append(TakenBack(frozenset(names)))
        self.told.append(list(self.service.definitions()))

    def check(self, source: str, cell_id: str = "", name: str = "", **bindings: Any) -> None:
        found = self.service.check(source, cell_id=cell_id, name=name, bindings=bindings)
        self.told.append([one.render() for one in found])

    def ask(self, question: Callable[[EvaluationResult], Told]) -> None:
        """Ask something of the last result."""
        self.told.append(_or_refusal(lambda: question(self.results[-1])))

    def forget_all(self) -> None:
        self.history.clear()

    def _tell(self, evaluate: Callable[[Callable[[str], object]], EvaluationResult]) -> None:
        printed: list[str] = []

        def told() -> Told:
            result = evaluate(printed.append)
            self.results.append(result)
            return _account(result)

        found = _or_refusal(told)
        self.told.append((found, "".join(printed)))


def _or_refusal(find: Callable[[], Told]) -> Told:
    """What is found, or the error as people and programs see it."""
    try:
        return find()
    except VcadError as error:
        # an error that crosses a border says at the least which call it ended
        details = {key: value for key, value in error.details.items() if key not in ("operation", "depth")}
        # how deep is too deep depends on how deep in Python the program was begun
        rendered = re.sub(r"\b99\d\d\d\b", "99…", error.render())
        return type(error).__name__, error.error_code, error.code, rendered, details


def _account(result: EvaluationResult) -> Told:
    """All that a result says, but for times and what caches happened to know."""
    return {
        "display": result.display,
        "value": repr(result.value),
        "document_hash": result.document_hash,
        "source_hash": result.source_hash,
        "stdout": result.stdout,
        "warnings": [_plain(one) for one in result.warnings],
        "diagnostics": [one.render() for one in result.diagnostics],
        "parameters": [_plain(one) for one in result.parameters],
        "modules": result.modules,
        "obsolete": result.obsolete,
        "defined": result.defined,
        "parts": [_part(one) for one in result.parts],
        # whether a node was asked for its B-rep depends on what was known of it
        "profile": list(
            dict.fromkeys((row.node, row.function, row.name, row.place) for row in result.profile())
        ),
    }


def _part(part: PartResult) -> Told:
    mesh = part.mesh
    return {
        "name": part.name,
        "material": _plain(part.material),
        "node": int(part.node),
        "place": part.document.place_of(part.node),
        "function": part.document.function_of(part.node),
        "digest": part.digest,
        "positions": mesh.positions.tobytes(),
        "indices": mesh.indices.tobytes(),
        "source_nodes": mesh.source_nodes.tobytes(),
        "of the mesh": figures_of(part.mesh_figures),
        "figures": figures_of(part.figures),
        "notes": [_plain(one) for one in part.figure_warnings()],
    }


def figures_of(figures: Figures) -> Told:
    """All figures, those that are found when they are asked for, too."""
    return {
        **{
            one.name: getattr(figures, one.name)
            for one in dataclasses.fields(figures)
            if one.name not in ("mesh_of", "from_brep")
        },
        "inertia": figures.inertia,
        "is_manifold": figures.is_manifold,
        "genus": figures.genus,
        "lumps": figures.lumps,
        "shells": figures.shells,
        "relative": figures.relative,
    }


def _plain(value: Any) -> Told:
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else msgspec.structs.asdict(value)


# ---- the two forms -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("workspace")
    (folder / "plates.oo").write_text("[pub fn plate [w] [cube w w 1]]", "utf-8")
    (folder / "broken.oo").write_text("[pub fn plate [w]", "utf-8")
    trimesh.creation.box(bounds=[[0, 0, 0], [10, 10, 10]]).export(folder / "box.stl")
    return folder


@pytest.fixture(scope="module")
def client(workspace: Path) -> Iterator[ServiceClient]:
    """A real service: front, worker and all."""
    with ServiceClient.start(workspace) as service:
        yield service


@pytest.fixture(params=["in process", "as a service"])
def service(request: pytest.FixtureRequest, workspace: Path) -> EvaluationService:
    """Either form, for what has to hold of both."""
    if request.param == "in process":
        return DirectService(folder=workspace)
    client: ServiceClient = request.getfixturevalue("client")
    return client


Tale = Callable[[Story], None]


def compared(tale: Tale, client: ServiceClient, workspace: Path) -> list[Told]:
    """What a story tells, which must be the same in both forms."""
    stories = [Story(DirectService(folder=workspace), workspace), Story(client, workspace)]
    for story in stories:
        tale(story)
    direct, remote = (story.told for story in stories)
    for number, (one, other) in enumerate(zip(direct, remote, strict=True)):
        assert other == one, _difference(one, other, f"told[{number}]")
    return direct


def _difference(one: Told, other: Told, path: str) -> str:
    """Where two tellings first differ."""
    if type(one) is type(other) and isinstance(one, dict) and one.keys() == other.keys():
        pairs = [(one[key], other[key], f"{path}[{key!r}]") for key in one]
    elif type(one) is type(other) and isinstance(one, list | tuple) and len(one) == len(other):
        pairs = [
            (mine, theirs, f"{path}[{at}]") for at, (mine, theirs) in enumerate(zip(one, other, strict=True))
        ]
    else:
        return f"{path}: in process {one!r:.600}, as a service {other!r:.600}"
    return next(_difference(*pair) for pair in pairs if pair[0] != pair[1])


def cells(*sources: str) -> Tale:
    """A story of cells without options."""

    def tale(story: Story) -> None:
        for source in sources:
            story.run(source)

    return tale


HOLED = "[difference [cube 10 20 30] [translate 5 10 -1 [cylinder 3 40]]]"
ROUNDED = "[fillet 2.0 [cube 20.0 30.0 40.0]]"
MESH = "[ImportedMesh #[0 0 0 9 0 0 0 9 0 0 0 9] #[0 2 1 0 1 3 0 3 2 1 2 3] #[]]"


@pytest.mark.parametrize(
    "sources",
    [
        ("[cube 50 30 5]",),
        ("[let wall 3]", "[cube wall wall wall]", "wall"),
        (HOLED,),
        (ROUNDED,),
        ("[sphere 5]", "[sphere 5]"),
        (
            '#[[material "steel" 0.5 0.6 0.7 1.0 0.3] [root [cube 1 2 3] "steel"]'
            ' [root [translate 5 0 0 [sphere 1]] "nothing"]'
            " [intersection [cube 1 1 1] [translate 9 9 9 [cube 1 1 1]]]]",
        ),
        ("[let lid [cube 9 9 1]] [let box [cube 9 9 9]]", "#[box [translate 0 0 9 lid]]"),
        ("[linear-pattern 1 0 0 70 3 [cylinder 1 2]]",),
        (MESH, f"[difference [cylinder 1 20] {MESH}]"),
        ("[intersection [cube 1 1 1] [translate 5 5 5 [cube 1 1 1]]]",),
        ("#[1 2.5 [tuple 1 2]]", '{:wide 3 :name "x"}', "[/ 1.0 0.0]", "[- [/ 1.0 0.0] [/ 1.0 0.0]]"),
        ("9223372036854775807", "[fn f [] 1]", "f", "[line 0 0 1 0]", '"µ 😀"', ":key", "true", "[]"),
        ('[println "one"] [print "two"] 3', '[println "µ"]'),
        ("[defparam width 20 :unit :mm :min 5 :max 50] [cube width 1 1]",),
        ("[use plates]", "[plates.plate 3]"),
        ("[fn wrong [] [uppercase 3]] 4",),
        ('[import-mesh "box.stl"]',),
        ("[let a 1] [let b 2]", "[macro twice [x] `[* 2 ~x]]", "[type Shape [Round float] Flat] [Round 2.0]"),
        ("[loft #[[circle 5]] ]",),
    ],
)
def test_cells_give_the_same(sources: tuple[str, ...], client: ServiceClient, workspace: Path) -> None:
    compared(cells(*sources), client, workspace)


@pytest.mark.parametrize(
    "source",
    [
        "[cube 1",
        "[let",
        "missing",
        "[cube 1 2]",
        '[+ 1 "a"]',
        "[1 2]",
        "[nth #[] 0]",
        "[sphere 0]",
        "\n[fillet 6 [cube 10 20 30]]",
        "[shell 20 [cube 10 20 30]]",
        "[fn deep [n] [+ 1 [deep [+ n 1]]]] [deep 0]",
        "[use missing]",
        "[use broken]",
        '[import-mesh "../secret.stl"]',
        '[import-mesh "missing.stl"]',
        '[println "before"] [panic "no"]',
        "[let kept 1] [nth #[] 0] [let lost 2]",
        "[macro m [x] [nth #[] 0]] [m 1]",
        f"[fillet 1 {MESH}]",
        "[raise 3]",
        "[defparam width 20 :min 30] width",
    ],
)
def test_failures_are_told_in_the_same_words(source: str, client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        story.run(source, "failing", name="In[7]")
        story.check(source, "another")
        story.check("[+ kept 1] lost")
        story.run("5")
        story.program(source, file="program.oo")

    compared(tale, client, workspace)


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("[cube 1 2 3]", {}),
        ("[cube w w 1]", {"bindings": {"w": 3}}),
        ("[fn main [] [cube 1 1 2]]", {}),
        ("#[]", {}),
        ("42", {}),
        ("42", {"allow_scene": True}),
        ("[test adds [] 1] 4", {"tests": "subtracts"}),
        ("#[[cube 1 1 1] [cube 2 2 2]]", {}),
        ("#[[cube 1 1 1] [cube 2 2 2]]", {"allow_scene": True}),
        ("[cube 1 1 1]", {"parameters": {"width": 3}}),
        ("[defparam width 20 :max 50] [cube width 1 1]", {"parameters": {"width": 30}}),
        ("[defparam width 20 :max 50] [cube width 1 1]", {"parameters": {"width": 60}}),
        ("[defparam width 20 :max 50] [cube width 1 1]", {"parameters": {"width": float("nan")}}),
        ("[defparam width 20 :max 50] [cube width 1 1]", {"parameters": {"width": "x"}}),
        ("[sphere 50]", {"tolerance": 0.5}),
        ("[linear-pattern 1 0 0 70 3 [cylinder 1 2]]", {"exact": True}),
        (f"[difference [cylinder 1 20] {MESH}]", {"exact": True}),
        ("[use plates] [plates.plate 3]", {}),
        ("[use plates] [plates.plate 3]", {"base_dir": None}),
        ("[cube a 1 1]", {"bindings": {"a": object()}}),
        ('[println "x"] [cube 1 1 1]', {"file": "parts/x.oo"}),
    ],
)
def test_programs_give_the_same(
    source: str, options: dict[str, Any], client: ServiceClient, workspace: Path
) -> None:
    compared(lambda story: story.program(source, **options), client, workspace)


MANY_NAMES = " ".join(f"[let x{number} {number}]" for number in range(40))
"""So many that the service tells only which of them have changed."""


@pytest.mark.parametrize("others", ["", MANY_NAMES], ids=["few", "many"])
def test_names_come_and_go_with_their_cells(others: str, client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        story.run(others, "others")
        story.run("[let zeta 1]\n[let beta 2] [let alpha 3]", "first")
        story.run("[cube wide 1 1]", "second", bind="plate", wide=4)
        story.run("[let many [range 0 10000]] [macro twice [x] `[* 2 ~x]]", "third")
        story.run("[twice [get many 7]]", bind="seven")
        story.run("[cube 1 1 1]", bind="sphere")
        story.run("[let beta 5]", "first")
        story.run("alpha")
        story.check("[twice beta] [+ wide 1] alpha")
        story.check("[+ plate 1] [str-len seven] [str-len wide]")
        story.check("[union plate plate]")
        story.take_back("twice", "many", "plate")
        story.run("[twice 2]")
        story.run("[let a 1] [fn len [x] 42]")
        story.run("[len #[1 2]]")
        story.take_back("a", "len")
        story.check("[len #[1 2]] a")
        story.run("[len #[1 2]]")
        story.run("[let beta 1]", "fourth")
        story.run("[let gamma 1]", "first")
        story.run("beta")

    compared(tale, client, workspace)


def test_a_program_of_one_long_line_takes_no_more_room_than_its_parts(
    client: ServiceClient, workspace: Path
) -> None:
    def source(count: int) -> str:
        return "#[" + " ".join(f"[translate {2 * at} 0 0 [cube 1 1 {at + 1}]]" for at in range(count)) + "]"

    compared(cells(source(100)), client, workspace)
    few, many = (
        len(json.dumps(client.tool("vcad.eval_cell", {"code": source(count), "document": True})))
        for count in (100, 400)
    )
    assert many < 5 * few


def test_a_fresh_history_is_a_fresh_environment(client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        story.run("[let a 1]")
        story.forget_all()
        story.check("a")
        story.run("a")
        story.run("[let b 2]")
        story.check("[+ a b]")

    compared(tale, client, workspace)


@pytest.mark.parametrize(
    "value",
    [3, -2.5, 1.0, "text µ \udc80", True, None, [1, [2.5, "x"]], (1, "a"), {"wide": {"x": [1]}}, [0] * 5000],
)
def test_values_from_python_arrive_as_they_are(value: Any, client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        story.run("given", given=value)
        story.run("#[given given]")
        story.check("[+ given 1] [str-len given]")
        story.check("[len given]", given=value)

    compared(tale, client, workspace)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"two words": 1}, 2**70])
def test_values_that_loon_cannot_take_are_refused_alike(
    value: Any, client: ServiceClient, workspace: Path
) -> None:
    def tale(story: Story) -> None:
        story.program("given", bindings={"given": value})

    compared(tale, client, workspace)


def test_parameters_are_set_and_told(client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        source = '[defparam width 20 :unit :mm :min 5 :max 50 :step 0.5 :doc "Across."] [cube width 1 1]'
        story.run(source, "p")
        for width in (7, 8.5, 500):
            story.run(source, "p", parameters={"width": width})
        story.run(source, "p", parameters={"height": 1})

    compared(tale, client, workspace)


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan")])
def test_what_is_no_tolerance_is_a_mistake_of_the_caller(
    tolerance: float, service: EvaluationService, workspace: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="chord must be greater than 0"):
        service.evaluate(EvalCode("[sphere 1]", tolerance=tolerance))
    (part,) = service.evaluate(EvalCode("[sphere 1]")).parts
    with pytest.raises(ValueError, match="chord must be greater than 0"):
        part.answers.ask(Export(path=tmp_path / "a.stl", chord=tolerance), part)
    with pytest.raises(ValueError, match="normal"):
        part.answers.ask(
            Section(path=tmp_path / "a.svg", origin=None, normal=(0.0, 0.0, tolerance * 0.0)), part
        )


def test_dragging_a_slider_leaves_one_entry(service: EvaluationService, workspace: Path) -> None:
    story = Story(service, workspace)
    for width in range(30):
        story.run(
            "[defparam width 20] [let plate [cube width 1 1]] plate", "p", parameters={"width": width + 1}
        )
        stale = story.results[-1].obsolete
        story.history = [one for index, one in enumerate(story.history) if index not in stale]
    assert len(story.history) == 1
    assert story.results[-1].parts[0].figures.volume == 30


def test_exact_figures_tables_and_distances(client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        for source in (
            HOLED,
            ROUNDED,
            "[cube 1 2 3]",
            "[linear-pattern 1 0 0 70 3 [cylinder 1 2]]",
            f"[difference [cylinder 1 20] {MESH}]",
        ):
            story.run(source)
            for exact in (False, True):
                story.ask(lambda result, exact=exact: _tables(result, exact))
        story.run("#[[cube 1 2 3] [translate 9 0 0 [sphere 2]] [translate 0 1 0 [cylinder 1 4]]]")
        for exact in (False, True):
            story.ask(lambda result, exact=exact: _pairs(result.parts, result.parts, exact))
        first = story.results[0]
        story.ask(lambda result: _pairs(first.parts, result.parts, False))

    compared(tale, client, workspace)


def test_what_a_viewer_asks_is_the_same_in_both_forms(client: ServiceClient, workspace: Path) -> None:
    def tale(story: Story) -> None:
        for source in (HOLED, "[sphere 5]", f"[difference [cylinder 1 20] {MESH}]", "[empty]"):
            story.run(source)
            story.ask(lambda result: _arrays(result.parts[0].answers.ask(SceneOf(), result.parts[0])))
        story.run(ROUNDED)
        story.run("[translate 30.0 0.0 0.0 [cube 20.0 30.0 45.0]]")
        rounded, block = story.results[-2].parts[0], story.results[-1].parts[0]
        top, pose = Picked("face", point=(40.0, 15.0, 45.0)), (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 9, 0, 0, 0, 1)
        story.ask(lambda _: block.answers.ask(MeasureBetween(a=top), block))
        beside = MeasureBetween(a=top, b=Picked("part"), b_pose=tuple(map(float, pose)))
        story.ask(lambda _: block.answers.ask(beside, block, rounded))
        story.ask(
            lambda _: _or_refusal(lambda: block.answers.ask(MeasureBetween(a=Picked("edge", 99)), block))
        )
        for indexes in ((0,), (0, 1), ()):
            wanted = SelectorFor(target="face", indexes=indexes)
            story.ask(lambda _, wanted=wanted: block.answers.ask(wanted, block))
        story.ask(lambda _: _changes(block.answers.ask(ChangedFrom(), block, rounded)))

    compared(tale, client, workspace)


def _arrays(value: object) -> Told:
    """A value's fields, arrays as their types and numbers."""
    return {
        field.name: (str(found.dtype), found.tolist())
        if isinstance(found := getattr(value, field.name), np.ndarray)
        else found
        for field in dataclasses.fields(value)  # type: ignore[arg-type]
    }


def _changes(changed: Changed) -> Told:
    meshes = [_arrays(mesh) for mesh in (changed.added, changed.removed, changed.unchanged)]
    return meshes, figures_of(changed.new), figures_of(changed.old), changed.film


def _tables(result: EvaluationResult, exact: bool) -> Told:
    (part,) = result.parts
    answers = part.answers
    return [
        _or_refusal(lambda: figures_of(answers.ask(FiguresOf(exact=exact), part))),
        _or_refusal(lambda: list(answers.ask(EdgesOf(exact=exact), part))),
        _or_refusal(lambda: list(answers.ask(FacesOf(exact=exact), part))),
    ]


def _pairs(ones: tuple[PartResult, ...], others: tuple[PartResult, ...], exact: bool) -> Told:
    return [
        (
            _or_refusal(lambda one=one, other=other: one.answers.ask(ClearanceOf(exact=exact), one, other)),
            _or_refusal(
                lambda one=one, other=other: figures_of(
                    one.answers.ask(InterferenceOf(exact=exact), one, other)
                )
            ),
        )
        for one in ones
        for other in others
    ]


@pytest.mark.parametrize("suffix", [".step", ".stl", ".obj", ".dae", ".glb", ".3mf", ".ops", ".oops", ""])
def test_files_are_equal_to_the_byte(
    suffix: str, client: ServiceClient, workspace: Path, tmp_path: Path
) -> None:
    def tale(story: Story) -> None:
        folder = tmp_path / type(story.service).__name__
        folder.mkdir()
        source = (
            '#[[material "steel" 0.5 0.6 0.7 1.0 0.3]'
            f' [root {ROUNDED} "steel"] [translate 50 0 0 [sphere 5]]]'
        )
        story.run(source)
        for chord in (None, 0.5):
            story.ask(
                lambda result, chord=chord: result.parts[0].answers.ask(
                    Export(path=folder / f"two parts{suffix}", chord=chord), *result.parts
                )
            )
        story.told.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
        story.ask(
            lambda result: result.parts[1].answers.ask(Export(path=folder / f"b{suffix}"), *result.parts[1:])
        )
        story.told.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})

    told = compared(_without_folder(tale, tmp_path), client, workspace)
    assert len(told[-1]) > 0 or suffix in (".oops", "")


@pytest.mark.parametrize("suffix", [".stl", ".glb", ".step", ".ops"])
def test_parts_of_two_evaluations_are_written_where_they_stand(
    suffix: str, client: ServiceClient, workspace: Path, tmp_path: Path
) -> None:
    turned = (0.0, -1.0, 0.0, 60.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 0.0, 1.0)

    def tale(story: Story) -> None:
        folder = tmp_path / type(story.service).__name__
        folder.mkdir()
        path = folder / f"both{suffix}"
        story.run("[cube 20 30 40]")
        story.run("[cube 1 2 3]")
        first, second = (result.parts[0] for result in story.results)
        story.ask(lambda _: first.answers.ask(Export(path=path, poses=(None, turned)), first, second))
        story.told.append(path.read_bytes() if path.exists() else None)
        if suffix == ".stl":
            assert trimesh.load(path).bounds.tolist() == [[0, 0, 0], [60, 30, 40]]

    told = compared(_without_folder(tale, tmp_path), client, workspace)
    if suffix == ".ops":
        assert "each part by itself" in str(told)
    else:
        assert told[-1]


def _without_folder(tale: Tale, folder: Path) -> Tale:
    """A story whose errors do not name the folder that differs."""

    def told(story: Story) -> None:
        tale(story)
        own = str(folder / type(story.service).__name__)
        story.told = [_replaced(one, own) for one in story.told]

    return told


def _replaced(value: Told, text: str) -> Told:
    if isinstance(value, str):
        return value.replace(text, "…")
    if isinstance(value, list | tuple):
        return [_replaced(one, text) for one in value]
    if isinstance(value, dict):
        return {key: _replaced(one, text) for key, one in value.items()}
    return value


def test_drawings_and_sections_are_equal_to_the_byte(
    client: ServiceClient, workspace: Path, tmp_path: Path
) -> None:
    def tale(story: Story) -> None:
        folder = tmp_path / type(story.service).__name__
        folder.mkdir()
        story.run(f'#[{HOLED} [import-mesh "box.stl"]]')

        def files(result: EvaluationResult) -> Told:
            answers, parts = result.parts[0].answers, result.parts
            return [
                answers.ask(Section(path=folder / "cut.svg", origin=None, normal=(0.0, 0.0, 1.0)), *parts),
                answers.ask(
                    Section(
                        hatch=False, path=folder / "plain.svg", origin=(1.0, 1.0, 1.0), normal=(1.0, 0.0, 0.0)
                    ),
                    *parts,
                ),
                answers.ask(Section(path=folder / "cut.dxf", origin=None, normal=(0.0, 0.0, 1.0)), *parts),
                answers.ask(Drawing(path=folder / "sheet.svg", views=("front", "iso")), *parts),
                answers.ask(Drawing(path=folder / "small.svg", views=("top",), scale=0.5), *parts),
                *(
                    _or_refusal(refused)
                    for refused in (
                        lambda: answers.ask(
                            Section(path=folder / "a.txt", origin=None, normal=(0.0, 0.0, 1.0)), *parts
                        ),
                        lambda: answers.ask(
                            Section(path=folder / "a.svg", origin=(0.0, 0.0, 99.0), normal=(0.0, 0.0, 1.0)),
                            *parts,
                        ),
                        lambda: answers.ask(Drawing(path=folder / "a.svg", views=("inside",)), *parts),
                    )
                ),
            ]

        story.ask(files)
        story.told.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})

    compared(_without_folder(tale, tmp_path), client, workspace)


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    client: ServiceClient, workspace: Path, tmp_path: Path
) -> None:
    def tale(story: Story) -> None:
        folder = tmp_path / type(story.service).__name__
        folder.mkdir()
        (folder / "old.stl").write_text("old")
        (folder / "old.stl").chmod(0o444)
        story.run("[cube 1 2 3]")
        for path in (folder / "old.stl", folder / "missing" / "a.stl", folder):
            story.ask(lambda result, path=path: result.parts[0].answers.ask(Export(path=path), *result.parts))
        story.told.append([path.read_bytes() for path in folder.iterdir()])

    compared(_without_folder(tale, tmp_path), client, workspace)


def test_profiles_name_the_same_forms(service: EvaluationService, workspace: Path) -> None:
    story = Story(service, workspace)
    story.run("[union [cube 1 2 3] [translate 7 7 7 [sphere 4]]]")
    result = story.results[-1]
    rows = {(row.function, row.representation) for row in result.profile()}
    assert ("union", "mesh") in rows
    result.parts[0].answers.ask(FiguresOf(exact=True), result.parts[0])
    after = {(row.function, row.representation): row for row in result.profile()}
    assert ("sphere", "brep") in after
    assert after["sphere", "brep"].ms > 0
    assert {row.place.line for row in after.values() if row.place is not None} == {1}


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("[cube 50 30 5]", {}),
        (ROUNDED, {"exact": True}),
        ("[sphere 5]", {"tolerance": 0.5}),
        (
            "#[[cube 1 2 3] [translate 9 0 0 [sphere 2]]"
            " [intersection [cube 1 1 1] [translate 5 5 5 [cube 1 1 1]]]]",
            {"allow_scene": True},
        ),
        ('[union [cube 1 1 1] [import-mesh "box.stl"]]', {}),
    ],
)
def test_the_mesh_of_an_old_result_is_had_again_to_the_byte(
    client: ServiceClient, workspace: Path, source: str, options: dict[str, Any]
) -> None:
    def seen(result: EvaluationResult) -> list[tuple[bytes, ...]]:
        each = [part.mesh for part in result.parts]
        return [(it.positions.tobytes(), it.indices.tobytes(), it.source_nodes.tobytes()) for it in each]

    client.evaluate(EvalCell("1"))
    client._recent = RecentMeshes(most=1)
    old = client.evaluate(EvalCode(source, base_dir=workspace, **options))
    before = seen(old)
    gone = weakref.ref(old.parts[0].mesh)
    client.evaluate(EvalCell("[cube 1 1 1]"))
    gc.collect()
    assert gone() is None
    client.tool("vcad.cache_invalidate", {})  # nor does the service know it any more
    assert seen(old) == before
    assert [part.figures.is_manifold for part in old.parts] == [True] * len(before)


def test_the_mesh_of_an_old_part_whose_file_has_changed_is_refused(
    client: ServiceClient, workspace: Path
) -> None:
    (workspace / "changing.stl").write_bytes((workspace / "box.stl").read_bytes())
    client._recent = RecentMeshes(most=1)
    old = client.evaluate(EvalCode('[import-mesh "changing.stl"]', base_dir=workspace))
    client.evaluate(EvalCell("[cube 1 1 1]"))
    client.tool("vcad.cache_invalidate", {})
    (workspace / "changing.stl").write_bytes((workspace / "box.stl").read_bytes() + b"\n")
    with pytest.raises(GeometryError, match="has changed since"):
        _ = old.parts[0].mesh


def test_a_result_outlives_the_service(workspace: Path) -> None:
    with warm.service_client(workspace) as own:
        result = own.evaluate(EvalCell("[cube 1 2 3]"))
    (part,) = result.parts
    assert part.mesh.positions.shape == (8, 3)
    assert part.figures.volume == 6
    assert not part.mesh.positions.flags.writeable
    assert np.array_equal(part.mesh.bounds(), [[0, 0, 0], [1, 2, 3]])


# ---- the worker may die at any time ------------------------------------------------------------


def worker_of(client: ServiceClient) -> psutil.Process:
    """The worker process of a client's own service, once it is there."""
    front = psutil.Process(client.background.own_pid)
    ended = time.monotonic() + PATIENCE
    while time.monotonic() < ended:
        for child in front.children():  # it has no others
            if child.status() != psutil.STATUS_ZOMBIE:
                return child
        time.sleep(0.01)
    raise AssertionError("there is no worker")


@pytest.fixture
def own(workspace: Path) -> Iterator[ServiceClient]:
    """A service that a test may break."""
    with warm.service_client(workspace) as service:
        yield service


def kill(process: psutil.Process) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)


def test_of_many_names_none_is_lost_when_the_worker_is_killed(own: ServiceClient, workspace: Path) -> None:
    stories = [Story(service, workspace) for service in (own, DirectService(folder=workspace))]
    for story in stories:
        story.run(MANY_NAMES)
        story.run("[let y 1]", "y")
        if story.service is own:
            kill(worker_of(own))
        story.run("[let x7 9] [nth #[] 0]")
    remote, direct = (story.told[-1] for story in stories)
    assert remote == direct
    assert len(remote) == 41


def test_what_a_killed_worker_knew_is_known_again(own: ServiceClient, workspace: Path) -> None:
    story = Story(own, workspace)
    story.run('[println "loud"] [let r given]', given=4.5)
    story.run("[let half 0.5] [nth #[] 0]")
    story.run("[let body [cylinder r 9]]", bind="rod")
    story.run("[difference [translate 0 0 -1 [cube half half 20]] rod]", "last")
    before = story.results[-1]
    kill(worker_of(own))
    story.history.pop()
    story.run("[difference [translate 0 0 -1 [cube half half 20]] rod]", "last")
    after = story.results[-1]
    assert after.document_hash == before.document_hash
    assert figures_of(after.parts[0].figures) == figures_of(before.parts[0].figures)
    assert after.parts[0].mesh.positions.tobytes() == before.parts[0].mesh.positions.tobytes()
    assert story.told[-2][1] == ""


TETRAHEDRON = ClosedMesh(
    np.array([0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6], "<f8").tobytes(),
    np.array([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], "<i4").tobytes(),
)


def imported(story: Story) -> None:
    """Cells whose imports were found by somebody else, and what later ones see of them."""
    wall = Imported({"width": 4.0, "height": 1.0, "depth": 2.5})
    story.run(
        '[let w [import :dimensions "pid:1"]]\n[fn later [] [let again [import :dimensions "pid:1"]] '
        '[get again :width]]\n[let s [import :solid "entity:2"]]\n'
        "[difference s [cube 6 6 [+ [get w :width] 2.0]]]",
        "rail",
        bind="rail",
        imports={"pid:1": wall, "entity:2": Imported(mesh=TETRAHEDRON)},
    )
    story.run("#[[later] [get w :depth]]")
    wider = Imported({"width": 9.0, "height": 1.0, "depth": 2.5})
    story.run('[let v [import :dimensions "pid:1"]] [get v :width]', "other", imports={"pid:1": wider})
    story.run("#[[get w :width] [get v :width]]")
    story.run('[let v [import :solid "node:rail"]] v', "other", imports={"node:rail": Imported(node="rail")})
    story.run("[later]")  # what its own cell found, since no other has it any more
    story.run('[let t [import :bbox "pid:3"]]', imports={"pid:3": Imported({"min": [0.0], "max": [1.0]})})
    story.run('[let x [import :solid "node:nobody"]]')
    story.run('[let x [import :bbox "pid:77"]]')
    story.check('[let y [import :bbox "pid:5"]] [+ 1 [nth [get y :max] 0]] [get y :top]')
    story.check('[let y [import :solid "pid:5"]] [+ y 1]')
    story.check("[+ w 1]")
    story.check("[import 3]")


def test_what_was_imported_is_the_same_in_both_forms(client: ServiceClient, workspace: Path) -> None:
    told = compared(imported, client, workspace)
    first = told[0][0]
    assert first["parts"][0]["figures"]["volume"] == pytest.approx(216 - 36)


def test_what_was_imported_is_there_again_when_the_worker_was_killed(
    own: ServiceClient, workspace: Path
) -> None:
    story, again = Story(own, workspace), Story(DirectService(folder=workspace), workspace)
    wall = Imported({"width": 4.0, "height": 1.0, "depth": 2.5})
    for one in (story, again):
        one.run(
            '[let w [import :dimensions "pid:1"]] [let s [import :solid "pid:2"]]',
            imports={"pid:1": wall, "pid:2": Imported(mesh=TETRAHEDRON)},
        )
    kill(worker_of(own))
    for one in (story, again):
        one.run("[union s [cube [get w :width] 1 1]]")
    assert story.told[-2] == again.told[-2]
    assert story.told[-2][0]["parts"]


def test_a_part_answers_though_its_worker_was_killed(own: ServiceClient, workspace: Path) -> None:
    story = Story(own, workspace)
    story.run(HOLED)
    (part,) = story.results[-1].parts
    before = part.answers.ask(FiguresOf(exact=True), part), list(part.answers.ask(FacesOf(), part))
    kill(worker_of(own))
    assert part.answers.ask(FiguresOf(exact=True), part) == before[0]
    assert list(part.answers.ask(FacesOf(), part)) == before[1]


def test_nothing_is_lost_when_the_whole_service_is_killed(own: ServiceClient, workspace: Path) -> None:
    story = Story(own, workspace)
    story.run("[let r 4]", "a")
    story.run(HOLED, "b")
    (part,) = story.results[-1].parts
    front = psutil.Process(own.background.own_pid)
    worker = worker_of(own)
    kill(front)
    worker.wait(PATIENCE)
    assert part.answers.ask(FiguresOf(exact=True), part).exact
    story.run("[cube r r r]")
    assert story.results[-1].parts[0].figures.volume == 64
    assert own.background.own_pid != front.pid


def test_an_interrupt_stops_an_endless_cell_and_the_next_one_runs(
    own: ServiceClient, workspace: Path
) -> None:
    story = Story(own, workspace)
    story.run("[let a 5]", "a")
    with pytest.raises(KeyboardInterrupt):
        own.evaluate(
            EvalCell(
                '[println "go"] [fn on [i] [on [+ i 1]]] [on 0]',
                tuple(story.history),
                cell_id="endless",
                base_dir=workspace,
            ),
            output=lambda _: signal.raise_signal(signal.SIGINT),
        )
    story.run("[+ a 1]")
    assert story.results[-1].display == "6"


# ---- how parts are drawn ------------------------------------------------------------------------


def test_how_a_part_is_drawn_comes_with_its_mesh_and_is_not_found_again_here(
    client: ServiceClient, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = f'#[[root {ROUNDED} "a"] [root [translate 60 0 0 {HOLED}] "b"]]'

    def drawn(service: EvaluationService) -> Iterator[bytes]:
        programs = [EvalCode(source, allow_scene=True) for source in (HOLED, scene)]
        earlier, now = (service.evaluate(program).parts for program in programs)
        yield draw([part.part_mesh() for part in now], 160, 120)
        change = now[0].answers.ask(ChangedFrom(), now[0], earlier[0])
        for mesh in (now[1].mesh, change.added):
            yield from (buffer.data.tobytes() for buffer in mesh_buffers(mesh))

    here = list(drawn(DirectService(folder=workspace)))

    def again(*_: object) -> None:
        raise AssertionError("found once more")

    monkeypatch.setattr(Creases, "of", again)
    assert list(drawn(client)) == here
