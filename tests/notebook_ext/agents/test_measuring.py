"""What a part measures, whatever it is called, and how two of them stand to each other."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session

BOTH = '[let a [import :solid "node:block"]]\n[let b [import :solid "node:sphere"]]\n[intersection a b]'
"""Two parts as solids, one of them of a name that Loon has another meaning for."""
SHARED = 9.0 * math.pi * 5.0


@pytest.fixture
def ask(world: AgentWorld) -> Any:
    """What a tool answers."""

    def asked(tool: str, /, **arguments: Any) -> dict[str, Any]:
        return call_tool(world, tool, arguments, agent="tester").body

    return asked


@pytest.fixture
def parts(workspace: Path, ask: Any) -> None:
    """A block of 10 mm, and a rod of radius 3 that stands half in it."""
    (workspace / "block.oo").write_text("[let w 10.0]\n[cube w w w]")
    (workspace / "sphere.oo").write_text("[translate 5 5 5 [cylinder 3 10]]")
    for name in ("block", "sphere"):
        assert ask("vcad_place", node_id=name, source_file=f"{name}.oo")["success"] is True


def turned(x: float, y: float, z: float) -> list[float]:
    """Turned about z by 90 degrees, doubled and mirrored along its x, and moved: column by column."""
    return [0, -2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, x, y, z, 1]


# ---- names as solids


def test_text_takes_parts_as_solids_whatever_their_names_mean(ask: Any, parts: None) -> None:
    for _ in range(2):  # what is looked at leaves nothing behind, and takes nothing away
        assert ask("vcad_inspect", source=BOTH)["volume"] == pytest.approx(SHARED)
    assert ask("vcad_eval", code=f"{BOTH}\n[solid? a]")["display"] == "true"
    assert ask("vcad_check", source=BOTH)["diagnostics"] == []
    assert [one["code"] for one in ask("vcad_check", source=f"{BOTH}\n[cube 1 1 nope]")["diagnostics"]] == [
        "E0201"
    ]


def test_a_part_that_only_the_project_knows_is_a_solid_too(ask: Any, parts: None, session: Session) -> None:
    session.forget(["block", "sphere"])
    assert session.nodes() == ()
    assert ask("vcad_inspect", source="block")["volume"] == pytest.approx(1000)
    assert ask("vcad_inspect", source=BOTH)["volume"] == pytest.approx(SHARED)
    assert ask("vcad_distance", a="block", b="sphere")["interference"] == pytest.approx(SHARED)
    assert session.nodes() == ()


def test_the_newest_part_of_a_name_is_taken(ask: Any, parts: None, workspace: Path, session: Session) -> None:
    (workspace / "sphere.oo").write_text("[cube 2 2 2]")
    ask("vcad_update", node_id="sphere")
    assert ask("vcad_inspect", source=BOTH)["volume"] == pytest.approx(8)
    session.evaluate("[cube 3 3 3]", name="träger")
    text = '[let a [import :solid "node:tr:e4:ger"]]\na'
    assert ask("vcad_inspect", source=text)["volume"] == pytest.approx(27)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ('[let a [import :solid "node:nope"]] a', "NODE_NOT_FOUND"),
        ('[let a [import :bbox "node:block"]] a', "NO_GEOMETRY"),
        ('[let a [import :solid "entity:7"]] a', "CONNECTION_FAILED"),
        ('[fillet 1 [import :solid "node:block"]]', "IMPORT_FORM_INVALID"),
        ("nope", "NODE_NOT_FOUND"),
        ("node:nope", "NODE_NOT_FOUND"),
        ("blok", "NODE_NOT_FOUND"),
        ("cube", "NO_GEOMETRY"),
    ],
)
def test_what_is_no_solid_is_refused_with_a_way_out(ask: Any, parts: None, source: str, code: str) -> None:
    body = ask("vcad_inspect", source=source)
    assert body["error_code"] == code, body
    assert body["details"]["fix"]


def test_a_part_of_several_bodies_is_no_one_solid(ask: Any, session: Session) -> None:
    session.evaluate("#[[cube 1 1 1] [translate 5 0 0 [cube 1 1 1]]]", name="pair")
    body = ask("vcad_inspect", source='[let a [import :solid "node:pair"]] a')
    assert (body["error_code"], body["details"]["reason"]) == ("SOLID_IMPORT_UNAVAILABLE", "it gives 2 parts")


# ---- distances


def test_two_parts_that_overlap_say_by_how_much_and_where(ask: Any, parts: None) -> None:
    body = ask("vcad_distance", a="block", b="sphere")
    assert (body["distance"], body["exact"]) == (0, True)
    assert body["interference"] == pytest.approx(SHARED)
    assert body["bbox"] == [pytest.approx([2, 2, 5]), pytest.approx([8, 8, 10])]
    assert "interfere" in body["said"]


def test_parts_are_measured_where_they_stand(ask: Any, parts: None) -> None:
    ask("vcad_place", node_id="sphere", position=[20, 0, 0])
    body = ask("vcad_distance", a="block", b="sphere")
    assert body["distance"] == pytest.approx(12)
    assert [point[0] for point in body["points"]] == pytest.approx([10, 22])
    assert (body["b"], body["interference"]) == ("sphere-1 where it stands", 0)
    own = ask("vcad_distance", a="node:block", b="node:sphere")
    assert own["interference"] == pytest.approx(SHARED)
    assert ask("vcad_distance", a="block", b="[translate 0 0 12.5 [cube 1 1 1]]")["distance"] == 2.5


def test_parts_that_touch_do_not_interfere(ask: Any, parts: None) -> None:
    body = ask("vcad_distance", a="block", b="[translate 10 0 0 [cube 1 1 1]]")
    assert (body["distance"], body["interference"]) == (0, 0)
    assert body["said"].endswith("touch")


def test_what_is_not_exact_says_so(ask: Any, parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # more curved operands than the rule for exact figures takes
    holes = "[linear-pattern 0.5 0 0 70 0.5 [cylinder 0.1 1]]"
    body = ask("vcad_distance", a="block", b=f"[translate 0 0 15 [difference {holes} [cube 40 4 1]]]")
    assert body["exact"] is (body["tolerance"] is None)
    assert ("≈" in body["said"]) is not body["exact"]


def test_of_several_instances_one_must_be_named(ask: Any, parts: None) -> None:
    ask("vcad_place", node_id="block", if_exists="add_instance", transformation=turned(50, 0, 0))
    body = ask("vcad_distance", a="block", b="sphere")
    assert (body["error_code"], body["details"]["path"]) == ("SCHEMA_VALIDATION_FAILED", "a")
    assert "block-2" in body["error"]
    assert ask("vcad_distance", a="block-1", b="block-2")["distance"] == pytest.approx(30)
    placed = ask("vcad_inspect", source="block-2")
    assert placed["bbox"] == [pytest.approx([40, -20, 0]), pytest.approx([50, 0, 10])]
    assert placed["volume"] == pytest.approx(2000)


def test_an_instance_that_is_sheared_is_refused(ask: Any, parts: None) -> None:
    sheared = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    ask("vcad_place", node_id="block", transformation=sheared)
    body = ask("vcad_inspect", source="block-1")
    assert body["error_code"] == "INVALID_PARAMS"
    assert "sheared" in body["error"]


# ---- one part


def test_details_are_inertia_counts_the_thinnest_wall_and_round_features(ask: Any) -> None:
    plate = "[difference [linear-pattern 1 0 0 3 15 [translate 10 10 -1 [cylinder 2 9]]] [cube 50 20 4]]"
    plain = ask("vcad_inspect", source=plate)
    assert plain["details"] is None
    assert plain["center_of_mass"][2] == pytest.approx(2)
    found = ask("vcad_inspect", source=plate, details=True)["details"]
    assert (found["faces"], found["edges"], found["vertices"]) == (9, 21, 14)
    assert (found["lumps"], found["through_holes"]) == (1, 3)
    assert found["wall"]["thickness"] == pytest.approx(4)
    assert "rays" in found["wall"]["how"]
    assert [hole["diameter"] for hole in found["holes"]] == [pytest.approx(4)] * 3
    assert [(one["kind"], one["count"]) for one in found["patterns"]] == [("linear", 3)]
    block = ask("vcad_inspect", source="[cube 6 6 6]", details=True)["details"]
    assert [block["inertia"][row][row] for row in range(3)] == pytest.approx([6**5 / 6] * 3)


def test_what_cannot_be_found_is_told_with_its_reason(ask: Any, session: Session) -> None:
    found = ask("vcad_inspect", source="[sphere-n 10 200]", details=True)["details"]
    assert "triangles take too long" in found["wall"]["why_not"]
    found = ask("vcad_inspect", source="[linear-pattern 1 0 0 70 3 [cube 1 1 1]]", details=True)["details"]
    assert "operands" in found["why_not"]
    session.evaluate("#[[cube 1 1 1] [translate 5 0 0 [cylinder 1 9]]]", name="pair")
    assert sorted(ask("vcad_inspect", source="pair", details=True)["details"]) == ["part-1", "part-2"]
