"""Who owns a value: finds names that are used after they were given away. Advice, never a barrier.

The walk goes once over the expanded forms of a text, from top to bottom, and follows names, not values
(§18). It knows no types: whether a binding is of a Copy type is asked of the checker. What a call does to
an argument is said by the callee: some builtins only look, ``push!`` needs a ``mut`` binding, a named
function does what its body does with the parameter, every other callee takes the argument over.

How the checker uses it::

    findings, modes = moves(parts, is_copy, known_modes)

``parts`` are the forms of the text, chunk by chunk. ``known_modes`` holds the functions defined outside
the text (earlier cells, modules, libraries); ``modes`` gives those that this text defines, to be kept
with its definitions. ``BORROWS`` suits the functions of a host library, whose arguments are plain data
that is never taken away. Names bound outside the text are of no concern here: what another cell did
with them is not said again.

``is_copy(symbol)`` is asked, maybe repeatedly, for every Symbol that binds a variable: in ``let`` and
parameter patterns, ``match`` patterns, rest parameters and clauses of ``handle``. It must answer for that
very object (by identity: macros may put equal symbols in many places). True for Int, Float, Bool, Keyword,
``derive Copy`` types and the types of libraries, and for variables bound to numbers (``Add``, ``Ord``,
``Real``, ``Count``). True as well where nothing is known of the type, so that ignorance makes no noise.

The walk is as deep as the forms are nested: to be called with a deep stack (runtime/limits/limits.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vcad_kernel.loon.checking.ownership.owners import Owners
from vcad_kernel.loon.checking.ownership.variables import BORROWS, Finding, IsCopy, Mark, Modes
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.shapes import behind_pub
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["BORROWS", "Finding", "Mark", "Modes", "moves"]


_SPECIAL: Final = {name: form.owns for name, form in FORMS.items()}


def moves(
    parts: Sequence[Sequence[Form]], is_copy: IsCopy, known: Mapping[str, Modes]
) -> tuple[list[Finding], dict[str, Modes]]:
    """The findings on a text in the order of the walk, and the modes of the functions it defines.

    A function may be called above its definition, or by itself. Its modes are guessed then, as mild as
    can be, and the walk is repeated with what it found out until nothing changes.
    """
    later = {name for forms in parts for form in forms for name in _defined_by(form)}
    assumed: dict[str, Modes] = {}
    while True:
        walk = Owners(_SPECIAL, is_copy, known, later, assumed)
        for index, forms in enumerate(parts):
            walk.variables.part = index
            for form in forms:
                walk.top_level(form)
        if not walk.guessed or walk.defined == assumed:
            return walk.variables.findings, walk.defined
        assumed = walk.defined


def _defined_by(form: Form) -> Iterator[str]:
    """The named function that a top-level form defines, if it does."""
    match behind_pub(form):
        case ListForm(items=(Symbol(name="fn"), Symbol(name=name), *_)):
            yield name
        case ListForm(items=(Symbol(name="do"), *inner)):
            for nested in inner:
                yield from _defined_by(nested)
