"""``type``: a type by its variants, with their constructors and methods (§14.1, §14.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vcad_kernel.loon.checking.declared import Declaring, VariantForm, type_form, variants_of
from vcad_kernel.loon.checking.definitions import Adt
from vcad_kernel.loon.checking.findings import conversion
from vcad_kernel.loon.checking.inference.infer import Inference, Scope, clash_code
from vcad_kernel.loon.checking.inference.patterns import take_apart
from vcad_kernel.loon.checking.ownership.owners import Owners, Owning
from vcad_kernel.loon.checking.ownership.variables import BORROWS, Modes
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.types import UNIT, Con, Fn, Overload, Type, instance, prune
from vcad_kernel.loon.forms.record import Part, SpecialForm, named_then_types
from vcad_kernel.loon.lowering import functions, pyast
from vcad_kernel.loon.lowering.lower import RETURN, Destination, Lowerer, Lowering
from vcad_kernel.loon.lowering.pyast import At
from vcad_kernel.loon.lowering.scope import Block, Frame
from vcad_kernel.loon.printing.layout import Item
from vcad_kernel.loon.reading.concrete import Node
from vcad_kernel.loon.reference import Chapter
from vcad_kernel.loon.scoping import patterns
from vcad_kernel.loon.scoping.nodes import LIST, SYMBOL, headed, inner_end, parts
from vcad_kernel.loon.scoping.walk import Walk
from vcad_kernel.loon.shapes import BadForm, Method, body_after_effects, check_pattern, is_pattern, methods_in
from vcad_kernel.loon.syntax import Form, KeywordLit, ListForm, Symbol, is_constructor

__all__ = ["TYPE", "declare_type"]


def _first_line(items: Sequence[Item]) -> int:
    at = 2
    while at < len(items) and items[at].word[:1].islower():
        at += 1
    return at


def _holds(items: Sequence[Form]) -> Sequence[Part]:
    return ["variant" if _is_variant(item) else "code" for item in items]


def _is_variant(form: Form) -> bool:
    """Whether a list in a ``type`` begins with a constructor; one that a macro is to make does not."""
    match form:
        case ListForm(items=(Symbol(name=name), *_)):
            return is_constructor(name)
    return False


def _walk(walk: Walk, node: Node, items: Sequence[Node]) -> None:
    if len(items) < 2 or items[1].kind != SYMBOL:
        walk.sequence(items[1:])
        return
    name = items[1].text
    walk.define(items[1], "type", "type", node, name)
    outer = walk.enter("type", items[1].end, inner_end(node))
    for variant in items[2:]:
        if variant.kind == SYMBOL and variant.text[:1].isupper():
            walk.define(variant, "value", "constructor", variant, variant.text, owner=name)
        elif variant.kind == SYMBOL:
            walk.bind(variant, "type parameter", variant.text, variant.end, node)
        elif variant.kind == LIST:
            _walk_variant(walk, variant, name)
    walk.leave(outer)


def _walk_variant(walk: Walk, node: Node, owner: str) -> None:
    items = parts(node)
    if not items or items[0].kind != SYMBOL:
        return
    fields = [item for item in items[1:] if not headed(item, "fn")]
    usage = " ".join(("[" + items[0].text, *(" ".join(field.spelling().split()) for field in fields)))
    walk.define(items[0], "value", "constructor", node, usage + "]", owner=owner)
    for field in items[1:]:
        if not headed(field, "fn"):
            patterns.walk_types(walk, (field,))
        for method, held, name in patterns.methods_in((field,)):
            walk.define(held[1], "value", "method", method, f"[{name} {owner.lower()}]", owner=items[0].text)
            patterns.walk_clause(walk, method, held[2:], "method")


def declare_type(declaring: Declaring, operands: tuple[Form, ...], *, is_copy: bool = False) -> None:
    """Note a type with its constructors and methods."""
    declared = type_form(operands, is_copy=is_copy)
    if declared is None:
        return
    known = declaring.found
    known.types[declared.name] = declared
    for variant in declared.variants:
        known.names[variant.name.name] = None
        for method in variant.methods:
            declaring.function((method.name, *method.operands))
            known.methods[method.name.name] = None


def _declare(declaring: Declaring, operands: tuple[Form, ...], _at_top: bool) -> None:
    declare_type(declaring, operands)


def _exports(operands: Sequence[Form]) -> Iterator[str]:
    """The constructors, each with its methods."""
    if operands and isinstance(operands[0], Symbol):
        for variant in variants_of(operands[1:]):
            yield variant.name.name
            yield from (method.name.name for method in variant.methods)


def _infer(inf: Inference, form: ListForm) -> Type:
    """``[type Name param… variant…]``: bind the constructors and the methods."""
    if len(form.items) < 2 or not isinstance(form.items[1], Symbol):
        return inf.fresh()
    adt = inf.names.adt(form.items[1].name)
    methods: dict[str, list[tuple[VariantForm, Method]]] = {}
    for variant in variants_of(form.items[2:]):
        held = inf.names.variant(variant.name.name)
        if held is not None:
            inf.defined[variant.name.name] = held[1].scheme
        for method in variant.methods:
            if method.operands:
                methods.setdefault(method.name.name, []).append((variant, method))
    if adt is not None:
        for name, bodies in methods.items():
            _define_method(inf, adt, name, bodies)
    return UNIT


def _define_method(inf: Inference, adt: Adt, name: str, bodies: list[tuple[VariantForm, Method]]) -> None:
    """A method: a function of a value of the type, which gives each body the fields of its variant."""
    outer, inf.steps = inf.steps, []
    scope, inf.scope = inf.scope, None
    inf.functions += 1
    with inf.deeper():
        whole: Type = Con(adt.name, tuple([inf.fresh() for _ in range(adt.arity)]))
        result: Type = inf.fresh()
        begun = inf.begin(name, Fn((whole,), result))
        for variant, method in bodies:
            given = _method_body(inf, method, _fields(inf, variant, whole))
            clash = inf.unify(result, given)
            if clash is not None:
                expected, other = worded(result), worded(given)
                inf.report(
                    clash_code(clash),
                    f"the method {name} gives {expected} for one variant and {other} for {variant.name.name}",
                    [(method.operands[-1], other)],
                    why="who calls the method does not know the variant",
                    fix=conversion(result, given, method.operands[-1]),
                    severity="hint",
                )
        inf.end(name, begun)
    inf.functions -= 1
    inf.scope = scope
    inf.performs[name] = tuple(inf.steps)
    inf.steps = outer
    inf.parameters[name] = (adt.name.lower(),)
    inf.define(bodies[0][1].name, inf.generalised(_with_other_types(inf, adt, name, Fn((whole,), result))))


def _with_other_types(inf: Inference, adt: Adt, name: str, method: Fn) -> Type:
    """A method together with the methods of that name that other types have."""
    before = inf.names.scheme(name, deferred=False) if inf.names.is_method(name) else None
    if before is None:
        return method
    known = inf.used(before)
    others = [
        alternative
        for alternative in (known.alternatives if isinstance(known, Overload) else (known,))
        if isinstance(alternative, Fn) and getattr(prune(alternative.params[0]), "name", "") != adt.name
    ]
    return Overload((*others, method)) if others else method


def _fields(inf: Inference, variant: VariantForm, whole: Type) -> list[Type]:
    held = inf.names.variant(variant.name.name)
    if held is None:
        return []
    term = instance(held[1].pattern, inf.names.level)
    if isinstance(term, Fn):
        inf.unify(whole, term.result)
        return [*term.params]
    return []


def _method_body(inf: Inference, method: Method, fields: list[Type]) -> Type:
    parameters, *body = method.operands
    if not isinstance(parameters, ListForm) or not all(
        is_pattern(parameter) for parameter in parameters.items
    ):
        return inf.fresh()
    inf.scope = Scope(None)
    beyond: list[Type] = [UNIT] * (len(parameters.items) - len(fields))
    for pattern, field in zip(parameters.items, [*fields, *beyond], strict=False):
        take_apart(inf, pattern, field)
    result = inf.sequence(body_after_effects(body))
    inf.scope = None
    return result


def _own(owners: Owners, form: ListForm) -> None:
    """Methods bind the fields of a value; one that takes a field over takes the value."""
    for variant in form.items[2:]:
        for method in methods_in(variant.items) if isinstance(variant, ListForm) else ():
            name = method.name.name
            others = owners.defined.get(name, BORROWS).of(1)
            clauses = owners.named(name, method.operands)
            fields = [field for clause in clauses for names in clause for field in names]
            modes = [field.mode for field in fields if not field.is_copy]
            owners.defined[name] = Modes(((max([*others, *modes]),),))


def _lower(low: Lowerer, form: ListForm, destination: Destination) -> None:
    """``[type Name param… variant…]``: bind the constructors."""
    if len(form.items) < 2 or not isinstance(form.items[1], Symbol):
        raise BadForm("type needs a name: [type Shape [Circle Float] Point]")
    for variant in form.items[2:]:
        if isinstance(variant, Symbol):
            if "A" <= variant.name[0] <= "Z":
                _lower_constant(low, variant)
        elif isinstance(variant, ListForm) and variant.items and isinstance(variant.items[0], Symbol):
            _lower_variant(low, variant.items[0], variant.items[1:], low.at(variant))
        else:
            raise BadForm("a variant is a name or [Name field …]")
    at = low.at(form)
    low.put(low.unit(at), destination, at)


def _lower_constant(low: Lowerer, symbol: Symbol) -> None:
    at = low.at(symbol)
    identifier = low.define_global(symbol.name, at)
    made = pyast.call_support("$constant", [pyast.constant(symbol.name, at)], at)
    low.emit(pyast.assign([identifier], made, at))


def _lower_variant(low: Lowerer, symbol: Symbol, parts: Sequence[Form], at: At) -> None:
    names: list[str] = []
    methods: list[ListForm] = []
    index = 0
    while index < len(parts):
        part = parts[index]
        index += 1
        if isinstance(part, KeywordLit):
            if index == len(parts):
                raise BadForm(f"the field :{part.name} has no type")
            names.append(part.name)
            index += 1
        elif isinstance(part, ListForm) and part.items and part.items[0] == Symbol(0, 0, "fn"):
            methods.append(part)
        else:
            names.append("")
    tag = pyast.constant(symbol.name, at)
    named = pyast.tuple_of([pyast.constant(name, at) for name in names], at)
    arguments = [tag, pyast.constant(len(names), at), named if any(names) else pyast.constant(None, at)]
    identifier = low.define_global(symbol.name, at)
    low.emit(pyast.assign([identifier], pyast.call_support("$variant", arguments, at), at))
    for method in methods:
        _lower_method(low, symbol.name, method)


def _lower_method(low: Lowerer, tag: str, form: ListForm) -> None:
    """A method takes the fields of its value by position and sees globals alone."""
    if len(form.items) < 3 or not isinstance(form.items[1], Symbol):
        raise BadForm("a method is [fn name [field …] body …]")
    name, at = form.items[1].name, low.at(form)
    if not isinstance(form.items[2], ListForm):
        raise BadForm("a method's parameters stand in brackets")
    parameters = form.items[2].items
    for parameter in parameters:
        check_pattern(parameter)
    held = low.fresh()
    with low.inside(Frame("method", low.frame)):
        low.frame.blocks.append(Block(low.frame))
        for index, parameter in enumerate(parameters):
            place = low.at(parameter)
            part = [pyast.load(held, place), pyast.constant(index, place)]
            value = low.spill(pyast.call_support("$argument", part, place), place)
            variable = low.fresh()
            low.emit(pyast.assign([variable], value, place))
            functions.take_apart(low, parameter, pyast.load(variable, place))
        low.sequence(body_after_effects(form.items[3:]), RETURN, at)
        body = [*low.prologue(low.frame, at), *low.frame.body]
    function = f"{name}$method"
    low.emit(pyast.define(function, pyast.parameters([held], [], at), body, at))
    identifier = low.define_global(name, at)
    texts = [pyast.constant(text, at) for text in (name, tag)]
    bound = pyast.call_support("$method", [*texts, pyast.load(function, at)], at)
    low.emit(pyast.assign([identifier], bound, at))


TYPE = SpecialForm(
    entry=Chapter("Types").form(
        "[type Name parameter … variant …]",
        "Defines a type by its variants and binds their constructors. [Plate Float Float] has two fields; "
        "Blank, without brackets, has none and is a value; lower-case names are type parameters. Fields may "
        "be named, [Pin :d Float :h Float], and then be read as p.d. A [fn m [field …] …] inside a variant "
        "is a method.",
        "[type Part [Plate Float Float] [Pin :d Float] Blank] [let p [Pin 6.0]] "
        "([Plate 50.0 30.0] p.d Blank)",
        "([Plate 50 30], 6, Blank)",
        "Name: with a capital",
        "parameter …: lower-case names of types",
        "variant …: Name or [Name field …]",
    ),
    purpose="define",
    first_line=_first_line,
    broken=True,
    parted=True,
    holds=_holds,
    walks=_walk,
    expects=named_then_types,
    holds_types=True,
    declares=_declare,
    exports=_exports,
    lasting=True,
    infers=_infer,
    owns=Owning(_own),
    lowers=Lowering(lower=_lower, only_defines=True),
)
