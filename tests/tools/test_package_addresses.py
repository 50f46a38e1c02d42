"""Where a package says it comes from: the clone that it is built from, whoever hosts that."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tools.package_addresses import addresses, repository, whole

ROOT = Path(__file__).parents[2]
FORGE = "https://forge.example/vcad/workbench"


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://forge.example/vcad/workbench.git", FORGE),
        ("https://forge.example/vcad/workbench", FORGE),
        ("https://someone:secret@forge.example/vcad/workbench.git", FORGE),
        ("git@forge.example:vcad/workbench.git", FORGE),
        ("ssh://git@forge.example:2222/vcad/workbench.git", FORGE),
        ("/srv/git/workbench.git", None),
        ("../workbench", None),
        ("file:///srv/git/workbench.git", None),
    ],
)
def test_the_remote_of_a_clone_is_an_address_for_people(
    remote: str, address: str | None, tmp_path: Path
) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    assert repository(tmp_path, {}) is None
    subprocess.run(("git", "-C", str(tmp_path), "remote", "add", "origin", remote), check=True)
    assert repository(tmp_path, {}) == address
    assert repository(tmp_path, {"VCAD_REPOSITORY": "https://a.example/b/"}) == "https://a.example/b"


def test_a_source_distribution_knows_it_still(tmp_path: Path) -> None:
    (tmp_path / "PKG-INFO").write_text(
        f"Name: x\nProject-URL: Issues, y\nProject-URL: Source, {FORGE}\n\ntext\n"
    )
    assert repository(tmp_path, {}) == FORGE


def test_pictures_and_links_of_the_readme_lead_to_files_that_are_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    before = re.findall(r"\]\((?!https?:)([^)]+)\)", text)
    assert len(before) > 5
    after = whole(text, FORGE)
    assert not re.findall(r"\]\((?!https?:)[^)]*\)", after)
    assert (
        f"![A bracket with its Loon source in JupyterLab]({FORGE}/raw/HEAD/docs/images/quickstart.png)"
        in after
    )
    named = [*re.findall(rf"{FORGE}/(?:raw|blob)/HEAD/([^)#]+)", after), *addresses(FORGE).values()]
    for path in named:
        name = path.removeprefix(f"{FORGE}/").removeprefix("blob/HEAD/")
        assert name in {FORGE, "issues"} or (ROOT / name).is_file(), path


def test_on_gitlab_files_are_behind_a_dash() -> None:
    assert whole("[a](b.md#c)", "https://gitlab.com/x/y") == "[a](https://gitlab.com/x/y/-/blob/HEAD/b.md#c)"
    assert whole("[a](#c) [b](https://d.e)", FORGE) == "[a](#c) [b](https://d.e)"


def test_a_citation_is_of_this_version_and_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").split("\n")
    assert f"version: {project['version']}" in lines
    assert f"title: {project['name']}" in lines
    assert "license: MIT" in lines
