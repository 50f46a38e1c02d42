"""The installed exact kernel, loaded when the first B-rep is asked for and not before.

OpenCASCADE takes a second to load; a model without features, shown as a picture, never pays it. B-reps
are made through here alone; what reads one (tables, distances, STEP, drawings) imports the package
:mod:`vcad_kernel.geometry.occt` when it has one in hand.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from vcad_kernel.geometry.cache.solid_cache import KeptFigures, SolidCache, figures_key
from vcad_kernel.geometry.imported_file import content_of
from vcad_kernel.geometry.occt import separate_process
from vcad_kernel.geometry.profiling import Recorder
from vcad_kernel.geometry.solid import (
    ExactFigures,
    ExactKernel,
    Note,
    SearchLimit,
    ShownSurface,
    TracedMesh,
    no_brep,
)
from vcad_kernel.geometry.tolerance import Tessellation
from vcad_kernel.ir.document import Document
from vcad_kernel.operations.bodies.bodies import Offset
from vcad_kernel.operations.node import NodeId
from vcad_kernel.operations.solids.imported import StepFile
from vcad_kernel.paths import Workspace
from vcad_kernel.system.missing_library import MissingLibrary
from vcad_kernel.system.platforms import unsupported

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["InstalledKernel", "identity", "why_not"]

_DISTRIBUTION = "cadquery-ocp-novtk"
_KERNEL = "vcad_kernel.geometry.occt.kernel"
_REINSTALL = f"install {_DISTRIBUTION} again, of a version that vcad-workbench allows (vcad doctor names it)"


@functools.cache
def identity() -> str:
    """Name and version of the library; does not load it."""
    try:
        return f"occt {importlib.metadata.version(_DISTRIBUTION)}"
    except importlib.metadata.PackageNotFoundError:
        return "occt missing"


def _imported() -> ModuleType:
    """The kernel's module, imported on a thread of its own.

    An interrupt of this thread, or a time limit that ends its work, would leave OpenCASCADE half loaded, and
    a process can load it only once. On another thread the import always comes to its end.
    Raises: ImportError.
    """
    global _loading
    if _loading is None or (_loading.done() and _loading.exception() is not None):
        from concurrent.futures import ThreadPoolExecutor

        executor = ThreadPoolExecutor(1, "load-occt")
        _loading = executor.submit(importlib.import_module, _KERNEL)
        executor.shutdown(wait=False)
    _loading.result()
    return importlib.import_module(_KERNEL)  # it is there


_loading: Future[ModuleType] | None = None
"""The one import, once it has begun; begun again after it has failed."""


def why_not() -> str | None:
    """Why the exact kernel cannot be loaded, and what to do about it; None where it is loaded now."""
    try:
        _imported()
    except ImportError as error:
        return "; ".join(_obstacle(error))
    return None


def _obstacle(error: ImportError) -> tuple[str, str]:
    """Why the library cannot be loaded, and what to do about it."""
    missing = MissingLibrary.of(error)
    if missing is not None:
        return str(missing), missing.fix
    try:
        version = importlib.metadata.version(_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        missing_here = f"{_DISTRIBUTION} is not installed"
        impossible = unsupported()
        if impossible is not None:
            return f"{missing_here}: {impossible[0]}", impossible[1]
        return missing_here, f"install {_DISTRIBUTION} for this Python"
    return f"{_DISTRIBUTION} {version} is installed and does not load ({error})", _REINSTALL


def _is_guarded(document: Document) -> bool:
    """Whether a document may need OpenCASCADE in a process of its own."""
    return any(
        isinstance(node, StepFile) or (isinstance(node, Offset) and node.distance > 0.0)
        for node in document.nodes.values()
    )


class InstalledKernel:
    """An :class:`ExactKernel` that becomes OpenCASCADE when it is first asked for a solid.

    cache: answers from before, looked up and added to. recorder: gets reports of its work.
    cancelled: asked between nodes. files: where STEP files are read from. search: how far a refused
    feature looks for one that works.
    """

    def __init__(
        self,
        cache: SolidCache,
        recorder: Recorder | None = None,
        cancelled: Callable[[], bool] | None = None,
        files: Workspace | None = None,
        search: SearchLimit | None = None,
    ) -> None:
        self._cache = cache
        self._recorder = recorder
        self._cancelled = cancelled
        self._files = files
        self._search = search
        self._kernel: ExactKernel | None = None

    @property
    def identity(self) -> str:
        """Name and version; does not load the library."""
        return identity()

    def brep(self, document: Document, node: NodeId) -> Any:
        """See :meth:`ExactKernel.brep`."""
        return self._loaded(document, node).brep(document, node)

    def tessellate(
        self, document: Document, node: NodeId, tessellation: Tessellation, scale: float = 1.0
    ) -> TracedMesh | None:
        """See :meth:`ExactKernel.tessellate`."""
        return self._loaded(document, node).tessellate(document, node, tessellation, scale)

    def figures(self, document: Document, node: NodeId) -> ExactFigures:
        """See :meth:`ExactKernel.figures`. What is known already is answered without the library."""
        known = self._cache.get(figures_key(document, node, self.identity)) if self._kernel is None else None
        if isinstance(known, KeptFigures):
            return known.figures
        return self._loaded(document, node).figures(document, node)

    def notes(self, document: Document, node: NodeId) -> tuple[Note, ...]:
        """See :meth:`ExactKernel.notes`."""
        return self._loaded(document, node).notes(document, node)

    def plane(self, document: Document, node: NodeId) -> Any:
        """See :meth:`ExactKernel.plane`."""
        return self._loaded(document, node).plane(document, node)

    def outlines(self, document: Document, node: NodeId) -> Any:
        """See :meth:`ExactKernel.outlines`."""
        return self._loaded(document, node).outlines(document, node)

    def fit(self, document: Document, node: NodeId) -> float:
        """See :meth:`ExactKernel.fit`."""
        return self._loaded(document, node).fit(document, node)

    def outline_notes(self, document: Document, node: NodeId) -> tuple[Note, ...]:
        """See :meth:`ExactKernel.outline_notes`."""
        return self._loaded(document, node).outline_notes(document, node)

    def content(self, document: Document, node: NodeId) -> bytes:
        """See :meth:`ExactKernel.content`. Read without the library."""
        return content_of(document, node, self._files)

    def surface(self, document: Document, node: NodeId) -> Any:
        """See :meth:`ExactKernel.surface`."""
        return self._loaded(document, node).surface(document, node)

    def shown_surface(self, document: Document, node: NodeId, tessellation: Tessellation) -> ShownSurface:
        """See :meth:`ExactKernel.shown_surface`."""
        return self._loaded(document, node).shown_surface(document, node, tessellation)

    def bores(self, document: Document, node: NodeId) -> Any:
        """See :meth:`ExactKernel.bores`."""
        return self._loaded(document, node).bores(document, node)

    def _loaded(self, document: Document, node: NodeId) -> ExactKernel:
        if self._kernel is None:
            if _is_guarded(document):
                # it loads OpenCASCADE at the same time as we do
                separate_process.start()
            try:
                module = _imported()
            except ImportError as error:
                why, fix = _obstacle(error)
                function = document.function_of(node)
                message = f"{function} needs the exact (B-rep) kernel, which cannot be loaded"
                raise no_brep(document, node, message, fix, f"OpenCASCADE cannot be loaded: {why}") from error
            separate_process.start_soon()
            self._kernel = module.OcctKernel(
                self._cache,
                self._cancelled,
                recorder=self._recorder,
                files=self._files,
                search=self._search,
            )
        return self._kernel
