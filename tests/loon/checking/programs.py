"""Small programs for the soundness property: mostly well typed, now and then not.

Expressions are made for a type that is wanted; sometimes one of another type takes their place. Kept out is
what the language leaves out of the checker's promise (see checking/check.py): missing keys, patterns longer
than their vector, one-armed ``if``, effects, nested patterns, ``let`` in a branch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

__all__ = ["programs"]

_SIMPLE = ("Int", "Float", "Bool", "String", "Keyword")
_PRELUDE = """[type Shape [Circle Float] [Rect Float Float] Point]
[type Box a [Box :held a :label String]]
[fn area [s] [match s [Circle r] [* r r] [Rect w h] [* w h] Point 0.0]]
[fn twice [f] [fn [x] [f [f x]]]]
[fn pick ([a] a) ([a b] [if true a b])]
[fn count-all [a & more] [+ 1 [len more]]]
[fn size [{w 1 h 2}] [* w h]]
[fn swap [[a b]] (b a)]
"""


@dataclass(slots=True)
class _Maker:
    """Draws a program; ``scope`` are the names in reach with the types they were made for."""

    draw: st.DrawFn
    scope: dict[str, str] = field(default_factory=dict)
    made: int = 0
    wrong: int = 0
    mistakes: bool = True

    def one_of(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def type(self) -> str:
        return self.one_of(
            *_SIMPLE, "Int", "Int", "Vec Int", "Vec String", "Record", "Option Int", "Shape", "Pair", "Box"
        )

    def name(self) -> str:
        self.made += 1
        return f"v{self.made}"

    def expression(self, wanted: str, depth: int = 3) -> str:
        if self.mistakes and self.draw(st.integers(0, 30)) == 0:
            self.wrong += 1
            wanted = self.type()
        known = [name for name, held in self.scope.items() if held == wanted]
        if known and self.draw(st.integers(0, 2)) == 0:
            return self.one_of(*known)
        if depth <= 0:
            return self.leaf(wanted)

        def again() -> str:
            return self.expression(wanted, depth - 1)

        general = self.draw(st.integers(0, 9))
        if general == 0:
            return f"[if {self.expression('Bool', depth - 1)} {again()} {again()}]"
        if general == 1:
            return f"[do {self.expression(self.type(), depth - 1)} {again()}]"
        if general == 2:
            return self.called(wanted, depth)
        if general == 3:
            option = self.expression("Option Int", depth - 1)
            return f"[match {option} {self.some(wanted, depth)} None {again()}]"
        if general == 4:
            return f"[pick {again()}{self.one_of('', f' {again()}')}]"
        if general == 5 and wanted in _SIMPLE:
            return f"[match {again()} {self.leaf(wanted)} {again()} _ {again()}]"
        return self.special(wanted, depth - 1)

    def some(self, wanted: str, depth: int) -> str:
        name = self.name()
        return f"[Some {name}] {self.within({name: 'Int'}, wanted, depth - 1)}"

    def within(self, more: dict[str, str], wanted: str, depth: int) -> str:
        outer, self.scope = self.scope, {**self.scope, **more}
        text = self.expression(wanted, depth)
        self.scope = outer
        return text

    def function(self, takes: tuple[str, ...], gives: str, depth: int) -> str:
        names = [self.name() for _ in takes]
        return f"[fn [{' '.join(names)}] {self.within(dict(zip(names, takes, strict=True)), gives, depth)}]"

    def called(self, wanted: str, depth: int) -> str:
        given = self.type()
        return f"[{self.function((given,), wanted, depth - 1)} {self.expression(given, depth - 1)}]"

    def leaf(self, wanted: str) -> str:
        leaves = {
            "Int": ("0", "1", "7", "-3"),
            "Float": ("0.0", "2.5", "-1.0"),
            "Bool": ("true", "false"),
            "String": ('"a"', '""', '"b c"'),
            "Keyword": (":k", ":w"),
            "Vec Int": ("#[1 2 3]", "#[5]"),
            "Vec String": ('#["a" "b"]',),
            "Record": ("{:n 1 :f 2.0}",),
            "Option Int": ("[Some 4]", "None"),
            "Shape": ("[Circle 1.0]", "Point", "[Rect 1.0 2.0]"),
            "Pair": ('(1 "a")', '(2 "b")'),
            "Box": ('[Box 1 "l"]', '[Box {:label "l" :held 2}]'),
        }
        return self.one_of(*leaves[wanted])

    def special(self, wanted: str, depth: int) -> str:
        e = self.expression

        def sum_up() -> str:
            return self.function(("Int", "Int"), "Int", depth)

        if wanted == "Int":
            return self.one_of(
                f"[{self.one_of('+', '-', '*')} {e('Int', depth)} {e('Int', depth)}]",
                f"[len {e(self.one_of('Vec Int', 'Vec String'), depth)}]",
                f"[fold {e('Int', depth)} {sum_up()} {e('Vec Int', depth)}]",
                f"[get {e('Record', depth)} :n]",
                f"[sum {e('Vec Int', depth)}]",
                f"[[twice {self.function(('Int',), 'Int', depth)}] {e('Int', depth)}]",
                f"[count-all {e('Int', depth)} {e('Int', depth)}]",
                f"[size {{:w {e('Int', depth)}}}]",
                f"[pipe {e('Int', depth)} [+ {e('Int', depth)}] {self.function(('Int',), 'Int', depth)}]"
                if self.wrong > 2
                else f"[pipe {e('Int', depth)} [+ {e('Int', depth)}]]",
            )
        if wanted == "Float":
            return self.one_of(
                f"[{self.one_of('+', '-', '*')} {e('Float', depth)} {e('Float', depth)}]",
                f"[area {e('Shape', depth)}]",
                f"[get {e('Record', depth)} :f]",
                f"[match {e('Shape', depth)} [Circle r] r [Rect w _] w Point {e('Float', depth)}]",
            )
        if wanted == "Bool":
            number = self.one_of("Int", "Float")
            simple = self.one_of(*_SIMPLE)
            return self.one_of(
                f"[{self.one_of('<', '>', '<=', '>=')} {e(number, depth)} {e(number, depth)}]",
                f"[= {e(simple, depth)} {e(simple, depth)}]",
                f"[not {e('Bool', depth)}]",
                f"[{self.one_of('and', 'or')} {e('Bool', depth)} {e('Bool', depth)}]",
                f"[any? {self.function(('Int',), 'Bool', depth)} {e('Vec Int', depth)}]",
            )
        if wanted == "String":
            return self.one_of(
                f"[str {e(self.type(), depth)} {e('Int', depth)}]",
                f'[join "," {e("Vec String", depth)}]',
                f"[uppercase {e('String', depth)}]",
                f"[name {e('Keyword', depth)}]",
            )
        if wanted == "Vec Int":
            return self.one_of(
                f"#[{e('Int', depth)} {e('Int', depth)}]",
                f"[map {self.function(('Int',), 'Int', depth)} {e('Vec Int', depth)}]",
                f"[filter {self.function(('Int',), 'Bool', depth)} {e('Vec Int', depth)}]",
                f"[conj {e('Vec Int', depth)} {e('Int', depth)}]",
                f"[map len {e('Vec Int', depth)}]" if self.wrong > 1 else f"[sort {e('Vec Int', depth)}]",
                f"[take 2 {e('Vec Int', depth)}]",
            )
        if wanted == "Vec String":
            return f"[map {self.function(('Int',), 'String', depth)} {e('Vec Int', depth)}]"
        if wanted == "Option Int":
            return self.one_of(
                f"[Some {e('Int', depth)}]",
                f"[find {self.function(('Int',), 'Bool', depth)} {e('Vec Int', depth)}]",
            )
        if wanted == "Record":
            return f"{{:n {e('Int', depth)} :f {e('Float', depth)}}}"
        if wanted == "Shape":
            return f"[Rect {e('Float', depth)} {e('Float', depth)}]"
        if wanted == "Pair":
            return self.one_of(
                f"({e('Int', depth)} {e('String', depth)})",
                f"[swap ({e('String', depth)} {e('Int', depth)})]",
            )
        if wanted == "Box":
            return f"[Box {e('Int', depth)} {e('String', depth)}]"
        return self.leaf(wanted)

    def definition(self) -> str:
        kind = self.draw(st.integers(0, 6))
        name, wanted = self.name(), self.type()
        if kind == 0:
            given = self.type()
            parameter = self.name()
            body = self.within({parameter: given}, wanted, 2)
            text = f"[fn {name} [{parameter}] {body}]"
            self.scope[f"[{name} {self.leaf(given)}]"] = wanted
            return text
        if kind == 6:
            parameter = self.name()
            again = {parameter: "Int", f"[{name} [- {parameter} 1]]": wanted}
            body = f"[if [<= {parameter} 0] {self.leaf(wanted)} {self.within(again, wanted, 2)}]"
            self.scope[f"[{name} 2]"] = wanted
            return f"[fn {name} [{parameter}] {body}]"
        if kind == 1:
            other = self.name()
            text = f"[let [{name} {other}] {self.expression('Pair')}]"
            self.scope |= {name: "Int", other: "String"}
            return text
        if kind == 2:
            text = f"[let {name} {self.expression('Box')}]"
            self.scope |= {name: "Box", f"{name}.held": "Int", f"{name}.label": "String"}
            return text
        if kind == 3:
            return f"[let {{n 0 f 0.0}} {self.expression('Record')}]"
        text = f"[let {name} {self.expression(wanted)}]"
        self.scope[name] = wanted
        return text


@st.composite
def programs(draw: st.DrawFn, *, mistakes: bool = True) -> str:
    """The text of a program. mistakes: now and then a value of another type stands where one is wanted."""
    maker = _Maker(draw, mistakes=mistakes)
    lines = [maker.definition() for _ in range(draw(st.integers(0, 4)))]
    lines.append(maker.expression(maker.type()))
    return _PRELUDE + "\n".join(lines)
