"""What a session watches: files, SketchUp's entities, the window in which changes meet; and its pause.

    watching = Watching(reactions, state=state, workspace=lambda: folder, ...)
    watching.put(Trigger("parameter", "width"))     # what cells, sliders and agents have changed
    watching.follow_files(folder)                   # once something is made from files
    watching.pause(); watching.resume()

A pause is kept in the workspace's own state, with what it has collected: a session that begins while it lasts
is paused, too, and says so. Knows neither cells nor graph: `cascades.py` does what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from threading import Event, RLock
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from notebook_ext.session.project.workspace import refusal_for_push
from notebook_ext.session.reactive.trigger_window import Kind, Trigger, TriggerWindow
from notebook_ext.session.settings import settings_in_force
from vcad_kernel.errors import PathRefused, VcadError
from vcad_kernel.rfc3339 import rfc3339

if TYPE_CHECKING:
    from notebook_ext.session.reactive.entity_changes import EntityChanges
    from notebook_ext.session.reactive.file_changes import FileChanges, Watcher
    from notebook_ext.sketchup.bridge.bridge import Bridge
    from notebook_ext.state_file import StateFile
    from vcad_kernel.settings import Settings

__all__ = ["Follower", "Paused", "ReactiveStatus", "Resumed", "WatchStatus", "Watching"]

_SECTION: Final = "watching"
_PATIENCE: Final = 1.0
"""Seconds that SketchUp has to begin to watch what is about to be read; else it is read unwatched."""
_ANSWER: Final = 5.0
"""Seconds that SketchUp, which answers between its own work, has to say what has changed by now: as long as
the longest pause between two attempts to reach it."""
_MOST: Final = 20_000
"""Collected triggers that are kept from one kernel to the next: as many as the state's file has room for."""
_LONG: Final = timedelta(minutes=10)
"""After which a pause is a thing to be reminded of (agent_tools.md, 2)."""


@dataclass(frozen=True, slots=True)
class ReactiveStatus:
    """How things stand with what follows changes, for a line of its own: ``str`` gives it."""

    pending: int = 0
    """Changes that nothing has followed yet."""
    running: bool = False
    """Whether a cascade is under way."""
    last_cascade_ms: float | None = None
    """How long the last one took; None before the first."""
    failed: int = 0
    """Nodes that failed when they were evaluated last."""
    paused: bool = False
    paused_for: timedelta | None = None
    """None where it is not paused."""

    def __str__(self) -> str:
        waiting = "1 change waits" if self.pending == 1 else f"{self.pending} changes wait"
        said = []
        if self.paused:
            said.append("paused")
            if self.paused_for is not None and self.paused_for >= _LONG:
                minutes = self.paused_for // timedelta(minutes=1)
                said[0] = f"paused for {minutes} min: %loon_watch resume"
        elif self.running:
            said.append("running")
        if self.pending or self.paused:
            said.append(waiting if self.pending else "no change waits")
        if self.failed:
            said.append(f"{self.failed} failed")
        if self.last_cascade_ms is not None:
            said.append(f"last cascade {self.last_cascade_ms:.0f} ms")
        return " · ".join(said or ["no change yet"])


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """What is watched, and how things stand; ``str`` says it in a few lines."""

    reactive: ReactiveStatus
    is_on: bool
    """Whether files and entities are watched as far as something is made from them."""
    folder: Path | None
    """Whose files are watched; None as long as nothing is made from files."""
    entities: int
    """Entities of SketchUp's model that are watched."""
    troubles: tuple[VcadError, ...]
    """Why something is not watched that should be."""

    def __str__(self) -> str:
        lines = [str(self.reactive), f"files: {self._files()}", f"SketchUp: {self._entities()}"]
        for trouble in self.troubles:
            lines += [f"  {trouble.message}", *([f"  {trouble.fix}"] if trouble.fix else [])]
        return "\n".join(lines)

    __repr__ = __str__

    def _files(self) -> str:
        if not self.is_on:
            return "not watched (%loon_watch on)"
        return "none is watched yet: nothing is made from one" if self.folder is None else f"{self.folder}"

    def _entities(self) -> str:
        if not self.is_on:
            return "not watched (%loon_watch on)"
        if not self.entities:
            return "nothing is watched: no part imports from it"
        return "1 entity is watched" if self.entities == 1 else f"{self.entities} entities are watched"


