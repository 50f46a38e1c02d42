"""One question as ipywidgets: what would be done, by whom, how long is left, and the buttons that answer.

Real ipywidgets, so that they work in every front end, on a sub-shell while a cell runs. Knows asks and
widgets; does not know what an answer leads to. What comes from an agent is shown as text, never as HTML.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Final

import ipywidgets

from notebook_ext.agents.approval.asks import Ask
from notebook_ext.shell_channel import answer_meanwhile
from notebook_ext.viewer.widget_tree import close_tree
from vcad_kernel.errors import VcadError

__all__ = ["AskPanel", "Respond"]

Respond = Callable[[Mapping[str, Any]], object]
"""Takes the answer. Raises: VcadError for one that cannot be taken."""

_RISKS: Final[Mapping[str, str]] = {
    "R": "reads",
    "W": "writes",
    "D": "destroys",
    "X": "runs code or leaves the workspace",
}
_DIFF_LINES: Final = 200
"""Of a diff that are shown."""
_OBJECTS: Final = 50
"""Names of affected objects that are shown."""

_STYLE = """<style>
.vcad-ask { border: 1px solid var(--jp-border-color1, #bbb); border-left: 4px solid #d98c00;
  border-radius: 3px; padding: 8px 10px; margin: 4px 0; gap: 4px; }
.vcad-ask-X, .vcad-ask-D { border-left-color: #c62828; }
.vcad-ask textarea { font-family: var(--jp-code-font-family, monospace); font-size: 12px; }
.vcad-ask pre { font: 12px/16px var(--jp-code-font-family, monospace); max-height: 240px; overflow: auto;
  margin: 2px 0; white-space: pre-wrap; }
.vcad-ask-badge { border-radius: 3px; padding: 0 6px; margin-right: 6px; color: #fff; background: #d98c00; }
.vcad-ask-X .vcad-ask-badge, .vcad-ask-D .vcad-ask-badge { background: #c62828; }
.vcad-ask-added { color: #1b7f37; } .vcad-ask-removed { color: #c62828; }
.vcad-ask-error { color: var(--jp-error-color1, #c62828); }
.vcad-ask .jupyter-button { width: auto; padding: 0 10px; }
</style>"""

_ELSEWHERE = "If clicks do nothing while a cell runs, answer in a terminal: <code>vcad approve --watch</code>"


class AskPanel:
    """respond: what the buttons lead to, on whatever thread the front end uses.

    One panel may be displayed in several places. It says `seen` to its ask once a browser has drawn it.
    """

    def __init__(self, ask: Ask, respond: Respond) -> None:
        self._ask = ask
        self._respond = respond
        asked = ask.question
        self._time = ipywidgets.HTML()
        self._error = ipywidgets.HTML()
        self._eye = ipywidgets.Play(
            value=0, min=0, max=1, step=1, interval=50, layout=ipywidgets.Layout(display="none")
        )
        self._eye.observe(self._drawn, "value")
        self._given = "" if asked.arguments is None else _pretty(asked.arguments)
        self._text = ipywidgets.Textarea(
            value=self._given,
            rows=min(16, max(2, self._given.count("\n") + 1)),
            layout=ipywidgets.Layout(width="98%", display="none" if asked.arguments is None else ""),
        )
        self._text.observe(self._edited, "value")
        self._reason = ipywidgets.Text(
            placeholder="reason, for the agent", layout=ipywidgets.Layout(width="260px")
        )
        self._approve = _button("Approve", "Do it, as it stands here", "success", self._approved)
        self._approve_edited = _button(
            "Approve with edits", "Do it with the arguments as changed", "success", self._approved_edited
        )
        self._approve_edited.disabled = True
        self._reject = _button("Reject", "Do not do it", "danger", self._rejected)
        buttons = [self._approve]
        if asked.check is not None:
            buttons.append(self._approve_edited)
        if asked.remember_offered:
            self._always = _button(
                "Always for this tool in this session",
                f"Do it, and do not ask again when {asked.agent} calls {asked.tool}",
                "",
                self._approved_for_good,
            )
            buttons.append(self._always)
        # an answer must not wait for the cell that may itself be waiting for it
        answer_meanwhile([self._eye, self._text, self._reason, self._reject, *buttons])
        children = [
            ipywidgets.HTML(_STYLE + _heading(ask)),
            self._time,
            self._text,
            ipywidgets.HTML(_affected(ask)),
            ipywidgets.HBox(buttons),
            ipywidgets.HBox([self._reject, self._reason]),
            self._error,
            ipywidgets.HTML(f"<small>{_ELSEWHERE}</small>"),
            self._eye,
        ]
        self.widget: Any = ipywidgets.VBox(children)
        self.widget.add_class("vcad-ask")
        self.widget.add_class(f"vcad-ask-{asked.risk or 'none'}")
        self._closed = False
        self._left = -1

    def tick(self, left: float) -> None:
        """Show how much time is left, in seconds, and look once more whether a browser draws this."""
        if self._closed:
            return
        if not self._ask.seen.is_set():
            # A drawn Play answers the change to playing with its next value; one that nobody draws is silent.
            self._eye.playing = False
            self._eye.playing = True
        whole = math.ceil(left)
        if whole != self._left:
            self._left = whole
            self._time.value = f'<small role="timer">{whole} s left; no answer means no</small>'

    def close(self) -> None:
        """Free the widgets; twice is once."""
        if not self._closed:
            self._closed = True
            close_tree(self.widget)

    def _drawn(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self._ask.seen.set()

    def _edited(self, _change: object) -> None:
        """Exactly one of the two ways to approve fits what stands in the text."""
        changed = self._text.value != self._given
        self._approve.disabled = changed
        self._approve_edited.disabled = not changed

    def _approved(self) -> None:
        if self._text.value != self._given:
            self._tell("the arguments were changed: approve with edits, or undo the changes")
            return
        self._answer({"approved": True})

    def _approved_edited(self) -> None:
        try:
            edited = json.loads(self._text.value)
        except ValueError as wrong:
            self._tell(f"the arguments are no JSON: {wrong}")
            return
        self._answer({"approved": True, "edited_args": edited})

    def _approved_for_good(self) -> None:
        if self._text.value != self._given:
            self._tell(
                "the arguments were changed: an approval for later calls is of the tool as it is called"
            )
            return
        self._answer({"approved": True, "remember": "session"})

    def _rejected(self) -> None:
        reason = self._reason.value.strip()
        self._answer({"approved": False, **({"reason": reason} if reason else {})})

    def _answer(self, response: Mapping[str, Any]) -> None:
        self._ask.seen.set()
        try:
            self._respond(response)
        except VcadError as refused:
            self._tell(refused.message)

    def _tell(self, error: str) -> None:
        if not self._closed:
            self._error.value = f'<div class="vcad-ask-error" role="alert">{escape(error)}</div>'


def _button(text: str, tooltip: str, style: str, pressed: Callable[[], None]) -> Any:
    button = ipywidgets.Button(description=text, tooltip=tooltip, button_style=style)
    button.on_click(lambda _button: pressed())
    return button


def _pretty(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, indent=2, ensure_ascii=False, default=str)


def _heading(ask: Ask) -> str:
    asked = ask.question
    badge = ""
    if asked.risk is not None:
        meaning = _RISKS.get(asked.risk, "")
        badge = (
            f'<span class="vcad-ask-badge" title="{escape(meaning)}">{escape(asked.risk)} · {meaning}</span>'
        )
    who = f"<b>{escape(asked.agent)}</b> asks" if asked.agent else "A program asks"
    what = f": <code>{escape(asked.tool)}</code>" if asked.tool else ""
    said = f"<div>{escape(asked.summary)}</div>" if asked.summary else ""
    note = f"<div><b>{escape(asked.note)}</b></div>" if asked.note else ""
    return f"<div>{badge}{who}{what}</div>{said}{note}"


def _affected(ask: Ask) -> str:
    asked = ask.question
    html = ""
    if asked.diff:
        lines = asked.diff.splitlines()
        shown = "\n".join(_diff_line(line) for line in lines[:_DIFF_LINES])
        more = len(lines) - _DIFF_LINES
        html += f"<pre>{shown}</pre>" + (f"<small>and {more} more lines</small>" if more > 0 else "")
    if asked.objects:
        names = ", ".join(escape(name) for name in asked.objects[:_OBJECTS])
        more = len(asked.objects) - _OBJECTS
        html += f"<div>Affects {names}{f' and {more} more' if more > 0 else ''}</div>"
    if asked.payload and asked.arguments is None:
        html += f"<pre>{escape(_pretty(asked.payload))}</pre>"
    return html


def _diff_line(line: str) -> str:
    kind = {"+": "vcad-ask-added", "-": "vcad-ask-removed"}.get(line[:1])
    return f'<span class="{kind}">{escape(line)}</span>' if kind else escape(line)
