"""``%loon_env``."""

from __future__ import annotations

import pytest

from notebook_ext.display.environment import EnvironmentView
from notebook_ext.session.cells.knowledge import SessionKnowledge
from vcad_kernel.loon.reference import Entry
from vcad_kernel.service.protocol import Definition

FIGURES = "plate: 4 × 4 × 1 mm · volume 16 mm³"

KNOWLEDGE = SessionKnowledge(
    {
        "wide?": Definition(
            Entry("wide?", "function", type="Real -> Bool", doc="Whether it is.\nMore."), "a", ""
        ),
        "sizes": Definition(Entry("sizes", "variable"), "b", "#[1 2 <3>]"),
        "plate": Definition(Entry("plate", "variable"), "b", "[Cube 4 4 1]", given=True),
    },
    {"plate": FIGURES, "sphere": "sphere: 1 × 1 × 1 mm"},
    {"a": "cell [1]", "b": "plate"},
)


def test_the_table_says_name_type_cell_and_value_or_figures() -> None:
    assert repr(EnvironmentView(KNOWLEDGE)).split("\n") == [
        "name    type         cell      value",
        "wide?   Real → Bool  cell [1]  Whether it is.",
        "sizes   variable     plate     #[1 2 <3>]",
        f"plate   part         plate     {FIGURES}",
        "sphere  part         sphere    sphere: 1 × 1 × 1 mm",
    ]


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60), (61, "x" * 59 + "…")])
def test_a_long_value_is_cut_in_plain_text(length: int, shown: str) -> None:
    text = Definition(Entry("text", "variable"), "c", "x" * length)
    assert repr(EnvironmentView(SessionKnowledge({"text": text}))).endswith(f"  {shown}")


def test_html_keeps_text_as_text() -> None:
    html = EnvironmentView(KNOWLEDGE).html()
    assert "#[1 2 &lt;3&gt;]" in html
    assert html.count("<tr>") == 5


def test_figures_are_those_of_the_value_itself() -> None:
    """A cell's own ``plate`` is not the part that the cell called plate gives."""
    own = Definition(Entry("plate", "variable"), "b", "[Cube 1 1 1]")
    knowledge = SessionKnowledge({"plate": own}, {"plate": FIGURES}, {})
    assert knowledge.value(own.entry) == "[Cube 1 1 1]"


def test_a_local_of_the_same_name_has_no_value() -> None:
    assert KNOWLEDGE.value(Entry("sizes", "variable")) == ""


def test_an_empty_environment_says_so() -> None:
    assert repr(EnvironmentView(SessionKnowledge())) == "no cell has defined anything yet"
