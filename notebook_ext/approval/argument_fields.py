"""The arguments of a call as text areas: code line by line as it is, all else as JSON.

What stands in the areas is what would be called, to the letter: a text goes into an area of its own only if
it comes back from a browser unchanged, so not with carriage returns or characters that hide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import ipywidgets

from notebook_ext.approval.question_html import json_text, line_count
from vcad_kernel.plain_text import plain

__all__ = ["ArgumentFields"]

_ROWS: Final = 18
"""Of an area at most; what is longer scrolls."""


class ArgumentFields:
    """arguments: as they were given. changed: called when the person has edited something."""

    def __init__(self, arguments: Mapping[str, Any], changed: Callable[[], object]) -> None:
        self._given = dict(arguments)
        self._texts = {
            name: _area(line_count(name, text), text)
            for name, text in arguments.items()
            if isinstance(text, str) and "\n" in text and plain(text) == text
        }
        rest = {name: value for name, value in arguments.items() if name not in self._texts}
        self._rest_given = json_text(rest)
        self._rest = _area("other arguments" if self._texts else "arguments", self._rest_given)
        if self._texts and not rest:
            self._rest.layout.display = "none"
        self.widgets: tuple[Any, ...] = (*self._texts.values(), self._rest)
        for area in self.widgets:
            area.observe(lambda _change: changed(), "value")

    @property
    def edited(self) -> bool:
        """Whether anything stands there that was not given."""
        texts = any(area.value != self._given[name] for name, area in self._texts.items())
        return texts or self._rest.value != self._rest_given

    def arguments(self) -> Any:
        """The arguments as they stand there. Raises: ValueError for what is no JSON object."""
        rest = json.loads(self._rest.value)
        if not isinstance(rest, dict):
            raise ValueError("they must be an object in braces")  # noqa: TRY004 - of a text, not an argument
        texts = {name: area.value for name, area in self._texts.items()}
        return {**texts, **rest}


def _area(label: str, text: str) -> Any:
    return ipywidgets.Textarea(
        value=text,
        description=label,
        rows=min(_ROWS, max(2, text.count("\n") + 1)),
        continuous_update=True,
        style={"description_width": "initial"},
    )
