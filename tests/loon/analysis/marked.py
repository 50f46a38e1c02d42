"""Texts with a mark where the cursor stands, and a small world around them."""

from __future__ import annotations

from vcad_kernel.loon.analysis import KnownEntries
from vcad_kernel.loon.reference import Entry

__all__ = ["WORLD", "at_mark"]

MARK = "‸"


def at_mark(marked: str) -> tuple[str, int]:
    """The text without its mark, and the mark's offset."""
    before, found, after = marked.partition(MARK)
    assert found, "the text needs a mark"
    return before + after, len(before)


WORLD = KnownEntries(
    {
        entry.name: entry
        for entry in (
            Entry("let", "form", "[let pattern value]"),
            Entry("match", "form", "[match value pattern body …]"),
            Entry("map", "function", "[map f v]", "(a -> b) -> Vec a -> Vec b", "What f makes of each item."),
            Entry("min", "function", "[min v] | [min a b]", "Vec a -> a | Ord a => a -> a -> a"),
            Entry("str", "function", "[str x …]", "a -> String"),
            Entry("len", "function", "[len c]", "Vec a -> Num", "How many items there are."),
            Entry("fillet", "function", "[fillet r s]", "Real -> Solid -> Solid", "Rounds edges."),
            Entry("get", "function", "[get m key]"),
            Entry("+", "function", "[+ a b …]"),
            Entry("pi", "constant", "pi", "Float"),
            Entry("Some", "constructor", "[Some x]"),
            Entry("None", "constructor", "None"),
            Entry("Fillet", "constructor", "[Fillet r s]"),
            Entry("Fail.fail", "effect", "[Fail.fail message]"),
            Entry("Square.area", "function", "[Square.area s]"),
        )
    },
    {
        "lib.plate": {
            "hole": Entry("hole", "function", "[hole d part]", doc="A hole through a plate."),
            "thickness": Entry("thickness", "variable", "thickness"),
        },
        "screws": {},
    },
)
"""A few names of each kind, and two modules."""
