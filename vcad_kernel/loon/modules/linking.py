"""Modules at run time: each file is evaluated once in globals of its own, and its exports are bound
where ``use`` asks for them.

A module stays as it is for the length of a run. At the next run it is evaluated again if its text, or
that of a module it uses, is another; functions that were taken in before keep their module.

Python looks for a name in a function's globals, then in its builtins. The globals here are what the
program binds and the support that belongs to it; the builtins are a dict of ours that holds the
language's builtins and the names of libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vcad_kernel.loon.forms.use import Use
from vcad_kernel.loon.modules.loading import Loaded, Loading
from vcad_kernel.loon.modules.modules import ModuleFile, Project
from vcad_kernel.loon.names import demangle, is_internal, mangle
from vcad_kernel.loon.program.program import CodeStep, Program
from vcad_kernel.loon.runtime.adts import USER_MARK
from vcad_kernel.loon.runtime.support import support_for
from vcad_kernel.loon.source import Source

__all__ = ["Linker", "Module", "Origin"]


@dataclass(slots=True)
class Module:
    """Globals that code runs in, and what belongs to them."""

    globals: dict[str, Any]
    base: dict[str, Any]
    nullary: set[str]
    methods: dict[str, dict[str, Callable[..., Any]]] = field(default_factory=dict)

    @classmethod
    def make(cls, base: dict[str, Any], nullary: Iterable[str], home: object | None) -> Module:
        """Empty globals in front of ``base``; user code has no home library."""
        scope: dict[str, Any] = {"__name__": "loon", "__builtins__": base}
        if home is None:
            scope[USER_MARK] = True
        module = cls(scope, base, set(nullary))
        scope.update(support_for(scope, base, nullary=module.nullary, methods=module.methods, home=home))
        return module


@dataclass(frozen=True, slots=True)
class Origin:
    """The text that defines a name, and what the name is called there."""

    source: Source
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluated:
    """A module that has run."""

    source: Source
    module: Module
    exports: tuple[str, ...]


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
        self._project = project
        self._compiled = compiled
        self._make = make
        self._execute = execute
        self._kept: dict[Path, Loaded[_Evaluated]] = {}
        self.begin()

    def begin(self) -> None:
        """A run begins: files may have changed since the last one."""
        self._loading = Loading(self._project, self._kept, self._compiled, self._evaluated)

    @property
    def files(self) -> tuple[ModuleFile, ...]:
        """The files of the modules that are loaded."""
        return tuple(loaded.file for loaded in self._kept.values())

    @property
    def used(self) -> tuple[ModuleFile, ...]:
        """The files of the modules that the last run has used, after those of the modules that they use."""
        used: dict[Path, ModuleFile] = {}

        def take(loaded: Loaded[_Evaluated]) -> None:
            if loaded.file.path not in used:
                for _, deeper in loaded.uses:
                    take(deeper)
                used[loaded.file.path] = loaded.file

        for loaded in self._loading.used:
            take(loaded)
        return tuple(used.values())

    def bind(self, use: Use, importer: Module, folder: Path | None) -> Mapping[str, Origin]:
        """Do what a ``use`` says in the globals of ``importer``; the names bound and where they come from.

        folder: of the file that says so; the project's own for a cell.
        Raises: LoonRuntimeError E0500-E0502; whatever evaluating the module raises.
        """
        used = self._loading.load(use.module, folder).content
        names = use.local_names(used.exports)
        for exported, local in names.items():
            importer.globals[mangle(local)] = used.module.globals[mangle(exported)]
            if exported in used.module.nullary:
                importer.nullary.add(local)
            else:
                importer.nullary.discard(local)
        return {local: Origin(used.source, exported) for exported, local in names.items()}

    def _evaluated(self, program: Program, file: ModuleFile) -> _Evaluated:
        module = self._make()
        self._execute(program, module, file.path.parent)
        return _Evaluated(program.source, module, _exports(program, module))


def _exports(program: Program, module: Module) -> tuple[str, ...]:
    """What a module offers, of what it has bound."""
    steps = (step for step in program.steps if isinstance(step, CodeStep))
    defined = dict.fromkeys(name for step in steps for name in sorted(step.code.defines))
    bound = {demangle(identifier) for identifier in module.globals if not is_internal(identifier)}
    return tuple(name for name in program.exports(defined) if name in bound)
