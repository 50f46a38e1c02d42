"""Entities of SketchUp's model that a person has changed, as triggers: those that imports read, no others.

    changes = EntityChanges(window.put, link.another_bridge, log.event)
    changes.watch({"pid:17", "id:230"})
    changes.stop()

SketchUp's extension is asked every VCAD_OBSERVER_POLL_MS, over a connection and on a thread of their own: a
`BridgeConnection` does one call at a time, and a thread of the session's does one request at a time, so that
on either a poll would wait behind a push of minutes, and each call of a push behind a poll. SketchUp answers
both connections between its own work, one call each. A poll names the last answer that has come (``ack``), so
that a lost one is reported again; where that cannot be known, all that is watched counts as changed. Each
session has a list of its own there. What the workbench itself writes is not reported: the extension leaves it
out. Knows no import and no graph.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Mapping
from threading import Condition
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.settings import settings_in_force
from vcad_kernel.errors import VcadError
from vcad_kernel.service.client.async_client import Backoff
from vcad_kernel.settings import Settings
from vcad_kernel.system.threads import started

if TYPE_CHECKING:
    from notebook_ext.sketchup.bridge.answers import ObserverPoll
    from notebook_ext.sketchup.bridge.bridge import Bridge

__all__ = ["EntityChanges", "is_entity"]

_BACKOFF: Final = Backoff(first=0.25, longest=5.0, tries=1_000_000)
"""Pauses between two attempts to reach SketchUp."""
_LOOK: Final = 0.05
"""Seconds between two attempts to end a call."""
_PERSISTENT: Final = "pid:"
_ENTITIES: Final = ("id:", "entity:")
"""Before an entity id, which holds as long as SketchUp runs; the second is how an import writes it."""


class EntityChanges:
    """put: takes triggers. bridge: makes a connection, which is ended here. note: takes an event for the log.

    model_changed: called when another document is in front. reverted: called with the nodes that a person's
    undo took back, ``{node_id, version, applied_version}`` each. settings: asked before each poll. All are
    called on the thread that polls, which must not be held up: what takes long is for another.
    """

    def __init__(
        self,
        put: Callable[..., object],
        bridge: Callable[[], Bridge],
        note: Callable[..., object],
        *,
        model_changed: Callable[[], object] = lambda: None,
        reverted: Callable[[Collection[Mapping[str, Any]]], object] = lambda _: None,
        settings: Callable[[], Settings] = settings_in_force,
        backoff: Backoff = _BACKOFF,
    ) -> None:
        self._put = put
        self._bridge_of = bridge
        self._note = note
        self._model_changed = model_changed
        self._reverted = reverted
        self._settings = settings
        self._backoff = backoff
        self._client = secrets.token_hex(8)
        """What the extension calls this list by, over all connections."""
        self._changed = Condition()
        """Guards what follows, and wakes who waits for it."""
        self._wanted: frozenset[str] = frozenset()
        self._announced: frozenset[str] | None = None
        """What the extension watches; None where that is not known."""
        self._stopped = False
        self._thread: threading.Thread | None = None
        self._bridge: Bridge | None = None
        self._server: str | None = None
        """The extension whose answers are known up to `_seq`, by when it was started."""
        self._seq: int | None = None
        self._is_unsure = False
        """Whether an answer may have been lost for good."""
        self._missing: frozenset[str] = frozenset()
        """What is watched and was not there when it was last looked for."""
        self._asked = 0
        """How often callers asked what has changed by now."""
        self._answered = 0
        """How many of those SketchUp has answered, or is known not to be there for."""
        self.trouble: VcadError | None = None
        """Why nothing is watched at the moment, though it should be."""

    @property
    def is_watching(self) -> bool:
        """Whether SketchUp watches all of it."""
        return bool(self._wanted) and self._announced == self._wanted

    def watch(self, entities: Collection[str], *, within: float = 0.0) -> bool:
        """Watch these (``pid:N``, ``id:N``, ``entity:N``) and no others; with none, SketchUp is left alone.

        What is changed is reported from when SketchUp watches them, which is soon. within: seconds to
        wait for that at most, for a caller that reads an entity afterwards and must miss nothing; where no
        SketchUp is there it is not waited.
        Returns: whether SketchUp watches them by now.
        Raises: ValueError for what is no entity; CapabilityUnavailable where no thread can be started.
        """
        wanted = frozenset(entities)
        for entity in wanted:
            _numbered(entity)
        with self._changed:
            if self._stopped:
                return False
            self._wanted = wanted
            if wanted and self._thread is None:
                self._thread = started(threading.Thread(target=self._work, name="vcad entities", daemon=True))
            self._changed.notify_all()
            if wanted and within > 0.0:
                self._changed.wait_for(
                    lambda: self._stopped or self._announced == wanted or self.trouble is not None, within
                )
            return not wanted or self._announced == wanted

    def look(self, within: float) -> bool:
        """Have SketchUp asked now; what has changed by now is reported when this returns.

        within: seconds to wait for it at most; where no SketchUp is there it is not waited.
        Returns: whether SketchUp has answered, or nothing is watched.
        """
        with self._changed:
            self._asked += 1
            asked = self._asked
            self._changed.notify_all()
            if self._wanted and not self._stopped:
                self._changed.wait_for(
                    lambda: self._stopped or not self._wanted or self._answered >= asked, within
                )
            return not self._wanted or (self._answered >= asked and self.trouble is None)

    def stop(self) -> None:
        """Watch nothing any more."""
        with self._changed:
            self._stopped, self._wanted = True, frozenset()
            self._changed.notify_all()
            thread = self._thread
        while thread is not None and thread.is_alive() and thread is not threading.current_thread():
            thread.join(_LOOK)
            if thread.is_alive() and (bridge := self._bridge) is not None:
                bridge.connection.interrupt()

    # ---- on its own thread -----------------------------------------------------------------

    def _work(self) -> None:
        pauses = self._backoff.pauses()
        while self._something_is_wanted():
            asked = self._asked
            try:
                self._bridge = bridge = self._bridge_of()
                try:
                    self._follow(bridge)
                    pauses = self._backoff.pauses()
                finally:
                    self._bridge = None
                    bridge.connection.close()
            except VcadError as lost:
                self._lose(lost, asked)
                self._rest(next(pauses) or self._backoff.longest)

    def _something_is_wanted(self) -> bool:
        """Wait for it; False at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._wanted)
            return not self._stopped

    def _rest(self, seconds: float) -> None:
        """Until the time is over, something else is to be watched, or a caller asks at once."""
        with self._changed:
            wanted = self._wanted
            self._changed.wait_for(
                lambda: self._stopped or self._wanted != wanted or self._answered < self._asked, seconds
            )

    def _lose(self, lost: VcadError, asked: int) -> None:
        """asked: `_asked` before it was tried to connect: who asked later has it tried once more."""
        with self._changed:
            self._answered = max(self._answered, asked)
            before, self.trouble, self._announced = self.trouble, lost, None
            # an import without SketchUp has to learn when it is there
            self._is_unsure = self._is_unsure or self._server is None
            self._changed.notify_all()
            is_over = self._stopped
        if before is None and not is_over:
            self._note("entities_unwatched", level="warning", error_code=str(lost.error_code))

    def _follow(self, bridge: Bridge) -> None:
        """Watch and poll until nothing is wanted any more, or the extension was started anew.

        Raises: VcadError.
        """
        bridge.observer_start(self._client)
        server = self._server_of(bridge)
        if self._is_unsure or self._server not in (None, server):
            self._seq, self._missing = None, frozenset()
            self._put_entities(self._wanted)
        self._server = server
        while wanted := self._wanted:
            if wanted != self._announced or self._missing:
                self._tell_what_to_watch(bridge, wanted)
            self._is_unsure = self._seq is None  # an answer that is lost now is not reported again
            asked = self._asked
            poll = bridge.observer_poll(self._seq, client=self._client)
            if self._server_of(bridge) != server:
                self._announced = None
                return
            self._seq, self._is_unsure = poll.seq, poll.seq is None
            self._hear(poll, wanted)
            with self._changed:
                self.trouble, self._answered = None, asked
                self._changed.notify_all()
            self._rest(self._poll_seconds())
        self._announced, self._missing = frozenset(), frozenset()
        bridge.observer_watch(client=self._client)

    def _server_of(self, bridge: Bridge) -> str | None:
        handshake = bridge.connection.handshake
        return None if handshake is None else handshake.started

    def _tell_what_to_watch(self, bridge: Bridge, wanted: frozenset[str]) -> None:
        ids = [_numbered(entity) for entity in wanted]
        there_not = bridge.observer_watch(
            entity_ids=[number for kind, number in ids if kind != _PERSISTENT],
            persistent_ids=[number for kind, number in ids if kind == _PERSISTENT],
            client=self._client,
        )
        missing = frozenset(entity for entity in wanted if _numbered(entity)[1] in there_not)
        went_or_came = (missing ^ self._missing) & wanted
        with self._changed:
            self._announced, self._missing = wanted, missing
            self._changed.notify_all()
        self._put_entities(went_or_came)

    def _hear(self, poll: ObserverPoll, wanted: frozenset[str]) -> None:
        if poll.model_changed:
            with self._changed:
                self._announced = None  # the extension has forgotten it with the document
            self._model_changed()
        if poll.reverted_nodes:
            self._reverted(poll.reverted_nodes)
        changed = {f"{kind}{number}" for number in poll.changed_entity_ids for kind in _ENTITIES}
        changed |= {f"{_PERSISTENT}{number}" for number in poll.changed_persistent_ids or ()}
        if poll.model_changed or poll.dropped or poll.overflow:
            changed = {*wanted}
        elif poll.changed_entity_ids and poll.changed_persistent_ids is None:  # an extension of before
            changed |= {entity for entity in wanted if entity.startswith(_PERSISTENT)}
        self._put_entities(changed)

    def _put_entities(self, entities: Collection[str]) -> None:
        wanted = self._wanted  # it may have become less meanwhile
        self._put(*(Trigger("entity", entity) for entity in sorted(entities) if entity in wanted))

    def _poll_seconds(self) -> float:
        """The pause between polls, s; the usual one for settings that make no sense."""
        try:
            return self._settings().observer_poll_ms / 1000
        except VcadError:
            return Settings().observer_poll_ms / 1000


def is_entity(key: str) -> bool:
    """Whether this is how an entity is named that can be watched."""
    try:
        _numbered(key)
    except ValueError:
        return False
    return True


def _numbered(entity: str) -> tuple[str, int]:
    """The kind of a key, and the id. Raises: ValueError."""
    for kind in (_PERSISTENT, *_ENTITIES):
        digits = entity.removeprefix(kind)
        if digits != entity and digits.isascii() and digits.isdigit():
            return kind, int(digits)
    raise ValueError(f"{entity!r} is no entity; write pid:N or id:N")
