"""What an agent is told when the session it works in is another one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from notebook_ext.agents.proxy.attachment import news_of
from notebook_ext.session_records import SessionRecord

ALONE = SessionRecord(
    session_id="s-0",
    url="http://127.0.0.1:1",
    token="t",
    workspace="/project",
    pid=1,
    started_at="2026-01-01T00:00:00.0Z",
)
IN_A_NOTEBOOK = replace(ALONE, session_id="s-1", kernel_id="k-1", notebook="plate.ipynb")


@pytest.mark.parametrize(
    ("now", "named"),
    [(IN_A_NOTEBOOK, "plate.ipynb"), (replace(IN_A_NOTEBOOK, notebook=None), "s-1")],
)
def test_the_notebook_that_has_opened_the_workspace_is_named_as_far_as_it_is_known(
    now: SessionRecord, named: str
) -> None:
    assert f"you work in {named} (attached: true)" in news_of(ALONE, now)
