"""The person's key: who has it may answer for the person; it lies in no file, and agents do not get it.

    person = Person(ask, in_terminal=print)
    pairing = person.pair("terminal of ada")       # the panel shows a code
    person.confirm(pairing, "K7QM-4T2P")           # the key, for the client with the code

A program that wants to answer asks to be paired; the notebook's panel, or the terminal that the session runs
in, shows a code; the person types it into the program. Safe on any thread.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from notebook_ext.approval.asks import Ask, Question
from vcad_kernel.errors import ErrorCode, ServiceFailure

__all__ = ["IN_SCOPE", "VALID", "Person", "person_only"]

IN_SCOPE: Final = "vcad.person"
"""In the scope of a request: whether the person's key came with it, and not an agent's token."""
VALID: Final = 120.0
"""Seconds for which a code can be typed."""
_TRIES: Final = 3
_LETTERS: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""None that is easily taken for another one."""
_LENGTH: Final = 8
"""Letters of a code: 39 bits, and three tries."""


@dataclass(slots=True)
class _Pairing:
    ask: Ask
    code: str
    tries: int = _TRIES


class Person:
    """put: puts a question and has it shown, until it is answered; gives None where no page could show it.

    take_back: of a question that has been put.
    """

    def __init__(
        self, put: Callable[[Question, float], Ask | None], take_back: Callable[[str], object]
    ) -> None:
        self._put = put
        self._take_back = take_back
        self._key = secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        self._open: _Pairing | None = None

    def is_key(self, given: str) -> bool:
        """Whether this is the person's key; in constant time."""
        return hmac.compare_digest(given.encode("latin-1", "replace"), self._key.encode())

    def pair(self, program: str) -> str:
        """Have a code shown that the person may type into a program. program: what it calls itself.

        Returns: the pairing's id. Raises: ServiceFailure PERSON_ONLY where no page could show the code; BUSY
        while another program waits for one.
        """
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        with self._lock:
            waiting = self._open
            if waiting is not None and waiting.ask.ended is None:
                raise ServiceFailure(
                    ErrorCode.BUSY,
                    "another program waits to be paired",
                    fix="type its code, or reject it in the notebook",
                    details={"operation": "pair"},
                )
            shown = f"{code[:4]}-{code[4:]}"
            question = Question(
                kind="pairing",
                summary=f"{program} wants to answer agents for you.",
                code_to_type=shown,
            )
            ask = self._put(question, VALID)
            if ask is None:
                raise person_only("pair")
            self._open = _Pairing(ask, code)
            return ask.request_id

    def confirm(self, pairing_id: str, code: str) -> str:
        """The key, for a program into which the code has been typed.

        Raises: ServiceFailure AUTH_INVALID for another code, or one whose time is over.
        """
        typed = "".join(letter for letter in code.upper() if letter.isalnum())
        with self._lock:
            pairing = self._open
            if pairing is None or pairing.ask.request_id != pairing_id or pairing.ask.ended is not None:
                raise _wrong("the code has been used, or its time is over", "run it again for another code")
            pairing.tries -= 1
            right = hmac.compare_digest(typed.encode(), pairing.code.encode())
            if right or not pairing.tries:
                self._open = None
                self._take_back(pairing_id)
            if not right:
                left = f"{pairing.tries} tries are left" if pairing.tries else "run it again for another code"
                raise _wrong("that is not the code that the notebook shows", left)
            return self._key


def person_only(operation: str) -> ServiceFailure:
    """The refusal of what only the person may do."""
    return ServiceFailure(
        ErrorCode.PERSON_ONLY,
        "only the person whose session it is may do this",
        fix="answer in the notebook; or run `vcad approve`, which pairs a terminal with the session",
        details={"operation": operation},
    )


def _wrong(message: str, fix: str) -> ServiceFailure:
    return ServiceFailure(ErrorCode.AUTH_INVALID, message, fix=fix, details={"operation": "pair"})
