"""What the workbench needs of this machine: all that is looked at, and what to do where it is missing."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from vcad_kernel.cli.sketchup.ruby_runtime import NoRuby, ruby
from vcad_kernel.settings import Settings
from vcad_kernel.system.missing_library import MissingLibrary
from vcad_kernel.system.platforms import HAS_SERVICE, unsupported

if TYPE_CHECKING:
    from packaging.requirements import Requirement

__all__ = ["Row", "examined"]

_DISTRIBUTION: Final = "vcad-workbench"
_LABEXTENSIONS: Final = (
    ("JupyterLab extension", "vcad-workbench", _DISTRIBUTION),
    ("widgets in JupyterLab", "@jupyter-widgets/jupyterlab-manager", "jupyterlab_widgets"),
    ("views in JupyterLab", "jupyter-threejs", "pythreejs"),
)
"""What each does, its name for Jupyter, and what brings it."""
_PATIENCE: Final = 0.5
"""Seconds in which a program of this machine takes a connection."""

State: TypeAlias = Literal["ok", "missing", "optional"]


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at."""

    name: str
    state: State
    """``ok``; ``missing`` what is needed; ``optional`` what is missing and serves one feature."""
    found: str
    """What is there, or what is wrong."""
    fix: str | None = None
    """What to do about it."""


def examined(settings: Settings | None = None) -> Iterator[Row]:
    """What is there and what is not, in the order in which one thing needs the other."""
    settings = settings or Settings.load()
    yield _python()
    yield from _platform()
    yield from _packages()
    yield _loaded("OpenCASCADE", "vcad_kernel.geometry.occt.kernel", "cadquery-ocp-novtk")
    yield _loaded("manifold3d", "vcad_kernel.geometry.mesh.manifold_kernel", "manifold3d")
    yield from _front_end()
    yield _kernel()
    yield from _folders(settings)
    yield _program("Ruby", _ruby, "vcad sketchup --headless")
    yield _program("Chromium", _chromium, "the browser tests of make test")
    yield _program("Node", lambda: shutil.which("node"), "building the JupyterLab extension from a clone")
    yield _bridge(settings)


def _python() -> Row:
    wanted = importlib.metadata.metadata(_DISTRIBUTION)["Requires-Python"]
    from packaging.specifiers import SpecifierSet

    version = f"{platform.python_version()} at {sys.executable}"
    if platform.python_version() in SpecifierSet(wanted, prereleases=True):
        return Row("Python", "ok", version)
    return Row("Python", "missing", f"{version}, where {wanted} is needed", "install a newer Python")


def _platform() -> Iterator[Row]:
    impossible = unsupported()
    if impossible is not None:
        yield Row("platform", "missing", *impossible)
    if not HAS_SERVICE:
        state = "none on Windows: a notebook evaluates in its own process, which a crash would end"
        yield Row("evaluation service", "optional", state, "work in the Windows Subsystem for Linux")


def _packages() -> Iterator[Row]:
    """A row for all packages that are as they must be, and one for each that is not."""
    from packaging.requirements import Requirement

    wanted = [Requirement(text) for text in importlib.metadata.requires(_DISTRIBUTION) or ()]
    extras = {"lsp": "vcad lsp"}
    right = 0
    for requirement in wanted:
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            row = _package(requirement)
            right += row is None
            if row is not None:
                yield row
        for extra, feature in extras.items():
            if requirement.marker is not None and requirement.marker.evaluate({"extra": extra}):
                row = _package(requirement)
                if row is not None:
                    yield Row(row.name, "optional", f"{row.found}; only {feature} needs it", row.fix)
    yield Row("packages", "ok", f"{right} at the versions that {_DISTRIBUTION} asks for")


def _package(requirement: Requirement) -> Row | None:
    """None for one that is there in a version that is wanted."""
    try:
        version = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        version = None
    if version is not None and requirement.specifier.contains(version, prereleases=True):
        return None
    state = "not installed" if version is None else f"{version}, where {requirement.specifier} is needed"
    return Row(requirement.name, "missing", state, f'pip install "{requirement.name}{requirement.specifier}"')


def _loaded(name: str, module: str, distribution: str) -> Row:
    """Whether a geometry library loads, which takes more than being installed."""
    try:
        importlib.import_module(module)
        return Row(name, "ok", f"{distribution} {importlib.metadata.version(distribution)} loads")
    except importlib.metadata.PackageNotFoundError:
        return Row(name, "missing", "not installed", f"pip install {distribution}")
    except ImportError as error:
        missing = MissingLibrary.of(error)
        if missing is not None:
            return Row(name, "missing", str(missing), missing.fix)
        fix = f"pip install --force-reinstall {distribution}"
        return Row(name, "missing", f"{distribution} does not load: {error}", fix)


