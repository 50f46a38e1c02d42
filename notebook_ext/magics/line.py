"""The line of a magic: its words, the names on it, and what a bare semicolon means.

Reads text only; what the words ask for is decided in loon.py, what could be written next in
head_completion.py.
"""

from __future__ import annotations

import keyword
import re
import shlex
from collections.abc import Sequence
from typing import Any

from IPython.core.error import UsageError

__all__ = [
    "EXPORTED",
    "ends_in_semicolon",
    "help_text",
    "inputs_named",
    "joined",
    "names_in",
    "python_name",
    "words",
]

EXPORTED = (".stl", ".obj", ".dae", ".glb", ".3mf", ".step", ".stp", ".ops", ".html")
"""The suffixes that ``--export`` takes, as its help lists them."""


def words(line: str) -> list[str]:
    """The words of a magic line, as a shell takes them apart: quotes hold a file name with spaces together.

    A list whose commas are followed by spaces is one word, too.
    Raises: UsageError when a quotation mark is not closed.
    """
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = lexer.escape = ""
    words: list[str] = []
    try:
        for word in lexer:
            if words and words[-1].endswith(","):
                words[-1] += word
            else:
                words.append(word)
    except ValueError:
        raise UsageError(f"a quotation mark is not closed in: {line}") from None
    return words


_NUMBER = re.compile(r"[-+]?[\d.,]+")


def joined(words: Sequence[str], option: str) -> list[str]:
    """The words with an option and its value as one: ``--at -5,0,0`` has no option ``-5``.

    Numbers that follow it belong to the value, too, so that ``--at 1 2 3`` is not taken for three names.
    """
    pairs: list[str] = []
    for word in words:
        if pairs and pairs[-1] == option:
            pairs[-1] += f"={word}"
        elif pairs and pairs[-1].startswith(f"{option}=") and _NUMBER.fullmatch(word):
            pairs[-1] += f",{word}"
        else:
            pairs.append(word)
    return pairs


def names_in(lists: Sequence[str]) -> list[str]:
    """The names in lists separated by commas, as ``-i`` takes them."""
    return [name.strip() for listed in lists for name in listed.split(",") if name.strip()]


_INPUTS = re.compile(r"(?<!\S)(?:-[qx]*i|--input)[\s=]*(\w+(?:\s*,\s*\w+)*)")


def inputs_named(line: str) -> list[str]:
    """The Python variables that a line takes in, also while it is being written."""
    return names_in(_INPUTS.findall(line))


def python_name(name: str | None, output: str | None) -> str | None:
    """The Python name asked for, in either way; None when the part is only shown.

    Raises: UsageError for two different names, and for one that Python cannot have.
    """
    if name and output and name != output:
        raise UsageError(f"two names for one part: {name} and -o {output}")
    chosen = output or name
    if chosen is not None and (not chosen.isidentifier() or keyword.iskeyword(chosen)):
        raise UsageError(f"{chosen} is no Python name; write %%loon {_proposal(chosen)}")
    return chosen


def _proposal(name: str) -> str:
    """A Python name that looks like this one: ``wall_plate`` for wall-plate."""
    proposed = re.sub(r"\W+", "_", name).strip("_") or "part"
    if keyword.iskeyword(proposed):
        return proposed + "_"
    return proposed if proposed.isidentifier() else "_" + proposed


def ends_in_semicolon(source: str) -> bool:
    """Whether the last line ends in an empty comment, IPython's sign for "show nothing".

    IPython's own `output_can_be_silenced` reads the text as Python, which ``#[1 2]`` breaks.
    """
    last = source.rstrip().rpartition("\n")[2]
    return last.endswith(";") and last.count(";") == 1


def help_text(magic: Any) -> str:
    """The help of a magic, for reading: IPython's own is laid out for Sphinx."""
    text: str = magic.parser.format_help()
    return text.replace("::\n\n  ", "usage: ", 1)
