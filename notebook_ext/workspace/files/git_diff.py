"""What git says has changed between two revisions, or since one, in the files that may be shown.

Revisions are looked up first and handed to git as hashes, so that none can be taken for an option; the
names that differ pass the gate before any of their text is read. The repository's own settings may come
from anywhere: nothing that they name as a program is run, nothing is fetched from where they point to, and
they cannot have git look at files elsewhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from notebook_ext.workspace.files.gate import FileGate
from vcad_kernel.errors import CapabilityUnavailable, ErrorCode, ServiceFailure

__all__ = ["Diff", "git_diff"]

_REVISION: Final = re.compile(r"(?!-)(?!.*\.\.)[A-Za-z0-9_./@{}^~+-]{1,200}")
_SECONDS: Final = 30.0
_MOST_FILES: Final = 500
_LONGEST: Final = 2 * 2**20
"""Bytes of a diff."""
_LARGEST: Final = 4 * 2**20
"""Bytes of a file whose lines are compared; of larger ones git says only that they differ."""

_QUIET: Final = (
    "--no-pager", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.quotePath=false",
    "-c", "color.ui=false", "-c", f"core.bigFileThreshold={_LARGEST}",
    # a folder that only looks like a repository may hold settings that an agent has written
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip
_PLAIN: Final = (
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--relative", "--ignore-submodules=all",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs."""

    text: str
    """Unified."""
    names: tuple[str, ...]
    """Of the files, as answers say them."""
    truncated: bool
    """Whether there is more of it."""


def git_diff(
    gate: FileGate, path: Path, base_rev: str = "HEAD", head_rev: str = "", *, operation: str
) -> Diff:
    """What differs in a file, or in all files below a folder.

    base_rev, head_rev: anything that names a commit; an empty ``head_rev`` is the files as they are now.
    Raises: ServiceFailure INVALID_PARAMS for a revision that git does not know, TIMEOUT;
    CapabilityUnavailable where there is no git or no repository.
    """
    folder = path if path.is_dir() else path.parent
    _require_own_files(folder, operation)
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
    allowed = [name for name in listed.split("\0") if name and gate.allows(folder / name)]
    names = allowed[:_MOST_FILES]
    if not names:
        return Diff("", (), False)
    text = _git(
        folder, operation, "diff", *_PLAIN, "--end-of-options", *commits, "--", *names, settings=quiet
    )
    shown = tuple(gate.shown(folder / name) for name in names)
    whole = text.encode()
    kept = whole[:_LONGEST].decode(errors="ignore")
    return Diff(kept, shown, len(allowed) > len(names) or len(whole) > _LONGEST)


def _require_own_files(folder: Path, operation: str) -> None:
    """Raises: CapabilityUnavailable for a repository whose settings say that its files lie elsewhere."""
    if _git(folder, operation, "rev-parse", "--is-inside-work-tree").strip() != "true":
        raise _unavailable("this folder holds no files of the repository", operation)


def _commit(folder: Path, revision: str, argument: str, operation: str) -> str:
    """The hash of a commit. Raises: ServiceFailure INVALID_PARAMS; as `_git`."""
    if _REVISION.fullmatch(revision):
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        commit = _git(folder, operation, *asked, may_fail=True).strip()
        if re.fullmatch(r"[0-9a-f]{40,64}", commit):
            return commit
    raise ServiceFailure(
        ErrorCode.INVALID_PARAMS,
        f"{revision[:200]!r} names no commit here",
        fix="name a branch, a tag or a hash, such as HEAD~1; an empty head_rev is the files as they are",
        details={"path": argument, "expected": "a revision that git knows", "operation": operation},
    )


def _filters_off(folder: Path, operation: str) -> Mapping[str, str]:
    """What keeps git from running the filters that the repository itself names; the user's own stay."""
    asked = ("config", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
    words = _git(folder, operation, *asked, may_fail=True).split("\0")
    names = {
        key.rpartition(".")[0]
        for scope, key in zip(words[::2], words[1::2], strict=False)
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
    # what a partial clone lacks would be fetched, by any program that its settings name
    environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    environment["GIT_CONFIG_COUNT"] = str(len(settings))
    for at, (name, value) in enumerate(settings.items()):
        environment |= {f"GIT_CONFIG_KEY_{at}": name, f"GIT_CONFIG_VALUE_{at}": value}
    output, wrong, code = _output([program, *_QUIET, *arguments], folder, environment, operation)
    if code and not (may_fail and code == 1):
        raise _unavailable(f"git cannot compare here: {_first_line(wrong.splitlines())}", operation)
    return output


def _output(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], operation: str
) -> tuple[str, str, int]:
    """What a program writes, a little more than `_LONGEST` at most, its complaint and its exit code.

    Raises: ServiceFailure TIMEOUT.
    """
    with (
        tempfile.TemporaryFile() as complaint,
        subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaint,
        ) as process,
    ):
        assert process.stdout is not None
        over = threading.Event()

        def stop() -> None:
            over.set()
            process.kill()

        watch = threading.Timer(_SECONDS, stop)
        watch.start()
        try:
            output = process.stdout.read(_LONGEST + 1)
            if len(output) > _LONGEST:
                process.kill()
            code = process.wait()
        finally:
            watch.cancel()
        if over.is_set():
            raise ServiceFailure(
                ErrorCode.TIMEOUT,
                f"git has not answered within {_SECONDS:g} s",
                fix="ask for one file, or for a smaller folder",
                details={"operation": operation},
            )
        complaint.seek(0)
        wrong = complaint.read(4096).decode(errors="replace").strip()
        cut = len(output) > _LONGEST
        return output.decode(errors="replace"), wrong, 0 if cut else code


def _first_line(lines: Sequence[str]) -> str:
    return lines[0].removeprefix("fatal: ") if lines else "it gives no reason"


def _unavailable(message: str, operation: str) -> CapabilityUnavailable:
    return CapabilityUnavailable(
        message,
        fix="the folder must lie in a git repository",
        details={"required_capability": "git", "operation": operation},
    )
