"""What the checker finds in the text of a file, in whichever editor it is open; nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from vcad_kernel.cad.imports import checked
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

__all__ = ["FileFindings"]


class FileFindings:
    """read: gives the text of an imported file, as of `Project`."""

    def __init__(self, read: Callable[[Path], str] | None = None) -> None:
        self._read = read
        self._environments: dict[Path | None, Environment] = {}

    def of(self, name: str, text: str, folder: Path | None, root: Path | None) -> tuple[Diagnostic, ...]:
        """What is wrong with a text, or may be.

        name: what errors call it. folder: where its imports look first. root: of its project; None of both
        for a text that is no file.
        """
        environment = self._environments.get(root)
        if environment is None:
            project = Project(root, read=self._read) if root is not None else None
            environment = Environment(prelude=PRELUDE, stdout=_silence, project=project)
            self._environments[root] = environment
        return checked(Source(name, text), partial(environment.check, folder=folder))


def _silence(text: str) -> None:
    """A macro that prints while it is expanded prints nowhere: standard output may carry a protocol."""
    del text
