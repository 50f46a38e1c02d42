"""A plate with holes as build123d's own documentation writes it, meshed. Runs in build123d's environment."""

import sys
import time

from build123d import Box, BuildPart, GridLocations, Hole


def plate(columns, rows):
    with BuildPart() as part:
        Box(8.0 * columns + 2.0, 8.0 * rows + 2.0, 5.0)
        with GridLocations(8.0, 8.0, columns, rows):
            Hole(1.5)
    return part.part


columns, rows, rounds = map(int, sys.argv[1:])
plate(1, 1).tessellate(0.02)
best = float("inf")
for _ in range(rounds):
    start = time.perf_counter()
    body = plate(columns, rows)
    body.tessellate(0.02)
    volume = body.volume
    best = min(best, time.perf_counter() - start)
print(volume, best)
