"""`vcad repl`: a conversation that keeps what it heard, on a pipe and on a terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tests.cli.command import COMMAND, vcad, vcad_bytes
from vcad_kernel.cad.reference import ALL
from vcad_kernel.cli.repl.conversation import Conversation, continues, indentation
from vcad_kernel.cli.repl.interactive import completer, history_in, prompt_session
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def talk(said: list[str], tmp_path: Path) -> Conversation:
    return Conversation(DirectService(), tmp_path, said.append, ALL)


def test_later_inputs_see_earlier_definitions(talk: Conversation, said: list[str]) -> None:
    talk.take("[let w 4]")
    talk.take("[fn twice [n] [* n 2]]")
    talk.take("[twice w]")
    talk.take("[cube w w 1]")
    assert said == ["4", "8", "part: 4 × 4 × 1 mm · volume 16 mm³ · area 48 mm² · center (2, 2, 0.5)"]


def test_a_mistake_is_shown_and_loses_nothing(talk: Conversation, said: list[str]) -> None:
    talk.take("[let w 4]")
    talk.take("[cube w w -1]")
    talk.take("w")
    assert "[INVALID_PARAMETER]" in said[1]
    assert "[2]:1:1" in said[1]
    assert said[-1] == "4"


def test_prints_and_findings_are_shown(talk: Conversation, said: list[str]) -> None:
    talk.take('[println "hello"] [fn f [] [cube "1" 2 3]]')
    assert said[0] == "hello"
    assert "[E0200]" in said[1]


def test_commands_tell_and_forget(talk: Conversation, said: list[str]) -> None:
    talk.take("[fn plate [w] [cube w w 2]]")
    talk.take(",env")
    assert "[plate w]" in said[-1]
    talk.take(",doc cube")
    assert "[cube x y z]" in said[-1]
    talk.take(",explain e0201")
    assert said[-1].startswith("E0201")
    talk.take(",explain e0299")
    assert "did you mean E0" in said[-1]
    talk.take(",doc")
    assert ",doc      NAME" in said[-1]
    talk.take(",reset")
    talk.take("[plate 3]")
    assert "[E0201]" in said[-1]
    talk.take(",what")
    assert ",quit" in said[-1]
    talk.take(",quit")
    assert talk.ended


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ("[cube 1", True),
        ("[cube 1 2 3]", False),
        ('[println "a', True),
        ("#[1 (2 3]", True),
        ("[f ; ]", True),
        ("]", False),
        ("", False),
        (",doc [", False),
    ],
)
def test_an_input_goes_on_while_a_bracket_or_string_is_open(text: str, goes_on: bool) -> None:
    assert continues(text) is goes_on


def test_the_next_line_is_indented_by_the_innermost_open_bracket() -> None:
    assert indentation("[fn f [x]") == "  "
    assert indentation("[let a [map") == " " * 9
    assert indentation('[println "a') == ""


def test_a_pipe_is_heard_input_by_input() -> None:
    done = vcad("repl", stdin="[let w 2]\n[+ w\n  3]\n,quit\nnever")
    assert done.stdout == "2\n5\n"


def test_enter_continues_an_open_form_and_ends_a_closed_one(talk: Conversation, tmp_path: Path) -> None:
    with create_pipe_input() as keys:
        session = prompt_session(talk, history_in(tmp_path / "state"), terminal=(keys, DummyOutput()))
        keys.send_text("[cube 1 2\r3]\r")
        assert session.prompt() == "[cube 1 2\n  3]"
        keys.send_text("[let plate-width 3]\r")
        talk.take(session.prompt())
        keys.send_text("\x1b[A\r")
        assert session.prompt() == "[let plate-width 3]"
    assert "plate-width" in (tmp_path / "state" / "repl-history").read_text("utf-8")


def test_a_history_that_cannot_be_written_lasts_as_long_as_the_conversation(
    talk: Conversation, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with create_pipe_input() as keys:
        session = prompt_session(talk, history_in(tmp_path / "file"), terminal=(keys, DummyOutput()))
        keys.send_text("[let w 3]\r")
        session.prompt()
        keys.send_text("\x1b[A\r")
        assert session.prompt() == "[let w 3]"


def test_input_that_is_no_text_is_a_mistake_like_any_other() -> None:
    done = vcad_bytes("repl", stdin=b"\xff\n[+ 1 2]\n")
    assert done.returncode == 0
    assert b"[E0100]" in done.stdout
    assert done.stdout.endswith(b"3\n")
    assert done.stderr == b""


def test_tab_proposes_what_is_in_scope(talk: Conversation, tmp_path: Path) -> None:
    (tmp_path / "sizes.oo").write_text("; how wide\n[let width 7]", "utf-8")

    def proposed(text: str) -> list[str]:
        return [one.text for one in completer(talk).get_completions(Document(text), CompleteEvent())]

    talk.take("[let plate-width 3]")
    assert proposed("plate-w") == ["plate-width"]
    assert "fillet" in proposed("[fil")
    assert proposed("[use si") == ["sizes"]
    assert proposed("[use sizes] sizes.") == ["sizes.width"]
    assert proposed(",ex") == [",explain"]


def test_a_terminal_can_stop_a_computation_and_leave(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    surroundings = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "HOME": str(tmp_path)}
    surroundings.pop("XDG_STATE_HOME", None)
    terminal = pexpect.spawn(COMMAND[0], [*COMMAND[1:], "repl"], encoding="utf-8", env=surroundings)
    terminal.expect_exact("loon>")
    terminal.send("[let kept [+ 40\r2]]\r")
    terminal.expect_exact("42\r\n")
    terminal.expect_exact("loon>")
    terminal.send('[println "under way"] [fn f [n] [f n]] [f 1]\r')
    terminal.expect_exact("under way\r\n")
    terminal.sendintr()
    terminal.expect_exact("stopped; what had been defined by then stays")
    terminal.expect_exact("loon>")
    terminal.send("[half typed")
    terminal.sendintr()
    terminal.expect_exact("loon>")
    terminal.send("[* kept 10]\r")
    terminal.expect_exact("420\r\n")
    terminal.expect_exact("loon>")
    terminal.send("\x04")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
