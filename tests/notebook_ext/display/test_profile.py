"""The profile as a notebook shows it: slowest first, in text and in HTML."""

from __future__ import annotations

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.display.part import Part
from notebook_ext.display.profile import ProfileView
from notebook_ext.magics.loon import LoonMagics
from notebook_ext.session.session import Session
from vcad_kernel.errors import Place
from vcad_kernel.geometry.profiling import NodeProfile
from vcad_kernel.operations.node import NodeId


def _row(node: int, function: str, ms: float, *, cached: bool = False, size: int | None = 12) -> NodeProfile:
    place = Place("part.oo", 3, 1, 3, 9, "  [cube 1 <2> 3]")
    return NodeProfile(NodeId(node), function, None, place, "mesh", 1, ms, size, cached)


def test_rows_are_sorted_by_time_with_their_source_line() -> None:
    view = ProfileView([_row(0, "cube", 1.5), _row(1, "fillet", 40.25), _row(2, "union", 0.0, cached=True)])
    lines = repr(view).splitlines()
    assert lines[0].split() == ["ms", "size", "calls", "cached", "form", "source"]
    assert [line.split()[0] for line in lines[1:-1]] == ["40.25", "1.50", "0.00"]
    assert lines[1].endswith("part.oo:3  [cube 1 <2> 3]")
    assert "yes" in lines[3]
    assert lines[-1] == "41.75 ms in all; 2 built, 1 known from before"
    assert (len(view), view[0].function, view.total) == (3, "fillet", 41.75)


def test_html_says_the_same_and_escapes_the_source() -> None:
    html = ProfileView([_row(0, "cube", 1.5)])._repr_html_()
    assert "[cube 1 &lt;2&gt; 3]" in html
    assert "12 triangles" in html
    assert "<script" not in html


def test_b_reps_count_faces_and_unmade_solids_nothing() -> None:
    brep = NodeProfile(NodeId(0), "fillet", "lid", None, "brep", 1, 3.0, 26, False)
    text = repr(ProfileView([brep, _row(1, "translate", 0.0, size=None)]))
    assert "26 faces" in text
    assert "fillet (lid)" in text


def test_the_magic_shows_the_latest_part_or_the_one_that_is_named() -> None:
    shell = InteractiveShell.instance()
    session = Session(shell)
    magics = LoonMagics(shell, session)
    with pytest.raises(UsageError, match="no part has been made"):
        magics.loon_profile("")
    session.evaluate("[difference [cylinder 1 9] [cube 5 5 5]]", "plate")
    session.evaluate("[sphere 2]", "ball")
    session.evaluate("[+ 1 2]")
    latest, named = magics.loon_profile(""), magics.loon_profile("plate")
    assert isinstance(latest, ProfileView)
    assert isinstance(named, ProfileView)
    assert {row.function for row in latest} == {"sphere"}
    assert {row.function for row in named} == {"cube", "cylinder", "difference"}
    with pytest.raises(UsageError, match="did you mean plate"):
        magics.loon_profile("plat")
    session.forget(["ball"])
    with pytest.raises(UsageError, match="no part has been made"):
        magics.loon_profile("")


def test_a_part_tells_where_its_faces_come_from_and_where_its_time_went() -> None:
    session = Session(InteractiveShell.instance())
    part = session.evaluate("[difference [translate 2 2 -1 [cylinder 1 9]] [cube 5 5 5]]")
    assert isinstance(part, Part)
    assert sorted(face.made_by for face in part.faces()) == ["cube"] * 6 + ["cylinder"]
    assert {row.function for row in part.profile()} >= {"cube", "cylinder", "difference"}
