"""The magics in a terminal's shell, and what stands in that shell while the extension is loaded."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from comm import get_comm_manager
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.attachment import attach, detach
from notebook_ext.display.failure import LoonCellFailed
from notebook_ext.display.part import Part
from notebook_ext.language.comm import TARGET
from notebook_ext.magics.loon import LoonMagics
from notebook_ext.session.session import Session
from vcad_kernel.service.direct import DirectService


@pytest.fixture
def magics(tmp_path: Path) -> Iterator[LoonMagics]:
    """The magics of a shell without a kernel, with a service in this process."""
    shell = InteractiveShell.instance()
    session = Session(shell, DirectService(), folder=tmp_path)
    yield LoonMagics(shell, session)
    session.close()


@pytest.mark.parametrize("line", ["", "-h", "--help"])
def test_a_line_without_an_expression_explains_the_magic(
    magics: LoonMagics, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert magics.loon(line) is None
    assert capsys.readouterr().out.startswith("usage: %%loon [-i NAME")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--tolerance -1", "--tolerance -1: the chord error must be above 0 mm"),
        ("--tolerance 0", "--tolerance 0: the chord error must be above 0 mm"),
        ("-i nowhere", "-i nowhere: no such Python variable"),
        ("-i nowhere,wide,gone", "-i nowhere, gone: no such Python variable"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    magics: LoonMagics, line: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(InteractiveShell.instance().user_ns, "wide", 3)
    with pytest.raises(UsageError) as refused:
        magics.loon(line, "[cube 1 1 1]")
    assert str(refused.value) == said


def test_a_part_is_written_beside_showing_and_a_number_is_not(magics: LoonMagics, tmp_path: Path) -> None:
    target = tmp_path / "out.stl"
    with pytest.raises(LoonCellFailed, match=re.escape(f"nothing to write to {target}: the cell")):
        magics.loon(f"-e {target}", "[+ 1 2]")
    assert not target.exists()
    assert isinstance(magics.loon(f"-e {target}", "[cube 1 1 1]"), Part)
    assert target.stat().st_size == 84 + 12 * 50


def test_a_terminals_shell_gets_everything_but_what_needs_a_kernel_and_is_left_as_it_was() -> None:
    shell = InteractiveShell.instance()

    def known() -> tuple[object, ...]:
        magics = shell.magics_manager.magics
        return (
            {kind: set(names) for kind, names in magics.items()},
            list(shell.input_transformers_cleanup),
            list(shell.Completer.custom_matchers),
            shell.custom_exceptions,
            "session" in shell.user_ns,
        )

    before = known()
    attach(shell)
    try:
        assert "loon" in shell.magics_manager.magics["cell"]
        assert "session" in shell.user_ns
        assert shell.check_complete("%%loon --help\n\n\n")[0] == "complete"
        assert len(shell.Completer.custom_matchers) == 1
        shell.run_line_magic("loon", "--help")
        # no front end comes to a terminal, and using the magics there lets no agent in
        assert not shell.user_ns["session"].gateway.is_open
        assert TARGET not in get_comm_manager().targets
    finally:
        detach(shell)
    assert known() == before


def test_a_cell_that_is_interrupted_after_its_part_was_made_has_it_in_python_too(magics: LoonMagics) -> None:
    session, names = magics.session, magics.shell.user_ns
    magics.loon("late", "[cube 1 1 1]")

    def interrupt(_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        while not session._requests._under_way.interrupted:  # type: ignore[union-attr]
            pass

    forget = session.subscribe(interrupt)
    with pytest.raises(LoonCellFailed, match="what the cell defined is there"):
        magics.loon("late", "[cube 9 1 1]")
    forget()
    assert (
        names["late"].volume
        == session["late"].volume
        == session.inspect("[translate 0 0 0 late]").volume
        == 9
    )


def test_a_cell_whose_file_cannot_be_written_has_its_part_in_python_too(magics: LoonMagics) -> None:
    magics.loon("written", "[cube 1 1 1]")
    with pytest.raises(LoonCellFailed):
        magics.loon("written -e /nowhere/at/all.stl", "[cube 9 1 1]")
    assert magics.shell.user_ns["written"].volume == magics.session["written"].volume == 9


def test_a_parameter_that_cannot_be_set_leaves_the_part_that_others_can_use(magics: LoonMagics) -> None:
    session = magics.session
    magics.loon("", "[let a9 9]")
    magics.loon("p2", "[defparam wide 2.0] [cube wide 1 a9]")
    magics.loon_reset("a9")
    with pytest.raises(LoonCellFailed, match="a9"):
        session.set_parameter("wide", 3.0)
    assert session.inspect("[translate 1 0 0 p2]").volume == session["p2"].volume == 18
    assert "p2" in session.knowledge.definitions
    assert "a9" not in session.knowledge.definitions
