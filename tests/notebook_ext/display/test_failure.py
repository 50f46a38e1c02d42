"""How a shell shows errors of ours, and what becomes of its own way of showing others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.display.failure import show_failures_plainly, show_failures_with_tracebacks
from vcad_kernel.errors import VcadError


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    before, handler = made.custom_exceptions, made.CustomTB
    yield made
    made.custom_exceptions, made.CustomTB = before, handler


@pytest.mark.parametrize(("own", "loaded"), [((), (VcadError,)), ((KeyError,), (KeyError,))])
def test_a_handler_that_a_person_has_set_stays_through_loading_and_unloading(
    shell: InteractiveShell, own: tuple[type[Exception], ...], loaded: tuple[type[Exception], ...]
) -> None:
    shell.set_custom_exc(own, lambda *_: None)  # type: ignore[no-untyped-call]
    show_failures_plainly(shell)
    assert shell.custom_exceptions == loaded
    show_failures_with_tracebacks(shell)
    assert shell.custom_exceptions == own
