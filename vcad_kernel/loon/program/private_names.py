"""Names that a text keeps to itself: bound under identifiers that only its own code knows.

    private = PrivateNames("cell 3", frozenset({"elbow"}))
    code = private.code(step.code)      # binds and looks up `helper` as ``helper$own:cell 3``

A function that such a text gives away looks its helpers up when it is called, wherever that is; so they stay
bound, and no other text can name them. Names of the language and its libraries are left as they are: the
compiler asks whether those mean what they always do. So are names with a dot, of modules: they are looked up
by their text.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Collection
from types import CodeType
from typing import Any

from vcad_kernel.loon.names import OWN, mangle
from vcad_kernel.loon.program.program import CodeStep, Program

__all__ = ["PrivateNames"]


class PrivateNames:
    """The names of one text.

    owner: whose; unique among owners. public: the names that everybody may use. given: what the
    host has bound for this text alone.
    """

    def __init__(self, owner: str, public: Collection[str], given: Collection[str] = ()) -> None:
        self._owner = owner
        self._public = public
        self._given = given
        self.names: set[str] = set()
        """Those that are bound under their private identifiers alone."""
        self._identifiers: dict[str, str] = {}

    def begin(self, program: Program, scope: dict[str, Any], is_known: Callable[[str], bool]) -> None:
        """A program is about to run: until it defines its names they mean what they do in ``scope``.

        is_known: whether the language or a library has a name.
        """
        self.copy(self._given, scope)
        for step in program.steps:
            if isinstance(step, CodeStep):
                stored = _stored(step.code.code)
                own = [name for name in step.code.defines if mangle(name) in stored and not is_known(name)]
                self.names.update(set(own).difference(self._public))
                self.copy(own, scope)

    def copy(self, names: Collection[str], scope: dict[str, Any]) -> None:
        """Bind what these names mean in ``scope`` under their private identifiers as well."""
        for name in names:
            if name not in self._public:
                identifier = mangle(name)
                private = f"{identifier}{OWN}{self._owner}"
                self._identifiers[identifier] = private
                if identifier in scope:
                    scope[private] = scope[identifier]
                else:
                    scope.pop(private, None)  # of an earlier run

    def code(self, code: CodeType) -> CodeType:
        """The same code with private identifiers for these names, in all functions within it."""
        constants = tuple(
            self.code(const) if isinstance(const, CodeType) else const for const in code.co_consts
        )
        names = tuple(self._identifiers.get(name, name) for name in code.co_names)
        return code.replace(co_consts=constants, co_names=names)


def _stored(code: CodeType) -> frozenset[str]:
    """The globals that a top-level form binds itself; methods of types are bound by the language."""
    instructions = dis.get_instructions(code)
    return frozenset(str(step.argval) for step in instructions if step.opname == "STORE_GLOBAL")
