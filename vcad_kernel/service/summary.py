"""A result in one line of figures, the same on every machine.

It is what a terminal, a screen reader, an agent and nbval see, so it holds nothing that may
differ between runs: no times, no triangle counts, six significant digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vcad_kernel.geometry.evaluate import Warning  # noqa: A004 - the word of the specification
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.service.protocol import EvaluationResult, PartResult

__all__ = ["figure_warning_lines", "figures_line", "number", "parts_line", "result_line", "warning_line"]

_DIGITS = 6


def number(value: float, *, at_least: float = 0.0) -> str:
    """A figure with six significant digits, without exponent, trailing zeros or minus zero.

    at_least: magnitudes below this count as 0 (noise of a centre that is really on an axis).
    """
    if not math.isfinite(value) or abs(value) <= at_least:
        return "0" if math.isfinite(value) else str(value)
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def figures_line(name: str, figures: Figures, density: float | None = None, shown: str = "profile") -> str:
    """``bracket: 50 × 30 × 5 mm · volume 7500 mm³ · area 3800 mm² · center (25, 15, 2.5)``.

    density: of its material, kg/m³; with one there is a mass. shown: what it is that is no solid. Figures of
    a curved body measured on its mesh are marked ``≈`` and end with the chord error.
    """
    if figures.is_empty or figures.bounds is None or figures.center_of_mass is None:
        return f"{name}: empty"
    low, high = figures.bounds
    sizes = [number(b - a) for a, b in zip(low, high, strict=True)]
    diagonal = math.dist(low, high)
    center = ", ".join(number(c, at_least=1e-6 * diagonal) for c in figures.center_of_mass)
    about = "" if figures.exact else "≈ "
    if figures.volume == 0.0:
        # a profile or a surface: the solids that are nothing are empty
        area = f"{about}{number(figures.surface_area)}"
        line = f"{name}: {shown} · {about}{' × '.join(sizes)} mm · area {area} mm² · center {about}({center})"
        if not figures.exact and figures.tolerance is not None:
            line += f" · curves within {_rounded_up(figures.tolerance)} mm"
        return line
    line = (
        f"{name}: {about}{' × '.join(sizes)} mm · volume {about}{number(figures.volume)} mm³"
        f" · area {about}{number(figures.surface_area)} mm² · center {about}({center})"
    )
    if density is not None:
        line += f" · mass {about}{_mass(figures.volume, density)}"
    if not figures.exact and figures.tolerance is not None:
        line += f" · curves within {_rounded_up(figures.tolerance)} mm"
    return line


def _mass(volume: float, density: float) -> str:
    """In grams, from a kilogram on in those. volume: mm³. density: kg/m³."""
    grams = volume * density * 1e-6
    return f"{number(grams)} g" if grams < 1000 else f"{number(grams / 1000)} kg"


def _rounded_up(tolerance: float) -> str:
    """A bound with two significant digits, never below the true one."""
    if tolerance <= 0.0:
        return "0"
    decimals = 1 - math.floor(math.log10(tolerance))
    return number(math.ceil(tolerance * 10**decimals - 1e-9) / 10**decimals)


def result_line(name: str, result: EvaluationResult) -> str | None:
    """The line of a whole result: its parts' figures, its value, or None for unit."""
    return parts_line(name, result.parts) if result.parts else result.display


def parts_line(name: str, parts: Sequence[PartResult], *, wait: bool = True) -> str:
    """The figures of one part; of several: how many, which, their materials and volumes.

    wait: for figures that are not there yet; without it those of the mesh stand for them.
    """
    figures = [part.figures if wait else part.known_figures for part in parts]
    if len(parts) == 1:
        shown = parts[0].shown_as if figures[0].volume == 0.0 else ""
        return figures_line(name, figures[0], parts[0].material.density, shown)
    each = "; ".join(
        f"{part.name} [{part.material.name}] "
        + (
            "empty"
            if part_figures.is_empty
            else f"{'' if part_figures.exact else '≈ '}{number(part_figures.volume)} mm³"
        )
        for part, part_figures in zip(parts, figures, strict=True)
    )
    return f"{name}: {len(parts)} parts · {each}"


def figure_warning_lines(parts: Sequence[PartResult]) -> list[str]:
    """What there is to know about the figures of parts, a line each; mostly nothing."""
    return [warning_line(warning) for part in parts for warning in part.figure_warnings()]


def warning_line(warning: Warning) -> str:
    """``warning [PITCH_MISMATCH] … (helix:3:1)``."""
    where = f" ({warning.place.file}:{warning.place.line}:{warning.place.column})" if warning.place else ""
    return f"warning [{warning.code}] {warning.message}{where}"
