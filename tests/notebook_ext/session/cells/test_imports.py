"""What cells import of parts and of entities; SketchUp is played in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.display.part import Part
from notebook_ext.session.session import Session
from notebook_ext.sketchup.bridge.link import SketchupLink
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from vcad_kernel.errors import VcadError
from vcad_kernel.service.direct import DirectService

TETRAHEDRON = {
    "positions": [0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6],
    "indices": [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2],
}
UNTURNED = {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 50, 0, 0, 1]}


def another(workspace: Path) -> Session:
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    return Session(shell, DirectService(folder=workspace), folder=workspace)


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    with another(workspace) as made:
        yield made


def volume(session: Session, text: str, name: str | None = None) -> float:
    made = session.evaluate(text, name=name)
    assert isinstance(made, Part)
    return made.volume


def refusal(session: Session, text: str, name: str | None = None) -> VcadError:
    with pytest.raises(LoonCellFailed) as refused:
        session.evaluate(text, name=name)
    return refused.value.error


def solid(**mesh: Any) -> dict[str, Any]:
    return {"source": "native_mesh", "mesh": {**TETRAHEDRON, **mesh}, "transform": UNTURNED}


# ---- parts of the session ------------------------------------------------------------------------


def test_a_part_that_is_imported_takes_what_is_built_from_it_along(session: Session) -> None:
    session.evaluate("[cube 2 2 2]", name="box")
    text = '[let b [import :solid "node:box"]] [union b [translate 0 0 2 b]]'
    assert volume(session, text, "tower") == 16
    session.evaluate("[cube 3 3 3]", name="box")
    assert session["tower"].volume == pytest.approx(27 + 9 * 2)
    (ref,) = session.imports()["name:tower"]
    assert (ref.binding_name, ref.entity_ref, ref.extract) == ("b", "node:box", "solid")
    assert (ref.resolved_type, ref.source_node_id) == ("vcad", "box")
    assert session.imported_entities() == frozenset()


def test_a_part_of_another_alphabet_is_imported_by_name_or_id(session: Session) -> None:
    session.evaluate("[cube 2 2 2]", name="träger")
    assert volume(session, '[let b [import :solid "node:träger"]] b') == 8
    assert volume(session, '[let b [import :solid "node:tr:e4:ger"]] b') == 8


def test_a_part_is_never_built_from_itself(session: Session) -> None:
    session.evaluate("[cube 2 2 2]", name="box")
    error = refusal(session, '[let b [import :solid "node:box"]] b', "box")
    assert (error.error_code, error.details["cycle"]) == ("DEPENDENCY_CYCLE", ["box", "box"])
    session.evaluate('[let b [import :bbox "node:box"]] [cube 1 1 1]', name="lid")
    session.evaluate('[let l [import :solid "node:lid"]] l', name="knob")
    error = refusal(session, '\n[let k [import :dimensions "node:knob"]] [cube 1 1 1]', "box")
    assert (error.error_code, error.details["cycle"]) == ("DEPENDENCY_CYCLE", ["box", "knob", "lid", "box"])
    assert "box ← knob ← lid ← box" in error.message
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 8)
    assert session["box"].volume == 8
    assert session.imports().keys() == {"name:lid", "name:knob"}
    # what closes it may be taken away, and then it is none
    session.evaluate("[cube 1 1 1]", name="lid")
    session.evaluate('[let k [import :dimensions "node:knob"]] [cube 1 1 1]', name="box")


def test_a_text_that_is_looked_at_may_import_the_part_that_it_is_to_become(session: Session) -> None:
    session.evaluate("[cube 2 2 2]", name="box")
    assert session.inspect('[let b [import :solid "node:box"]] [scale 2 2 2 b]').volume == 64
    assert session.imports() == {}


def test_parts_that_are_not_there_or_no_solid_are_refused_in_their_place(session: Session) -> None:
    error = refusal(session, '[let b [import :solid "node:nobody"]] b')
    assert error.error_code == "NODE_NOT_FOUND"
    assert error.details["node_id"] == "nobody"
    assert error.place is not None
    assert error.place.text[error.place.column - 1 :].startswith('[import :solid "node:nobody"]')
    session.evaluate("#[[cube 1 1 1] [cube 2 2 2]]", name="pair")
    error = refusal(session, '[let b [import :solid "node:pair"]] b')
    assert (error.error_code, error.details["reason"]) == ("SOLID_IMPORT_UNAVAILABLE", "it gives 2 parts")
    assert session.eval_repl('[let b [import :bbox "node:pair"]] [get b :max]').value == [2, 2, 2]


def test_a_part_that_only_the_project_knows_is_made_first(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    (workspace / "base.cmp.oo").write_text("[cube 2 2 2]")
    session.place("base", Path("base.cmp.oo"))
    session.evaluate('[let b [import :solid "node:base"]] [translate 0 0 2 b]', name="top")
    session.place("top")
    session.close()
    with another(workspace) as later:
        later.evaluate("[let base 40]")  # the name is the notebook's, all the same
        assert volume(later, '[let t [import :solid "node:top"]] [let d [import :bbox "node:base"]] t') == 8
        assert later.eval_repl("base").value == 40
        assert later.nodes() == ()
        (workspace / "base.cmp.oo").write_text("[cube 2 2 nothing]")
    with another(workspace) as broken:
        error = refusal(broken, '[let t [import :solid "node:top"]] t')
        assert error.place is not None
        assert error.place.file == "base.cmp.oo"


def test_a_cycle_of_parts_that_only_the_project_knows_is_refused_too(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    for name in ("one", "two"):
        (workspace / f"{name}.cmp.oo").write_text("[cube 2 2 2]")
        session.place(name, Path(f"{name}.cmp.oo"))
    session.close()
    for name, other in (("one", "two"), ("two", "one")):
        text = f'[let b [import :solid "node:{other}"]] b'
        (workspace / f"{name}.cmp.oo").write_text(text)
    with another(workspace) as later:
        error = refusal(later, '[let b [import :bbox "node:one"]] [cube 1 1 1]', "lid")
        assert (error.error_code, error.details["cycle"]) == ("DEPENDENCY_CYCLE", ["one", "two", "one"])


# ---- entities ------------------------------------------------------------------------------------


def test_what_a_function_imports_is_what_its_cell_found(session: Session, sketchup: MemorySketchUp) -> None:
    wide = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}, "persistent_id": 3}}
    sketchup.entities[3] = wide
    session.evaluate('[fn width [] [let d [import :dimensions "pid:3"]] [get d :width]]')
    sketchup.entities[3] = {"dims": {"data": {"width": 20, "height": 1, "depth": 2}}}
    session.evaluate('[let d [import :dimensions "pid:3"]]')
    assert session.eval_repl("#[[width] [get d :width]]").value == [9.0, 20.0]
    session.evaluate("[let d 1]")
    assert session.eval_repl("[width]").value == 9.0


def test_one_entity_under_two_names_is_asked_for_once(session: Session, sketchup: MemorySketchUp) -> None:
    sketchup.entities[3] = {"bbox": {"data": {"min": [0, 0, 0], "max": [1, 2, 3]}, "persistent_id": 8}}
    session.evaluate('[let a [import :bbox "entity:3"]] [let b [import :bbox "entity:3"]]')
    assert [tool for tool, _ in sketchup.calls] == ["resolve_vcad_import"]
    assert [ref.binding_name for refs in session.imports().values() for ref in refs] == ["a", "b"]
    assert session.imported_entities() == {"pid:8"}


def test_a_slider_moves_with_what_its_cell_has_found(session: Session, sketchup: MemorySketchUp) -> None:
    sketchup.entities[3] = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}}}
    session.evaluate(
        '[let d [import :dimensions "pid:3"]] [defparam h 2 {:min 1 :max 9}] [cube [get d :width] 1 h]',
        name="rail",
    )
    sketchup.entities.clear()
    session.set_parameter("h", 5)
    assert session["rail"].volume == 45
    assert len(sketchup.calls) == 1


def test_a_large_mesh_comes_as_a_file_that_is_gone_afterwards(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    file = workspace / ".vcad" / "native-mesh" / "9-1.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(TETRAHEDRON))
    sketchup.entities[9] = {
        "solid": {"source": "native_mesh", "mesh_file": str(file), "transform": UNTURNED, "persistent_id": 9}
    }
    assert volume(session, '[let s [import :solid "pid:9"]] s') == pytest.approx(36)
    assert not file.exists()
    (ref,) = next(iter(session.imports().values()))
    assert (ref.resolved_type, ref.source_node_id) == ("native_mesh", None)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (solid(indices=TETRAHEDRON["indices"][:9]), "ENTITY_NOT_SOLID"),
        (solid(indices=[]), "ENTITY_NOT_SOLID"),
        (solid(indices=[0, 1, 9]), "SCHEMA_VALIDATION_FAILED"),
        (solid(positions=[0, 0, float("nan")] * 4), "SCHEMA_VALIDATION_FAILED"),
        (solid() | {"transform": None}, "SCHEMA_VALIDATION_FAILED"),
        (solid() | {"transform": {"matrix": [0.0] * 15 + [1.0]}}, "SCHEMA_VALIDATION_FAILED"),
        (solid() | {"mesh": None, "mesh_file": "../elsewhere.json"}, "PATH_NOT_ALLOWED"),
        (solid() | {"mesh": None, "mesh_file": "nowhere.json"}, "FILE_NOT_FOUND"),
        ({"source": "vcad", "vcad_node_id": "strange"}, "SOLID_IMPORT_UNAVAILABLE"),
        (
            solid(positions=[0.0] * 900_000, indices=TETRAHEDRON["indices"]),
            "PAYLOAD_TOO_LARGE",
        ),
    ],
)
def test_what_is_no_solid_is_never_taken_for_one(
    session: Session, sketchup: MemorySketchUp, answer: dict[str, Any], code: str
) -> None:
    sketchup.entities[9] = {"solid": answer}
    error = refusal(session, '[let s [import :solid "pid:9"]] s')
    assert error.error_code == code
    assert error.place is not None
    assert error.fix


@pytest.mark.parametrize(
    ("extract", "data"),
    [
        ("dims", {"width": 1, "height": 2}),
        ("dims", {"width": 1, "height": 2, "depth": float("inf")}),
        ("dims", {"width": 1, "height": 2, "depth": "3 m"}),
        ("bbox", {"min": [1, 2, 3]}),
        ("bbox", {"min": [1, 2, 3], "max": [1, 2]}),
        ("transform", {"matrix": [1] * 15}),
        ("transform", None),
    ],
)
def test_measures_that_are_none_are_refused(
    session: Session, sketchup: MemorySketchUp, extract: str, data: Any
) -> None:
    sketchup.entities[9] = {extract: {"data": data}}
    error = refusal(session, f'[let s [import :{extract.replace("dims", "dimensions")} "pid:9"]] s')
    assert error.error_code == "SCHEMA_VALIDATION_FAILED"


def test_an_entity_of_the_part_itself_is_a_cycle(session: Session, sketchup: MemorySketchUp) -> None:
    session.evaluate("[cube 2 2 2]", name="box")
    sketchup.entities[9] = {"bbox": {"data": {"min": [0, 0, 0], "max": [1, 1, 1]}, "vcad_node_id": "box"}}
    error = refusal(session, '[let s [import :bbox "pid:9"]] [cube 1 1 1]', "box")
    assert (error.error_code, error.details["cycle"]) == ("DEPENDENCY_CYCLE", ["box", "box"])
    assert volume(session, '[let s [import :bbox "pid:9"]] [cube 1 1 [nth [get s :max] 2]]', "lid") == 1
    (ref,) = session.imports()["name:lid"]
    assert (ref.resolved_type, ref.source_node_id) == ("vcad", "box")


def test_without_sketchup_or_with_an_old_extension_the_import_says_so(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = refusal(session, '[cube 1 1 1]\n[let box [import :bbox "entity:12"]]')
    assert error.error_code == "CONNECTION_FAILED"
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 10)
    assert error.fix
    old = MemorySketchUp(session.workspace)
    old.capabilities = frozenset({"vcad.nodes"})
    bridge = memory_bridge(old)
    monkeypatch.setattr(SketchupLink, "bridge", lambda self: bridge)
    error = refusal(session, '[let box [import :solid "entity:12"]]')
    assert error.error_code == "CAPABILITY_UNAVAILABLE"
    assert error.details["required_capability"] == "vcad.imports.native_mesh"
    assert error.place is not None
    error = refusal(session, "[+ 1 import]")
    assert error.error_code == "IMPORT_FORM_INVALID"
    assert session.evaluate('"import"') is not None


def test_a_cell_that_finds_nothing_leaves_all_as_it_was(session: Session, sketchup: MemorySketchUp) -> None:
    sketchup.entities[3] = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}, "persistent_id": 3}}
    text = '[let d [import :dimensions "entity:3"]] [cube [get d :width] 1 1]'
    session.evaluate(text, name="rail")
    kept = sketchup.entities.pop(3)
    assert refusal(session, text, "rail").error_code == "ENTITY_NOT_FOUND"
    assert session["rail"].volume == 9
    assert session.eval_repl("[get d :width]").value == 9.0
    assert session.imported_entities() == {"pid:3"}
    sketchup.entities[3] = kept
    assert volume(session, text, "rail") == 9
    session.evaluate("[cube 1 1 1]", name="rail")
    assert session.imported_entities() == frozenset()


def test_tests_of_a_text_may_import(session: Session, sketchup: MemorySketchUp) -> None:
    sketchup.entities[3] = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}}}
    text = '[let d [import :dimensions "pid:3"]] [test wide [] [assert-eq [get d :width] 9.0]]'
    (verdict,) = session.test(text)
    assert verdict["passed"], verdict


def test_the_project_keeps_what_its_parts_import(
    session: Session, sketchup: MemorySketchUp, workspace: Path
) -> None:
    sketchup.entities[3] = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}, "persistent_id": 3}}
    session.evaluate('[let d [import :dimensions "pid:3"]] [cube [get d :width] 1 1]', name="rail")
    session.place("rail")
    (row,) = session.model.components["rail"].imports
    assert (row["entity_ref"], row["extract"], row["resolved_type"]) == ("pid:3", "dimensions", "native")
    session.close()
    with another(workspace) as later:
        assert later.imported_entities() == {"pid:3"}
        sketchup.entities[3] = {"dims": {"data": {"width": 4, "height": 1, "depth": 2}, "persistent_id": 3}}
        later.update("rail")
        assert later["rail"].volume == 4


def test_references_are_kept_of_cells_that_matter(session: Session, sketchup: MemorySketchUp) -> None:
    sketchup.entities[3] = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}}}
    session.evaluate('[let kept [import :dimensions "pid:3"]]')
    for _ in range(5):
        session.evaluate('[[fn [] [let d [import :dimensions "pid:3"]] [get d :width]]]')
    assert len(session.imports()) <= 2  # what a cell leaves nothing of is forgotten with the next
    for number in range(300):
        refusal(session, f'[let d [import :dimensions "pid:{1000 + number}"]]')
    assert len(session.imports()) <= 258
    assert "pid:1299" in session.imported_entities()


def test_what_imports_a_part_or_an_entity_is_built_from_it(
    session: Session, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[cube 2 2 2]", name="träger")
    sketchup.entities[9] = {
        "solid": {"source": "vcad", "vcad_node_id": "tr:e4:ger", "persistent_id": 9},
        "bbox": {"data": {"min": [0, 0, 0], "max": [1, 1, 1]}, "vcad_node_id": "tr:e4:ger"},
    }
    sketchup.entities[3] = {"dims": {"data": {"width": 9, "height": 1, "depth": 2}, "persistent_id": 3}}
    for name, text in (
        ("by_name", '[let b [import :solid "node:träger"]] b'),
        ("by_id", '[let b [import :dimensions "node:tr:e4:ger"]] [cube 1 1 [get b :depth]]'),
        ("by_entity", '[let b [import :solid "pid:9"]] b'),
        ("by_measure", '[let b [import :bbox "pid:9"]] [cube 1 1 1]'),
        ("drawn", '[let d [import :dimensions "entity:3"]] [cube [get d :width] 1 1]'),
    ):
        session.evaluate(text, name=name)
    edges = set(session.on_project(lambda _: session._cells.dependencies.graph.edges))
    assert {user for source, user in edges if source == "cell:name:träger"} == {
        "cell:name:by_name",
        "cell:name:by_id",
        "cell:name:by_entity",
        "cell:name:by_measure",
    }
    assert ("entity:pid:3", "cell:name:drawn") in edges
