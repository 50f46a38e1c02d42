"""The HTML around the viewer: of the page that a session serves, and of a file that needs no server.

    page()                                    # loads viewer/start.js beside it
    file_page("bracket", parcels, program())  # everything inside

Knows HTML and the messages' form in it; not who makes or sends them.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from notebook_ext.viewer.relay.messages import Buffer, Parcel
from vcad_kernel.errors import CapabilityUnavailable

__all__ = ["file_page", "page", "program", "widget_program"]

_STYLE: Final = (
    "html,body{margin:0;height:100%;overflow:hidden;color-scheme:light dark;font-family:system-ui,sans-serif}"
    "#vcad-viewer{position:fixed;inset:0}"
)
_SMALLEST: Final = 256
"""Bytes of a buffer that are worth to be packed."""


def page(title: str = "vcad viewer") -> str:
    """The page that loads the viewer from where it comes from."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f'<style>{_STYLE}</style></head><body><div id="vcad-viewer"></div>'
        '<script type="module" src="viewer/start.js"></script></body></html>'
    )


def file_page(title: str, parcels: Iterable[Parcel], program: str, *, words: str = "") -> str:
    """One file that shows these messages to whoever opens it, without any server or network.

    program: the viewer's. words: what it shows, for who opens it without scripts.
    """
    messages = json.dumps(
        [_embedded(parcel) for parcel in parcels], ensure_ascii=False, separators=(",", ":")
    )
    packed = b64encode(gzip.compress(program.encode(), 9, mtime=0)).decode()
    # "<" may begin no tag in what is data: neither </script> nor <!-- ends it
    messages = messages.replace("<", "\\u003c")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body>"
        f'<div id="vcad-viewer"><noscript>{escape(words or title)}</noscript></div>'
        f'<script type="application/vnd.vcad.messages+json">{messages}</script>'
        f'<script type="text/plain" id="program">{packed}</script>'
        f'<script type="module">{_OPEN}</script></body></html>'
    )


_OPEN: Final = """
const text = document.getElementById("program").textContent;
const packed = new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
const unpacked = new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")));
const program = new Blob([await unpacked.arrayBuffer()], { type: "text/javascript" });
const address = URL.createObjectURL(program);
await import(address);
URL.revokeObjectURL(address);
"""
"""The program finds the messages by itself, and shows them."""


def _embedded(parcel: Parcel) -> dict[str, Any]:
    content, data = parcel.content("")
    for spec, buffer, raw in zip(content.get("buffers", ()), parcel.buffers, data, strict=True):
        spec.update(_packed(buffer, bytes(raw)))
    return content


def _packed(_buffer: Buffer, raw: bytes) -> dict[str, str]:
    packed = gzip.compress(raw, 9, mtime=0) if len(raw) >= _SMALLEST else raw
    if len(packed) < len(raw):
        return {"encoding": "gzip+base64", "data": b64encode(packed).decode()}
    return {"encoding": "base64", "data": b64encode(raw).decode()}


# ---- the viewer's program for browsers, which `make labextension` builds ----------------------
# One module for widget, page and file:
#     program()           # its text
#     widget_program()    # the same for a widget, which says what to do where it has not been built
#
# Knows where it lies, and nothing of what it does.


BUILT: Final = Path(__file__).parent / "built" / "viewer.js"
"""Not in the repository; wheels have it."""
_BUILD: Final = "make labextension"


def program() -> str:
    """The text of the module. Raises: CapabilityUnavailable where it has not been built."""
    return _text(BUILT, BUILT.stat().st_mtime_ns if BUILT.is_file() else None)


@cache
def _text(path: Path, changed: int | None) -> str:
    """changed: when, so that one that is built anew is read anew."""
    if changed is None:
        raise CapabilityUnavailable(
            "the viewer has not been built in this source checkout",
            fix=f"run `{_BUILD}`; pictures (part.png()) and the views below cells need no build",
            details={"required_capability": "viewer", "negotiated_capabilities": []},
        )
    return path.read_text(encoding="utf-8")


def widget_program() -> str:
    """The module for a widget; where it has not been built, one that shows why and what to do."""
    try:
        return program()
    except CapabilityUnavailable as missing:
        said = json.dumps(f"[{missing.error_code}] {missing.message}: {missing.fix}")
        return f"export default {{ render({{ el }}) {{ el.textContent = {said}; }} }};"
