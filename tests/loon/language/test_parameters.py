"""``defparam``: a binding whose value the host may give, at the top of a text and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcad_kernel.errors import LoonError
from vcad_kernel.loon.highlighting import tokenize
from vcad_kernel.loon.modules.modules import Project
from vcad_kernel.loon.printing.formatter import format_source
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.collections import Map
from vcad_kernel.loon.runtime.values import Keyword
from vcad_kernel.loon.source import Source


class Host:
    """Gives the values that the test sets, and keeps what was declared."""

    def __init__(self, **values: object) -> None:
        self.values = values
        self.asked: list[tuple[str, object, object]] = []

    def __call__(self, name: str, default: object, options: object) -> object:
        self.asked.append((name, default, options))
        return self.values.get(name, default)


def run(text: str, host: Host | None = None, **options: object) -> object:
    environment = Environment() if host is None else Environment(declare=host)
    return environment.run(Source("part.oo", text))


def error_of(text: str) -> LoonError:
    with pytest.raises(LoonError) as caught:
        run(text)
    return caught.value


def test_without_a_host_a_parameter_is_its_default() -> None:
    assert run("[defparam width 40.0 {:min 10}] [* width 2.0]") == 80.0


def test_the_host_gets_name_default_and_options_and_gives_the_value() -> None:
    host = Host(width=50.0)
    assert run('[defparam width 40.0 {:unit "mm" :max [+ 40 40]}] [* width 2.0]', host) == 100.0
    options = Map([(Keyword("unit"), "mm"), (Keyword("max"), 80)])
    assert host.asked == [("width", 40.0, options)]


def test_a_default_may_stand_on_other_parameters() -> None:
    host = Host(a=3.0)
    assert run("[defparam a 2.0] [defparam b [* a 10.0]] b", host) == 30.0
    assert [name for name, _, _ in host.asked] == ["a", "b"]


def test_compiled_code_that_is_kept_keeps_no_value() -> None:
    text = "[defparam width 40.0] [fn twice [] [* 2.0 width]] [twice]"
    assert [run(text, Host(width=value)) for value in (1.0, 2.0, 3.0)] == [2.0, 4.0, 6.0]
    assert run(text) == 80.0


def test_macros_may_make_declarations() -> None:
    assert run("[macro size [name] `[defparam ~name 2.0]] [size width] width", Host(width=5.0)) == 5.0


def test_a_macro_named_like_a_parameter_is_left_alone() -> None:
    assert run("[macro width [] `7] [defparam width 2.0] 1") == 1


@pytest.mark.parametrize(
    "text",
    [
        "[do [defparam width 40.0]]",
        "[fn f [] [defparam width 40.0]] [f]",
        "[let x [defparam width 40.0]]",
        "[macro deep [] `[do [defparam width 40.0]]] [deep]",
    ],
)
def test_a_declaration_stands_at_the_top_only(text: str) -> None:
    error = error_of(text)
    assert error.code == "E0101"
    assert "at the top of a text" in error.message
    assert error.place is not None


@pytest.mark.parametrize(
    "form",
    ["[defparam]", "[defparam width]", '[defparam "width" 4]', "[defparam _ 4]", "[defparam w 4 {} 5]"],
)
def test_a_declaration_needs_a_name_and_a_value(form: str) -> None:
    error = error_of(f"\n  {form}")
    assert (error.code, error.details["class"]) == ("E0101", "bad-form")
    assert error.place is not None
    assert (error.place.line, error.place.column) == (2, 3)


def test_a_second_declaration_of_a_name_is_refused_where_it_stands() -> None:
    error = error_of("[defparam a 1]\n[defparam a 2]")
    assert error.code == "E0101"
    assert "declared twice" in error.message
    assert error.place is not None
    assert error.place.line == 2


def test_a_module_has_its_defaults(tmp_path: Path) -> None:
    tmp_path.joinpath("plate.oo").write_text("[pub [defparam width 40.0]]\n[pub fn wide [] width]")
    host = Host(width=99.0)
    environment = Environment(declare=host, project=Project(tmp_path))
    assert environment.run(Source("part.oo", "[use plate] [defparam width 1.0] [plate.wide]")) == 40.0
    assert [name for name, _, _ in host.asked] == ["width"]
    assert environment.user.lookup("width") == 99.0


@pytest.mark.parametrize("form", ["[pub [defparam width 40.0]]", "[pub defparam width 40.0]"])
def test_a_declaration_may_be_public(form: str) -> None:
    assert run(f"{form} width", Host(width=3.0)) == 3.0


def findings(text: str) -> list[str]:
    return [one.code for one in Environment().check(Source("part.oo", text))]


def test_the_checker_knows_the_type_of_a_parameter() -> None:
    assert findings("[defparam width 40.0 {:min 10}] [+ width 1.0]") == []
    assert findings("[defparam width 40.0] [str-len width]") != []
    assert findings('[defparam width "wide"]') == ["E0200"]


def test_a_parameter_is_described_where_it_is_defined() -> None:
    environment = Environment()
    environment.run(Source("cell", "[defparam width 40.0]"), cell=True)
    entry = environment.user.entries()["width"]
    assert (entry.kind, entry.type) == ("variable", "Float")


def test_the_name_is_highlighted_as_a_definition() -> None:
    text = "[defparam width 40.0]"
    kinds = {text[token.start : token.end]: token.kind for token in tokenize(text)}
    assert kinds["defparam"] == "special"
    assert kinds["width"] == "definition"


def test_the_formatter_keeps_name_and_default_on_the_first_line() -> None:
    long = '[defparam width 40.0 {:unit "mm" :min 10 :max 80 :step 0.5 :doc "the outer width of the plate"}]'
    first = format_source(long).splitlines()[0]
    assert first == "[defparam width 40.0"
    assert format_source(format_source(long)) == format_source(long)
