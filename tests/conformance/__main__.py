"""``python -m tests.conformance FILE.jsonl [--level core|full] [--kernel mesh|brep|both]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.conformance.runner import run_file


def main() -> int:
    """Run the file named on the command line; 1 when a case fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("file", type=Path, help="cases, one JSON object per line")
    parser.add_argument("--level", choices=["core", "full"], default="full")
    parser.add_argument("--kernel", choices=["mesh", "brep", "both"], default="both")
    options = parser.parse_args()
    passed = run_file(options.file, level=options.level, kernel=options.kernel, write=sys.stdout.write)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
