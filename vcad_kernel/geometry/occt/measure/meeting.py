"""Where surfaces meet: places near which OpenCASCADE keeps a curve or a vertex, made exact.

Where two faces cross, OpenCASCADE keeps a curve in space and one in the parameters of each, all within
some 1e-7 mm of the true one. That is more than 1e-9 of many bodies, so whatever is measured there is
measured at the places that Newton's method finds on all the surfaces, from those that are kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vcad_kernel.geometry.occt.measure.parametric import Array, Tangents

__all__ = ["cross", "met"]

_DAMPING = 1e-4
"""Square of the angle, in radians, below which two surfaces count as smoothly joined: where they join is
then anyone's guess, and of no account, for what one loses is gained by the other."""
_STEPS = 4
"""Of Newton's method, at most; from 1e-7 away two do."""
_MET = 1e-14
"""Part of the coordinates within which surfaces meet already: rounding."""
_TOGETHER = 1e-6
"""Part of the coordinates by which two curves of an edge may run ahead of each other and still be moved
to a place between."""


def met(
    surfaces: Sequence[Tangents], spots: Sequence[Array], rates: Sequence[Array] | None = None
) -> list[Array]:
    """Places (n, 2) on each surface, moved by as little as may be to where all meet.

    rates: (n, 2) each, how the curves of an edge go on from the places. They may be at different places of
    the edge at the same parameter, so along it they are not moved; None = a corner.
    """
    there = [surface(spot) for surface, spot in zip(surfaces, spots, strict=True)]
    limit = np.abs(there[0][0]).max()
    if _apart(there) <= _MET * limit:
        return list(spots)
    if rates is not None:
        ways = [
            _unit(rate[:, :1] * across + rate[:, 1:] * along)
            for rate, (_, across, along) in zip(rates, there, strict=True)
        ]
        if np.abs(_dots(ways[0], there[0][0] - there[1][0])).max() > _TOGETHER * limit:
            return [
                _found(surfaces, spots, there, (points, way))[index]
                for index, ((points, _, _), way) in enumerate(zip(there, ways, strict=True))
            ]
    return _found(surfaces, spots, there, None)


def _apart(there: Sequence[tuple[Array, Array, Array]]) -> float:
    return max(float(np.abs(points - there[0][0]).max()) for points, _, _ in there)


def _found(
    surfaces: Sequence[Tangents],
    spots: Sequence[Array],
    there: list[tuple[Array, Array, Array]],
    plane: tuple[Array, Array] | None,
) -> list[Array]:
    """By Newton's method. plane: points and normals of planes to stay in, (n, 3) each."""
    spots, before = list(spots), np.inf
    for step in range(_STEPS):
        if step:
            there = [surface(spot) for surface, spot in zip(surfaces, spots, strict=True)]
        apart = _apart(there)
        # where they are smoothly joined there is nothing to be found
        if apart <= _MET * np.abs(there[0][0]).max() or apart > 0.5 * before:
            break
        before = apart
        points = np.stack([points for points, _, _ in there], axis=1)
        middle = points.mean(axis=1)
        if plane is not None:
            middle = middle - _dots(middle - plane[0], plane[1])[:, None] * plane[1]
        normals = np.stack([_unit(cross(across, along)) for _, across, along in there], axis=1)
        # the least step from amid the points to one of all the tangent planes
        lack = np.einsum("nkc,nkc->nk", normals, points - middle[:, None])
        cosines = np.einsum("nkc,njc->nkj", normals, normals) + _DAMPING * np.eye(len(there))
        share = np.linalg.solve(cosines, lack[..., None])
        goal = middle + np.einsum("nkc,nk->nc", normals, share[..., 0])
        spots = [
            spot + _tangential(goal - point, across, along)
            for spot, (point, across, along) in zip(spots, there, strict=True)
        ]
    return spots


def _tangential(step: Array, across: Array, along: Array) -> Array:
    """(n, 2): the parameters of steps (n, 3), as far as they lie in the tangent planes."""
    uu, uv, vv = _dots(across, across), _dots(across, along), _dots(along, along)
    su, sv = _dots(step, across), _dots(step, along)
    under = uu * vv - uv * uv
    # at a pole there is no tangent plane, and nothing moves
    regular = under > 0.0
    moved = np.stack([vv * su - uv * sv, uu * sv - uv * su], axis=1) / np.where(regular, under, 1.0)[:, None]
    return np.asarray(np.where(regular[:, None], moved, 0.0))


def _unit(vectors: Array) -> Array:
    """Of length 1, or 0 where they have none."""
    length = np.sqrt(_dots(vectors, vectors))[:, None]
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))


def _dots(a: Array, b: Array) -> Array:
    """Inner products of rows."""
    return np.asarray(np.einsum("ij,ij->i", a, b))


def cross(a: Array, b: Array) -> Array:
    """Cross products of the last axis; a quarter of the time of numpy's."""
    product = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    product[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    product[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product
