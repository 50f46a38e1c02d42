"""The views below cells: the latest can be turned, of older ones pictures are left, and then nothing."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from notebook_ext.session.cells import parts as module
from notebook_ext.session.cells.parts import Parts
from notebook_ext.viewer.relay.relay import Relay


class View:
    """An inline view that only notes what becomes of it."""

    made: list[View]
    has_comms = True
    closed = False

    def __init__(self, *_: object, **__: object) -> None:
        self.state = "live"
        self.updates = 0
        self.height = 0
        self.width: int | None = None
        self.number = len(View.made)
        View.made.append(self)

    def update(self, *_: object, **__: object) -> None:
        self.updates += 1

    def resize(self, height: int, width: int | None = None) -> None:
        self.height, self.width = height, width

    def mark(self, _why: str) -> None:
        pass

    say = mark

    def put_away(self) -> Callable[[], None]:
        self.state = "picture"
        return self.close

    def close(self) -> None:
        self.state = "closed"


class Notebook:
    """Runs cells that show a part each."""

    def __init__(self) -> None:
        self.hooks: list[Any] = []
        events = SimpleNamespace(register=lambda _, hook: self.hooks.append(hook), unregister=lambda *_: None)
        self.running: Any = SimpleNamespace(
            has_front_end=True, front_end_id=None, execution_count=0, is_watched=True
        )
        shell: Any = SimpleNamespace(events=events)
        parameters: Any = SimpleNamespace(attach=lambda *_: None)
        self.parts = Parts(shell, self.running, parameters, Relay, lambda _name, _say: None, dict)

    def run(self, cell_id: str | None = None, views: int = 1) -> None:
        self.running.front_end_id = cell_id
        self.running.execution_count += 1
        part: Any = SimpleNamespace(
            name="part", part_meshes=(), part_keys=(), summary="", parts=(), result=SimpleNamespace(parts=())
        )
        for _ in range(views):
            self.parts.inline(cell_id or "nameless", part)
        for hook in self.hooks:
            hook(SimpleNamespace(success=True))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    View.made = []
    monkeypatch.setattr("notebook_ext.viewer.inline.inline.InlineView", View)
    monkeypatch.setattr(module, "_LIVE", 3)
    monkeypatch.setattr(module, "_PICTURES", 2)
    return Notebook()


def states() -> list[str]:
    return [view.state for view in View.made]


@pytest.mark.parametrize("named", [True, False])
def test_views_of_cells_that_ran_long_ago_become_pictures_and_then_go(
    notebook: Notebook, named: bool
) -> None:
    for number in range(7):
        notebook.run(f"cell {number}" if named else None)
    assert states() == ["closed", "closed", "picture", "picture", "live", "live", "live"]


def test_a_cell_that_is_run_again_keeps_its_view(notebook: Notebook) -> None:
    for cell in ("a", "b", "c", "a", "d"):
        notebook.run(cell)
    assert states() == ["live", "picture", "live", "live"]
    assert View.made[0].updates == 1


def test_a_cell_that_shows_more_than_that_keeps_what_it_shows(notebook: Notebook) -> None:
    notebook.run("a")
    notebook.run("many", views=5)
    assert states() == ["picture", *["live"] * 5]


def test_a_cell_that_was_interrupted_before_it_began_changes_nothing(notebook: Notebook) -> None:
    notebook.run("a", views=2)
    notebook.running.execution_count += 1
    notebook.hooks[0](None)
    assert states() == ["live", "live"]


def test_a_view_that_is_made_higher_is_found_by_its_number(notebook: Notebook) -> None:
    notebook.run("a", views=2)
    notebook.parts.resize(View.made[1].number, 600, 480)
    assert [(view.height, view.width) for view in View.made] == [(0, None), (600, 480)]


def test_closing_takes_the_pictures_too(notebook: Notebook) -> None:
    for number in range(5):
        notebook.run(f"cell {number}")
    notebook.parts.close()
    assert set(states()) == {"closed"}


def test_of_two_threads_the_older_status_is_not_told_last(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, told = Notebook().parts, list[str]()
    monkeypatch.setattr(parts.relay, "show_status", lambda line, **_: told.append(line))
    lines, meanwhile = iter(["older", "newer"]), list[Thread]()

    def status() -> tuple[str, bool]:
        line = next(lines)
        if not meanwhile:
            meanwhile.append(Thread(target=parts.show_status))
            meanwhile[0].start()
            free: list[bool] = []
            look = Thread(target=lambda: free.append(parts._telling.acquire(blocking=False)))
            look.start()
            look.join()
            if free == [True]:  # then the other thread may tell what is newer now
                meanwhile[0].join()
        return line, False

    parts.status = status
    parts.show_status()
    meanwhile[0].join()
    assert told == ["older", "newer"]
