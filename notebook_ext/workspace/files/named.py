"""The files that a script names: a yes to run it is a yes to these as they stand now.

    named_files("cd parts && bash build.oo", folder, gate)    # (("parts/build.oo", "9f86…"),)

Looked for in the words of the text, seen from its folder, from the workspace and from each folder that it
names, and in the texts of the files found, in turn. A name that is put together only while the script runs is
not found: the person reads the script.
"""

from __future__ import annotations

import hashlib
import re
from itertools import islice
from pathlib import Path
from typing import Final

from notebook_ext.workspace.files.gate import FileGate
from vcad_kernel.errors import VcadError

__all__ = ["named_files"]

_MOST: Final = 64
"""Files and folders."""
_WORDS: Final = 4000
"""Words of one text that are tried."""
_WORD: Final = re.compile(r"[^\s'\"`;|&<>(){}$=,]+")
_ENTRIES: Final = 2000
"""Files and folders that a pattern is held against."""
_OPERATION: Final = "named_files"
_GLOB: Final = frozenset("*?[")


def named_files(text: str, folder: Path, files: FileGate) -> tuple[tuple[str, str], ...]:
    """Each file that a text names, from the workspace, with its SHA-256; sorted by name.

    folder: in which it runs.
    """
    contents: dict[Path, bytes] = {}
    bases = [folder, files.workspace]
    texts = [text]
    while texts:
        for word in _WORD.findall(texts.pop())[:_WORDS]:
            for base in tuple(bases):
                for path in _meant(base, word, files):
                    if len(contents) + len(bases) >= _MOST:
                        break
                    if path.is_dir():
                        if path not in bases:
                            bases.append(path)
                    elif path not in contents:
                        content = _content(path, files)
                        if content is not None:
                            contents[path] = content
                            texts.append(content.decode("utf-8", "replace"))
    digests = {files.shown(path): hashlib.sha256(content).hexdigest() for path, content in contents.items()}
    return tuple(sorted(digests.items()))


def _meant(base: Path, word: str, files: FileGate) -> list[Path]:
    """What of the workspace a word may mean, seen from a folder."""
    if _GLOB & set(word):
        try:
            there = islice(files.below(base, operation=_OPERATION), _ENTRIES)
            return [entry.path for _, entry in there if entry.path.match(word)][:_MOST]
        except (VcadError, ValueError):
            return []
    try:
        path = (base / word).resolve()
        is_there = path.exists() and path.is_relative_to(files.workspace) and path != files.workspace
    except (OSError, ValueError, RuntimeError):
        return []
    return [path] if is_there and files.allows(path) else []


def _content(path: Path, files: FileGate) -> bytes | None:
    try:
        return files.read(path, operation=_OPERATION)
    except VcadError:  # no ordinary file, or a very large one: nothing that an agent has written
        return None
