"""Body: a solid whose booleans and patterns have been noted but not carried out.

A body never changes and may be part of any number of others: combining is O(1) and uses nothing up.
When a body is wanted for real, :func:`carry_out` flattens it: chains of one operation, patterns within
patterns and turned unions become one list for one batch. (Forcing each step of a chain costs 4–33 times
as much.) How a body is flattened depends on what it is made of and on nothing else, so the same solid
has the same bytes whatever was carried out before. Nothing here recurses: chains may be 10 000 long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from vcad_kernel.geometry.mesh.manifold_kernel import KernelFault, Made, Operation, batch
from vcad_kernel.geometry.mesh.rounding.levels import common_turn
from vcad_kernel.geometry.placement import Matrix, compose
from vcad_kernel.ir.digest import Digest

__all__ = ["Body", "BodyFault", "BodyKey", "Results", "carry_out", "combined", "placed", "primitive"]

_MAX_SPREAD = 20_000
"""A union of more bodies than this is carried out before a pattern multiplies it."""


class BodyKey(NamedTuple):
    """What a body is, by content: equal keys mean the same solid, built the same way."""

    digest: Digest
    """Of the node that made it."""
    scale: float = 1.0
    """How much later transforms enlarge it."""
    piece: int = 0
    """Which of the node's own bodies; negative before its turn."""


class BodyFault(Exception):
    """The kernel could not carry a body out; ``body`` is the one that failed."""

    def __init__(self, body: Body, fault: KernelFault) -> None:
        super().__init__(str(fault))
        self.body = body
        self.status = fault.status


