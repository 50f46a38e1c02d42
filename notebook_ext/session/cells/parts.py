"""The parts that the cells of a session have made, and the views that show them.

Which cell made which part, and which came last; what viewers receive of the named ones, and the views below
the cells. The n-th view of a cell that is run again is the same widget with new content: the camera stays,
and nothing piles up in the kernel. Views that the new run no longer shows are closed when it ends, unless it
has failed: the run that mends it finds them, and the camera, as they were.

On the session's thread; others may read. Knows which widget shows what; not how parts come about.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from notebook_ext.session.cells.parameters import CellParameters
from notebook_ext.session.cells.running_cell import RunningCell
from notebook_ext.session.node_names import name_of, node_id_of
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure, VcadError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from notebook_ext.display.part import Part
    from notebook_ext.session.project.design_model import Transform
    from notebook_ext.viewer.inline.inline import InlineView
    from notebook_ext.viewer.inline.pointing import Pointed, Pointing
    from notebook_ext.viewer.live import LiveView
    from notebook_ext.viewer.relay.picked import Picked
    from notebook_ext.viewer.relay.relay import Relay
    from vcad_kernel.geometry.measure.inspection.selected import Selected
    from vcad_kernel.operations.features.selections import Target

__all__ = ["OpenViewer", "Parts", "Placements"]

OpenViewer = Callable[[str, Callable[[str], object]], object]
"""Shows the live view at the part of a name, without waiting; where no page can, says how it is opened."""

Placements: TypeAlias = "Mapping[str, Mapping[str, Transform]]"
"""Node's id of a part → the ids of its instances, each with its transformation."""

_LIVE: Final = 64
"""Views that can be turned, of all cells together."""
_PICTURES: Final = 128
"""Views of which a picture is left; then the output that is saved is all that there is."""


