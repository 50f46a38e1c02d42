"""What people read of a plan and of a push, and of the state of parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from notebook_ext.session.project.truth import placed_at
from notebook_ext.sketchup.planning import plan
from notebook_ext.sketchup.push.push import OperationFailed
from notebook_ext.sketchup.status import node_states
from tests.sketchup.memory_bridge import Fault
from tests.sketchup.project import Project, small_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return small_project(tmp_path)


def _states(project: Project) -> list[str]:
    return [one.state for one in node_states(project.truth.model, project.bridge.nodes())]


def test_a_plan_in_lines(project: Project) -> None:
    assert plan(project.truth.model, project.meshes).summary() == (
        "upsert definition plate (revision 1)\n"
        "place instance plate-1 of plate at 1, 0, 0 mm\n"
        "place instance plate-2 of plate at 2, 0, 0 mm"
    )
    project.meshes.lacking["plate"] = "its cell does not run"
    assert (
        "cannot be done: plate: its cell does not run" in plan(project.truth.model, project.meshes).summary()
    )


def test_a_push_in_lines(project: Project) -> None:
    assert project.push().summary() == (
        "plate: geometry, version 1; plate-1 placed at 1, 0, 0 mm; plate-2 placed at 2, 0, 0 mm"
    )
    assert project.push().summary() == "SketchUp shows all of it already"
    project.change("plate-1", transform=placed_at(0.5, 0, 0), layer="Steel")
    assert project.push().summary() == "plate: plate-1 moved to 0.5, 0, 0 mm; plate-1 layer set"
    project.sketchup.person_copies("plate-1", placed_at(0, 0, 0))
    project.truth.save(project.truth.model.without_instance("plate-2"))
    assert project.push().summary() == (
        "plate: plate-2 removed\nnote: foreign: plate-1: a copy that a person made"
    )


def test_a_failure_says_what_stands_and_that_the_failed_operation_left_nothing(project: Project) -> None:
    project.sketchup.fault("place_vcad_instance", Fault("RUBY_ERROR", done=False), after=1)
    with pytest.raises(OperationFailed) as failed:
        project.push()
    said = failed.value.render()
    assert "place instance of plate-2 failed and left nothing" in said
    assert "upsert_definition plate, place_instance plate-1" in said
    assert "stopped at: place instance plate-2, which left nothing" in failed.value.result.summary()


def test_the_state_of_a_part_follows_what_happens_to_it(project: Project) -> None:
    assert _states(project) == ["to be pushed"]
    project.push()
    assert _states(project) == ["up to date"]
    project.change("plate-1", transform=placed_at(9, 9, 9))
    assert _states(project) == ["to be pushed"]
    project.push()
    project.edit()
    assert _states(project) == ["to be pushed"]
    project.push()
    project.sketchup.person_undoes()
    assert _states(project) == ["older in SketchUp"]
    project.sketchup.open_another()
    assert _states(project) == ["missing in SketchUp"]
    assert [one.state for one in node_states(project.truth.model, None)] == ["up to date"]
    project.push()
    project.truth.save(replace(project.truth.model, components={}, instances={}))
    (only,) = node_states(project.truth.model, project.bridge.nodes())
    assert (only.node_id, only.state, only.revision) == ("plate", "only in SketchUp", 0)
