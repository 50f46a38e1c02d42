"""What a page says, as text: HTML without its tags, its links apart. Knows no network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from html import unescape
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
_TAG_NAME: Final = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,40}+)")
# possessive: each letter is looked at once, quotes that are never closed too
_TAG: Final = re.compile(r"""<[^"'>]*+(?:"[^"]*+"[^"'>]*+|'[^']*+'[^"'>]*+)*+>""")
_HREF: Final = re.compile(r"""(?<!\S)href\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'>]++)""", re.IGNORECASE)
_RAW: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "noscript")
}
"""Elements in which nothing is a tag but their own end."""
_MOST_LINKS: Final = 1_000
_DEEPEST: Final = 200
"""How many of what is open are looked at for one that ends."""

_ENCODINGS: Final = re.compile(
    r"utf-(?:8|16|32)(?:-[bl]e|-sig)?|ascii|iso8859-\d+|cp\d+|koi8-\w|mac-\w+|big5\w*|gb\w+|hz|shift_jis\w*"
    r"|euc_\w+|johab|iso2022_\w+|ptcp154|tis-620|hp-roman8|kz1048"
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
    """The encoding of a text: as its header says, as the page says of itself, else UTF-8.

    Of Python's codecs only those that are encodings of text: others unpack, execute escapes or are slow.
    """
    import codecs

    message = Message()
    message["content-type"] = content_type
    stated = message.get_content_charset()
    if stated is None:
        match = re.search(rb"<meta[^>]{0,200}?charset=[\"']?([\w-]{1,40})", data[:2048], re.IGNORECASE)
        stated = match[1].decode("ascii") if match else "utf-8"
    try:
        name = codecs.lookup(stated).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if _ENCODINGS.fullmatch(name) else "utf-8"


def page_text(html: str, url: str) -> PageText:
    """The readable text of an HTML page. url: where it is from, for its links.

    Takes time in proportion to the page, whatever is in it: a page may be written to hold a reader up,
    and Python's own parser can be held up for minutes, with all other threads of the session.
    """
    reader = _Reader(url)
    reader.read(html)
    lines = (" ".join(line.split()) for line in "".join(reader.pieces).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return PageText(" ".join("".join(reader.title).split()), text, tuple(reader.links))


class _Reader:
    """Gathers text, the title and links. What is never ended, a comment or a tag, hides the rest."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pieces: list[str] = []
        self.title: list[str] = []
        self.links: list[Link] = []
        self._unseen: list[str] = []
        """What is open of the elements that are not shown."""
        self._href = ""
        self._link_text: list[str] = []

    def read(self, html: str) -> None:
        at = 0
        while at < len(html):
            begin = html.find("<", at)
            if begin < 0:
                begin = len(html)
            self._data(html[at:begin])
            at = self._markup(html, begin)

    def _markup(self, html: str, at: int) -> int:
        """Read one tag or comment. Returns: where what comes behind it begins."""
        if html.startswith("<!--", at):
            return _behind(html, "-->", at + 4)
        tag = _TAG_NAME.match(html, at)
        if tag is None:
            if html.startswith(("<!", "<?", "</"), at):
                return _behind(html, ">", at)
            self._data(html[at : at + 1])
            return at + 1
        whole = _TAG.match(html, at)
        end = _behind(html, ">", at) if whole is None else whole.end()
        name = tag[2].lower()
        if tag[1]:
            self._ends(name)
            return end
        if name in _RAW and not html.startswith("/>", end - 2):
            closing = _RAW[name].search(html, end)
            stop = closing.start() if closing else len(html)
            if name == "title" and not self.title:
                self.title.append(unescape(html[end:stop]))
            return stop
        self._begins(name, html[tag.end() : end])
        return end

    def _begins(self, name: str, attributes: str) -> None:
        if name == "body":
            self._unseen = [tag for tag in self._unseen if tag != "head"]  # one that was never closed
        elif name in _UNSEEN and not attributes.endswith("/>"):
            self._unseen.append(name)
        elif name in _BREAKS:
            self.pieces.append("" if self._unseen else "\n")
        elif name == "a":
            match = _HREF.search(attributes)
            self._href = unescape(match[1].strip("\"'")) if match else ""
            self._link_text = []

    def _ends(self, name: str) -> None:
        if name in _UNSEEN:
            if name in self._unseen[-_DEEPEST:]:
                while self._unseen.pop() != name:
                    pass
        elif name in _BREAKS:
            self.pieces.append("" if self._unseen else "\n")
        elif name == "a" and self._href:
            self._keep_link()

    def _data(self, text: str) -> None:
        if text and not self._unseen:
            plain = unescape(text)
            self.pieces.append(plain)
            self._link_text.append(plain)

    def _keep_link(self) -> None:
        try:
            target = urljoin(self.url, self._href) if len(self.links) < _MOST_LINKS else ""
        except ValueError:
            target = ""
        if target.startswith(("http://", "https://")):
            self.links.append(Link(" ".join("".join(self._link_text).split()), target))
        self._href = ""


def _behind(html: str, mark: str, at: int) -> int:
    """Where what follows the next mark begins; the end where there is none."""
    mark_at = html.find(mark, at)
    return len(html) if mark_at < 0 else mark_at + len(mark)
