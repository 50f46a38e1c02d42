"""The comm ``vcad.language`` in a real kernel, on a sub-shell as JupyterLab opens it."""

from __future__ import annotations

from typing import Any

from tests.integration.kernel import Kernel

COMPUTING = '%%loon\n[println "computing"] [fn turn [n] [turn [+ n 1]]] [turn 0]'


class Editor:
    """A front end's end of the comm; `subshell` is where it sends its questions."""

    def __init__(self, kernel: Kernel, comm_id: str, subshell: str | None) -> None:
        self._kernel = kernel
        self._comm_id = comm_id
        self._subshell = subshell
        opening = {"comm_id": comm_id, "target_name": "vcad.language", "data": {}}
        self.opened = kernel.ask("comm_open", opening, subshell, replied=False)

    def ask(self, method: str, text: str, **more: str) -> dict[str, Any]:
        data = {"id": 1, "method": method, "text": text, **more}
        content = {"comm_id": self._comm_id, "data": data}
        answer = self._kernel.ask("comm_msg", content, self._subshell, replied=False)
        assert (answer.states[0], answer.states[-1]) == ("busy", "idle")
        (said,) = answer.comms
        assert said["comm_id"] == self._comm_id
        result: dict[str, Any] = said["data"]
        return result


def test_an_editor_is_answered_also_while_a_cell_computes(kernel: Kernel) -> None:
    editor = Editor(kernel, "while-computing", kernel.subshell())
    assert editor.ask("check", "%%loon\n[cube 1 1 1]")["result"] == {"diagnostics": []}
    with kernel.running("computing", COMPUTING):
        (found,) = editor.ask("check", "%%loon\n[cube 1 1 nowhere]")["result"]["diagnostics"]
        formatted = editor.ask("format", "%%loon\n[cube  1 1 1]")
        assert kernel.next_state() == "busy"  # front ends show the last status they hear
    assert (found["code"], found["from"], found["to"]) == ("E0201", 17, 24)
    assert formatted["result"] == {"text": "%%loon\n[cube 1 1 1]"}


def test_what_cells_have_defined_is_known(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let wide 3] [fn slab [t] [cube wide wide t]]")
    kernel.run("outside = 4")
    editor = Editor(kernel, "definitions", kernel.subshell())
    clean = editor.ask("check", "%%loon -i outside\n[slab [+ wide outside]]")
    assert clean["result"] == {"diagnostics": []}


def test_what_a_cell_has_defined_itself_is_not_known_to_its_next_text(kernel: Kernel) -> None:
    kernel.run("%%loon\n[let own-width 3]\n[cube own-width 1 1]", cell_id="own")
    editor = Editor(kernel, "own-definitions", kernel.subshell())
    rest = "%%loon\n[cube own-width 1 1]"
    (found,) = editor.ask("check", rest, cell="own")["result"]["diagnostics"]
    assert found["code"] == "E0201"
    assert editor.ask("check", rest, cell="another")["result"] == {"diagnostics": []}


def test_every_request_has_an_answer(kernel: Kernel) -> None:
    kernel.run("class Odd:\n    def tolist(self): 1 / 0\nodd = Odd()")
    editor = Editor(kernel, "answers", kernel.subshell())
    assert editor.ask("check", "%%loon -i odd\n[cube 1 1 1]")["error"]["code"] == "INTERNAL"
    assert editor.ask("check", "%%loon\n[cube 1 1 1]")["result"] == {"diagnostics": []}


def test_text_that_cannot_be_read_is_one_finding_at_its_place(kernel: Kernel) -> None:
    editor = Editor(kernel, "unreadable", kernel.subshell())
    (found,) = editor.ask("check", "%%loon\n[cube 1 1")["result"]["diagnostics"]
    assert (found["code"], found["from"], found["severity"]) == ("E0102", 7, "error")


def test_front_ends_without_subshells_are_answered_on_the_main_shell(kernel: Kernel) -> None:
    editor = Editor(kernel, "main-shell", None)
    assert editor.ask("format", "%%loon\n[ a ]")["result"] == {"text": "%%loon\n[a]"}


def test_unloading_closes_the_comm(kernel: Kernel) -> None:
    Editor(kernel, "to-be-closed", None)
    kernel.run("from comm import get_comm_manager")
    assert kernel.value("'to-be-closed' in get_comm_manager().comms") == "True"
    kernel.run("%unload_ext notebook_ext")
    assert kernel.value("'to-be-closed' in get_comm_manager().comms") == "False"
    closed = Editor(kernel, "too-late", None).opened
    assert [one["comm_id"] for one in closed.comms] == ["too-late"]  # closed at once
    kernel.run("%load_ext notebook_ext")
