"""``map``, ``filter``, ``fold`` and their like, when their function is written in place: which can be loops.

A loop runs only while the builtin is what it was; beside every loop stands the plain call (see
Lowerer.two_versions). The errors and the calls that they list are those of a call: the frame notes
which stretch of text is the function's.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.intrinsics.foresight import binds, forms_in, is_lambda, likely_kind
from vcad_kernel.loon.lowering.intrinsics.loops import Loop, stem
from vcad_kernel.loon.lowering.kinds import ANY, INT, LOOSE, STR, Kind
from vcad_kernel.loon.lowering.lower import Destination, Inline, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.runtime.builtins.pristine import CALLBACKS
from vcad_kernel.loon.shapes import is_pattern, names_in
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["INLINE", "Fold", "can_loop", "loop_over"]


class Fold(Loop):
    """A loop with a running value."""

    def _run(self, values: Sequence[ast.expr], over: ast.expr, result: str) -> Kind:
        low, at = self.low, self.at
        first = values[1] if self.place == 2 else values[0]
        total = low.fresh(stem(self.clause.parameters[0]))
        low.emit(pyast.assign([total], first, at))
        kind = low.kind(first)
        name = self.clause.parameters[0]
        if (
            kind.name == "int"
            and isinstance(name, Symbol)
            and len(self.clause.body) == 1
            and self._adds_to(self.clause.body[0], name.name)
        ):
            kind = self._sum(over, total)
        else:
            kind = self._fold_of(self._meant(kind, name), over, total)
        low.emit(pyast.assign([result], pyast.load(total, at), at))
        return kind

    def _meant(self, kind: Kind, name: Form) -> Kind:
        """The kind that the running value probably keeps."""
        wanted = INT if kind.name == "int" else kind
        if wanted is ANY or self.low.cautious or not isinstance(name, Symbol):
            return ANY
        item = self.clause.parameters[-1]
        kinds = {name.name: wanted}
        if isinstance(item, Symbol) and self.items is not ANY:
            kinds[item.name] = INT
        likely = likely_kind(self.clause.body, kinds, "", self.low.rules.special)
        return wanted if likely is not None and wanted.covers(likely) else ANY

    def _fold_of(self, kind: Kind, over: ast.expr, total: str) -> Kind:
        """A loop whose running value is of a kind at each turn; of any kind if that does not hold."""
        low, at = self.low, self.at
        grows = kind is STR
        if grows:
            low.begin_to_grow(total, at)
        body = self._fold_turn(kind, total)
        after = low.left.get(total, ANY)
        if not kind.covers(after):
            low.growing.pop(total, None)
            cautious, low.cautious = low.cautious, True
            kind = self._fold_of(ANY, over, total)
            low.cautious = cautious
            return kind
        if grows:
            body.append(low.has_grown(total, low.at(self.clause.body[-1])))
            del low.growing[total]
        low.emit(pyast.loop(self.item, over, body, at))
        low.learn(total, kind)
        return kind

    def _fold_turn(self, kind: Kind, total: str) -> list[ast.stmt]:
        low = self.low
        low.learn(total, kind)
        low.learn(self.item, self.items)
        into = Destination("variable", total)
        return self._turn([total, self.item], lambda: low.sequence(self.clause.body, into, self.at))

    def _sum(self, over: ast.expr, total: str) -> Kind:
        """A sum that begins with an int: ints as long as ints are added, wrapped at the end."""
        low, at = self.low, self.at
        gave_up = False

        def give_up(value: ast.expr) -> None:
            nonlocal gave_up
            gave_up = True
            low.emit(pyast.assign([total], value, at))
            low.emit(pyast.stop(at))

        outer, low.give_up = low.give_up, give_up
        body = self._fold_turn(LOOSE, total)
        low.give_up = outer
        if not LOOSE.covers(low.left.get(total, ANY)):
            low.learn(total, INT)
            return self._fold_of(ANY, over, total)
        wrapped = pyast.assign([total], pyast.call_support("$wrap", [pyast.load(total, at)], at), at)
        if not gave_up:
            low.emit(pyast.loop(self.item, over, body, at))
            low.emit(wrapped)
            low.learn(total, INT)
            return INT
        # The second loop goes on where the first gave up, with whatever it came to.
        items = pyast.load(low.fresh(), at)
        low.emit(pyast.assign([items.id], pyast.call_support("$iter", [over], at), at))
        low.emit(pyast.loop(self.item, items, body, at))
        asked = pyast.call_support("$type", [pyast.load(total, at)], at)
        low.emit(pyast.when(pyast.same(asked, pyast.load("$int", at), at), [wrapped], [], at))
        return self._fold_of(ANY, items, total)

    def _adds_to(self, form: Form, total: str) -> bool:
        """Whether a body's value is the running value, or it with something added that knows it not."""
        if isinstance(form, Symbol):
            return form.name == total
        if not (isinstance(form, ListForm) and form.items and isinstance(form.items[0], Symbol)):
            return False
        head, operands = form.items[0].name, form.items[1:]
        if head == "if" and len(operands) == 3:
            return not _mentions(operands[0], total) and all(
                self._adds_to(operand, total) for operand in operands[1:]
            )
        taken = [parameter.name for parameter in self.clause.parameters if isinstance(parameter, Symbol)]
        if head not in ("+", "-") or len(operands) != 2 or head in taken or self.low.frame.lookup(head):
            return False
        left, right = operands
        if self._adds_to(left, total) and not _mentions(right, total):
            return True
        return head == "+" and self._adds_to(right, total) and not _mentions(left, total)


