"""`vcad view part.oo` without a notebook: a session that lives as long as somebody looks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest
from websockets.sync.client import ClientConnection, connect

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session_records import SessionRecord
from notebook_ext.viewing import Stay, run

LIMIT = 30.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_viewer_is_waited_for_and_after_the_last_half_a_minute() -> None:
    clock = Clock()
    stay = Stay(clock)
    clock.now = 1000.0
    assert not stay.is_over(0, was_viewed=False)
    assert not stay.is_over(2, was_viewed=True)
    clock.now += 30.0
    assert not stay.is_over(0, was_viewed=True)
    assert not stay.is_over(1, was_viewed=True)  # the page was loaded anew
    clock.now += 30.1
    assert stay.is_over(0, was_viewed=True)


def test_a_viewer_that_came_and_went_unseen_counts() -> None:
    clock = Clock()
    stay = Stay(clock)
    assert not stay.is_over(0, was_viewed=True)
    clock.now += 30.1
    assert stay.is_over(0, was_viewed=True)


class Held:
    """A session that shows a file, on a thread of its own."""

    def __init__(self, file: Path, *, watch: bool = False) -> None:
        self.clock = Clock()
        self.records: list[SessionRecord] = []
        self.ended = threading.Event()
        self.links: SimpleQueue[str] = SimpleQueue()
        self.outcome: Future[SessionRecord | None] = Future()
        self._thread = threading.Thread(target=self._run, args=(file, watch))
        self._thread.start()

    def _run(self, file: Path, watch: bool) -> None:
        try:
            self.outcome.set_result(
                run(
                    file.parent,
                    file,
                    self.links.put,
                    self.ended,
                    watch=watch,
                    records=lambda: self.records,
                    stay=Stay(self.clock),
                )
            )
        except BaseException as failed:  # noqa: BLE001 - raised again where the outcome is looked at
            self.outcome.set_exception(failed)

    def close(self) -> None:
        self.ended.set()
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


Hold = Callable[..., Held]


@pytest.fixture
def hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hold]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    with ExitStack() as held:

        def begin(text: str, **options: bool) -> Held:
            file = tmp_path / "part.oo"
            file.write_text(text, encoding="utf-8")
            made = Held(file, **options)
            held.callback(made.close)
            return made

        yield begin


@contextmanager
def page(held: Held) -> Iterator[ClientConnection]:
    address, _, token = held.links.get(timeout=LIMIT).partition("/viewer#token=")
    held.links.put(f"{address}/viewer#token={token}")
    with connect(f"{address.replace('http', 'ws')}/relay", proxy=None, max_size=None) as shown:
        ready = {"type": "viewer.ready", "view_id": "v", "protocol_version": "1.0", "token": token}
        shown.send(json.dumps(ready))
        yield shown


def await_box(shown: ClientConnection, box: str) -> None:
    """Until the part that is shown has this size."""
    figures = ""
    while not figures.startswith(f"part: {box} mm"):
        told = shown.recv(LIMIT)
        if isinstance(told, str) and json.loads(told)["type"] == "mesh.update":
            figures = json.loads(told)["node"]["figures"]


def test_a_files_part_is_shown_until_half_a_minute_after_the_last_window(hold: Hold) -> None:
    held = hold("[cube 10 20 30]")
    with page(held) as shown:
        await_box(shown, "10 × 20 × 30")
        assert not held.outcome.done()
    while not held.outcome.done():
        held.clock.now += 31
        wait([held.outcome], 0.1)
    assert held.outcome.result() is None


def test_changes_of_the_file_are_followed_and_mistakes_waited_out(hold: Hold, tmp_path: Path) -> None:
    held = hold("[cube 10 20", watch=True)
    with page(held) as shown:
        (tmp_path / "part.oo").write_text("[cube 10 20 30]", encoding="utf-8")
        await_box(shown, "10 × 20 × 30")
        (tmp_path / "part.oo").write_text("[cube 10 20 40]", encoding="utf-8")
        await_box(shown, "10 × 20 × 40")


def test_a_file_that_is_not_watched_and_wrong_ends_it(hold: Hold) -> None:
    with pytest.raises(LoonCellFailed):
        hold("[cube 10 20").outcome.result(LIMIT)


def test_it_gives_way_to_a_notebook_of_its_project(hold: Hold, tmp_path: Path) -> None:
    held = hold("[cube 10 20 30]")
    held.links.get(timeout=LIMIT)
    notebook = SessionRecord(
        session_id="s-notebook",
        kernel_id="3f2a",
        url="http://127.0.0.1:1",
        token="t",
        workspace=str(tmp_path),
        pid=1,
        started_at="2030-01-01",
    )
    held.records.append(notebook)
    assert held.outcome.result(LIMIT) is notebook
