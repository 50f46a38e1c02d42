"""Changes of one part from every entry point, begun and ended in any order: nothing old ever wins.

The service answers when the test lets it: what is under way is old by the time that it ends, a worker dies
in it, SketchUp is started anew or a person undoes there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.events import SessionEvent
from notebook_ext.session.linked.pushed_meshes import mesh_digest
from notebook_ext.session.reactive.trigger_window import Trigger
from notebook_ext.session.session import Session
from tests.sketchup.memory_bridge import MemorySketchUp, memory_bridge
from tests.tiers import examples
from vcad_kernel.errors import ServiceFailure, VcadError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import EvaluationResult
from vcad_kernel.service.requests import EvalCell, EvalCode

LIMIT = 60.0
"""Seconds after which a thread that should have ended counts as hanging."""
TEXT = "[defparam w {} {{:min 1 :max 9999}}]\n[cube w 2 2]\n"


class GatedService(DirectService):
    """Says when it is asked, and answers when it is let. news: is told; gate: what it is to do."""

    def __init__(self, folder: Path, news: SimpleQueue[tuple[str, int]]) -> None:
        super().__init__(folder=folder)
        self.news = news
        self.gate: SimpleQueue[str] = SimpleQueue()
        self.is_open = True

    def evaluate(self, request: EvalCell | EvalCode, **how: Any) -> EvaluationResult:
        """See `DirectService`."""
        if not self.is_open and isinstance(request, EvalCell) and request.cell.cell_id != "looked at":
            self.news.put(("asked", 0))
            if self.gate.get(timeout=LIMIT) == "crash":
                raise ServiceFailure("WORKER_CRASHED", "the worker has died", details={"signal": 9})
        return super().evaluate(request, **how)


@dataclass
class Entry:
    """A call that is under way on a thread of its own."""

    width: int
    """What it wants the part's to be."""
    is_of_text: bool
    """Whether that is in what it gives; a file is read when its turn has come."""
    thread: threading.Thread
    ended: bool = False


