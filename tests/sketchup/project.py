"""A small project and a SketchUp in memory, to push into."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from notebook_ext.session.project.truth import Component, Instance, Source, Truth, placed_at
from notebook_ext.sketchup.bridge.bridge import Bridge
from notebook_ext.sketchup.push.push import push
from notebook_ext.sketchup.trace_result import TraceResult
from tests.sketchup.memory_bridge import MemoryMeshes, MemorySketchUp, memory_bridge
from vcad_kernel.paths import own_folder

__all__ = ["Project", "small_project"]


@dataclass
class Project:
    """A project with one plate placed twice, and SketchUp beside it."""

    truth: Truth
    sketchup: MemorySketchUp
    bridge: Bridge
    meshes: MemoryMeshes

    @property
    def ids(self) -> dict[str | None, int]:
        """Persistent ids in the scene, by instance id."""
        return {one.instance_id: one.persistent_id for one in self.sketchup.state.instances}

    def push(self, **options: object) -> TraceResult:
        return push(self.bridge, self.truth, self.meshes, **options)  # type: ignore[arg-type]

    def edit(self, node_id: str = "plate") -> None:
        """The source was edited and evaluated."""
        component = self.truth.model.components[node_id]
        edited = replace(component, revision=component.revision + 1)
        self.truth.save(self.truth.model.with_component(node_id, edited))

    def change(self, instance_id: str, **changed: object) -> None:
        instance = replace(self.truth.model.instances[instance_id], **changed)  # type: ignore[arg-type]
        self.truth.save(self.truth.model.with_instance(instance_id, instance))

    def tools(self) -> list[str]:
        """The calls that change something, since the last time."""
        found = [tool for tool, _ in self.sketchup.calls if tool not in ("list_vcad_nodes", "ping")]
        self.sketchup.calls.clear()
        return found


def small_project(workspace: Path) -> Project:
    """A project with one plate placed twice, and nothing in SketchUp yet."""
    (own_folder(workspace) / "project_id").write_text("workshop", "utf-8")  # else it is a random one
    truth = Truth.load(workspace)
    model = truth.model.with_component("plate", Component(Source.of_file("plate.cmp.oo"), revision=1))
    model = model.with_instance("plate-1", Instance("plate", placed_at(1, 0, 0)))
    truth.save(model.with_instance("plate-2", Instance("plate", placed_at(2, 0, 0), layer="Steel")))
    sketchup = MemorySketchUp(workspace)
    return Project(truth, sketchup, memory_bridge(sketchup), MemoryMeshes(workspace))
