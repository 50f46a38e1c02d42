"""What a log must not hold: values of names like secrets, tokens in texts, texts of any length.

    masked({"path": "a.oo", "api_key": "abc"})    # {"path": "a.oo", "api_key": "***"}

Pure. The session's own tokens have no name that gives them away: whoever keeps the log names them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

__all__ = ["MASK", "masked", "masked_text"]

MASK: Final = "***"

_SECRET: Final = (
    r"(?:token|secret|passw(?:or)?d|passphrase|(?:api|private|access)[_-]?key|credential"
    r"|authorization|cookie)"
)
_SECRET_NAME: Final = re.compile(_SECRET, re.IGNORECASE)
_NOT_SECRET: Final = frozenset({"tokens", "max_tokens", "token_count"})
# Every repetition is bounded: a log line may be one long word, and the kernel waits while it is read.
_ASSIGNED: Final = re.compile(
    rf"""(?P<name>{_SECRET}[\w.-]{{0,40}}["']?[ \t]{{0,8}}[=:]\s{{0,8}})"""
    r"""(?P<value>"[^"\n]{0,4000}"|'[^'\n]{0,4000}'|[^\s,;})&]+)""",
    re.IGNORECASE,
)
_SENT: Final = re.compile(r"\b(?P<name>Bearer|Basic)\s{1,8}[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)
_IN_ADDRESS: Final = re.compile(
    r"(?P<name>[a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:)[^\s/@]{1,500}(?=@)", re.IGNORECASE
)
_DEPTH: Final = 12
_LONGEST: Final = 4000
"""Characters of one text that a log keeps."""


def masked(value: Any, *, secrets: Collection[str] = (), longest: int = _LONGEST) -> Any:
    """A JSON value without what is secret, and with long texts cut; the value itself stays as it is.

    secrets: texts that are masked wherever they stand.
    """
    return _masked(value, frozenset(secrets), longest, 0)


def masked_text(text: str, *, secrets: Collection[str] = ()) -> str:
    """A text without the secrets named, without what is assigned to names like secrets, and credentials."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    text = _SENT.sub(rf"\g<name> {MASK}", text)
    text = _IN_ADDRESS.sub(rf"\g<name>{MASK}", text)
    return _ASSIGNED.sub(rf"\g<name>{MASK}", text)


def _masked(value: Any, secrets: Collection[str], longest: int, depth: int) -> Any:
    if depth > _DEPTH:
        return "…"
    if isinstance(value, str):
        kept = masked_text(value[: 4 * longest], secrets=secrets)
        dropped = len(value) - longest
        return kept if dropped <= 0 else f"{kept[:longest]}… ({dropped} more characters)"
    if isinstance(value, Mapping):
        return {
            masked_text(str(name), secrets=secrets): MASK
            if _is_secret(str(name)) and one is not None and not isinstance(one, bool)
            else _masked(one, secrets, longest, depth + 1)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_masked(one, secrets, longest, depth + 1) for one in value]
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    return value


def _is_secret(name: str) -> bool:
    return name.lower() not in _NOT_SECRET and _SECRET_NAME.search(name) is not None
