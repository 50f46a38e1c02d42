"""Vectors as nodes and selectors hold them: plain tuples of floats, millimetres or directions."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Vec2", "Vec3"]

Vec2: TypeAlias = tuple[float, float]
Vec3: TypeAlias = tuple[float, float, float]
