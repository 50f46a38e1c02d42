"""Imports every module of the product, and prints a line for each that cannot be: ``main([])``."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from tests.test_imports import modules

NOT_IMPORTED = ("__main__", "notebook_ext.workspace.shell.jail")
"""Programs: what they do, they do at once; the jail is started by its path, on Linux."""


def main(_words: Sequence[str]) -> int:
    failed = 0
    for name in modules():
        if name.endswith(NOT_IMPORTED):
            continue
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}")
    return failed
