from __future__ import annotations

from pathlib import Path

import pytest

from notebook_ext.agents.proxy.finding import SessionChoice, first, notebook_of, returned
from notebook_ext.session_records import SessionRecord


def record(
    session_id: str,
    kernel_id: str | None = "k",
    *,
    workspace: str = "/projects/a",
    notebook: str | None = None,
    at: int = 0,
) -> SessionRecord:
    return SessionRecord(
        session_id=session_id,
        kernel_id=kernel_id,
        url="http://127.0.0.1:1",
        token="t",
        workspace=workspace,
        notebook=notebook,
        pid=1,
        started_at=f"2026-11-22T10:00:{at:02}",
    )


def name(found: SessionRecord | None) -> str | None:
    return None if found is None else found.session_id


OLD = record("old", "k-old", at=1, notebook="/projects/a/plate.ipynb")
NEW = record("new", "k-new", at=2, notebook="/projects/a/gear.ipynb")
LONE = record("lone", None, at=3)
ELSEWHERE = record("elsewhere", "k-else", workspace="/projects/b", at=4, notebook="/projects/b/plate.ipynb")
AGAIN = record("again", "k-old", at=5, notebook="/projects/a/plate.ipynb")


@pytest.mark.parametrize(
    ("records", "session", "expected"),
    [
        ([], None, None),
        ([OLD, NEW], None, "new"),
        ([OLD, NEW, LONE], None, "new"),  # a person's session before one without a notebook, however old
        ([LONE], None, "lone"),
        ([ELSEWHERE], None, None),
        ([OLD, NEW], "plate", "old"),
        ([OLD, NEW], "k-old", "old"),
        ([OLD, NEW, ELSEWHERE], "plate.ipynb", "old"),
        ([NEW, ELSEWHERE], "plate.ipynb", "elsewhere"),
        ([OLD, NEW], "bracket", None),
    ],
)
def test_the_first_session(records: list[SessionRecord], session: str | None, expected: str | None) -> None:
    assert name(first(records, SessionChoice(Path("/projects/a"), session))) == expected


@pytest.mark.parametrize(
    ("records", "lost", "session", "expected"),
    [
        ([OLD], OLD, None, "old"),  # only the connection was lost
        ([AGAIN, OLD], OLD, None, "again"),  # the process that ends still has its record
        ([NEW, ELSEWHERE], OLD, None, None),  # never another world
        ([NEW, AGAIN], OLD, None, "again"),
        ([NEW, LONE], OLD, None, None),
        ([NEW], record("gone", "k-gone", notebook="/projects/a/gear.ipynb"), "gear", "new"),
        ([NEW], LONE, None, "new"),  # nothing of a person is lost with a session without a notebook
        ([], LONE, None, None),
    ],
)
def test_the_session_after_a_restart(
    records: list[SessionRecord], lost: SessionRecord, session: str | None, expected: str | None
) -> None:
    assert name(returned(records, lost, SessionChoice(Path("/projects/a"), session))) == expected


def test_a_session_without_a_notebook_gives_way_to_one_of_its_own_workspace() -> None:
    anyone = SessionChoice(Path("/projects/a"))
    assert name(notebook_of([LONE, ELSEWHERE], LONE, anyone)) is None
    assert name(notebook_of([LONE, ELSEWHERE, OLD], LONE, anyone)) == "old"


def test_a_session_that_was_named_is_the_one_that_is_meant() -> None:
    assert notebook_of([LONE, OLD], LONE, SessionChoice(Path("/projects/a"), "lone")) is None
