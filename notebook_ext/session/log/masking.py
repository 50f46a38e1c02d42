"""What a log must not hold: values of names like secrets, tokens in texts, texts of any length.

    masked({"path": "a.oo", "api_key": "abc"})    # {"path": "a.oo", "api_key": "***"}
    masked_text("export DEPLOY_KEY=abc")           # "export DEPLOY_KEY=***"

Pure. A session's own tokens have no name that gives them away: the log is given them by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

__all__ = ["MASK", "masked", "masked_text"]

MASK: Final = "***"

# Every repetition is bounded: a log line may be one long word, and the kernel waits while it is read.
_SECRET: Final = (
    r"(?:tokens?(?![a-z0-9])|secrets?(?![a-z0-9])|passw(?:or)?d|passwd|passphrase|credentials?"
    r"|authorization|cookie"
    r"|(?:api|private|access|secret|signing|encryption|deploy|ssh|auth|account|storage|master|license)[_-]?key"
    r"|(?<![a-z0-9])(?:pass|pwd|pat|auth)(?![a-z0-9]))"
)
"""Words of which one makes a name that of a secret; in whichever case they are written."""
_SECRET_NAME: Final = re.compile(_SECRET, re.IGNORECASE)
_PARTS: Final = re.compile("token|secret|pass|credential|auth|cookie|key|pwd|pat")
"""Of which each such name has one."""
_SHOUTED_KEY: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9_]{0,60}_KEY(?![A-Za-z0-9])")
"""``OPENAI_KEY``: in capitals it is a variable of the environment."""
_NO_SECRETS: Final = frozenset({"true", "false", "null", "None"})
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COUNTS: Final = frozenset(
    {"tokens", "max_tokens", "token_count", "total_tokens", "input_tokens", "output_tokens"}
)
"""Names with such a word whose values are numbers of something."""
_HARMLESS: Final = frozenset({"PWD", "OLDPWD", "pwd"})
"""Where a shell stands."""
_NAMED: Final = re.compile(
    r"""(?<![\w.-])(?P<word>[\w.-]{1,60})\\?["']?[ \t]{0,8}[=:]\s{0,8}"""  # name = …, "name": …
    r"""|(?<![\w.-])--?(?P<option>[A-Za-z][\w-]{0,60})[ \t]{1,8}(?=[^\s-])"""  # --name …
)
"""What has a value behind it."""
_VALUE: Final = re.compile(r"""\\?"[^"\n]{0,4000}"|'[^'\n]{0,4000}'|[^\s,;})&"']+""")
_HEADER: Final = re.compile(r"""[^"'\n]+""")
_QUOTE: Final = re.compile(r"""\\?["']""")
_HEADERS: Final = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
"""Names whose values have blanks and semicolons in them."""
_SENT: Final = re.compile(r"\b(?P<name>Bearer|Basic)\s{1,8}[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE)
_IN_ADDRESS: Final = re.compile(
    r"(?P<name>[a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:)[^\s/@]{1,500}(?=@)", re.IGNORECASE
)
_KNOWN: Final = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|sk-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)"
)
"""Tokens that say themselves what they are."""
_KNOWN_BEGINNINGS: Final = re.compile("gh[pousr]_|github_pat_|glpat-|sk-|xox|AKIA|eyJ")
_PRIVATE_KEY: Final = re.compile(
    r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----).){0,20000}", re.DOTALL
)
_LEAST: Final = 4
"""Characters of a text that could hold a secret and its name."""
_DEPTH: Final = 12
_SHORT: Final = 16
"""Characters of a name that no token fits into."""


def masked(value: Any, *, secrets: Collection[str] = (), longest: int = 4000, depth: int = 0) -> Any:
    """A JSON value without what is secret, and with long texts cut; the value itself stays as it is.

    secrets: texts that are masked wherever they stand. longest: characters of one text that are kept.
    depth: of the value in another; of one that lies too deep nothing is kept.
    """
    if depth > _DEPTH:
        return "…"
    if isinstance(value, str):
        if len(value) < _LEAST:
            return value
        kept = masked_text(value[: 2 * longest], secrets=secrets)
        dropped = len(value) - longest
        return kept if dropped <= 0 else f"{kept[:longest]}… ({dropped} more characters)"
    if isinstance(value, Mapping):
        kept_fields = {}
        for key, field in value.items():
            name = str(key)
            # names of programs are short, and hold nothing
            shown = name if len(name) <= _SHORT else masked_text(name, secrets=secrets)
            if _is_secret(name) and field is not None and not isinstance(field, bool):
                kept_fields[shown] = MASK
            else:
                kept_fields[shown] = masked(field, secrets=secrets, longest=longest, depth=depth + 1)
        return kept_fields
    if isinstance(value, list | tuple | set | frozenset):
        return [masked(item, secrets=secrets, longest=longest, depth=depth + 1) for item in value]
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    return value


def masked_text(text: str, *, secrets: Collection[str] = ()) -> str:
    """A text without the secrets named, without what is assigned to names like secrets, and credentials."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    if "PRIVATE KEY-----" in text:
        text = _PRIVATE_KEY.sub(rf"\1{MASK}", text)
    lower = text.lower()
    if "bearer" in lower or "basic" in lower:
        text = _SENT.sub(rf"\g<name> {MASK}", text)
    if "://" in text:
        text = _IN_ADDRESS.sub(rf"\g<name>{MASK}", text)
    if _KNOWN_BEGINNINGS.search(text) is not None:
        text = _KNOWN.sub(MASK, text)
    # a quick look, which may be wrong about it: whether a name like a secret's stands anywhere
    return text if _PARTS.search(lower) is None else _without_assigned(text)


def _without_assigned(text: str) -> str:
    kept: list[str] = []
    done = 0
    for named in _NAMED.finditer(text):
        word = named["word"] or named["option"]
        if named.start() < done or not _is_secret(word):
            continue
        begin = named.end()
        is_header = word.lower() in _HEADERS and text[begin : begin + 1] not in ("'", '"', "\\")
        value = (_HEADER if is_header else _VALUE).match(text, begin)
        if value is not None and value[0] not in _NO_SECRETS:
            quote = _QUOTE.match(value[0])
            around = "" if quote is None else quote[0]  # what was JSON stays JSON
            kept += (text[done:begin], around, MASK, around)
            done = value.end()
    return "".join((*kept, text[done:]))


@lru_cache(maxsize=4096)
def _is_secret(name: str) -> bool:
    lower = name.lower()
    if _PARTS.search(lower) is None or name in _HARMLESS or lower in _COUNTS:
        return False
    spaced = _CAMEL.sub("_", name)
    return _SECRET_NAME.search(spaced) is not None or _SHOUTED_KEY.search(name) is not None
