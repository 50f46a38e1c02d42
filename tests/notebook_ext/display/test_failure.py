"""How a shell shows errors of ours, and what becomes of its own way of showing others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.display.failure import show_failures_plainly, show_failures_with_tracebacks
from notebook_ext.display.part import Part
from vcad_kernel.errors import VcadError
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.requests import EvalCode


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    before, handler = made.custom_exceptions, made.CustomTB
    yield made
    made.custom_exceptions, made.CustomTB = before, handler


@pytest.mark.parametrize(
    ("own", "loaded"), [((), (VcadError, KeyboardInterrupt)), ((KeyError,), (KeyError,))]
)
def test_a_handler_that_a_person_has_set_stays_through_loading_and_unloading(
    shell: InteractiveShell, own: tuple[type[BaseException], ...], loaded: tuple[type[BaseException], ...]
) -> None:
    shell.set_custom_exc(own, lambda *_: None)  # type: ignore[no-untyped-call]
    show_failures_plainly(shell)
    assert shell.custom_exceptions == loaded
    show_failures_with_tracebacks(shell)
    assert shell.custom_exceptions == own


def test_an_interrupt_while_a_part_is_drawn_shows_no_traceback(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> bytes:
        raise KeyboardInterrupt

    result = DirectService().evaluate(EvalCode("[cube 1 2 3]"))
    shell.user_ns["made"] = Part("made", result, "", lambda _: None, result.parts)
    show_failures_plainly(shell)
    monkeypatch.setattr("vcad_kernel.render.picture.draw", interrupted)
    done = shell.run_cell("made")
    said = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert isinstance(done.error_in_exec, KeyboardInterrupt)  # so that "run all" stops
    assert "[EVAL_CANCELLED] interrupted; what was done until then is done" in said
    assert "line 1: made" in said
    assert not re.search("Traceback|File|notebook_ext", said)


def test_an_interrupt_of_the_users_own_code_is_shown_as_ever(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    show_failures_plainly(shell)
    shell.run_cell("def turn():\n    raise KeyboardInterrupt\nturn()")
    said = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "Traceback" in said
    assert "turn()" in said
