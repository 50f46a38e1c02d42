"""What is made of a project's modules: once each, and again when their files, or those of modules that
they use, have changed.

Running programs and checking them both work this way; this module knows neither, only the order: what a
module uses comes before the module itself, and never in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from vcad_kernel.errors import LoonError, LoonRuntimeError, VcadError
from vcad_kernel.loon.modules.modules import ModuleFile, Project, module_fault
from vcad_kernel.loon.program.program import Program
from vcad_kernel.loon.source import Source

__all__ = ["Loaded", "Loading"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Loaded(Generic[T]):
    """A module and what was made of it."""

    file: ModuleFile
    content: T
    uses: tuple[tuple[str, Loaded[T]], ...]
    """The modules that it uses, by the names that it calls them."""


class Loading(Generic[T]):
    """One pass over the modules of a project, which sees one state of the files.

    project: where files are, None where there are none; kept: what earlier passes made, by path, and gains
    what this one makes; compiled: a text made ready to run; make: makes something of a module's program,
    for which it may ask for further modules.
    """

    def __init__(
        self,
        project: Project | None,
        kept: dict[Path, Loaded[T]],
        compiled: Callable[[Source], Program],
        make: Callable[[Program, ModuleFile], T],
    ) -> None:
        self._project = project
        self._kept = kept
        self._compiled = compiled
        self._make = make
        self._current: dict[Path, bool] = {}
        """Whether what is kept of a module is what the files say, where this pass has looked."""
        self._failures: dict[Path, VcadError] = {}
        """Modules that nothing could be made of: asked for again, they fail as before."""
        self.used: list[Loaded[T]] = []
        """What was asked for by no module, but by who makes this pass."""
        self._under_way: list[ModuleFile] = []
        self._uses: list[list[tuple[str, Loaded[T]]]] = []
        """Of each module that is under way, what it has used so far."""

    def load(self, name: str, folder: Path | None) -> Loaded[T]:
        """The module that ``use name`` means in a file of ``folder``; the project's own for None.

        Raises: LoonRuntimeError E0500 or E0502; whatever making something of the module raises.
        """
        if self._project is None:
            raise module_fault(
                "E0500", f"there is no module {name}", why="this text belongs to no folder with files"
            )
        file = self._project.find(name, folder or self._project.root)
        if any(file.path == loaded.path for loaded in self._under_way):
            raise _circle(name, self._under_way, file)
        loaded = self._kept.get(file.path)
        if loaded is None or not self._is_current(loaded, file):
            loaded = self._made(name, file)
        if self._uses:
            self._uses[-1].append((name, loaded))
        else:
            self.used.append(loaded)
        return loaded

    def _is_current(self, loaded: Loaded[T], file: ModuleFile) -> bool:
        """Whether a module, found as ``file``, and those it uses are what their files say now."""
        verdict = self._current.get(file.path)
        if verdict is None:
            folder = file.path.parent
            verdict = loaded.file == file and all(
                self._finds(name, folder, used) for name, used in loaded.uses
            )
            self._current[file.path] = verdict
        return verdict

    def _finds(self, name: str, folder: Path, used: Loaded[T]) -> bool:
        """Whether a name means a module that is kept, as it is kept."""
        assert self._project is not None
        try:
            file = self._project.find(name, folder)
        except LoonRuntimeError:
            return False  # modules that use it are loaded again, and will say so
        return self._kept.get(file.path) is used and self._is_current(used, file)

    def _made(self, name: str, file: ModuleFile) -> Loaded[T]:
        program = self._program(name, file)
        if file.path in self._failures:
            raise self._failures[file.path]
        self._under_way.append(file)
        self._uses.append([])
        try:
            loaded = Loaded(file, self._make(program, file), tuple(self._uses[-1]))
        except VcadError as error:
            self._failures[file.path] = error
            raise
        finally:
            self._under_way.pop()
            self._uses.pop()
        self._kept[file.path] = loaded
        self._current[file.path] = True
        return loaded

    def _program(self, name: str, file: ModuleFile) -> Program:
        try:
            return self._compiled(Source(file.name, file.text))
        except LoonError as error:
            raise _unreadable(name, error) from None


def _circle(name: str, under_way: Sequence[ModuleFile], file: ModuleFile) -> LoonRuntimeError:
    """E0502 for a module that is asked for while it is being loaded itself."""
    names = [module.name for module in under_way]
    way = " → ".join([*names[names.index(file.name) :], file.name])
    return module_fault(
        "E0502",
        f"the module {name} is still being loaded: {way}",
        why="modules that use each other would each need the other first",
        fix="move what both need into a third module",
    )


def _unreadable(name: str, error: LoonError) -> LoonRuntimeError:
    """E0500 for a module whose text cannot be read or expanded."""
    place = error.place
    where = f"{place.file}:{place.line}:{place.column}: " if place is not None else ""
    return module_fault(
        "E0500",
        f"the module {name} cannot be used: it has a mistake of its own",
        why=f"{where}[{error.code}] {error.message}",
        fix=error.fix,
    )