@dataclass(frozen=True, slots=True)
class Paused:
    """What came of a pause."""

    status: Literal["paused", "already_paused"]
    pending_count: int
    """Changes that wait."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """What came of going on."""

    status: Literal["resumed", "already_running"]
    flushed: int
    """Changes that had been collected; what follows from them follows now, as one cascade."""


class Follower(Protocol):
    """What does what follows from changes."""

    def flush(self, triggers: frozenset[Trigger], /) -> object:
        """Do what follows from these; returns when it is done."""

    @property
    def is_running(self) -> bool:
        """Whether a cascade is under way."""

    @property
    def last_ms(self) -> float | None:
        """How long the last one took."""

    @property
    def failed(self) -> int:
        """How many nodes failed when they were evaluated last."""


class Watching:
    """follower: does what follows. is_held, settings: as of `TriggerWindow`. state: keeps the pause.

    workspace: the project's. watcher: makes what watches files. bridge: makes a connection to SketchUp. note:
    takes an event for the log, a line for the person, and fields. model_changed, reverted: as of
    `EntityChanges`. changed: called when the status has changed; on any thread. now: dates a pause.
    """

    def __init__(
        self,
        follower: Follower,
        *,
        state: StateFile,
        workspace: Callable[[], Path],
        watcher: Callable[[], Watcher],
        bridge: Callable[[], Bridge],
        note: Callable[..., object],
        is_held: Callable[[], bool] = lambda: False,
        model_changed: Callable[[], object] = lambda: None,
        reverted: Callable[[Collection[Mapping[str, Any]]], object] = lambda _: None,
        changed: Callable[[], object] = lambda: None,
        settings: Callable[[], Settings] = settings_in_force,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._state = state
        self._workspace = workspace
        self._watcher = watcher
        self._bridge = bridge
        self._note = note
        self._follower = follower
        self._model_changed = model_changed
        self._reverted = reverted
        self._changed = changed
        self._settings = settings
        self._now = now
        self._changing = RLock()
        """Held while it is turned on or off, paused or resumed."""
        self._restored = Event()
        self._is_on = True
        self._is_closed = False
        self._folder: Path | None = None
        self._entities: frozenset[str] = frozenset()
        self._asked: frozenset[str] = frozenset()
        """What `follow` was given last."""
        self._refused: PathRefused | None = None
        self._paused_since: datetime | None = None
        self.window = TriggerWindow(
            follower.flush, settings=settings, is_held=is_held, keep=self._keep, changed=changed
        )
        """Where all changes meet; it counts them."""

    # ---- changes ---------------------------------------------------------------------------

    def put(self, *triggers: Trigger) -> None:
        """Something may have changed; from any thread. Raises: CapabilityUnavailable."""
        self._restore()
        self.window.put(*triggers)

    def settle(self) -> None:
        """Notice what has changed by now in files and in SketchUp, and follow all of it, to its end.

        Waits neither for the window nor for the cell that calls it. While paused, changes are collected.
        """
        self._restore()
        with self._changing:
            files = self._files if self._is_on and "_files" in self.__dict__ else None
            sketchup = self._sketchup if self._is_on and "_sketchup" in self.__dict__ else None
        if files is not None:
            files.look()
        if sketchup is not None:
            sketchup.look(_ANSWER)
        self.window.settle()

    def released(self) -> None:
        """As `TriggerWindow.released`."""
        self.window.released()

    @property
    def has_folder(self) -> bool:
        """Whether anything has been made from files yet, so that a folder of them is known."""
        return self._folder is not None

    def follow(self, files: Collection[str], entities: Collection[str], *, since: int) -> None:
        """Have changes of what cells and parts are made from noticed; it is cheap where nothing is new.

        files: of the workspace. entities: ``pid:N``, ``id:N`` or ``entity:N``; others name nothing that could
        be watched. since: as of `FileChanges.start`. Raises: CapabilityUnavailable; VcadError where there is
        no workspace.
        """
        if files and self._folder is None:
            self.follow_files(self._workspace(), since=since, used=files)
        if frozenset(entities) != self._asked:
            from notebook_ext.session.reactive.entity_changes import is_entity

            self._asked = frozenset(entities)
            self.follow_entities([entity for entity in entities if is_entity(entity)])

    def before_reading(self, entities: Collection[str]) -> None:
        """Have these entities watched before they are read, where SketchUp is there for it.

        entities: as of `follow`, those that are watched already among them.
        """
        from notebook_ext.session.reactive.entity_changes import is_entity

        self._asked = frozenset(entities)
        self.follow_entities([entity for entity in entities if is_entity(entity)], within=_PATIENCE)

    def follow_files(self, folder: Path, *, since: int | None = None, used: Collection[str] = ()) -> None:
        """Watch the Loon files of a folder, unless that is turned off; waits for nothing.

        since, used: as of `FileChanges.start`: a time before what is made from files was read. A home
        folder, or the root of a disk, is not watched, and the status says so. Raises: CapabilityUnavailable.
        """
        self._restore()
        with self._changing:
            self._folder, self._refused = folder, None
            if refusal_for_push(folder) is not None:
                self._refused = PathRefused(
                    f"{folder} holds far more than a project, so its files are not watched",
                    details={"path": str(folder), "workspace": str(folder)},
                    fix="keep the notebook in a folder of its own, or name one with VCAD_WORKSPACE",
                )
            elif self._is_on and not self._is_closed:
                self._files.start(folder, since=since, used=used)

    def follow_entities(self, entities: Collection[str], *, within: float = 0.0) -> bool:
        """Watch these entities of SketchUp's model and no others, unless that is turned off.

        entities, within, returns and raises: as of `EntityChanges.watch`.
        """
        self._restore()
        with self._changing:
            self._entities = frozenset(entities)
            if not self._is_on or self._is_closed or ("_sketchup" not in self.__dict__ and not entities):
                return not entities
        return self._sketchup.watch(entities, within=within)

    # ---- on and off ------------------------------------------------------------------------

    def on(self) -> None:
        """Watch files and entities. All files that changed since it was turned off count as changed, and so
        do the entities. Raises: CapabilityUnavailable; VcadError where there is no workspace.
        """
        folder = self._folder or self._workspace()
        with self._changing:
            was_off, self._is_on = not self._is_on, True
            self.follow_files(folder)
            if was_off and self._entities:
                self._sketchup.watch(self._entities)
                self.put(*(Trigger("entity", entity) for entity in sorted(self._entities)))
        self._changed()

    def off(self) -> None:
        """Watch neither files nor entities, in this session; cells and sliders are followed all the same."""
        with self._changing:
            self._is_on = False
            self._stop_sources()
        self._changed()

    def pause(self) -> Paused:
        """Follow nothing from now on, and collect what changes; kept until `resume`, in later kernels too."""
        self._restore()
        with self._changing:
            fresh = self.window.pause()
            if fresh:
                self._paused_since = self._now()
                self._save()
        if fresh:
            self._note("watch_paused", "paused: what changes is collected; %loon_watch resume follows it")
            self._changed()
        return Paused("paused" if fresh else "already_paused", self.window.pending)

    def resume(self) -> Resumed:
        """Follow changes again; what was collected is followed at once, as one cascade."""
        self._restore()
        with self._changing:
            if not self.window.is_paused:
                return Resumed("already_running", 0)
            self._paused_since = None
            self._save()
            flushed = self.window.resume()
        self._note("watch_resumed", "changes are followed again", flushed=flushed)
        self._changed()
        return Resumed("resumed", flushed)

    @property
    def reactive(self) -> ReactiveStatus:
        """How things stand; from any thread, without waiting."""
        since = self._paused_since
        return ReactiveStatus(
            pending=self.window.pending,
            running=self._follower.is_running,
            last_cascade_ms=self._follower.last_ms,
            failed=self._follower.failed,
            paused=self.window.is_paused,
            paused_for=None if since is None else max(self._now() - since, timedelta()),
        )

    def status(self) -> WatchStatus:
        """What is watched, and how things stand."""
        self._restore()
        troubles = (
            self._refused,
            self._files.trouble if "_files" in self.__dict__ else None,
            self._sketchup.trouble if "_sketchup" in self.__dict__ else None,
        )
        return WatchStatus(
            reactive=self.reactive,
            is_on=self._is_on,
            folder=self._folder,
            entities=len(self._entities),
            troubles=tuple(trouble for trouble in troubles if trouble is not None) if self._is_on else (),
        )

    def close(self) -> None:
        """Watch and follow nothing any more; a pause is kept."""
        with self._changing:
            self._is_closed = True
            self._stop_sources()
        self.window.stop()

    # ---- what watches ----------------------------------------------------------------------

    @cached_property
    def _files(self) -> FileChanges:
        from notebook_ext.session.reactive.file_changes import FileChanges

        return FileChanges(self.put, self._workspace, self._watcher, self._lost)

    @cached_property
    def _sketchup(self) -> EntityChanges:
        from notebook_ext.session.reactive.entity_changes import EntityChanges

        return EntityChanges(
            self.put,
            self._bridge,
            self._lost,
            model_changed=self._model_changed,
            reverted=self._reverted,
            settings=self._settings,
        )

    def _stop_sources(self) -> None:
        if "_files" in self.__dict__:
            self._files.stop()
        if "_sketchup" in self.__dict__:
            if self._is_closed:
                self._sketchup.stop()
            else:
                self._sketchup.watch(())

    def _lost(self, event: str, **fields: Any) -> None:
        said = "some changes cannot be noticed at the moment: %loon_watch status says why"
        self._note(event, said, **fields)

    # ---- the pause, from one kernel to the next --------------------------------------------

    def _restore(self) -> None:
        """Be paused where an earlier session of the workspace was when it ended; looked at once."""
        if self._restored.is_set():
            return
        with self._changing:
            if self._restored.is_set():
                return
            self._restored.set()
            try:
                kept = self._state.read(_SECTION)
                if kept is None:
                    return
                self._paused_since, collected = _read(kept)
            except (OSError, ValueError, VcadError) as unreadable:
                self._note("watch_state_unreadable", level="warning", error=str(unreadable))
                return
            self.window.pause(collected)
        since = f"{self._paused_since.astimezone():%Y-%m-%d %H:%M}"
        said = f"paused since {since}, by an earlier kernel too: %loon_watch resume follows what changed"
        self._note("watch_still_paused", said, collected=len(collected))

    def _keep(self, _: frozenset[Trigger]) -> None:
        """On the window's thread, or at its end."""
        with self._changing:
            if self.window.is_paused:  # it may have been resumed meanwhile
                self._save()
        self._changed()

    def _save(self) -> None:
        """The pause and what it has collected; that there is none where there is none."""
        since, triggers = self._paused_since, sorted(self.window.collected)
        if len(triggers) > _MOST:
            self._note("watch_state_cut", level="warning", collected=len(triggers), kept=_MOST)
        content = {
            "paused_since": rfc3339(since) if since is not None else None,
            "collected": [[trigger.kind, trigger.key] for trigger in triggers[:_MOST]],
        }
        try:
            self._state.write(_SECTION, None if since is None else content)
        except (OSError, VcadError) as unwritten:  # it holds in this session all the same
            self._note("watch_state_not_kept", level="warning", error=str(unwritten))


def _read(kept: Any) -> tuple[datetime, list[Trigger]]:
    """Since when it is paused, and what was collected. Raises: ValueError for what is none of ours."""
    fields = kept if isinstance(kept, dict) else {}
    since, rows = fields.get("paused_since"), fields.get("collected")
    if not isinstance(since, str) or not isinstance(rows, list):
        raise ValueError("it holds no pause")  # noqa: TRY004 - of the file, not of an argument
    begun = datetime.fromisoformat(since)
    if begun.tzinfo is None:
        raise ValueError("its time has no zone")
    kinds: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
    collected = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not all(isinstance(text, str) for text in row):
            raise ValueError("what it has collected are no triggers")
        if row[0] in kinds:
            collected.append(Trigger(kinds[row[0]], row[1]))
    return begun, collected
