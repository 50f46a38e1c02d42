"""What of the files a person has written: what agents may change, and may not take away unasked.

    lost = files.persons.lost(path, before, after)      # ("fn plate",), or () where little goes
    files.persons.left(path, before, after)             # agents have written it so

A file that agents have made, and that is as they left it, is theirs: they may write it anew. Of any other,
the text that stood there before they came is the person's, however many steps they take. Cheap enough to be
asked before every write: below a millisecond for a source of some hundred lines.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from vcad_kernel.paths import own_folder
from vcad_kernel.system.files import replace_files

__all__ = ["KEPT", "PersonsFiles"]

KEPT: Final = "kept"
"""Folder of `.vcad` in which lies what stood in files before agents took something away; none reaches it."""
_MOST_KEPT: Final = 200
_FILES: Final = 500
"""Of which is known how agents left them; the one of longest ago counts as the person's again."""
_HALF: Final = 0.5
"""Share of a text whose loss is an edit; more is the loss of the file."""

_WORD: Final = re.compile(r"[^\s\[\](){}]+|[\[\](){}]+")
_DEFINITION: Final = re.compile(
    r"^\[(?:pub\s+\[?|derive\s+\S+\s+\[?)*(fn|let|type|test|alias|effect|macro|defparam)\s+\[?(\"[^\"\n]*\"|[^\s\[\]]+)",
    re.MULTILINE,
)
"""A form at the margin that defines a name: a part, a test, a parameter."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A file as agents left it."""

    sha256: bytes
    persons: str
    """What stood there before them."""


class PersonsFiles:
    """workspace: whose own folder keeps what was taken away. May be used from several threads."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._left: OrderedDict[Path, _Left] = OrderedDict()
        self._lock = threading.Lock()

    def lost(self, path: Path, before: bytes, after: bytes) -> tuple[str, ...]:
        """What a person has written there and would be gone: definitions by name, or most of the text.

        before: the file as it is now; b"" where there is none.
        """
        persons, now, then = self._persons(path, before), _text(before), _text(after)
        there = _definitions(persons) & _definitions(now)
        gone = sorted(there - _definitions(then))
        if gone:
            return tuple(f"{name} in {path.name}" for name in gone)
        lost = _missing(persons, then)
        most = lost > _HALF * len(_WORD.findall(persons)) and lost > _missing(persons, now)
        return (f"most of {path.name}",) if most else ()

    def overwritten(self, path: Path) -> tuple[str, ...]:
        """What would be gone if a file were written whole, whatever it holds: () for one that agents made."""
        try:
            with path.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").digest()
        except OSError:
            return ()
        with self._lock:
            known = self._left.get(path)
        made_by_agents = known is not None and known.sha256 == sha256 and not known.persons
        return () if made_by_agents else (f"what {path.name} holds now",)

    def is_of_agents(self, path: Path, now: bytes) -> bool:
        """Whether agents have left a file as it is."""
        with self._lock:
            known = self._left.get(path)
        return known is not None and known.sha256 == hashlib.sha256(now).digest()

    def left(self, path: Path, before: bytes, after: bytes) -> None:
        """Agents have written a file. before: as it was; b"" where there was none."""
        self._note(path, _Left(hashlib.sha256(after).digest(), self._persons(path, before)))

    def made(self, path: Path) -> None:
        """Agents have had a file made by others: an export."""
        with path.open("rb") as file:
            self._note(path, _Left(hashlib.file_digest(file, "sha256").digest(), ""))

    def keep(self, path: Path, before: bytes) -> Path:
        """Keep what stands in a file before something of it goes. Raises: OSError.

        Returns: where, below `.vcad/kept`; the latest two hundred stay.
        """
        folder = own_folder(self._workspace) / KEPT
        folder.mkdir(exist_ok=True)
        kept = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{path.name}"
        replace_files({kept: before})
        for old in sorted(folder.iterdir())[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)
        return kept

    def _persons(self, path: Path, now: bytes) -> str:
        """What of a file is the person's: all of it, unless agents left it as it is."""
        with self._lock:
            known = self._left.get(path)
        if known is not None and known.sha256 == hashlib.sha256(now).digest():
            return known.persons
        return _text(now)

    def _note(self, path: Path, left: _Left) -> None:
        with self._lock:
            self._left[path] = left
            self._left.move_to_end(path)
            if len(self._left) > _FILES:
                self._left.popitem(last=False)


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def _definitions(text: str) -> set[str]:
    return {f"{kind} {name}" for kind, name in _DEFINITION.findall(text)}


def _missing(text: str, other: str) -> int:
    """How many words of a text another one lacks, each as often as it is there."""
    lines, others = Counter(text.splitlines()), Counter(other.splitlines())
    # what stands in lines of both cancels out, and need not be looked at
    own, there = (
        Counter(word for line in side.elements() for word in _WORD.findall(line))
        for side in (lines - others, others - lines)
    )
    return (own - there).total()
