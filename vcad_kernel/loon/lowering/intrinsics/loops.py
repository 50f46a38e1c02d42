"""A call with a literal function for each item, as a Python loop.

The function's body becomes the body of the loop: no call for each item, and what is known of the
items is known in it. Here is what loops have in common, and those that collect or search; callbacks.py
has the ones with a running value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.functions import make_function, take_apart
from vcad_kernel.loon.lowering.kinds import ANY, BOOL, INT, VECTOR, Kind, noted, whole
from vcad_kernel.loon.lowering.lower import DISCARD, Lowerer
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Slot
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.shapes import clause_of
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["Loop", "stem"]

_FEW_TURNS = 1000
"""Turns of a loop that no limit on the size of a range forbids."""


class Loop:
    """One loop that is being lowered.

    place: which operand of the call is the function.
    """

    def __init__(self, low: Lowerer, head: Symbol, function: ListForm, place: int, at: At) -> None:
        self.low = low
        self.head = head
        self.function = function
        self.place = place
        self.at = at
        self.clause = clause_of(function.items[1:])
        self.items = ANY
        """What is known of each item."""
        self.item = low.fresh(stem(self.clause.parameters[-1]))

    def source(self, form: Form) -> ast.expr:
        """What the loop runs over; a range is not made."""
        low, at = self.low, self.low.at(form)
        if not (isinstance(form, ListForm) and form.items and isinstance(form.items[0], Symbol)):
            return low.value(form)
        if form.items[0].name != "range" or len(form.items) not in (2, 3) or low.frame.lookup("range"):
            return low.value(form)
        low.takes_for_granted("range", at)
        bounds = low.operands(form.items[1:])
        kinds = [low.kind(bound) for bound in bounds]
        low_bound = 0 if len(kinds) == 1 else kinds[0].low
        known = all(kind.name == "int" for kind in kinds) and low_bound < kinds[-1].high
        self.items = whole(low_bound, kinds[-1].high - 1) if known else INT
        spanned: ast.expr = pyast.call_support("$span", bounds, at)
        if known and len(bounds) == 2:
            bounds = [low.hold(bound, at) for bound in bounds]
            length = pyast.binary(bounds[1], ast.Sub(), bounds[0], at)
            few = pyast.compare(length, ast.LtE(), pyast.constant(_FEW_TURNS, at), at)
            quick = pyast.call_support("$range", bounds, at)
            spanned = pyast.choose(few, quick, pyast.call_support("$span", bounds, at), at)
        return noted(spanned, VECTOR)

    def lower(self, values: Sequence[ast.expr], first: int) -> ast.expr:
        """The loop and its result; ``first``: the number of the first variable that belongs to it."""
        low, at = self.low, self.at
        result = low.fresh()
        over = values[0] if self.place == 2 else values[-1]
        kinds: list[Kind] = []

        def run() -> None:
            kinds.append(self._run(values, over, result))

        def whole_loop() -> None:
            low.loop_head(first, over, run)

        if low.kind(over) is VECTOR:
            whole_loop()
        else:
            loop = low.gather(whole_loop)
            refused = low.gather(lambda: self._refuse(values, result))
            asked = pyast.call_support("$type", [over], at)
            low.emit(pyast.when(pyast.same(asked, pyast.load("$Vector", at), at), loop, refused, at))
        low.learn(result, kinds[0])
        return pyast.load(result, at)

    def _run(self, values: Sequence[ast.expr], over: ast.expr, result: str) -> Kind:
        """Emit the loop over ``over``, one of the operands' values; gives the result's kind."""
        del values
        return _LOOPS[self.head.name](self, over, result)

    def _refuse(self, values: Sequence[ast.expr], result: str) -> None:
        """Let the builtin complain; only a fold may find another of its operands to be the function."""
        low, at = self.low, self.at
        function: ast.expr = pyast.load("$stand_in", at)
        if self.head.name == "fold" and self.place == 1:
            low.plain, plain = True, low.plain
            function = make_function(low, [self.clause], low.at(self.function))
            low.plain = plain
        operands = list(values)
        operands.insert(self.place, function)
        called = pyast.call(low.read(self.head.name, low.at(self.head)), operands, at)
        low.emit(pyast.assign([result], called, at))

    # One turn

    def _turn(self, variables: Sequence[str], lower: Callable[[], None]) -> list[ast.stmt]:
        """The statements of one turn, in a scope that holds the parameters."""
        low = self.low
        frame = low.frame
        before = set(frame.begin_unset)
        block = Block(frame)

        def turn() -> None:
            for parameter, variable in zip(self.clause.parameters, variables, strict=True):
                if isinstance(parameter, Symbol) and parameter.name != "_":
                    block.slots[parameter.name] = Slot(variable, frame, parameter=True)
                    block.variables[parameter.name] = variable
            for parameter, variable in zip(self.clause.parameters, variables, strict=True):
                if not isinstance(parameter, Symbol):
                    take_apart(low, parameter, pyast.load(variable, low.at(parameter)))
            lower()

        around, low.around = low.around, self.function
        body = low.gather(lambda: low.within(block, turn))
        low.around = around
        unset = [name for name in frame.begin_unset if name not in before]
        for name in unset:
            del frame.begin_unset[name]
        if unset:
            body.insert(0, pyast.assign(unset, pyast.load("$unset", self.at), self.at))
        return body

    def _each_item(self, over: ast.expr, lower: Callable[[ast.expr], None]) -> None:
        """Emit the loop; ``lower`` is given the item, whatever the body makes of its name."""
        low, at = self.low, self.at
        low.learn(self.item, self.items)
        low.assigned.discard(self.item)
        kept = low.fresh()
        body = self._turn([self.item], lambda: lower(pyast.load(kept, at)))
        target = kept
        if self.item not in low.assigned:
            _rename(body, kept, self.item)
            target = self.item
        else:
            body.insert(0, pyast.assign([self.item], pyast.load(kept, at), at))
        low.emit(pyast.loop(target, over, body, at))

    def _value(self) -> ast.expr:
        """The value of the function's body."""
        forms = self.clause.body
        for form in forms[:-1]:
            self.low.into(form, DISCARD)
        return self.low.value(forms[-1]) if forms else self.low.unit(self.at)

    def _truth(self) -> ast.expr:
        return self.low.truth(self._value(), self.at)

    # The loops

    def _collected(self, over: ast.expr, result: str, take: Callable[[ast.expr, ast.expr], None]) -> Kind:
        low, at = self.low, self.at
        out = pyast.load(low.fresh(), at)
        low.emit(pyast.assign([out.id], pyast.items([], at), at))
        self._each_item(over, lambda item: take(out, item))
        low.emit(pyast.assign([result], pyast.call_support("$vector", [out], at), at))
        return VECTOR

    def _append(self, out: ast.expr, value: ast.expr) -> ast.stmt:
        return pyast.run(pyast.call(pyast.attribute(out, "append", self.at), [value], self.at), self.at)

    def map(self, over: ast.expr, result: str) -> Kind:
        """The values of the body."""
        return self._collected(
            over, result, lambda out, _item: self.low.emit(self._append(out, self._value()))
        )

    def filter(self, over: ast.expr, result: str) -> Kind:
        """The items for which the body is true."""

        def take(out: ast.expr, item: ast.expr) -> None:
            self.low.emit(pyast.when(self._truth(), [self._append(out, item)], [], self.at))

        return self._collected(over, result, take)

    def flat_map(self, over: ast.expr, result: str) -> Kind:
        """The values of the body, vectors among them opened."""

        def take(out: ast.expr, _item: ast.expr) -> None:
            spliced = pyast.call_support("$splice", [out, self._value()], self.at)
            self.low.emit(pyast.run(spliced, self.at))

        return self._collected(over, result, take)

    def each(self, over: ast.expr, result: str) -> Kind:
        """The body for its effects."""
        low, at = self.low, self.at
        self._each_item(over, lambda _item: low.sequence(self.clause.body, DISCARD, at))
        low.emit(pyast.assign([result], low.unit(at), at))
        return ANY

    def _searched(
        self, over: ast.expr, result: str, otherwise: ast.expr, answer: Callable[[ast.expr], ast.expr]
    ) -> None:
        """Stop at the first item for which the body is true; for ``all?``, at the first it is not."""
        low, at = self.low, self.at
        low.emit(pyast.assign([result], otherwise, at))

        def look(item: ast.expr) -> None:
            truth = self._truth()
            if self.head.name == "all?":
                truth = pyast.negated(truth, at)
            low.emit(pyast.when(truth, [pyast.assign([result], answer(item), at), pyast.stop(at)], [], at))

        self._each_item(over, look)

    def any(self, over: ast.expr, result: str) -> Kind:
        """Whether the body is true for some item; for ``all?``, for all."""
        for_all = self.head.name == "all?"
        otherwise, answer = (pyast.constant(truth, self.at) for truth in (for_all, not for_all))
        self._searched(over, result, otherwise, lambda _item: answer)
        return BOOL

    def find(self, over: ast.expr, result: str) -> Kind:
        """``[Some item]`` or ``None``."""
        at = self.at
        self._searched(
            over, result, pyast.load("$none", at), lambda item: pyast.call_support("$some", [item], at)
        )
        return ANY


def stem(parameter: Form) -> str:
    """How the Python variable of a parameter begins."""
    return mangle(parameter.name).partition("$")[0] if isinstance(parameter, Symbol) else ""


def _rename(body: list[ast.stmt], old: str, new: str) -> None:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == old:
                node.id = new


_LOOPS: dict[str, Callable[[Loop, ast.expr, str], Kind]] = {
    "map": Loop.map,
    "filter": Loop.filter,
    "flat-map": Loop.flat_map,
    "each": Loop.each,
    "any?": Loop.any,
    "all?": Loop.any,
    "find": Loop.find,
}
