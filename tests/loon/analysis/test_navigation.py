"""Definitions, references and renames, by the scopes of the language."""

from __future__ import annotations

import pytest

from tests.loon.analysis.marked import MARK, WORLD
from vcad_kernel.loon.analysis import Document
from vcad_kernel.loon.analysis.navigation import RenameRefused, applied, definition, references, rename


def marked_places(marked: str) -> tuple[str, int, list[tuple[int, int]]]:
    """The text, the cursor ``‸`` and the places in ``«…»``."""
    text, cursor = "", -1
    places: list[tuple[int, int]] = []
    begun = 0
    for letter in marked:
        if letter == MARK:
            cursor = len(text)
        elif letter == "«":
            begun = len(text)
        elif letter == "»":
            places.append((begun, len(text)))
        else:
            text += letter
    return text, cursor, places


def referred(text: str, offset: int) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in references(Document(text, WORLD), offset)]


@pytest.mark.parametrize(
    "marked",
    [
        "[fn f [«a‸»] [g «a» [let «a» 3] «a»]] a [let a 1]",
        "[fn f [a] a] [g «a‸» [fn h [] «a»]] [let «a» 1]",
        "[let «x» 1] [fn f [] [let y «x‸»] [let x 2] x]",
        "[let x 1] [fn f [] [let y x] [let «x» 2] «x‸»]",
        "[let «t» 1] [fn f [c] [if c [let «t» 8] 0] «t‸»] [g «t»]",
        "[let t 1] [fn f [c] [if c [let «t» 8] [let «t» 9]] «t‸»] [g t]",
        "[let «t» 1] [fn f [s] [try [let «t» s] [fn [e] e]] «t‸»]",
        "[fn f [s] [match s [Some «y‸»] «y» [Other y] y]]",
        "[fn f [s] [match s «y‸» [when [g «y»]] «y» y y]]",
        "[fn f [«s»] [match «s‸» [g «s»] 1 s [when s] s]]",
        "[fn f [«s»] [match 1 [g [let «s» 2]] «s‸»]]",
        "[handle [A.x «k‸»] [A.x k] [resume k]] [let «k» 1]",
        "[handle [A.x k] [A.x «k‸»] [resume «k»]] [let k 1]",
        "[fn f [«a»] [fn [b] [g «a‸» b [let a 1] a]]]",
        "[fn f [«a»] [let g [fn [x] [h x «a‸»]]] [let «a» 100]] [let a 1]",
        "[fn out [«a»] [fn in [b] [g «a‸» b]]]",
        "[fn outer [] [fn «helper‸» [x] x]] [«helper» 7]",
        "[fn f ([«v‸»] [f «v» 2]) ([v k] [g v k])]",
        "[fn f [a & «more‸»] [g «more»]]",
        "[fn f [[m «n‸»]] [g m «n»]] n",
        "[let [a [«b‸» c]] v] [g «b»]",
        "[do [let «z» 3] «z»] «z‸»",
        '[let «w‸» 3] "width={«w»} {[* «w» 2]} w {[str \\"w\\" «w»]}"',
        "[type Shape [«Circle‸» Float] Point] [«Circle» 1] [match s [«Circle» r] r]",
        "[type Shape [Circle Float] «Point‸»] [match s «Point» 1 [Some «Point»] 2 x 3]",
        "[type «Shape‸» [Shape Float]] [sig f : «Shape» -> Int] [Shape 1]",
        "[type Pair «t‸» [P «t» «t»]] [let t 1]",
        "[type S [Box Float [fn «face‸» [w] w]] [Ball Float [fn «face» [r] r]]] [«face» s]",
        "[type S [Box Float [fn face [«w‸»] «w»]]] [let w 1]",
        "[let «w» 1] [fn f [w] [type S [Box Float [fn face [x] «w‸»]]]]",
        "[effect Store [fn «get‸» [k]]] [handle [Store.«get» 1] [Store.«get» k] [resume k]] [get m :a]",
        "[effect «Store‸» [fn get [k]]] [fn f [] #{«Store»} [«Store».get 1]]",
        "[trait Show [fn «m‸» [self]]] [impl Show Box [fn «m» [self] 1]] [map Box.«m» v]",
        "[type «Box‸» [B Int]] [impl Show «Box» [fn m [self] 1]] [map «Box».m v]",
        "[macro twice [«x‸»] `[+ ~«x» «x»]] [let x 1] [twice x]",
        "[macro twice [x] `[+ ~x ~x]] [let «x» 1] [twice «x‸»]",
        "[macro «twice‸» [x] `[+ ~x ~x]] [«twice» 1]",
        "[fn «helper‸» [x] x] [macro m [x] `[«helper» ~x]]",
        "[macro m [v] `[let «tmp‸» ~v]] [m 1] «tmp»",
        "[let «p‸» [P 3]] [g «p».x «p».y]",
        "[let p.x 10] [let «p‸» 1] [g p.x «p» «p».y]",
        "[use lib.plate :as «p‸»] [«p».hole 3 part] «p».thickness",
        "[use lib.plate [«hole»]] [«hole‸» 3 part]",
        "[sig «f» : Int -> Int] [fn «f‸» [x] x]",
        "[test «works‸» [] 1] [«works»]",
        "[pub fn «f‸» [] 1] [pub let g «f»]",
        "[derive Copy [type V [«P‸» Int]]] [«P» 1]",
        "[let «k» 1] [fn f [] [set! «k‸» 2]]",
        "[fn f [«k»] [set! «k‸» 2] «k»]",
        "[let mut «k‸» 1] [push! «k» 1]",
        "[pipe [let «a» 2] [g «a‸»]] «a»",
        "[pipe x [«step‸» 1] «step»] [fn «step» [a b] b]",
        "[fn f [«d‸» {w [g «d»]}] 1]",
    ],
)
def test_the_places_of_a_name_are_those_that_may_mean_the_same(marked: str) -> None:
    text, cursor, places = marked_places(marked)
    assert referred(text, cursor) == places


