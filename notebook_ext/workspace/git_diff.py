"""What git says has changed between two revisions, or since one, in the files that may be shown.

Revisions are looked up first and handed to git as hashes, so that none can be taken for an option; the
names that differ pass the gate before any of their text is asked for. Nothing that the repository's settings
name as a program is run for it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from notebook_ext.workspace.gate import FileGate
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure

__all__ = ["git_diff"]

_REVISION: Final = re.compile(r"(?!-)(?!.*\.\.)[A-Za-z0-9_./@{}^~+-]{1,200}")
_SECONDS: Final = 30.0
_MOST_FILES: Final = 500
_LONGEST: Final = 2 * 2**20
"""Characters of a diff."""

_QUIET: Final = (
    "--no-pager", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.quotePath=false",
    "-c", "color.ui=false",
)  # fmt: skip
_PLAIN: Final = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--relative", "--ignore-submodules=all",
)  # fmt: skip


def git_diff(
    gate: FileGate, path: Path, base_rev: str = "HEAD", head_rev: str = "", *, operation: str
) -> tuple[str, tuple[str, ...]]:
    """The unified diff of a file, or of all files below a folder, and the names of what differs.

    base_rev, head_rev: anything that names a commit; an empty ``head_rev`` is the files as they are now.
    Raises: ServiceFailure INVALID_PARAMS for a revision that git does not know, TIMEOUT;
    CapabilityUnavailable where there is no git or no repository.
    """
    folder = path if path.is_dir() else path.parent
    commits = [_commit(folder, base_rev, "base_rev", operation)]
    if head_rev:
        commits.append(_commit(folder, head_rev, "head_rev", operation))
    wanted = "." if path == folder else path.name
    quiet = _filters_off(folder, operation)
    listed = _git(
        folder,
        operation,
        "diff",
        *_PLAIN,
        "--name-only",
        "-z",
        "--end-of-options",
        *commits,
        "--",
        wanted,
        settings=quiet,
    )
    names = [one for one in listed.split("\0") if one and gate.allows(folder / one)][:_MOST_FILES]
    if not names:
        return "", ()
    text = _git(
        folder, operation, "diff", *_PLAIN, "--end-of-options", *commits, "--", *names, settings=quiet
    )
    return text[:_LONGEST], tuple(gate.shown(folder / one) for one in names)


def _commit(folder: Path, revision: str, argument: str, operation: str) -> str:
    """The hash of a commit. Raises: ServiceFailure INVALID_PARAMS; as `_git`."""
    if _REVISION.fullmatch(revision):
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        found = _git(folder, operation, *asked, may_fail=True).strip()
        if re.fullmatch(r"[0-9a-f]{40,64}", found):
            return found
    raise ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{revision[:200]!r} names no commit here",
        fix="name a branch, a tag or a hash, such as HEAD~1; an empty head_rev is the files as they are",
        details={"path": argument, "expected": "a revision that git knows", "operation": operation},
    )


def _filters_off(folder: Path, operation: str) -> Mapping[str, str]:
    """What keeps git from running the filters that the repository itself names; the user's own stay."""
    asked = ("config", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
    found = _git(folder, operation, *asked, may_fail=True).split("\0")
    names = {
        key.rpartition(".")[0]
        for scope, key in zip(found[::2], found[1::2], strict=False)
        if scope not in ("system", "global")
    }
    off = {"clean": "", "process": "", "required": "false"}
    return {f"{name}.{key}": value for name in sorted(names) for key, value in off.items()}


def _git(
    folder: Path,
    operation: str,
    *arguments: str,
    may_fail: bool = False,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    program = shutil.which("git")
    if program is None:
        raise _unavailable("there is no git here", operation)
    known = ("PATH", "HOME", "LANG", "SYSTEMROOT", "USERPROFILE", "XDG_CONFIG_HOME")
    environment = {name: os.environ[name] for name in known if name in os.environ}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}
    environment["GIT_CONFIG_COUNT"] = str(len(settings))
    for at, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{at}": name, f"GIT_CONFIG_VALUE_{at}": value}
    try:
        done = subprocess.run(
            [program, *_QUIET, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ServiceFailure(
            ErrorCode.TIMEOUT,
            f"git has not answered within {_SECONDS:g} s",
            fix="ask for one file, or for a smaller folder",
            details={"operation": operation},
        ) from None
    if done.returncode and not (may_fail and done.returncode == 1):
        said = done.stderr.decode(errors="replace").strip()
        raise _unavailable(f"git cannot compare here: {_first_line(said.splitlines())}", operation)
    return done.stdout.decode(errors="replace")


def _first_line(lines: Sequence[str]) -> str:
    return lines[0].removeprefix("fatal: ") if lines else "it gives no reason"


def _unavailable(message: str, operation: str) -> CapabilityUnavailable:
    return CapabilityUnavailable(
        message,
        fix="the folder must lie in a git repository",
        details={"required_capability": "git", "operation": operation},
    )
