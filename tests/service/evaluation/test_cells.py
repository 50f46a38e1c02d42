"""What a service knows of the names that cells have defined, and how they are taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.notebook import Notebook
from vcad_kernel.cad.library import PRELUDE
from vcad_kernel.errors import LoonNameError, LoonRuntimeError, VcadError
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.limits.limits import Limits
from vcad_kernel.loon.source import Source
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def test_definitions_name_cell_and_value(notebook: Notebook) -> None:
    notebook.run("[let sizes #[1 2]] [fn twice [x] [* 2 x]]", "first")
    notebook.run("[cube wide 1 1]", "second", bind="plate", wide=4)
    assert notebook.shown() == {
        "sizes": ("first", "#[1 2]"),
        "twice": ("first", ""),
        "wide": ("second", "4"),
        "plate": ("second", "[Cube 4 1 1]"),
    }


def test_definitions_say_what_the_text_says_of_them(notebook: Notebook) -> None:
    notebook.run("\n; Twice as much.\n[fn twice [x] [* 2 x]]")
    notebook.run("[twice 2]", bind="four", given=1)
    definitions = notebook.service.definitions()
    twice = definitions["twice"].entry
    assert (twice.usage, twice.doc) == ("[twice x]", "Twice as much.")
    assert twice.place is not None
    assert twice.place.line == 3
    assert [definitions[name].given for name in ("twice", "four", "given")] == [False, True, True]


def test_definitions_stand_as_they_do_in_the_cells(notebook: Notebook) -> None:
    notebook.run("[let zeta 1]\n[let beta 2] [let alpha 3]", "first")
    notebook.run("[let gamma 4]", "second")
    assert list(notebook.service.definitions()) == ["zeta", "beta", "alpha", "gamma"]
    notebook.run("[let zeta 1]\n[let beta 2]", "first")
    assert list(notebook.service.definitions()) == ["gamma", "zeta", "beta"]


def test_definitions_are_a_snapshot(notebook: Notebook) -> None:
    notebook.run("[let a 1]", "cell")
    before = notebook.service.definitions()
    notebook.run("[let b 2]", "cell")
    assert list(before) == ["a"]
    assert list(notebook.service.definitions()) == ["b"]


def test_long_values_are_shortened(notebook: Notebook) -> None:
    notebook.run("[let many [range 0 10000]]")
    shown = notebook.service.definitions()["many"].display
    assert shown.startswith("#[0 1 2 ")
    assert shown.endswith("…")
    assert len(shown) < 250


def test_a_failing_cell_defines_what_it_defined(notebook: Notebook) -> None:
    with pytest.raises(VcadError):
        notebook.run("[let kept 1] [nth #[] 0] [let lost 2]")
    assert list(notebook.service.definitions()) == ["kept"]


def test_names_taken_back_are_gone_and_what_they_hid_is_back(notebook: Notebook) -> None:
    notebook.run("[let a 1] [fn len [x] 42]")
    notebook.take_back("a", "len")
    assert notebook.run("[len #[1 2]]").display == "2"
    with pytest.raises(LoonNameError):
        notebook.run("a")


def test_macros_are_taken_back_like_anything_else(notebook: Notebook) -> None:
    notebook.run("[macro twice [x] `[* 2 ~x]]")
    assert notebook.run("[twice 4]").display == "8"
    notebook.take_back("twice")
    with pytest.raises(LoonNameError):
        notebook.run("[twice 4]")


def test_a_part_is_made_beside_a_macro(notebook: Notebook) -> None:
    notebook.run("[macro twice [x] `[* 2 ~x]]")
    assert notebook.run("[cube [twice 2] 1 1]").parts[0].figures.volume == 4
    assert notebook.shown()["twice"][1] == ""


def test_a_text_is_checked_after_the_cells_so_far_without_its_own_earlier_run(notebook: Notebook) -> None:
    notebook.run("[let wide 3]", "definitions")
    notebook.run("[fn slab [t] [cube wide wide t]]", "slab")
    service = notebook.service
    assert service.check("[slab 2]", cell_id="new") == ()
    assert [one.code for one in service.check("[slab wide]", cell_id="definitions")] == ["E0201"]
    assert service.check("[slab given]", cell_id="new", bindings={"given": 4}) == ()
    assert [one.code for one in service.check("[slab given]", cell_id="new")] == ["E0201"]
    assert notebook.run("wide").display == "3"


def test_text_that_cannot_be_read_is_one_finding(notebook: Notebook) -> None:
    (found,) = notebook.service.check("\n[cube 1")
    assert (found.code, found.place.line, found.place.column) == ("E0102", 2, 1)


def test_findings_accompany_a_result() -> None:
    result = DirectService().evaluate(EvalCode("[fn wrong [] [uppercase 3]] 4", allow_scene=True))
    assert result.display == "4"
    assert [one.code for one in result.diagnostics] == ["E0200"]


def test_a_lost_environment_is_made_again_without_what_was_taken_back(notebook: Notebook) -> None:
    notebook.run("[let a 1] [let b 2]")
    notebook.take_back("a")
    elsewhere = Notebook()
    elsewhere.history = list(notebook.history)
    assert elsewhere.run("b").display == "2"
    with pytest.raises(LoonNameError):
        elsewhere.run("a")


def test_cells_use_the_modules_of_their_folder(tmp_path: Path) -> None:
    (tmp_path / "plates.oo").write_text("[pub fn plate [w] [cube w w 1]]", "utf-8")
    notebook = Notebook(tmp_path)
    notebook.run("[use plates]")
    assert notebook.run("[plates.plate 3]").parts[0].figures.volume == 9


def test_a_cell_can_be_checked_before_any_has_been_evaluated(tmp_path: Path) -> None:
    (tmp_path / "plates.oo").write_text("[pub fn plate [w] [cube w w 1]]", "utf-8")
    service = DirectService(folder=tmp_path)
    assert service.check("[use plates] [plates.plate 3]") == ()
    assert [one.code for one in service.check("[use missing]")] == ["E0500"]


def test_a_program_uses_the_modules_of_the_folder_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "plates.oo").write_text("[pub fn plate [w] [cube w w 1]]", "utf-8")
    service = DirectService()
    code = "[use plates] [plates.plate 3]"
    assert service.evaluate(EvalCode(code, base_dir=tmp_path)).parts[0].figures.volume == 9
    with pytest.raises(LoonRuntimeError) as refused:
        service.evaluate(EvalCode(code))
    assert refused.value.code == "E0500"


def test_limits_hold_for_cells_and_programs() -> None:
    service = DirectService(limits=Limits(items=100))
    with pytest.raises(LoonRuntimeError) as refused:
        service.evaluate(EvalCode("[range 0 1000]", allow_scene=True))
    assert refused.value.code == "collection-size"
    with pytest.raises(LoonRuntimeError) as refused:
        Notebook(None, service).run("[range 0 1000]")
    assert refused.value.code == "collection-size"


@pytest.mark.parametrize("value", [print, [0] * 100_000, {1: 2}])
def test_a_check_takes_every_python_value_as_bound(notebook: Notebook, value: object) -> None:
    assert notebook.service.check("[len given]", bindings={"given": value}) == ()


def test_what_a_cell_was_given_is_known_elsewhere_by_its_type(notebook: Notebook) -> None:
    notebook.run("[cube wide 1 1]", "first", bind="plate", wide=4)
    notebook.run('{:a 1 :b "x"}', "second", bind="options")
    notebook.run("[fn [x] x]", "third", bind="same")
    definitions = notebook.service.definitions()
    assert definitions["plate"].type == "Solid"
    learner = Environment(prelude=PRELUDE)
    for name, one in definitions.items():
        assert one.given
        learner.user.learn(name, one.type)
    for probe in ("[uppercase plate]", "[sphere wide]", "[+ options 1]", "[same 1]", "[uppercase options.a]"):
        found = [one.render() for one in notebook.service.check(probe, name="probe")]
        assert [one.render() for one in learner.check(Source("probe", probe))] == found
