"""A notebook open in JupyterLab, as a test drives it: run it, ask its views, look at pictures.

Knows JupyterLab's page and the marks that our views leave in it. Waits for conditions, never for
time to pass.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page

__all__ = ["Notebook", "Pixels", "View", "Viewer"]

_Seen = TypeVar("_Seen")

Pixels = NDArray[np.uint8]
"""(height, width, 3) RGB, as the person sees it."""

_IDLE = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  const session = panel?.sessionContext;
  return Boolean(panel?.context?.isReady && session?.isReady && session.session?.kernel?.status === 'idle');
}"""

_OPEN = """async path => {
  const { commands, shell } = window.jupyterapp;
  const panel = await commands.execute('docmanager:open', { path, factory: 'Notebook' });
  shell.activateById(panel.id);
}"""

_CLOSE = """async () => {
  for (const widget of [...window.jupyterapp.shell.widgets('main')]) {
    await widget.sessionContext?.shutdown();
    widget.dispose();
  }
}"""

_RUN = """async index => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const run = index === null ? 'notebook:run-all-cells' : 'notebook:run-cell';
  if (index !== null) content.activeCellIndex = index;
  await window.jupyterapp.commands.execute(run);
  const cells = index === null ? content.widgets : [content.widgets[index]];
  return cells.flatMap(cell => cell.outputArea?.model.toJSON() ?? [])
    .filter(output => output.output_type === 'error');
}"""

_SAVE = """async () => {
  const { context } = window.jupyterapp.shell.currentWidget;
  await context.save();
  return context.path;
}"""

_REWRITE = """([index, source]) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.widgets[index].model.sharedModel.setSource(source);
}"""

_SCROLL = """async index => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = index;
  await content.scrollToItem(index, 'start');
}"""

_SCROLLED = "() => window.jupyterapp.shell.currentWidget.content.outerNode.scrollTop"

_EXECUTE = """async code => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const request = kernel.requestExecute({ code, store_history: false });
  let text = '';
  request.onIOPub = ({ header, content }) => {
    if (header.msg_type === 'stream') text += content.text;
    if (header.msg_type === 'execute_result') text += content.data['text/plain'];
  };
  const { content } = await request.done;
  return { text, error: content.status === 'ok' ? null : `${content.ename}: ${content.evalue}` };
}"""


