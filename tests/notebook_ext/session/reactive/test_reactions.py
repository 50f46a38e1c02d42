"""What follows when something changes: which cells are evaluated again, and what of them is seen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.session.reactive.trigger_window import Trigger
from tests.notebook_ext.session.reactive.reacting import ReactingNotebook
from vcad_kernel.errors import VcadError

LIMIT = 60.0
"""Seconds after which a thread that should have ended counts as hanging."""


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[ReactingNotebook]:
    made = ReactingNotebook(tmp_path / "project")
    yield made
    made.close()


@pytest.fixture
def three(notebook: ReactingNotebook) -> ReactingNotebook:
    """c1 with a slider, lid and box built from it one after the other, and one beside."""
    notebook.run("c1", "[defparam w 40 {:min 1 :max 80}]\n[cube w 2 2]", name="wall")
    notebook.run("c2", "[let lid-width [* w 2]]\n[cube lid-width 1 1]", name="lid")
    notebook.run("c3", "[cube [+ lid-width 1] 3 3]", name="box")
    notebook.run("c4", "[cube 5 5 5]", name="foot")
    notebook.service.evaluated.clear()
    return notebook


def width(notebook: ReactingNotebook, name: str) -> float:
    low, high = notebook.session[name].figures.bounds
    return high[0] - low[0]


def test_a_slider_goes_through_all_that_is_built_from_it_and_nothing_else(three: ReactingNotebook) -> None:
    foot = three.session["foot"]
    assert three.slide("c1", w=50.0) == ["c1", "c2", "c3"]
    assert [width(three, name) for name in ("wall", "lid", "box")] == [50, 100, 101]
    assert three.session["foot"] is foot
    assert three.marks == {}
    assert three.slide("c1", w=50.0) == ["c1"]  # a run that changes nothing stops there


@pytest.mark.parametrize("node_id", [None, "wall"])
def test_a_parameter_that_is_set_goes_on_as_a_slider_does(
    three: ReactingNotebook, node_id: str | None
) -> None:
    three.session.set_parameter("w", 50.0, node_id=node_id)
    assert three.follow() == ["c2", "c3"]
    assert width(three, "box") == 101


def test_a_parameter_of_a_cell_without_a_part_goes_on_as_well(notebook: ReactingNotebook) -> None:
    notebook.run("c1", "[defparam w 4 {:min 1 :max 9}]")
    notebook.run("c2", "[let d [* w 2]]")
    notebook.session.set_parameter("w", 5)
    assert notebook.follow() == ["c2"]
    assert notebook.value("d") == "10"


def test_all_doors_in_one_window_are_one_cascade(three: ReactingNotebook) -> None:
    three.session.set_parameter("w", 50.0)
    three.run("c2", "[let lid-width [* w 3]]\n[cube lid-width 1 1]", name="lid")
    three.session.set_parameter("w", 60.0)
    assert three.follow() == ["c2", "c3"]
    assert width(three, "box") == 181


def test_run_all_evaluates_nothing_twice(three: ReactingNotebook) -> None:
    texts = {
        "c1": ("[defparam w 44 {:min 1 :max 80}]\n[cube w 2 2]", "wall"),
        "c2": ("[let lid-width [* w 2]]\n[cube lid-width 1 1]", "lid"),
        "c3": ("[cube [+ lid-width 1] 3 3]", "box"),
        "c4": ("[cube 5 5 5]", "foot"),
    }
    for cell, (text, name) in texts.items():
        three.run(cell, text, name=name)
    assert three.follow() == []
    assert three.service.evaluated == list(texts)
    assert three.marks == {}


def test_a_failing_cell_keeps_its_part_and_its_siblings_go_on(three: ReactingNotebook) -> None:
    three.run("c5", "[let d [- 60 w]]\n[cube d 1 1]", name="narrow")  # of no width from 60 on
    three.run("c6", "[cube d 2 2]", name="narrower")
    narrow = three.session["narrow"]
    evaluated = three.slide("c1", w=60.0)
    assert sorted(evaluated) == ["c1", "c2", "c3", "c5"]
    assert three.session["narrow"] is narrow
    assert three.marks["c5"].startswith("failed: ")
    assert three.marks["c6"].startswith("narrow has failed: ")
    assert three.session["narrower"].stale == three.marks["c6"]
    assert width(three, "box") == 121
    assert three.session.reactions.failed == 1
    assert sorted(three.slide("c1", w=20.0)) == ["c1", "c2", "c3", "c5", "c6"]
    assert three.marks == {}
    assert width(three, "narrower") == 40


def test_where_cells_do_not_react_they_are_marked_and_nothing_is_evaluated(three: ReactingNotebook) -> None:
    three.session.reactions.set_auto(False)
    assert three.slide("c1", w=50.0) == ["c1"]
    three.session.set_parameter("w", 51.0)
    three.run("c1", "[defparam w 52 {:min 1 :max 80}]\n[cube w 2 2]", name="wall")
    assert three.follow() == []
    assert three.marks == {
        "c2": "`w` has changed in wall",
        "c3": "waits for a cell above that is out of date",
    }
    assert three.session["lid"].stale == "`w` has changed in wall"
    assert three.session["wall"].stale is None
    assert three.during(lambda: three.session.reactions.set_auto(True)) == ["c2", "c3"]
    assert three.marks == {}
    assert three.session["lid"].stale is None


def test_a_name_that_is_taken_over_is_told_and_its_users_are_marked(
    three: ReactingNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    three.run("c9", "[let lid-width 7]")
    said = capsys.readouterr().err
    assert "warning [NAME_TAKEN_OVER]" in said
    assert "`lid-width` was lid's; box uses it" in said
    assert three.follow() == []
    assert three.marks["c3"].startswith("`lid-width` is cell [")
    assert width(three, "box") == 81
    three.run("c3", "[cube [+ lid-width 1] 3 3]", name="box")
    assert three.marks == {}
    assert width(three, "box") == 8
    assert three.slide("c1", w=50.0) == ["c1", "c2", "c9"]  # it stays the other's
    assert three.value("lid-width") == "7"
    assert three.marks == {}


def test_the_name_of_two_cells_is_the_one_s_that_somebody_ran_last(notebook: ReactingNotebook) -> None:
    notebook.run("c0", "[defparam w 3 {:min 1 :max 9}]")
    notebook.run("c1", "[let wall 10]\n[let other w]")
    notebook.run("c2", "[let wall [+ wall 1]]")
    notebook.run("c3", "[let lid [+ wall 100]]")
    assert notebook.slide("c0", w=4) == ["c0", "c1", "c2"]
    assert notebook.meanings()["wall"][0] == "c2"
    assert notebook.value("[+ lid wall]") == "122"
    assert notebook.marks == {}
    notebook.run("c1", "[let wall 20]\n[let other w]")  # now it is this one's
    assert notebook.meanings()["wall"][0] == "c1"


def test_a_cycle_of_cells_is_told_and_only_marks(
    notebook: ReactingNotebook, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook.run("c1", "[let a 1]")
    notebook.run("c2", "[let b [+ a 1]]")
    notebook.run("c1", "[let a [+ b 1]]")
    said = capsys.readouterr().err
    assert "warning [DEPENDENCY_CYCLE]" in said
    assert notebook.follow() == ["c2"]
    assert "which is built from this cell" in notebook.marks["c1"]
    assert notebook.value("[+ a b]") == "7"  # a is 3, b 4: each was evaluated once
    assert notebook.follow() == []


def test_a_cell_that_failed_on_an_unknown_name_is_marked_once_that_is_defined(
    notebook: ReactingNotebook,
) -> None:
    assert "missing" in notebook.fails("c1", "[cube missing 1 1]", name="box").message
    notebook.run("c2", "[let missing 4]")
    assert notebook.follow() == []
    assert notebook.marks["c1"].startswith("`missing` is defined in cell")
    notebook.run("c1", "[cube missing 1 1]", name="box")
    assert notebook.marks == {}


def test_python_keeps_what_it_has_bound_itself(three: ReactingNotebook) -> None:
    before = dict(three.python)
    assert before["lid"] is three.session["lid"]
    three.python["box"] = "mine"
    three.slide("c1", w=50.0)
    assert three.python["lid"] is three.session["lid"] is not before["lid"]
    assert three.python["box"] == "mine"
    assert "lid-width" not in three.python
    del three.python["lid"]
    three.slide("c1", w=51.0)
    assert "lid" not in three.python


def test_values_that_came_from_python_stay_what_they_were(three: ReactingNotebook) -> None:
    three.run("c7", "[cube [+ size w] 1 1]", name="post", bindings={"size": 3})
    assert three.slide("c1", w=50.0) == ["c1", "c2", "c3", "c7"]
    assert width(three, "post") == 53


def test_what_a_private_cell_defines_is_nobodys_name(three: ReactingNotebook) -> None:
    three.run("c7", "[let lid-width 3]\n[cube [+ lid-width w] 1 1]", name="elbow", private=True)
    assert three.follow() == []
    assert three.marks == {}
    assert "lid-width" in three.session.knowledge.definitions
    assert three.meanings()["lid-width"][0] == "c2"
    assert three.slide("c1", w=50.0) == ["c1", "c2", "c3", "c7"]
    assert width(three, "elbow") == 53
    assert three.meanings()["lid-width"][0] == "c2"


def test_a_part_that_is_pending_is_waited_for_by_who_reads_it(three: ReactingNotebook) -> None:
    three.run("c1", "[defparam w 52 {:min 1 :max 80}]\n[cube w 2 2]", name="wall")
    box = three.session["box"]
    widths = []
    thread = threading.Thread(target=lambda: widths.append(box.figures.bounds[1][0]))
    thread.start()
    thread.join(LIMIT)
    assert widths == [105]
    assert three.service.evaluated == ["c1", "c2", "c3"]
    assert three.follow() == []  # nothing is left of it


def test_a_cascade_is_stopped_and_the_rest_is_out_of_date(three: ReactingNotebook) -> None:
    three.service.meanwhile = lambda cell: three.session.stop() if cell == "c2" else None
    with suppress(VcadError):
        three.slide("c1", w=50.0)
    assert width(three, "wall") == 50
    assert "c3" not in three.service.evaluated
    rest = list(three.marks)  # lid may have come to its end all the same
    assert rest in (["c2", "c3"], ["c3"])
    three.service.meanwhile = lambda _: None
    three.triggers.append(Trigger("cell", "c1"))
    assert three.follow() == rest
    assert three.marks == {}


def test_a_newer_value_ends_the_cascade_of_the_older(three: ReactingNotebook) -> None:
    cells = three.cells
    run = cells.parameters.ran("c1").run
    newer = threading.Event()
    three.service.meanwhile = lambda cell: newer.set() if cell == "c2" else None
    evaluated = three.during(lambda: cells._shown_again("c1", {"w": 50.0}, run, newer.is_set))
    assert evaluated == ["c1", "c2"]  # what is begun ends; box is not worth it
    three.service.meanwhile = lambda _: None
    assert three.slide("c1", w=55.0) == ["c1", "c2", "c3"]
    assert width(three, "box") == 111
    assert three.marks == {}


def test_a_cell_that_somebody_runs_meanwhile_leaves_the_cascade(three: ReactingNotebook) -> None:
    three.session.set_parameter("w", 50.0)
    three.run("c3", "[cube [+ lid-width 2] 3 3]", name="box")
    three.run("c2", "[let lid-width [* w 2]]\n[cube lid-width 1 1]", name="lid")
    assert three.follow() == ["c3"]
    assert width(three, "box") == 102


def test_cells_without_ids_react_by_their_names_and_those_that_nobody_can_name_never(tmp_path: Path) -> None:
    notebook = ReactingNotebook(tmp_path, ids=False)
    notebook.run("", "[let w 2]", name="width")
    notebook.run("", "[cube w 1 1]", name="lid")
    notebook.run("", "[let w 3]", name="width")
    assert notebook.follow() == ["name:lid"]
    notebook.run("", "[let w 3]")
    notebook.run("", "[cube w 1 1]", name="lid")  # known by its name
    notebook.run("", "[let d [* w 2]]")
    notebook.run("", "[let w 4]")
    assert notebook.follow() == []
    assert len(notebook.marks) == 2
    assert all("is cell [1]'s by now" in why for why in notebook.marks.values())
    assert "name:lid" in notebook.marks
    notebook.close()


def test_a_part_that_was_taken_back_does_not_come_back_by_itself(three: ReactingNotebook) -> None:
    three.session.forget(["lid"])
    assert three.slide("c1", w=50.0) == ["c1"]
    assert "lid" not in three.session.nodes()
    three.run("c2", "[let lid-width [* w 3]]\n[cube lid-width 1 1]", name="lid")  # who runs it means it
    assert three.slide("c1", w=60.0) == ["c1", "c2", "c3"]


def test_a_forgotten_name_marks_who_uses_it(three: ReactingNotebook) -> None:
    three.session.forget(["lid-width"])
    assert three.session.graph() is not None
    with pytest.raises(LoonCellFailed):
        three.session.eval_repl("lid-width")
    assert "not defined" in three.marks["c3"]
    assert three.follow() == []
