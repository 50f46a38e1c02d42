"""The viewer as it is to look: stored pictures, small, of its main views.

``VCAD_SAVE_PICTURES=1`` writes them anew; look at the difference before it is committed. They are compared
by blocks of pixels and without texts, for fonts, and how the border of a line is smoothed, are the machine's.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from notebook_ext.viewer import html_file
from notebook_ext.viewer.relay.bodies import body_of, placement_of
from notebook_ext.viewer.relay.nodes import named_nodes
from tests.browser.notebook import Pixels
from tests.browser.test_viewer_file import settled
from vcad_kernel.service.direct import DirectService

PICTURES = Path(__file__).parent / "pictures"
BLOCK = 4
"""Pixels of the page, along each side, that are one in a picture."""
VISIBLE = 20
"""Levels of 255 by which a block differs when a line has gone or a face has another shade."""
MOST = 0.004
"""Of all blocks may differ so; without the tangent edges 0.0066 do in one of the pictures."""

TEXTLESS = "* { -webkit-text-fill-color: transparent !important; caret-color: transparent !important }"
Theme: TypeAlias = Literal["light", "dark"]
VIEWS: dict[str, tuple[str, int, Theme]] = {
    "rounded-light": ("block", 720, "light"),
    "rounded-dark-narrow": ("block", 400, "dark"),
    "prismatic-dark": ("legs", 720, "dark"),
    "prismatic-light-narrow": ("legs", 400, "light"),
}
"""Picture → model, how wide the page is, and its theme."""
MODELS = {
    "block": '#[[material "clay" 0.8 0.5 0.3 0.0 0.6] [root [fillet 4 [cube 40 30 20]] "clay"]]',
    "legs": "[difference [translate 5 5 -1 [cylinder 3 60]] [cube 10 10 40]]",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rounded block; and a prismatic leg that stands in four places, once turned."""
    folder = tmp_path_factory.mktemp("pictures")
    session = Session(plain_shell(), DirectService(), folder=folder)
    for name, source in MODELS.items():
        bodies = [body_of(part, lambda _title: {}) for part in session.part(source).parts]
        turned = (0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0)
        moved = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)
        places = [(*moved, 0, 0, 0, 1), (*moved, 50, 0, 0, 1), (*moved, 0, 40, 0, 1), (*turned, 60, 40, 0, 1)]
        placements = [placement_of(f"{name}-{number}", at) for number, at in enumerate(places, 1)]
        nodes = named_nodes(name, bodies, placements=placements if name == "legs" else ())
        html_file.write(folder / f"{name}.html", name, nodes)
    session.close()
    return folder


def test_the_main_views_look_as_they_did(browser: Browser, files: Path) -> None:
    different = {}
    for name, (model, width, theme) in VIEWS.items():
        page = browser.new_page(viewport={"width": width, "height": 440}, color_scheme=theme)
        page.goto((files / f"{model}.html").as_uri())
        page.add_style_tag(content=TEXTLESS)
        settled(page)
        now = Image.open(io.BytesIO(page.screenshot())).convert("RGB").reduce(BLOCK)
        page.close()
        stored = PICTURES / f"{name}.png"
        if os.environ.get("VCAD_SAVE_PICTURES"):
            now.save(stored, optimize=True)
        with Image.open(stored) as then:
            share = difference(np.asarray(now), np.asarray(then.convert("RGB")))
        if share > MOST:
            different[name] = share
    assert not different


def difference(now: Pixels, then: Pixels) -> float:
    """The share of blocks that differ visibly; 1 for pictures of other sizes."""
    if now.shape != then.shape:
        return 1.0
    return float((np.abs(now.astype(int) - then.astype(int)).max(axis=2) > VISIBLE).mean())