class Parts:
    """The parts that have a name, and the one that was made last, named or not. No view is made unasked."""

    def __init__(
        self,
        shell: InteractiveShell,
        running: RunningCell,
        parameters: CellParameters,
        relay: Callable[[], Relay],
        open_viewer: OpenViewer,
        placements: Callable[[], Placements],
    ) -> None:
        """relay: makes the relay to viewers, when the first one wants to see something.

        open_viewer: see `OpenViewer`. placements: where the instances of parts are to stand, mm.
        """
        self._shell = shell
        self._running = running
        self._parameters = parameters
        self._make_relay = relay
        self._open_viewer = open_viewer
        self._placements = placements
        self._placed: Placements = {}
        """As viewers received it last."""
        self.named: dict[str, Part] = {}
        """In the order in which their names first appeared."""
        self._makers: dict[str, str] = {}
        """Name of a part → id of the cell that made it last."""
        self._sources: dict[str, Mapping[str, str]] = {}
        """Name of a part → where it comes from, as viewers receive it."""
        self.latest: Part | None = None
        """None when there is none, or it was forgotten."""
        self.live_view: LiveView | None = None
        """None until `view` is asked for."""
        self._relay: Relay | None = None
        """None until a viewer is asked for."""
        self._telling = threading.RLock()
        """So that what is sent last is what is there."""
        self._failures: dict[str, VcadError] = {}
        """Name of a part → why its cell gives no newer one, where a feature failed."""
        self._ingredients: frozenset[str] = frozenset()
        """The names of the parts from which later cells have made others."""
        self._said = ""
        self.status: Callable[[], tuple[str, bool]] = _nothing_to_say
        """How the session does, in words, and whether something is under way that can be stopped; asked for
        on any thread, once there is a viewer."""
        self.has_page: Callable[[], bool] = bool
        """Whether a page with our extension shows the notebook; it says whose the wheel is."""
        self._views: dict[str, list[InlineView]] | None = None
        """By the cell whose output shows them; None until the first is made."""
        self._shows: dict[InlineView, tuple[str, str | None]] = {}
        """View → the cell that made what it shows, and of a scene the part that it shows alone."""
        self.on_refreshed: Callable[[str], object] = _nobody_saves
        """Called with a cell whose views show something else than when it ran; from any thread."""
        self._unsaved: dict[InlineView, Part] = {}
        """Views that have been refreshed since their cells ran → what they show."""
        self._marks: dict[str, str] = {}
        """Cell → why what it made is out of date."""
        self._pictures: deque[Callable[[], None]] = deque()
        """What takes away that which is left of views that were shown long ago."""
        self._current: tuple[str, int] | None = None
        """The cell that shows views, and the number of its run."""
        self._shown = 0
        """How many it has shown."""
        self._closed = False

    # ---- which there are -------------------------------------------------------------------

    def maker_of(self, name: str) -> str:
        """The id of the cell that made a part last. Raises: ServiceFailure NODE_NOT_FOUND."""
        if name not in self._makers:
            raise ServiceFailure(
                ErrorCode.NODE_NOT_FOUND,
                f"no part {name!r}; the parts are {', '.join(self.named) or 'none yet'}",
                details={"node_id": node_id_of(name)},
            )
        return self._makers[name]

    def made(
        self, cell_id: str, name: str | None, part: Part | None, source: Mapping[str, str] | None = None
    ) -> None:
        """A cell has made a part, or none; what it had made of other names is gone.

        name: without one the part is only the latest. source: ``{cell_id, label, file?}``, for viewers.
        """
        before = {known for known, maker in self._makers.items() if maker == cell_id}
        gone = {*before, name} if part is None else before - {name}
        if gone:
            self.drop(gone)
        if part is None:
            return
        self.latest = part
        if name is not None:
            self.note_failure(name, None)
            self.named[name] = part
            self._makers[name] = cell_id
            self._sources[name] = {"cell_id": cell_id} if source is None else source

    def drop(self, names: Collection[str | None]) -> None:
        """Forget parts of these names, and show them no longer; Python's own names are left alone."""
        if self.latest is not None and self.latest.name in names:
            self.latest = None
        for name in [name for name in self.named if name in names]:
            with self._telling:
                del self.named[name], self._makers[name], self._sources[name]
                self._failures.pop(name, None)
                if self._relay is not None:
                    self._relay.remove(name)

    def reset(self) -> None:
        """Forget all parts; viewers begin anew."""
        self.drop(tuple(self.named))
        with self._telling:
            if self._relay is not None:
                self._relay.reset()

    # ---- viewers ---------------------------------------------------------------------------

    @property
    def relay(self) -> Relay:
        """The relay to viewers: the live view, pages and files show its scene. From any thread.

        Raises: CapabilityUnavailable once the session has been closed.
        """
        with self._telling:
            if self._closed:
                raise _no_view("this session is closed; %load_ext notebook_ext begins another")
            if self._relay is None:
                self._relay = self._make_relay()
                self._placed = self._placements()
                for name in tuple(self.named):
                    self.show(name)
                for name in self._failures:
                    self._show_failure(self._relay, name)
                self.show_status()
            return self._relay

    def show(self, name: str) -> None:
        """Have viewers, if there ever was one, show what has been made of a name."""
        with self._telling:
            if self._relay is not None and name in self.named:
                self._tell(self._relay, name, self.named[name])

    def _tell(self, relay: Relay, name: str, part: Part) -> None:
        from notebook_ext.viewer.relay.bodies import body_of, placement_of

        placed = self._placements().get(node_id_of(name), {})
        relay.show(
            name,
            [body_of(each, self._origin) for each in part.shown_parts],
            placements=[placement_of(name_of(each), transform) for each, transform in placed.items()],
            stale=self._marks.get(self._makers[name], ""),
            ingredient=name in self._ingredients and not placed,
            source=self._sources[name],
            figures=part.known_summary,
        )

    def show_placements(self) -> None:
        """Have viewers, if there ever was one, show parts where they are to stand by now."""
        with self._telling:
            if self._relay is None:
                return
            before, self._placed = self._placed, self._placements()
            for name in tuple(self.named):
                node_id = node_id_of(name)
                if before.get(node_id) != self._placed.get(node_id):
                    self._tell(self._relay, name, self.named[name])

    def _origin(self, title: str) -> Mapping[str, str]:
        """Where a text is that errors call so; from any thread."""
        for source in self._sources.copy().values():
            if source.get("label") == title:
                return source
        return {"file": title} if title.endswith((".oo", ".loon")) else {}

    def show_taken(self, name: str, taken: Mapping[Target, Selected]) -> None:
        """Have what selections took of a part glow in the viewers, if there ever was one."""
        with self._telling:
            if self._relay is not None:
                self._relay.highlight_taken(name, taken)

    def show_forms(self, forms: Sequence[Callable[[Mapping[str, Any]], bool]]) -> None:
        """Have the faces of forms glow in viewers, if there ever was one; see `Relay.highlight_forms`."""
        with self._telling:
            if self._relay is not None:
                self._relay.highlight_forms(forms)

    @property
    def is_viewed(self) -> bool:
        """Whether anybody has asked for a viewer; from any thread."""
        return self._relay is not None

    def is_seen(self, name: str) -> bool:
        """Whether viewers show the part of a name, or would; from any thread."""
        if self._relay is None:
            return name not in self._ingredients
        return self._relay.is_seen(name)

    @property
    def picked(self) -> tuple[Picked, ...]:
        """What is picked in the viewers, if there ever was one; from any thread."""
        return () if self._relay is None else self._relay.selection

    def note_failure(self, name: str, error: VcadError | None) -> None:
        """What a cell gives under a name has failed so, and its last part stays; None: it has not failed.

        The lines that a failed feature was about glow in viewers, those that open later too.
        """
        with self._telling:
            before = self._failures.pop(name, None)
            if error is not None and name in self.named and error.details.get("failing_lines"):
                self._failures[name] = error
            if self._relay is not None and self._failures.get(name) is not before:
                self._show_failure(self._relay, name)

    def _show_failure(self, relay: Relay, name: str) -> None:
        details = self._failures[name].details if name in self._failures else {}
        relay.highlight_failed(name, details.get("failing_part", 0), details.get("failing_lines", ()))

    def note_ingredients(self, names: frozenset[str]) -> None:
        """Later cells have made others from the parts of these names; viewers do not show them at first."""
        before, self._ingredients = self._ingredients, names
        for name in before ^ names:
            self.show(name)

    def refresh(self, cell_id: str, part: Part | None) -> None:
        """Let all views of what a cell made show what it gives now, in their place and under their camera."""
        for view in self._views_of(cell_id):
            alone = self._shows[view][1]
            shown = part
            if part is not None and alone is not None:
                shown = next((each for each in part if each.name == alone), None)
            if shown is None:
                view.update(())
            else:
                view.update(shown.part_meshes, shown.part_keys, caption=shown.summary, asked=shown.parts)
                self._unsaved[view] = shown
        self.on_refreshed(cell_id)

    def resize(self, number: int, height: int | None, width: int | None = None) -> None:
        """Make the view of this number so high, CSS pixels; one that is gone is no error.

        height: None leaves it. width: what is seen of it, where that is less than it is fitted into.
        """
        for view in self._shows.copy():
            if view.number == number:
                view.resize(height, width)

    def page_has_come(self) -> None:
        """A page with our extension is there, which says whose the wheel is: of older views, too."""
        for view in self._shows.copy():
            view.take_wheel()

    def take_unsaved(self, cell_id: str) -> list[tuple[str, Part]]:
        """What views below a cell show by now and its notebook does not: each widget's id, with the part.

        Notified once; from any thread.
        """
        mine = [view for view, (maker, _) in self._shows.copy().items() if maker == cell_id]
        taken = [(view, part) for view in mine if (part := self._unsaved.pop(view, None)) is not None]
        return [(view.displayed.model_id, part) for view, part in taken if view.has_comms and not view.closed]

    def mark(self, marks: Mapping[str, str]) -> None:
        """Have it seen what is out of date. marks: cell → why."""
        changed = {cell for cell in {*marks, *self._marks} if marks.get(cell) != self._marks.get(cell)}
        self._marks = dict(marks)
        for cell_id in changed:
            for view in self._views_of(cell_id):
                view.mark(marks.get(cell_id, ""))
        for name, maker in self._makers.items():
            if maker in changed:
                self.show(name)

    @property
    def marks(self) -> Mapping[str, str]:
        """Cell → why what it made is out of date; from any thread."""
        return self._marks

    def why_stale(self, name: str) -> str | None:
        """Why a part is out of date; None where it is not. From any thread."""
        return self._marks.get(self._makers.get(name, ""))

    def _views_of(self, cell_id: str) -> list[InlineView]:
        """The views that show what a cell made."""
        self._shows = {view: shown for view, shown in self._shows.items() if not view.closed}
        self._unsaved = {view: part for view, part in self._unsaved.items() if not view.closed}
        return [view for view, (maker, _) in self._shows.items() if maker == cell_id]

    def say(self, line: str) -> None:
        """Have a line stand in every viewer, now or once there is one; from any thread."""
        self._said = line
        self.show_status()

    def show_status(self) -> None:
        """Have how the session does stand in every viewer, if there ever was one; from any thread."""
        with self._telling:  # else of two threads the older status might come last
            if self._relay is None:
                return
            status, running = self.status()
            line = " · ".join(each for each in (status, self._said) if each)
            failed = [name for name, maker in self._makers.copy().items() if _has_failed(self._marks, maker)]
            self._relay.show_status(line, running=running, failed=failed)

    def view(self) -> LiveView:
        """The live view, one widget for the whole session; the same one at every call.

        Raises: CapabilityUnavailable without a notebook, and once the session has been closed.
        """
        relay = self.relay
        if not self._running.has_front_end:
            raise _no_view("the live view needs a notebook; part.png() gives a picture, and needs none")
        if self.live_view is None:
            from notebook_ext.viewer.live import LiveView

            self.live_view = LiveView(relay, has_comms=self._running.is_watched)
        return self.live_view

    # ---- below the cells -------------------------------------------------------------------

    def inline(self, cell_id: str, part: Part) -> InlineView | None:
        """The next view of the running cell, showing a part; None where no widget can be shown.

        cell_id: of the cell that made the part, whose parameters get sliders below it.
        """
        if self._closed or not self._running.has_front_end:
            return None
        if self._views is None:
            self._views = {}
            self._shell.events.register("post_run_cell", self._end_of_cell)
        count = self._running.execution_count
        cell = self._running.front_end_id or f"execution:{count}"
        if self._current != (cell, count):
            self._current, self._shown = (cell, count), 0
        views = self._views[cell] = self._views.pop(cell, [])  # the cell that ran last comes last
        if self._shown < len(views):
            view = views[self._shown]
            self._unsaved.pop(view, None)
            view.update(part.part_meshes, part.part_keys, caption=part.summary, asked=part.parts)
        else:
            from notebook_ext.viewer.inline.inline import InlineView

            view = InlineView(
                part.part_meshes,
                part.part_keys,
                caption=part.summary,
                has_comms=self._running.is_watched,
                asked=part.parts,
                has_wheel=self.has_page(),
            )
            views.append(view)
        self._shown += 1
        view.on_picked = partial(self._picked_below, part.name)
        view.on_open = partial(self._open_viewer, part.name, view.say)
        whole = len(part.parts) == len(part.result.parts)
        self._shows[view] = cell_id, None if whole else part.name
        view.mark(self._marks.get(cell_id, ""))
        if view.has_comms:
            self._parameters.attach(cell_id, part, view)
        return view

    def _picked_below(self, name: str, of: Pointing | None, pointed: Pointed | None) -> None:
        """What was clicked in a view under a cell is what the person has picked, as in a viewer."""
        if of is None or pointed is None:
            self.relay.select(())
            return
        from notebook_ext.viewer.relay.bodies import rows_of
        from notebook_ext.viewer.relay.messages import PickedThing
        from notebook_ext.viewer.relay.picked import picked

        several = name in self.named and len(self.named[name].shown_parts) > 1
        node_id = f"{name}/{pointed.part + 1}" if several else name
        digest = of.part.digest.hex()
        node = self.relay.node(node_id)
        at = pointed.at if node is None or pointed.at is None else node.in_scene(pointed.at)
        thing = PickedThing(node_id=node_id, digest=digest, kind=pointed.kind, index=pointed.index, point=at)
        self.relay.select([picked(thing, rows_of(of.rows, self._origin))])

    def _end_of_cell(self, result: Any) -> None:
        """Close what an earlier run of this cell showed and this run does not, and what is too much."""
        if self._views is None:
            return
        with suppress(KeyboardInterrupt):  # of a cell that has ended; the rest goes after the next
            self._put_away_the_oldest(self._views)
        cell = self._running.front_end_id
        if cell is None or cell not in self._views:
            return
        ran_views = self._current is not None and self._current[0] == cell
        self._current = None
        if result is None or not result.success:  # None: interrupted before IPython had begun with it
            return
        keep = self._shown if ran_views else 0
        for view in self._views[cell][keep:]:
            view.close()
        del self._views[cell][keep:]

    def _put_away_the_oldest(self, views: dict[str, list[InlineView]]) -> None:
        """A view takes 0.3 MB here, and more in the browser: of those shown long ago pictures are left."""
        live = sum(map(len, views.values()))
        while live > _LIVE and len(views) > 1:
            oldest = next(iter(views))
            self._pictures.extend(view.put_away() for view in views[oldest])
            del views[oldest]
            live = sum(map(len, views.values()))
        while len(self._pictures) > _PICTURES:
            self._pictures.popleft()()

    def close(self) -> None:
        """Free every widget; parts that Python holds show themselves as pictures."""
        self._closed = True
        if self._views is not None:
            self._shell.events.unregister("post_run_cell", self._end_of_cell)
            for take_away in self._pictures:
                take_away()
            self._pictures.clear()
            for view in chain(*self._views.values()):
                view.close()
            self._views = None
        if self.live_view is not None:
            self.live_view.close()
            self.live_view = None
        if self._relay is not None:
            self._relay.close()


def _nothing_to_say() -> tuple[str, bool]:
    """For parts of no session."""
    return "", False


def _nobody_saves(_cell_id: str) -> None:
    """For cells that are in no notebook."""


def _has_failed(marks: Mapping[str, str], maker: str) -> bool:
    return marks.get(maker, "").startswith("failed:")


def _no_view(why: str) -> CapabilityUnavailable:
    return CapabilityUnavailable(why, details={"required_capability": "view"})