def _mentions(form: Form, name: str) -> bool:
    """Whether a name may be read in a form, or a loop runs in it, whose code would stand there twice."""
    return any(
        isinstance(inner, Symbol) and (inner.name in CALLBACKS or inner.name.partition(".")[0] == name)
        for inner in forms_in([form])
    )


_DEEPEST = 8
"""Loops that may lie one in the other: Python refuses more than 20 blocks, of all kinds."""


def can_loop(low: Lowerer, form: Form, *, piped: bool = False) -> bool:
    """Whether a call can be done as a loop; ``piped``: its last argument comes from a pipe."""
    if not isinstance(form, ListForm) or not form.items or not isinstance(form.items[0], Symbol):
        return False
    name, operands = form.items[0].name, form.items[1:]
    if low.plain or len(low.loops) >= _DEEPEST or name not in CALLBACKS or low.frame.lookup(name):
        return False
    count = 2 if name == "fold" else 1
    if len(operands) + piped != count + 1:
        return False
    at = _lambda_at(low, name, operands, piped=piped)
    return (
        at is not None
        and _is_plain(operands[at])
        and not any(binds(later, low.rules.special) for later in operands[at + 1 :])
    )


def _is_plain(function: Form) -> bool:
    """Whether a literal function is well formed and binds each name once."""
    assert isinstance(function, ListForm)
    assert isinstance(function.items[1], ListForm)
    parameters = function.items[1].items
    if not all(map(is_pattern, parameters)):
        return False  # it fails where it is reached, as a function
    names = [name.name for parameter in parameters for name in names_in(parameter)]
    return len(names) == len(set(names))


def _lambda_at(low: Lowerer, name: str, operands: Sequence[Form], *, piped: bool) -> int | None:
    """Which operand is the function; None if none that can be."""
    if name == "fold":
        places = [1] if piped else [1, 2]
    else:
        places = [0] if piped or name in ("any?", "all?", "find") else [0, 1]
    lambdas = [at for at in places if is_lambda(operands[at], 2 if name == "fold" else 1, low.rules.special)]
    return lambdas[0] if len(lambdas) == 1 else None


def lower_callback(low: Lowerer, form: ListForm, at: At) -> ast.expr | None:
    """A call with a literal function."""
    if not can_loop(low, form):
        return None
    if low.assumed is None:
        return low.in_two_versions(form, at)
    return loop_over(low, form, None, at)


def loop_over(low: Lowerer, form: ListForm, piped: ast.expr | None, at: At) -> ast.expr:
    """Lower a call for which ``can_loop`` holds; ``piped`` is its last argument if a pipe gives it."""
    head, operands = form.items[0], form.items[1:]
    assert isinstance(head, Symbol)
    low.takes_for_granted(head.name, at)
    place = _lambda_at(low, head.name, operands, piped=piped is not None)
    assert place is not None
    function = operands[place]
    assert isinstance(function, ListForm)
    first = low.next_number
    loop = (Fold if head.name == "fold" else Loop)(low, head, function, place, at)
    others = [operand for index, operand in enumerate(operands) if index != place]
    rebinds = any(binds(operand, low.rules.special) for operand in others)
    values: list[ast.expr] = []
    for index, operand in enumerate(others):
        is_source = piped is None and index == (0 if place == 2 else len(others) - 1)
        value = loop.source(operand) if is_source else low.value(operand)
        values.append((low.spill if rebinds else low.hold)(value, low.at(operand)))
    if piped is not None:
        values.append(low.hold(piped, at))
    low.frame.inlined.append((low.at(function), at))
    return loop.lower(values, first)


INLINE: Mapping[str, Inline] = dict.fromkeys(sorted(CALLBACKS), lower_callback)
"""How calls of builtins are done in place, by name."""
