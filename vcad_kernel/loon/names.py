"""Loon names as Python identifiers, and back.

Python's ``compile`` accepts any text as an identifier when it comes from an AST, so nearly every
Loon name stays itself, and tracebacks and profilers show it. Only the few words that Python gives
a meaning of its own are marked with a trailing ``$``, a character that no Loon name can hold.
Names with a ``$`` elsewhere belong to the compiler or to one text alone, names that begin with ``:``
are keywords.
"""

from __future__ import annotations

__all__ = ["FORM", "OWN", "SHARED", "demangle", "is_call", "is_internal", "mangle"]

FORM = "$form"
"""The Python function that a top-level form becomes."""

SHARED = "$handle"
"""How the names of functions begin that are parts of another: the body and clauses of a handle."""

OWN = "$own:"
"""Between a name that a text keeps to itself and whose it is."""

_TAKEN = frozenset({"None", "True", "False", "__debug__", "__builtins__", "__name__", "__class__", "super"})


def mangle(name: str) -> str:
    """The Python identifier for a Loon name.

    >>> mangle("wall-thickness"), mangle("None"), mangle(mangle("None"))
    ('wall-thickness', 'None$', 'None$')
    """
    return name + "$" if name in _TAKEN else name


def demangle(identifier: str) -> str:
    """The Loon name behind a Python identifier.

    >>> demangle("wall-thickness"), demangle("None$"), demangle("x$3")
    ('wall-thickness', 'None', 'x')
    """
    return identifier.partition("$")[0]


def is_call(identifier: str) -> bool:
    """Whether a Python function of compiled Loon is a function of the program's too."""
    return identifier != FORM and not identifier.startswith(SHARED)


def is_internal(identifier: str) -> bool:
    """Whether an identifier is the compiler's or Python's own rather than a mangled Loon name.

    >>> is_internal("$unit"), is_internal(":mm"), is_internal("__builtins__"), is_internal("None$")
    (True, True, True, False)
    """
    if identifier.endswith("$"):
        return identifier[:-1] not in _TAKEN
    return "$" in identifier or identifier in _TAKEN or (identifier[:1] == ":" and identifier != ":")
