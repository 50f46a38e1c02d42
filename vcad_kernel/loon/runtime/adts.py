"""Constructors of a user's or library's types, and methods that go by the tag.

A constructor of n fields is a Python function of exactly n arguments, so that a wrong count costs
nothing to detect. Where a type asks for it (library types do), a value carries the user's call that
made it: the first frame outwards that belongs to user code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from vcad_kernel.loon.runtime.builtins.registry import name_builtin
from vcad_kernel.loon.runtime.collections import Map
from vcad_kernel.loon.runtime.faults import WrongCount, a_kind, fault
from vcad_kernel.loon.runtime.values import UNIT, Adt, shape_of
from vcad_kernel.loon.source import CodeSite

__all__ = ["USER_MARK", "constructor", "dispatcher"]

USER_MARK = "$user"
"""A name in the globals of user code, and of no other."""

_SITED = """
def make(new, Adt, CodeSite, getframe, tag, shape):
    def construct({parameters}):
        made = new(Adt)
        made.tag = tag
        made.shape = shape
        made.fields = ({fields})
        made.names = made.site = None
        frame = getframe(1)
        while "$user" not in frame.f_globals:
            frame = frame.f_back
            if frame is None:
                return made
        made.site = CodeSite((frame.f_code, frame.f_lasti))
        return made
    return construct
"""

_PLAIN = """
def make(new, Adt, CodeSite, getframe, tag, shape):
    def construct({parameters}):
        made = new(Adt)
        made.tag = tag
        made.shape = shape
        made.fields = ({fields})
        made.names = made.site = None
        return made
    return construct
"""


@cache
def _maker(count: int, sited: bool) -> Callable[..., Any]:
    """Makes constructors of ``count`` fields.

    Written as text so that the count is in the signature. They fill the slots themselves: a call of
    Adt would go through C and cost half as much again.
    """
    names = [f"field{at}" for at in range(count)]
    text = (_SITED if sited else _PLAIN).format(
        parameters=", ".join([*names, "/"]) if names else "", fields="".join(name + ", " for name in names)
    )
    scope: dict[str, Any] = {}
    exec(compile(text, "<constructor>", "exec"), scope)
    made: Callable[..., Any] = scope["make"]
    return made


def constructor(
    tag: str, count: int, names: tuple[str, ...] | None, *, sited: bool, home: object = None
) -> Callable[..., Adt]:
    """The constructor function of a variant with fields.

    names: of the fields, when the variant gives them; sited: values carry the user's call;
    home: the library that the type belongs to, if any.
    """
    # a library is loaded for every program anew
    make = _made if home is None else _made_for_library
    return make(tag, count, names, sited, home)


def _made(
    tag: str, count: int, names: tuple[str, ...] | None, sited: bool, home: object
) -> Callable[..., Adt]:
    if names is None:
        made = _maker(count, sited)(object.__new__, Adt, CodeSite, sys._getframe, tag, shape_of(tag, count))
    else:
        made = _named(tag, count, names, sited=sited)
    made.__qualname__ = made.__name__ = tag
    made.home = home
    return name_builtin(made, tag)


_made_for_library = lru_cache(maxsize=1024)(_made)


def _named(tag: str, count: int, names: tuple[str, ...], *, sited: bool) -> Callable[..., Any]:
    def construct(*given: Any) -> Adt:
        if len(given) == 1 and isinstance(given[0], Map):
            keyed = {getattr(label, "name", None): value for label, value in given[0].items()}
            given = tuple(keyed.get(name, UNIT) for name in names)
        if len(given) != count:
            raise WrongCount(tag, str(count), len(given), inside=False)
        return Adt(tag, given, names, _user_site() if sited else None)

    return construct


def _user_site() -> CodeSite | None:
    frame = sys._getframe(2)
    while USER_MARK not in frame.f_globals:
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return CodeSite.of(frame)


def dispatcher(name: str, methods: dict[str, Callable[[tuple[object, ...]], Any]]) -> Callable[..., Any]:
    """The function that runs the method of its first argument's tag on that value's fields."""

    def dispatch(subject: Any, *_surplus: object) -> Any:
        method = methods.get(subject.tag) if isinstance(subject, Adt) else None
        if method is None:
            raise fault("type", f"{a_kind(subject)} has no method {name}")
        return method(subject.fields)

    dispatch.__name__ = dispatch.__qualname__ = name
    return name_builtin(dispatch, name)
