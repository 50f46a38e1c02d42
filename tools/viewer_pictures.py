"""Takes the pictures of docs/viewer.md anew, in Chromium with software GL.

    python -m tools.viewer_pictures
    python -m tools.viewer_pictures viewer_narrow live_view

Look at each before it is committed. They have fewer colours than a screen, which keeps the files small.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from notebook_ext.viewer import html_file
from notebook_ext.viewer.relay.bodies import body_of
from notebook_ext.viewer.relay.nodes import Node, Placement, named_nodes
from tests.browser.conftest import FLAGS, Workbench, chromium_path
from tests.browser.lab import running_lab
from tests.browser.notebook import Viewer
from tests.browser.test_viewer_file import place, press, settled, wait
from vcad_kernel.service.direct import DirectService

__all__ = ["IN_LAB", "LARGEST", "PICTURES", "VIEWS", "View", "take", "take_in_lab"]

PICTURES: Final = Path(__file__).parents[1] / "docs" / "images"
LARGEST: Final = 120_000
"""Bytes of a picture, at most."""
_COLORS: Final = 255

Theme: TypeAlias = Literal["light", "dark"]
At: TypeAlias = tuple[float, float, float]

_PARTS: Final = {
    "base": (
        "clay 0.80 0.52 0.30 0.0 0.6",
        "[difference"
        " [linear-pattern 1 0 0 2 54 [linear-pattern 0 1 0 2 34 [translate 8 8 -1 [cylinder 3.2 20]]]]"
        " [fillet 2 [cube 70 50 10]]]",
    ),
    "post": (
        "steel 0.62 0.66 0.72 0.9 0.35",
        "[difference [translate 35 25 0 [cylinder 7 70]] [translate 35 25 10 [cylinder 11 34]]]",
    ),
    "collar": ("brass 0.85 0.68 0.28 0.9 0.3", "[translate 35 25 44 [torus 14 4.5]]"),
    "knob": ("rubber 0.22 0.30 0.45 0.0 0.8", "[translate 35 25 55 [sphere 10]]"),
    "block": ("paint 0.30 0.58 0.44 0.0 0.5", "[translate 90 8 0 [fillet 5 [cube 40 30 24]]]"),
}
"""Name → its material, and the part where it stands."""

_PINS: Final = {
    "pin": "[chamfer 1 [cylinder 4 24]]",
    "bush": "[difference [translate 0 0 -1 [cylinder 3 16]] [cylinder 6 12]]",
    "cap": "[fillet 2 [cylinder 6 8]]",
    "nut": "[difference [translate 0 0 -1 [cylinder 3 8]] [prism 6 6 6]]",
    "stop": "[translate -5 -5 0 [fillet 1.5 [cube 10 10 14]]]",
}
"""Each of these stands ten times."""


_BRACKET: Final = "[union [translate 6 12 6 [cube 14 6 14]] [union [cube 6 30 36] [cube 50 30 6]]]"


class View(NamedTuple):
    """One picture."""

    scene: str
    size: tuple[int, int]
    theme: Theme
    pose: Callable[[Page], object]
    """What is done in the viewer before it is taken."""


def _nothing(page: Page) -> None:
    settled(page)


def _pick_a_face(page: Page) -> None:
    page.mouse.click(*place(page, [60.0, 20.0, 10.0]))
    wait(page, "state.selection.length === 1")
    page.mouse.move(5, 400)
    wait(page, "state.hover === null")


def _cut(page: Page) -> None:
    press(page, "x")
    wait(page, "state.section.length === 1")


VIEWS: Final = {
    "viewer": View("assembly", (1100, 640), "light", _pick_a_face),
    "viewer_section": View("assembly", (1100, 640), "dark", _cut),
    "viewer_fifty": View("fifty", (1100, 640), "light", _nothing),
    "viewer_narrow": View("rounded", (400, 560), "light", _nothing),
    "viewer_narrow_dark": View("prismatic", (400, 560), "dark", _nothing),
}
"""File in docs/images → what it shows."""


_CELLS: Final = (
    "%load_ext notebook_ext",
    "%%loon bracket\n[difference [translate 20 15 -1 [cylinder 5 40]] [cube 40 30 20]]",
    "%%loon lid\n[translate 0 0 26 [fillet-at 2 {:side :top} [cube 40 30 6]]]",
    "%loon_view --dock",
)
IN_LAB: Final = ("cell_view", "live_view")
"""Files in docs/images that are taken in JupyterLab: a view under a cell, the live view beside a notebook."""


def scenes(session: Session) -> dict[str, list[Node]]:
    """What the pictures show."""

    def nodes(name: str, source: str, at: Sequence[Placement] = ()) -> list[Node]:
        bodies = [body_of(part, lambda _title: {}) for part in session.part(source).parts]
        return list(named_nodes(name, bodies, placements=at))

    def rooted(material: str, part: str) -> str:
        name, _, values = material.partition(" ")
        return f'#[[material "{name}" {values}] [root {part} "{name}"]]'

    assembly = [node for name, each in _PARTS.items() for node in nodes(name, rooted(*each))]
    fifty = []
    for row, (name, source) in enumerate(_PINS.items()):
        at = [_standing(f"{name}-{number + 1}", (20.0 * number, 20.0 * row, 0.0)) for number in range(10)]
        fifty += nodes(name, source, at)
    return {
        "assembly": assembly,
        "fifty": fifty,
        "rounded": nodes("block", rooted(_PARTS["block"][0], "[fillet 6 [cube 40 30 24]]")),
        "prismatic": nodes("bracket", _BRACKET),
    }


def _standing(name: str, at: At) -> Placement:
    x, y, z = at
    return Placement(name, (1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1))


def take(names: Sequence[str], folder: Path) -> None:
    """Take the pictures of these names into a folder.

    Raises: RuntimeError where there is no Chromium, or a picture is larger than `LARGEST`.
    """
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        session = Session(plain_shell(), DirectService(), folder=Path(temporary))
        for name, nodes in scenes(session).items():
            html_file.write(Path(temporary) / f"{name}.html", name, nodes)
        session.close()
        browser = playwright.chromium.launch(executable_path=_chromium(), args=list(FLAGS))
        for name in names:
            scene, (width, height), theme, pose = VIEWS[name]
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            page.goto((Path(temporary) / f"{scene}.html").as_uri())
            settled(page)
            pose(page)
            settled(page)
            _write(folder / f"{name}.png", page.screenshot())
            page.close()
        browser.close()


def take_in_lab(folder: Path) -> None:
    """Take the pictures `IN_LAB` into a folder. Raises: as `take`."""
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), args=list(FLAGS))
        with running_lab(Path(temporary)) as lab:
            workbench = Workbench(browser, lab)
            with workbench.notebook(cells=_CELLS) as notebook:
                page = notebook.page
                notebook.run_cell(0)
                notebook.run_cell(1)
                notebook.scroll_to(1)
                view = notebook.view(cell=1).element
                box = view.bounding_box()
                assert box is not None
                page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.6 * box["height"])
                notebook.cell(1).locator(".cm-loon-picked").first.wait_for()
                page.mouse.move(5, 5)
                _write(folder / "cell_view.png", notebook.cell(1).screenshot())
                for cell in (2, 3):
                    notebook.run_cell(cell)
                page.evaluate("() => void window.jupyterapp.commands.execute('vcad-workbench:parts')")
                page.locator("#vcad-parts .vcad-part").nth(1).wait_for()
                live = Viewer(page, page.locator(".vcad-live-dock .vcad-viewer"))
                live.wait_for(
                    lambda state: all(node["pickable"] for node in state["nodes"]) and state["settled"]
                )
                notebook.scroll_to(1)
                _write(folder / "live_view.png", page.screenshot())
            workbench.close()
        browser.close()


def _chromium() -> str:
    path = chromium_path(os.environ)
    if path is None:
        raise RuntimeError("the pictures are taken in Chromium: install it, or set VCAD_CHROMIUM")
    return path


def _write(path: Path, png: bytes) -> None:
    seen = Image.open(io.BytesIO(png)).convert("RGB")
    colors = seen.quantize(_COLORS, method=Image.Quantize.MAXCOVERAGE, kmeans=2)
    seen.quantize(palette=colors, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise RuntimeError(f"{path} has {path.stat().st_size:,} bytes, more than {LARGEST:,}")


if __name__ == "__main__":
    wanted = sys.argv[1:] or [*VIEWS, *IN_LAB]
    take([name for name in wanted if name in VIEWS], PICTURES)
    if set(wanted) & set(IN_LAB):
        take_in_lab(PICTURES)
