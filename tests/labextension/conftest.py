"""The TypeScript tests, compiled once per run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.build_front_ends import LABEXTENSION, Node, find_node, run


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker of pytest-xdist for all that is compiled: it goes into one folder of the repository."""
    for item in items:
        if "compiled_tests" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("typescript"))


@pytest.fixture(scope="session")
def node() -> Node:
    """The Node that the extension is built with; what it is built with must be there."""
    found = find_node()
    if found is None or not LABEXTENSION.modules.is_dir():
        pytest.fail(
            "what the extension is built with is not there: run `python -m tools.build_front_ends`, "
            "or leave these tests out with `pytest --ignore=tests/labextension`",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="session")
def compiled_tests(node: Node) -> Path:
    """The folder of the compiled tests; type errors in the extension or its tests end the run here."""
    run(
        LABEXTENSION.folder,
        node.node,
        "node_modules/typescript/bin/tsc",
        "--project",
        "tsconfig.test.json",
        quiet=True,
    )
    return LABEXTENSION.folder / "lib-test" / "test"
