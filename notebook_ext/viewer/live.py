"""The live view: one widget for a session, which follows its named parts as cells are re-run.

Knows names and what is shown under each. Does not know cells, kernels or how a part was made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from notebook_ext.viewer.inline import HEIGHT, InlineView, keys_of
from notebook_ext.viewer.mime import view_bundle, words
from notebook_ext.viewer.state import ViewState
from vcad_kernel.geometry.tri_mesh import PartMesh
from vcad_kernel.operations.scene import Material

__all__ = ["LiveView"]

_OUT_OF_DATE: Final = Material("out of date", color=(0.72, 0.73, 0.75))
"""How parts look that wait for a change."""


@dataclass(frozen=True, slots=True)
class _Shown:
    parts: tuple[PartMesh, ...]
    keys: tuple[Hashable, ...]
    stale: bool = False


class LiveView:
    """Named parts in one view that keeps its camera. Build one per session, show it where you like."""

    def __init__(self, *, height: int = HEIGHT, has_comms: bool = True) -> None:
        self._shown: dict[str, _Shown] = {}
        self._said = ""
        self._status = ""
        self._view = InlineView(height=height, legend=True, has_comms=has_comms)

    @property
    def widget(self) -> Any:
        """What to display. The browser lets the camera be moved in the place shown last."""
        return self._view.widget

    @property
    def asks(self) -> Any:
        """The box on top of the view, for questions to the person; empty until a question is put there."""
        return self._view.top

    @property
    def names(self) -> tuple[str, ...]:
        """The names on show, oldest first."""
        return tuple(self._shown)

    @property
    def state(self) -> ViewState:
        """What is shown, and from where."""
        return self._view.state

    def show(
        self,
        name: str,
        parts: Sequence[PartMesh],
        keys: Sequence[Hashable] | None = None,
        *,
        stale: bool = False,
    ) -> None:
        """Show these parts under `name`, in place of what it stood for; it keeps its place in the list.

        stale: out of date, and so grey.
        """
        titled = [_titled(name, part, len(parts)) for part in parts]
        known_by = keys_of(parts, keys)
        if stale:
            titled = [replace(part, material=_OUT_OF_DATE) for part in titled]
            known_by = tuple((key, "stale") for key in known_by)
        self._shown[name] = _Shown(tuple(titled), known_by, stale)
        self._refresh()

    def say(self, line: str) -> None:
        """Have a line stand below the view: who changed what last; from any thread."""
        self._said = line
        self._view.say(self._line)

    def show_status(self, status: str, stop: Callable[[], object] | None = None) -> None:
        """Have it stand below the view, too, how the session does: what waits, runs, has failed.

        stop: what a button stops, while something is under way. From any thread.
        """
        self._view.offer_stop(stop)
        if status != self._status:
            self._status = status
            self._view.say(self._line)

    @property
    def _line(self) -> str:
        return " · ".join(line for line in (self._status, self._said) if line)

    def show_edges(self, shown: bool) -> None:
        """Draw the feature edges, or do not; from any thread."""
        self._view.show_edges(shown)

    def remove(self, name: str) -> None:
        """Stop showing `name`; a name that is not shown is no error."""
        if self._shown.pop(name, None) is not None:
            self._refresh()

    def close(self) -> None:
        """Free the widgets and their buffers; twice is once."""
        self._view.close()

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, Any]:
        from vcad_kernel.render.picture import draw

        parts = [part for entry in self._shown.values() for part in entry.parts]
        widget = self.widget if self._view.has_comms else None
        return view_bundle(words(self.state.parts), draw(parts), widget)

    def _refresh(self) -> None:
        entries = self._shown.values()
        self._view.update(
            [part for entry in entries for part in entry.parts],
            [key for entry in entries for key in entry.keys],
            caption=self._line,
        )


def _titled(name: str, part: PartMesh, count: int) -> PartMesh:
    """The part under the name it is listed by."""
    return replace(part, name=name if count == 1 else f"{name} / {part.name}")
