"""The ``use`` form, and what a module's forms export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from vcad_kernel.loon.lowering.bindings import names_in
from vcad_kernel.loon.modules import module_fault
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
    return isinstance(form, ListForm) and bool(form.items) and form.items[0] == Symbol(0, 0, "use")


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
    if not (isinstance(form, ListForm) and form.items and form.items[0] == Symbol(0, 0, "pub")):
        return None
    inner = form.items[1:]
    if len(inner) == 1 and isinstance(inner[0], ListForm):
        inner = inner[0].items
    return _defined(inner)


def _defined(items: tuple[Form, ...]) -> Iterator[str]:
    """The global names that a definition binds where it stands; ``items`` are those of its list."""
    match items:
        case (Symbol(name="fn" | "test"), Symbol(name=name), *_):
            yield name
        case (Symbol(name="let"), Symbol(name="mut"), Symbol(name=name), _, *_):
            yield name
        case (Symbol(name="let"), pattern, *_):
            yield from names_in(pattern)
        case (Symbol(name="type"), Symbol(), *variants):
            for variant in variants:
                yield from _of_variant(variant)
        case (Symbol(name="impl"), Symbol(), Symbol(name=owner), *methods):
            for method in methods:
                if isinstance(method, ListForm):
                    yield from (f"{owner}.{name}" for name in _defined(method.items))
        case (Symbol(name="derive" | "pub"), *rest):
            for part in rest:
                if isinstance(part, ListForm):
                    yield from _defined(part.items)


def _of_variant(variant: Form) -> Iterator[str]:
    """The constructor of a variant, and its methods."""
    match variant:
        case Symbol(name=name) if "A" <= name[0] <= "Z":
            yield name
        case ListForm(items=(Symbol(name=name), *fields)):
            yield name
            for part in fields:
                if isinstance(part, ListForm) and part.items and part.items[0] == Symbol(0, 0, "fn"):
                    yield from _defined(part.items)
