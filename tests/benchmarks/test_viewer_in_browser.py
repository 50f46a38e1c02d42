"""The viewer in Chromium with software GL: its first load, a result until it is drawn, what is hovered.

Nothing here passes or fails by the clock; what is asserted is what was sent and what is seen.
"""

from __future__ import annotations

import gzip
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, Page, WebSocket

from notebook_ext.entry_points import session_of
from notebook_ext.gateway.viewers import Viewers
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from notebook_ext.viewer.relay.messages import MeshUpdate, Parcel
from notebook_ext.viewer.relay.nodes import Body, mesh_buffers
from tests.benchmarks.test_speed import best_of
from tests.browser.conftest import browser, chromium
from tests.notebook_ext.gateway.test_viewers import net
from vcad_kernel.geometry.mesh.surface.drawn_mesh import DrawnMesh
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.protocol import EvaluationResult

__all__ = ["browser", "chromium"]

Record = Callable[[str, float, float, str], None]

_BALL = "[sphere {}]"

_LARGEST = 1_000_000
"""Bytes of the page with all that it loads, compressed."""
_VIEWER = "document.querySelector('.vcad-viewer').vcadViewer"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    (tmp_path / ".git").mkdir()
    made = session_of(plain_shell(), folder=tmp_path)
    yield made
    made.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with new_page(browser) as page:
        yield page


@contextmanager
def new_page(browser: Browser) -> Iterator[Page]:
    """A page as large as a window."""
    context = browser.new_context(viewport={"width": 1200, "height": 800}, color_scheme="light")
    yield context.new_page()
    context.close()


def shown(page: Page, revision: int) -> float:
    """The time, as `time.time` has it, at which all nodes stand drawn, one of them at this revision."""
    seen: float = page.evaluate(
        """(revision) => new Promise((done, fail) => {
          const look = () => {
            const viewer = document.querySelector(".vcad-viewer")?.vcadViewer;
            const nodes = viewer?.state.nodes ?? [];
            const there = nodes.some((node) => node.revision === revision)
              && nodes.every((node) => node.drawn);
            if (there) requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
            else if (performance.now() > end) fail(JSON.stringify(nodes.slice(0, 3)));
            else setTimeout(look, 1);
          };
          const end = performance.now() + 60_000;
          look();
        })""",
        revision,
    )
    return seen / 1e3


def browsers_seconds() -> float:
    """The processors' time of the browser so far, all its processes and threads together."""
    mine = [one for one in psutil.Process().children(recursive=True) if "chrom" in one.name()]
    spent = [one.cpu_times() for one in mine]
    return float(sum(times.user + times.system for times in spent))


def drawn_net(number: int, side: int) -> Body:
    """A sheet of triangles as it comes from the worker: with how it is drawn."""
    body = net(float(number), side)
    DrawnMesh.kept(body.mesh())
    return body


@pytest.mark.benchmark(group="viewer")
def test_the_first_load_of_the_page(session: Session, page: Page, record: Record) -> None:
    session.viewers.show("net", [drawn_net(0, 10)])
    sizes: dict[str, int] = {}
    page.on("response", lambda response: sizes.update({response.url: len(gzip.compress(response.body()))}))
    began = time.time()
    page.goto(session.viewer_url)
    first = shown(page, 1) - began
    page.wait_for_load_state()
    assert 0 < sum(sizes.values()) < _LARGEST
    began = time.time()
    page.reload()
    again = shown(page, 1) - began
    record(
        f"first load of the page until drawn, {sum(sizes.values()) // 1000} kB compressed",
        first,
        again,
        "loading it again",
    )


@pytest.mark.benchmark(group="viewer")
def test_a_result_of_100_000_triangles_until_it_is_drawn(
    session: Session, page: Page, record: Record
) -> None:
    side = 224  # 2 side² triangles
    bodies = [drawn_net(number, side) for number in range(6)]
    session.viewers.show("net", [bodies[0]])
    page.goto(session.viewer_url)
    shown(page, 1)
    took = []
    for revision, body in enumerate(bodies[1:], 2):
        began = time.time()
        session.viewers.show("net", [body])
        took.append(shown(page, revision) - began)
    record("100,000 triangles from the result until drawn", min(took), 0.150, "limit")
    mesh = bodies[0].mesh()
    record(
        "of that in the notebook: making the buffers", best_of(5, lambda: mesh_buffers(mesh)), 0.040, "limit"
    )


