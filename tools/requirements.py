"""Prints what the project requires, a line each, for pip: ``python -m tools.requirements [EXTRA]``.

pip installs a project with its requirements in one go, and only when what runs in browsers has been built; so
the libraries are installed by these lines meanwhile, and the project itself in the end. Uses the standard
library alone.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["required"]

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def required(project: Mapping[str, Any], extra: str = "") -> Iterator[str]:
    """The requirements of a table ``[project]``, or those of an extra; extras of its own within are followed.

    Raises: KeyError for an extra that it has not.
    """
    own = re.compile(re.escape(project["name"]) + r"\[([^\]]+)\]")
    lines: Sequence[str] = project["optional-dependencies"][extra] if extra else project["dependencies"]
    for line in lines:
        if found := own.fullmatch(line):
            yield from required(project, found[1])
        else:
            yield line


if __name__ == "__main__":
    with _PROJECT.open("rb") as file:
        print("\n".join(required(tomllib.load(file)["project"], *sys.argv[1:2])))
