"""The picture that an agent gets: what it shows, where it lies, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from notebook_ext.agents.outcomes import Outcome
from notebook_ext.agents.world import AgentWorld
from notebook_ext.session.session import Session

PLATE = "[difference [translate 30 20 -1 [cylinder 8 30]] [cube 60 40 20]]"


@pytest.fixture
def shown(session: Session, world: AgentWorld) -> AgentWorld:
    session.evaluate(PLATE, name="plate")
    session.evaluate("[translate 80 0 0 [sphere 12]]", name="träger")
    return world


def shot(world: AgentWorld, **arguments: Any) -> Outcome:
    return world.call("vcad_screenshot", {"width": 320, "height": 240, **arguments}, agent="tests")


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
