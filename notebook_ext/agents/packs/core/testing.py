"""`vcad_test`: the tests of a Loon file, run where models are evaluated, and what failed with its place."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Call, Tool
from notebook_ext.agents.packs.core.sources import source_of

__all__ = ["tools"]


class _Test(Arguments):
    source: str = Field(description="node, path or Loon code")
    only: str = Field("", description="text in their names")


class _Verdict(Answer):
    name: str
    passed: bool
    ms: float
    file: str
    line: int
    column: int
    error: str | None = None
    error_code: str | None = None
    fix: str | None = None


class _Verdicts(Answer):
    passed: int
    failed: int
    tests: list[_Verdict] = Field(description="those that failed first")


def tools() -> tuple[Tool, ...]:
    """The one tool."""
    return (
        Tool(
            "vcad_test",
            "core",
            "R",
            True,
            "Run the [test name [] …] forms of a source; says what failed, where and why.",
            _Test,
            _Verdicts,
            _test,
        ),
    )


def _test(arguments: _Test, call: Call) -> _Verdicts:
    text, title = source_of(arguments.source, call)
    rows: list[dict[str, Any]] = call.session.test(text, file=title, only=arguments.only)
    verdicts = [_Verdict.model_validate(row) for row in rows]
    return _Verdicts(
        passed=sum(verdict.passed for verdict in verdicts),
        failed=sum(not verdict.passed for verdict in verdicts),
        tests=sorted(verdicts, key=lambda verdict: verdict.passed),
    )
