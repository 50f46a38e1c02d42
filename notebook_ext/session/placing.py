"""The wish to have a part stand somewhere in SketchUp, and what it makes of the project's truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from notebook_ext.session.design_model import IDENTITY, DesignModel, Instance, placed_at
from notebook_ext.session.node_names import node_id_of
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Placing"]


@dataclass(frozen=True, slots=True)
class Placing:
    """Where an instance of a part is to stand; None leaves a thing as it is."""

    position: tuple[float, float, float] | None = None
    """Of the part's origin, mm."""
    instance: str | None = None
    """Which; None for the first, which is made where there is none."""
    layer: str | None = None
    component_name: str | None = None
    """What the component is called in SketchUp."""

    @classmethod
    def at(
        cls,
        position: Sequence[float] | None,
        instance: str | None = None,
        layer: str | None = None,
        component_name: str | None = None,
    ) -> Placing:
        """Of what a caller gives. Raises: ServiceFailure INVALID_PARAMS for a position that is no point."""
        point = None if position is None else tuple(float(one) for one in position)
        if point is not None and (len(point) != 3 or not all(math.isfinite(one) for one in point)):
            raise ServiceFailure(
                ErrorCode.INVALID_PARAMS,
                f"a position is three numbers in mm, as 10,0,0; these are {point}",
                details={"path": "position", "expected": "3 finite numbers"},
            )
        x_y_z = None if point is None else (point[0], point[1], point[2])
        return cls(x_y_z, instance, layer, component_name)

    def applied_to(self, model: DesignModel, node_id: str) -> DesignModel:
        """The model with the instance where it is wished to be.

        Of an instance that is there, only what the wish names is changed; a new position keeps its turn.
        Raises: ServiceFailure INVALID_PARAMS when another part has an instance of this name.
        """
        there = dict(model.instances_of(node_id))
        name = self._name(node_id, there)
        instance = there.get(name)
        if instance is None:
            if name in model.instances:
                raise ServiceFailure(
                    ErrorCode.INVALID_PARAMS,
                    f"{name} is an instance of {model.instances[name].component} already",
                    fix="give the instance another name",
                    details={"path": "instance", "expected": "a name of its own"},
                )
            transform = IDENTITY if self.position is None else placed_at(*self.position)
            return model.with_instance(name, Instance(node_id, transform, self.layer))
        if self.position is not None:
            instance = replace(instance, transform=(*instance.transform[:12], *self.position, 1.0))
        if self.layer is not None:
            instance = replace(instance, layer=self.layer)
        return model.with_instance(name, instance)

    def _name(self, node_id: str, there: dict[str, Instance]) -> str:
        if self.instance is not None:
            return node_id_of(self.instance)
        return next(iter(there), f"{node_id}-1")
