"""The library as users call it: Loon text in, values and documents out."""

from __future__ import annotations

import pytest

from vcad_kernel.cad.convert import convert
from vcad_kernel.cad.library import CAD_LIBRARY
from vcad_kernel.errors import GeometryError, LoonError
from vcad_kernel.ir.codec_json import dumps
from vcad_kernel.ir.document import Document
from vcad_kernel.loon.analysis.completion import complete
from vcad_kernel.loon.analysis.description import describe
from vcad_kernel.loon.analysis.knowledge import KnownEntries
from vcad_kernel.loon.program.environment import Environment
from vcad_kernel.loon.runtime.collections import Vector
from vcad_kernel.loon.runtime.values import Adt
from vcad_kernel.loon.source import Source
from vcad_kernel.operations.arguments import AnyKind, Choice, Either, Keyed, Kind, Numbers, Several
from vcad_kernel.operations.library import OPERATIONS, VARIANTS, WORDS
from vcad_kernel.operations.record import Operation


def run(text: str) -> object:
    return Environment(prelude=[CAD_LIBRARY]).run(Source("part.oo", text))


def model(text: str) -> Document:
    return convert(run(text))


_VALUES = {
    Kind.REAL: "0.5",
    Kind.COUNT: "2",
    Kind.SOLID: "[cube 1 2 3]",
    Kind.FLAG: "true",
    Kind.TEXT: '"steel"',
    Kind.SKETCH: "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [line 6 0 0 8] [line 0 8 0 0]]]",
    Kind.SEGMENTS: "#[]",
    Kind.SOLIDS: "#[[cube 1 2 3] [sphere 1]]",
    Kind.SKETCHES: "#[[circle 1] [rect 1 2]]",
    Kind.REALS: "#[0.0]",
    Kind.INDICES: "#[0]",
    Kind.FIDELITY: "12",
    Kind.INDEX: "0",
    Kind.PATH: "[path-line 0 0 0 0 0 9]",
    Kind.EDGES: "{:parallel #[0 0 1]}",
    Kind.FACES: "{:normal #[0 0 1]}",
    Kind.FACE: "{:normal #[0 0 1]}",
    Kind.PLANE: ":xz",
    Kind.PLANE_OR_NUMBERS: ":xz",
    Kind.PATHS: "#[[path-line 0 0 0 9 0 0] [path-line 9 0 0 0 9 0] [path-line 0 9 0 0 0 0]]",
    Kind.SURFACE: "[patch #[[path-line 0 0 0 9 0 0] [path-line 9 0 0 0 9 0] [path-line 0 9 0 0 0 0]] #[]]",
    Kind.STEPS: "#[[line-to 0 9]]",
    Kind.PLACES: "#[#[0.5 0.5]]",
    Kind.SELECTION: "{:kind :circle}",
}


def _value(kind: AnyKind) -> str:
    """A value of a kind, as programs write it."""
    match kind:
        case Kind():
            return _VALUES[kind]
        case Choice():
            return f":{kind.names[0]}"
        case Numbers():
            return f"#[{' '.join(['0.5'] * kind.count)}]"
        case Several():
            return f"#[{_value(kind.of)}]"
        case Either():
            return _value(kind.kinds[0])
        case Keyed():
            return f"{{{' '.join(f':{key.name} {_value(key.kind)}' for key in kind.keys if key.required)}}}"


@pytest.mark.parametrize("operation", VARIANTS.values(), ids=lambda operation: operation.name)
def test_every_signature_is_the_function_that_the_library_defines(operation: Operation) -> None:
    arguments = [_value(parameter.kind) for parameter in operation.arguments]
    call = f"[{' '.join((operation.name, *arguments))}]" if arguments else operation.name
    value = run(call)
    assert isinstance(value, Adt)
    assert value.tag == operation.variant
    # the variant's fields are the arguments in the order that the table says
    given = dict(zip((parameter.name for parameter in operation.arguments), arguments, strict=True))
    texts = {"options": "{}", **given}
    direct = " ".join((operation.variant, *(texts[parameter.name] for parameter in operation.stored)))
    assert run(f"[{direct}]" if arguments else direct) == value


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_example_is_a_call_of_its_function(operation: Operation) -> None:
    setting = f"""
        [let k {_VALUES[Kind.SKETCH]}] [let parts #[[cube 1 1 1]]]
        [let box [cube 9 9 9]] [let foot [path-line 0 0 0 9 0 0]] [let arch foot]
        [let hood [patch #[foot] #[]]]
        [fn leaf [a] #[[cos a] [sin a]]]
        [let points [map leaf [map [fn [i] [* i 5.625]] [range 0 65]]]]
        [let positions #[]] [let indices #[]] [let bottom k] [let top k] [let a k] [let b k] [let c k]
        {operation.example}"""
    is_vector = operation.result.GIVES.startswith("Vec ")
    assert isinstance(run(setting), Vector if is_vector else Adt)
    assert operation.name in operation.example


