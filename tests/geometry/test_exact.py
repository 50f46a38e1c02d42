"""The installed exact kernel, where its library is missing."""

from __future__ import annotations

import importlib.metadata
import sys
from types import ModuleType, SimpleNamespace

import pytest

from tests.geometry.models import Solid, box, document, solid
from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.geometry import exact
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.evaluate import EvaluationOptions, evaluate
from vcad_kernel.geometry.exact import InstalledKernel, why_not
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.bodies.bodies import Offset
from vcad_kernel.operations.features.features import Fillet
from vcad_kernel.operations.solids.shapes import Cylinder


def test_without_its_library_every_question_names_the_function_and_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # None in the table of modules makes their import fail
    monkeypatch.setitem(sys.modules, "vcad_kernel.geometry.occt.kernel", None)
    found = document(solid(Fillet, box(4.0, 4.0, 4.0), radius=1.0))
    node = found.roots[0].node
    kernel = InstalledKernel(SolidCache())
    for ask in (
        lambda: kernel.brep(found, node),
        lambda: kernel.tessellate(found, node, Tessellation()),
        lambda: kernel.figures(found, node),
    ):
        with pytest.raises(CapabilityUnavailable, match="fillet needs the exact") as caught:
            ask()
        assert caught.value.details["required_capability"] == "brep"
        assert caught.value.details["node_id"] == int(node)
        # it is installed, and no fix names a package that is there
        assert "again" in (caught.value.fix or "")


@pytest.fixture
def slim_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without libGL, on which OpenCASCADE cannot be loaded."""

    def import_module(name: str) -> ModuleType:
        if "occt" in name:
            raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")
        return importlib.import_module(name)

    monkeypatch.setattr(exact, "_loading", None)
    monkeypatch.setattr(
        exact, "importlib", SimpleNamespace(import_module=import_module, metadata=importlib.metadata)
    )


@pytest.mark.usefixtures("slim_machine")
def test_a_library_that_is_missing_is_named_with_its_package() -> None:
    found = document(solid(Fillet, box(4.0, 4.0, 4.0), radius=1.0))
    with pytest.raises(CapabilityUnavailable) as caught:
        InstalledKernel(SolidCache()).brep(found, found.roots[0].node)
    assert caught.value.why == "OpenCASCADE cannot be loaded: libGL.so.1 is missing on this machine"
    assert caught.value.fix == "install the package libgl1 (apt install libgl1 on Debian and Ubuntu)"
    assert why_not() == f"libGL.so.1 is missing on this machine; {caught.value.fix}"


@pytest.mark.usefixtures("slim_machine")
def test_figures_that_are_those_of_the_mesh_for_want_of_a_library_say_so() -> None:
    rod = document(solid(Cylinder, radius=2.0, height=10.0))
    scene = evaluate(rod, EvaluationOptions(exact=InstalledKernel(SolidCache())))
    figures = scene.parts[0].measurement.figures()
    assert not figures.exact
    (note,) = figures.notes
    assert note.message == (
        "OpenCASCADE cannot be loaded: libGL.so.1 is missing on this machine, so these figures are those of"
        " the mesh; install the package libgl1 (apt install libgl1 on Debian and Ubuntu)"
    )


def test_it_says_why_its_library_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_not() is None
    monkeypatch.setitem(sys.modules, "vcad_kernel.geometry.occt.kernel", None)
    monkeypatch.setattr(exact, "_loading", None)
    assert "vcad_kernel.geometry.occt.kernel" in str(why_not())


@pytest.mark.parametrize(
    ("body", "started"),
    [
        (box(4.0, 4.0, 4.0), ["soon"]),
        (solid(Offset, box(4.0, 4.0, 4.0), distance=-1.0), ["soon"]),
        (solid(Offset, box(4.0, 4.0, 4.0), distance=1.0), ["now", "soon"]),
    ],
    ids=["a box", "shrunk", "grown"],
)
def test_a_process_for_what_may_die_starts_while_our_own_library_loads(
    monkeypatch: pytest.MonkeyPatch, body: Solid, started: list[str]
) -> None:
    found: list[str] = []
    monkeypatch.setattr(exact.separate_process, "start", lambda: found.append("now"))
    monkeypatch.setattr(exact.separate_process, "start_soon", lambda: found.append("soon"))
    model = document(body)
    kernel = InstalledKernel(SolidCache())
    for _ in range(2):
        kernel.brep(model, model.roots[0].node)
    assert found == started
