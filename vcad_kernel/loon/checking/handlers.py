"""Which function infers what: tables that the modules beside this one fill.

They keep the state of an inference (infer.py) apart from the rules for each kind of form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from vcad_kernel.loon.checking.declared import is_constructor
from vcad_kernel.loon.checking.types import Type
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

if TYPE_CHECKING:
    from vcad_kernel.loon.checking.infer import Inference

__all__ = [
    "CALL",
    "COLLECTIONS",
    "FORMS",
    "NAMES",
    "UNBOUND",
    "collection",
    "is_operation",
    "special",
    "unbound",
]

FormHandler: TypeAlias = "Callable[[Inference, ListForm], Type]"
CollectionHandler: TypeAlias = "Callable[[Inference, Form], Type]"
NameHandler: TypeAlias = "Callable[[Inference, Symbol], Type]"

FORMS: dict[str, FormHandler] = {}
"""Special forms by name, and calls."""

CALL = "[]"
"""The key in FORMS of lists that are no special form."""

COLLECTIONS: dict[type[Form], CollectionHandler] = {}
"""Literals with forms in them."""

NAMES: dict[str, NameHandler] = {}
"""Names that need more than being looked up."""

UNBOUND = "unbound"
"""The key in NAMES of those that are not bound as they stand."""


def special(*names: str) -> Callable[[FormHandler], FormHandler]:
    """Register what infers special forms."""

    def register(handler: FormHandler) -> FormHandler:
        FORMS.update(dict.fromkeys(names, handler))
        return handler

    return register


def collection(kind: type[Form]) -> Callable[[CollectionHandler], CollectionHandler]:
    """Register what infers a literal collection."""

    def register(handler: CollectionHandler) -> CollectionHandler:
        COLLECTIONS[kind] = handler
        return handler

    return register


def unbound(handler: NameHandler) -> NameHandler:
    """Register what infers names that are not bound as they stand."""
    NAMES[UNBOUND] = handler
    return handler


def is_operation(head: str) -> bool:
    """Whether a head performs an operation of an effect, such as ``Fail.fail``."""
    return is_constructor(head) and "." in head
