"""The CAD library's own types: numbers of either kind, solids last, scenes of mixed parts."""

from __future__ import annotations

import re

import pytest

from tests.loon.checking.pipeline import cad, checked, codes, type_of
from vcad_kernel.cad.reference import ENTRIES
from vcad_kernel.operations.library import WORDS

_CLEAN = [
    "[cube 50 30.0 5]",
    "[let w 3] [cube w [* w 2] 1.5]",
    "[pipe [cube 50 30 5] [difference [cylinder 3 12]] [fillet 1]]",
    "[map [fn [i] [translate [* i 10] 0 0 [cube 1 1 1]]] [range 0 5]]",
    "[let parts #[[cube 1 1 1]]] [fold Empty union parts]",
    '[root [cube 1 1 1] "steel"] [root "steel" [cube 1 1 1]] [pipe [cube 1 1 1] [root "steel"]]',
    '#[[material "brass" 0.8 0.6 0.2 1.0 0.3] [root [cube 1 1 1] "brass"] [cube 1 1 1] #[[sphere 2]]]',
    "[linear-pattern 1 0 0 4.0 20 [cylinder 3 9]]",
    "[sketch 0 0 0 1 0 0 0 1 0 #[[line 0 0 6 0] [arc 6 0 0 8 0.5 0 true] [line 0 8 0 0]]]",
    "[fn cube [s] [Cube s s s]] [cube 2]",
    "[fn box [s] [match s [Cube x y z] [Cube z y x] other other]] [box [cube 1 2.5 3]]",
]


@pytest.mark.parametrize("text", _CLEAN)
def test_a_model_that_builds_is_clean(text: str) -> None:
    found = [one for one in checked(text, cad()).diagnostics if one.code != "W0100"]
    assert not found, [one.render() for one in found]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[fillet "2" [cube 1 1 1]]', "E0200"),
        ("[cube 1 2]", "E0202"),
        ("[cube 1 2 3 4]", "E0202"),
        ("[fillet [cube 1 1 1] 2]", "E0200"),
        ("[pipe 5 [fillet 1]]", "E0200"),
        ("[extrude 0 0 5 [cube 1 1 1]]", "E0200"),
        ("[fold Empty union #[1 2]]", "E0200"),
        ("[arc 0 0 1 1 0 0 1]", "E0200"),
        ("[fn plate [w] [cube w w 5]] [plate true]", "E0200"),
        ("[cubee 1 1 1]", "E0201"),
    ],
)
def test_a_model_that_would_fail_is_underlined_before_it_does(text: str, code: str) -> None:
    found = checked(text, cad()).diagnostics
    assert [one.code for one in found][:1] == [code]
    assert found[0].severity == "error"


@pytest.mark.parametrize(
    ("text", "line", "fix"),
    [
        ("[fillet-at 1\n {:concave true} [cube 9 9 9]]", 2, ":convex"),
        ("[pipe [cube 9 9 9]\n [fillet-at 1 {:paralel #[0 0 1]}]]", 2, ":parallel"),
        ("[edges {:kind :circl} [cube 1 1 1]]", 1, ":circle"),
        ("[shell-open 1 {:length 3} [cube 9 9 9]]", 1, ":at"),
        ("[fillet-at 1\n :tpo [cube 9 9 9]]", 2, ":top"),
        ("[pipe [cube 9 9 9] [shell-open 2 :uptop]]", 1, ":top"),
        ("[fillet-at 1\n {:parallel :w} [cube 9 9 9]]", 2, ":x"),
        ("[fillet-at 1 {:adjacent\n :botom} [cube 9 9 9]]", 2, ":bottom"),
        ("[fillet-at 1 {:or (:top\n :bakc)} [cube 9 9 9]]", 2, ":back"),
        ("[fillet-at 1 {:or (:top {:not\n {:radis 3}})} [cube 9 9 9]]", 2, ":radius"),
        ("[fillet-at 1 {:between (:top\n {:convex true})} [cube 9 9 9]]", 2, ":kind"),
        ("[edges {:nth 0 :sort-by\n :lenght} [cube 9 9 9]]", 2, ":length"),
        ("[fillet-at 1 {:new 1} [cube 9 9 9]]", 1, "true or false under :new"),
        ('[fillet-at 1\n "top" [cube 9 9 9]]', 2, ":top"),
        ("[shell-open 1\n #[0 0 1] [cube 9 9 9]]", 2, "a map, or faces"),
    ],
)
def test_a_key_that_no_selection_has_is_found_before_the_model_is_built(
    text: str, line: int, fix: str
) -> None:
    (found,) = checked(text, cad()).diagnostics
    assert (found.code, found.severity) == ("E0200", "error")
    assert found.labels[0].span.place().line == line
    assert fix in found.what + found.fix