@pytest.mark.parametrize("name", sorted(operation.name for operation in OPERATIONS if operation.arguments))
def test_a_wrong_number_of_arguments_is_an_arity_mismatch_at_the_call(name: str) -> None:
    with pytest.raises(GeometryError) as caught:
        run(f"\n\n  [{name}]")
    error = caught.value
    assert (error.code, error.operation) == ("ARITY_MISMATCH", name)
    assert error.argument == WORDS[name].forms[0].arguments[0].name
    assert error.place is not None
    assert (error.place.line, error.place.column) == (3, 3)
    assert "got 0" in error.message


def test_a_missing_argument_is_named_with_the_way_to_write_it() -> None:
    with pytest.raises(GeometryError) as caught:
        run("\n[cube 1.0 2.0]")
    assert caught.value.argument == "z"
    assert caught.value.fix is not None
    assert "[cube x y z]" in caught.value.fix


def test_pipes_and_nested_calls_make_the_same_document() -> None:
    piped = model("[pipe [cube 50 30 5] [difference [translate 25 15 -1 [cylinder 3 12]]] [fillet 1]]")
    nested = model("[fillet 1 [difference [translate 25 15 -1 [cylinder 3 12]] [cube 50 30 5]]]")
    assert dumps(piped) == dumps(nested)


def test_root_takes_the_solid_in_either_place() -> None:
    written = run('[root [sphere 2] "steel"]')
    assert run('[pipe [sphere 2] [root "steel"]]') == written
    assert isinstance(written, Adt)
    assert written.fields[1] == "steel"


def test_root_of_something_else_is_refused_naming_it() -> None:
    with pytest.raises(GeometryError) as caught:
        model('\n[root 5 "steel"]')
    assert (caught.value.code, caught.value.operation, caught.value.argument) == (
        "TYPE_MISMATCH",
        "root",
        "s",
    )
    assert caught.value.place is not None
    assert caught.value.place.line == 2


def test_errors_stand_at_the_users_call_not_in_the_library() -> None:
    with pytest.raises(GeometryError) as caught:
        model("\n[fn peg [r]\n  [cylinder r :tall]]\n[peg 3]")
    place = caught.value.place
    assert place is not None
    assert (place.file, place.line, place.column) == ("part.oo", 3, 3)


def test_nodes_know_the_calls_that_made_them() -> None:
    document = model("\n[let tool [cylinder 1 9]]\n[difference tool [cube 5 5 5]]")
    lines = {
        node.KIND: place.line for key, node in document.nodes.items() if (place := document.place_of(key))
    }
    assert lines == {"Cube": 3, "Cylinder": 2, "Difference": 3}


def test_user_definitions_do_not_disturb_the_library() -> None:
    document = model("[type Shape [Cube Float]] [let x [Cube 3.0]] [fn sphere [r] [cube r r r]] [sphere 2.0]")
    assert [node.KIND for node in document.nodes.values()] == ["Cube"]


def test_the_librarys_meaning_of_a_word_can_always_be_said() -> None:
    session = Environment(prelude=[CAD_LIBRARY])
    session.run(Source("cell 3", "[let cube 20]"), cell=True)
    with pytest.raises(LoonError) as caught:
        session.run(Source("cell 4", "[cube 1 2 3]"), cell=True)
    assert caught.value.message == "cube is 20, bound in cell 3; the library's is cad.cube"
    (finding,) = session.check(Source("cell 4", "[cube 1 2 3]"))
    assert "cad.cube" in finding.why
    text = "[pipe [cad.cube cube 2 3] [cad.difference [cad.sphere 3]]]"
    value = session.run(Source("cell 5", text), cell=True)
    assert isinstance(value, Adt)
    assert value.tag == "Difference"
    assert session.diagnostics == ()


def test_what_a_program_itself_calls_cad_comes_first() -> None:
    own = "[type Machine [Machine :cube Int]] [let cad [Machine 3]] "
    session = Environment(prelude=[CAD_LIBRARY])
    assert session.run(Source("part.oo", f"{own} [+ 1 cad.cube]")) == 4
    assert session.diagnostics == ()
    assert isinstance(session.run(Source("part.oo", f"{own} [cad.sphere 2]")), Adt)
    assert session.diagnostics == ()


def test_a_qualified_word_is_completed_and_described() -> None:
    known = KnownEntries(CAD_LIBRARY.entries)
    offered = complete("[cad.cyl", 8, known).items
    assert [one.label for one in offered][:1] == ["cad.cylinder"]
    assert not any(one.label.startswith("cad.") for one in complete("[cyl", 4, known).items)
    entry = describe("[cad.cube 1 2 3]", 6, known)
    assert entry is not None
    assert entry.usage == "[cad.cube x y z]"