@pytest.mark.benchmark(group="viewer")
def test_a_cell_of_100_000_triangles_from_the_services_result_until_it_is_drawn(
    benchmark: Any, session: Session, page: Page, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[tuple[float, float]] = []
    begun: list[float] = []
    sent: list[float] = []
    evaluated, send = ServiceClient.evaluate, Viewers._send

    def evaluate(client: ServiceClient, *what: Any, **how: Any) -> EvaluationResult:
        result = evaluated(client, *what, **how)
        came.append((time.time(), browsers_seconds()))
        return result

    async def timed(viewers: Viewers, socket: Any, view_id: str, parcel: Parcel) -> bool:
        before = time.time()
        was_taken = await send(viewers, socket, view_id, parcel)
        if isinstance(parcel.message, MeshUpdate) and parcel.buffers:
            begun.append(before)
            sent.append(time.time())
        return was_taken

    monkeypatch.setattr(ServiceClient, "evaluate", evaluate)
    monkeypatch.setattr(Viewers, "_send", timed)
    edits = itertools.count(1)
    took: list[tuple[float, float, float, float]] = []

    def edit() -> None:
        number = next(edits)
        part: Any = session.run_cell(_BALL.format(10 + number / 1000), name="ball", tolerance=0.0005)
        seen, worked = shown(page, number), browsers_seconds()
        assert 90_000 < part.parts[0].mesh.triangle_count < 110_000
        when, before = came[-1]
        took.append((seen - when, begun[-1] - when, sent[-1] - begun[-1], worked - before))

    page.goto(session.viewer_url)
    edit()  # the first makes the viewer's programs
    took.clear()
    benchmark.pedantic(edit, rounds=5)
    whole, until_ready, while_sent, worked = map(min, zip(*took, strict=True))
    record("100,000 triangles, from the service's result until drawn", whole, 0.150, "limit")
    record("of that in the notebook, until they are ready to be sent", until_ready, 0.040, "limit")
    record("and while they are sent", while_sent, 0.150, "limit of all")
    record("processors' time of the browser for all of it", worked, 0.150, "limit by the clock")


@pytest.mark.benchmark(group="viewer")
def test_an_edit_of_one_of_fifty_parts_sends_that_part(session: Session, page: Page, record: Record) -> None:
    received = 0

    def count(socket: WebSocket) -> None:
        def add(data: Any) -> None:
            nonlocal received
            received += len(data)

        socket.on("framereceived", add)

    page.on("websocket", count)
    for number in range(50):
        session.viewers.show(f"net{number}", [drawn_net(number, 20)])
    page.goto(session.viewer_url)
    shown(page, 50)
    first, received = received, 0
    edits = [drawn_net(60 + number, 20) for number in range(5)]
    took = []
    for revision, edited in enumerate(edits, 51):
        began = time.time()
        session.viewers.show("net7", [edited])
        took.append(shown(page, revision) - began)
    sent = received / len(edits)
    one = sum(buffer.data.nbytes for buffer in mesh_buffers(edits[0].mesh()))
    assert one < sent < 1.1 * one + 4_000
    assert first > 50 * one
    record(
        f"one of fifty parts edited until drawn ({sent / first:.1%} of the bytes)",
        min(took),
        0.150,
        "limit",
    )


@pytest.mark.benchmark(group="viewer")
def test_what_is_hovered_on_a_million_triangles(session: Session, page: Page, record: Record) -> None:
    session.viewers.show("net", [drawn_net(0, 710)])
    page.goto(session.viewer_url)
    shown(page, 1)
    page.evaluate(f"() => {_VIEWER}.view.pick(600, 400)")  # the first makes what the others search
    took: list[float] = page.evaluate(
        f"""() => Array.from({{length: 60}}, (_, step) => {{
          const before = performance.now();
          const hit = {_VIEWER}.view.pick(400 + 5 * step, 300 + 3 * step);
          return hit ? performance.now() - before : null;
        }}).filter((spent) => spent !== null)"""
    )
    assert len(took) > 30
    record("hover on 1,000,000 triangles, mean of 60 places", statistics.mean(took) / 1e3, 0.016, "limit")
    record("the slowest of them", max(took) / 1e3, 0.016, "limit")
