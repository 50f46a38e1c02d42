"""What a person is asked about: a call of a tool, how risky it is, and what it would change.

Approval knows no more of a tool than `ApprovableTool` has;
what tools do is the business of `notebook_ext.agents`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

__all__ = ["ApprovableTool", "Preview", "Risk", "class_of"]

Risk: TypeAlias = Literal["R", "W", "D", "X"]
"""R reads; W writes with undo; D destroys or is hard to undo; X runs any code or leaves the workspace.

A call's is that of what it would do: see `class_of`.
"""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do, for the person who is asked."""

    diff: str = ""
    """Unified diff of the text that would change; "" where none does."""
    objects: tuple[str, ...] = ()
    """Names of what would be changed or removed."""
    summary: str = ""
    """One sentence, where neither says it."""
    takes_away: tuple[str, ...] = ()
    """What would be gone, taken back or left out: with any of it a call is of class D, whatever its tool."""
    undo: str = ""
    """How it can be undone, as one sentence."""
    is_proposal: bool = False
    """Whether the person is asked in any case, and takes it or not."""
    digests: tuple[tuple[str, str], ...] = ()
    """Files and cells that it reads or runs, each with the SHA-256 of what stands there."""
    paths: tuple[str, ...] = ()
    """Files that would be written, absolute: the policy reads from these whether they are the model's own."""
    code: str = ""
    """The very text that would be run."""
    picture: Callable[[], bytes | None] | None = None
    """Draws what the geometry would be, as PNG; called only where a person is asked. None: nothing to see."""
    while_asked: Callable[[], AbstractContextManager[object]] = nullcontext
    """Entered while a person is asked; does not wait."""


class ApprovableTool(Protocol):
    """What approval reads of a tool."""

    @property
    def name(self) -> str:
        """As it is called."""

    @property
    def pack(self) -> str:
        """The pack that it belongs to."""

    @property
    def risk(self) -> Risk:
        """Of its calls that take nothing away."""

    @property
    def affects(self) -> Callable[..., Preview] | None:
        """What says beforehand what a call would change; None where nothing can."""

    def check(self, raw: Mapping[str, Any], /) -> object:
        """See that it can be called with these arguments. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""


def class_of(tool: ApprovableTool, effect: Preview | None) -> Risk:
    """The class of one call, by what it would do to what stands there now.

    effect: from the state before and the state that would be; None where it is not known, as of a tool that
    only reads.
    """
    return "D" if tool.risk == "W" and effect is not None and effect.takes_away else tool.risk
