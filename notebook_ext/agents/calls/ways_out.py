"""What an error says is to be done, to a client that is shown some of the tools only.

A fix is a sentence, or several with semicolons between them; each stands alone. One that names a tool which a
client is not shown is left out for it. So a fix also says what any client can do; a test
goes over all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from notebook_ext.agents import registry

__all__ = ["sentences", "tools_in", "with_tools"]

_NAME: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def with_tools(fix: str, shown: Collection[str]) -> str:
    """A fix without the sentences that name other tools than these; whole where nothing would be left."""
    if not _NAME.search(fix):
        return fix
    kept = [sentence for sentence in sentences(fix) if tools_in(sentence) <= set(shown)]
    return "; ".join(kept) or fix


def sentences(fix: str) -> list[str]:
    """Its sentences."""
    return fix.split("; ")


def tools_in(text: str) -> frozenset[str]:
    """The tools that a text names."""
    return frozenset(_NAME.findall(text)) & _all()


@cache
def _all() -> frozenset[str]:
    return frozenset(tool.name for tool in registry.load(("all",)))
