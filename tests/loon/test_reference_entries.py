"""What is said of the language's names: complete, in form, and true."""

from __future__ import annotations

import re

import pytest

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.names import demangle, is_internal
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries.numbers import OF_NUMBERS
from vcad_kernel.loon.reference_entries.table import ENTRIES
from vcad_kernel.loon.runtime.builtins import of_numbers
from vcad_kernel.loon.runtime.builtins.builtins import builtins_for
from vcad_kernel.loon.source import Source

ALL = list(ENTRIES.values())
NAMES = [entry.name for entry in ALL]


def _of_kind(*kinds: str) -> set[str]:
    return {entry.name for entry in ALL if entry.kind in kinds}


def test_every_builtin_and_prelude_name_has_an_entry_and_no_other_has() -> None:
    bound = {demangle(one) for one in builtins_for(lambda _: None) if not is_internal(one)}
    assert _of_kind("function", "constructor", "constant") == bound


def test_every_special_form_has_an_entry_and_no_other_has() -> None:
    assert _of_kind("form") == set(FORMS)


@pytest.mark.parametrize("name", sorted(_of_kind("effect")))
def test_the_effect_operations_with_an_entry_are_known_to_the_language(name: str) -> None:
    entry = ENTRIES[name]
    assert "." in name
    assert name in entry.example


@pytest.mark.parametrize("entry", ALL, ids=NAMES)
def test_an_entry_is_complete_and_its_example_true(entry: Entry) -> None:
    """All of an entry with one run of its example."""
    assert entry.usage.strip("[").startswith(entry.name), "the usage begins with another name"
    assert entry.doc.endswith("."), "what is said ends in no full stop"
    assert entry.group
    assert bool(entry.type) == (entry.kind in ("function", "constructor", "constant")), "values have a type"
    named = set(re.findall(r"[a-z][a-z0-9-]*", " ".join(entry.usage.strip("[]").split()[1:])))
    explained = " ".join(parameter.partition(":")[0] for parameter in entry.parameters)
    if entry.kind == "function":
        assert named == set(re.findall(r"[a-z][a-z0-9-]*", explained)), "not all arguments are explained"
    assert all(": " in parameter for parameter in entry.parameters), "an argument is not explained"
    if entry.name not in ("use", "HashMap.new", "None"):
        words = re.split(r"[\s\[\](){}#]+", entry.example)
        assert entry.name in words, "the example does not use what it explains"
    source = Source("example.oo", entry.example)
    environment = Environment(stdout=lambda _: None)
    assert environment.check(source) == (), "something is found in the example"
    if entry.name != "use":  # needs another file; tests/loon/modules/test_modules.py runs it
        assert display(environment.run(source)) == entry.result, "another result is printed beside it"


def test_angles_say_their_unit() -> None:
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "deg"):
        assert "degrees" in ENTRIES[name].doc or "degrees" in " ".join(ENTRIES[name].parameters).lower(), name


@pytest.mark.parametrize("entry", OF_NUMBERS.values(), ids=lambda entry: entry.name)
def test_what_is_said_of_a_hosts_min_and_max_is_true_of_them(entry: Entry) -> None:
    environment = Environment()
    environment.user.define(entry.name, of_numbers.OF_NUMBERS[entry.name])
    assert display(environment.run(Source("example.oo", entry.example))) == entry.result
