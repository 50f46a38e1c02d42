"""What a selection takes, in rows and in a picture; and an agent that points at something."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session

PLATE = "[let plate [cube 50 30 5]]\n[difference [translate 25 15 -1 [cylinder 3 12]] plate]"

Call = Callable[..., Outcome]


@pytest.fixture
def call(world: AgentWorld, session: Session) -> Call:
    """What comes of a tool, beside a plate with a bore."""
    session.evaluate(PLATE, name="plate")
    return lambda tool, /, **arguments: call_tool(world, tool, arguments, agent="tester")


@pytest.mark.parametrize(
    ("selection", "of", "count", "kinds"),
    [
        ("{:parallel #[0 0 1]}", "edges", 4, {"line"}),
        ("{:kind :circle :above {:z 4}}", "edges", 1, {"circle"}),
        ("{}", "edges", 14, {"line", "circle"}),
        ("{:normal #[0 0 1]}", "faces", 1, {"plane"}),
        ('{:made-by "cylinder"}', "faces", 1, {"cylinder"}),
        ("{:largest 2}", "faces", 2, {"plane"}),
    ],
)
def test_a_selection_gives_rows_and_a_picture_of_what_it_takes(
    call: Call, workspace: Path, selection: str, of: str, count: int, kinds: set[str]
) -> None:
    outcome = call("vcad_select", source="plate", selection=selection, of=of)
    body = outcome.body
    assert (body["count"], len(body["rows"]), body["said"]) == (count, count, "")
    assert {row["kind"] for row in body["rows"]} == kinds
    assert outcome.images[0].startswith(b"\x89PNG")
    assert (workspace / body["path"]).read_bytes() == outcome.images[0]


def test_a_row_says_which_form_made_it(call: Call) -> None:
    (bore,) = call("vcad_select", source="plate", selection="{:kind :cylinder}", of="faces").body["rows"]
    assert (bore["radius"], bore["made_by"]) == (3, ["cylinder, line 2"])
    (rim,) = call("vcad_select", source="plate", selection="{:kind :circle :above {:z 4}}").body["rows"]
    assert rim["made_by"] == ["cube, line 1", "cylinder, line 2"]
    assert rim["size"] == pytest.approx(18.849556)


def test_what_takes_nothing_is_an_answer_and_what_is_no_selection_is_refused(call: Call) -> None:
    body = call("vcad_select", source="plate", selection="{:radius 4}").body
    assert (body["success"], body["count"], body["rows"]) == (True, 0, [])
    assert ":radius" in body["said"]
    body = call("vcad_select", source="plate", selection="{:concave true}").body
    assert body["error_code"] == "GEOMETRY_INVALID"
    assert "did you mean :convex?" in body["details"]["fix"]
    assert call("vcad_select", source="plate", selection="{:parallel").body["error_code"] == "LOON_SYNTAX"


def test_a_part_without_an_exact_body_says_so(call: Call, workspace: Path) -> None:
    (workspace / "a.stl").write_text(
        "solid a\n"
        + "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners)
            + "endloop\nendfacet\n"
            for corners in (
                ((0, 0, 0), (0, 1, 0), (1, 0, 0)),
                ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
                ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
                ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
            )
        )
        + "endsolid a\n"
    )
    body = call("vcad_select", source='[import-mesh "a.stl"]').body
    assert (body["error_code"], body["details"]["required_capability"]) == ("CAPABILITY_UNAVAILABLE", "brep")


def test_an_agent_points_at_an_edge_a_face_or_a_place_and_the_person_reads_of_it(
    call: Call, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(Session, "note", lambda self, event, said="", **fields: told.append(said))
    plain = call("vcad_select", source="plate", selection="{:radius 4}").images[0]
    for what in ({"edges": [9]}, {"faces": [6]}, {"point": [50, 30, "5 mm"]}):
        outcome = call("vcad_viewer_annotate", node_id="plate", text="too sharp", **what)
        assert outcome.body["annotation_id"].startswith("a-"), outcome.body
        assert outcome.images[0] != plain
        assert f"tester points at plate: too sharp ({outcome.body['path']})" in told
    assert (
        call("vcad_viewer_annotate", node_id="plate", text="x").body["error_code"]
        == "SCHEMA_VALIDATION_FAILED"
    )
    body = call("vcad_viewer_annotate", node_id="plate", text="x", edges=[99]).body
    assert (body["error_code"], "the part has 15" in body["error"]) == ("GEOMETRY_INVALID", True)
