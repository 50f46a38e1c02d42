"""Expressions that give a value of one kind of types, mostly calls of builtins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tests.loon.programs.writer import (
    BOOL,
    FLOAT,
    INT,
    KEY,
    STR,
    Producer,
    Ty,
    Writer,
    fn,
    option,
    record,
    tup,
    vec,
)

__all__ = ["KINDS", "LOOSE_KINDS"]


def _form(template: str, *parts: Ty | Callable[[Writer], str]) -> Producer:
    """A producer that fills a template with expressions of types."""

    def produce(w: Writer, _: Ty, depth: int) -> str:
        return template.format(*[w.expr(one, depth) if isinstance(one, Ty) else one(w) for one in parts])

    return produce


def _numeric(w: Writer, ty: Ty, depth: int) -> str:
    operator = w.one(("+", "-", "*"))
    other = ty if w.style.typed or w.pick(4) else w.one((INT, FLOAT))
    operands = [w.expr(ty, depth), w.expr(other, depth)]
    if operator in "+*" and not w.style.typed and w.rarely(4):
        operands.append(w.expr(ty, depth))
    return f"[{operator} {' '.join(operands)}]"


def _comparison(w: Writer, _: Ty, depth: int) -> str:
    ty = w.one((INT, FLOAT))
    return f"[{w.one(('<', '>', '<=', '>='))} {w.expr(ty, depth)} {w.expr(ty, depth)}]"


def _equality(w: Writer, _: Ty, depth: int) -> str:
    ty = w.one((INT, STR, KEY, BOOL, FLOAT)) if w.style.typed else w.a_type(2)
    return f"[= {w.expr(ty, depth)} {w.expr(ty, depth)}]"


def _about_vector(template: str) -> Producer:
    """A producer about a vector of any type: {0} the vector, {1} a predicate."""

    def produce(w: Writer, _: Ty, depth: int) -> str:
        item = w.a_type(0)
        predicate = w.function(fn(item, result=BOOL), depth)
        return template.format(w.expr(vec(item), depth), predicate)

    return produce


def _interpolated(w: Writer, _: Ty, depth: int) -> str:
    """A string with expressions in it; strings in those are written with escaped quotes."""
    part = w.expr(w.a_type(1), depth)
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    # Braces within count, so they must be balanced: those of a literal text are not doubled twice.
    if "{{" in part:
        return f"[str {part}]"
    return f'"{w.one(("", "a ", "{{"))}{{{escaped}}}{w.one(("", "!", "é"))}"'


def _text_folded(w: Writer, _: Ty, depth: int) -> str:
    """A string, built piece by piece."""
    with w.scope():
        w.names["s"] = w.names["c"] = STR
        step = f"[fn [s c] [str s c {w.expr(STR, depth)}]]"
    return f'[fold "" {step} {w.expr(vec(STR), depth)}]'


def _items(ty: Ty) -> Ty:
    return ty.parts[0]


def _mapped(w: Writer, ty: Ty, depth: int) -> str:
    item = w.a_type(0)
    shape = w.pick(4 if w.style.typed else 6)
    function = w.function(fn(item, result=ty if shape == 3 else _items(ty)), depth)
    vector = w.expr(vec(item), depth)
    match shape:
        case 0 | 1:
            return f"[map {function} {vector}]"
        case 2:
            return f"[pipe {vector} [map {function}]]"
        case 3:
            return f"[flat-map {function} {vector}]"
        case 4:
            return f"[map {vector} {function}]"
        case _:
            return f"[[map {function}] {vector}]"


def _filtered(w: Writer, ty: Ty, depth: int) -> str:
    function = w.function(fn(_items(ty), result=BOOL if w.style.typed else w.one((BOOL, INT))), depth)
    vector = w.expr(ty, depth)
    match w.pick(2 if w.style.typed else 4):
        case 0:
            return f"[filter {function} {vector}]"
        case 1:
            return f"[pipe {vector} [filter {function}]]"
        case 2:
            return f"[filter {vector} {function}]"
        case _:
            return f"[[filter {function}] {vector}]"


def _folded(w: Writer, ty: Ty, depth: int) -> str:
    """A vector, built item by item."""
    item = w.a_type(0)
    with w.scope():
        total, one = w.parameters([ty, item])
        step = f"[fn [{total} {one}] [conj {total} {w.expr(_items(ty), depth)}]]"
    start, source = w.expr(ty, 0), w.expr(vec(item), depth)
    if not w.style.typed and w.pick(2):
        return f"[fold {source} {start} {step}]"
    return f"[fold {start} {step} {source}]"


def _less_of(w: Writer, ty: Ty, depth: int) -> str:
    match w.pick(5):
        case 0:
            return f"[{w.one(('take', 'drop'))} {w.expr(INT, 0)} {w.expr(ty, depth)}]"
        case 1:
            return f"[reverse {w.expr(ty, depth)}]"
        case 2:
            return f"[pipe {w.expr(ty, depth)} [{w.one(('take', 'drop'))} {w.expr(INT, 0)}] [reverse]]"
        case 3:
            by = w.function(fn(_items(ty), result=w.one((INT, STR))), depth)
            return f"[sort-by {by} {w.one((':asc', ':desc'))} {w.expr(ty, depth)}]"
        case _:
            return f"[{'sort' if _items(ty) in (INT, STR) else 'collect'} {w.expr(ty, depth)}]"


def _more_of(w: Writer, ty: Ty, depth: int) -> str:
    item = _items(ty)
    match w.pick(4 if w.style.typed else 5):
        case 0:
            return f"[conj {w.expr(ty, depth)} {w.expr(item, depth)}]"
        case 1:
            return f"[cons {w.expr(item, depth)} {w.expr(ty, depth)}]"
        case 2:
            return f"[flatten #[{w.expr(ty, depth)} {w.expr(ty, depth)}]]"
        case 3:
            return f"#[{' '.join(w.expr(item, depth) for _ in range(1 + w.pick(3)))}]"
        case _:
            return f"[push! {w.expr(ty, depth)} {w.expr(item, depth)} {w.expr(item, 0)}]"


def _special_vector(w: Writer, ty: Ty, depth: int) -> str:
    """What only vectors of certain items come from."""
    item = _items(ty)
    if item == INT:
        return f"[range {w.expr(INT, 0)} [% {w.expr(INT, depth)} 9]]"
    if item == STR:
        return f"[split {w.expr(STR, depth)} {w.one((chr(34) + ', ' + chr(34), chr(34) + chr(34)))}]"
    if item.kind == "Vec":
        return f"[chunk 2 {w.expr(item, depth)}]"
    if item.kind == "Tup" and len(item.parts) == 2:
        return f"[zip {w.expr(vec(item.parts[0]), depth)} {w.expr(vec(item.parts[1]), depth)}]"
    by = w.function(fn(item, result=INT), depth)
    grouped = f"[group-by {by} {w.expr(ty, depth)}]"
    return f"[flat-map [fn [e] e] [values {grouped}]]"


def _steps(w: Writer, item: Ty, depth: int) -> tuple[str, Ty]:
    """A pipe from a vector through steps, left open; and what the items are at its end."""
    text = f"[pipe {w.expr(vec(item), depth)}"
    for _ in range(1 + w.pick(3)):
        match w.pick(5):
            case 0:
                following = w.a_type(0)
                text += f" [map {w.function(fn(item, result=following), depth)}]"
                item = following
            case 1:
                text += f" [filter {w.function(fn(item, result=BOOL), depth)}]"
            case 2:
                following = w.a_type(0)
                text += f" [flat-map {w.function(fn(item, result=vec(following)), depth)}]"
                item = following
            case 3:
                text += f" [{w.one(('take', 'drop'))} {w.one(('1', '2', '0'))}]"
            case _:
                text += w.one((" reverse", " collect"))
    return text, item


def _piped_vector(w: Writer, ty: Ty, depth: int) -> str:
    text, item = _steps(w, w.a_type(0), depth)
    return f"{text} [map {w.function(fn(item, result=_items(ty)), depth)}]]"


def _piped_number(w: Writer, ty: Ty, depth: int) -> str:
    start = w.one((INT, ty))
    text, item = _steps(w, start, depth)
    if item == INT and ty == INT and w.pick(2):
        return f"{text} [{w.one(('sum', 'len'))}]]"
    return f"{text} [fold {w.expr(ty, 0)} {w.function(fn(ty, item, result=ty), depth)}]]"


def _found(w: Writer, ty: Ty, depth: int) -> str:
    item = _items(ty)
    return f"[find {w.function(fn(item, result=BOOL), depth)} {w.expr(vec(item), depth)}]"


def _some(w: Writer, ty: Ty, depth: int) -> str:
    return f"[Some {w.expr(_items(ty), depth)}]"


def _tuple(w: Writer, ty: Ty, depth: int) -> str:
    return f"({' '.join(w.expr(part, depth) for part in ty.parts)})"


def _record(w: Writer, ty: Ty, depth: int) -> str:
    pairs = [f":{name} {w.expr(part, depth)}" for name, part in zip(ty.names, ty.parts, strict=True)]
    return f"{{{' '.join(pairs)}}}"


def _function(w: Writer, ty: Ty, depth: int) -> str:
    return w.function(ty, depth)


def _constructed(w: Writer, ty: Ty, depth: int) -> str:
    variants = w.variants[ty.names[0]]
    tag = w.one(list(variants))
    fields = variants[tag]
    return f"[{tag} {' '.join(w.expr(part, depth) for part in fields)}]" if fields else tag


KINDS: Mapping[str, Sequence[Producer]] = {
    "Int": (
        *(_numeric, _numeric, _piped_number),
        _form("[/ {0} {1}]", INT, INT),
        _form("[% {0} {1}]", INT, INT),
        _form("[sum {0}]", vec(INT)),
        _form("[fold {0} + {1}]", INT, vec(INT)),
        _form("[min {0}]", vec(INT)),
        _form("[index-of {0} {1}]", STR, STR),
        _form("[int {0}]", STR),
        _about_vector("[len {0}]"),
    ),
    "Float": (_numeric, _numeric, _piped_number, _form("[float {0}]", STR), _form("[max {0}]", vec(FLOAT))),
    "Bool": (
        *(_comparison, _equality),
        _form("[not {0}]", BOOL),
        _form("[and {0} {1}]", BOOL, BOOL),
        _form("[or {0} {1}]", BOOL, BOOL),
        _form("[contains? {0} {1}]", STR, STR),
        _form("[starts-with? {0} {1}]", STR, STR),
        _about_vector("[empty? {0}]"),
        _about_vector("[any? {1} {0}]"),
        _about_vector("[all? {1} {0}]"),
    ),
    "Str": (
        *(_interpolated, _interpolated),
        _form("[str {0} {1}]", STR, INT),
        _form("[uppercase {0}]", STR),
        _form("[trim {0}]", STR),
        _form("[replace {0} {1} {2}]", STR, STR, STR),
        _form("[substring {0} 0 {1}]", STR, INT),
        _form("[char-at {0} {1}]", STR, INT),
        _form("[join {0} {1}]", STR, vec(STR)),
        _form("[name {0}]", KEY),
        _text_folded,
    ),
    "Vec": (_piped_vector, _mapped, _mapped, _filtered, _folded, _less_of, _more_of, _special_vector),
    "Option": (_some, _found),
    "Tup": (_tuple,),
    "Record": (_record,),
    "Fn": (_function,),
    "Adt": (_constructed,),
}


def _partial(w: Writer, ty: Ty, depth: int) -> str:
    """A builtin that waits for its collection, if a function of that type is wanted."""
    if len(ty.parts) == 2 and ty.parts[0].kind == "Vec" and ty.parts[1].kind == "Vec":
        return f"[map {w.function(fn(ty.parts[0].parts[0], result=ty.parts[1].parts[0]), depth)}]"
    if len(ty.parts) == 2 and ty.parts[0].kind == "Vec":
        step = w.function(fn(ty.parts[1], ty.parts[0].parts[0], result=ty.parts[1]), depth)
        return f"[fold {w.expr(ty.parts[1], depth)} {step}]"
    if ty == fn(INT, INT, result=INT):
        return w.one(("+", "*", "-"))
    return w.function(ty, depth)


def _map_update(w: Writer, ty: Ty, depth: int) -> str:
    source, key = w.expr(ty, depth), w.expr(ty.parts[0], 0)
    value = ty.parts[1]
    match w.pick(5):
        case 0:
            return f"[assoc {source} {key} {w.expr(value, depth)}]"
        case 1:
            return f"[update {source} {key} {w.function(fn(value, result=value), depth)}]"
        case 2:
            return f"[merge {source} {w.expr(ty, depth)}]"
        case 3:
            return f"[remove {source} {key}]"
        case _:
            return f"[into-map {w.expr(vec(tup(*ty.parts)), depth)}]"


def _set_update(w: Writer, ty: Ty, depth: int) -> str:
    return f"[conj {w.expr(ty, depth)} {w.expr(ty.parts[0], depth)} {w.expr(ty.parts[0], 0)}]"


def _from_map(part: str) -> Producer:
    def produce(w: Writer, ty: Ty, depth: int) -> str:
        item = ty.parts[0]
        held = Ty("Map", (item, INT) if part == "keys" else (STR, item))
        return f"[{part} {w.expr(held, depth)}]"

    return produce


LOOSE_KINDS: Mapping[str, Sequence[Producer]] = {
    "Int": (
        _form("[len {0}]", STR),
        _form("[int {0}]", FLOAT),
        _form("[get {0} {1} {2}]", Ty("Map", (STR, INT)), STR, INT),
        _form("[[fold {0} [fn [a x] [- a x]]] {1}]", INT, vec(INT)),
        _form("[fold {1} {0} -]", INT, vec(INT)),
        _form("[len {0}]", Ty("Set", (INT,))),
        _form("[let n {0}]", INT),
        _form("[inspect {0}]", INT),
    ),
    "Float": (
        _form("[/ {0} {1}]", FLOAT, INT),
        _form("[/ {0} {1}]", INT, FLOAT),
        _form("[+ {0} {1}]", INT, FLOAT),
        _form("[float {0}]", INT),
        _form("[sum {0}]", vec(FLOAT)),
    ),
    "Bool": (
        _form("[contains? {0} {1}]", Ty("Set", (INT,)), INT),
        _form("[contains? {0} {1}]", vec(option(INT)), option(INT)),
        _form("[contains? {0} {1}]", record({"w": INT, "h": INT}), KEY),
        _form("[vec? {0}]", vec(INT)),
        _form("[map? {0}]", vec(INT)),
    ),
    "Str": (_form("[reverse {0}]", STR), _form("[push! {0} {1}]", STR, INT), _form("[str {0}]", FLOAT)),
    "Vec": (_from_map("keys"), _from_map("values")),
    "Fn": (_partial,),
    "Map": (_map_update,),
    "Set": (_set_update,),
}
