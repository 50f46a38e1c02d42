"""A special form is one record: whoever adds one to the table has it everywhere."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from vcad_kernel.loon import forms
from vcad_kernel.loon.forms.record import SpecialForm
from vcad_kernel.loon.forms.table import FORMS

_NEW_FORM = """
from vcad_kernel.loon.checking.types.types import tuple_of
from vcad_kernel.loon.forms import table
from vcad_kernel.loon.forms.record import SpecialForm, on_first_line
from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.lower import Lowering
from vcad_kernel.loon.reference import Chapter


def infer(inf, form):
    return tuple_of([inf.infer(form.items[1])] * 2)


def lower(low, form, destination):
    at = low.at(form)
    value = low.spill(low.value(form.items[1]), at)
    low.put(pyast.tuple_of([value, value], at), destination, at)


table.FORMS["twice"] = SpecialForm(
    entry=Chapter("Flow").form("[twice e]", "The value of e, two times.", "[twice 1]", "(1, 1)"),
    purpose="control",
    first_line=on_first_line(2),
    infers=infer,
    lowers=Lowering(lower=lower),
)

from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.printing.display import display
from vcad_kernel.loon.printing.formatter import format_source
from vcad_kernel.loon.highlighting import tokenize
from vcad_kernel.loon.reference_entries.table import ENTRIES
from vcad_kernel.loon.source import Source

environment = Environment()
text = "[let a 2] [let p [twice [+ a 1]]] p"
print(display(environment.run(Source("cell", text), cell=True)))
print(environment.user.type_of("p"), environment.diagnostics)
print(environment.check(Source("cell", "[+ 1 [twice 2]]"))[0].code)
print([kind for kind, start, end in tokenize("[twice 1]") if kind == "special"])
print(format_source("[twice [" + "some-name " * 9 + "]]").splitlines()[0][:16])
print(ENTRIES["twice"].usage)
"""


def test_a_new_form_is_known_to_every_stage() -> None:
    """The tables are read when the stages are loaded, so the form is added in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _NEW_FORM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "(3, 3)",
        "(Num, Num) ()",
        "E0200",
        "['special']",
        "[twice [some-nam",
        "[twice e]",
    ]


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_called_as_its_entry_says(name: str) -> None:
    assert FORMS[name].name == name
    assert FORMS[name].entry.kind == "form"


def test_every_file_of_the_folder_holds_forms_of_the_table() -> None:
    folder = Path(str(forms.__file__)).parent
    files = sorted(one.stem for one in folder.glob("*.py") if one.stem not in ("__init__", "record", "table"))
    for file in files:
        held = vars(import_module(f"{forms.__name__}.{file}")).values()
        assert [one for one in held if isinstance(one, SpecialForm) and one in FORMS.values()], file
