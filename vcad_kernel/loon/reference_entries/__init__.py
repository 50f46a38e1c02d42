"""What there is to say about the language's own names: builtins, built-in effects and the host mathematics,
chapter by chapter. What there is to say about a special form stands in its own file in forms/.

Types are written in the notation of the specification (§17): ``Num`` is an int; ``Vec (Vec a)`` takes
parentheses where an argument is an application itself; bounds come first, ``Add a => a -> a``; a function
without parameters is ``-> a``; `` | `` parts alternatives by the number of arguments. ``Real`` stands for
an int or a float, freely chosen each time. Where a builtin takes more than its type says (§17.3), ``doc``
says it.
"""

from __future__ import annotations

from collections.abc import Mapping

from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries import effects, maps, numbers, text, vectors

__all__ = ["VALUES"]

VALUES: Mapping[str, Entry] = {
    entry.name: entry for chapter in (effects, numbers, text, vectors, maps) for entry in chapter.ENTRIES
}
"""By name, in the order of the chapters."""