class Results(Protocol):
    """Where bodies that were carried out are kept."""

    def get(self, body: Body) -> Made | None:
        """The result, if it is still known."""

    def begin(self, body: Body) -> None:
        """A batch is about to be carried out."""

    def done(self, body: Body, made: Made) -> None:
        """It was."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Body:
    """A solid as one operation over other bodies, or as it stands."""

    key: BodyKey
    operation: Operation = Operation.UNION
    """What joins the operands; copies are a union."""
    operands: tuple[Body, ...] = ()
    """None for a body that stands as it is."""
    matrices: tuple[Matrix, ...] = ()
    """Where copies of the one operand stand; empty for a boolean."""
    solid: Made | None = None
    """The body as it stands, when it has no operands."""
    size: int = 1
    """How many solids a list of its operands holds when flattened."""
    carried: bool = False
    """Whether anything within it is carried out on its own."""
    spread: bool = False
    """Copies of a union: the copies of all its operands go on the list, instead of copies of the whole."""
    heaviest: int = 0
    """Bytes of the largest solid within it."""


def primitive(key: BodyKey, solid: Made) -> Body:
    """A body as it stands."""
    return Body(key, solid=solid, heaviest=solid.nbytes)


def combined(key: BodyKey, operation: Operation, operands: Sequence[Body]) -> Body:
    """One operation over several bodies; the first less all others for a difference.

    Bodies that are all turned alike are combined as they were before, and the whole is turned: once turned,
    faces that meet exactly would only nearly do so.
    """
    turn = common_turn([body.matrices[0] if len(body.matrices) == 1 else None for body in operands])
    if turn is None:
        return _combined(key, operation, operands)
    whole = _combined(_unturned(key, 0), operation, [_straight(body) for body in operands])
    return placed(key, whole, (np.column_stack([turn, np.zeros(3)]),))


def _straight(body: Body) -> Body:
    """A body that is another one placed, as it was before its turn."""
    (matrix,) = body.matrices
    offset = np.linalg.solve(matrix[:, :3], matrix[:, 3])
    if not np.any(offset):
        return body.operands[0]
    shift = np.column_stack([np.eye(3), offset])
    return _placed(_unturned(body.key, 1), body.operands[0], (shift,), spread=body.spread)


def _unturned(key: BodyKey, which: int) -> BodyKey:
    """The key of what a turned body is made of: its operands combined (0), or its operand in place (1)."""
    return key._replace(piece=-1 - 2 * key.piece - which)


def _combined(key: BodyKey, operation: Operation, operands: Sequence[Body]) -> Body:
    first, *others = operands
    size, carried = 0, False
    # an operand of the same operation gives its own operands to the list, anything else itself
    for operand, within in ((first, operation), *((other, _adds_up(operation)) for other in others)):
        flat = _is_single(operand) or _dissolves(operand, within)
        size += operand.size if flat else 1
        carried = carried or operand.carried or not flat
    heaviest = max(operand.heaviest for operand in operands)
    return Body(key, operation, tuple(operands), size=size, carried=carried, heaviest=heaviest)


def placed(key: BodyKey, body: Body, matrices: Sequence[Matrix]) -> Body:
    """The union of a copy of a body under each matrix."""
    if len(matrices) == 1 and len(body.matrices) == 1:
        # one transform of another is one transform
        inner = body.operands[0]
        return _placed(key, inner, (compose(matrices[0], body.matrices[0]),), spread=body.spread)
    listed = body.operation is Operation.UNION and not _is_single(body)
    if len(matrices) == 1:
        # carried out where it stands: operands that fit exactly would only nearly fit once turned.
        # Not so for chains of unions and turns, which would lose their flat lists.
        return _placed(key, body, matrices, spread=listed and body.carried)
    return _placed(key, body, matrices, spread=listed and body.size * len(matrices) <= _MAX_SPREAD)


def _placed(key: BodyKey, body: Body, matrices: Sequence[Matrix], *, spread: bool) -> Body:
    return Body(
        key,
        operands=(body,),
        matrices=tuple(matrices),
        size=len(matrices) * (body.size if spread else 1),
        carried=body.carried or not (spread or _is_single(body)),
        spread=spread,
        heaviest=body.heaviest,
    )


def _is_single(body: Body) -> bool:
    """Whether the body is one solid as it stands, perhaps moved."""
    return not body.operands or (_is_moved(body) and not body.operands[0].operands)


def _is_moved(body: Body) -> bool:
    """Whether the body is another one as a whole, moved."""
    return len(body.matrices) == 1 and not body.spread


def _adds_up(operation: Operation) -> Operation:
    """What the operands after the first are joined by: a − b − c is a − (b ∪ c)."""
    return Operation.UNION if operation is Operation.DIFFERENCE else operation


def _dissolves(body: Body, within: Operation | None) -> bool:
    """Whether the operands of a body can take its place in a list of ``within``; None = on no list."""
    return bool(body.operands) and (_is_moved(body) or body.operation is within)


_Entry: TypeAlias = tuple[Body, Operation | None, Matrix | None]
"""An operand, the operation on whose list it stands (None = it is wanted as a whole), and where."""


def _pieces(body: Body) -> list[_Entry]:
    """The operands of a body."""
    if body.matrices:
        (inner,) = body.operands
        within = Operation.UNION if body.spread else None
        return [(inner, within, matrix) for matrix in body.matrices]
    first, *others = body.operands
    within = _adds_up(body.operation)
    return [(first, body.operation, None), *((other, within, None) for other in others)]


Plan: TypeAlias = list[tuple[Body, Matrix | None]]
"""The operands of one batch, in order, each with where it stands."""


def _plan(target: Body) -> Plan:
    """The flat list of a body's operands.

    An operand that occurs more than once is not taken apart, but carried out once; one that occurs
    twice in the same place adds nothing to a list.
    """
    shared = _shared(target)
    plan: Plan = []
    listed: set[tuple[BodyKey, bytes]] = set()
    pending = _pieces(target)[::-1]
    while pending:
        body, within, matrix = pending.pop()
        if body.key in shared or not _dissolves(body, within):
            entry = (body.key, b"" if matrix is None else matrix.tobytes())
            if entry in listed:
                continue
            # what is subtracted from stands apart from the list of what is subtracted
            if plan or target.operation is not Operation.DIFFERENCE:
                listed.add(entry)
            plan.append((body, matrix))
        elif matrix is None:
            pending.extend(reversed(_pieces(body)))
        else:
            pending.extend(
                (inner, how, matrix if place is None else compose(matrix, place))
                for inner, how, place in reversed(_pieces(body))
            )
    return plan


def _shared(target: Body) -> set[BodyKey]:
    """Composite bodies that a flat list would take apart more than once; a pattern counts as one use."""
    uses: Counter[BodyKey] = Counter()
    pending: list[tuple[Body, Operation | None]] = [(target, target.operation)]
    while pending:
        body, within = pending.pop()
        if _is_single(body):
            continue
        uses[body.key] += 1
        if uses[body.key] == 1 and (body is target or _dissolves(body, within)):
            pieces = _pieces(body)
            pending.extend((inner, how) for inner, how, _ in (pieces[:1] if body.matrices else pieces))
    return {key for key, count in uses.items() if count > 1}


def carry_out(target: Body, results: Results) -> Made:
    """The solid of a body; what has to be carried out before it is handed to ``results`` as well.

    Raises: BodyFault.
    """
    held: dict[BodyKey, Made] = {}
    plans: dict[BodyKey, Plan] = {}
    uses: Counter[BodyKey] = Counter()
    order: list[Body] = []
    # depth first, operands before what is made of them, without recursion: chains are long
    pending = [(target, False)]
    while pending:
        body, planned = pending.pop()
        if planned:
            order.append(body)
        elif body.key not in plans and body.key not in held:
            known = body.solid or results.get(body)
            if known is not None:
                held[body.key] = known
                continue
            plan = plans[body.key] = _plan(body)
            operands = {operand.key: operand for operand, _ in plan}
            uses.update(operands.keys())
            pending.append((body, True))
            pending.extend((operand, False) for operand in operands.values())
    # one batch of the library for each plan
    for body in order:
        results.begin(body)
        plan = plans.pop(body.key)
        try:
            made = batch(body.operation, [(held[operand.key], matrix) for operand, matrix in plan])
        except KernelFault as fault:
            raise BodyFault(body, fault) from None
        results.done(body, made)
        held[body.key] = made
        for key in {operand.key for operand, _ in plan}:
            uses[key] -= 1
            if not uses[key]:
                # long chains of unlike operations would hold every stage of the solid otherwise
                del held[key]
    return held[target.key]
