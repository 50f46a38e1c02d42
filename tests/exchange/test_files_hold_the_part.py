"""A file holds the part, or there is no file: whatever body, tolerance and format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.geometry.corpus import names, source
from tests.geometry.kernels import NoExactKernel
from vcad_kernel.errors import ExportError, GeometryError
from vcad_kernel.exchange.formats import SUFFIXES, needs_mesh
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.measure.figures import Figures, measure
from vcad_kernel.geometry.measure.part_figures import Measurement
from vcad_kernel.geometry.measure.referee import MESH_UNSOUND, area_bound, volume_bound
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.direct_answers import DirectAnswers
from vcad_kernel.service.protocol import PartResult
from vcad_kernel.service.questions import Export, MeshOf
from vcad_kernel.service.requests import EvalCode

QUICK = (
    "shelled_cap_with_ribs",
    "lego_brick_6x2",
    "decimal_bore",
    "decimal_tenon",
    "concentric_tubes",
    "fillet_less_its_copy",
    "shell_filleted_box",
    "tray_with_round_floor",
    "bottle",
    "tangent_cross_drill",
    "far_away",
    "tiny",
)
"""One of each kind, and what has come out wrong; the key cap is slow to measure: see below."""
READ_BACK = (".3mf", ".glb", ".obj", ".stl")


@pytest.fixture(scope="module")
def service() -> DirectService:
    return DirectService()


def read_back(service: DirectService, file: Path) -> Figures:
    program = EvalCode(f'[import-mesh "{file.name}"]', base_dir=file.parent)
    return service.evaluate(program).parts[0].mesh_figures


def exported(part: PartResult, file: Path, tolerance: float) -> Path:
    part.answers.ask(Export(path=file, chord=tolerance), part)
    return file


def assert_holds(part: PartResult, read: Figures, tolerance: float) -> None:
    """The figures of a file are those of the part within its chord error, and single precision."""
    known = part.figures
    assert known.bounds is not None
    farthest = max(abs(end) for corner in known.bounds for end in corner)
    # the file is in single precision
    within = replace(read, tolerance=tolerance + farthest * 2.0**-23)
    assert abs(read.volume - known.volume) <= volume_bound(within, known)
    assert abs(read.surface_area - known.surface_area) <= area_bound(within, known)
    assert (read.lumps, read.is_manifold) == (known.lumps, True)


@pytest.mark.parametrize("name", QUICK)
def test_the_file_of_a_body_has_its_figures(name: str, service: DirectService, tmp_path: Path) -> None:
    (part,) = service.evaluate(EvalCode(source(name))).parts
    assert part.figure_warnings() == ()
    for tolerance, suffix in ((0.05, ".stl"), (0.005, ".3mf")):
        file = exported(part, tmp_path / f"{name}{suffix}", tolerance)
        assert_holds(part, read_back(service, file), tolerance)


@pytest.mark.parametrize("suffix", [".3mf", ".obj", ".stl"])
def test_bodies_that_touch_along_an_edge_are_read_as_they_were_written(
    suffix: str, service: DirectService, tmp_path: Path
) -> None:
    (part,) = service.evaluate(EvalCode("[union [cube 9 9 9] [translate 9 9 0 [cube 9 9 9]]]")).parts
    assert_holds(part, read_back(service, exported(part, tmp_path / f"part{suffix}", 0.05)), 0.05)


def test_holes_that_touch_along_a_line_are_read_from_stl_as_they_were_written(
    service: DirectService, tmp_path: Path
) -> None:
    hole = "[translate 5 5 -1 [cylinder 2 20]]"
    holes = f"[difference-all #[{hole} [translate 4 0 0 {hole}]] [cube 14 9 8]]"
    (part,) = service.evaluate(EvalCode(holes)).parts
    assert_holds(part, read_back(service, exported(part, tmp_path / "part.stl", 0.03)), 0.03)


@pytest.mark.parametrize(
    "tolerance", [0.02, *(pytest.param(tolerance, marks=pytest.mark.soak) for tolerance in (0.05, 0.01))]
)
def test_a_key_cap_is_never_filled(tolerance: float, service: DirectService) -> None:
    # it was written as a solid block of 1914.6 mm³
    (part,) = service.evaluate(EvalCode(source("key_cap"), tolerance=tolerance)).parts
    figures = part.mesh_figures
    assert figures.volume == pytest.approx(646.38, rel=2e-3)
    assert figures.surface_area == pytest.approx(1496.31, rel=2e-3)
    assert (figures.lumps, figures.shells) == (1, 1)


@pytest.mark.soak  # 77 bodies by six tolerances and four formats: seven minutes of a core
@pytest.mark.parametrize("tolerance", [0.05, 0.02, 0.01, 0.005, 0.002, 0.001])
@pytest.mark.parametrize("name", names())
def test_every_file_of_every_body_has_its_figures(
    name: str, tolerance: float, service: DirectService, tmp_path: Path
) -> None:
    (part,) = service.evaluate(EvalCode(source(name))).parts
    for suffix in READ_BACK:
        file = tmp_path / f"{name}{suffix}"
        if name == "far_away" and tolerance < 0.0039 and suffix != ".obj":
            # 100 m from the origin single precision tells 8 µm apart
            with pytest.raises(ExportError, match=r"rounds to 0\.0039 mm"):
                exported(part, file, tolerance)
        else:
            assert_holds(part, read_back(service, exported(part, file, tolerance)), tolerance)


# ---------------------------------------------------------------- refused


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if needs_mesh(suffix)])
def test_a_mesh_that_is_not_the_part_is_not_written(
    suffix: str, service: DirectService, tmp_path: Path
) -> None:
    """A mesh came out wrong, and no B-rep is there to mend it: the figures are said, an old file stays."""
    (part,) = service.evaluate(EvalCode("[difference [cylinder 1 9] [cylinder 3 5]]")).parts
    file = tmp_path / f"part{suffix}"
    file.write_bytes(b"older")
    filled = service.evaluate(EvalCode("[cylinder 3 5]")).parts[0].mesh_figures
    measurement = Measurement(
        part.document, part.node, part.mesh_figures, NoExactKernel(), meshed=lambda _: filled
    )
    answers = DirectAnswers({part.node: measurement}, Recorder(), SolidCache())
    with pytest.raises(GeometryError) as refused:
        answers.ask(Export(path=file, chord=0.001), replace(part, answers=answers))
    assert refused.value.code == MESH_UNSOUND
    assert "the volume is 140.465 mm³, and 124.858 mm³ by another mesh" in refused.value.message
    assert refused.value.fix is not None
    assert file.read_bytes() == b"older"


@pytest.mark.parametrize("suffix", [".3mf", ".glb", ".stl"])
def test_single_precision_that_is_coarser_than_the_tolerance_is_refused(
    suffix: str, service: DirectService, tmp_path: Path
) -> None:
    (part,) = service.evaluate(EvalCode("[translate 200000.3 0 0 [sphere 5]]")).parts
    exported(part, tmp_path / f"coarse{suffix}", 0.05)
    with pytest.raises(ExportError, match=r"rounds to 0\.0078 mm") as refused:
        exported(part, tmp_path / f"fine{suffix}", 0.005)
    assert ".obj" in str(refused.value.fix)
    assert not (tmp_path / f"fine{suffix}").exists()
    exported(part, tmp_path / "fine.obj", 0.005)


def test_python_is_not_given_a_mesh_that_is_known_not_to_be_the_part(service: DirectService) -> None:
    # a plug turned in its bore: the chords of the two cross, and only the B-rep is closed there
    program = """
        [let rod [cylinder 3 10]]
        [union [rotate 0 0 7 rod] [difference rod [translate -5 -5 0 [cube 10 10 10]]]]
    """
    (part,) = service.evaluate(EvalCode(program)).parts
    assert part.figures.surface_area == pytest.approx(600.0, rel=1e-9)
    assert measure(part.given_mesh(), exact=False).surface_area == pytest.approx(600.0, rel=5e-3)
    unmended = evaluate(part.document, EvaluationOptions(exact=NoExactKernel())).parts[0].mesh_figures
    with pytest.raises(GeometryError, match="facets of one surface cross") as refused:
        replace(part, mesh_figures=unmended).given_mesh()
    assert refused.value.code == MESH_UNSOUND
    assert refused.value.place is not None
    (given,) = part.answers.ask(MeshOf(), part)
    assert measure(given, exact=False).surface_area == pytest.approx(600.0, rel=1e-9)