class Interleavings(RuleBasedStateMachine):
    """One part, board, of a file, and a cell that gives a part of the same name."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name)
        (self.path / ".git").mkdir()
        self.news: SimpleQueue[tuple[str, int]] = SimpleQueue()
        self.entries: dict[int, Entry] = {}
        self.wanted: dict[int, int] = {}
        """Revision → the width that its entry wants; of those that get their number as they come."""
        self.wrong: list[str] = []
        self.queued_now: set[int] = set()
        self.width = 0
        self.asked = False
        self.started: list[int] = []
        self.sketchup = MemorySketchUp(self.path)
        self.begin()

    def begin(self) -> None:
        """A kernel starts."""
        shell: Any = SimpleNamespace(displayhook=SimpleNamespace(prompt_count=1), user_ns={})
        self.service = GatedService(self.path, self.news)
        self.session = session = Session(shell, self.service, folder=self.path)
        bridge = memory_bridge(self.sketchup)
        session._linked.link.bridge = lambda: bridge  # type: ignore[method-assign]
        session.watching.put = lambda *_: None  # type: ignore[method-assign]
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.seen: list[tuple[int, float]] = []
        write, put = session.log.event, session._requests._put

        def event(name: str, **fields: Any) -> None:
            self.events.append((name, fields))
            if name == "eval_started":
                self.started.append(fields["revision"])
            name_of_thread = threading.current_thread().name
            if name == "eval_enqueued" and name_of_thread.isdecimal():
                entry = self.entries[int(name_of_thread)]
                if entry.is_of_text:
                    self.wanted[fields["revision"]] = entry.width
            write(name, **fields)

        def queued(pending: Any) -> None:
            put(pending)
            name = threading.current_thread().name
            if name.isdecimal():
                self.news.put(("queued", int(name)))

        def told(event: SessionEvent) -> None:
            if event.kind == "evaluated" and event.revision is not None:
                self.seen.append((event.revision, self.shown()))
                # where it has failed or died, what stands is the outcome of what was made before it
                later = {width for revision, width in self.wanted.items() if revision > event.revision}
                if self.shown() in later:
                    self.wrong.append(f"revision {event.revision} shows {self.shown()}, of a later one")
                current = session._nodes.current("board")
                if current is None or current.part is not session["board"]:
                    self.wrong.append(f"revision {event.revision} is pushed as another than is shown")
                if event.revision != (newest := session.revision("board")):
                    self.wrong.append(f"{event.revision} has been shown when {newest} was accepted")

        session.log.event = event  # type: ignore[method-assign]
        session.subscribe(told)
        self._queued = queued

    def shown(self) -> float:
        low, high = self.session["board"].part_meshes[0].mesh.bounds()
        return float(high[0] - low[0])

    def next_width(self) -> int:
        self.width += 1
        return self.width

    def write(self) -> None:
        (self.path / "board.loon").write_text(TEXT.format(self.next_width()))

    @initialize()
    def place(self) -> None:
        self.write()
        self.session.place("board", Path("board.loon"))
        self.service.is_open = False
        self.session._requests._put = self._queued  # type: ignore[method-assign]

    # ---- entries -----------------------------------------------------------------------------

    def comes(self, call: Callable[[], object], *, is_of_text: bool = True) -> None:
        """Somebody calls; returns once it waits for its turn, or has ended."""
        number = len(self.entries)

        def work() -> None:
            with suppress(VcadError, LoonCellFailed):
                call()
            self.news.put(("ended", number))

        thread = threading.Thread(target=work, name=str(number), daemon=True)
        self.entries[number] = Entry(self.width, is_of_text, thread)
        thread.start()
        self.until(lambda: self.entries[number].ended or number in self.queued_now)
        if not self.asked:
            self.until(lambda: self.asked or not self.under_way)

    @property
    def under_way(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if not entry.ended]

    def until(self, done: Callable[[], bool]) -> None:
        while not done():
            what, number = self.news.get(timeout=LIMIT)
            if what == "asked":
                self.asked = True
            elif what == "queued":
                self.queued_now.add(number)
            else:
                self.entries[number].ended = True

    @rule()
    def a_cell_is_run(self) -> None:
        text = TEXT.format(self.next_width())
        self.comes(lambda: self.session.run_cell(text, name="board"))

    @rule()
    def an_agent_places_another_text(self) -> None:
        text = TEXT.format(self.next_width())
        self.comes(lambda: self.session.place("board", text))

    @rule()
    def the_file_is_saved_and_updated(self) -> None:
        self.write()  # it may be written once more until it is read
        self.comes(lambda: self.session.update("board", Path("board.loon")), is_of_text=False)

    @rule()
    def the_file_is_saved_and_followed(self) -> None:
        self.write()
        triggers = frozenset([Trigger("file", "board.loon")])
        self.comes(lambda: self.session.reactions.flush(triggers), is_of_text=False)

    @rule(bound=st.booleans())
    def a_parameter_is_set(self, bound: bool) -> None:
        value, expected = self.next_width(), self.session.revision("board") if bound else None
        self.comes(
            lambda: self.session.set_parameter("w", value, node_id="board", expected_revision=expected)
        )

    @rule()
    def a_slider_moves(self) -> None:
        cells, value = self.session._cells, self.next_width()
        try:
            cell_id = cells.parts.maker_of("board")
            run = cells.parameters.ran(cell_id).run
        except (VcadError, KeyError):  # its cell is under way, or has failed
            return
        self.comes(lambda: cells._shown_again(cell_id, {"w": value}, run))

    # ---- what happens meanwhile ------------------------------------------------------------

    @precondition(lambda self: self.asked)
    @rule(verdict=st.sampled_from(["go", "go", "go", "crash"]))
    def the_service_answers(self, verdict: str) -> None:
        self.asked = False
        self.service.gate.put(verdict)
        self.until(lambda: self.asked or not self.under_way)
        self.check()

    @precondition(lambda self: not self.under_way)
    @rule()
    def a_person_undoes(self) -> None:
        self.sketchup.person_undoes()

    @precondition(lambda self: not self.under_way)
    @rule()
    def sketchup_starts_anew(self) -> None:
        self.sketchup.crash_and_restart()

    @precondition(lambda self: not self.under_way)
    @rule()
    def the_kernel_starts_anew(self) -> None:
        self.check()
        newest = self.session.revision("board")
        self.session.close()
        self.begin()
        assert self.session.revision("board") >= newest
        self.place()

    # ---- what holds ------------------------------------------------------------------------

    def check(self) -> None:
        """What holds at any time."""
        assert not self.wrong
        assert self.started == sorted(set(self.started)), (
            "a number was given out twice, or an older one begun"
        )
        revisions = [revision for revision, _ in self.seen]
        assert revisions == sorted(revisions), "an older change has been shown after a newer one"
        dropped = [fields for name, fields in self.events if name == "stale_dropped"]
        assert all(fields["revision"] < fields["newest"] for fields in dropped)
        assert not {fields["revision"] for fields in dropped} & set(revisions)
        assert self.session.metrics()["stale_dropped_total"] == len(dropped)

    def teardown(self) -> None:
        while self.under_way:
            self.until(lambda: self.asked or not self.under_way)
            if self.asked:
                self.the_service_answers("go")
        self.check()
        self.service.is_open = True
        if "board" in self.session.nodes():
            self.write()
            self.session.update("board", Path("board.loon"))
            assert self.shown() == self.width
            assert self.sketchup.state.nodes["board"].digest == mesh_digest(self.session["board"])
            self.check()
        self.session.close()
        self.folder.cleanup()


def test_nothing_old_overwrites_anything_new() -> None:
    run_state_machine_as_test(Interleavings, settings=examples(8, stateful_step_count=14))


def test_what_was_dropped_for_a_change_that_died_stands_after_all() -> None:
    """Else its names would mean the one, and SketchUp would be given the other as the newest."""
    state = Interleavings()
    state.place()
    state.a_cell_is_run()
    state.a_parameter_is_set(bound=False)
    state.the_service_answers("go")
    assert [name for name, _ in state.events if name == "stale_dropped"]
    state.the_service_answers("crash")
    assert state.seen[-1] == (3, 2.0)
    state.teardown()
