"""Completion of Loon text where IPython's own completer asks for it, as in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

from notebook_ext.language.help import LanguageHelp
from notebook_ext.language.hooks import LanguageHooks
from notebook_ext.magics.loon import LoonMagics
from notebook_ext.session.cells.knowledge import SessionKnowledge


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """A shell without a kernel, which has the hooks."""
    made = InteractiveShell.instance()
    hooks = LanguageHooks(made, LanguageHelp(SessionKnowledge, LoonMagics.loon.parser, dict, str))
    hooks.open()
    yield made
    hooks.close()


@pytest.mark.parametrize("above", ["", "\n", "; a note\n", "; notes\n; of two lines\n\n"])
def test_the_name_at_the_cursor_is_completed_whatever_stands_above_it(
    shell: InteractiveShell, above: str
) -> None:
    before = f"%%loon -q\n{above}[cylin"
    with provisionalcompleter():
        offered = list(shell.Completer.completions(f"{before}\n[+ 1 2]", len(before)))
    assert [before[: one.start] + one.text for one in offered][:1] == [f"%%loon -q\n{above}[cylinder"]
