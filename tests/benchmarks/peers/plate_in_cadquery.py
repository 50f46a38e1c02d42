"""A plate with holes as CadQuery's own documentation writes it, meshed. Runs in CadQuery's environment."""

import sys
import time

import cadquery as cq


def plate(columns, rows):
    return (
        cq.Workplane("XY")
        .box(8.0 * columns + 2.0, 8.0 * rows + 2.0, 5.0)
        .faces(">Z")
        .workplane()
        .rarray(8.0, 8.0, columns, rows)
        .hole(3.0)
        .val()
    )


columns, rows, rounds = map(int, sys.argv[1:])
plate(1, 1).tessellate(0.02)
best = float("inf")
for _ in range(rounds):
    start = time.perf_counter()
    body = plate(columns, rows)
    body.tessellate(0.02)
    volume = body.Volume()
    best = min(best, time.perf_counter() - start)
print(volume, best)
