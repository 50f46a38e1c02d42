"""The viewer in a file of its own, offline: what it shows, what answers when pointed at, what is cut."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tools.build_front_ends import VIEWER

Message = dict[str, Any]

_ROOT = ".vcad-viewer"
_SIZE = (720, 440)
_TOP = 5
"""The number of a box's upper face: sides come in the order -x, +x, -y, +y, -z, +z."""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A file with two boxes, opened from the disk; nothing that it asks for may leave the machine."""
    file = tmp_path_factory.mktemp("viewer") / "boxes.html"
    boxes = [
        *box("plate", (40.0, 30.0, 10.0), color=(0.2, 0.4, 0.8)),
        *box("post", (10.0, 10.0, 30.0), at=(60.0, 0.0, 0.0), color=(0.8, 0.3, 0.2)),
    ]
    heads = [message["node"] for message in boxes if message["type"] == "mesh.update"]
    snapshot = {"type": "scene.snapshot", "nodes": heads, "status": None, "annotations": []}
    file.write_text(html([snapshot, *boxes]), encoding="utf-8")
    width, height = _SIZE
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    problems: list[str] = []
    page.on("request", lambda request: problems.append(request.url) if request.url != file.as_uri() else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    settled(page)
    yield page
    assert problems == []
    page.close()


@pytest.fixture(autouse=True)
def _as_at_first(page: Page) -> Iterator[None]:
    """From above, everything shown, nothing picked: each test leaves the view so."""
    press(page, "Escape", "Escape", "Shift+H", "5")
    yield
    page.mouse.move(5, 200)


def test_parts_stand_where_they_are_placed_and_the_first_view_shows_them_all(page: Page) -> None:
    state = settled(page)
    assert [(node["node_id"], node["drawn"], node["pickable"]) for node in state["nodes"]] == [
        ("plate", True, True),
        ("post", True, True),
    ]
    # Blue to the left, red to the right of it.
    colors = [pixel(page, *place(page, point)) for point in ([20.0, 15.0, 10.0], [65.0, 5.0, 30.0])]
    assert [color.argmax() for color in colors] == [2, 0]


def test_nothing_is_drawn_while_nothing_changes(page: Page) -> None:
    before = settled(page)["frames"]
    page.evaluate(
        """async () => {
          for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame);
        }"""
    )
    assert settled(page)["frames"] == before


def test_a_face_answers_when_it_is_pointed_at(page: Page) -> None:
    x, y = place(page, [20.0, 15.0, 10.0])
    page.mouse.move(x, y)
    wait(page, "state.hover !== null")
    assert (
        settled(page)["line"]
        == f"face {_TOP} of plate · plane · area 1200 mm² · made by cube, line {_TOP + 1}"
    )
    before = pixel(page, *place(page, [5.0, 5.0, 10.0]))
    page.mouse.click(x, y)
    wait(page, "state.selection.length === 1")
    picked = settled(page)["selection"][0]
    assert (picked["node_id"], picked["kind"], picked["index"]) == ("plate", "face", _TOP)
    assert picked["point"] == pytest.approx([20.0, 15.0, 10.0], abs=0.2)
    # It is marked: the blue face turns towards orange.
    after = pixel(page, *place(page, [5.0, 5.0, 10.0]))
    assert after[0] > before[0] + 40


def test_two_picked_things_are_measured_from_the_mesh_and_marked_so(page: Page) -> None:
    press(page, "m", "Shift+P")
    wait(page, 'state.panel === "measure"')
    page.mouse.click(*place(page, [20.0, 15.0, 10.0]))
    page.keyboard.down("Shift")
    page.mouse.click(*place(page, [65.0, 5.0, 30.0]))
    page.keyboard.up("Shift")
    wait(page, "state.measured?.points?.length === 2")
    assert settled(page)["measured"]["text"] == "≈ 20 mm"
    assert page.get_by_text("the mesh (≈)").is_visible()
    press(page, "Shift+A")


_TYPED_WHILE_ALL_IS_SHOWN_ANEW = """async field => {
    const rows = field.closest("fieldset").parentElement;
    rows.querySelector("fieldset.y input").click();
    field.value = "5";
    field.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    field.dispatchEvent(new Event("change", {bubbles: true}));
}"""


def test_a_cut_has_a_surface_in_the_color_of_its_part(page: Page) -> None:
    press(page, "x")
    wait(page, "state.section.length === 1")  # one is there to begin with
    page.get_by_label("Section Z, millimetres").evaluate(_TYPED_WHILE_ALL_IS_SHOWN_ANEW)
    wait(page, 'state.section.some((plane) => plane.axis === "z")')
    assert settled(page)["section"] == [{"axis": "z", "at": 5, "flipped": False}]
    x, y = place(page, [20.0, 15.0, 5.0])
    cut = np.stack([pixel(page, x + step, y) for step in range(0, 30, 3)]).mean(axis=0)
    assert cut.argmax() == 2
    assert cut[2] - cut[0] > 30
    page.mouse.move(x, y)
    wait(page, "state.hover !== null")
    assert settled(page)["hover"]["point"][2] == pytest.approx(5.0, abs=1e-3)
    page.get_by_label("Z", exact=True).uncheck()
    wait(page, "state.section.length === 0")


def test_what_is_hidden_is_neither_seen_nor_picked(page: Page) -> None:
    spot = place(page, [65.0, 5.0, 30.0])
    page.get_by_role("button", name="Hide post").click()
    wait(page, "state.nodes.some((node) => !node.visible)")
    assert np.ptp(pixel(page, *spot)) < 25
    page.mouse.click(*spot)
    assert settled(page)["selection"] == []


def test_dark_is_dark(page: Page) -> None:
    bright = pixel(page, 300, 400).mean()
    page.get_by_label("Light or dark").click()
    wait(page, 'state.theme === "dark"')
    assert pixel(page, 300, 400).mean() < 80 < bright
    page.get_by_label("Light or dark").click()


def test_a_lost_graphics_card_comes_back(page: Page) -> None:
    page.evaluate(
        """(root) => {
          const canvas = document.querySelector(root).shadowRoot.querySelector(".canvas canvas");
          const extension = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
          const once = (name) => new Promise((done) => canvas.addEventListener(name, done, { once: true }));
          const lost = once("webglcontextlost");
          extension.loseContext();
          return lost.then(() => {
            const restored = once("webglcontextrestored");
            setTimeout(() => extension.restoreContext());
            return restored;
          });
        }""",
        _ROOT,
    )
    settled(page)
    assert pixel(page, *place(page, [20.0, 15.0, 10.0])).argmax() == 2


def box(
    name: str,
    size: tuple[float, float, float],
    *,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    color: tuple[float, float, float],
) -> list[Message]:
    """The messages of a box, millimetres, with one corner at its origin and the origin at ``at``."""
    positions, normals, indices, faces = [], [], [], []
    for side in range(6):
        axis, u, v = side // 2, (side // 2 + 1) % 3, (side // 2 + 2) % 3
        corners = np.zeros((4, 3))
        corners[:, axis] = size[axis] * (side % 2)
        corners[[1, 2], u] = size[u]
        corners[[2, 3], v] = size[v]
        normal = np.eye(3)[axis] * (1 if side % 2 else -1)
        indices += [[4 * side + step for step in (0, 1, 2)], [4 * side + step for step in (0, 2, 3)]]
        positions.append(corners if side % 2 else corners[::-1])
        normals.append(np.tile(normal, (4, 1)))
        faces.append(
            {
                "kind": "plane",
                "area": size[u] * size[v],
                "radius": None,
                "center": None,
                "normal": normal.tolist(),
                "made_by": "cube",
                "source": {"line": side + 1},
                "exact": True,
            }
        )
    lines, edges = [], []
    for axis in range(3):
        for a, b in ((0, 0), (1, 0), (0, 1), (1, 1)):
            ends = np.zeros((2, 3))
            ends[:, (axis + 1) % 3] = a * size[(axis + 1) % 3]
            ends[:, (axis + 2) % 3] = b * size[(axis + 2) % 3]
            ends[1, axis] = size[axis]
            lines.append(ends)
            edges.append(
                {
                    "kind": "line",
                    "length": size[axis],
                    "radius": None,
                    "center": ends.mean(axis=0).tolist(),
                    "direction": np.eye(3)[axis].tolist(),
                    "faces": [],
                    "exact": True,
                }
            )
    pose = np.eye(4)
    pose[:3, 3] = at
    node = {
        "node_id": name,
        "revision": 1,
        "digest": name,
        "name": name,
        "group": "",
        "material": {"name": "", "color": color, "metallic": 0.0, "roughness": 0.6, "opacity": 1.0},
        "pose": pose.ravel().tolist(),
        "bounds": [[0.0, 0.0, 0.0], list(size)],
        "triangles": 12,
        "stale": "",
        "ingredient": False,
        "exact": True,
        "source": None,
        "figures": "",
    }
    return [
        {
            "type": "mesh.update",
            "node": node,
            "buffers": [
                embedded("positions", np.concatenate(positions).astype("<f4")),
                embedded("normals", np.concatenate(normals).astype("<f4")),
                embedded("indices", np.array(indices, "<u4")),
                embedded("segments", np.stack(lines).astype("<f4")),
            ],
        },
        {
            "type": "mesh.rows",
            "node_id": name,
            "digest": name,
            "faces": faces,
            "edges": edges,
            "buffers": [
                embedded("triangle_faces", np.repeat(np.arange(6), 2).astype("<u4")),
                embedded("lines", np.concatenate(lines).astype("<f4")),
                embedded("line_starts", np.arange(0, 26, 2).astype("<u4")),
                embedded("line_tangent", np.zeros(12, "u1")),
            ],
        },
    ]


def embedded(name: str, array: np.ndarray[Any, np.dtype[Any]]) -> Message:
    """A buffer as a file holds it."""
    return {
        "name": name,
        "dtype": array.dtype.str[1:],
        "shape": array.shape,
        "encoding": "gzip+base64",
        "data": base64.b64encode(gzip.compress(array.tobytes())).decode(),
    }


def html(messages: list[Message]) -> str:
    """One file with the viewer and what it shows."""
    program = Path(VIEWER.built / "viewer.js").read_text(encoding="utf-8")
    data = json.dumps(messages).replace("<", "\\u003c")
    return (
        '<!doctype html><meta charset="utf-8"><title>boxes</title>'
        '<div id="vcad-viewer" style="position:fixed;inset:0"></div>'
        f'<script type="application/vnd.vcad.messages+json">{data}</script>'
        f'<script type="module">{program}</script>'
    )


def wait(page: Page, condition: str) -> None:
    """Until a condition holds of the viewer's state."""
    page.wait_for_function(
        f"""(root) => {{
          const state = JSON.parse(document.querySelector(root)?.dataset.state ?? "null");
          return state !== null && {condition};
        }}""",
        arg=_ROOT,
    )


def settled(page: Page) -> dict[str, Any]:
    """The viewer's state, once nothing moves and all is drawn."""
    page.wait_for_function(
        """(root) => {
          const viewer = document.querySelector(root)?.vcadViewer;
          return viewer?.view.settled && viewer.state.nodes.every((node) => node.drawn && node.pickable);
        }""",
        arg=_ROOT,
    )
    state: dict[str, Any] = page.evaluate("(root) => document.querySelector(root).vcadViewer.state", _ROOT)
    return state


def press(page: Page, *keys: str) -> None:
    """Press keys, which a file hears wherever the focus is."""
    for key in keys:
        page.keyboard.press(key)
    settled(page)


def place(page: Page, point: list[float]) -> tuple[float, float]:
    """Where on the page a point of the scene, millimetres, is seen."""
    settled(page)
    x, y = page.evaluate(
        """([root, point]) => {
          const viewer = document.querySelector(root).vcadViewer;
          const box = viewer.stage.getBoundingClientRect();
          const at = viewer.place(point);
          return [box.x + at[0], box.y + at[1]];
        }""",
        [_ROOT, point],
    )
    return x, y


def pixel(page: Page, x: float, y: float) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Red, green and blue of one pixel of the page, 0 to 255; the pointer out of the way."""
    page.mouse.move(5, 200)
    settled(page)
    shot = page.screenshot(clip={"x": int(x), "y": int(y), "width": 1, "height": 1})
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), np.int64)[0, 0]
