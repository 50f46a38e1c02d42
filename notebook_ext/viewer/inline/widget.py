"""The scene in the browser: the one file that knows pythreejs (three.js r97).

Takes parts and poses, keeps the widgets that draw them, and says where the person moved the
camera. Does not know toolbars, notebooks or sessions. Importing it takes 0.3–1 s, so its users
import it when the first view is built.

What r97 and pythreejs 2.4 dictate here:

* A BufferGeometry does not take new arrays for attributes that it has, and fat lines keep their
  first instance count. So a changed part gets new objects, and while they are swapped
  the renderer is held: no half-changed frame is ever drawn.
* `Renderer.background` only acts when it changes; `clearOpacity` acts from the start. The canvas
  is transparent, and its background is CSS.
* The canvas does not follow its container: it is as wide as a large screen, and CSS centres it
  in the cell and cuts its sides off.
* `OrbitControls` reads the camera's `up` once, so +Z stays up in every view; and when the page is
  loaded again it first turns the camera to the origin. So the target of the last fit stands at
  three.js's origin, and the model is moved there as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pythreejs as three
from ipywidgets import Widget
from numpy.typing import NDArray

from notebook_ext.viewer import scene
from notebook_ext.viewer.camera import (
    FIELD_OF_VIEW,
    VIEWS,
    Pose,
    Projection,
    Vector,
    clip_range,
    distance_of,
    fit,
    half_height_at,
    orientation,
    vector,
)
from notebook_ext.viewer.widgets import close_tree
from vcad_kernel.geometry.tri_mesh import FloatArray, PartMesh
from vcad_kernel.operations.scene import Material
from vcad_kernel.render.ground import EMPTY_BOUNDS

__all__ = ["CANVAS_WIDTH", "FIT_ASPECT", "Hit", "SceneWidget"]

CANVAS_WIDTH = 1920
"""CSS pixels; a wider cell shows its background at the sides."""
FIT_ASPECT = 1.6
"""Width by height into which views are fitted: narrower than a cell ever is at the usual height."""

_EDGE_COLOR = "#23272e"
_EDGE_PIXELS = 1.4
_TANGENT_COLOR = "#6b7380"
_TANGENT_PIXELS = 0.7
_OUTLINE_PIXELS = 1.6
_LIT_COLOR = "#2f7fe6"
_LIT_PIXELS = 4.0
_HOVERED: Final = 100_000
"""Triangles up to which the browser finds what is under the pointer while it moves: it tries them all."""
_AXIS_PIXELS = 1.6
_AXIS_COLORS = ("#d4635c", "#63a857", "#5682d6")
_GRID_MINOR = ("#8792a2", 0.22)
_GRID_MAJOR = ("#77839a", 0.45)
_BELOW_ALL: Mapping[str, Any] = {
    "transparent": False,
    "premultipliedAlpha": True,
    "depthTest": False,
    "depthWrite": False,
}
"""Of the ground's lines: drawn first and without depth, so that no line runs across a part, one that lies
below the ground included. The canvas is transparent, so that the page's ground shows through them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """The widgets of one part."""

    key: Hashable
    part: PartMesh
    bounds: FloatArray | None
    triangles: int
    faces: Widget
    lines: tuple[Widget, ...]
    """Edges, and the outline where it has one."""

    @property
    def widgets(self) -> tuple[Widget, ...]:
        """All of them."""
        return self.faces, *self.lines


@dataclass(frozen=True, slots=True)
class Hit:
    """Where the pointer meets a part."""

    part: int
    """Its place among the parts that were shown."""
    triangle: int
    """Of its mesh."""
    point: Vector
    """Millimetres."""


@dataclass(frozen=True, slots=True, eq=False)
class _Eye:
    """The widgets of one projection."""

    camera: Any
    """A child of the scene, with lights that move with it."""
    controls: Any


class _Room(three.DataTexture, three.CubeTexture):  # type: ignore[misc]  # untyped bases
    """A room for metals to mirror, as one picture.

    three.js takes it as an environment map; pythreejs would only accept a cube, whose six pictures
    it cannot send. So it is a cube in Python's eyes and a picture in the browser's.
    """


