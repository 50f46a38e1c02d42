"""Which places of a text are broken, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

# Cosmic Ray is installed by `make soak` alone.
pytestmark = pytest.mark.soak

SOURCE = '''"""A module."""
from __future__ import annotations

Number = int | float


def area(width: int | None, height: int = 2) -> int | None:
    if width is None:
        return None
    return width * height
'''


def test_what_happens_when_the_program_runs_is_broken_and_annotations_are_not() -> None:
    from tools.mutants import mutants_of

    broken = {mutant.applied(SOURCE) for _, mutant in mutants_of("vcad_kernel/cad/area.py", SOURCE)}
    assert SOURCE.replace("width * height", "width + height") in broken
    assert SOURCE.replace("is None", "is not None") in broken
    assert SOURCE.replace("= 2", "= 3") in broken
    assert not [text for text in broken if "int | None" not in text or "Number = int | float" not in text]


def test_a_place_keeps_its_digest_when_lines_are_put_before_it() -> None:
    from tools.mutants import mutants_of

    path = "vcad_kernel/cad/area.py"
    before = {digest for digest, _ in mutants_of(path, SOURCE)}
    assert {
        digest for digest, _ in mutants_of(path, SOURCE.replace("\n\nNumber", "\n\nX = 1\nNumber"))
    } >= before


def test_the_package_is_the_folder_below_the_top() -> None:
    from tools.mutants import Mutant

    assert Mutant("vcad_kernel/geometry/occt/brep.py", 1, "", 0).package == "vcad_kernel/geometry"
    assert Mutant("vcad_kernel/units.py", 1, "", 0).package == "vcad_kernel"


def test_a_test_that_fails_where_nothing_is_broken_has_noticed_nothing(tmp_path: Path) -> None:
    from tools.mutants import Mutant, Outcome, _fails_anyway

    (tmp_path / "test_both.py").write_text("def test_right(): pass\n\ndef test_wrong(): raise OSError\n")
    kills = [
        Outcome(Mutant("vcad_kernel/units.py", 1, "", 0), "killed", 1, "", test)
        for test in ("test_both.py::test_right", "test_both.py::test_wrong", "")
    ]
    assert _fails_anyway(kills, tmp_path) == {"test_both.py::test_wrong"}