@pytest.mark.parametrize(
    ("marked", "line"),
    [
        ("«x»\n[let «x» 1]\n[g «x‸»]", 1),
        ("[let «x» 1]\n[let «x» 2]\n[g «x‸»]", 1),
        ("[fn f []\n [g «x‸»]]\n[let «x» 1]", 2),
        ("[let x 1]\n[fn f [«x»]\n [g «x‸»]]", 1),
        ("[fn f [«x»]\n [let «x» 1]\n «x‸»]", 1),
        ("[fn f [c]\n [if c [let «x» 1]]\n «x‸»]\n[let «x» 1]", 1),
    ],
)
def test_the_definition_is_the_place_that_bound_the_name_last(marked: str, line: int) -> None:
    text, cursor, places = marked_places(marked)
    found = definition(Document(text, WORLD), cursor)
    assert found is not None
    assert found.defines
    assert (found.start, found.end) in places
    assert text.count("\n", 0, found.start) == line


def test_a_name_of_the_world_outside_has_no_definition_here() -> None:
    assert definition(Document("[len v]", WORLD), 2) is None
    assert definition(Document("[ghost v]", WORLD), 2) is None
    assert definition(Document("; len", WORLD), 3) is None


def test_a_builtin_means_itself_until_the_text_redefines_it() -> None:
    text, cursor, places = marked_places("[«le‸n» v] [fn len [c] [len c]] [len v]")
    assert referred(text, cursor) == places
    text, cursor, places = marked_places("[len v] [fn «len» [c] [«len» c]] [«le‸n» v]")
    assert referred(text, cursor) == places


