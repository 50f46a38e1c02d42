"""An environment of Loon: globals, and the running of programs and cells in them.

An Environment holds the globals of a program or of a session of cells. Behind them, in the dict
that Python consults when a global is missing, stand the builtins and the names of libraries; so a
user's definition shadows them, and forgetting it brings them back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from time import perf_counter
from types import FunctionType, MappingProxyType
from typing import Any

from vcad_kernel.errors import LoonError, Place, VcadError
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.diagnostics import Diagnostic
from vcad_kernel.loon.forms.defparam import DECLARE, Declare, default_of
from vcad_kernel.loon.macros import Macro, MacroFault, NotSyntaxError, form_of, value_of
from vcad_kernel.loon.modules.linking import Linker, Module, Origin
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.names import demangle, is_internal, mangle
from vcad_kernel.loon.program.examination import Examined, Examiner, catcher, finding_of, language_of
from vcad_kernel.loon.program.failures import Surroundings, translated
from vcad_kernel.loon.program.library import Library
from vcad_kernel.loon.program.private_names import PrivateNames
from vcad_kernel.loon.program.program import (
    CodeStep,
    MacroRules,
    Program,
    Timings,
    TooNestedError,
    UseStep,
    code_of,
    compiled,
    moved,
)
from vcad_kernel.loon.program.user_globals import Binding, UserGlobals
from vcad_kernel.loon.runtime.builtins.builtins import NULLARY, builtins_for
from vcad_kernel.loon.runtime.effects import fresh_chain
from vcad_kernel.loon.runtime.faults import WrongCount, fault
from vcad_kernel.loon.runtime.limits.limits import DEPTH, STANDARD, Limits, deep_stack, limited
from vcad_kernel.loon.runtime.values import UNIT, UNSET, Keyword
from vcad_kernel.loon.source import Source, SourceName, Span, place_in_code
from vcad_kernel.loon.syntax import Form, ListForm, SetForm, Symbol

__all__ = ["DEPTH", "Environment", "Library", "Timings"]


class Environment:
    """The globals of one program, or of a session of cells.

    prelude: libraries whose names are there from the start; stdout: where prints go; project: the
    folder that ``use`` finds modules in, None where there is none; limits: what one run may use;
    declare: what becomes of the parameters that the program itself declares with ``defparam``.
    """

    def __init__(
        self,
        *,
        prelude: Sequence[Library] = (),
        stdout: Callable[[str], object] | None = None,
        project: Project | None = None,
        limits: Limits = STANDARD,
        declare: Declare = default_of,
    ) -> None:
        self.limits = limits
        """What the next run may use."""
        self._rules = MacroRules(self._run_procedure, limits.macro_expansions)
        self._base = builtins_for(stdout if stdout is not None else _print)
        self._libraries: dict[int, Library] = {}
        nullary = set(NULLARY)
        self.timings = Timings()
        self.program = Program(Source("nothing", ""), (), (), {}, frozenset())
        """What was run last."""
        self.diagnostics: tuple[Diagnostic, ...] = ()
        """What was found in the text that was run last, whether or not it ran to its end."""
        self.last_defined: frozenset[str] = frozenset()
        """The names that the last run defined or redefined."""
        for library in prelude:
            nullary |= self._load(library, nullary)
        self._base[DECLARE] = default_of
        user = Module.make(self._base, nullary, None)
        # In front of the base: modules, which have globals of their own, get their defaults.
        user.globals[DECLARE] = declare
        self._nullary = frozenset(nullary)
        self.last_defined = frozenset()
        language = language_of(tuple(prelude))
        self.user = UserGlobals(user, language)
        """Its globals as hosts see them, what the checker knows of them, and the macros in force."""
        self._examiner = Examiner(language, project, self._compiled_module)
        self._base["$catch_errors"] = catcher(lambda text: self._check(Source("text", text), language, {}))
        self.linker = Linker(project, self._compiled_module, self._fresh_module, self._execute)
        """The module files that are loaded, and those that the last run has used."""

    def _load(self, library: Library, nullary: set[str]) -> set[str]:
        """Run a library in globals of its own and put its names among the builtins."""
        self._base.update((mangle(name), function) for name, function in library.functions.items())
        own = dict(self._base)
        module = Module.make(own, nullary, library)
        source = Source(library.name, library.text, internal=True)
        with deep_stack():
            self._execute(compiled(source, {}, self._rules, self.timings), module)
        own_names, prefixed = _names_of(tuple(module.globals), tuple(library.functions), library.prefix)
        for identifier in own_names:
            value = self._base[identifier] = module.globals[identifier]
            if isinstance(value, FunctionType):
                self._libraries[id(value)] = library
        for identifier, behind in prefixed:
            self._base[identifier] = self._base[behind]
        return module.nullary

    # What is run elsewhere

    def learn(
        self, source: Source, defined: Collection[str] | None = None, *, folder: Path | None = None
    ) -> frozenset[str]:
        """Know of a cell that is run elsewhere what this environment would know had it run it; run nothing.

        defined: the names that the run bound; None = it came to its end. folder: as of `run`.
        Returns: the names that are bound now; none for a text that cannot be read.
        """
        try:
            program, examined = self._examined(source, folder)
        except LoonError:
            return frozenset()
        if defined is None:
            self.user.known = examined.checked.known
        else:
            self.user.known = self._known_so_far(examined, defined)
        own = {name for step in program.steps if isinstance(step, CodeStep) for name in step.code.defines}
        own |= program.defines_macros
        bound = frozenset(own | examined.imported if defined is None else defined)
        self.user.bound_by_user(bound, {name: Origin(source, name) for name in own & bound})
        return bound

    # The pipeline

    def run(
        self,
        source: Source,
        *,
        cell: bool = False,
        folder: Path | None = None,
        private: PrivateNames | None = None,
    ) -> Any:
        """Evaluate a program, or a cell of a session; give its value.

        A program's ``main`` is called at the end, a cell's is not. What was defined before a
        failure stays. folder: where its imports look first, by default the project's own. private: gains
        the names that the text keeps to itself, which mean nothing afterwards but to its own functions.
        Raises: LoonError, with place and calls; GeometryError and others of VcadError that host
        functions raise.
        """
        self.timings = Timings()
        self.last_defined = frozenset()
        self.diagnostics = ()
        with deep_stack():
            program, examined = self._examined(source, folder)
            self.program = program
            self.last_defined = program.defines_macros
            self.diagnostics = examined.diagnostics
            known = None
            try:
                value = self._run(program, folder, call_main=not cell, private=private)
                known = examined.checked.known
                if private is not None:
                    known = known.without(private.names)
                    for name in private.names:
                        known = known.with_definitions(self.user.known.own.of(name))
            finally:
                # Also when a failure or an interrupt ends the run before the text does.
                self.user.known = known or self._known_so_far(examined, self.last_defined)
            return value

    def _examined(self, source: Source, folder: Path | None) -> tuple[Program, Examined]:
        """A text made ready to run, its macros in force, and what the checker says of it."""
        with deep_stack():
            macros = self.user.macros
            try:
                program = limited(self.limits, lambda: compiled(source, macros, self._rules, self.timings))
            except LoonError as stopped:
                # its time was up before any of it ran
                stopped.place = stopped.place or Span(source, 0, 0).place()
                raise
            self.user.macros = dict(program.macros)
            self.user.origins.update((name, Origin(source, name)) for name in program.defines_macros)
            started = perf_counter()
            examined = self._examiner.check(program, self.user.known, folder)
            self.timings.check = perf_counter() - started
            return program, examined

    def check(
        self,
        source: Source,
        *,
        folder: Path | None = None,
        without: Mapping[str, Binding | None] = MappingProxyType({}),
        given: Mapping[str, object] = MappingProxyType({}),
    ) -> tuple[Diagnostic, ...]:
        """What is wrong, or may be, with a text that would be run now; nothing is run or changed.

        without: definitions that would be taken back first, and what would then be back.
        given: values that would be bound first.
        May be called from any thread, also during a run.
        """
        known = self.user.known.without(without)
        for behind in without.values():
            if behind is not None:
                known = known.with_definitions(behind.known)
        for name, value in given.items():
            known = known.with_value(name, value)
        macros = {name: macro for name, macro in dict(self.user.macros).items() if name not in without}
        macros |= {name: back.macro for name, back in without.items() if back is not None and back.macro}
        return self._check(source, known, macros, folder)

    def _check(
        self, source: Source, known: Known, macros: dict[str, Macro], folder: Path | None = None
    ) -> tuple[Diagnostic, ...]:
        try:
            with deep_stack():
                program = compiled(source, macros, self._rules, Timings())
                return self._examiner.check(program, known, folder).diagnostics
        except LoonError as error:
            return (finding_of(source, error),)

    def _known_so_far(self, examined: Examined, bound: Collection[str]) -> Known:
        """What is known when a run has ended early: of its text, the names that it had bound by then."""
        own = examined.checked.known.own
        return self.user.known.with_definitions(own.without(set(own.schemes) - set(bound)))

    def call(self, function: Callable[..., Any], arguments: Sequence[object]) -> Any:
        """Call a Loon function from outside.

        Raises: as run.
        """
        return self._guarded(lambda: function(*arguments))

    def _compiled_module(self, source: Source) -> Program:
        """The program of a module: macros are local to the file that defines them."""
        return compiled(source, {}, self._rules, self.timings)

    def _fresh_module(self) -> Module:
        return Module.make(self._base, self._nullary, None)

    def _run(
        self, program: Program, folder: Path | None, *, call_main: bool, private: PrivateNames | None = None
    ) -> Any:
        """Run the user's own program and note what it defines, also when it fails or is stopped."""
        defined: dict[str, Origin] = {}
        if private is not None:
            private.begin(program, self.user.module.globals, self.user.covers)

        def whole() -> Any:
            value = self._execute(program, self.user.module, folder, defined, private)
            main = self.user.module.globals.get("main")
            if call_main and isinstance(main, FunctionType) and _is_loon(main):
                value = _main_value(main)
            return value

        self.linker.begin()
        try:
            return self._guarded(whole)
        finally:
            bound = self.user.module.globals
            present = {name: definition for name, definition in defined.items() if mangle(name) in bound}
            self.last_defined |= present.keys()
            self.user.bound_by_user(present, present)

    def _guarded(self, work: Callable[[], Any]) -> Any:
        """Run Loon code and turn what goes wrong into the user's errors."""
        started = perf_counter()
        before = fresh_chain()
        failure: VcadError | None = None
        try:
            return limited(self.limits, work)
        except (VcadError, NameError, TypeError, RecursionError, MemoryError, WrongCount) as error:
            failure = translated(error, self._surroundings())
            if failure is None:
                raise
        finally:
            fresh_chain(*before)
            self.timings.run = perf_counter() - started
        # Raised out here, so that it does not keep the frames of the failed run alive.
        raise failure.with_traceback(None)

    def _execute(
        self,
        program: Program,
        module: Module,
        folder: Path | None = None,
        defined: dict[str, Origin] | None = None,
        private: PrivateNames | None = None,
    ) -> Any:
        """Run a program's steps in globals; ``defined`` gains the names that they may have bound.

        folder: where its imports look first; the project's own for None. private: names that are not bound as
        they are; those from modules are, and are there for the text's own functions besides.
        """
        value: Any = UNIT
        for step in program.steps:
            if isinstance(step, UseStep):
                names = self._import(step, module, folder)
                if defined is not None:
                    defined.update(names)
                if private is not None:
                    private.copy(names, module.globals)
                continue
            code, defines = step.code.code, step.code.defines
            if private is not None:
                code, defines = private.code(code), defines - private.names
            if defined is not None:
                defined.update((name, Origin(program.source, name)) for name in defines)
            for name in step.code.keywords:
                module.base.setdefault(":" + name, Keyword(name))
            value = FunctionType(code, module.globals)()
        return value

    def _import(self, step: UseStep, module: Module, folder: Path | None) -> Mapping[str, Origin]:
        try:
            return self.linker.bind(step.use, module, folder)
        except VcadError as error:
            if error.place is None and error.details.get("class") == "module":
                error.place = step.span.place()
            raise

    def _run_procedure(self, macro: Macro, arguments: Sequence[Form], call: Form) -> Form:
        """Run a procedural macro: its body as a function of syntax values, with the builtins alone."""
        names = [*macro.parameters, *(["&", macro.rest] if macro.rest is not None else [])]
        extent = (call.start, call.end)
        parameters = ListForm(*extent, tuple(Symbol(*extent, name) for name in names))
        head = (Symbol(*extent, "fn"), parameters, SetForm(*extent, (Symbol(*extent, "IO"),)))
        environment = Environment(stdout=lambda _: None, limits=self.limits)
        source = Source(f"macro {macro.name}", "")
        try:
            codes = code_of("", 1, (macro, "procedure"), (ListForm(*extent, (*head, *macro.body)),))
            step = CodeStep(moved(codes[0], 1, source.tag), None)
            program = Program(source, (), (step,), {}, frozenset())
            function = environment._run(program, None, call_main=False)
            given = [value_of(form) for form in arguments]
            if macro.rest is None:
                given = given[: len(macro.parameters)]
            result = environment.call(function, given)
        except (VcadError, TooNestedError) as error:
            message = error.message if isinstance(error, VcadError) else "it nests too deep"
            raise MacroFault(f"the macro {macro.name} failed: {message}", call) from None
        try:
            return form_of(result, *extent)
        except NotSyntaxError:
            raise MacroFault(f"the macro {macro.name} gave a value that is no code", call) from None

    def _surroundings(self) -> Surroundings:
        def lookup(name: str) -> Any:
            value = self.user.find(name)
            return None if value is UNSET else value

        def findings(source: Source) -> tuple[Diagnostic, ...]:
            return self._check(source, self.user.known, self.user.macros)

        def bound_in(name: str) -> str:
            steps = (step for step in self.program.steps if isinstance(step, CodeStep))
            origin = self.user.origins.get(name)
            own = any(name in step.code.defines for step in steps)
            return "" if origin is None or own else str(origin.source.name)

        return Surroundings(
            lookup,
            self.user.names,
            self._library_complaint,
            findings,
            bound_in,
            self.user.known.qualified,
        )

    def _library_complaint(
        self, function: Any, name: str, expected: int, given: int, place: Place | None
    ) -> VcadError | None:
        library = self._libraries.get(id(function))
        if library is None or library.arity_error is None:
            return None
        return library.arity_error(name, expected, given, place)


@cache
def _names_of(
    bound: tuple[str, ...], functions: tuple[str, ...], prefix: str
) -> tuple[list[str], list[tuple[str, str]]]:
    """Which globals of a library are names of Loon, and its prefixed names with those that they stand for.

    A process has few libraries, and loads each for every program anew.
    """
    own = [identifier for identifier in bound if not is_internal(identifier)]
    names = [*functions, *map(demangle, own)] if prefix else []
    return own, [(mangle(f"{prefix}.{name}"), mangle(name)) for name in names]


def _print(text: str) -> None:
    sys.stdout.write(text)


def _is_loon(function: FunctionType) -> bool:
    return isinstance(function.__code__.co_filename, SourceName)


def _main_value(main: FunctionType) -> Any:
    """Call ``main``; when it wants arguments, its definition is the place to show."""
    code = main.__code__
    if code.co_argcount:
        error = fault("arity", f"main is called without arguments, but takes {code.co_argcount}")
        error.place = place_in_code(code, 0)
        raise error
    return main()
