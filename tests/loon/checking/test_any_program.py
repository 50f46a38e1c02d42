"""Whatever the reader accepts has an outcome: the checker never fails, however malformed the forms."""

from __future__ import annotations

import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.loon.checking.pipeline import checked
from tests.loon.forms import forms, sources, written
from vcad_kernel.errors import LoonError
from vcad_kernel.loon.checking.check import Checked, Part, check
from vcad_kernel.loon.checking.known import Known
from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.program.program import expanded
from vcad_kernel.loon.reading.reader import read
from vcad_kernel.loon.source import Source
from vcad_kernel.loon.syntax import Chunk, Form, ListForm, Symbol

_HEADS = [
    *FORMS,
    *("when", "mut", "&", "get", "str", "Some", "None", "Fail.fail", "x", "f", "p.x", "map", "+"),
]


def _headed(inner: st.SearchStrategy[Form]) -> st.SearchStrategy[Form]:
    """Lists that begin like the forms of the language."""
    head = st.sampled_from(_HEADS).map(lambda name: Symbol(0, 0, name))
    atom = st.sampled_from([*_HEADS, "a", "b", "Ty", "->", ":"]).map(lambda name: Symbol(0, 0, name))
    items = st.lists(st.one_of(inner, inner, atom), max_size=5)
    return st.builds(lambda one, rest: ListForm(0, 0, (one, *rest)), head, items)


_PROGRAMS = st.lists(
    st.recursive(_headed(forms()), lambda inner: _headed(st.one_of(inner, forms()))), max_size=4
)


def _checked(program: list[Form]) -> Checked:
    parts = [Part(Chunk(f"form {at}", 0, 1, 1), (form,)) for at, form in enumerate(program)]
    return check(Source("any.oo", " " * 50), parts, Known.base())


@given(_PROGRAMS)
def test_a_program_of_any_forms_has_an_outcome(program: list[Form]) -> None:
    outcome = _checked(program)
    for finding in outcome.diagnostics:
        assert finding.what
        assert finding.labels
    assert all(outcome.bindings.values())
    assert _checked(program).bindings == outcome.bindings, "what was kept says the same"


@given(_PROGRAMS.filter(bool), st.integers(0, 50))
def test_every_place_of_any_program_can_be_asked_for_its_type(program: list[Form], offset: int) -> None:
    text = "\n".join(written(form) for form in program)
    if "~" in text or "`" in text:
        return  # macros have their own rules for these
    try:
        outcome = checked(text)
    except LoonError:
        return  # what the reader or the expander refuses is not the checker's business
    outcome.type_at(offset)


def _heads(form: Form) -> set[str]:
    """The symbols at the beginning of a form's lists."""
    inner = getattr(form, "items", getattr(form, "parts", ()))
    own = {inner[0].name} if isinstance(form, ListForm) and inner and isinstance(inner[0], Symbol) else set()
    return own.union(*map(_heads, inner))


@given(st.one_of(_PROGRAMS.map(lambda program: "\n".join(map(written, program))), sources()))
@example('"{[\\nlet x 1]}"')
@example("[f x]?")
@example("[;c\nlet x 1]")
@example("[pub let x 1]")
@example('"{[let x 1]}"')
def test_a_chunk_that_only_calls_has_no_special_form(text: str) -> None:
    source = Source("calls.oo", text)
    try:
        chunks, _ = expanded(source, read(source), {}, Environment()._rules)
    except LoonError:
        return
    for chunk in chunks:
        for form in chunk.forms if chunk.only_calls else ():
            assert _heads(form).isdisjoint(FORMS)


def test_a_chunk_without_the_name_of_a_form_only_calls() -> None:
    source = Source("calls.oo", "[difference [cylinder 4.25 12] [cube 10 10 10]] [fnord 1]\n[fn f [x] x]")
    chunks, _ = expanded(source, read(source), {}, Environment()._rules)
    assert [one.only_calls for one in chunks] == [True, True, False]


def test_deep_nesting_and_long_chains_do_not_overflow_the_stack() -> None:
    nested = "[str " * 490 + "1" + "]" * 490
    patterns = "[let " + "[" * 240 + "x" + "]" * 240 + " 1]"
    chain = "\n".join(f"[fn f{at} [x] [f{at + 1} x]]" for at in range(1500)) + "[fn f1500 [x] [+ x 1]]"
    types = "[let x0 1]" + "".join(f"[let x{at + 1} #[x{at}]]" for at in range(300))
    for text in (nested, patterns, chain, types, "#[" * 490 + "]" * 490):
        checked(text)
    assert checked(chain).bindings["f0"] == "Num → Num"


def test_threads_may_check_at_the_same_time() -> None:
    text = "[fn f [x] [g x]] [fn g [y] [+ y 1]] [fn h [r] [get r :w]] [h {:w [f 2]}] [nope]"
    expected = [one.what for one in checked(text).diagnostics]
    outcomes: list[list[str]] = []

    def work() -> None:
        for at in range(20):
            found = checked(f"{text} [let n{at} {at}]")
            outcomes.append([one.what for one in found.diagnostics])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [expected] * 80


def test_a_type_that_nobody_could_write_down_costs_no_time() -> None:
    doubled = "[let x0 (1 2)]" + "".join(f"[let x{at + 1} (x{at} x{at})]" for at in range(60))
    grown = "[fn f [" + " ".join(f"a{at}" for at in range(40)) + "] [do "
    grown += " ".join(f"[= a{at + 1} (a{at} a{at})]" for at in range(39)) + "]]"
    assert not checked(doubled).diagnostics
    assert len(checked(doubled).bindings["x60"]) < 5000
    assert len(checked(grown).bindings["f"]) < 5000


@pytest.mark.parametrize(
    "text",
    [
        "[do [let u [let [v] 1]] [let w [+ v v]] [/ v v] w]",
        "[fn f [] [let u [let [v] []]] [let w [+ v v]] [/ v v] w] 1",
    ],
)
def test_a_variable_bound_within_the_value_of_another_has_an_outcome(text: str) -> None:
    assert [finding.code for finding in Environment().check(Source("test.oo", text))] == ["E0200"]
