"""Which run of a cell its sliders belong to."""

from __future__ import annotations

from dataclasses import replace

from notebook_ext.session.cells.parameters import CellParameters, Ran
from vcad_kernel.contracts.messages import CellSource
from vcad_kernel.ir.parameter import Parameter
from vcad_kernel.service.requests import Options

WIDTH = (Parameter("width", 4.0, 4.0),)


def parameters() -> CellParameters:
    return CellParameters(lambda *_: None)


def ran(text: str = "[defparam width 4.0]") -> Ran:
    return Ran(CellSource("a", text, "", {}, None, {}), None, Options())


def test_runs_by_sliders_keep_the_run_of_the_person() -> None:
    known, first = parameters(), ran()
    known.note(first, WIDTH)
    known.note(replace(first, cell=replace(first.cell, parameters={"width": 5})), WIDTH)
    assert known.is_still("a", first.run)
    assert known.ran("a").cell.parameters == {"width": 5}


def test_a_slider_of_an_earlier_run_has_nothing_more_to_say() -> None:
    known, first = parameters(), ran()
    known.note(first, WIDTH)
    known.forget("a")
    assert not known.is_still("a", first.run)
    # the same text, run again, is another run: the person has the last word
    known.note(ran(), WIDTH)
    assert not known.is_still("a", first.run)
