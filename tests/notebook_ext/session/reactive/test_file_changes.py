"""Changes of real files, by the ways in which editors save: each counts once, and none is missed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock
from typing import Any

import pytest

from notebook_ext.session.reactive import file_changes
from notebook_ext.session.reactive.file_changes import FileChanges, Watcher
from notebook_ext.session.reactive.trigger_window import Trigger, TriggerWindow
from tests.notebook_ext.session.reactive.manual_time import PATIENCE, ManualTime, let_a_tick_pass
from tests.service import warm
from vcad_kernel.errors import FileMissing, ServiceFailure
from vcad_kernel.service.client.async_client import Backoff
from vcad_kernel.service.client.service_client import ServiceClient
from vcad_kernel.service.folder_watcher import Changes, FolderWatcher, State
from vcad_kernel.service.requests import EvalCell
from vcad_kernel.settings import Settings
from vcad_kernel.system.files import file_time

LEG = "parts/leg.cmp.oo"
QUICK = Backoff(first=0.001, longest=0.001, tries=10**6)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path))
    (folder / "parts").mkdir()
    (folder / LEG).write_text("[cube 1 2 3]")
    (folder / "dims.oo").write_text("[let width 4]")
    (folder / "notes.md").write_text("notes")
    let_a_tick_pass(folder)
    return folder


def ignored(*_: object, **__: object) -> None:
    """A log that nobody reads."""


class HeldBack:
    """A watcher whose answers wait while somebody saves: what they name is not read half done."""

    def __init__(self, watcher: Watcher) -> None:
        self.saving = Lock()
        self._watcher = watcher
        self.start, self.stop = watcher.start, watcher.stop

    def poll(self, wait: float = 0.0) -> Changes | None:
        changes = self._watcher.poll(wait)
        with self.saving:
            return changes


class Puts:
    """What was put, and the files that were told."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.queue: SimpleQueue[Trigger] = SimpleQueue()
        self.window: TriggerWindow | None = None

    def __call__(self, *triggers: Trigger) -> None:
        if self.window is not None:
            self.window.put(*triggers)
        for trigger in triggers:
            self.queue.put(trigger)

    def until(self, last: str) -> list[str]:
        """The files that were told, up to one."""
        told: list[str] = []
        while last not in told:
            trigger = self.queue.get(timeout=PATIENCE)
            assert trigger.kind == "file"
            told.append(trigger.key)
        return told

    def told(self) -> set[str]:
        """The files told by now: one more appears, whole, so that it is told once, and comes last."""
        mark = f"zz-mark-{os.urandom(4).hex()}.oo"  # told after others of the same moment
        fresh = self.workspace / "mark"
        fresh.write_text(mark)
        fresh.rename(self.workspace / mark)
        return set(self.until(mark)) - {mark}


@pytest.fixture
def puts(workspace: Path) -> Puts:
    return Puts(workspace)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceClient]:
    """Of a folder in which all workspaces of these tests lie."""
    with warm.service_client(tmp_path_factory.getbasetemp()) as client:
        yield client


@pytest.fixture(params=["here", pytest.param("service", marks=pytest.mark.process)])
def watcher(request: pytest.FixtureRequest) -> Callable[[], Watcher]:
    if request.param == "here":
        return FolderWatcher
    client: ServiceClient = request.getfixturevalue("service")
    return client.folder_watcher


Start = Callable[..., FileChanges]


@pytest.fixture
def start(workspace: Path, puts: Puts, watcher: Callable[[], Watcher]) -> Iterator[Start]:
    made: list[FileChanges] = []

    def started(
        of: Callable[[], Watcher] = watcher, note: Callable[..., object] = ignored, **options: Any
    ) -> FileChanges:
        made.append(FileChanges(puts, lambda: workspace, of, note, backoff=QUICK))
        made[-1].start(workspace, **options)
        puts.told()
        return made[-1]

    yield started
    for changes in made:
        changes.stop()