@dataclass
class Notebook:
    """One open notebook. `page` stays at hand for whatever is not covered here."""

    page: Page
    problems: list[str] = field(default_factory=list)
    """Errors on the browser's console so far, and addresses outside this machine that were asked for."""

    def open(self, path: str) -> None:
        """Open the notebook in the page, and wait until it is ready."""
        self.page.evaluate(_OPEN, path)
        self.wait_until_ready()

    def close(self) -> None:
        """End the kernel, and close whatever is open on the page, saved or not."""
        self.page.evaluate(_CLOSE)

    def wait_until_ready(self) -> None:
        """Wait until the notebook is on screen and its kernel is idle."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(_IDLE, timeout=90_000)

    def run_all(self, *, failures: int = 0) -> None:
        """Run every cell and wait for the last one; exactly `failures` cells may fail."""
        self._run(None, failures)

    def begin_all(self) -> None:
        """Begin to run every cell, without waiting for any."""
        self.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def run_cell(self, index: int, *, failures: int = 0) -> None:
        """Run one cell and wait for it."""
        self._run(index, failures)

    def rewrite(self, index: int, source: str) -> None:
        """Put another source into a cell."""
        self.page.evaluate(_REWRITE, [index, source])

    def scroll_to(self, index: int) -> None:
        """Bring a cell to the top of the window."""
        self.page.evaluate(_SCROLL, index)

    @property
    def scrolled(self) -> float:
        """How far the notebook has been scrolled, CSS pixels."""
        return float(self.page.evaluate(_SCROLLED))

    def wait_until_scrolled(self, beyond: float) -> None:
        """Wait until the notebook has been scrolled further down than this, CSS pixels."""
        _wait(lambda: self.scrolled, lambda at: at > beyond, 20.0, "place")

    def save(self) -> str:
        """Save as a person does; returns the path below the server's root."""
        return str(self.page.evaluate(_SAVE))

    def reload(self) -> None:
        """Save, and load the page again, with the same kernel."""
        self.save()
        self.page.reload()
        self.wait_until_ready()

    def execute(self, code: str) -> str:
        """Run code in the notebook's kernel, beside its cells; returns what it printed or answered."""
        answer = self.page.evaluate(_EXECUTE, code)
        assert answer["error"] is None, answer["error"]
        return str(answer["text"])

    def execute_until(self, code: str, answer: str) -> None:
        """Run code again and again until this is its answer."""
        _wait(lambda: self.execute(code).strip(), lambda said: said == answer, 20.0, "answer")

    def cell(self, index: int) -> Locator:
        """The cell on screen, counted from 0, Markdown cells included."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """The outputs of a cell, brought on screen: what is off screen has no text to a browser."""
        area = self.cell(index).locator(".jp-Cell-outputArea")
        self.scroll_to(index)
        area.scroll_into_view_if_needed()
        return area

    def state_of_cell(self, index: int, state: str) -> Locator:
        """The word beside a cell that says how it stands, once it is this one."""
        word = self.cell(index).locator(f'.vcad-cell-state[data-state="{state}"]')
        word.wait_for()
        return word

    def view(self, index: int = 0, *, cell: int | None = None) -> View:
        """The 3D view with this number, counted from 0, in the notebook or in one cell."""
        scope = self.page.locator(".jp-Notebook") if cell is None else self.cell(cell)
        return View(self.page, scope.locator(".vcad-view").nth(index))

    def live_view(self, cell: int) -> Viewer:
        """The live view that a cell shows."""
        return Viewer(self.page, self.cell(cell).locator(".vcad-viewer"))

    def _run(self, index: int | None, failures: int) -> None:
        failed: list[dict[str, Any]] = self.page.evaluate(_RUN, index)
        told = "\n".join(f"{error['ename']}: {error['evalue']}" for error in failed)
        assert len(failed) == failures, f"{len(failed)} cells failed, expected {failures}\n{told}"


@dataclass
class View:
    """A 3D view on the page."""

    page: Page
    element: Locator

    @property
    def state(self) -> dict[str, Any]:
        """What the view says of itself: parts, triangles, revision, position, target, projection, edges."""
        data = self.element.locator(".vcad-view-state").evaluate("element => ({ ...element.dataset })")
        return {name: value if name == "projection" else json.loads(value) for name, value in data.items()}

    def wait_for(self, holds: Callable[[dict[str, Any]], bool], seconds: float = 60.0) -> dict[str, Any]:
        """Wait until the state satisfies a condition; returns that state."""
        return _wait(lambda: self.state, holds, seconds, "state")

    def picture(self, holds: Callable[[Pixels], bool] = lambda _: True, seconds: float = 60.0) -> Pixels:
        """What the view shows, once that satisfies a condition."""
        self.element.scroll_into_view_if_needed()
        # Browsers allow few canvases: an older view is a still until the pointer comes to it.
        self.element.locator(".vcad-stage").locator("canvas, img").first.wait_for()
        return _wait(lambda: photograph(self.page, self.element), holds, seconds, "picture")

    def press(self, name: str) -> None:
        """Press the tool with this name."""
        self.element.get_by_role("button", name=name, exact=True).click()

    def drag(self, right: float, down: float, *, button: Any = "left") -> None:
        """Drag over the middle of the picture, by CSS pixels."""
        self.element.scroll_into_view_if_needed()
        box = self.element.bounding_box()
        assert box is not None, "the view is not on screen"
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down(button=button)
        self.page.mouse.move(x + right, y + down, steps=6)
        self.page.mouse.up(button=button)

    def wheel(self, down: float) -> None:
        """Turn the wheel over the middle of the picture, by CSS pixels."""
        self.element.hover()
        self.page.mouse.wheel(0, down)


@dataclass
class Viewer:
    """The viewer, in a notebook, on a page of its own or in a file."""

    page: Page
    element: Locator

    @property
    def state(self) -> dict[str, Any]:
        """What the viewer says of itself; besides, the ids of its nodes and the newest of their revisions."""
        state: dict[str, Any] = json.loads(self.element.get_attribute("data-state") or '{"nodes": []}')
        nodes = state["nodes"]
        state["parts"] = [node["node_id"] for node in nodes]
        state["revision"] = max((node["revision"] for node in nodes), default=0)
        return state

    def wait_for(self, holds: Callable[[dict[str, Any]], bool], seconds: float = 60.0) -> dict[str, Any]:
        """Wait until the state satisfies a condition; returns that state."""
        return _wait(lambda: self.state, holds, seconds, "state")

    def picture(self, holds: Callable[[Pixels], bool] = lambda _: True, seconds: float = 60.0) -> Pixels:
        """What the viewer shows, once that satisfies a condition."""
        self.element.scroll_into_view_if_needed()
        return _wait(lambda: photograph(self.page, self.element), holds, seconds, "picture")


def photograph(page: Page, element: Locator) -> Pixels:
    """What is on screen there."""
    # A frame that is due is drawn first: asking for two more makes sure of it.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    png = element.screenshot(animations="disabled")
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def _wait(look: Callable[[], _Seen], holds: Callable[[_Seen], bool], seconds: float, what: str) -> _Seen:
    """Look again and again until what is seen holds."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if holds(seen):
            return seen
        if time.monotonic() > end:
            detail = "" if isinstance(seen, np.ndarray) else f": {seen}"
            raise AssertionError(f"the {what} did not become as expected in {seconds:g} s{detail}")
