"""What a person is asked about: a call of a tool, how risky it is, and what it would change.

Approval knows no more of a tool than `ApprovableTool` has;
what tools do is the business of `notebook_ext.agents`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["ApprovableTool", "Preview", "Risk"]

Risk: TypeAlias = Literal["R", "W", "D", "X"]
"""R reads; W writes with undo; D destroys or is hard to undo; X runs any code or leaves the workspace."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a call would do, for the person who is asked."""

    diff: str = ""
    """Unified diff of the text that would change; "" where none does."""
    objects: tuple[str, ...] = ()
    """Names of what would be changed or removed."""
    summary: str = ""
    """One sentence, where neither says it."""
    paths: tuple[str, ...] = ()
    """Files that would be written, absolute: the policy reads from these whether they are the model's own."""
    code: str = ""
    """The very text that would be run."""
    picture: Callable[[], bytes | None] | None = None
    """Draws what the geometry would be, as PNG; called only where a person is asked. None: nothing to see."""


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
        """Of its calls, unless `risk_of` says otherwise."""

    @property
    def risk_of(self) -> Callable[[Any], Risk] | None:
        """arguments → the risk of this very call, where it depends on them."""

    @property
    def arguments(self) -> type[BaseModel]:
        """What it is called with."""

    @property
    def affects(self) -> Callable[..., Preview] | None:
        """What says beforehand what a call would change; None where nothing can."""