def _front_end() -> Iterator[Row]:
    """Our JupyterLab extension, and those that show widgets, where Jupyter looks for them."""
    from jupyter_core.paths import jupyter_path
    from jupyter_server.services.config.manager import ConfigManager

    folders = jupyter_path("labextensions")
    # as jupyterlab_server reads it, which takes more than a second to import
    settings: Any = ConfigManager(config_dir_name="labconfig")
    disabled = settings.get("page_config").get("disabledExtensions", {})
    for name, extension, distribution in _LABEXTENSIONS:
        version = _version_in(folders, extension)
        if version is None:
            fix = f"pip install --force-reinstall --no-deps {distribution}"
            if distribution == _DISTRIBUTION:
                fix += ", or in a clone: make labextension"
            yield Row(name, "missing", f"{extension} is in none of Jupyter's folders", fix)
        elif disabled.get(extension):
            yield Row(name, "missing", f"{version} is disabled", f"jupyter labextension enable {extension}")
        else:
            yield Row(name, "ok", version)


def _version_in(folders: Sequence[str], extension: str) -> str | None:
    for folder in map(Path, folders):
        description = folder / extension / "package.json"
        if description.is_file():
            return f"{json.loads(description.read_text('utf-8'))['version']} in {folder}"
    return None


def _kernel() -> Row:
    """Whether a notebook's Python is this one: Jupyter finds its kernels in folders of its own."""
    from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpecManager, NoSuchKernel

    try:
        program = KernelSpecManager().get_kernel_spec(NATIVE_KERNEL_NAME).argv[0]
    except NoSuchKernel:
        return Row("kernel", "missing", "Jupyter has no Python kernel", "pip install ipykernel")
    # a bare name is that of the Python which Jupyter runs on
    if program in ("python", NATIVE_KERNEL_NAME) or Path(program).parent == Path(sys.executable).parent:
        return Row("kernel", "ok", f"notebooks run on {sys.executable}")
    launcher = f"notebooks run on {program}, where {_DISTRIBUTION} may not be"
    return Row("kernel", "missing", launcher, f"{sys.executable} -m ipykernel install --sys-prefix")


def _folders(settings: Settings) -> Iterator[Row]:
    """The folders outside a project in which files are written."""
    import tempfile

    from jupyter_core.paths import jupyter_runtime_dir
    from platformdirs import user_state_path

    yield _folder("runtime folder", Path(jupyter_runtime_dir()), "JUPYTER_RUNTIME_DIR")
    yield _folder("state folder", user_state_path("vcad-workbench", appauthor=False), "XDG_STATE_HOME")
    yield _folder("temporary files", Path(tempfile.gettempdir()), "TMPDIR")
    if settings.cache_dir is None:
        yield Row("cache folder", "ok", "none is set: solids are kept in memory (VCAD_CACHE_DIR)")
    else:
        yield _folder("cache folder", settings.cache_dir.absolute(), "VCAD_CACHE_DIR")


def _folder(name: str, folder: Path, variable: str) -> Row:
    """Whether files can be written in a folder, or it can be made; nothing is made."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Row(name, "ok", str(folder))
    fix = f"let this user write to {there}, or name another folder in {variable}"
    return Row(name, "missing", f"{folder} cannot be written to", fix)


def _program(name: str, find: Callable[[], str | None], feature: str) -> Row:
    path = find()
    if path is not None:
        return Row(name, "ok", path)
    fix = f"install {name}, for example apt install {_DEBIAN[name]}"
    return Row(name, "optional", f"not found; only {feature} needs it", fix)


_DEBIAN: Final = {"Ruby": "ruby", "Chromium": "chromium", "Node": "nodejs"}


def _ruby() -> str | None:
    try:
        return ruby()
    except NoRuby:
        return None


def _chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name)) is not None), None)


def _bridge(settings: Settings) -> Row:
    address = f"{settings.supex_host}:{settings.supex_port}"
    try:
        socket.create_connection((settings.supex_host, settings.supex_port), _PATIENCE).close()
    except OSError:
        fix = "start SketchUp with the extension (vcad sketchup package), or vcad sketchup --headless"
        return Row("SketchUp", "optional", f"nothing answers at {address}; only pushing parts needs it", fix)
    return Row("SketchUp", "ok", f"something answers at {address}")
