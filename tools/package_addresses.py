"""What a package says of where it comes from: its addresses, and a README with whole ones in its links.

A metadata hook of Hatchling's. The address of the repository stands nowhere in it, for it may move and be
forked: it is that of the clone which a package is built from, the remote ``origin``, or what VCAD_REPOSITORY
says. A source distribution, which is no clone, has it in its PKG-INFO. Where there is none, the package names
no addresses, and its README is as it is here.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["Addresses", "addresses", "repository", "whole"]

_REMOTE = re.compile(
    r"(?:git@|(?:ssh|https?)://(?:[^@/]+@)?)(?P<host>[\w.-]+\.[a-z]+)(?::\d+)?[:/](?P<path>.+?)(?:\.git)?/?$"
)
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<path>[^)\s]+)\)")


def repository(root: Path, variables: Mapping[str, str] = os.environ) -> str | None:
    """The address of the repository that a folder is of, for people: ``https://…``, no slash at its end."""
    if given := variables.get("VCAD_REPOSITORY", "").strip():
        return given.rstrip("/")
    if (root / "PKG-INFO").is_file():
        metadata = HeaderParser().parsestr((root / "PKG-INFO").read_text(encoding="utf-8"))
        named = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))
        return named.get("Source")
    command = ("git", "-C", str(root), "remote", "get-url", "origin")
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:  # there is no git
        return None
    remote = _REMOTE.fullmatch(said)
    return None if remote is None else f"https://{remote['host']}/{remote['path']}"


def addresses(base: str) -> dict[str, str]:
    """Project URLs by their well-known names."""
    return {
        "Source": base,
        "Documentation": _file(base, "blob", "docs/guide.md"),
        "Changelog": _file(base, "blob", "CHANGELOG.md"),
        "Issues": f"{base}/issues",
        "Security": _file(base, "blob", "SECURITY.md"),
    }


def whole(text: str, base: str) -> str:
    """A page of the repository's root with each picture and link to its files by its whole address."""

    def address(link: re.Match[str]) -> str:
        where = _file(base, "raw" if link["picture"] else "blob", link["path"])
        return f"{link['picture']}[{link['text']}]({where})"

    return _LINK.sub(address, text)


def _file(base: str, kind: str, path: str) -> str:
    """A file of the newest state, as GitHub and GitLab address it. kind: ``raw``, or ``blob`` for a page."""
    return f"{base}{'/-' if 'gitlab' in base else ''}/{kind}/HEAD/{path}"


class Addresses(MetadataHookInterface):
    """Fills in ``urls`` and ``readme``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by Hatchling with what pyproject.toml says."""
        root = Path(self.root)
        base = repository(root)
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": text if base is None else whole(text, base),
        }
        if base is not None:
            metadata["urls"] = addresses(base)
