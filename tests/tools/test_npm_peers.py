"""The npm programs of the tests are fetched once for each state of what is wanted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tools import npm_peers
from tools.build_front_ends import Node


@pytest.fixture
def peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of peers whose fetching is noted, not done."""
    for name in ("package.json", ".npmrc"):
        (tmp_path / name).write_text("{}")

    def install(_node: Node) -> None:
        (tmp_path / "node_modules").mkdir(exist_ok=True)
        with (tmp_path / "fetched").open("a") as fetched:
            fetched.write("x")

    monkeypatch.setattr(npm_peers, "PEERS", tmp_path)
    monkeypatch.setattr(npm_peers, "_install", install)
    monkeypatch.setattr(npm_peers, "find_node", lambda: Node(("node",), ("npm",)))
    return tmp_path


def test_they_are_fetched_once(peers: Path) -> None:
    assert npm_peers.program("mcp-inspector") is None
    assert npm_peers.fetch()
    assert not npm_peers.fetch()
    assert npm_peers.program("mcp-inspector") == [
        "node",
        str(peers / "node_modules" / ".bin" / "mcp-inspector"),
    ]
    (peers / "package.json").write_text('{"dependencies": {}}')
    assert npm_peers.program("mcp-inspector") is None
    assert npm_peers.fetch()
    assert (peers / "fetched").read_text() == "xx"


def test_without_node_the_way_to_one_is_told(peers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npm_peers, "find_node", lambda: None)
    with pytest.raises(SystemExit, match="none was found"):
        npm_peers.fetch()


def test_every_version_is_an_exact_one() -> None:
    manifest = json.loads((npm_peers.PEERS / "package.json").read_text())
    versions = [*manifest["dependencies"].values(), *manifest["overrides"].values()]
    assert versions
    assert all(re.fullmatch(r"(npm:@?[\w/-]+@)?\d+\.\d+\.\d+", one) for one in versions), versions
    assert not list(npm_peers.PEERS.glob("*lock*"))
