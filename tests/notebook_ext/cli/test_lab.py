"""`vcad lab`: the quickstart in a folder of the person's, whose changes stay."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from notebook_ext.cli.lab import copied, shipped
from tests.cli.command import vcad

QUICKSTART = Path("notebooks", "quickstart.ipynb")
MODULE = sys.modules["notebook_ext.cli.lab"]  # its package knows the command by that name


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, Path]]:
    """What JupyterLab would have been started with: folder and notebook."""
    seen: list[tuple[Path, Path]] = []
    monkeypatch.setattr(MODULE, "_open", lambda folder, notebook, **_: seen.append((folder, notebook)))
    return seen


def ship(monkeypatch: pytest.MonkeyPatch, **texts: str) -> None:
    """Have the package hold other files from here on."""
    files = [(QUICKSTART, texts["notebook"].encode()), (Path("docs/loon.md"), texts["page"].encode())]
    monkeypatch.setattr(MODULE, "shipped", lambda: iter(files))


def test_it_opens_a_copy_and_says_where(tmp_path: Path, opened: list[tuple[Path, Path]]) -> None:
    done = vcad("lab", str(tmp_path / "mine"))
    assert done.returncode == 0, done.stderr
    notebook = tmp_path / "mine" / QUICKSTART
    assert done.stdout == f"the quickstart is {notebook}\n"
    assert opened == [(tmp_path / "mine", notebook)]
    assert notebook.read_bytes() == (Path(__file__).parents[3] / QUICKSTART).read_bytes()


def test_without_a_folder_it_is_the_home_folder_s(
    tmp_path: Path, opened: list[tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert vcad("lab").returncode == 0
    assert opened[0][0] == tmp_path / "vcad-workbench"


def test_every_page_that_the_quickstart_links_to_is_copied() -> None:
    files = dict(shipped())
    links = re.findall(r"\]\(\.\./(docs/[a-z_]+\.md)", files[QUICKSTART].decode())
    assert links
    assert {Path(link) for link in links} <= set(files)


def test_what_has_been_changed_stays_and_what_has_not_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(monkeypatch, notebook="one", page="one")
    assert copied(tmp_path) == (tmp_path / QUICKSTART, False)
    ship(monkeypatch, notebook="two", page="two")
    assert copied(tmp_path) == (tmp_path / QUICKSTART, False)
    assert (tmp_path / QUICKSTART).read_text() == "two"
    (tmp_path / QUICKSTART).write_text("mine")
    ship(monkeypatch, notebook="three", page="three")
    for _ in range(2):
        assert copied(tmp_path) == (tmp_path / QUICKSTART, True)
        assert (tmp_path / QUICKSTART).read_text() == "mine"
        assert (tmp_path / "docs" / "loon.md").read_text() == "three"


def test_a_file_that_was_there_before_is_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(monkeypatch, notebook="one", page="one")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loon.md").write_text("the project's own")
    copied(tmp_path)
    assert (tmp_path / "docs" / "loon.md").read_text() == "the project's own"


def test_a_fresh_copy_lies_beside_a_changed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ship(monkeypatch, notebook="one", page="one")
    assert copied(tmp_path, fresh=True) == (tmp_path / QUICKSTART, False)
    (tmp_path / QUICKSTART).write_text("mine")
    for number in (2, 3):
        beside = tmp_path / "notebooks" / f"quickstart-{number}.ipynb"
        assert copied(tmp_path, fresh=True) == (beside, False)
        assert beside.read_text() == "one"
    assert (tmp_path / QUICKSTART).read_text() == "mine"
    assert copied(tmp_path) == (tmp_path / QUICKSTART, True)


def test_a_changed_copy_is_said_to_stay(tmp_path: Path, opened: list[tuple[Path, Path]]) -> None:
    vcad("lab", str(tmp_path))
    (tmp_path / QUICKSTART).write_text("mine")
    assert "stays as it is (vcad lab --fresh has a new one)" in vcad("lab", str(tmp_path)).stdout
    assert len(opened) == 2


def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, opened: list[tuple[Path, Path]]
) -> None:
    (tmp_path / "file").write_text("")
    done = vcad("lab", str(tmp_path / "file" / "inner"))
    assert done.returncode == 1
    assert "cannot be written to" in done.stderr
    assert "name another folder" in done.stderr
    assert opened == []
