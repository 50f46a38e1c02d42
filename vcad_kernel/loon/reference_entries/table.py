"""All that there is to say about the language's own names, special forms first."""

from __future__ import annotations

from collections.abc import Mapping

from vcad_kernel.loon.forms.table import FORMS
from vcad_kernel.loon.reference import Entry
from vcad_kernel.loon.reference_entries import VALUES

__all__ = ["ENTRIES"]

ENTRIES: Mapping[str, Entry] = {**{name: form.entry for name, form in FORMS.items()}, **VALUES}
"""By name, in the order of the chapters."""
