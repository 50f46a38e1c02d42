"""What an analysis knows about the world outside the text.

The analysis itself knows one text. Builtins, a library, the definitions of a session and the modules of
a project come from the caller: a kernel, the prompt, the language server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from vcad_kernel.loon.reference import Entry

__all__ = ["Knowledge", "KnownEntries"]


class Knowledge(Protocol):
    """What is bound outside the text."""

    def entries(self) -> Mapping[str, Entry]:
        """Every name that the text can use without defining it: name → what there is to say."""

    def modules(self) -> Sequence[str]:
        """The names that ``use`` could take, as it writes them."""

    def exports(self, module: str) -> Mapping[str, Entry]:
        """What a module exports, by its own names; empty when there is no such module."""


@dataclass(frozen=True, slots=True)
class KnownEntries:
    """A fixed set of entries, and optionally modules with what they export."""

    known: Mapping[str, Entry] = field(default_factory=dict)
    known_modules: Mapping[str, Mapping[str, Entry]] = field(default_factory=dict)

    def entries(self) -> Mapping[str, Entry]:
        """The entries given."""
        return self.known

    def modules(self) -> Sequence[str]:
        """The names of the modules given."""
        return tuple(self.known_modules)

    def exports(self, module: str) -> Mapping[str, Entry]:
        """The entries given for a module."""
        return self.known_modules.get(module, {})
