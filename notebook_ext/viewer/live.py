"""The live view: the viewer in a notebook, which follows the session's named parts as cells are re-run.

One widget for a session, shown wherever it is displayed; what it shows is the relay's, so that a page in a
window of its own shows the same. Does not know cells, kernels or how a part was made.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from notebook_ext.viewer.camera import VIEWS, fit
from notebook_ext.viewer.mime import view_bundle, words
from notebook_ext.viewer.relay.messages import Camera
from notebook_ext.viewer.relay.nodes import Node
from notebook_ext.viewer.relay.relay import Relay
from notebook_ext.viewer.scene import scene_bounds
from notebook_ext.viewer.state import ViewState
from vcad_kernel.geometry.tri_mesh import PartMesh

__all__ = ["LiveView", "camera_now"]

_ASPECT: Final = 16 / 9
"""Of a view that no browser has shown yet."""


class LiveView:
    """relay: what it shows. has_comms: whether a front end is told of widgets; else it is a picture."""

    def __init__(self, relay: Relay, *, has_comms: bool = True) -> None:
        self._relay = relay
        self._has_comms = has_comms
        self._widget: Any = None
        self._asks: Any = None

    @property
    def widget(self) -> Any:
        """What to display; made at the first look."""
        if self._widget is None:
            import ipywidgets

            from notebook_ext.viewer.viewer_widget import ViewerWidget

            with self._quietly():
                self._viewer = ViewerWidget(self._relay)
                self._widget = ipywidgets.VBox([self.asks, self._viewer], _dom_classes=("vcad-live-view",))
        return self._widget

    @property
    def asks(self) -> Any:
        """The box above the view, for questions to the person; empty until a question is put there."""
        if self._asks is None:
            import ipywidgets

            with self._quietly():
                self._asks = ipywidgets.VBox(_dom_classes=("vcad-live-asks",))
        return self._asks

    def _quietly(self) -> AbstractContextManager[None]:
        """No word of widgets to a front end where there is none."""
        if self._has_comms:
            return nullcontext()
        from notebook_ext.viewer.widgets import without_comms

        return without_comms()

    @property
    def names(self) -> tuple[str, ...]:
        """The names on show, oldest first."""
        return self._relay.names

    @property
    def state(self) -> ViewState:
        """What is shown, and from where: as the view that was used last says, or as it will begin."""
        nodes = self._relay.nodes
        camera = camera_now(self._relay)
        return ViewState(
            parts=tuple(_title(node) for node in nodes),
            triangles=sum(node.body.mesh().triangle_count for node in nodes),
            revision=self._relay.revision,
            position=camera.position,
            target=camera.target,
            projection=camera.projection,
            edges=self._relay.view.edges != "none",
        )

    def close(self) -> None:
        """Free the widgets; twice is once."""
        if self._asks is not None:
            self._asks.children = ()  # what others show there stays theirs
        if self._widget is not None:
            from notebook_ext.viewer.widgets import close_tree

            self._viewer.close()
            close_tree(self._widget)
            self._widget = None
        elif self._asks is not None:
            self._asks.layout.close()
            self._asks.close()
        self._asks = None

    def _repr_mimebundle_(self, **_tiers: Any) -> dict[str, Any]:
        from vcad_kernel.render.picture import draw

        nodes = self._relay.nodes
        picture = draw([PartMesh(node.body.name, node.standing, node.body.material) for node in nodes])
        said = words([_title(node) for node in nodes])
        return view_bundle(said, picture, self.widget if self._has_comms else None)


def _title(node: Node) -> str:
    return f"{node.group} / {node.body.name}" if node.group else node.body.name


def camera_now(relay: Relay) -> Camera:
    """From where the view that was used last looks, or one would that opens now."""
    said = relay.latest_state
    if said is not None and said.camera is not None:
        return said.camera
    bounds = scene_bounds([node.standing.bounds() for node in relay.nodes])
    pose = fit(bounds, VIEWS["iso"], _ASPECT, "orthographic")
    return Camera(position=pose.position, target=pose.target)
