"""Run one case of the CAD specification (cad.md §14): a program, and what must be measured of it.

``run_case`` knows the rules of comparison; where the cases come from is the runner's business.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.conformance.outcome import Outcome
from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import CAD_LIBRARY
from vcad_kernel.errors import CapabilityUnavailable, LoonError, VcadError
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.geometry.measure.referee import disagreements
from vcad_kernel.geometry.occt.kernel import OcctKernel
from vcad_kernel.geometry.solid import ExactFigures, SearchLimit
from vcad_kernel.geometry.tolerance import LINEAR, REFEREE_SIDES, Tessellation
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.source import Source

__all__ = ["KERNELS", "outcomes_of", "run_case"]

Case = Mapping[str, Any]

_MESH_RELATIVE = 2e-3
_MESH_OF_DIAGONAL = 1e-3
_EARLIER: Mapping[str, frozenset[str]] = {
    "TYPE_MISMATCH": frozenset({"E0200", "type"}),
    "ARITY_MISMATCH": frozenset({"E0202", "arity"}),
}
"""Codes with which the language may refuse a program before evaluation starts."""
_TESSELLATION = Tessellation(segments=REFEREE_SIDES)
_SEARCH = SearchLimit(trials=1)
"""The cases ask which error comes, not which size would have worked."""
KERNELS = ("mesh", "brep")


@dataclass(frozen=True, slots=True)
class _Part:
    """One scene entry as a case sees it."""

    figures: Figures | ExactFigures
    material: str

    @property
    def is_empty(self) -> bool:
        return self.figures.bounds is None

    @property
    def is_approximate(self) -> bool:
        return isinstance(self.figures, Figures) and not self.figures.exact


def run_case(case: Case, kernel: str) -> Outcome:
    """Evaluate a case and compare.

    kernel: ``mesh`` measures the mesh, ``brep`` the exact body, ``both`` the two, one against the other, too.
    A body that holds a mesh has no B-rep: there ``brep`` skips, and ``both`` goes by the mesh.
    """
    outcomes = list(outcomes_of(case, KERNELS if kernel == "both" else (kernel,)).values())
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    return (failed or [outcome for outcome in outcomes if outcome.status == "passed"] or outcomes)[0]


def outcomes_of(case: Case, kernels: Sequence[str] = KERNELS) -> dict[str, Outcome]:
    """What each kernel makes of one evaluation of a case. Raises: AssertionError where they disagree."""
    try:
        answers = _Answers(case["source"])
    except VcadError as error:
        return dict.fromkeys(kernels, _of_error(case, error))
    outcomes = {kernel: _of(case, answers, kernel) for kernel in kernels}
    if answers.has_both:
        for mesh, exact in zip(answers.mesh, answers.brep, strict=True):
            disagreement = disagreements(mesh.figures, exact.figures)
            if disagreement:
                raise AssertionError(f"the kernels disagree: {disagreement}")
    return outcomes


class _Answers:
    """The visible roots of one program, measured by each kernel when first asked for. Raises: VcadError."""

    def __init__(self, text: str) -> None:
        environment = Environment(prelude=[CAD_LIBRARY], stdout=lambda _text: None)
        self._document = convert(environment.run(Source("case.oo", text)))
        self._roots = [root for root in self._document.roots if root.shown]
        self._cache = SolidCache()  # of both: a feature's mesh is made of its exact body

    @cached_property
    def mesh(self) -> list[_Part]:
        """On its mesh, features on the mesh of their exact body."""
        scene = evaluate(self._document, EvaluationOptions(_TESSELLATION, search=_SEARCH), cache=self._cache)
        scene.raise_first()
        return self._parts(part.mesh_figures for part in scene.parts)

    @cached_property
    def brep(self) -> list[_Part]:
        """On its exact body."""
        kernel = OcctKernel(self._cache, search=_SEARCH)
        return self._parts(kernel.figures(self._document, root.node) for root in self._roots)

    @property
    def has_both(self) -> bool:
        """Whether both have been measured; what was refused has not."""
        return {"mesh", "brep"} <= self.__dict__.keys()

    def _parts(self, figures: Iterable[Figures | ExactFigures]) -> list[_Part]:
        return [_Part(one, root.material) for one, root in zip(figures, self._roots, strict=True)]


def _of(case: Case, answers: _Answers, kernel: str) -> Outcome:
    try:
        parts = answers.mesh if kernel == "mesh" else answers.brep
    except VcadError as error:
        return _of_error(case, error)
    return _compared(case, parts)


def _of_error(case: Case, error: VcadError) -> Outcome:
    if isinstance(error, CapabilityUnavailable):
        return Outcome("skipped", "", error.message)
    return _compared_error(case, error)


def _verdict(differences: Sequence[tuple[str, object, object]]) -> Outcome:
    if not differences:
        return Outcome("passed", "", "")
    wanted = ", ".join(f"{name} {want}" for name, want, _ in differences)
    got = ", ".join(f"{name} {found}" for name, _, found in differences)
    return Outcome("failed", wanted, got)


def _compared_error(case: Case, error: VcadError) -> Outcome:
    wanted = case.get("error")
    tolerated = {wanted, case.get("or_error")} - {None}
    if isinstance(error, LoonError) and wanted in _EARLIER:
        tolerated |= _EARLIER[wanted]
    if error.code in tolerated:
        return Outcome("passed", "", "")
    return Outcome(
        "failed", f"error {wanted}" if wanted else "a solid", f"error {error.code}: {error.message}"
    )


def _compared(case: Case, parts: Sequence[_Part]) -> Outcome:
    differences: list[tuple[str, object, object]] = []
    if case.get("parts") is not None and case["parts"] != len(parts):
        differences.append(("parts", case["parts"], len(parts)))
    # one part is the contract of the callers; the scene itself holds any number
    code = "NO_GEOMETRY" if not parts else "MULTI_PART_UNSUPPORTED" if len(parts) > 1 else None
    if case.get("error") != code:
        return Outcome("failed", str(case.get("error") or "a solid"), code or "a solid")
    if code is None:
        differences += _part_differences(case, parts[0])
    return _verdict(differences)


def _part_differences(case: Case, part: _Part) -> list[tuple[str, object, object]]:
    figures = part.figures
    found: list[tuple[str, object, object]] = []
    if case.get("empty") is not None and bool(case["empty"]) != part.is_empty:
        found.append(("empty", case["empty"], part.is_empty))
    if case.get("material") is not None and case["material"] != part.material:
        found.append(("material", case["material"], part.material))
    for name in ("genus", "lumps", "shells"):
        if case.get(name) is not None and case[name] != getattr(figures, name):
            found.append((name, case[name], getattr(figures, name)))
    return found + _measure_differences(case, part)


def _measure_differences(case: Case, part: _Part) -> list[tuple[str, object, object]]:
    found: list[tuple[str, object, object]] = []
    relative = case.get("rel_tol") or 1e-9
    box = case.get("bbox")
    of_box = 0.0
    if part.is_approximate:
        of_box = math.dist(*box) * _MESH_OF_DIAGONAL if box else 0.0
        relative = max(relative, _MESH_RELATIVE)
    figures = part.figures
    areas = [case.get("surface_area"), case.get("alt_surface_area")]
    for name, wanted in (("volume", [case.get("volume")]), ("surface_area", areas)):
        choices = [want for want in wanted if want is not None]
        got = getattr(figures, name)
        if choices and not any(_close(got, want, relative) for want in choices):
            found.append((name, choices[0], got))
    if box and not _near_box(box, figures, max(case.get("bbox_tol") or LINEAR, of_box)):
        found.append(("bbox", box, figures.bounds))
    centre = case.get("center_of_mass")
    if centre and not _near(centre, figures.center_of_mass, max(case.get("com_tol") or LINEAR, of_box)):
        found.append(("center_of_mass", centre, figures.center_of_mass))
    return found


def _close(got: float, want: float, relative: float) -> bool:
    if want == 0.0:
        return abs(got) <= 1e-6
    return abs(got - want) <= relative * max(abs(want), 1e-9) + 1e-9


def _near(want: Sequence[float], got: Sequence[float] | None, tolerance: float) -> bool:
    return got is not None and all(abs(a - b) <= tolerance for a, b in zip(want, got, strict=True))


def _near_box(want: Sequence[Sequence[float]], figures: Figures | ExactFigures, tolerance: float) -> bool:
    if figures.bounds is None:
        return False
    return all(_near(a, b, tolerance) for a, b in zip(want, figures.bounds, strict=True))
