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
from html import escape
from typing import Any, Final

from notebook_ext.viewer.relay.messages import Buffer, Parcel

__all__ = ["file_page", "page"]

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