@pytest.mark.parametrize(
    ("marked", "new", "expected"),
    [
        ("[fn f [a‸ b] [g a b]]", "c", "[fn f [c b] [g c b]]"),
        ("[let wall 3]\n[fn f [] wall‸]", "thickness", "[let thickness 3]\n[fn f [] thickness]"),
        ("[type S [Ci‸rcle r]] [match s [Circle r] r]", "Disc", "[type S [Disc r]] [match s [Disc r] r]"),
        ("[fn f [x] [let len x] len‸]", "n", "[fn f [x] [let n x] n]"),
        ("[fn f [x‸] [g x]]", "len", "[fn f [len] [g len]]"),
        ('[let w‸ 3] "{w} \\{w\\}"', "wide", '[let wide 3] "{wide} \\{w\\}"'),
        ("[let p‸ 3] [g p.x]", "part", "[let part 3] [g part.x]"),
        ("[effect Sto‸re [fn get [k]]] [Store.get 1]", "Shop", "[effect Shop [fn get [k]]] [Shop.get 1]"),
        ("[fn f [a] [let b‸ 1] b", "c", "[fn f [a] [let c 1] c"),
    ],
)
def test_a_rename_changes_every_place_of_the_name(marked: str, new: str, expected: str) -> None:
    text, cursor, _ = marked_places(marked)
    assert applied(text, rename(Document(text, WORLD), cursor, new)) == expected


@pytest.mark.parametrize(
    ("marked", "new"),
    [
        ("[fn f [a‸ b] [g a b]]", "b"),
        ("[let b 1] [fn f [a‸] [g a b]]", "b"),
        ("[let a‸ 1] [fn f [b] [g a b]]", "b"),
        ("[fn f [a‸] [fn [b] [g a]]]", "b"),
        ("[fn f [x] [len x]] [let a‸ 1]", "len"),
        ("[fn f [a‸] [len a]]", "len"),
        ("[fn f [a‸] [match s b a]]", "b"),
        ("[let a‸ 1] [fn f [c] [if c [let b 1]] [g a b]]", "b"),
        ("[fn f [a‸] [a 1]]", "if"),
        ("[type S [Ci‸rcle r]] [match s [Circle r] r]", "circle"),
        ("[fn f [a‸] a]", "a b"),
        ("[fn f [a‸] a]", "1a"),
        ("[fn f [a‸] a]", "true"),
        ("[fn f [a‸] a]", "_"),
        ("[fn f [a‸] a]", ":a"),
        ("[fn f [a‸] a]", ""),
        ("[fn f [a‸] a]", "é"),
        ("[fn f [a‸] [g a.x]]", "b.c"),
    ],
)
def test_a_new_name_that_would_change_the_meaning_is_refused(marked: str, new: str) -> None:
    text, cursor, _ = marked_places(marked)
    with pytest.raises(RenameRefused) as refused:
        rename(Document(text, WORLD), cursor, new)
    assert refused.value.code == "RENAME_REFUSED"
    assert refused.value.why
    assert refused.value.fix


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("[le‸n v]", "this text does not define len"),
        ("[gho‸st v]", "this text does not define ghost"),
        ("[fn f [{wid‸th 3}] width]", "the key"),
        ("[use lib.pla‸te] [lib.plate.hole 1 2]", "its file"),
        ("[use lib.plate [hole]] [ho‸le 1 2]", "another file"),
        ("[handle 1 [A.b k] [resu‸me k]]", "handle gives it"),
        ("[fn f [] [le‸n v]] [fn len [c] 1]", "outside of this text"),
        ("; wo‸rd", "only names"),
        ("[f :wo‸rd]", "only names"),
        ('"wo‸rd"', "only names"),
    ],
)
def test_what_is_not_this_texts_to_name_is_not_renamed(marked: str, why: str) -> None:
    text, cursor, _ = marked_places(marked)
    with pytest.raises(RenameRefused) as refused:
        rename(Document(text, WORLD), cursor, "other")
    assert why in (refused.value.why or "")
