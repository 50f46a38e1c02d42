"""The ``use`` form, and what a module's forms export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.modules import module_fault
from vcad_kernel.loon.shapes import is_headed
from vcad_kernel.loon.syntax import (
    Form,
    KeywordLit,
    ListForm,
    MapForm,
    SetForm,
    Symbol,
    VectorForm,
)

__all__ = ["Use", "is_use", "public_names", "use_of"]


@dataclass(frozen=True, slots=True)
class Use:
    """``[use module]``, ``[use module :as alias]`` or ``[use module [name …]]``."""

    module: str
    alias: str
    """What stands before the dot; the module's own name without ``:as``."""
    names: tuple[Symbol, ...] | None
    """The names taken in as they are; None takes all, behind the alias."""
    form: ListForm

    def local_names(self, exports: Iterable[str]) -> Mapping[str, str]:
        """Exported name → name here.

        Raises: LoonRuntimeError E0501.
        """
        if self.names is None:
            return {name: f"{self.alias}.{name}" for name in exports}
        known = set(exports)
        for symbol in self.names:
            if symbol.name not in known:
                offered = ", ".join(sorted(known)) or "nothing"
                raise module_fault(
                    "E0501",
                    f"the module {self.module} does not export {symbol.name}",
                    why=f"it exports {offered}",
                    fix=f"mark it [pub …] in {self.module}, or take one of these",
                )
        return {symbol.name: symbol.name for symbol in self.names}


def is_use(form: Form) -> bool:
    """Whether a form is a ``use``."""
    return is_headed(form, "use")


def use_of(form: ListForm) -> Use:
    """A ``use`` form read.

    Raises: LoonRuntimeError E0500 when it names no module, or names things in no known way.
    """
    parts = form.items[1:]
    if not parts or not isinstance(parts[0], Symbol):
        raise module_fault("E0500", "use needs a module's name", fix="write [use lib.plate]")
    module, alias, names = parts[0].name, parts[0].name, None
    rest = list(parts[1:])
    while rest:
        part = rest.pop(0)
        follower = rest[0] if rest else None
        if part == KeywordLit(0, 0, "as") and isinstance(follower, Symbol):
            alias = follower.name
            del rest[0]
        elif isinstance(part, ListForm | VectorForm | SetForm | MapForm) and all(
            isinstance(one, Symbol) for one in part.items
        ):
            names = tuple(one for one in part.items if isinstance(one, Symbol))
        else:
            raise module_fault(
                "E0500",
                f"this use of {module} cannot be read",
                fix=f"write [use {module}], [use {module} :as m] or [use {module} [name …]]",
            )
    return Use(module, alias, names, form)


def public_names(form: Form) -> Iterator[str] | None:
    """The names that a top-level form exports by ``pub``; None when it is not marked so."""
    if not is_headed(form, "pub"):
        return None
    while is_headed(form, "pub"):
        assert isinstance(form, ListForm)
        inner = form.items[1:]
        form = inner[0] if len(inner) == 1 else ListForm(form.start, form.end, inner)
    match form:
        case ListForm(items=(Symbol(name=head), *operands)) if head in FORMS:
            return FORMS[head].exports(operands)
    return iter(())
