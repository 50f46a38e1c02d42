from __future__ import annotations

import json
from html.parser import HTMLParser

from notebook_ext.viewer.state import ViewState, legend_html, state_html
from tests.notebook_ext.viewer.solids import BLUE, RED

STATE = ViewState(
    parts=("lid", '"a" <b> & c'),
    triangles=24,
    revision=3,
    position=(1.0, 2.0, 3.0),
    target=(0.0, 0.0, 0.5),
    projection="orthographic",
    edges=False,
)


def first_tag(html: str) -> dict[str, str | None]:
    found: list[dict[str, str | None]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(dict(attrs))

    Reader().feed(html)
    return found[0]


def test_the_state_can_be_read_back_from_its_html() -> None:
    tag = first_tag(state_html(STATE))
    assert tag["class"] == "vcad-view-state"
    assert json.loads(tag["data-parts"] or "") == ["lid", '"a" <b> & c']
    assert tag["data-triangles"] == "24"
    assert tag["data-revision"] == "3"
    assert json.loads(tag["data-position"] or "") == [1.0, 2.0, 3.0]
    assert json.loads(tag["data-target"] or "") == [0.0, 0.0, 0.5]
    assert tag["data-projection"] == "orthographic"
    assert tag["data-edges"] == "false"


def test_the_state_is_spoken_in_words() -> None:
    assert ">3D view of lid, &quot;a&quot; &lt;b&gt; &amp; c<" in state_html(STATE)


def test_the_legend_lists_names_with_their_colours() -> None:
    html = legend_html([("lid", RED), ("<box>", BLUE)])
    assert html.index("lid") < html.index("&lt;box&gt;")
    assert "background:rgb(90%,10%,10%)" in html
    assert "<box>" not in html


def test_of_many_parts_the_legend_lists_the_first() -> None:
    assert legend_html([(f"p{number}", RED) for number in range(10)]).count("<li>") == 10
    html = legend_html([(f"p{number}", RED) for number in range(50)])
    assert html.count("<li>") == 10
    assert "p8</li>" in html
    assert "p9<" not in html
    assert "and 41 more" in html


def test_an_empty_legend_is_nothing() -> None:
    assert legend_html([]) == ""
