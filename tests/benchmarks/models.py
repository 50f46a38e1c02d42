"""Models that the benchmarks share."""

from __future__ import annotations

PLATE_625 = """
[let hole [translate 5 5 -1 [cylinder 1.5 7]]]
[let row [linear-pattern 1 0 0 25 8 hole]]
[let grid [linear-pattern 0 1 0 25 8 row]]
[difference grid [cube 202 202 5]]
"""
"""A plate with 25 × 25 holes."""


def long_model(functions: int = 25) -> str:
    """A program of some 200 lines: parametric brackets, patterns, a fold over all of them."""
    lines = ["[let wall 4] [let pitch 60]"]
    for i in range(functions):
        lines += [
            f"[fn bracket-{i} [w d]",
            f"  [let inset [+ {i + 2} [* 0.1 w]]]",
            "  [let hole [translate inset inset -1 [cylinder 1.5 [+ wall 2]]]]",
            "  [pipe [cube w d wall]",
            "    [union [cube wall d [* 0.5 w]]]",
            "    [difference hole]",
            f"    [translate [* pitch {i}] 0 0]]]",
        ]
    calls = " ".join(f"[bracket-{i} {40 + i} {30 + i}]" for i in range(functions))
    lines += [f"[let all #[{calls}]]", "[fold all Empty [fn [sum part] [union part sum]]]"]
    return "\n".join(lines)
