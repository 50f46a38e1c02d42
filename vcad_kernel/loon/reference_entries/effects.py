"""The effect operations that are always answered."""

from __future__ import annotations

from vcad_kernel.loon.reference import Chapter

__all__ = ["ENTRIES"]

_effects = Chapter("Effects")

ENTRIES = (
    _effects.effect(
        "[Fail.fail message]",
        "Gives up and hands a message to the nearest try, or handle of Fail.fail. Without one the program "
        "stops with the message.",
        '[fn wall [t] [if [< t 1] [Fail.fail "thinner than 1 mm"] t]] [try [wall 0] [fn [why] why]]',
        '"thinner than 1 mm"',
        "message: any value, mostly a string",
    ),
    _effects.effect(
        "[IO.println x …]",
        "Prints like println, but as an effect: a handle around it may catch what is printed.",
        '[handle [do [IO.println "hello"] 1] [IO.println text] [resume ()]]',
        "1",
        "x …: any values",
    ),
)
