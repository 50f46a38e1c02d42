"""The same readers under atheris, which looks at what each input reaches and changes it accordingly:

    python -m tests.fuzz.harness framing -max_total_time=60

Needs `pip install atheris`. Arguments after the target's name are libFuzzer's. What it finds worth keeping
goes into the folder ``corpus-…`` where it is started, with which the next search begins; an input that raises
into a file ``crash-…``, which is tried again alone when it is given as an argument.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Search for inputs that raise; ends by libFuzzer's own rules."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with atheris.instrument_imports(include=["vcad_kernel", "json"]):
        from tests.fuzz.seeds import seeds
        from tests.fuzz.targets import TARGETS

    if not arguments or arguments[0] not in TARGETS:
        print(f"usage: python -m tests.fuzz.harness {{{','.join(TARGETS)}}} [libFuzzer's arguments]")
        return 2
    target, *rest = arguments
    corpus = Path(f"corpus-{target}")
    corpus.mkdir(exist_ok=True)
    for number, data in enumerate(seeds(target)):
        (corpus / f"seed-{number}").write_bytes(data)
    atheris.Setup([sys.argv[0], str(corpus), *rest], TARGETS[target])
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
