"""How far a slow evaluation is: a bar, a few words, and a button that stops it.

Real ipywidgets, so that it works in every front end. Shows what it is given; knows no service.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets

from notebook_ext.front_end.shell_channel import answer_meanwhile

__all__ = ["ProgressBar", "words_for"]

_STYLE = """<style>
.vcad-progress { align-items: center; gap: 8px; }
.vcad-progress .widget-hprogress { display: flex; align-items: center; height: 22px; margin: 0 2px; }
.vcad-progress .progress { height: 6px; margin: 0; border-radius: 3px; }
.vcad-progress-unknown .progress-bar {
  background: 0 0 / 200% 100%
    linear-gradient(90deg, transparent 25%, var(--jp-brand-color1, #1976d2) 50%, transparent 75%);
  animation: vcad-progress-unknown 1.6s linear infinite;
}
@keyframes vcad-progress-unknown {
  from { background-position: 100% 0; }
  to { background-position: -100% 0; }
}
@media (prefers-reduced-motion: reduce) { .vcad-progress-unknown .progress-bar { animation: none; } }
.vcad-progress-text { font: 12px/18px var(--jp-ui-font-family, system-ui, sans-serif); white-space: nowrap; }
.vcad-progress > .jupyter-button { width: auto; height: 22px; line-height: 20px; padding: 0 10px; }
</style>"""

_UNKNOWN = "vcad-progress-unknown"

_PHASES = {
    "queued": "waiting for its turn",
    "starting": "starting the evaluation service",
    "loading": "loading",
    "running": "running the program",
    "geometry": "building solids",
    "figures": "measuring",
    "export": "writing",
}


class ProgressBar:
    """stop: called when the person presses the button, on whatever thread the front end uses."""

    def __init__(self, stop: Callable[[], object] | None) -> None:
        self._bar = ipywidgets.IntProgress(value=0, min=0, max=1, layout=ipywidgets.Layout(width="180px"))
        self._text = ipywidgets.HTML()
        children: list[Any] = [ipywidgets.HTML(_STYLE), self._bar, self._text]
        if stop is not None:
            button = ipywidgets.Button(
                description="Stop", tooltip="Stop this evaluation; the next cell works"
            )
            button.on_click(lambda _button: stop())
            children.append(button)
        self.widget: Any = ipywidgets.HBox(children)
        self.widget.add_class("vcad-progress")
        # its messages must not wait for the cell that it belongs to
        answer_meanwhile(children)
        self._closed = False

    @property
    def text(self) -> str:
        """The words beside the bar, as HTML."""
        return str(self._text.value)

    def show(self, phase: str, done: int, total: int, place: int = 0) -> None:
        """Say how far it is.

        done, total: of what the phase counts; total 0 where it is not known. place: in the queue.
        """
        if self._closed:
            return
        words = words_for(phase, done, total, place)
        self._text.value = f'<span class="vcad-progress-text" role="status">{escape(words)}</span>'
        known = total > 0
        self._bar.max = total if known else 1
        self._bar.value = min(done, total) if known else 1
        # a bar that cannot say how far it is at least looks busy
        if known:
            self._bar.remove_class(_UNKNOWN)
        else:
            self._bar.add_class(_UNKNOWN)

    def close(self) -> None:
        """Free the widgets; twice is once."""
        from notebook_ext.viewer.widgets import close_tree

        if not self._closed:
            self._closed = True
            close_tree(self.widget)


def words_for(phase: str, done: int, total: int, place: int = 0) -> str:
    """``building solids · 120 of 200``."""
    words = _PHASES.get(phase, phase)
    if phase == "queued" and place > 0:
        return f"{words} · number {place}"
    if total > 0:
        return f"{words} · {done} of {total}"
    return f"{words} · {done}" if done > 0 else words
