"""The files that examples of the reference read: a body, a mesh and two drawings."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vcad_kernel.service.protocol import EvaluationService
from vcad_kernel.service.questions import Export
from vcad_kernel.service.requests import EvalCode

__all__ = ["put_samples"]

_BRACKET: Final = "[difference [translate 26 10 -1 [cylinder 4 9]] [union [cube 5 20 25] [cube 40 20 5]]]"

_LOGO: Final = """<svg xmlns="http://www.w3.org/2000/svg" width="70mm" height="40mm" viewBox="0 0 70 40">
<circle cx="20" cy="20" r="14"/><rect x="40" y="8" width="20" height="24" rx="5"/>
</svg>
"""

_CORNERS: Final = ((0, 0), (60, 0), (60, 25), (35, 40), (0, 40))


def put_samples(folder: Path, service: EvaluationService) -> None:
    """Write ``bracket.step``, ``bracket.stl``, ``logo.svg`` and ``plate.dxf``. Raises: OSError, VcadError."""
    (bracket,) = service.evaluate(EvalCode(_BRACKET)).parts
    for name in ("bracket.step", "bracket.stl"):
        bracket.answers.ask(Export(path=folder / name), bracket)
    (folder / "logo.svg").write_text(_LOGO, encoding="utf-8")
    (folder / "plate.dxf").write_text(_plate(), encoding="utf-8")


def _plate() -> str:
    """A plate with a hole, in millimetres, on the layer ``cut``."""
    ends = zip(_CORNERS, [*_CORNERS[1:], _CORNERS[0]], strict=True)
    lines = [f"0 LINE 8 cut 10 {a} 20 {b} 11 {c} 21 {d}" for (a, b), (c, d) in ends]
    whole = " ".join(
        [
            "0 SECTION 2 HEADER 9 $ACADVER 1 AC1015 9 $INSUNITS 70 4 0 ENDSEC",
            "0 SECTION 2 ENTITIES",
            *lines,
            "0 CIRCLE 8 cut 10 15 20 20 40 7",
            "0 ENDSEC 0 EOF",
        ]
    )
    return "\n".join(whole.split()) + "\n"
