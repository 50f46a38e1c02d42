"""What the magics about SketchUp show: text for consoles, HTML for notebooks, the same words in both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from notebook_ext.session.node_names import node_id_of
from notebook_ext.session.project.design_model import placed_at
from notebook_ext.sketchup.bridge.answers import Status
from notebook_ext.sketchup.planning import plan
from notebook_ext.sketchup.status import (
    NodeStatus,
    PlanView,
    PushView,
    SketchupStatus,
    StatusView,
    nothing_linked,
)
from tests.sketchup.project import Project, small_project
from vcad_kernel.errors import ServiceFailure

STATUS = SketchupStatus(
    host="127.0.0.1",
    port=9876,
    workspace=Path("project"),
    status=Status("0.1.0", "26.0.429", "SketchUp is connected", 8, 2),
    problem=None,
    read_only=None,
    nodes=(
        NodeStatus(node_id_of("größe"), 3, 2, 2, "to be pushed"),
        NodeStatus("lid", 1, 0, 1, "to be pushed"),
    ),
)
UNREADABLE = ServiceFailure(
    "TRUTH_INVALID", "design_model.json is broken; it is kept as design_model.corrupt-1.json", fix="mend it"
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return small_project(tmp_path)


def planned(project: Project) -> PlanView:
    return PlanView(plan(project.truth.model, project.meshes))


def test_a_plan_names_operations_parts_and_places_and_counts_the_undo_steps(project: Project) -> None:
    *table, last = repr(planned(project)).split("\n")
    assert table == [
        "operation          part     details",
        "upsert definition  plate    revision 1",
        "place instance     plate-1  at 1, 0, 0 mm",
        "place instance     plate-2  at 2, 0, 0 mm",
    ]
    assert last.endswith("3 undo steps in SketchUp")
    html = planned(project)._repr_html_()
    assert html.count("<tr>") == 4
    assert "3 undo steps in SketchUp" in html


def test_a_plan_says_what_cannot_be_done_and_how_to_leave_it_out(project: Project) -> None:
    project.meshes.lacking["plate"] = "its cell does not <run>"
    view = planned(project)
    assert "cannot be done  plate    its cell does not <run>" in repr(view)
    assert "--omit NAME" in repr(view)
    assert "undo step" not in repr(view)
    assert "its cell does not &lt;run&gt;" in view._repr_html_()


def test_a_plan_says_what_is_changed_of_an_instance(project: Project) -> None:
    project.push()
    project.change("plate-1", transform=placed_at(0.5, 0, 0), layer="Steel")
    project.change("plate-2", layer=None, material="oak")
    said = repr(planned(project))
    for row in ("at 0.5, 0, 0 mm", "Steel", "none", "oak"):
        assert row in said


def test_an_empty_plan_says_that_nothing_is_to_be_done_or_why(project: Project) -> None:
    project.push()
    assert repr(planned(project)) == "nothing to do: SketchUp has been given all of it"
    trace = planned(project).trace
    assert repr(PlanView(trace, nothing=nothing_linked(None))).startswith("nothing is linked yet")
    assert "<table" not in PlanView(trace)._repr_html_()


def test_a_push_says_what_was_done_of_each_part_and_the_next_that_nothing_was(project: Project) -> None:
    assert repr(PushView(project.push())) == (
        "plate: geometry, version 1; plate-1 placed at 1, 0, 0 mm; plate-2 placed at 2, 0, 0 mm"
    )
    again = project.push()
    assert repr(PushView(again)) == "SketchUp shows all of it already"
    assert repr(PushView(again, nothing="nothing is linked")) == "nothing is linked"
    assert repr(PushView(again, left_out=["lid"])) == "SketchUp shows the rest of it already\nleft out: lid"


def test_a_persons_copies_are_not_told_of_after_every_push(project: Project) -> None:
    project.push()
    project.sketchup.person_copies("plate-1", placed_at(0, 0, 0))
    project.edit()
    result = project.push()
    assert "copy" in result.summary()
    assert "copy" not in repr(PushView(result))


def test_a_push_is_html_with_its_lines_apart_and_its_text_as_text(project: Project) -> None:
    view = PushView(project.push(), left_out=["<lid>"])
    assert "<br>left out: &lt;lid&gt;" in view._repr_html_()


def test_the_state_names_parts_as_people_do_with_what_was_pushed_of_them() -> None:
    assert repr(StatusView(STATUS)).split("\n") == [
        "connected to SketchUp 26.0.429 at 127.0.0.1:9876",
        "workspace: project",
        "part   revision  pushed  instances  state",
        "größe  3         2       2          to be pushed",
        "lid    1                 1          to be pushed",
    ]
    assert StatusView(STATUS)._repr_html_().count("<tr>") == 3


def test_without_sketchup_the_state_says_why_and_what_to_do() -> None:
    problem = ServiceFailure("CONNECTION_FAILED", "nobody <listens>", fix="run `vcad sketchup --headless`")
    away = StatusView(replace(STATUS, status=None, problem=problem, nodes=()))
    assert repr(away).split("\n") == [
        "not connected: nobody <listens>",
        "  run `vcad sketchup --headless`",
        "workspace: project",
        "nothing is linked yet: %%loon NAME --push links a part",
    ]
    assert "nobody &lt;listens&gt;<br>" in away._repr_html_()


def test_a_project_that_another_session_has_is_said_to_be_read_only() -> None:
    assert "read-only here: another session" in repr(StatusView(replace(STATUS, read_only="another session")))


def test_a_project_file_that_was_set_aside_is_told_of() -> None:
    said = repr(StatusView(replace(STATUS, nodes=(), trouble=UNREADABLE)))
    assert "it is kept as design_model.corrupt-1.json\n  mend it" in said
    assert "nothing is linked yet" not in said


def test_the_state_that_python_gets_shows_itself_in_the_same_way() -> None:
    from IPython.lib.pretty import pretty

    assert pretty(STATUS) == repr(StatusView(STATUS))  # type: ignore[no-untyped-call]
    assert STATUS._repr_html_() == StatusView(STATUS)._repr_html_()
