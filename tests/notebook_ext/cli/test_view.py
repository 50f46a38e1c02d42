"""`vcad view` where a session runs, or none does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from notebook_ext.entry_points import session_of
from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from tests.cli.command import vcad


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    folder = tmp_path / "shelf"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    made = session_of(plain_shell(), folder=workspace)
    made.gateway.open()
    yield made
    made.close()


def test_the_link_of_the_running_session_is_printed(workspace: Path, session: Session) -> None:
    done = vcad("view", "--no-browser", folder=workspace)
    assert (done.returncode, done.stdout) == (0, f"{session.viewer_url}\n")


def test_a_file_is_shown_by_the_session_that_runs(workspace: Path, session: Session) -> None:
    (workspace / "lid.oo").write_text("[cube 1 2 3]", encoding="utf-8")
    session.evaluate("[cube 5 5 5]", name="plate")
    (workspace / "plate.oo").write_text("[cube 7 7 7]", encoding="utf-8")
    for file in ("lid.oo", "plate.oo", "lid.oo"):
        done = vcad("view", file, "--no-browser", folder=workspace)
        assert (done.returncode, done.stdout) == (0, f"{session.viewer_url}\n"), done.stderr
    assert session.nodes() == ("plate", "lid", "plate-file")
    assert session["plate"].volume == 125.0
    assert session["plate-file"].volume == 343.0


@pytest.mark.parametrize(
    ("text", "said"),
    [("[cube 1 2", "this [ is never closed"), ("[+ 1 2]", "gives no part"), (None, "lid.oo")],
)
def test_what_cannot_be_shown_says_why(
    workspace: Path, session: Session, text: str | None, said: str
) -> None:
    if text is not None:
        (workspace / "lid.oo").write_text(text, encoding="utf-8")
    done = vcad("view", "lid.oo", "--no-browser", folder=workspace)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_session_it_says_how_one_begins(workspace: Path) -> None:
    done = vcad("view", "--no-browser", folder=workspace)
    assert done.returncode == 1
    assert "vcad view part.oo" in done.stderr


def test_the_link_is_not_among_what_sessions_tell(workspace: Path, session: Session) -> None:
    shown = vcad("sessions", "--json", folder=workspace).stdout
    assert "viewer_token" not in json.loads(shown)["sessions"][0]