class SceneWidget:
    """One canvas that draws parts on a ground grid, under an orbiting camera."""

    def __init__(
        self,
        height: int,
        on_camera: Callable[[], None],
        on_pointer: Callable[[Hit | None, bool], None],
        *,
        has_wheel: bool,
    ) -> None:
        """Build an empty scene, whose camera the first `fit` places.

        height: CSS pixels. on_camera: called after the person has moved the camera. on_pointer: called with
        what the pointer meets, None for nothing, and whether that was clicked: moves are told from the
        first click on. has_wheel: whether the wheel zooms from the start, as where the page says when; else
        it scrolls the page until the person has clicked or turned something here.
        """
        self._height = height
        self._has_wheel = has_wheel
        self._fit_aspect = FIT_ASPECT
        """Width by height of what is seen, where that is less than `FIT_ASPECT`."""
        self._is_fitted = False
        self._on_camera = on_camera
        self._on_pointer = on_pointer
        self._drawn: list[_Drawn] = []
        self._surfaces: dict[Material, Widget] = {}
        """A part that changes keeps its material: the browser need not prepare another."""
        self._placing = False
        self._bounds = EMPTY_BOUNDS
        self._ground_key: tuple[float, ...] = ()
        self._ground: tuple[Widget, ...] = ()
        self.projection: Projection = "orthographic"
        """The projection in use."""
        self.edges_shown = True
        """Whether feature edges are drawn."""
        self._line_material = three.LineMaterial(color=_EDGE_COLOR, linewidth=_EDGE_PIXELS)
        self._outline_material = _outline_material(height)
        self._mirrored = _Room(
            data=_STUDIO_LIGHT,
            format="RGBAFormat",
            type="UnsignedByteType",
            mapping="EquirectangularReflectionMapping",
            magFilter="LinearFilter",
            minFilter="LinearFilter",
        )
        self._placed = Pose(VIEWS["iso"], (0.0, 0.0, 0.0))
        eye = self._eye(self.projection)
        self._eyes: dict[Projection, _Eye] = {self.projection: eye}
        """Those that have been asked for."""
        # drawn one after the other: pythreejs switches off that three.js sorts, and new children come last,
        # so that lines and what is lit lie over the solids, and these over the ground
        self._floor, self._solids = three.Object3D(), three.Object3D()
        self._model = three.Group(children=[self._floor, self._solids])
        self._lines: tuple[Widget, ...] = ()
        self._lit: tuple[Widget, ...] = ()
        self._presses = three.Picker(controlling=self._solids, event="mousedown")
        self._clicks = three.Picker(controlling=self._solids, event="click")
        self._moves: Any = None
        """From the first click on."""
        self._pressed = self._placed
        self._presses.observe(self._was_pressed, "point")
        self._clicks.observe(self._was_clicked, ["object", "point"])
        sky = three.HemisphereLight("#ffffff", "#b4b8c0", 0.7, position=(0, 0, 1))
        self._scene = three.Scene(children=[sky, eye.camera, self._model], background=None)
        self.widget = three.Renderer(
            self._scene,
            eye.camera,
            self._controls(eye),
            antialias=True,
            alpha=True,
            clearOpacity=0.0,
            width=CANVAS_WIDTH,
            height=height,
        )

    def _eye(self, projection: Projection) -> _Eye:
        """The camera of a projection, still to be placed, and its controls, which say what a person does."""
        aspect = self._aspect
        shared = {"up": (0, 0, 1), "position": VIEWS["iso"], "children": _headlights()}
        if projection == "perspective":
            camera = three.PerspectiveCamera(fov=FIELD_OF_VIEW, aspect=aspect, **shared)
        else:
            # Half a unit high either way, so that zoom is one over the half height in millimetres.
            camera = three.OrthographicCamera(left=-aspect, right=aspect, top=1, bottom=-1, **shared)
        controls = three.OrbitControls(controlling=camera, enableZoom=self._has_wheel)
        # After a drag the browser sends the camera, and then, if it changed, what it looks at.
        controls.observe(self._moved, "target")
        camera.observe(self._moved, ["position", "zoom"])
        return _Eye(camera, controls)

    @property
    def pose(self) -> Pose:
        """Where the camera is now; the person's last drag included."""
        eye, anchor = self._eyes[self.projection], self._placed.target
        pose = Pose(vector(np.add(eye.camera.position, anchor)), vector(np.add(eye.controls.target, anchor)))
        if self.projection == "orthographic":
            return pose.at_distance(distance_of(1.0 / eye.camera.zoom))
        return pose

    @property
    def was_moved(self) -> bool:
        """Whether the person has moved the camera since it was last placed from here."""
        now, then = self.pose, self._placed
        moved = np.subtract((now.position, now.target), (then.position, then.target))
        return bool(np.abs(moved).max() > 1e-3 * then.distance)

    @property
    def triangles(self) -> int:
        """How many triangles are on show."""
        return sum([drawn.triangles for drawn in self._drawn])

    @property
    def meshes(self) -> list[PartMesh]:
        """What is on show."""
        return [it.part for it in self._drawn if it.triangles]

    def show(self, parts: Sequence[PartMesh], keys: Sequence[Hashable]) -> None:
        """Draw exactly these parts; what has the key of a part already drawn is not sent again."""
        spare: dict[Hashable, list[_Drawn]] = {}
        for drawn in self._drawn:
            spare.setdefault(drawn.key, []).append(drawn)
        # All buffers first: a mesh that cannot be prepared leaves the scene as it was.
        plan: list[tuple[Hashable, PartMesh, _Drawn | scene.PartBuffers]] = []
        for part, key in zip(parts, keys, strict=True):
            full_key = (key, part.material)
            known = spare.get(full_key)
            plan.append((full_key, part, known.pop() if known else scene.part_buffers(part)))
        now = [it if isinstance(it, _Drawn) else self._draw(it, key, part) for key, part, it in plan]
        self._drawn = now
        self._surfaces = {drawn.part.material: drawn.faces.material for drawn in now}
        self._bounds = scene.scene_bounds([drawn.bounds for drawn in now])
        old_ground = self._lay_ground()
        there = [drawn for drawn in now if drawn.triangles]
        self._lines = tuple(line for drawn in there for line in drawn.lines)
        with self.widget.hold():
            self._floor.children = list(self._ground)
            self._solids.children = [drawn.faces for drawn in there]
            self._model.children = [self._floor, self._solids, *self._lines]
            self._limit()
        self._discard(*self._lit)
        self._lit = ()
        self._forget_hits()
        for drawn in (each for rest in spare.values() for each in rest):
            self._discard(*drawn.widgets)
        if old_ground:
            self._discard(*old_ground)

    def light(self, part: int, triangles: NDArray[np.int64] | None, line: FloatArray | None = None) -> None:
        """Light up some triangles of a part, all of them for None, or a line; in place of what was lit.

        part: its place among those shown. triangles: (k,) their numbers. line: (p, 3), mm, drawn instead.
        """
        drawn = self._drawn[part]
        if line is not None:
            segments = np.stack([line[:-1], line[1:]], axis=1).astype(np.float32)
            lit = three.LineSegments2(three.LineSegmentsGeometry(positions=segments), self._lit_line)
        elif triangles is None:
            lit = three.Mesh(drawn.faces.geometry, self._lit_surface)
        else:
            sent = drawn.faces.geometry.attributes
            corners = sent["position"].array[sent["index"].array.reshape(-1, 3)[triangles].reshape(-1)]
            lit = three.Mesh(
                three.BufferGeometry(
                    attributes={"position": three.BufferAttribute(corners, normalized=False)}
                ),
                self._lit_surface,
            )
        self._show_lit(lit)

    def unlight(self) -> None:
        """Have nothing lit any more."""
        if self._lit:
            self._show_lit()

    @cached_property
    def _tangent_material(self) -> Widget:
        return three.LineMaterial(color=_TANGENT_COLOR, linewidth=_TANGENT_PIXELS)

    @cached_property
    def _lit_line(self) -> Widget:
        return three.LineMaterial(color=_LIT_COLOR, linewidth=_LIT_PIXELS)

    @cached_property
    def _lit_surface(self) -> Widget:
        return three.MeshBasicMaterial(color=_LIT_COLOR, opacity=0.45, transparent=True, depthWrite=False)

    def _show_lit(self, *lit: Widget) -> None:
        old, self._lit = self._lit, lit
        with self.widget.hold():
            self._model.children = [self._floor, self._solids, *self._lines, *lit]
        self._discard(*old)

    def resize(self, height: int) -> None:
        """Make the canvas higher or lower; what is looked at keeps its size. height: CSS pixels."""
        self._height = height
        aspect = self._aspect
        with self.widget.hold():
            for projection, eye in self._eyes.items():
                if projection == "perspective":
                    eye.camera.aspect = aspect
                else:
                    with eye.camera.hold_sync():
                        eye.camera.left, eye.camera.right = -aspect, aspect
            self._outline_material.uniforms = _outline_uniforms(height)
            self.widget.height = height

    def narrow(self, width: int) -> None:
        """So much of the canvas is seen, CSS pixels; all is fitted into it until somebody turns it."""
        was_fitted = self._is_fitted and not self.was_moved
        self._fit_aspect = min(FIT_ASPECT, width / self._height)
        if was_fitted:
            self.fit()

    @property
    def _aspect(self) -> float:
        """Width of the canvas by its height."""
        return CANVAS_WIDTH / self._height

    @property
    def pixel(self) -> float:
        """How long a pixel of the picture is at what is looked at, mm."""
        return 2.0 * half_height_at(self.pose.distance) / self._height

    def fit(self, direction: Vector | None = None) -> None:
        """Show everything, from `direction` or from where the camera is."""
        toward = direction or self.pose.direction
        with self.widget.hold():
            self._place(fit(self._bounds, toward, self._fit_aspect, self.projection))
        self._is_fitted = True

    def project(self, projection: Projection) -> None:
        """Switch the projection; the target keeps its size in the picture."""
        if projection == self.projection:
            return
        pose = self.pose
        with self.widget.hold():
            if projection not in self._eyes:
                eye = self._eyes[projection] = self._eye(projection)
                self._scene.children = [*self._scene.children, eye.camera]
            for name, eye in self._eyes.items():
                for light in eye.camera.children:
                    light.visible = name == projection
            self.projection = projection
            self._place(pose)
            eye = self._eyes[projection]
            self.widget.camera = eye.camera
            self.widget.controls = self._controls(eye)

    def show_edges(self, shown: bool) -> None:
        """Draw feature edges, or do not."""
        self.edges_shown = shown
        with self.widget.hold():
            for drawn in self._drawn:
                for line in drawn.lines:
                    line.visible = shown

    def close(self) -> None:
        """Free every widget and buffer, here and in the browser."""
        # What has no triangles is drawn nowhere, so it hangs on none of the other roots.
        hidden = [each for drawn in self._drawn if not drawn.triangles for each in drawn.widgets]
        controls = [eye.controls for eye in self._eyes.values()]
        pickers = [picker for picker in (self._presses, self._clicks, self._moves) if picker is not None]
        for root in (self.widget, *controls, *pickers, *hidden, *self._kept):
            close_tree(root)

    def _draw(self, buffers: scene.PartBuffers, key: Hashable, part: PartMesh) -> _Drawn:
        geometry = three.BufferGeometry(
            attributes={
                "position": three.BufferAttribute(buffers.positions, normalized=False),
                "normal": three.BufferAttribute(buffers.normals, normalized=False),
                "index": three.BufferAttribute(buffers.indices, normalized=False),
            }
        )
        return _Drawn(
            key=key,
            part=part,
            bounds=buffers.bounds,
            triangles=buffers.triangles,
            faces=three.Mesh(geometry, self._surface(buffers.material), name=buffers.name),
            lines=(
                *(
                    three.LineSegments2(
                        three.LineSegmentsGeometry(positions=segments),
                        material,
                        name=f"{buffers.name} {name}",
                        visible=self.edges_shown,
                    )
                    for name, segments, material in self._edges_of(buffers)
                ),
                *self._outlines_of(buffers, geometry),
            ),
        )

    def _edges_of(self, buffers: scene.PartBuffers) -> Iterator[tuple[str, scene.Floats, Widget]]:
        """What, where and of which material."""
        if len(buffers.tangents):
            yield "tangent edges", buffers.tangents, self._tangent_material
        yield "edges", buffers.edges, self._line_material

    def _outlines_of(self, buffers: scene.PartBuffers, geometry: Widget) -> Iterator[Widget]:
        """None of what is seen through: it is the far side of the body, which would be seen instead."""
        if not buffers.material.is_clear:
            yield three.Mesh(
                geometry, self._outline_material, name=f"{buffers.name} outline", visible=self.edges_shown
            )

    def _surface(self, material: Material) -> Widget:
        if material in self._surfaces:
            return self._surfaces[material]
        surface = self._surfaces[material] = three.MeshStandardMaterial(
            color=_css_color(material.color),
            metalness=material.metallic,
            roughness=material.roughness,
            # what is seen through hides nothing, in whichever order parts are drawn
            opacity=material.opacity,
            transparent=material.is_clear,
            depthWrite=not material.is_clear,
            envMap=self._mirrored,
            # Faces step back by a depth step, so that the edges on them are never half sunk in.
            polygonOffset=True,
            polygonOffsetFactor=1.0,
            polygonOffsetUnits=1.0,
        )
        return surface

    def _lay_ground(self) -> tuple[Widget, ...]:
        """Lay a new grid if the bounds need another; returns the widgets it replaces."""
        grid = scene.ground_grid(self._bounds)
        if grid.key == self._ground_key:
            return ()
        old, self._ground_key = self._ground, grid.key
        self._ground = (
            _thin_lines(grid.minor, *_GRID_MINOR),
            _thin_lines(grid.major, *_GRID_MAJOR),
            *(
                three.LineSegments2(
                    three.LineSegmentsGeometry(positions=line[None]),
                    three.LineMaterial(color=color, linewidth=_AXIS_PIXELS, **_BELOW_ALL),
                )
                for line, color in zip(scene.axis_lines(grid), _AXIS_COLORS, strict=True)
            ),
        )
        return old

    def _place(self, pose: Pose) -> None:
        """Put the camera in use into this pose."""
        self._placed = pose
        eye = self._eyes[self.projection]
        self._placing = True
        try:
            with eye.camera.hold_sync():
                eye.camera.position = vector(pose.offset)
                eye.camera.quaternion = orientation(pose)
                if self.projection == "orthographic":
                    eye.camera.zoom = 1.0 / half_height_at(pose.distance)
            eye.controls.target = (0.0, 0.0, 0.0)
            self._model.position = vector(np.negative(pose.target))
            self._limit()
        finally:
            self._placing = False

    def _limit(self) -> None:
        """Set clipping planes for the scene's size; does not move the camera."""
        near, far = clip_range(self._bounds, self.pose.distance)
        for projection, eye in self._eyes.items():
            with eye.camera.hold_sync():
                eye.camera.near = near if projection == "perspective" else -far
                eye.camera.far = far
            eye.controls.maxDistance = far / 2

    def _controls(self, eye: _Eye) -> list[Widget]:
        """What listens to the pointer while a camera is in use."""
        pickers = [picker for picker in (self._presses, self._clicks, self._moves) if picker is not None]
        return [eye.controls, *pickers]

    def take_wheel(self) -> None:
        """Have the wheel zoom from now on."""
        if not self._has_wheel:
            self._has_wheel = True
            for eye in self._eyes.values():
                eye.controls.set_trait("enableZoom", True)

    def _was_pressed(self, _change: object) -> None:
        self._pressed = self.pose

    def _was_over(self, _change: object) -> None:
        if not self._placing:
            self._on_pointer(self._hit(self._moves), False)

    def _was_clicked(self, _change: object) -> None:
        if self._placing:
            return
        self.take_wheel()
        before, now = self._pressed, self.pose
        if np.abs(np.subtract((before.position, before.target), (now.position, now.target))).max() > 1e-9:
            return  # the button was held to turn the view
        if self._moves is None and self.triangles <= _HOVERED:
            self._moves = three.Picker(controlling=self._solids, event="mousemove")
            self._moves.observe(self._was_over, ["object", "faceIndex"])
            self.widget.controls = self._controls(self._eyes[self.projection])
        self._on_pointer(self._hit(self._clicks), True)

    def _forget_hits(self) -> None:
        """Hold no widget of a part that is gone: a page that is loaded anew would ask for it."""
        self._placing = True
        try:
            for picker in (self._presses, self._clicks, self._moves):
                if picker is not None and picker.object is not None:
                    picker.object = None
        finally:
            self._placing = False

    def _hit(self, picker: Any) -> Hit | None:
        """What a picker has met."""
        if picker.object is None or picker.faceIndex is None:
            return None
        places = [place for place, drawn in enumerate(self._drawn) if drawn.faces is picker.object]
        if not places:  # it has been replaced meanwhile
            return None
        return Hit(places[0], picker.faceIndex, vector(np.add(picker.point, self._placed.target)))

    def _moved(self, _change: object) -> None:
        if not self._placing:
            if self.was_moved:  # a page that is loaded anew sends the camera as it was
                self.take_wheel()
            self._on_camera()

    def _discard(self, *roots: Widget) -> None:
        if roots:
            leave = (*self._kept, *[drawn.faces.geometry for drawn in self._drawn])
            for root in roots:
                close_tree(root, leave)

    @property
    def _kept(self) -> tuple[Widget, ...]:
        """What parts share."""
        lazy = [vars(self)[name] for name in _LAZY if name in vars(self)]
        shared = (self._mirrored, self._line_material, self._outline_material)
        return (*shared, *self._surfaces.values(), *lazy)


