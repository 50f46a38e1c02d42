"""The picture that an agent gets: what it shows, where it lies, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from notebook_ext.agents.calls.calling import call_tool
from notebook_ext.agents.calls.outcomes import Outcome
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session
from tests.sketchup.memory_bridge import MemorySketchUp
from vcad_kernel.service.direct import DirectService

PLATE = "[difference [translate 30 20 -1 [cylinder 8 30]] [cube 60 40 20]]"


@pytest.fixture
def shown(session: Session, world: AgentWorld) -> AgentWorld:
    session.evaluate(PLATE, name="plate")
    session.evaluate("[translate 80 0 0 [sphere 12]]", name="träger")
    return world


def shot(world: AgentWorld, **arguments: Any) -> Outcome:
    return call_tool(world, "vcad_screenshot", {"width": 320, "height": 240, **arguments}, agent="tests")


def pixels(outcome: Outcome) -> Any:
    assert outcome.success, outcome.body
    (picture,) = outcome.images
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)


def test_a_picture_comes_with_its_file_and_a_legend(shown: AgentWorld) -> None:
    outcome = shot(shown)
    body = outcome.body
    assert body["success"] is True
    assert (body["width"], body["height"]) == (320, 240)
    assert body["path"].startswith(".vcad/shots/shot-")
    assert (shown.workspace / body["path"]).read_bytes() == outcome.images[0]
    assert [one["name"] for one in body["legend"]] == ["plate", "träger"]
    assert body["legend"][0]["size"] == [60.0, 40.0, 20.0]
    assert body["legend"][0]["color"].startswith("#")
    again = shot(shown)
    assert again.body["path"] != body["path"]
    assert again.images == outcome.images


def test_one_part_alone(shown: AgentWorld) -> None:
    (row,) = shot(shown, node_id="träger").body["legend"]
    assert row["name"] == "träger"


@pytest.mark.parametrize("view", ["iso", "top", "bottom", "front", "back", "left", "right"])
def test_each_view_shows_something(shown: AgentWorld, view: str) -> None:
    assert (pixels(shot(shown, view=view)) < 200).all(axis=2).any()


def test_labels_are_written_over_the_picture(shown: AgentWorld) -> None:
    cut = {"axis": "y", "at": 39.999}
    plain = pixels(shot(shown, view="front", section=cut))
    named = pixels(shot(shown, view="front", section=cut, labels=["names"]))
    measured = pixels(shot(shown, view="front", section=cut, labels=["names", "dimensions"]))
    assert (plain != named).any()
    blue = (measured[..., 2] - measured[..., 0] > 60).sum()
    assert blue > 200 + (named[..., 2] - named[..., 0] > 60).sum()


def test_labels_may_be_one_text(shown: AgentWorld) -> None:
    assert (
        shot(shown, labels="names, dimensions").images == shot(shown, labels=["names", "dimensions"]).images
    )


def test_a_section_opens_the_part_where_it_is_wanted(shown: AgentWorld) -> None:
    # seen from the front, cut through the middle of the hole: its wall shows, lighter than the cut
    whole = pixels(shot(shown, node_id="plate", view="front", labels=["names"]))
    cut = pixels(
        shot(shown, node_id="plate", view="front", section={"axis": "y", "at": "2 cm"}, labels=["names"])
    )
    row = 100
    assert len(np.unique(whole[row, 70:250], axis=0)) < len(np.unique(cut[row, 70:250], axis=0))


def test_what_is_cut_away_is_not_named(shown: AgentWorld) -> None:
    outcome = shot(shown, view="iso", section={"axis": "x", "at": 30}, labels=["names"])
    assert [one["name"] for one in outcome.body["legend"]] == ["plate"]


def test_a_cut_beyond_the_part_leaves_it_or_says_so(shown: AgentWorld) -> None:
    assert shot(shown, view="front", section={"axis": "y", "at": -500}).success
    gone = shot(shown, view="front", section={"axis": "y", "at": 500})
    assert gone.body["error_code"] == "INVALID_PARAMS"
    assert "front" in gone.body["error"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"node_id": "nobody"}, "NODE_NOT_FOUND"),
        ({"view": "inside"}, "SCHEMA_VALIDATION_FAILED"),
        ({"section": {"axis": "w", "at": 1}}, "SCHEMA_VALIDATION_FAILED"),
        ({"width": 100_000}, "SCHEMA_VALIDATION_FAILED"),
        ({"labels": ["prices"]}, "SCHEMA_VALIDATION_FAILED"),
    ],
)
def test_what_cannot_be_drawn_is_refused(shown: AgentWorld, arguments: dict[str, Any], code: str) -> None:
    outcome = shot(shown, **arguments)
    assert not outcome.success
    assert outcome.body["error_code"] == code


def test_without_any_part_it_says_what_to_do(world: AgentWorld) -> None:
    outcome = shot(world)
    assert outcome.body["error_code"] == "NO_GEOMETRY"


def test_a_link_in_the_way_of_the_pictures_is_not_followed(shown: AgentWorld, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (shown.workspace / ".vcad").mkdir(exist_ok=True)
    (shown.workspace / ".vcad" / "shots").symlink_to(elsewhere)
    assert not shot(shown).success
    assert list(elsewhere.iterdir()) == []


def test_parts_without_a_material_are_told_apart_by_their_colours(shown: AgentWorld) -> None:
    legend = shot(shown).body["legend"]
    assert len({one["color"] for one in legend}) == 2
    image = pixels(shot(shown, view="front"))
    for row in legend:
        color = np.array([int(row["color"][at : at + 2], 16) for at in (1, 3, 5)])
        tint = color / color.sum()
        shares = image / np.maximum(image.sum(axis=2, keepdims=True), 1)
        assert (np.abs(shares - tint).max(axis=2) < 0.01).sum() > 300, row


def test_one_part_keeps_its_own_colour(shown: AgentWorld) -> None:
    (row,) = shot(shown, node_id="plate").body["legend"]
    assert row["color"] == "#cccccc"


def test_the_legend_says_what_is_hidden(shown: AgentWorld) -> None:
    shown.session.evaluate("[translate 40 20 5 [cube 1 1 1]]", name="inside")
    shown.session.evaluate("[translate 45 20 2 [cube 10 5 5]]", name="core")
    rows = {one["name"]: one["visible"] for one in shot(shown, view="front").body["legend"]}
    assert rows == {"plate": True, "träger": True, "inside": False, "core": False}
    cut = shot(shown, view="front", section={"axis": "y", "at": 22}).body["legend"]
    assert {one["name"] for one in cut if one["visible"]} >= {"plate", "core"}


def test_a_cut_is_hatched(shown: AgentWorld) -> None:
    image = pixels(shot(shown, node_id="plate", view="front", section={"axis": "y", "at": 20}))
    # the cut is warm: red above blue; a grey part has no such colour of its own
    warm = image[..., 0] - image[..., 2] > 30
    assert warm.sum() > 3000
    columns = np.flatnonzero(warm.any(axis=0))
    row = int(np.flatnonzero(warm.any(axis=1)).mean())
    along = image[row, columns[0] : columns[0] + 60, 0]
    assert (along < 150).sum() > 3, "lines run across it"


@pytest.mark.parametrize("labels", [["names"], ["dimensions"], ["names", "dimensions"]])
@pytest.mark.parametrize(("width", "height"), [(64, 64), (2048, 64), (64, 2048)])
def test_labels_find_their_place_in_any_size(
    shown: AgentWorld, width: int, height: int, labels: list[str]
) -> None:
    assert shot(shown, labels=labels, width=width, height=height).success


def test_a_name_never_covers_a_small_part(session: Session, world: AgentWorld) -> None:
    session.evaluate("[cube 100 100 2]", name="plate")
    session.evaluate("[translate 50 50 2 [cube 4 4 4]]", name="a-pin-with-a-long-name")
    plain = pixels(shot(world, view="top", labels=["dimensions"], width=640, height=480))
    named = pixels(shot(world, view="top", labels=["names", "dimensions"], width=640, height=480))
    rows, columns = np.nonzero((np.abs(plain[..., 0] - plain[..., 2]) > 30) & (plain[..., 0] > plain[..., 2]))
    assert len(rows) > 100, "the pin shows, in a warm tone"
    changed = (plain[rows, columns] != named[rows, columns]).any(axis=1)
    assert changed.mean() < 0.5, "a dot points at it, and that is all"


def test_a_part_that_is_empty_is_said_to_be(session: Session, world: AgentWorld) -> None:
    session.evaluate("[difference [cube 90 90 90] [translate 1 1 1 [cube 5 5 5]]]", name="nothing")
    for arguments in ({"node_id": "nothing"}, {}):
        outcome = shot(world, **arguments)
        assert outcome.body["error_code"] == "NO_GEOMETRY"
        assert outcome.body["details"]["operation"] == "vcad_screenshot"


def test_a_cut_that_leaves_nothing_says_where_the_part_is(shown: AgentWorld) -> None:
    body = shot(shown, node_id="plate", view="front", section={"axis": "y", "at": 500}).body
    assert "between 0 and 40 mm" in body["details"]["expected"]


def test_the_scene_shows_parts_where_they_stand(
    session: Session, world: AgentWorld, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[cube 10 20 30]", name="post")
    session.place("post", position=(0, 0, 0))
    session.place("post", position=(200, 0, 0), instance="far")
    turned = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 100, 0, 0, 1]
    session.evaluate("[cube 40 5 5]", name="rail")
    session.place("rail", transformation=turned)
    legend = shot(world).body["legend"]
    assert [(one["name"], one["size"]) for one in legend] == [
        ("post (far)", [10.0, 20.0, 30.0]),
        ("post (post-1)", [10.0, 20.0, 30.0]),
        ("rail", [5.0, 40.0, 5.0]),
    ]
    (row,) = shot(world, node_id="rail").body["legend"]
    assert row["size"] == [40.0, 5.0, 5.0], "alone, in its own coordinates"
    body = shot(world, view="front", section={"axis": "x", "at": 900}).body
    assert body["success"], "a plane beyond all that cuts nothing"
    gone = shot(world, view="right", section={"axis": "x", "at": -50}).body
    assert "between 0 and 210 mm" in gone["details"]["expected"]


def test_a_mirrored_instance_shows_its_outside(
    session: Session, world: AgentWorld, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[cube 10 20 30]", name="post")
    session.place("post", transformation=[-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1])
    mirrored = pixels(shot(world))
    session.remove("post")
    assert (mirrored == pixels(shot(world))).all()


def test_a_part_that_no_cell_has_made_yet_is_made_to_be_looked_at(
    session: Session, world: AgentWorld, sketchup: MemorySketchUp
) -> None:
    session.evaluate("[cube 10 20 30]", name="post")
    session.place("post")
    session.close()
    shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
    workspace = world.workspace
    later = Session(shell, DirectService(folder=workspace), folder=workspace)
    looking = AgentWorld(later, session_id="s-later")
    assert "post" in shot(looking).body["details"]["fix"]
    (row,) = shot(looking, node_id="post").body["legend"]
    assert row["size"] == [10.0, 20.0, 30.0]
    later.close()


def test_sizes_in_the_legend_are_those_of_the_part_and_not_of_its_facets(
    world: AgentWorld, session: Session, sketchup: Any
) -> None:
    session.evaluate("[translate 3 2 0 [cylinder 11.3 30]]", name="pin")
    for section in (None, {"axis": "x", "at": 3}):
        body = call_tool(world, "vcad_screenshot", {"node_id": "pin", "section": section}, agent="a").body
        assert [row["size"] for row in body["legend"]] == [[22.6, 22.6, 30]]
    session.place("pin", instance="pin-1", transformation=[0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 5, 5, 5, 1])
    body = call_tool(world, "vcad_screenshot", {}, agent="a").body
    assert [row["size"] for row in body["legend"]] == [[30, 22.6, 22.6]]
