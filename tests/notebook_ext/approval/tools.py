"""Tools to be asked for, and a place where nothing takes long."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from notebook_ext.agents.calls.call import Preview, Risk, Tool
from notebook_ext.approval.approvals import Approvals
from notebook_ext.approval.asks import Ask
from notebook_ext.approval.deciding import Limits

LONG = 30.0
"""Seconds that no test reaches."""


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")

    script: str = ""
    path: str = ""
    clean: str = "none"


def tool(risk: Risk, name: str = "do_it", pack: str = "files", preview: Preview | None = None) -> Tool:
    return Tool(
        name=name,
        pack=pack,
        risk=risk,
        idempotent=False,
        description="Does it.",
        arguments=Given,
        result=Given,
        run=lambda given, call: given,
        affects=None if preview is None else lambda given, call: preview,
    )


class Records(list[tuple[str, Mapping[str, Any]]]):
    def __call__(self, event: str, fields: Mapping[str, Any]) -> None:
        self.append((event, fields))


class Person:
    """Answers every ask in the way given, on a listener's turn: as a front end's thread would."""

    def __init__(self, approvals: Approvals, *answers: Mapping[str, Any] | Callable[[Ask], object]) -> None:
        self._approvals = approvals
        self._answers = list(answers)
        self.asked: list[Ask] = []
        approvals.attend("person")
        approvals.on_change(self._heard)

    def _heard(self, event: str, ask: Ask) -> None:
        if event == "ask_received":
            self.asked.append(ask)
            answer = self._answers.pop(0)
            if callable(answer):
                answer(ask)
            else:
                assert self._approvals.respond(ask.request_id, answer, "test")


def approvals(tmp_path: Path, **limits: Any) -> Approvals:
    usual = Limits(ask=LONG, ask_over_mcp=LONG, seen=LONG)
    return Approvals(workspace=lambda: tmp_path, limits=replace(usual, **limits))
