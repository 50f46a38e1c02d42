"""``use``: the names of another file (§19).

How that file is found and run is said by the files of loon/modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vcad_kernel.loon.checking.declared import Declared
from vcad_kernel.loon.forms.record import DECLARES_NOTHING, OWNS_NOTHING, SpecialForm, all_names, infer_unit
from vcad_kernel.loon.lowering.lower import Destination, Lowerer, Lowering
from vcad_kernel.loon.modules.modules import module_fault
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping.bindings import Import
from vcad_kernel.loon.scoping.nodes import COLLECTIONS, KEYWORD, LIST, SYMBOL, Expected, parts
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm, is_headed
from vcad_kernel.loon.syntax import (
    Form,
    KeywordLit,
    ListForm,
    MapForm,
    SetForm,
    Symbol,
    VectorForm,
)

__all__ = ["USE", "Use", "is_use", "use_of"]


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
            isinstance(item, Symbol) for item in part.items
        ):
            names = tuple(item for item in part.items if isinstance(item, Symbol))
        else:
            raise module_fault(
                "E0500",
                f"this use of {module} cannot be read",
                fix=f"write [use {module}], [use {module} :as m] or [use {module} [name …]]",
            )
    return Use(module, alias, names, form)


_MODULE = "a module is called like its file"
_EXPORT = "it is the name of an export of another file"


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        return
    path, alias = items[1], items[1]
    taken: list[Node] | None = None
    for at, item in enumerate(items[2:], 2):
        if item.kind == SYMBOL and items[at - 1].kind == KEYWORD:
            alias = item
        elif item.kind in COLLECTIONS or item.kind == LIST:
            taken = [name for name in parts(item) if name.kind == SYMBOL]
    walk.found.imports.append(Import(path.text, alias.text if taken is None else "", path.start, path.end))
    if taken is None:
        fixed = _MODULE if alias is path else ""
        walk.define(alias, "module", "module", node, alias.text, owner=path.text, fixed=fixed)
        return
    for name in taken:
        walk.define(name, "value", "import", node, name.text, owner=path.text, fixed=_EXPORT)


def _expects(before: Sequence[Node]) -> Expected | None:
    return "module" if len(before) == 1 else "nothing"


def _announce(declared: Declared, operands: tuple[Form, ...]) -> None:
    if operands and isinstance(operands[0], Symbol):
        declared.opened = dict.fromkeys(_opened(operands[0].name, operands[1:]))


def _opened(module: str, how: Sequence[Form]) -> Iterator[str]:
    match how:
        case [KeywordLit(name="as"), Symbol(name=alias), *_]:
            yield alias + "."
        case [ListForm(items=items) | VectorForm(items=items), *_]:
            for item in items:
                if isinstance(item, Symbol):
                    yield item.name
        case _:
            yield module + "."


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``use`` at the top of a text is a step of its own; anywhere else it is out of place."""
    del low, form, destination
    raise BadForm("use stands at the top of a text, not inside another form")


USE = SpecialForm(
    entry=Chapter("Modules and tools").form(
        "[use module …]",
        "Loads another file. [use plate] makes its names plate.x, [use plate :as p] p.x, [use plate [mass]] "
        "mass alone. The file is plate.oo or plate.loon beside this one, or under src; dots in the name are "
        "folders. Only at the top of a program or cell.",
        "",
        "",
        "module: the file's name without its ending",
        "…: nothing, :as and a short name, or the names to take in brackets",
    ),
    purpose="module",
    holds=all_names,
    walks=_walk,
    expects=_expects,
    declares=DECLARES_NOTHING,
    announces=_announce,
    infers=infer_unit,
    owns=OWNS_NOTHING,
    lowers=Lowering(lower=_lower),
)