def over_it(file: Path, text: str) -> None:
    file.write_text(text)


def by_vim(file: Path, text: str) -> None:
    backup = file.with_name(f"{file.name}~")
    (file.parent / "4913").write_text("")
    (file.parent / "4913").unlink()
    file.rename(backup)
    file.write_text(text)
    backup.unlink()


def by_vs_code(file: Path, text: str) -> None:
    with file.open("r+") as opened:
        opened.truncate(0)
        opened.flush()
        os.fsync(opened.fileno())
        opened.write(text)


def by_jetbrains(file: Path, text: str) -> None:
    fresh, old = (file.with_name(f"{file.name}___jb_{which}___") for which in ("tmp", "old"))
    fresh.write_text(text)
    file.rename(old)
    fresh.rename(file)
    old.unlink()


def by_emacs(file: Path, text: str) -> None:
    lock = file.with_name(f".#{file.name}")
    lock.symlink_to("me@here.1234")
    file.with_name(f"#{file.name}#").write_text(text)
    file.write_text(text)
    file.with_name(f"#{file.name}#").unlink()
    lock.unlink()


def by_replacing(file: Path, text: str) -> None:
    fresh = file.with_name("sedQ7xk2v")
    fresh.write_text(text)
    fresh.replace(file)


def by_deleting(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text)


SAVES = (over_it, by_vim, by_vs_code, by_jetbrains, by_emacs, by_replacing, by_deleting)


def test_every_editors_way_of_saving_is_one_change_of_one_file(
    workspace: Path, puts: Puts, start: Start
) -> None:
    start()
    time, flushes = ManualTime(), list[frozenset[Trigger]]()
    puts.window = TriggerWindow(flushes.append, settings=Settings, clock=time.clock, wait=time.wait)
    for number, save in enumerate(SAVES):
        save(workspace / LEG, f"[cube 1 2 {number + 4}]")
        assert set(puts.until(LEG)) == {LEG}, save.__name__
        assert puts.told() <= {LEG}, save.__name__
        time.advance(0.150)
        (flush,) = [{trigger.key for trigger in told if "mark" not in trigger.key} for told in flushes]
        assert flush == {LEG}, save.__name__
        flushes.clear()
    puts.window.stop()


def test_what_leaves_the_text_as_it_was_is_no_change(
    workspace: Path, puts: Puts, start: Start, watcher: Callable[[], Watcher]
) -> None:
    held_back = HeldBack(watcher())
    start(lambda: held_back)
    file = workspace / LEG
    os.utime(file)
    assert puts.told() == set()
    for save in SAVES:
        text = file.read_text()
        with held_back.saving:
            save(file, text)
        assert puts.told() == set(), save.__name__
    (workspace / "notes.md").write_text("other notes")
    (workspace / ".hidden").mkdir()
    (workspace / ".hidden" / "kept.oo").write_text("1")
    assert puts.told() == set()


def test_new_deleted_and_renamed_files_are_told_by_their_paths_from_the_workspace(
    workspace: Path, puts: Puts, start: Start
) -> None:
    start()
    (workspace / "deep" / "er").mkdir(parents=True)
    (workspace / "deep" / "er" / "new.loon").write_text("1")
    assert puts.told() == {"deep/er/new.loon"}
    (workspace / LEG).rename(workspace / "parts" / "foot.cmp.oo")
    assert puts.told() == {LEG, "parts/foot.cmp.oo"}
    (workspace / "dims.oo").unlink()
    assert puts.told() == {"dims.oo"}


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_a_checkout_of_200_files_is_one_flush(workspace: Path, puts: Puts, start: Start) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=workspace,
            check=True,
            capture_output=True,
        )

    names = {f"part{number}.cmp.oo" for number in range(200)}
    git("init", "-q", "-b", "first")
    for text in ("first", "second"):
        if text == "second":
            git("checkout", "-q", "-b", "second")
        for name in names:
            (workspace / name).write_text(f'"{text}"')
        git("add", ".")
        git("commit", "-q", "-m", text)
    let_a_tick_pass(workspace)
    start()
    time, flushes = ManualTime(), list[frozenset[Trigger]]()
    puts.window = TriggerWindow(flushes.append, settings=Settings, clock=time.clock, wait=time.wait)
    git("checkout", "-q", "first")
    told: set[str] = set()
    while not names <= told:
        told.add(puts.queue.get(timeout=PATIENCE).key)
    time.advance(0.150)
    puts.window.stop()
    assert [{trigger.key for trigger in flush} for flush in flushes] == [names]


