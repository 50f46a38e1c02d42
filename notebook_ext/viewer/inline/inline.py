"""One picture of some parts with its toolbar: what appears under a cell.

Ties the scene, the toolbar and the readable state together. Does not know cells or sessions; the
caller displays `widget`, calls `update`, and calls `close` when the output goes away. The widget
libraries are imported when the first view is built, because they cost 0.3–1 s.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from notebook_ext.viewer.camera import VIEWS, Projection, ViewName
from notebook_ext.viewer.inline.pointing import Pointed, Pointing
from notebook_ext.viewer.mime import view_bundle, words
from notebook_ext.viewer.state import ViewState, caption_html, legend_html, mark_html, state_html
from vcad_kernel.errors import VcadError
from vcad_kernel.geometry.tri_mesh import PartMesh

if TYPE_CHECKING:
    from notebook_ext.viewer.inline.parameters import ParameterPanel
    from notebook_ext.viewer.inline.widget import Hit, SceneWidget
    from vcad_kernel.service.protocol import PartResult

__all__ = ["HEIGHT", "HIGHEST", "LOWEST", "InlineView", "keys_of"]

HEIGHT = 420
"""Of the picture, CSS pixels."""
LOWEST: Final = 120
HIGHEST: Final = 4000
"""Between these a person may make it."""
_numbers = itertools.count(1)
_TURN: Final = " · run the cell again to turn it"
_REACH: Final = 5.0
"""Pixels from the pointer within which an edge is meant, not the face that it borders."""
_CAPTION_HEIGHT = 25
"""Of the line of figures below it, as viewer.css makes it."""


class InlineView:
    """Parts on a ground grid, under an orbiting camera, with a toolbar.

    A key says whether a part has changed since the last update: a content digest, say. Without
    keys a part is unchanged while it holds the same mesh object.
    """

    def __init__(
        self,
        parts: Sequence[PartMesh] = (),
        keys: Sequence[Hashable] | None = None,
        *,
        caption: str = "",
        height: int = HEIGHT,
        has_comms: bool = True,
        asked: Sequence[PartResult] = (),
        has_wheel: bool = False,
    ) -> None:
        """Build the widgets and show `parts`.

        caption: a line of figures along the lower edge.
        has_comms: whether a front end is told of the widgets. asked: as of `update`.
        has_wheel: whether the page decides when the wheel is the view's, as our extension does; else the
        view leaves it to the page until it has been clicked.
        """
        self.has_comms = has_comms
        self._has_wheel = has_wheel
        self.number = next(_numbers)
        """Its own among the views of this kernel."""
        # A front end may call buttons on another thread than the one that runs cells.
        self._lock = threading.RLock()
        self._names: tuple[str, ...] = ()
        self._said = ""
        self._pointings: tuple[Pointing, ...] = ()
        self._picked: Pointed | None = None
        self.on_picked: Callable[[Pointing | None, Pointed | None], None] = _no_one_asks
        """Told what has been clicked, and of which part; None for nothing."""
        self.on_open: Callable[[], object] = _nothing
        """Opens the viewer at what is shown; on a thread that may not wait."""
        self._shown: Pointed | None = None
        """What is lit: what was clicked last, or what the pointer moves over."""
        self._why = ""
        self._mark: Any = None
        self._revision = 0
        self.closed = False
        """Whether the view is gone."""
        self._height = height
        self.picture: bytes | None = None
        """PNG of what is shown, if whoever shows it has drawn one."""
        with self._changing():
            self._build()
            self.update(parts, keys, caption=caption, asked=asked)

    def _build(self) -> None:
        import ipywidgets

        from notebook_ext.viewer.inline.toolbar import toolbar
        from notebook_ext.viewer.inline.widget import SceneWidget

        self._scene: SceneWidget = SceneWidget(
            self._height, self._report, self._pointer, has_wheel=self._has_wheel
        )
        stage = ipywidgets.Box([self._scene.widget], _dom_classes=("vcad-stage",))
        # the corner by which the page's extension makes a view larger, and by which view it names this one
        style = ipywidgets.HTML(f'{_STYLE}<div class="vcad-grip" data-view="{self.number}"></div>')
        # by itself each text would have a layout and a style of its own, here and in the browser
        self._legend, self._caption, self._state = (
            ipywidgets.HTML(layout=style.layout, style=style.style) for _ in range(3)
        )
        tools = toolbar(
            fit=self.fit,
            look=self.look,
            project=self.project,
            show_edges=self.show_edges,
            open_viewer=lambda: self.on_open(),
        )
        self.widget: Any = ipywidgets.Box(
            [style, stage, self._legend, self._caption, tools, self._state], _dom_classes=("vcad-view",)
        )
        self.displayed: Any = self.widget
        """What to display: the picture, with its sliders below where it has some."""
        self.panel: ParameterPanel | None = None
        """The sliders below the picture."""

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One thread at a time, and no word to a front end where there is none."""
        with self._lock:
            if self.has_comms:
                yield
            else:
                from notebook_ext.viewer.widgets import without_comms

                with without_comms():
                    yield

    def put_below(self, panel: ParameterPanel | None) -> None:
        """Have these sliders below the picture, or none; the view closes them when they are not its any more.

        They show where the view is displayed after this.
        """
        import ipywidgets

        with self._changing():
            self._check_open()
            if panel is self.panel:
                return
            self._drop_panel()
            if panel is not None:
                self.panel = panel
                self.displayed = ipywidgets.VBox([self.widget, panel.widget], _dom_classes=("vcad-frame",))

    def _drop_panel(self) -> None:
        if self.panel is not None:
            self.panel.close()
            self.panel = None
        if self.displayed is not self.widget:
            self.displayed.layout.close()
            self.displayed.close()
            self.displayed = self.widget

    @property
    def state(self) -> ViewState:
        """What is shown, and from where."""
        with self._changing():
            pose = self._scene.pose
            return ViewState(
                parts=self._names,
                triangles=self._scene.triangles,
                revision=self._revision,
                position=pose.position,
                target=pose.target,
                projection=self._scene.projection,
                edges=self._scene.edges_shown,
                stale=self._why,
            )

    def update(
        self,
        parts: Sequence[PartMesh],
        keys: Sequence[Hashable] | None = None,
        *,
        caption: str = "",
        asked: Sequence[PartResult] = (),
    ) -> None:
        """Show these parts instead, over this caption; what has not changed is not sent again.

        asked: who knows the faces and edges of each, for the person who points at one.

        The camera stays where it is, except that the first parts of an empty view are fitted,
        unless the person has moved the camera already.
        """
        known_by = keys_of(parts, keys)
        with self._changing():
            self._check_open()
            self.picture = None
            # nobody can have moved the camera of a view that has shown nothing yet
            first = not self._names and (self._revision == 0 or not self._scene.was_moved)
            self._scene.show(parts, known_by)
            self._pointings = tuple(map(Pointing, asked))
            self._picked = self._shown = None
            self._names = tuple(part.name for part in parts)
            self._revision += 1
            if first:
                self._scene.fit()
            several = len(parts) > 1
            self._legend.value = legend_html([(p.name, p.material) for p in parts]) if several else ""
            self.say(caption)
            self._report()

    def say(self, caption: str) -> None:
        """Put a line along the lower edge in place of the one there; from any thread."""
        with self._changing():
            if self.closed:
                return
            self._said = caption
            self._caption.value = caption_html(caption if self._shown is None else self._shown.line)
            self._fit_height()

    def _pointer(self, hit: Hit | None, is_click: bool) -> None:
        """Say what the pointer is at, and light it up: what was clicked, or what it moves over meanwhile."""
        at = None if hit is None else self._pointed_at(hit, is_click)
        with self._changing():
            if self.closed:
                return
            if is_click:
                self._picked = at
                self.on_picked(None if at is None else self._pointings[at.part], at)
            self._show_pointed(at or self._picked)

    def _pointed_at(self, hit: Hit, is_click: bool) -> Pointed | None:
        """What is met; None where nobody knows, or where a move would have to ask for it."""
        if hit.part >= len(self._pointings):
            return None
        pointing = self._pointings[hit.part]
        if not (is_click or pointing.is_known):
            return None
        try:
            return pointing.at(hit.part, hit.triangle, hit.point, _REACH * self._scene.pixel)
        except VcadError as refused:
            self.say(f"{self._said} · {refused.message}")
            return None

    def _show_pointed(self, pointed: Pointed | None) -> None:
        if pointed == self._shown:
            return
        self._shown = pointed
        if pointed is None:
            self._scene.unlight()
        else:
            self._scene.light(pointed.part, pointed.triangles, pointed.points)
        self._caption.value = caption_html(self._said if pointed is None else pointed.line)

    def mark(self, why: str) -> None:
        """Have it seen that what is shown is out of date, and why; "" where it is not. From any thread."""
        import ipywidgets

        with self._changing():
            if self.closed or why == self._why:
                return
            if self._mark is None:
                self._mark = ipywidgets.HTML()
                self._mark.add_class("vcad-mark")
                self.widget.children = [*self.widget.children, self._mark]
            self._why = why
            self._mark.value = mark_html(why)
            if why:
                self.widget.add_class("vcad-stale")
            else:
                self.widget.remove_class("vcad-stale")
            self._report()

    def fit(self) -> None:
        """Show everything from the present direction."""
        with self._changing():
            self._check_open()
            self._scene.fit()
            self._report()

    def look(self, view: ViewName) -> None:
        """Show everything from a standard direction.

        view: iso, front, back, left, right, top or bottom.
        """
        if view not in VIEWS:
            raise ValueError(f"there is no view {view!r}; views are {', '.join(VIEWS)}")
        with self._changing():
            self._check_open()
            self._scene.fit(VIEWS[view])
            self._report()

    def project(self, projection: Projection) -> None:
        """Switch between perspective and orthographic; what is looked at keeps its size."""
        with self._changing():
            self._check_open()
            self._scene.project(projection)
            self._report()

    def show_edges(self, shown: bool) -> None:
        """Draw the feature edges, or do not."""
        with self._changing():
            self._check_open()
            self._scene.show_edges(shown)
            self._report()

    def resize(self, height: int | None, width: int | None = None) -> None:
        """Make the picture higher or lower; what is looked at keeps its size.

        height: CSS pixels; None leaves it.
        width: what is seen of it, CSS pixels, where that has changed: a model that nobody has turned is
        fitted into it.
        """
        with self._changing():
            if self.closed:
                return
            if height is not None:
                self._height = min(max(height, LOWEST), HIGHEST)
                self._scene.resize(self._height)
            if width is not None:
                self._scene.narrow(width)
                self._report()
            self._fit_height()

    def take_wheel(self) -> None:
        """Leave it to the page from now on when the wheel is the view's; from any thread."""
        with self._changing():
            self._has_wheel = True
            if not self.closed:
                self._scene.take_wheel()

    def _fit_height(self) -> None:
        self.widget.layout.height = f"{self._height + (_CAPTION_HEIGHT if self._said else 0)}px"

    def put_away(self) -> Callable[[], None]:
        """Leave a picture where it is displayed, and free all else: but for that, it is closed.

        Returns: what takes the picture away, too; it holds nothing of the view.
        """
        import ipywidgets

        from notebook_ext.viewer.widgets import close_tree
        from vcad_kernel.render.picture import draw

        with self._changing():
            left = partial(_close_all, self.displayed, self.widget)
            if self.closed:
                return left
            picture = ipywidgets.Image(
                value=self.picture or draw(self._scene.meshes), format="png", _dom_classes=("vcad-picture",)
            )
            style, stage, legend, caption, *others = self.widget.children
            caption.value = caption_html(self._said + _TURN)
            self.widget.children = [style, picture, caption]
            self._free()
            if self.panel is not None:
                self.displayed.children = [self.widget]
                self.panel.close()
                self.panel = None
            for root in (stage, legend, *others):
                close_tree(root, leave=(style.layout, style.style))
            return left

    def close(self) -> None:
        """Free the widgets and their buffers, here and in the browser; twice is once."""
        from notebook_ext.viewer.widgets import close_tree

        with self._changing():
            if not self.closed:
                self._free()
            self._drop_panel()
            close_tree(self.widget)

    def _free(self) -> None:
        """Close the scene."""
        self.closed = True
        self._scene.close()

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, Any]:
        return view_bundle(words(self.state.parts), self.picture, self.displayed if self.has_comms else None)

    def _check_open(self) -> None:
        if self.closed:
            raise RuntimeError("this view is closed; build a new one")

    def _report(self) -> None:
        """Write the state where the browser can read it."""
        with self._changing():
            self._state.value = state_html(self.state)


def _nothing() -> None:
    """For a view that is not a session's."""


def _no_one_asks(_of: Pointing | None, _picked: Pointed | None) -> None:
    """For a view that nobody else listens to."""


def _close_all(*roots: Any) -> None:
    """Close widgets with all that they refer to."""
    from notebook_ext.viewer.widgets import close_tree

    for root in roots:
        close_tree(root)


_STYLE: Final = f"<style>{files(__package__).joinpath('viewer.css').read_text(encoding='utf-8')}</style>"


def keys_of(parts: Sequence[PartMesh], keys: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    """The keys given for the parts, or the identities of their meshes."""
    if keys is None:
        return tuple(part.mesh for part in parts)
    if len(keys) != len(parts):
        raise ValueError(f"{len(parts)} parts need as many keys, got {len(keys)}")
    return tuple(keys)
