"""Watching a folder: what is told is what has changed, once, however it was saved."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

import pytest
import watchfiles

from vcad_kernel.errors import FileMissing
from vcad_kernel.service import folder_watcher
from vcad_kernel.service.folder_watcher import Changes, FolderWatcher


class Told:
    """Events that come when a test says so; `happen` returns once the watcher has taken it in."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[object] = SimpleQueue()
        self._taken = Event()

    def __call__(self, folder: Path, stop: Event) -> Iterator[object]:
        while not stop.is_set():
            event = self._queue.get()
            yield event
            self._taken.set()

    def happen(self) -> None:
        self._taken.clear()
        self._queue.put("something")
        assert self._taken.wait(10)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bracket.cmp.oo").write_text("[cube 1 2 3]")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "hole.oo").write_text("1")
    (tmp_path / "notes.md").write_text("notes")
    return tmp_path


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def watcher(folder: Path, told: Told) -> Iterator[FolderWatcher]:
    watcher = FolderWatcher(told)
    watcher.start(folder)
    assert watcher.poll() == []
    yield watcher
    ending = Thread(target=watcher.stop)
    ending.start()
    told._queue.put("wake up")
    ending.join()


def _after(told: Told, watcher: FolderWatcher) -> Changes:
    told.happen()
    return watcher.poll()


def test_a_component_and_a_library_that_changed_are_told_as_such(
    folder: Path, told: Told, watcher: FolderWatcher
) -> None:
    (folder / "bracket.cmp.oo").write_text("[cube 1 2 30]")
    (folder / "parts" / "new.loon").write_text("2")
    (folder / "parts" / "hole.oo").unlink()
    (folder / "notes.md").write_text("other notes")
    assert _after(told, watcher) == [
        {"path": str(folder / "bracket.cmp.oo"), "kind": "component", "change": "modified"},
        {"path": str(folder / "parts/hole.oo"), "kind": "library", "change": "deleted"},
        {"path": str(folder / "parts/new.loon"), "kind": "library", "change": "added"},
    ]
    assert watcher.poll() == []


def test_what_models_import_is_watched_too(folder: Path, told: Told, watcher: FolderWatcher) -> None:
    (folder / "plate.DXF").write_text("0")
    (folder / "parts" / "leg.stl").write_text("solid")
    assert _after(told, watcher) == [
        {"path": str(folder / "parts/leg.stl"), "kind": "import", "change": "added"},
        {"path": str(folder / "plate.DXF"), "kind": "import", "change": "added"},
    ]
    (folder / "plate.DXF").write_text("0 SECTION")
    assert [change["change"] for change in _after(told, watcher)] == ["modified"]


def test_every_way_of_saving_is_one_change(folder: Path, told: Told, watcher: FolderWatcher) -> None:
    file = folder / "bracket.cmp.oo"
    modified = [{"path": str(file), "kind": "component", "change": "modified"}]
    (folder / "tmp~").write_text("[cube 2 2 2]")
    (folder / "tmp~").rename(file)
    assert _after(told, watcher) == modified
    file.unlink()
    file.write_text("[cube 3 3 3]")
    assert _after(told, watcher) == modified
    os.utime(file, (1, 1))
    assert _after(told, watcher) == modified


def test_a_file_that_came_and_went_is_no_change(folder: Path, told: Told, watcher: FolderWatcher) -> None:
    (folder / "passing.oo").write_text("1")
    (folder / "passing.oo").unlink()
    assert _after(told, watcher) == []


def test_a_text_of_equal_length_in_the_same_moment_is_a_change(
    folder: Path, told: Told, watcher: FolderWatcher
) -> None:
    file = folder / "parts" / "hole.oo"
    for text in ("2", "3"):
        before = file.stat()
        file.write_text(text)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # as where a clock ticks slowly
        assert [one["change"] for one in _after(told, watcher)] == ["modified"]
    assert _after(told, watcher) == []


def test_where_the_system_tells_nothing_the_folder_is_looked_at_by_itself(folder: Path) -> None:
    def no_room(_folder: Path, _stop: Event) -> Iterator[object]:
        raise OSError("OS file watch limit reached")
        yield

    watcher = FolderWatcher(no_room, look_seconds=0.01)
    watcher.start(folder)
    try:
        (folder / "bracket.cmp.oo").write_text("[cube 9 9 9]")
        assert [one["change"] for one in watcher.poll(wait=20.0)] == ["modified"]
    finally:
        watcher.stop()


def test_who_waits_is_told_at_once(folder: Path, told: Told, watcher: FolderWatcher) -> None:
    found: list[Changes] = []
    waiting = Thread(target=lambda: found.append(watcher.poll(wait=30.0)))
    waiting.start()
    (folder / "parts" / "hole.oo").write_text("2")
    told.happen()
    waiting.join(10)
    assert [one["change"] for one in found[0]] == ["modified"]


def test_a_folder_that_is_none_is_refused(folder: Path, told: Told) -> None:
    with pytest.raises(FileMissing):
        FolderWatcher(told).start(folder / "notes.md")


def test_after_events_it_is_looked_once_more_for_what_a_new_folder_had_before_it_was_watched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {(watchfiles.Change.added, str(folder / "new"))}
    quiet: set[tuple[watchfiles.Change, str]] = set()
    said = [quiet, quiet, made, quiet, quiet]
    monkeypatch.setattr(watchfiles, "watch", lambda *_, **__: iter(said))
    assert list(folder_watcher._native(folder, Event())) == [quiet, made, quiet]


def test_the_systems_own_events_arrive(folder: Path) -> None:
    watcher = FolderWatcher()
    watcher.start(folder)
    try:
        watcher.poll()
        (folder / "bracket.cmp.oo").write_text("[cube 9 9 9]")
        assert [one["change"] for one in watcher.poll(wait=20.0)] == ["modified"]
    finally:
        watcher.stop()
