"""What cells, files and texts import from a real extension on the headless SketchUp."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.display.part import Part
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.session import Session
from tests.sketchup.headless import RunningSketchUp
from vcad_kernel.errors import VcadError
from vcad_kernel.service.direct import DirectService

pytestmark = pytest.mark.process

WALL = (2000.0, 100.0, 2500.0)


@pytest.fixture
def session(sketchup: RunningSketchUp, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv("SUPEX_PORT", str(sketchup.port))
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    (sketchup.workspace / ".git").mkdir()
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    with Session(shell, DirectService(folder=sketchup.workspace), folder=sketchup.workspace) as made:
        yield made


def drawn(sketchup: RunningSketchUp, **said: Any) -> Any:
    """A group that a person has drawn."""
    return sketchup.control("_test.add_entity", type="group", **{"box_mm": list(WALL), **said})


def value(session: Session, text: str) -> Any:
    return session.eval_repl(text).value


def part(session: Session, text: str, name: str | None = None) -> Part:
    made = session.evaluate(text, name=name)
    assert isinstance(made, Part)
    return made


def refusal(session: Session, text: str, name: str | None = None) -> VcadError:
    with pytest.raises(LoonCellFailed) as refused:
        session.evaluate(text, name=name)
    return refused.value.error


def columns(linear: Sequence[Sequence[float]], move: Sequence[float]) -> list[float]:
    """The 16 numbers of a transformation, from the rows of its linear part."""
    whole = np.eye(4)
    whole[:3, :3] = linear
    whole[:3, 3] = move
    return [float(number) for number in whole.T.ravel()]


def turned(degrees: float) -> np.ndarray[Any, Any]:
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


@pytest.mark.parametrize("kind", ["entity", "pid"])
def test_a_wall_gives_its_measures_and_its_place(
    session: Session, sketchup: RunningSketchUp, kind: str
) -> None:
    wall = drawn(sketchup, position=[100, 200, 0])
    wall = f"{kind}:{wall['entity_id' if kind == 'entity' else 'persistent_id']}"
    session.evaluate(
        f'[let d [import :dimensions "{wall}"]] [let b [import :bbox "{wall}"]]'
        f'[let t [import :transform "{wall}"]]'
    )
    assert value(session, "#[[get d :width] [get d :height] [get d :depth]]") == pytest.approx(list(WALL))
    assert value(session, "[get b :min]") == pytest.approx([100, 200, 0])
    assert value(session, "[get b :max]") == pytest.approx([2100, 300, 2500])
    assert value(session, "[get t :matrix]") == pytest.approx(columns(np.eye(3), (100, 200, 0)))
    assert all(isinstance(number, float) for number in value(session, "[get t :matrix]"))


@pytest.mark.parametrize("kind", ["entity", "pid"])
def test_a_drawn_solid_takes_part_in_booleans(session: Session, sketchup: RunningSketchUp, kind: str) -> None:
    wall = drawn(sketchup, position=[100, 200, 0])
    number = wall["entity_id" if kind == "entity" else "persistent_id"]
    made = part(
        session,
        f'[let wall [import :solid "{kind}:{number}"]]'
        "[difference [translate 500 -1 0 [cube 900 102 2000]] wall]",
        "door",
    )
    assert made.volume == pytest.approx((2000 * 2500 - 900 * 2000) * 100)
    low, high = made.bounds or ((), ())
    assert (*low, *high) == pytest.approx((0, 0, 0, *WALL))  # from its own origin, as a part of ours


@pytest.mark.parametrize(
    ("linear", "size"),
    [
        (turned(30), (10, 20, 30)),
        (np.diag([2.0, 1, 0.5]), (20, 20, 15)),
        (turned(30) @ np.diag([2.0, 1, 0.5]), (20, 20, 15)),
        (turned(200) @ np.diag([-2.0, 1, 3]), (20, 20, 90)),
    ],
)
def test_a_solid_has_the_size_that_its_instance_has(
    session: Session, sketchup: RunningSketchUp, linear: Any, size: tuple[float, ...]
) -> None:
    stone = drawn(sketchup, box_mm=[10, 20, 30], transformation=columns(linear, (500, 0, 70)))
    reference = f"pid:{stone['persistent_id']}"
    made = part(session, f'[let stone [import :solid "{reference}"]] stone')
    assert made.volume == pytest.approx(math.prod(size))
    low, high = made.bounds or ((), ())
    assert np.subtract(high, low) == pytest.approx(size)
    there = f'[let t [import :transform "{reference}"]] [let box [import :bbox "{reference}"]]'
    placed = part(session, f"{there} [place-as t stone]")
    assert placed.bounds is not None
    corners = [*value(session, "[get box :min]"), *value(session, "[get box :max]")]
    assert np.ravel(placed.bounds) == pytest.approx(corners)


def test_what_stands_open_is_no_solid_but_has_measures(session: Session, sketchup: RunningSketchUp) -> None:
    mesh = {"positions": [0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 0, 100], "indices": [0, 2, 1, 0, 1, 3, 1, 2, 3]}
    shell = sketchup.control("_test.add_entity", type="group", mesh=mesh)
    reference = f"pid:{shell['persistent_id']}"
    error = refusal(session, f'[let ok 1]\n  [let s [import :solid "{reference}"]] s')
    assert error.error_code == "ENTITY_NOT_SOLID"
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 10)
    assert error.place.text[error.place.column - 1 : error.place.end_column - 1] == (
        f'[import :solid "{reference}"]'
    )
    assert error.fix
    assert value(session, f'[let d [import :dimensions "{reference}"]] [get d :depth]') == pytest.approx(100)


def test_what_is_not_there_is_said_with_its_place(session: Session, sketchup: RunningSketchUp) -> None:
    for reference in ("entity:987654", "pid:987654321", "entity:99999999999999999999999"):
        error = refusal(session, f'[let b [import :bbox "{reference}"]]')
        assert error.error_code == "ENTITY_NOT_FOUND", reference
        assert error.details["entity_ref"] == reference
        assert error.place is not None
        assert error.fix
    edge = sketchup.control("_test.add_entity", type="edge", length=10)
    error = refusal(session, f'[let t [import :transform "entity:{edge["entity_id"]}"]]')
    assert error.error_code == "NO_TRANSFORMATION"


def test_a_part_of_ours_comes_as_its_own_model(session: Session, sketchup: RunningSketchUp) -> None:
    session.evaluate("[fillet 1 [cube 10 20 30]]", name="box")
    session.place("box", position=(100, 0, 0))
    pid = session.model.instances["box-1"].execution
    assert pid is not None
    for reference in (f"pid:{pid.persistent_id}", f"entity:{pid.entity_id}", "node:box"):
        made = part(session, f'[let box [import :solid "{reference}"]] [union box [cube 1 1 1]]', "lid")
        document = made.result.document
        assert document is not None
        assert "Fillet" in {type(node).__name__ for node in document.nodes.values()}  # a tree, no mesh
        (ref,) = session.imports().values()
        assert [(one.resolved_type, one.source_node_id) for one in ref] == [("vcad", "box")]
    assert value(session, f'[let b [import :bbox "pid:{pid.persistent_id}"]] [get b :min]') == pytest.approx(
        [100, 0, 0]
    )


def test_parts_are_measured_in_their_own_coordinates_and_placed_by_the_project(
    session: Session, sketchup: RunningSketchUp
) -> None:
    session.evaluate("[translate 1 2 3 [cube 10 20 30]]", name="box")
    assert value(session, '[let b [import :bbox "node:box"]] b') == {"min": [1, 2, 3], "max": [11, 22, 33]}
    dimensions = {"width": 10, "height": 20, "depth": 30}
    assert value(session, '[let b [import :dimensions "node:box"]] b') == dimensions
    text = '[let t [import :transform "node:box"]] [get t :matrix]'
    assert refusal(session, text).error_code == "NO_TRANSFORMATION"
    session.place("box", position=(100, 0, 7))
    assert value(session, text) == columns(np.eye(3), (100, 0, 7))
    session.place("box", position=(0, 0, 0), instance="second")
    assert refusal(session, text).error_code == "NODE_AMBIGUOUS"


def test_a_cell_keeps_what_it_found_until_it_runs_again(session: Session, sketchup: RunningSketchUp) -> None:
    wall = drawn(sketchup)
    text = f'[let d [import :dimensions "pid:{wall["persistent_id"]}"]]\n[cube [get d :width] 1 1]'
    session.evaluate(text, name="rail")
    sketchup.control(
        "_test.modify_entity",
        entity_id=wall["entity_id"],
        transformation=columns(np.diag([2.0, 1, 1]), (0, 0, 0)),
    )
    assert value(session, "[get d :width]") == pytest.approx(2000)
    session.evaluate("[let other 1]")
    assert session["rail"].volume == pytest.approx(2000)
    session.evaluate(text, name="rail")
    assert session["rail"].volume == pytest.approx(4000)


def test_a_number_that_ends_with_the_run_is_told_with_one_that_stays(
    session: Session, sketchup: RunningSketchUp, capsys: pytest.CaptureFixture[str]
) -> None:
    wall = drawn(sketchup)
    text = f'[let b [import :bbox "entity:{wall["entity_id"]}"]]'
    assert session.check(text) == ()
    session.evaluate(text)
    (finding,) = session.check(text)
    assert (finding.code, finding.severity) == ("ENTITY_REFERENCE", "warning")
    (repair,) = finding.repairs
    assert repair.text == f'"pid:{wall["persistent_id"]}"'
    assert text[repair.span.start : repair.span.end] == f'"entity:{wall["entity_id"]}"'
    assert f"pid:{wall['persistent_id']}" in capsys.readouterr().out
    assert session.imported_entities() == {f"pid:{wall['persistent_id']}"}
    assert session.check(text.replace("entity:", "pid:9")) == ()


def test_a_file_imports_as_a_cell_does_and_the_project_says_what(
    session: Session, sketchup: RunningSketchUp
) -> None:
    wall = drawn(sketchup)
    reference = f"pid:{wall['persistent_id']}"
    file = sketchup.workspace / "rail.cmp.oo"
    file.write_text(f'[let d [import :dimensions "{reference}"]]\n[cube [get d :width] 40 40]\n')
    session.place("rail", Path("rail.cmp.oo"))
    assert session["rail"].volume == pytest.approx(2000 * 40 * 40)
    assert session.model.components["rail"].imports == (
        {
            "binding_name": "d",
            "entity_ref": reference,
            "extract": "dimensions",
            "resolved_type": "native",
            "source_node_id": None,
        },
    )
    sketchup.control("_test.modify_entity", entity_id=wall["entity_id"], erase=True)
    with pytest.raises(LoonCellFailed) as refused:
        session.update("rail")
    assert refused.value.error.error_code == "ENTITY_NOT_FOUND"
    assert refused.value.error.place is not None
    assert refused.value.error.place.file == "rail.cmp.oo"
    assert session.imported_entities() == {reference}  # it may come back


def test_what_measures_an_instance_of_a_part_follows_when_that_is_pushed(
    session: Session, sketchup: RunningSketchUp
) -> None:
    session.evaluate("[cube 10 20 30]", name="box")
    session.place("box", position=(100, 0, 0))
    execution = session.model.instances["box-1"].execution
    assert execution is not None
    session.evaluate(
        f'[let d [import :dimensions "pid:{execution.persistent_id}"]] [cube [get d :width] 1 1]', name="lid"
    )
    followed = threading.Event()

    def heard(event: SessionEvent) -> None:
        if event.kind == "evaluated" and session.nodes() and session["lid"].volume == pytest.approx(40):
            followed.set()

    session.subscribe(heard)
    session.evaluate("[cube 40 20 30]", name="box")
    session.reactions.cascades.bring_up_to_date()
    assert session["lid"].volume == pytest.approx(10)  # what stands in SketchUp is measured
    session.push()
    assert followed.wait(30)