@pytest.mark.parametrize(
    "text",
    [
        "[fillet-at 1 {:parallel #[0 0 1] :adjacent {:normal #[0 0 1]}} [cube 9 9 9]]",
        "[fillet-at 1 :top [cube 9 9 9]] [shell-open 1 :all [cube 9 9 9]]",
        "[chamfer-at 1 {:or (:top {:radius 3} {:adjacent {:not :left}}) :parallel :x} [cube 9 9 9]]",
        "[let s [cube 9 9 9]] [fillet-at 1 {:or ([edges :top s] :left)} s]",
        "[fn round [which s] [fillet-at 1 which s]] [round :top [cube 9 9 9]]",
        "[fn fillet-at [r which s] which] [fillet-at 1 {:concave true} [cube 9 9 9]]",
        "[let m {:foo 1}] [get m :foo]",
        "[fn f [k] [edges {:kind k} [cube 1 1 1]]]",
    ],
)
def test_keys_of_other_maps_are_nobodys_business(text: str) -> None:
    assert codes(text, cad()) == []


_PUT = "[fn put [s p] [let [x y] p] [union s [translate x y 0 [sphere 0.5]]]] "


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        (_PUT + "[fold [cube 10 10 1] put #[(0 0) (1.5 2) (3 4.5)]]", {"hint"}),
        (
            "[fn put [q] [let [p r] q] [let [x y] p] [cube x y r]] [map put #[((0 0) 1) ((1.5 2) 0.5)]]",
            {"hint"},
        ),
        (_PUT + "[map [fn [ps] [fold Empty put ps]] #[#[(0 1.5) (1.5 0)] #[(2 1)]]]", {"hint"}),
        (_PUT + '[fold [cube 10 10 1] put #[(0 "a") (1.5 "b")]]', {"hint", "error"}),
        (_PUT + "[fold [cube 10 10 1] put #[1 2.5]]", {"hint", "error"}),
    ],
)
def test_tuples_of_mixed_numbers_stay_tuples_of_numbers(text: str, severities: set[str]) -> None:
    assert {one.severity for one in checked(text, cad()).diagnostics} == severities


@pytest.mark.parametrize(
    ("text", "display"),
    [
        ("[fn plate [w h] [cube w h 5]]", "∀a b. Real a, Real b => a → b → Solid"),
        ("[fn square [w] [cube w w 5]]", "∀a. Real a => a → Solid"),
        ("[fn square [w] [cube w [* 2 w] 5]]", "Num → Solid"),
        ("[fn row [n s] [linear-pattern 1 0 0 n 20 s]]", "∀a b. Shape b, Count a => a → b → b"),
        ('[let part [root [sphere 2] "steel"]]', "SceneEntry"),
    ],
)
def test_lengths_and_counts_stay_open_for_both_kinds_of_numbers(text: str, display: str) -> None:
    assert type_of(text, cad()) == display


def test_every_library_name_has_the_type_of_its_signature() -> None:
    for word in WORDS.values():
        assert cad().scheme(word.name) is not None
        assert ENTRIES[word.name].type == word.type
        for form in word.forms:
            arguments = " ".join(f"a{one.name}" for one in form.arguments)
            call = f"[{word.name} {arguments}]" if form.arguments else word.name
            given = type_of(f"[fn use [{arguments}] {call}]", cad())
            alike = {one.operation.gives for one in word.forms if len(one.arguments) == len(form.arguments)}
            gives = "|".join(alike)
            assert re.search(rf" → ({gives}|[a-z])$|^({gives})$", given), word.name


def test_a_program_may_take_over_a_library_name() -> None:
    text = "[fn scale [v k] [* v k]] [scale 2 3]"
    assert codes(text, cad()) == []
    assert codes("[fn use [v] [scale v 2]] [fn scale [v k] [* v k]]", cad()) == []
