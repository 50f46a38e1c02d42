"""``python -m tests.loon.rewrite_golden``: write the golden texts anew and drop orphans."""

from __future__ import annotations

from tests.loon.golden_files import FOLDER, programs, rendered


def main() -> None:
    """Rewrite every golden text."""
    wanted = {program.with_suffix(".txt"): rendered(program) for program in programs()}
    for orphan in set(FOLDER.glob("*.txt")) - wanted.keys():
        orphan.unlink()
    for file, text in wanted.items():
        file.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
