"""``%loon_explain``: one lesson, or the list of them, in plain text and in markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vcad_kernel.loon.lessons import Lesson

__all__ = ["LessonList", "LessonView"]


class LessonView:
    """A lesson to read."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson

    def __repr__(self) -> str:
        """The lesson as its author wrote it: markdown is meant to be read as it is, too."""
        return f"[{self.lesson.code}] {self.lesson.title}\n\n{self.lesson.text.strip()}"

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, str]:
        heading = f"#### {self.lesson.code}: {self.lesson.title}"
        return {"text/plain": repr(self), "text/markdown": f"{heading}\n\n{self.lesson.text}"}


class LessonList:
    """All codes and their titles."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self.lessons = lessons

    def __repr__(self) -> str:
        width = max(len(lesson.code) for lesson in self.lessons)
        return "\n".join(f"{lesson.code.ljust(width)}  {lesson.title}" for lesson in self.lessons)

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, str]:
        rows = "\n".join(f"| `{lesson.code}` | {lesson.title} |" for lesson in self.lessons)
        return {"text/plain": repr(self), "text/markdown": f"| code | |\n|---|---|\n{rows}\n"}