_LAZY: Final = ("_lit_line", "_lit_surface", "_tangent_material")
"""Materials that are made when something needs them."""
_STUDIO_LIGHT = scene.studio_light()


def _headlights() -> list[Widget]:
    """Lights that move with the camera: a key from the upper left, a faint fill from the right."""
    ahead = three.Object3D()
    # Casts nothing; without it the browser makes one for each light, and pythreejs trips over it.
    shadow = three.DirectionalLightShadow(camera=three.Camera())
    shared = {"target": ahead, "shadow": shadow}
    return [
        ahead,
        three.DirectionalLight("#ffffff", 0.38, position=(-0.7, 0.8, 1.0), **shared),
        three.DirectionalLight("#eef2ff", 0.14, position=(1.0, 0.0, 0.6), **shared),
    ]


def _outline_material(height: int) -> Widget:
    """Where a body turns away from the viewer: its far side in the colour of edges, a little larger.

    Each vertex of the far side steps out along its normal by a fixed number of pixels, so that a rim is seen
    around what stands before it, as around a block that has no sharp edge. height: of the canvas, pixels.
    """
    return three.ShaderMaterial(
        uniforms=_outline_uniforms(height),
        vertexShader="""
            uniform vec2 half_size;
            uniform float pixels;
            void main() {
                vec4 at = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
                vec2 out_of_it = (normalMatrix * normal).xy;
                float size = length(out_of_it);
                if (size > 1e-4) at.xy += out_of_it / size * pixels * at.w / half_size;
                gl_Position = at;
            }
        """,
        fragmentShader="""
            uniform vec3 color;
            void main() { gl_FragColor = vec4(color, 1.0); }
        """,
        side="BackSide",
    )


def _outline_uniforms(height: int) -> dict[str, Any]:
    return {
        "half_size": {"value": [CANVAS_WIDTH / 2, height / 2]},
        "pixels": {"value": _OUTLINE_PIXELS},
        "color": {"value": _EDGE_COLOR},
    }


def _thin_lines(segments: scene.Floats, color: str, opacity: float) -> Widget:
    positions = segments.reshape(-1, 3)
    return three.LineSegments(
        three.BufferGeometry(attributes={"position": three.BufferAttribute(positions, normalized=False)}),
        three.LineBasicMaterial(color=color, opacity=opacity, **_BELOW_ALL),
    )


def _css_color(color: tuple[float, float, float]) -> str:
    return "#" + bytes([round(255 * min(max(channel, 0.0), 1.0)) for channel in color]).hex()
