"""The installed exact kernel, where its library is missing."""

from __future__ import annotations

import sys

import pytest

from tests.geometry.models import box, document, solid
from vcad_kernel.errors import CapabilityUnavailable
from vcad_kernel.geometry import exact
from vcad_kernel.geometry.cache.solid_cache import SolidCache
from vcad_kernel.geometry.exact import InstalledKernel, why_not
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.operations.features import Fillet


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
        assert "cadquery-ocp" in (caught.value.fix or "")


def test_it_says_why_its_library_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_not() is None
    monkeypatch.setitem(sys.modules, "vcad_kernel.geometry.occt.kernel", None)
    monkeypatch.setattr(exact, "_loading", None)
    assert "vcad_kernel.geometry.occt.kernel" in str(why_not())
