"""Maps of keys among the arguments of a library's function: which keys there are, and what stands under them.

A map that is written in the call is looked at key by key, with maps in it; of any other map its type tells
which keys it has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import TypeVar

from vcad_kernel.loon.checking.inference.infer import Inference
from vcad_kernel.loon.checking.inference.numbers import cut
from vcad_kernel.loon.checking.types.display import worded
from vcad_kernel.loon.checking.types.notation import scheme_of
from vcad_kernel.loon.checking.types.types import Con, Fn, Record, Type, instance, prune, row_of
from vcad_kernel.loon.diagnostics import to_write
from vcad_kernel.loon.reference import Entry, Key, with_unit
from vcad_kernel.loon.syntax import Form, KeywordLit, MapForm, TupleForm, VectorForm

__all__ = ["map_keys"]


def map_keys(inf: Inference, name: str, arguments: Sequence[tuple[Form, Type]]) -> None:
    """Report ``{:concave true}`` where a library's function says which keys a map may have."""
    entry = inf.names.library_entry(name)
    if entry is None or not (entry.keys or entry.keywords):
        return
    for parameter, (form, term) in zip(inf.names.parameters(name, len(arguments)), arguments, strict=False):
        if parameter in entry.keywords and isinstance(form, KeywordLit):
            _one_of(inf, parameter, form, entry.keywords[parameter])
        if parameter in entry.types and not _may_be(term, entry.types[parameter]):
            got = worded(term)
            what = f"{parameter} of {entry.name} is {entry.text_of(parameter)}, not {got}"
            inf.report("E0200", what, [(form, got)])
        elif parameter in entry.keys:
            _map(inf, entry, parameter, form, term)


def _may_be(term: Type, types: Collection[str]) -> bool:
    """Whether something may be of one of some types, as far as is known; maps are Map, whatever they hold."""
    term = prune(term)
    if isinstance(term, Con):
        return term.name in types
    return not isinstance(term, Fn)


def _map(inf: Inference, entry: Entry, named: str, form: Form, term: Type) -> None:
    """Look at one map. named: its keys among the entry's."""
    known = {key.name: key for key in entry.keys[named]}
    term = prune(term)
    types = row_of(term)[0] if isinstance(term, Record) else {}
    for said, at, value in _pairs(form, types):
        key = known.get(said)
        if key is None:
            what = f"{entry.name} knows no key {said}; its keys are {', '.join(known)}"
            _not_among(inf, what, at, said, known, literal=isinstance(at, KeywordLit))
            continue
        for word in _written(value, KeywordLit) if key.keywords else ():
            _one_of(inf, said, word, key.keywords)
        if key.unit and value is not None:
            cut(inf, value, f"{said} of {entry.name}", key.unit)
        given = types.get(said[1:])
        if given is not None:
            _value(inf, entry, key, value or at, given)
        if key.holds:
            for inner in _written(value, MapForm):
                _map(inf, entry, key.holds, inner, inf.fresh())


def _pairs(form: Form, types: Collection[str]) -> Iterator[tuple[str, Form, Form | None]]:
    """The keys of a map: as they are written, the form to blame and the value's form, if there is one."""
    if not isinstance(form, MapForm):
        yield from ((f":{name}", form, None) for name in types)
        return
    for key, value in zip(form.items[::2], form.items[1::2], strict=True):
        if isinstance(key, KeywordLit):
            yield f":{key.name}", key, value


_Written = TypeVar("_Written", bound=Form)


def _written(value: Form | None, kind: type[_Written]) -> Iterator[_Written]:
    """The keywords or maps that are written under a key: itself, or several in a tuple or vector."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, TupleForm | VectorForm):
        yield from (item for item in value.items if isinstance(item, kind))


def _value(inf: Inference, entry: Entry, key: Key, at: Form, given: Type) -> None:
    if not key.type:
        return
    wanted = instance(scheme_of(key.type, inf.names.arity), inf.names.level)
    if inf.unify(wanted, given) is None:
        return
    what, _, _ = key.text.partition("; ")
    got = worded(given)
    inf.report(
        "E0200", f"{entry.name} wants {with_unit(what, key.unit)} under {key.name}, got {got}", [(at, got)]
    )


def _one_of(inf: Inference, said: str, value: KeywordLit, known: Sequence[str]) -> None:
    if f":{value.name}" not in known:
        what = f"{said} is one of {', '.join(known)}"
        _not_among(inf, what, value, f":{value.name}", known, literal=True)


def _not_among(
    inf: Inference, what: str, at: Form, said: str, known: Collection[str], *, literal: bool
) -> None:
    near = get_close_matches(said, known, 1)
    fix = (to_write(near[0], at.start, at.end) if literal else f"did you mean {near[0]}?") if near else ""
    inf.report("E0200", what, [(at, "not known")], why="nothing can be built with it", fix=fix)
