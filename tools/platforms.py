"""On which platforms all requirements come as wheels: asks the package index, and writes docs/platforms.md.

    python -m tools.platforms

Needs uv, and the index; `make platforms` installs the one. The page says of which requirements it is, and the
tests compare that with pyproject.toml: to be run anew after a change of requirements.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from vcad_kernel.system.platforms import WHEELS

__all__ = ["PAGE", "PYTHONS", "digest", "main", "noted", "requirements", "table"]

PAGE: Final = Path(__file__).parents[1] / "docs" / "platforms.md"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
REFUSED: Final = {
    "Windows arm64": "aarch64-pc-windows-msvc",
    "Linux x86_64, musl": "x86_64-unknown-linux-musl",
    "Linux aarch64, musl": "aarch64-unknown-linux-musl",
}
"""Where it cannot be installed, which is asked as well: that may change."""
_BEGIN: Final = "<!-- what `make platforms` found, of the requirements "
_END: Final = "<!-- end -->"

Resolve = Callable[[Sequence[str], str, str], int | str]
"""Requirements, uv's name of a platform, a Python → how many packages that is, or why it cannot be."""


def requirements(project: str) -> list[str]:
    """What pyproject.toml asks for, without the extras, in its order."""
    dependencies: list[str] = tomllib.loads(project)["project"]["dependencies"]
    return dependencies


def digest(wanted: Sequence[str]) -> str:
    """By which the page knows the requirements that it is of."""
    asked = "\n".join([*sorted(wanted), *PYTHONS, *WHEELS, *REFUSED])
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def noted(page: str) -> str:
    """The digest that a page gives; empty where it gives none."""
    return page.partition(_BEGIN)[2].partition(" ")[0]


def table(wanted: Sequence[str], resolve: Resolve, today: date) -> str:
    """The generated part of the page."""
    lines = [
        f"{_BEGIN}{digest(wanted)} -->",
        f"Asked on {today.isoformat()}, wheels only: how many packages an installation is.",
        "",
        f"| | {' | '.join(f'Python {version}' for version in PYTHONS)} |",
        f"|---{'|---' * len(PYTHONS)}|",
    ]
    for name, platform in {**WHEELS, **REFUSED}.items():
        cells = [str(resolve(wanted, platform, version)) for version in PYTHONS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, _END])


def _resolve(wanted: Sequence[str], platform: str, version: str) -> int | str:
    words = ("uv", "pip", "compile", "--quiet", "--no-annotate", "--no-header", "--only-binary", ":all:")
    target = ("--python-platform", platform, "--python-version", version, "-")
    done = subprocess.run(
        (sys.executable, "-m", *words, *target),
        input="\n".join(wanted),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return len(done.stdout.split("\n")) - 1
    lacking = [
        requirement
        for requirement in wanted
        if requirement.split(">")[0] in done.stderr.replace("`", "").split()
    ]
    if not lacking:
        raise SystemExit(f"uv fails for {platform} and Python {version}:\n{done.stderr}")
    return f"no wheel of {', '.join(requirement.split('>')[0] for requirement in lacking)}"


def main(resolve: Resolve = _resolve) -> int:
    """Write the page anew. The exit status: 1 where a platform that is promised cannot be installed on."""
    project = (PAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    rows = table(requirements(project), resolve, date.today())
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(_BEGIN)
    PAGE.write_text(before + rows + rest.partition(_END)[2], encoding="utf-8")
    print(rows)
    return int(
        any(
            line.startswith(tuple(f"| {name} |" for name in WHEELS)) and "no wheel" in line
            for line in rows.split("\n")
        )
    )


if __name__ == "__main__":
    sys.exit(main())