def test_what_changed_before_the_first_look_counts_from_the_time_on_that_was_given(
    workspace: Path, puts: Puts, start: Start
) -> None:
    for file in (workspace / LEG, workspace / "dims.oo"):
        os.utime(file, (1, 1))  # though it came here just now
    let_a_tick_pass(workspace)
    since = file_time()
    (workspace / LEG).write_text("[cube 7 7 7]")
    assert (workspace / LEG).stat().st_mtime_ns >= since
    changes = FileChanges(puts, lambda: workspace, FolderWatcher, ignored)
    changes.start(workspace, since=since)
    try:
        told = puts.until(LEG)
    finally:
        changes.stop()
    assert "notes.md" not in told


def test_a_file_that_was_read_and_has_gone_before_the_first_look_is_told(
    workspace: Path, puts: Puts, start: Start
) -> None:
    (workspace / LEG).unlink()
    changes = FileChanges(puts, lambda: workspace, FolderWatcher, ignored)
    changes.start(workspace, used=[LEG, "dims.oo", "notes.md"])
    try:
        assert puts.until(LEG) == [LEG]
    finally:
        changes.stop()


def test_a_file_that_goes_while_it_is_looked_at_first_is_told(
    workspace: Path, puts: Puts, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned = file_changes.watched_files

    def scanned_just_before(folder: Path) -> dict[str, State]:
        there = scanned(folder)
        (workspace / LEG).unlink(missing_ok=True)
        return there

    monkeypatch.setattr(file_changes, "watched_files", scanned_just_before)
    changes = FileChanges(puts, lambda: workspace, FolderWatcher, ignored)
    changes.start(workspace)
    try:
        assert puts.until(LEG) == [LEG]
    finally:
        changes.stop()


def test_where_it_was_stopped_and_starts_again_all_that_changed_since_is_told(
    workspace: Path, puts: Puts, start: Start
) -> None:
    changes = start()
    changes.start(workspace)
    changes.stop()
    changes.stop()
    assert not changes.is_watching
    (workspace / LEG).write_text("[cube 7 7 7]")
    (workspace / "dims.oo").write_text((workspace / "dims.oo").read_text())
    changes.start(workspace)
    assert changes.is_watching
    assert puts.told() == {LEG}


@pytest.mark.process
def test_a_service_that_was_killed_is_replaced_and_what_changed_meanwhile_is_told(
    workspace: Path, puts: Puts
) -> None:
    with warm.service_client(workspace) as client:
        changes = FileChanges(puts, lambda: workspace, client.folder_watcher, ignored, backoff=QUICK)
        changes.start(workspace)
        puts.told()
        first = client.background.own_pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        (workspace / LEG).write_text("[cube 7 7 7]")
        (workspace / "dims.oo").unlink()
        told: set[str] = set()
        while not {LEG, "dims.oo"} <= told:
            told.add(puts.queue.get(timeout=PATIENCE).key)
        assert puts.told() == set()
        assert client.background.own_pid != first
        changes.stop()


@pytest.mark.process
def test_polls_and_evaluations_do_not_wait_for_each_other(
    workspace: Path, puts: Puts, service: ServiceClient
) -> None:
    changes = FileChanges(puts, lambda: workspace, service.folder_watcher, ignored)
    changes.start(workspace)
    puts.told()
    for number in range(3):
        assert service.evaluate(EvalCell(f"[+ 1 {number}]")).display == str(number + 1)
    progress = Event()

    def edit(_said: str) -> None:
        """While the cell runs."""
        (workspace / LEG).write_text("[cube 8 8 8]")
        assert puts.until(LEG) == [LEG]
        progress.set()

    service.evaluate(EvalCell('[println "begun"]'), output=edit)
    assert progress.is_set()
    changes.stop()


@pytest.mark.process
def test_a_folder_outside_of_the_services_own_is_watched_here(workspace: Path, puts: Puts) -> None:
    with warm.service_client(workspace / "parts") as client:
        changes = FileChanges(puts, lambda: workspace, client.folder_watcher, ignored, backoff=QUICK)
        changes.start(workspace)
        puts.told()
        (workspace / "dims.oo").write_text("[let width 5]")
        assert puts.told() == {"dims.oo"}
        changes.stop()


@pytest.mark.process
def test_a_client_that_was_closed_before_leaves_nothing_to_wait_for(workspace: Path, puts: Puts) -> None:
    with warm.service_client(workspace) as client:
        changes = FileChanges(puts, lambda: workspace, client.folder_watcher, ignored, backoff=QUICK)
        changes.start(workspace)
        puts.told()
    changes.stop()
    assert not changes.is_watching


class Troubled:
    """A watcher that fails until it is mended."""

    def __init__(self) -> None:
        self.mended = Event()
        self.failures: SimpleQueue[None] = SimpleQueue()
        self.watcher = FolderWatcher()

    def start(self, folder: Path) -> None:
        if not self.mended.is_set():
            self.failures.put(None)
            raise ServiceFailure("CONNECTION_FAILED", "nobody there", details={"host": "", "port": 0})
        self.watcher.start(folder)

    def poll(self, wait: float = 0.0) -> Changes | None:
        return self.watcher.poll(wait)

    def stop(self) -> None:
        self.watcher.stop()


def test_where_nobody_watches_that_is_known_and_tried_again(workspace: Path, puts: Puts) -> None:
    troubled, notes = Troubled(), list[str]()
    changes = FileChanges(
        puts, lambda: workspace, lambda: troubled, lambda event, **_: notes.append(event), backoff=QUICK
    )
    changes.start(workspace)
    for _ in range(3):
        troubled.failures.get(timeout=PATIENCE)
    assert changes.trouble is not None
    assert changes.trouble.error_code == "CONNECTION_FAILED"
    troubled.mended.set()
    puts.told()
    assert changes.trouble is None
    assert notes == ["watching_lost"]
    changes.stop()


def test_a_folder_that_is_none_is_trouble_and_no_end(tmp_path: Path, puts: Puts) -> None:
    tried: SimpleQueue[None] = SimpleQueue()
    changes = FileChanges(
        puts, lambda: tmp_path, FolderWatcher, lambda *_, **__: tried.put(None), backoff=QUICK
    )
    changes.start(tmp_path / "later")
    tried.get(timeout=PATIENCE)
    assert isinstance(changes.trouble, FileMissing)
    changes.stop()


def test_what_is_written_while_the_files_are_looked_at_first_counts(
    workspace: Path, puts: Puts, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, written = file_changes._text, []

    def saved_just_before(folder: Path, path: str) -> str | None:
        if path.endswith("dims.oo") and not written:
            written.append(path)
            Path(path).write_text("[let width 5]")
        return read(folder, path)

    monkeypatch.setattr(file_changes, "_text", saved_just_before)
    changes = FileChanges(puts, lambda: workspace, FolderWatcher, ignored, backoff=QUICK)
    changes.start(workspace)
    assert "dims.oo" in puts.told()
    changes.stop()
