"""Modules at run time: each file is evaluated once in globals of its own, and its exports are bound
where ``use`` asks for them.

A module stays as it is for the length of a run. At the next run it is evaluated again if its text, or
that of a module it uses, is another; functions that were taken in before keep their module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vcad_kernel.errors import LoonSyntaxError, VcadError
from vcad_kernel.loon.imports import Use
from vcad_kernel.loon.modules import ModuleFile, Project, module_fault
from vcad_kernel.loon.names import demangle, is_internal, mangle
from vcad_kernel.loon.program import CodeStep, Program
from vcad_kernel.loon.runtime.module import Module
from vcad_kernel.loon.source import Source

__all__ = ["Linker", "LoadedModule", "Origin", "circle", "unreadable"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The text that defines a name, and what the name is called there."""

    source: Source
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class LoadedModule:
    """A module that has been evaluated."""

    file: ModuleFile
    program: Program
    module: Module
    exports: tuple[str, ...]
    uses: tuple[LoadedModule, ...]


class Linker:
    """The modules of one environment.

    project: where files are, None where there are none; compiled: a text made ready to run; make: fresh
    globals; execute: runs a program in globals, with the folder that its own imports start from.
    """

    def __init__(
        self,
        project: Project | None,
        compiled: Callable[[Source], Program],
        make: Callable[[], Module],
        execute: Callable[[Program, Module, Path], object],
    ) -> None:
        self.project = project
        self._compiled = compiled
        self._make = make
        self._execute = execute
        self._loaded: dict[Path, LoadedModule] = {}
        self._settled: set[Path] = set()
        """Modules that this run has looked at, so that a run sees one state of the files."""
        self._loading: list[ModuleFile] = []
        self._uses: list[list[LoadedModule]] = []

    def begin(self) -> None:
        """A run begins: files may have changed since the last one."""
        self._settled.clear()
        self._loading.clear()
        self._uses.clear()

    @property
    def files(self) -> tuple[ModuleFile, ...]:
        """The files of the modules that are loaded, for who watches them."""
        return tuple(loaded.file for loaded in self._loaded.values())

    def bind(self, use: Use, importer: Module, folder: Path | None) -> Mapping[str, Origin]:
        """Do what a ``use`` says in the globals of ``importer``; the names bound and where they come from.

        folder: of the file that says so; the project's own for a cell.
        Raises: LoonRuntimeError E0500-E0502; whatever evaluating the module raises.
        """
        loaded = self._load(use.module, folder)
        if self._uses:
            self._uses[-1].append(loaded)
        names = use.local_names(loaded.exports)
        for exported, local in names.items():
            importer.globals[mangle(local)] = loaded.module.globals[mangle(exported)]
            if exported in loaded.module.nullary:
                importer.nullary.add(local)
            else:
                importer.nullary.discard(local)
        return {local: Origin(loaded.program.source, exported) for exported, local in names.items()}

    def _load(self, name: str, folder: Path | None) -> LoadedModule:
        if self.project is None:
            raise module_fault(
                "E0500", f"there is no module {name}", why="this text belongs to no folder with files"
            )
        file = self.project.find(name, folder or self.project.root)
        if any(file.path == one.path for one in self._loading):
            raise circle(name, self._loading, file)
        known = self._loaded.get(file.path)
        if known is not None and self._is_current(known, file.text):
            return known
        return self._evaluated(name, file)

    def _is_current(self, loaded: LoadedModule, text: str) -> bool:
        """Whether a module is what its files say now."""
        path = loaded.file.path
        if path in self._settled:
            return True
        if loaded.file.text != text:
            return False
        for used in loaded.uses:
            if self._loaded.get(used.file.path) is not used or not self._is_current(used, self._text(used)):
                return False
        self._settled.add(path)
        return True

    def _text(self, loaded: LoadedModule) -> str:
        assert self.project is not None
        return self.project.text_of(loaded.file.path)

    def _evaluated(self, name: str, file: ModuleFile) -> LoadedModule:
        self._loading.append(file)
        self._uses.append([])
        try:
            program = self._program(name, file)
            module = self._make()
            self._execute(program, module, file.path.parent)
            loaded = LoadedModule(file, program, module, _exports(program, module), tuple(self._uses[-1]))
        finally:
            self._loading.pop()
            self._uses.pop()
        self._loaded[file.path] = loaded
        self._settled.add(file.path)
        return loaded

    def _program(self, name: str, file: ModuleFile) -> Program:
        try:
            return self._compiled(Source(file.name, file.text))
        except LoonSyntaxError as error:
            raise unreadable(name, error) from None


def circle(name: str, loading: Sequence[ModuleFile], file: ModuleFile) -> VcadError:
    """E0502 for a module that is asked for while it is being loaded itself."""
    names = [one.name for one in loading]
    way = " → ".join([*names[names.index(file.name) :], file.name])
    return module_fault(
        "E0502",
        f"the module {name} is still being loaded: {way}",
        why="modules that use each other would each need the other first",
        fix="move what both need into a third module",
    )


def unreadable(name: str, error: VcadError) -> VcadError:
    """E0500 for a module whose text cannot be read or expanded."""
    place = error.place
    where = f"{place.file}:{place.line}:{place.column}: " if place is not None else ""
    return module_fault(
        "E0500",
        f"the module {name} cannot be used: it has a mistake of its own",
        why=f"{where}[{error.code}] {error.message}",
        fix=error.fix,
    )


def _exports(program: Program, module: Module) -> tuple[str, ...]:
    """What a module offers: what it marks ``pub``, else all that it defines."""
    steps = [step for step in program.steps if isinstance(step, CodeStep)]
    marked = [step.exports for step in steps if step.exports is not None]
    if marked:
        names = dict.fromkeys(name for exports in marked for name in exports)
    else:
        names = dict.fromkeys(name for step in steps for name in sorted(step.code.defines))
    bound = {demangle(one) for one in module.globals if not is_internal(one)}
    return tuple(name for name in names if name in bound)
