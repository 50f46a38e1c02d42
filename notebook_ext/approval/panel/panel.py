"""One question as ipywidgets: what would be done, by whom, how long is left, and the buttons that answer.

Real ipywidgets, so that they work in every front end, on a sub-shell while a cell runs. Knows asks and
widgets; does not know what an answer leads to. What comes from an agent is shown as text, never as HTML.

What stands in the areas is what would be called, to the letter: a text goes into an area of its own only if
it comes back from a browser unchanged, so not with carriage returns or characters that hide. Every text has a
contrast of at least 4.5 to 1 with what it stands on, in light and dark themes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import ipywidgets

from notebook_ext.approval.asks import Ask
from notebook_ext.approval.panel.question_html import (
    effects,
    heading,
    json_text,
    line_count,
    picture,
    problem,
    time_left,
)
from notebook_ext.front_end.shell_channel import answer_meanwhile
from notebook_ext.viewer.widgets import close_tree
from vcad_kernel.errors import VcadError
from vcad_kernel.plain_text import plain

__all__ = ["AskPanel", "Respond"]


_DARK: Final = (
    "--vcad-ask-write: #e3a008; --vcad-ask-danger: #ff8a80; --vcad-ask-badge-text: #1b1b1b;"
    " --vcad-ask-added: #7ee787; --vcad-ask-removed: #ffa198; --vcad-ask-error: #ffa198;"
)

STYLE: Final = f"""<style>
.vcad-ask {{
  --vcad-ask-write: #8a5200; --vcad-ask-danger: #b71c1c; --vcad-ask-badge-text: #fff;
  --vcad-ask-added: #116329; --vcad-ask-removed: #a40e26; --vcad-ask-error: #a40e26;
  --vcad-ask-accent: var(--vcad-ask-write);
  border: 1px solid var(--jp-border-color1, #bbb); border-left: 4px solid var(--vcad-ask-accent);
  border-radius: 3px; padding: 8px 10px; margin: 6px 0; gap: 4px; max-width: 760px;
  color: var(--jp-ui-font-color1, inherit); background: var(--jp-layout-color1, transparent);
  overflow: visible;
}}
[data-jp-theme-light="false"] .vcad-ask, .vscode-dark .vcad-ask, html[theme="dark"] .vcad-ask {{ {_DARK} }}
.vcad-ask-X, .vcad-ask-D {{ --vcad-ask-accent: var(--vcad-ask-danger); }}
.vcad-ask > * {{ flex: none; max-width: 100%; }}
.vcad-ask .widget-html-content {{ line-height: 20px; }}
.vcad-ask-badge {{ border-radius: 3px; padding: 1px 7px; margin-right: 8px; font-weight: 600;
  color: var(--vcad-ask-badge-text); background: var(--vcad-ask-accent); }}
.vcad-ask-summary {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.vcad-ask-gone {{ font-weight: 600; }}
.vcad-ask-gone ul {{ margin: 0 0 2px; padding-left: 22px; font-weight: normal; }}
.vcad-ask-note {{ font-weight: 600; color: var(--vcad-ask-error); }}
.vcad-ask .widget-textarea {{ flex-direction: column; align-items: stretch; width: auto; margin: 2px 0;
  height: auto; }}
.vcad-ask .widget-textarea .widget-label, .vcad-ask-label {{ width: auto; text-align: left;
  font-size: 12px; color: var(--jp-ui-font-color2, inherit); }}
.vcad-ask .widget-textarea textarea {{ font: 12px/17px var(--jp-code-font-family, monospace); height: auto;
  color: var(--jp-content-font-color1, inherit); background: var(--jp-layout-color0, transparent);
  overflow-wrap: anywhere; resize: vertical; }}
.vcad-ask pre {{ font: 12px/17px var(--jp-code-font-family, monospace); max-height: 260px; overflow: auto;
  margin: 2px 0; padding: 4px 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  color: var(--jp-content-font-color1, inherit);
  background: var(--jp-layout-color2, rgba(127,127,127,.12)); }}
.vcad-ask-added {{ color: var(--vcad-ask-added); }} .vcad-ask-removed {{ color: var(--vcad-ask-removed); }}
.vcad-ask-code {{ font-size: 17px; letter-spacing: 2px; user-select: all; }}
.vcad-ask-error {{ color: var(--vcad-ask-error); }}
.vcad-ask img {{ max-width: 320px; max-height: 240px; border-radius: 3px; }}
.vcad-ask .jupyter-button {{ width: auto; padding: 0 12px; }}
.vcad-ask .jupyter-button:focus-visible, .vcad-ask textarea:focus-visible, .vcad-ask input:focus-visible {{
  outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 1px; }}
.vcad-ask .jupyter-button.mod-success {{ background: #1b6e2c; color: #fff; }}
.vcad-ask .jupyter-button.mod-danger {{ background: #b71c1c; color: #fff; }}
.vcad-ask-answer {{ position: sticky; bottom: 0; overflow: visible;
  background: var(--jp-layout-color1, inherit); }}
.vcad-ask-buttons {{ flex-flow: row wrap; align-items: center; }}
.vcad-ask-buttons .widget-text {{ width: 300px; flex: 1 1 200px; }}
.vcad-ask-buttons .widget-text .widget-label {{ width: auto; }}
</style>"""


Respond = Callable[[Mapping[str, Any]], object]
"""Takes the answer. Raises: VcadError for one that cannot be taken."""

_ELSEWHERE: Final = (
    "If clicks do nothing while a cell runs, answer in a terminal: <code>vcad approve --watch</code>"
)


_APPROVING: Final = ("Approve", "Approve with edits", "Reject")
_TAKING: Final = ("Take", "Take with edits", "Do not take")


class AskPanel:
    """respond: what the buttons lead to, on whatever thread the front end uses.

    holds_up: whether clicks may have to wait for a running cell.
    One panel may be displayed in several places. It says `seen` to its ask once a browser has drawn it.
    """

    def __init__(self, ask: Ask, respond: Respond, *, holds_up: bool = True) -> None:
        self._ask = ask
        self._respond = respond
        question = ask.question
        self._time = ipywidgets.HTML()
        self._error = ipywidgets.HTML()
        self._picture = ipywidgets.HTML()
        self._eye = ipywidgets.Play(
            value=0, min=0, max=1, step=1, interval=50, layout=ipywidgets.Layout(display="none")
        )
        self._eye.observe(self._drawn, "value")
        self._fields = (
            None
            if question.arguments is None
            else ArgumentFields(question.arguments, question.tool or "", self._edited)
        )
        self._reason = ipywidgets.Text(description="reason", placeholder="for the agent")
        yes, edited, no = _TAKING if question.is_proposal else _APPROVING
        self._approve = _button(yes, "Do it, as it stands here", "success", self._approved)
        self._approve_edited = _button(
            edited, "Do it with the arguments as changed", "success", self._approved_edited
        )
        self._approve_edited.disabled = True
        self._reject = _button(no, "Do not do it", "danger", self._rejected)
        buttons = [] if question.code_to_type else [self._approve]
        if self._fields is not None and question.check is not None:
            buttons.append(self._approve_edited)
        self._always: Any = None
        if question.remember_offered:
            self._always = _button(
                "Always for this tool in this session",
                plain(f"Do it, and do not ask again when {question.agent} calls {question.tool}", stays=""),
                "",
                self._approved_for_good,
            )
            buttons.append(self._always)
        fields = () if self._fields is None else self._fields.widgets
        # an answer must not wait for the cell that may itself be waiting for it
        answer_meanwhile([self._eye, *fields, self._reason, self._reject, *buttons])
        rows = [ipywidgets.HBox(buttons), ipywidgets.HBox([self._reject, self._reason])]
        for row in rows:
            row.add_class("vcad-ask-buttons")
        answer = ipywidgets.VBox([*rows, self._error])
        answer.add_class("vcad-ask-answer")
        children = [
            ipywidgets.HTML(STYLE + heading(question)),
            self._time,
            ipywidgets.HTML(effects(question)),
            self._picture,
            *fields,
            answer,
            *([ipywidgets.HTML(f"<small>{_ELSEWHERE}</small>")] if holds_up else []),
            self._eye,
        ]
        self.widget: Any = ipywidgets.VBox(children)
        self.widget.add_class("vcad-ask")
        self.widget.add_class(f"vcad-ask-id-{re.sub(r'[^A-Za-z0-9-]', '', ask.request_id)}")
        self.widget.add_class(f"vcad-ask-{re.sub(r'[^A-Z]', '', question.risk or '') or 'none'}")
        self._closed = False
        self._left = -1

    def tick(self, left: float) -> None:
        """Show how much time is left, in seconds, and look once more whether a browser draws this."""
        if self._closed:
            return
        if not self._ask.seen.is_set():
            # A drawn Play answers the change to playing with its next value; one that is not drawn is silent.
            self._eye.playing = False
            self._eye.playing = True
        whole = math.ceil(left)
        if whole != self._left:
            self._left = whole
            self._time.value = time_left(whole)

    def show_picture(self, png: bytes) -> None:
        """Add a picture of the geometry, which comes when it is drawn; from any thread."""
        if not self._closed:
            self._picture.value = picture(png)

    def close(self) -> None:
        """Free the widgets; twice is once."""
        if not self._closed:
            self._closed = True
            close_tree(self.widget)

    def _drawn(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self._ask.seen.set()

    @property
    def _is_edited(self) -> bool:
        return self._fields is not None and self._fields.edited

    def _edited(self) -> None:
        """Exactly one of the two ways to approve fits what stands in the text."""
        changed = self._is_edited
        self._approve.disabled = changed
        self._approve_edited.disabled = not changed
        if self._always is not None:
            self._always.disabled = changed

    def _approved(self) -> None:
        if self._is_edited:
            self._show_error("the arguments were changed: approve with edits, or undo the changes")
            return
        self._answer({"approved": True})

    def _approved_edited(self) -> None:
        if self._fields is None:
            return
        try:
            edited = self._fields.arguments()
        except ValueError as wrong:
            self._show_error(f"the arguments are no JSON: {wrong}")
            return
        self._answer({"approved": True, "edited_args": edited})

    def _approved_for_good(self) -> None:
        if self._is_edited:
            self._show_error(
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
            self._show_error(refused.message)

    def _show_error(self, error: str) -> None:
        if not self._closed:
            self._error.value = problem(error)


def _button(text: str, tooltip: str, style: str, pressed: Callable[[], None]) -> Any:
    button = ipywidgets.Button(description=text, tooltip=tooltip, button_style=style)
    button.on_click(lambda _button: pressed())
    return button


_ROWS: Final = 18
"""Of an area at most; what is longer scrolls."""


class ArgumentFields:
    """arguments: as they were given to a tool. changed: called when the person has edited something."""

    def __init__(self, arguments: Mapping[str, Any], tool: str, changed: Callable[[], object]) -> None:
        self._given = dict(arguments)
        self._texts = {
            name: _area(line_count(name, text), text)
            for name, text in arguments.items()
            if isinstance(text, str) and "\n" in text and plain(text) == text
        }
        rest = {name: value for name, value in arguments.items() if name not in self._texts}
        self._rest_given = json_text(rest)
        label = "other arguments" if self._texts else "arguments"
        self._rest = _area(plain(f"{label} of {tool}" if tool else label, stays=""), self._rest_given)
        if self._texts and not rest:
            self._rest.layout.display = "none"
        self.widgets: tuple[Any, ...] = (*self._texts.values(), self._rest)
        for area in self.widgets:
            area.observe(lambda _change: changed(), "value")

    @property
    def edited(self) -> bool:
        """Whether anything stands there that was not given."""
        texts = any(area.value != self._given[name] for name, area in self._texts.items())
        return texts or self._rest.value != self._rest_given

    def arguments(self) -> Any:
        """The arguments as they stand there. Raises: ValueError for what is no JSON object."""
        rest = json.loads(self._rest.value)
        if not isinstance(rest, dict):
            raise ValueError("they must be an object in braces")  # noqa: TRY004 - of a text, not an argument
        texts = {name: area.value for name, area in self._texts.items()}
        return {**texts, **rest}


def _area(label: str, text: str) -> Any:
    return ipywidgets.Textarea(
        value=text,
        description=label,
        rows=min(_ROWS, max(2, text.count("\n") + 1)),
        continuous_update=True,
        style={"description_width": "initial"},
    )
