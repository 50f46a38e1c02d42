"""The request to have a part stand somewhere in SketchUp, and what it makes of the project's truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from notebook_ext.session.node_names import checked_node_id, name_of
from notebook_ext.session.project.design_model import IDENTITY, DesignModel, Instance, Transform
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["Placing"]


@dataclass(frozen=True, slots=True)
class Placing:
    """Where an instance of a part is to stand; None leaves a thing as it is."""

    position: tuple[float, float, float] | None = None
    """Of the part's origin, mm."""
    instance: str | None = None
    """Its id; None for the first, which is made where there is none."""
    layer: str | None = None
    component_name: str | None = None
    """What the component is called in SketchUp."""
    transformation: Transform | None = None
    """All of it, 16 numbers; with a position, all but where it is."""

    @classmethod
    def at(
        cls,
        position: Sequence[float] | None,
        instance: str | None = None,
        layer: str | None = None,
        component_name: str | None = None,
        transformation: Sequence[float] | None = None,
    ) -> Placing:
        """Of what a caller gives. Raises: ServiceFailure INVALID_PARAMS for what is no point or no name."""
        if instance is not None:
            instance = checked_node_id(instance, argument="instance")
        return cls(
            None if position is None else _point(position),
            instance,
            layer,
            component_name,
            None if transformation is None else _transform(transformation),
        )

    def applied_to(self, model: DesignModel, node_id: str) -> DesignModel:
        """The model with the instance where it is asked to be.

        Of an instance that is there, only what the request names is changed; a new position keeps its turn.
        Raises: ServiceFailure INVALID_PARAMS when another part has an instance of this name.
        """
        there = dict(model.instances_of(node_id))
        name = self._name(node_id, there)
        instance = there.get(name)
        if instance is None:
            if name in model.instances:
                raise ServiceFailure(
                    ErrorCode.INVALID_PARAMS,
                    f"{name_of(name)} is an instance of {name_of(model.instances[name].component)} already",
                    fix="give the instance another name",
                    details={"path": "instance", "expected": "a name of its own"},
                )
            return model.with_instance(name, Instance(node_id, self._moved(IDENTITY), self.layer))
        if self.transformation is not None:
            instance = replace(instance, transform=self._moved(self.transformation))
        elif self.position is not None:
            instance = replace(instance, transform=self._moved(instance.transform))
        if self.layer is not None:
            instance = replace(instance, layer=self.layer)
        return model.with_instance(name, instance)

    def _moved(self, there: Transform) -> Transform:
        """Where it is to be, of where it is."""
        transform = there if self.transformation is None else self.transformation
        return transform if self.position is None else (*transform[:12], *self.position, 1.0)

    def _name(self, node_id: str, there: dict[str, Instance]) -> str:
        if self.instance is not None:
            return self.instance
        return next(iter(there), f"{node_id}-1")


def _point(position: Sequence[float]) -> tuple[float, float, float]:
    """Raises: ServiceFailure INVALID_PARAMS."""
    try:
        x, y, z = (float(number) for number in position)
    except (TypeError, ValueError):
        x = y = z = math.nan
    if not all(math.isfinite(number) for number in (x, y, z)):
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"a position is three numbers in mm, as (10, 0, 0); this is {position!r}",
            details={"path": "position", "expected": "3 finite numbers"},
        )
    return x, y, z


def _transform(numbers: Sequence[float]) -> Transform:
    """Raises: ServiceFailure INVALID_PARAMS."""
    try:
        matrix = tuple(float(number) for number in numbers)
    except (TypeError, ValueError):
        matrix = ()
    if len(matrix) != 16 or not all(math.isfinite(number) for number in matrix):
        raise ServiceFailure(
            ErrorCode.INVALID_PARAMS,
            f"a transformation is 16 numbers, column by column; this is {list(numbers)!r:.80}",
            details={"path": "transformation", "expected": "16 finite numbers"},
        )
    return matrix
