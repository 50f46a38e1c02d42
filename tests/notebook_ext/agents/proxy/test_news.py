"""What an agent is told when the session it works in is another one."""

from __future__ import annotations

import pytest

from notebook_ext.agents.proxy.attachment import news_of
from notebook_ext.session_records import SessionRecord

ALONE = SessionRecord("s-0", None, "http://127.0.0.1:1", "t", "/project", None, 1, "2026-01-01T00:00:00.0Z")
IN_A_NOTEBOOK = ALONE._replace(session_id="s-1", kernel_id="k-1", notebook="plate.ipynb")


@pytest.mark.parametrize(
    ("now", "named"),
    [(IN_A_NOTEBOOK, "plate.ipynb"), (IN_A_NOTEBOOK._replace(notebook=None), "s-1")],
)
def test_the_notebook_that_has_opened_the_workspace_is_named_as_far_as_it_is_known(
    now: SessionRecord, named: str
) -> None:
    assert f"you work in {named} (attached: true)" in news_of(ALONE, now)
