"""What a project asks of its design: ``design_rules.json`` beside the truth, and what breaks it.

    findings(model, rules, sizes)

Pure but for `rules_of`, which is given the file's text. Lengths are millimetres. Names are compared with
patterns of ``*``, ``?`` and ``[…]``, upper and lower case distinguished.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from msgspec import Struct, convert

from notebook_ext.session.project.design_model import Bounds, DesignModel, Point
from vcad_kernel.contracts.validation import validate
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["FILE_NAME", "DesignRules", "Issue", "findings", "rules_of"]

FILE_NAME: Final = "design_rules.json"

Severity: TypeAlias = Literal["error", "warning"]
_AXES: Final = "xyz"


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing of the design that is not as it should be."""

    severity: Severity
    object_id: str
    """A component's or an instance's; the name of a file for what concerns all of it."""
    code: str
    message: str


class Sizes(Struct, frozen=True):
    """Limits of each component's box along x, y and z, mm."""

    min: Point | None = None
    max: Point | None = None


class Names(Struct, frozen=True):
    """Patterns of which each id must fit one; None for any."""

    components: tuple[str, ...] | None = None
    instances: tuple[str, ...] | None = None


class Choice(Struct, frozen=True):
    """Which layers, or materials, there may be."""

    allowed: tuple[str, ...] | None = None
    """None for any."""
    required: bool = False
    """Whether every instance must have one."""


class DesignRules(Struct, frozen=True):
    """What the file says; without a file, nothing."""

    size: Sizes = Sizes()
    names: Names = Names()
    layers: Choice = Choice()
    materials: Choice = Choice()


def rules_of(text: str, *, operation: str) -> DesignRules:
    """The rules in a file's text. Raises: ServiceFailure SCHEMA_VALIDATION_FAILED."""
    try:
        rules = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ServiceFailure(
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            f"{FILE_NAME} is no JSON: {error}",
            details={"path": FILE_NAME, "expected": "JSON", "operation": operation},
        ) from None
    validate("design_rules", rules, operation=operation)
    return convert(rules, DesignRules)


def findings(
    model: DesignModel,
    rules: DesignRules,
    sizes: Mapping[str, Bounds | None],
    scope: Collection[str] | None = None,
) -> tuple[Issue, ...]:
    """What is wrong with a design, in the order of its ids.

    sizes: box of each component that is known, in its own coordinates. scope: ids of components, with their
    instances, and of instances; None for all.
    """
    wanted = set(model.components) | set(model.instances) if scope is None else set(scope)
    issues: list[Issue] = []
    for node_id in sorted(wanted & model.components.keys()):
        issues += _of_component(model, node_id, rules, sizes)
    for instance_id, instance in sorted(model.instances.items()):
        if instance_id in wanted or instance.component in wanted:
            issues += _of_instance(model, instance_id, rules)
    return tuple(issues)


def _of_component(
    model: DesignModel, node_id: str, rules: DesignRules, sizes: Mapping[str, Bounds | None]
) -> Iterator[Issue]:
    component = model.components[node_id]
    if component.status == "degraded":
        yield Issue("warning", node_id, "DEGRADED", "what stands for it is its last good geometry")
    elif component.status == "orphan":
        yield Issue("error", node_id, "ORPHAN", "it is known from SketchUp only, and has no source here")
    if component.revision < 1:
        yield Issue("warning", node_id, "NOT_EVALUATED", "it has not been evaluated yet")
    yield from _of_name(node_id, rules.names.components)
    least, most = rules.size.min, rules.size.max
    box = sizes.get(node_id)
    if box is None and (least is not None or most is not None):
        yield Issue("warning", node_id, "SIZE_UNKNOWN", "its size is not known, so no limit could be checked")
    if box is None:
        return
    for axis, name in enumerate(_AXES):
        size = box.max[axis] - box.min[axis]
        if most is not None and size > most[axis] + 1e-6:
            text = f"it is {size:g} mm long along {name}, and may be {most[axis]:g} mm"
            yield Issue("error", node_id, "SIZE_TOO_LARGE", text)
        if least is not None and size < least[axis] - 1e-6:
            text = f"it is {size:g} mm long along {name}, and must be {least[axis]:g} mm"
            yield Issue("error", node_id, "SIZE_TOO_SMALL", text)


def _of_instance(model: DesignModel, instance_id: str, rules: DesignRules) -> Iterator[Issue]:
    instance = model.instances[instance_id]
    if instance.component not in model.components:
        text = f"its component {instance.component} is not in the project"
        yield Issue("error", instance_id, "COMPONENT_MISSING", text)
    yield from _of_name(instance_id, rules.names.instances)
    yield from _of_choice(instance_id, "layer", instance.layer, rules.layers)
    yield from _of_choice(instance_id, "material", instance.material, rules.materials)


def _of_name(object_id: str, patterns: Collection[str] | None) -> Iterator[Issue]:
    if patterns is not None and not any(fnmatchcase(object_id, pattern) for pattern in patterns):
        text = f"its name fits none of {', '.join(patterns) or 'no patterns'}"
        yield Issue("error", object_id, "NAME_NOT_ALLOWED", text)


def _of_choice(object_id: str, what: str, value: str | None, rule: Choice) -> Iterator[Issue]:
    if value is None:
        if rule.required:
            yield Issue("error", object_id, f"{what.upper()}_MISSING", f"it has no {what}, and must have one")
    elif rule.allowed is not None and value not in rule.allowed:
        text = f"its {what} is {value!r}; allowed are {', '.join(rule.allowed) or 'none'}"
        yield Issue("error", object_id, f"{what.upper()}_NOT_ALLOWED", text)
