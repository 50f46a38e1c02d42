"""The words of a question as HTML: what comes from an agent is text in it, not markup, and hides nothing."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.approval.asks import unexplained
from vcad_kernel.plain_text import plain, plain_json

if TYPE_CHECKING:
    from notebook_ext.approval.asks import Question

__all__ = ["effects", "heading", "json_text", "line_count", "picture", "problem", "time_left"]

_RISKS: Final[Mapping[str, str]] = {
    "R": "reads",
    "W": "changes",
    "D": "takes away",
    "X": "runs code, or leaves the workspace",
}
_DIFF_LINES: Final = 400
"""Of a diff that are shown; the panel scrolls."""
_LONGEST: Final = 64 * 1024
"""Characters of one text that are shown."""
_OBJECTS: Final = 50
"""Names of affected objects that are shown."""


def heading(question: Question) -> str:
    """Who wants what, in words that need no knowledge of the tool, and how bad it can be."""
    badge = ""
    if question.risk is not None:
        badge = f'<span class="vcad-ask-badge">{_RISKS.get(question.risk, _text(question.risk))}</span>'
    who = f"<b>{_text(question.agent)}</b>" if question.agent else "<b>A program</b>"
    is_explained = question.summary != unexplained(question.tool)
    what = " asks whether it may do this:" if question.tool and is_explained else " asks:"
    if question.is_proposal:
        badge, what = '<span class="vcad-ask-badge">proposal</span>', " proposes:"
    if question.tool and not is_explained:
        what = f" wants to call <code>{_text(question.tool)}</code>"
    explanation = f'<div class="vcad-ask-summary">{_text(question.summary)}</div>' if is_explained else ""
    note = f'<div class="vcad-ask-note">{_text(question.note)}</div>' if question.note else ""
    code = _text(question.code_to_type)
    typed = f'<div>Type this code there: <code class="vcad-ask-code">{code}</code></div>' if code else ""
    return f'<div role="alert">{badge}{who}{what}{note}{explanation}{typed}</div>'


def effects(question: Question) -> str:
    """What would be run, changed or removed, and how the geometry would look."""
    parts = []
    in_an_area = "\n" in question.code and question.code in (question.arguments or {}).values()
    if question.code and not in_an_area:
        parts.append(f'<div class="vcad-ask-label">{line_count("runs", question.code)}</div>')
        parts.append(f"<pre tabindex=0>{_text(question.code)}</pre>")
    if question.diff:
        lines = question.diff.splitlines()
        shown = "\n".join(_diff_line(line) for line in lines[:_DIFF_LINES])
        parts.append(f'<div class="vcad-ask-label">{line_count("changes", question.diff)}</div>')
        parts.append(f"<pre tabindex=0>{shown}</pre>")
        if len(lines) > _DIFF_LINES:
            parts.append(f"<small>and {len(lines) - _DIFF_LINES} more lines</small>")
    if question.objects:
        names = ", ".join(_text(name) for name in question.objects[:_OBJECTS])
        more = len(question.objects) - _OBJECTS
        parts.append(f"<div>Affects {names}{f' and {more} more' if more > 0 else ''}</div>")
    if question.takes_away:
        gone = "".join(f"<li>{_text(name)}</li>" for name in question.takes_away[:_OBJECTS])
        more = len(question.takes_away) - _OBJECTS
        gone += f"<li>and {more} more</li>" if more > 0 else ""
        parts.append(f'<div class="vcad-ask-gone">This takes away:<ul>{gone}</ul></div>')
    if question.undo:
        parts.append(f"<div><b>Undo:</b> {_text(question.undo)}</div>")
    if question.payload and question.arguments is None:
        parts.append(f"<pre tabindex=0>{html.escape(json_text(question.payload))}</pre>")
    return "".join(parts)


def picture(png: bytes) -> str:
    """The geometry that a question is about."""
    data = base64.b64encode(png).decode("ascii")
    return f'<img alt="the geometry it is about" src="data:image/png;base64,{data}">'


def problem(text: str) -> str:
    """What is wrong with an answer."""
    return f'<div class="vcad-ask-error" role="alert">{_text(text)}</div>'


def time_left(seconds: int) -> str:
    """How long the question still waits."""
    return f'<small role="timer">{seconds} s left; no answer means no</small>'


def line_count(what: str, text: str) -> str:
    """``script, 48 lines``: so that what stands further down is not overlooked."""
    lines = len(text.splitlines())
    return what if lines < 2 else f"{what}, {lines} lines"


def json_text(value: Mapping[str, Any]) -> str:
    """Arguments as JSON that hides nothing."""
    return plain_json(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def _text(text: str) -> str:
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… {len(text) - _LONGEST} more characters"
    return html.escape(plain(cut))


def _diff_line(line: str) -> str:
    kind = {"+": "vcad-ask-added", "-": "vcad-ask-removed"}.get(line[:1])
    return f'<span class="{kind}">{_text(line)}</span>' if kind else _text(line)
