"""A person answers in a terminal what agents ask in a running session: what ``vcad approve`` does.

For front ends that cannot click while a cell runs, and for sessions that are not shown in a browser. Speaks
to the session's hook API. What is shown comes from an agent, so nothing of it reaches the terminal as a
control character.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import typer

from notebook_ext.cli.asking_session import AskingSession, Lost, Refused, Unpaired
from vcad_kernel.plain_text import plain

__all__ = ["answer_now", "answer_while_watching"]

_PAUSE: Final = 1.0
"""Seconds between two looks; the session takes an approver for gone after five."""
_DIFF_LINES: Final = 200


def answer_now(asking: AskingSession) -> int:
    """Put every question that waits to the person, once. Returns: the exit status."""
    try:
        waiting = asking.open_asks()
    except Lost as lost:
        typer.echo(str(lost), err=True)
        return 1
    if not waiting:
        typer.echo("Nothing waits for an answer.")
        return 0
    if not _paired(asking):
        return 1
    with _Attendance(asking):
        for ask in waiting:
            if not _answer_one(asking, ask):
                break
    return 0


def answer_while_watching(asking: AskingSession) -> int:
    """Put each question to the person as it comes, until Ctrl-C. Returns: the exit status."""
    try:
        if not _paired(asking):
            return 1
        with _Attendance(asking) as attendance:
            typer.echo("Watching for what agents ask; Ctrl-C ends.")
            while True:
                ask = attendance.next()
                if ask is None:
                    if not _paired(asking):
                        return 1
                elif not _answer_one(asking, ask):
                    return 0
    except KeyboardInterrupt:
        typer.echo("")
        return 0


_TRIES: Final = 3


def _paired(asking: AskingSession) -> bool:
    """Have the person type the code that the session shows; False where that leads to nothing."""
    try:
        pairing = asking.pair()
        typer.echo(
            "To answer here, type the code that the session shows now: at the foot of its notebook, or in"
        )
        typer.echo("the terminal in which `vcad session` runs.")
        for _ in range(_TRIES):
            try:
                asking.confirm(pairing, input("code: "))
            except Refused as refused:
                typer.echo(plain(str(refused)), err=True)
            else:
                return True
    except (Refused, Lost) as failed:
        typer.echo(plain(str(failed)), err=True)
    except (EOFError, typer.Abort):
        pass
    return False


class _Attendance:
    """Asks the session every second what is new, so that it knows that a person is looking."""

    def __init__(self, asking: AskingSession) -> None:
        self._asking = asking
        self._seen: set[str] = set()
        self._new: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        self._ended = threading.Event()
        self._lost = False
        self._thread = threading.Thread(target=self._keep_looking, name="vcad-approve", daemon=True)

    def __enter__(self) -> _Attendance:
        self._look()  # the session knows of the person before the first question is put to them
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def next(self) -> Mapping[str, Any] | None:
        """The next question; waits for one. None once this terminal has to be paired anew."""
        return self._new.get()

    def _keep_looking(self) -> None:
        while not self._ended.wait(_PAUSE):
            self._look()

    def _look(self) -> None:
        try:
            for ask in self._asking.open_asks():
                if ask["request_id"] not in self._seen:
                    self._seen.add(ask["request_id"])
                    self._new.put(ask)
            if self._lost:
                typer.echo("A session is there again.", err=True)
            self._lost = False
        except Unpaired:
            self._new.put(None)
        except Lost as lost:
            if not self._lost:
                typer.echo(f"{lost}; looking for it again.", err=True)
            self._lost = True


def _answer_one(asking: AskingSession, ask: Mapping[str, Any]) -> bool:
    """Show a question and send what the person says. False when the person leaves."""
    typer.echo(_shown(ask))
    while True:
        try:
            response = _typed_answer(ask)
        except (EOFError, typer.Abort):
            return False
        if response is None:
            typer.echo("Left as it is.")
            return True
        try:
            taken = asking.respond(ask["request_id"], response)
        except Refused as refused:  # edited arguments that the tool does not take
            typer.echo(plain(str(refused)), err=True)
            continue
        except Lost as lost:
            typer.echo(str(lost), err=True)
            return True
        typer.echo("Answered." if taken else "Too late: answered elsewhere, or its time is over.")
        return True


def _typed_answer(ask: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer as typed; None to leave it to others."""
    approval = ask.get("kind") == "approval"
    choices = "a approve, "
    if approval:
        choices += "e approve with edits, "
        if ask.get("remember_offered"):
            choices += "s approve for this session, "
    choices += "r reject, l leave it"
    while True:
        typed = input(f"{choices}? ").strip().lower()
        if typed in ("a", "approve"):
            return {"approved": True}
        if typed in ("r", "reject"):
            reason = plain(input("reason, for the agent: ").strip())
            return {"approved": False, **({"reason": reason} if reason else {})}
        if typed in ("l", "leave"):
            return None
        if approval and typed in ("e", "edit"):
            edited = _edited(ask.get("arguments") or {})
            if edited is not None:
                return {"approved": True, "edited_args": edited}
        elif approval and ask.get("remember_offered") and typed in ("s", "session"):
            return {"approved": True, "remember": "session"}


def _edited(arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments as changed in the person's editor; None where they were left, or are no JSON object."""
    import click

    text = json.dumps(arguments, indent=2, ensure_ascii=False)
    try:
        changed = click.edit(text, extension=".json")
        edited = None if changed is None else json.loads(changed)
    except (click.ClickException, ValueError, RecursionError) as wrong:
        typer.echo(f"not taken: {wrong}", err=True)
        return None
    if not isinstance(edited, dict):
        typer.echo("nothing was changed" if edited is None else "the arguments must be an object", err=True)
        return None
    return edited


def _shown(ask: Mapping[str, Any]) -> str:
    """A question in words."""
    who, what = ask.get("agent") or "a program", ask.get("tool") or ask.get("kind")
    lines = ["", f"{who} asks: {what}" + (f"  [class {ask['risk']}]" if ask.get("risk") else "")]
    left = _seconds_left(ask.get("expires_at"))
    if left is not None:
        lines[-1] += f", {left} s left; no answer means no"
    lines += [str(ask[name]) for name in ("summary", "note") if ask.get(name)]
    if ask.get("code"):
        lines.append(str(ask["code"]))
    shown = ask.get("arguments") or ask.get("payload")
    if shown:
        lines.append(json.dumps(shown, indent=2, ensure_ascii=False))
    if ask.get("diff"):
        diff = str(ask["diff"]).splitlines()
        lines += diff[:_DIFF_LINES]
        if len(diff) > _DIFF_LINES:
            lines.append(f"... and {len(diff) - _DIFF_LINES} more lines")
    if ask.get("objects"):
        lines.append("affects " + ", ".join(map(str, ask["objects"])))
    lines += [f"takes away {name}" for name in ask.get("takes_away") or ()]
    if ask.get("undo"):
        lines.append(f"undo: {ask['undo']}")
    return plain("\n".join(lines))


def _seconds_left(expires_at: object) -> int | None:
    """Until a question is over; None where it does not say."""
    try:
        expires = datetime.fromisoformat(str(expires_at))
        return max(0, round((expires - datetime.now(UTC)).total_seconds()))
    except (ValueError, TypeError):
        return None
