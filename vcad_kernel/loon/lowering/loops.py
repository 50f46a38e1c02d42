"""``map``, ``filter``, ``fold`` and their like as loops, when their function is written in place.

The function's body becomes the body of a Python loop: no call for each item, and what is known of
the items and of the running value is known in it. It runs only while the builtin is what it was;
beside every loop stands the plain call (see Lowerer.two_versions). The errors and the calls that
they list are those of a call: the frame notes which stretch of text is the function's.

A sum of ints is not wrapped at each step but at its end, which comes to the same modulo 2^64.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from vcad_kernel.loon.lowering import pyast
from vcad_kernel.loon.lowering.bindings import check_pattern, names_in, take_apart
from vcad_kernel.loon.lowering.foresight import CALLBACKS, binds, forms_in, is_lambda, likely_kind
from vcad_kernel.loon.lowering.functions import clause_of, make_function
from vcad_kernel.loon.lowering.kinds import ANY, BOOL, INT, LOOSE, STR, VECTOR, Kind, noted, whole
from vcad_kernel.loon.lowering.lower import DISCARD, BadForm, Destination, Lowerer, inline
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Slot
from vcad_kernel.loon.names import mangle
from vcad_kernel.loon.syntax import Form, ListForm, Symbol

__all__ = ["can_loop", "loop_over"]

_FEW_TURNS = 1000
"""Turns of a loop that no limit on the size of a range forbids."""


def can_loop(low: Lowerer, form: Form, *, piped: bool = False) -> bool:
    """Whether a call can be done as a loop; ``piped``: its last argument comes from a pipe."""
    if not isinstance(form, ListForm) or not form.items or not isinstance(form.items[0], Symbol):
        return False
    name, operands = form.items[0].name, form.items[1:]
    if low.plain or name not in CALLBACKS or low.frame.lookup(name):
        return False
    count = 2 if name == "fold" else 1
    if len(operands) + piped != count + 1:
        return False
    at = _lambda_at(name, operands, piped=piped)
    return at is not None and _is_plain(operands[at]) and not any(binds(one) for one in operands[at + 1 :])


def _is_plain(function: Form) -> bool:
    """Whether a literal function is well formed and binds each name once."""
    assert isinstance(function, ListForm)
    assert isinstance(function.items[1], ListForm)
    parameters = function.items[1].items
    try:
        for one in parameters:
            check_pattern(one)
    except BadForm:
        return False  # it fails where it is reached, as a function
    names = [name for one in parameters for name in names_in(one) if name != "_"]
    return len(names) == len(set(names))


def _lambda_at(name: str, operands: Sequence[Form], *, piped: bool) -> int | None:
    """Which operand is the function; None if none that can be."""
    if name == "fold":
        places = [1] if piped else [1, 2]
    else:
        places = [0] if piped or name in ("any?", "all?", "find") else [0, 1]
    found = [at for at in places if is_lambda(operands[at], 2 if name == "fold" else 1)]
    return found[0] if len(found) == 1 else None


@inline(*sorted(CALLBACKS))
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
    place = _lambda_at(head.name, operands, piped=piped is not None)
    assert place is not None
    function = operands[place]
    assert isinstance(function, ListForm)
    first = low.next_number
    loop = _Loop(low, head, function, place, at)
    others = [one for index, one in enumerate(operands) if index != place]
    rebinds = any(binds(one) for one in others)
    values: list[ast.expr] = []
    for index, one in enumerate(others):
        is_source = piped is None and index == (0 if place == 2 else len(others) - 1)
        value = loop.source(one) if is_source else low.value(one)
        values.append((low.spill if rebinds else low.hold)(value, low.at(one)))
    if piped is not None:
        values.append(low.hold(piped, at))
    low.frame.inlined.append((low.at(function), at))
    return loop.lower(values, first)


class _Loop:
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
        self.item = low.fresh(_stem(self.clause.parameters[-1]))

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
            if self.head.name == "fold":
                kinds.append(self._fold(values[1] if self.place == 2 else values[0], over, result))
            else:
                kinds.append(_LOOPS[self.head.name](self, over, result))

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

        body = low.gather(lambda: low.within(block, turn))
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
        self, over: ast.expr, result: str, otherwise: ast.expr, found: Callable[[ast.expr], ast.expr]
    ) -> None:
        """Stop at the first item for which the body is true; for ``all?``, at the first it is not."""
        low, at = self.low, self.at
        low.emit(pyast.assign([result], otherwise, at))

        def look(item: ast.expr) -> None:
            truth = self._truth()
            if self.head.name == "all?":
                truth = pyast.negated(truth, at)
            low.emit(pyast.when(truth, [pyast.assign([result], found(item), at), pyast.stop(at)], [], at))

        self._each_item(over, look)

    def any(self, over: ast.expr, result: str) -> Kind:
        """Whether the body is true for some item; for ``all?``, for all."""
        for_all = self.head.name == "all?"
        otherwise, found = (pyast.constant(truth, self.at) for truth in (for_all, not for_all))
        self._searched(over, result, otherwise, lambda _item: found)
        return BOOL

    def find(self, over: ast.expr, result: str) -> Kind:
        """``[Some item]`` or ``None``."""
        at = self.at
        self._searched(
            over, result, pyast.load("$none", at), lambda item: pyast.call_support("$some", [item], at)
        )
        return ANY

    # Folds

    def _fold(self, first: ast.expr, over: ast.expr, result: str) -> Kind:
        low, at = self.low, self.at
        total = low.fresh(_stem(self.clause.parameters[0]))
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
        likely = likely_kind(self.clause.body, kinds, "")
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
                self._adds_to(one, total) for one in operands[1:]
            )
        taken = [one.name for one in self.clause.parameters if isinstance(one, Symbol)]
        if head not in ("+", "-") or len(operands) != 2 or head in taken or self.low.frame.lookup(head):
            return False
        left, right = operands
        if self._adds_to(left, total) and not _mentions(right, total):
            return True
        return head == "+" and self._adds_to(right, total) and not _mentions(left, total)


_LOOPS: dict[str, Callable[[_Loop, ast.expr, str], Kind]] = {
    "map": _Loop.map,
    "filter": _Loop.filter,
    "flat-map": _Loop.flat_map,
    "each": _Loop.each,
    "any?": _Loop.any,
    "all?": _Loop.any,
    "find": _Loop.find,
}


def _stem(parameter: Form) -> str:
    return mangle(parameter.name).partition("$")[0] if isinstance(parameter, Symbol) else ""


def _mentions(form: Form, name: str) -> bool:
    """Whether a name may be read in a form, or a loop runs in it, whose code would stand there twice."""
    return any(
        isinstance(one, Symbol) and (one.name in CALLBACKS or one.name.partition(".")[0] == name)
        for one in forms_in([form])
    )


def _rename(body: list[ast.stmt], old: str, new: str) -> None:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == old:
                node.id = new
