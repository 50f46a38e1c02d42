"""%loon_auto and %loon_graph, as a person types them, and what they and %loon_env show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.display.environment import EnvironmentView
from notebook_ext.display.graph import GraphView
from notebook_ext.magics.reacting import ReactingMagics
from notebook_ext.session.reactive.graph_state import GraphState, Vertex
from notebook_ext.session.session import Session
from vcad_kernel.errors import ServiceFailure
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def magics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReactingMagics]:
    monkeypatch.delenv("VCAD_WORKSPACE", raising=False)
    (tmp_path / ".git").mkdir()
    (tmp_path / "dims.oo").write_text("[pub let thick 3.0]")
    shell = InteractiveShell.instance()
    session = Session(shell, DirectService(), folder=tmp_path)
    yield ReactingMagics(shell, session)
    session.close()


def _made(session: Session) -> None:
    session.evaluate("[use dims] [defparam w 10 {:min 1 :max 50}] [cube w w dims.thick]", "box")
    session.evaluate("[translate 1 0 0 [cube [- 40 w] 1 1]]", "lid")
    session.evaluate("[union box lid]", "both")


def test_off_only_marks_and_on_brings_all_up_to_date(
    magics: ReactingMagics, capsys: pytest.CaptureFixture[str]
) -> None:
    session = magics.session
    _made(session)
    magics.loon_auto("off")
    session.set_parameter("w", 20)
    assert (session["lid"].stale, session["lid"].volume) == ("`w` has changed in box", 30)
    assert session["both"].stale is not None
    magics.loon_auto("on")
    assert (session["lid"].stale, session["lid"].volume) == (None, 20)
    magics.loon_auto("")
    said = capsys.readouterr().out.splitlines()
    assert [line.rpartition(" are ")[2] for line in said] == [
        "only marked",
        "evaluated again",
        "evaluated again",
    ]


def test_the_graph_says_what_is_built_from_what_and_how_it_stands(magics: ReactingMagics) -> None:
    session = magics.session
    assert repr(magics.loon_graph("")) == "no cell has run yet"
    _made(session)
    magics.loon_auto("off")
    session.set_parameter("w", 45)
    view = magics.loon_graph("")
    assert isinstance(view, GraphView)
    assert repr(view).splitlines() == [
        "dims.oo",
        "box ← dims.oo",
        "lid ← box · out of date",
        "both ← box, lid · out of date",
    ]
    magics.loon_auto("on")
    failed = repr(GraphView(session.graph()))
    assert "lid ← box · failed" in failed
    # what has failed is no longer waiting: of the others only `both` is out of date
    said = session.viewers.status.text.split(" · ")
    assert "1 failed" in said
    assert said[-1] == "1 cell is out of date"
    html = GraphView(session.graph("both")).html()
    assert html.count("<rect") == 4
    assert 'data-status="failed"' in html
    table = repr(EnvironmentView(session.knowledge))
    assert "out of date" in table.splitlines()[0]
    assert "lid has failed" in table
    with pytest.raises(ServiceFailure, match="no part 'none'"):
        session.graph("none")


@pytest.mark.parametrize(("seconds", "said"), [(0.046, "46 ms"), (6.213, "6.2 s")])
def test_durations_of_the_graph_are_short_enough_for_their_box(seconds: float, said: str) -> None:
    box = Vertex("cell:a", "cell", "a", status="up to date", revision=1, seconds=seconds)
    assert f"up to date · revision 1 · {said}</text>" in GraphView(GraphState((box,), (), ())).html()
