"""What a page says, as text: HTML without its tags, its links apart. Knows no network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin

__all__ = ["Link", "PageText", "charset_of", "is_text", "page_text"]

_TEXTS: Final = frozenset(
    {
        "application/json",
        "application/xml",
        "application/javascript",
        "application/xhtml+xml",
        "application/toml",
    }
)
_UNSEEN: Final = frozenset({"script", "style", "noscript", "template", "svg", "head"})
_BREAKS: Final = frozenset(
    {"p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "pre"}
    | {"blockquote", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6"}
)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page."""

    text: str
    url: str
    """Absolute."""


@dataclass(frozen=True, slots=True)
class PageText:
    """A page for reading."""

    title: str
    text: str
    links: tuple[Link, ...]


def is_text(content_type: str) -> bool:
    """Whether a content type is of text that people or programs read; "" is."""
    kind = content_type.partition(";")[0].strip().lower()
    return not kind or kind.startswith("text/") or kind in _TEXTS or kind.endswith(("+json", "+xml"))


def charset_of(content_type: str, data: bytes) -> str:
    """The encoding of a text: as its header says, as the page says of itself, else UTF-8."""
    import codecs

    message = Message()
    message["content-type"] = content_type
    stated = message.get_content_charset()
    if stated is None:
        found = re.search(rb"<meta[^>]{0,200}?charset=[\"']?([\w-]{1,40})", data[:2048], re.IGNORECASE)
        stated = found[1].decode("ascii") if found else "utf-8"
    try:
        return codecs.lookup(stated).name
    except LookupError:
        return "utf-8"


def page_text(html: str, url: str) -> PageText:
    """The readable text of an HTML page. url: where it is from, for its links."""
    reader = _Reader(url)
    reader.feed(html)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return PageText(" ".join("".join(reader.title).split()), text, tuple(reader.links))


class _Reader(HTMLParser):
    """Gathers text, the title and links."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.url = url
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.links: list[Link] = []
        self._unseen = 0
        self._in_title = False
        self._href = ""
        self._link_text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See `HTMLParser`."""
        if tag == "title":
            self._in_title = True
        elif tag == "body":
            self._unseen = 0  # a head that was never closed
        elif tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BREAKS:
            self.pieces.append("\n")
        elif tag == "a":
            self._href = dict(attrs).get("href") or ""
            self._link_text = []

    def handle_endtag(self, tag: str) -> None:
        """See `HTMLParser`."""
        if tag == "title":
            self._in_title = False
        elif tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in _BREAKS:
            self.pieces.append("\n")
        elif tag == "a" and self._href:
            self._keep_link()

    def handle_data(self, data: str) -> None:
        """See `HTMLParser`."""
        if self._in_title:
            self.title.append(data)
        elif not self._unseen:
            self.pieces.append(data)
            self._link_text.append(data)

    def _keep_link(self) -> None:
        try:
            target = urljoin(self.url, self._href)
        except ValueError:
            target = ""
        if target.startswith(("http://", "https://")):
            self.links.append(Link(" ".join("".join(self._link_text).split()), target))
        self._href = ""
