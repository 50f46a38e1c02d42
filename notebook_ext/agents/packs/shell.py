"""run_shell: a bash script in the workspace, which a person has read before it runs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from notebook_ext.agents.calls.arguments import Answer, Arguments
from notebook_ext.agents.calls.call import Preview, Tool
from notebook_ext.session.log.masking import masked, masked_text
from notebook_ext.session.settings import settings_in_force
from notebook_ext.workspace.files.named import named_files
from notebook_ext.workspace.shell.environment import TOOL_ENV, ScriptEnvironment, script_environment
from notebook_ext.workspace.shell.sandbox import MEANING, Limits, Sandbox, strongest_sandbox
from notebook_ext.workspace.shell.shell import run_script
from vcad_kernel.errors import FileMissing, PathRefused

if TYPE_CHECKING:
    from notebook_ext.agents.calls.call import Call

__all__ = ["tools"]

_NAME = "run_shell"
_LONGEST = 256 * 1024
_TELL_EVERY = 5.0
"""Seconds between two words to a client that waits."""


class Script(Arguments):
    """A script."""

    script: str = Field(min_length=1, max_length=_LONGEST, description="for bash -euo pipefail")
    cwd: str = Field(".", description="a folder of the workspace")
    timeout_s: float = Field(60, gt=0, le=600)
    env: dict[str, str] = Field(default_factory=dict, description="variables besides those of tool_env.toml")


class Ran(Answer):
    """What came of it."""

    stdout: str
    stderr: str
    exit_code: int | None = Field(description="128 + n for signal n; null when it ran out of time")
    timed_out: bool
    duration_s: float
    script_path: str
    output_cut: bool = Field(description="the middle of what it wrote is left out")
    sandbox: Sandbox
    unknown_variables: list[str] = Field(
        description="that tool_env.toml refers to and that there are none of"
    )
    analysis: str = ""
    not_seen: list[str] = Field([], description="folders too large to look through; it had none of them")
    set_aside: list[str] = Field(
        [],
        description="what it made and git or a shell would run by itself: moved to .vcad",
    )
    not_taken_over: list[str] = Field(
        [], description="what it changed of the repository, and others had changed meanwhile"
    )


def _limits() -> Limits:
    """How much a script may use, by the settings. Raises: ServiceFailure SETTING_INVALID."""
    settings = settings_in_force()
    return Limits(
        settings.shell_processes,
        settings.shell_memory_mb * 2**20,
        settings.shell_file_mb * 2**20,
        settings.shell_open_files,
    )


def _settled(arguments: Script, call: Call) -> tuple[Path, ScriptEnvironment]:
    """The folder and the variables of a script. Raises: VcadError."""
    folder = call.files.folder(arguments.cwd, operation=_NAME)
    if not folder.is_relative_to(call.workspace):
        raise PathRefused(
            f"{arguments.cwd!r} is not in the workspace",
            fix="name a folder of the workspace",
            details={"path": arguments.cwd, "workspace": str(call.workspace), "operation": _NAME},
        )
    try:
        path = call.files.file(str(call.workspace / TOOL_ENV), operation=_NAME)
        written = call.files.read(path, operation=_NAME)
    except FileMissing:
        written = None
    variables = script_environment(
        os.environ, written, arguments.env, workspace=call.workspace, operation=_NAME
    )
    return folder, variables


def _run(arguments: Script, call: Call) -> Ran:
    folder, environment = _settled(arguments, call)
    reported_at = time.monotonic()
    given = environment.variables
    secrets = [value for name, value in given.items() if value and masked({name: value})[name] != value]

    def looked_at() -> None:
        nonlocal reported_at
        call.checkpoint()
        if time.monotonic() - reported_at >= _TELL_EVERY:
            reported_at = time.monotonic()
            call.progress(0, None, "the script runs")

    def on_output(stream: str, text: str) -> None:
        call.journal.shell(
            {
                "request_id": call.request_id,
                "agent": call.agent,
                "stream": stream,
                "text": masked_text(text, secrets=secrets),
            }
        )

    approved = () if call.approved is None else call.approved.digests
    with call.files.held(approved, operation=_NAME):
        ran = run_script(
            arguments.script,
            workspace=call.workspace,
            folder=folder,
            variables=environment.variables,
            timeout_s=arguments.timeout_s,
            limits=_limits(),
            looked_at=looked_at,
            on_output=on_output,
        )
    shown = call.relative(ran.script_path)
    call.journal.shell(
        {
            "request_id": call.request_id,
            "agent": call.agent,
            "command": shown,
            "cwd": call.relative(folder),
            "stdin": "",
            "stdout": masked_text(ran.stdout, secrets=secrets),
            "stderr": masked_text(ran.stderr, secrets=secrets),
            "exit_code": ran.exit_code,
            "timed_out": ran.timed_out,
            "latency_ms": round(ran.duration_s * 1000),
            "sandbox": ran.sandbox,
            "set_aside": ran.set_aside,
        }
    )
    return Ran(
        stdout=ran.stdout,
        stderr=ran.stderr,
        exit_code=ran.exit_code,
        timed_out=ran.timed_out,
        duration_s=ran.duration_s,
        script_path=shown,
        output_cut=ran.cut,
        sandbox=ran.sandbox,
        unknown_variables=list(environment.unknown),
        analysis=ran.analysis,
        not_seen=list(ran.unseen),
        set_aside=list(ran.set_aside),
        not_taken_over=list(ran.kept_out),
    )


def _preview(arguments: Script, call: Call) -> Preview:
    folder, _ = _settled(arguments, call)
    sandbox, limits = strongest_sandbox(), _limits()
    named = named_files(f"{TOOL_ENV}\n{arguments.script}", folder, call.files)
    return Preview(
        summary=f"Runs a script in {call.relative(folder)} for at most {arguments.timeout_s:g} s, "
        f"with at most {limits.processes} processes and {limits.memory_bytes // 2**20} MiB of memory; "
        f"sandbox: {sandbox} ({MEANING[sandbox]}).",
        code="\n".join([arguments.script, *_written_by_agents(named, call)]),
        undo="Nothing takes back what it does to the workspace's files.",
        digests=named,
    )


def _written_by_agents(named: Iterable[tuple[str, str]], call: Call) -> Iterator[str]:
    """The texts of files that a script names and that agents have written unasked: they run, too."""
    for shown, _ in named:
        path = call.workspace / shown
        content = call.files.read(path, operation=_NAME)
        if call.files.persons.is_of_agents(path, content):
            yield f"\n# ---- {shown}, which an agent has written\n{content.decode('utf-8', 'replace')}"


def tools() -> tuple[Tool, ...]:
    """All tools of the pack."""
    return (
        Tool(
            _NAME,
            "shell",
            "X",
            False,
            "When no other tool does it: run a bash script in the workspace; a person approves each. "
            "No network and no writing elsewhere where the system can hold it to that; "
            "what it leaves running is ended.",
            Script,
            Ran,
            _run,
            _preview,
        ),
    )
