"""Fetches the programs of npm that the tests speak with: ``python -m tools.npm_peers``.

They are foreign clients of what we serve, written by others and in another language: a test that only
speaks with our own side finds out whether both sides agree, not whether either is right. Which ones, and
which versions, is said by ``tests/peers_npm/package.json``. A step of its own, which tests never take: they
reach nothing outside of the machine. Does nothing while what is wanted is there.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from tools.build_front_ends import Node, find_node

__all__ = ["PEERS", "fetch", "program", "script"]

PEERS = Path(__file__).parents[1] / "tests" / "peers_npm"

_MANIFESTS = ("package.json", ".npmrc")
_DIGEST = "manifests.sha256"
"""Among the packages, the digest of what asked for them."""


def fetch() -> bool:
    """Fetch them unless they are there; says whether there was anything to do.

    Raises: SystemExit with a sentence when Node is missing or npm fails.
    """
    if _is_fetched():
        return False
    node = find_node()
    if node is None:
        raise SystemExit(
            "the tests' npm programs need Node.js 20.19 or 22.12 or newer, and none was found\n"
            "  `python -m tools.build_front_ends` installs one from PyPI"
        )
    print("fetching the npm programs that the tests speak with")
    _install(node)
    (PEERS / "node_modules" / _DIGEST).write_text(_wanted())
    return True


def program(name: str) -> list[str] | None:
    """The beginning of a command line that runs one of them; None where they are not fetched."""
    node = find_node()
    if node is None or not _is_fetched():
        return None
    return [*node.node, str(PEERS / "node_modules" / ".bin" / name)]


def script(name: str) -> list[str] | None:
    """The command line of a script of ours that uses them; None where they are not fetched."""
    node = find_node()
    return None if node is None or not _is_fetched() else [*node.node, str(PEERS / name)]


def _is_fetched() -> bool:
    note = PEERS / "node_modules" / _DIGEST
    return note.is_file() and note.read_text() == _wanted()


def _wanted() -> str:
    digest = hashlib.sha256()
    for name in _MANIFESTS:
        digest.update((PEERS / name).read_bytes())
    return digest.hexdigest()


def _install(node: Node) -> None:
    # npm's programs look for the same Node on PATH
    path = os.pathsep.join([str(Path(node.node[0]).parent), os.environ.get("PATH", os.defpath)])
    command = [*node.npm, "install", "--no-save", "--loglevel=error"]
    done = subprocess.run(command, cwd=PEERS, env=os.environ | {"PATH": path}, check=False)
    if done.returncode:
        raise SystemExit(f"fetching the tests' npm programs failed in: {' '.join(command)}")


if __name__ == "__main__":
    fetch()
