"""Lines drawn without lifting the pen: the segments of a connected graph as one run of vertices.

Where every segment can be drawn once, it is; where the segments branch too often for that, the pen goes back
over some of them rather than through the air.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

__all__ = ["trail"]


def trail(segments: Sequence[tuple[int, int]]) -> list[int]:
    """The vertices of a run over all segments, each a pair of vertices; together they are connected.

    A closed line ends where it begins. Empty for none.
    """
    if not segments:
        return []
    around: dict[int, list[tuple[int, int]]] = defaultdict(list)
    """Vertex → (segment, vertex at its other end)."""
    for number, (start, end) in enumerate(segments):
        around[start].append((number, end))
        around[end].append((number, start))
    odd = [vertex for vertex, ends in around.items() if len(ends) % 2]
    if len(odd) > 2:
        return _there_and_back(around, segments[0][0])
    # Hierholzer's way: walk until stuck, then insert the loops that were left aside
    drawn = [False] * len(segments)
    pending, run = [odd[0] if odd else segments[0][0]], []
    while pending:
        ends = around[pending[-1]]
        while ends and drawn[ends[-1][0]]:
            ends.pop()
        if ends:
            number, other = ends.pop()
            drawn[number] = True
            pending.append(other)
        else:
            run.append(pending.pop())
    return run


def _there_and_back(around: dict[int, list[tuple[int, int]]], start: int) -> list[int]:
    """A walk over every segment, most of them twice."""
    drawn: set[int] = set()
    run, pending = [start], [start]
    while pending:
        ends = around[pending[-1]]
        while ends and ends[-1][0] in drawn:
            ends.pop()
        if ends:
            number, other = ends.pop()
            drawn.add(number)
            pending.append(other)
            run.append(other)
        else:
            pending.pop()
            if pending:
                run.append(pending[-1])
    return run
