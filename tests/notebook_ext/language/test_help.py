"""Completion and Shift-Tab in Loon cells, as the Jupyter protocol has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from notebook_ext.language.help import LanguageHelp
from notebook_ext.magics.loon import LoonMagics
from notebook_ext.session.cells.knowledge import SessionKnowledge
from vcad_kernel.loon.reference import Entry
from vcad_kernel.service.protocol import Definition

KNOWLEDGE = SessionKnowledge(
    {
        "wall-thick?": Definition(
            Entry("wall-thick?", "function", "[wall-thick? w]", "Real -> Bool", "Whether a wall holds."),
            "a",
            "",
        ),
        "sizes": Definition(Entry("sizes", "variable", "sizes", "Vec Int"), "a", "#[1 2 3]"),
        "plate": Definition(Entry("plate", "variable", "plate"), "b", "[Cube 4 4 1]", given=True),
    },
    {"plate": "plate: 4 × 4 × 1 mm · volume 16 mm³"},
)

HELP = LanguageHelp(
    lambda: KNOWLEDGE,
    LoonMagics.loon.parser,
    lambda: {"width": 3, "depth": 4.5},
    lambda: "usage: %%loon",
)


def request(marked: str) -> dict[str, Any]:
    return {"code": marked.replace("|", ""), "cursor_pos": marked.index("|")}


def completed(marked: str) -> dict[str, Any]:
    reply = HELP.answer_completion(request(marked))
    assert reply is not None
    return reply


def texts(marked: str) -> list[str]:
    """The cell as each of the first suggestions would leave it."""
    reply, code = completed(marked), marked.replace("|", "")
    return [
        code[: reply["cursor_start"]] + match + code[reply["cursor_end"] :] for match in reply["matches"][:3]
    ]


@pytest.mark.parametrize(
    ("marked", "first"),
    [
        ("%%loon\n[wall-|", "%%loon\n[wall-thick?"),
        ("%%loon\n[wall-|thin 3]", "%%loon\n[wall-thick? 3]"),
        ("%%loon -q\n[fn f [inner-width] [+ inner|]]", "%%loon -q\n[fn f [inner-width] [+ inner-width]]"),
        ("x = 1\n%loon [wall|", "x = 1\n%loon [wall-thick?"),
        ("%%loon pl|", "%%loon plate"),
        ("%%loon -i wi|\n[a]", "%%loon -i width\n[a]"),
        ("%%loon -i width\n[println wid|]", "%%loon -i width\n[println width]"),
        ('%%loon\n[println "𝄞" siz|]', '%%loon\n[println "𝄞" sizes]'),
    ],
)
def test_the_stretch_that_is_replaced_is_a_whole_loon_name(marked: str, first: str) -> None:
    assert texts(marked)[0] == first


def test_kinds_and_types_come_with_the_names() -> None:
    reply = completed("%%loon\n[wall-|")
    assert reply["metadata"]["_jupyter_types_experimental"][0] == {
        "start": 8,
        "end": 13,
        "text": "wall-thick?",
        "type": "function",
        "signature": "Real -> Bool",
    }


@pytest.mark.parametrize("marked", ["wid|", "%lo|", "print('x')|", "%%ti|me\n"])
def test_python_is_left_to_python(marked: str) -> None:
    assert HELP.answer_completion(request(marked)) is None
    assert HELP.answer_inspection(request(marked)) is None


def described(marked: str) -> str:
    reply = HELP.answer_inspection(request(marked))
    assert reply is not None
    assert reply["found"] is bool(reply["data"])
    return str(reply["data"].get("text/plain", ""))


def test_a_function_is_described_by_use_type_and_words() -> None:
    assert (
        described("%%loon\n[wall-|thick? 2]") == "[wall-thick? w]\n  : Real → Bool\n\nWhether a wall holds."
    )


def test_a_value_shows_what_it_is_and_a_part_its_figures() -> None:
    assert described("%%loon\nsiz|es").endswith("value: #[1 2 3]")
    assert described("%loon pla|te").endswith("value: plate: 4 × 4 × 1 mm · volume 16 mm³")


def test_builtins_are_described() -> None:
    assert described("%%loon\n[fo|ld 0 + #[1]]").startswith("[fold ")


def test_a_local_hides_what_the_session_has() -> None:
    assert "value:" not in described("%%loon\n[fn f [sizes] [len siz|es]]")


def test_modules_of_the_folder_and_what_they_export_are_offered(tmp_path: Path) -> None:
    (tmp_path / "plates.oo").write_text("; A thin one.\n[pub fn thin-plate [w] [cube w w 1]]", "utf-8")
    help_ = LanguageHelp(
        lambda: SessionKnowledge(folder=tmp_path), LoonMagics.loon.parser, dict, lambda: "usage: %%loon"
    )
    offered = help_.suggest("%%loon\n[use pl", 14)
    assert offered is not None
    assert [item.text for item in offered.items] == ["plates"]
    code = "%%loon\n[use plates]\n[plates.thin-plate 3]"
    described = help_.describe(code, len(code) - 4)
    assert described is not None
    assert "A thin one." in described["text/plain"]


def test_an_unknown_name_is_not_found() -> None:
    assert described("%%loon\n[nobody-|knows]") == ""


def test_the_options_are_described_by_the_help() -> None:
    assert described("%%loon -q|\n[a]") == "usage: %%loon"


@pytest.mark.parametrize("cut", range(0, 60, 3))
def test_half_typed_text_is_no_obstacle(cut: int) -> None:
    code = '%%loon p -i width\n[fn f [x] [match x [Some y] "{[+ y'[:cut]
    HELP.answer_completion({"code": code, "cursor_pos": len(code)})
    HELP.answer_inspection({"code": code, "cursor_pos": len(code)})


def test_nothing_is_glued_to_the_name_of_the_magic() -> None:
    assert HELP.answer_completion(request("%%loon|")) is None
    assert described("%%loon|") == "usage: %%loon"  # by this a front end tells that the extension is there


@pytest.mark.parametrize(
    "marked", ["%%loon\n[wall-thick? |", "%%loon\n[wall-thick? 2| 3]", "%%loon\n[if [wall-thick? |sizes]]"]
)
def test_among_the_arguments_the_function_is_described(marked: str) -> None:
    expected = "[wall-thick? w]" if "siz" not in marked else "sizes"
    assert described(marked).startswith(expected)


def test_a_local_says_its_line_in_the_cell() -> None:
    assert described("\n%%loon plate\n[fn f [inner]\n  inn|er]").endswith("defined at this cell:3")
