"""Vectors, sets and what works on any collection."""

from __future__ import annotations

from vcad_kernel.loon.reference import Chapter

__all__ = ["ENTRIES"]

_collections = Chapter("Collections")
_vectors = Chapter("Vectors")
_functions = Chapter("Functions over vectors")

ENTRIES = (
    _collections.function(
        "[len c]",
        "Vec a -> Num",
        "How many items a vector or set, characters a string, or keys a map has. Not for tuples.",
        "[len #[3 4 5]]",
        "3",
        "c: a vector, string, map or set",
    ),
    _collections.function(
        "[empty? c]",
        "a -> Bool",
        "Whether nothing is in a vector, string, map or set.",
        "[empty? #[]]",
        "true",
        "c: a vector, string, map or set",
    ),
    _collections.function(
        "[contains? c x]",
        "String -> String -> Bool",
        "Whether x is an item of a vector or set, a key of a map, or a part of a string. Of a map it looks "
        "at keys, never at values.",
        '[contains? "steel bolt" "bolt"]',
        "true",
        "c: a string, vector, set or map",
        "x: what to look for",
    ),
    _collections.function(
        "[get c key default]",
        "Map Keyword v -> Keyword -> v",
        "The value under a key of a map, or at an index of a vector. What is missing gives unit (), "
        "not None, or the default if there is one.",
        "[get {:w 50 :h 30} :h]",
        "30",
        "c: a map or a vector",
        "key: a key of the map, or an index from 0",
        "default: given when nothing is there; may be left out",
    ),
    _collections.function(
        "[nth c i default]",
        "Vec a -> Num -> a",
        "The item of a vector or tuple at an index. Outside it is an index error, unless there is a default.",
        "[nth #[3 4 5] 1]",
        "4",
        "c: a vector or a tuple",
        "i: an int, counted from 0",
        "default: given when nothing is there; may be left out",
    ),
    _collections.function(
        "[conj c x …]",
        "Vec a -> a -> Vec a",
        "A new vector with items added at its end, or a new set with items in it. The old one stays as it "
        "is.",
        "[conj #[3 4] 5]",
        "#[3 4 5]",
        "c: a vector or a set",
        "x …: what to add",
    ),
    _collections.function(
        "[push! c x …]",
        "Vec a -> a -> Vec a",
        "A new vector or string with items added at its end. In spite of its name it changes nothing: bind "
        "the outcome, [let mut v [push! v 5]]. conj is the plainer choice.",
        "[let mut v #[3 4]] [let mut v [push! v 5]] v",
        "#[3 4 5]",
        "c: a vector or a string, from a variable declared mut",
        "x …: what to add",
    ),
    _collections.function(
        "[reverse c]",
        "Vec a -> Vec a",
        "A vector or string backwards.",
        "[reverse #[1 2 3]]",
        "#[3 2 1]",
        "c: a vector or a string",
    ),
    _collections.function(
        "[collect x]",
        "Vec a -> Vec a",
        "The value itself. Nothing in Loon is lazy, so there is nothing to collect.",
        "[collect #[1 2]]",
        "#[1 2]",
        "x: any value",
    ),
    _collections.function(
        "[vec? x]", "a -> Bool", "Whether a value is a vector.", "[vec? #[1 2]]", "true", "x: any value"
    ),
    _collections.function(
        "[map? x]", "a -> Bool", "Whether a value is a map.", "[map? {:w 50}]", "true", "x: any value"
    ),
    _vectors.function(
        "[cons x v]",
        "a -> Vec a -> Vec a",
        "A new vector with an item put before the others.",
        "[cons 1 #[2 3]]",
        "#[1 2 3]",
        "x: the item",
        "v: a vector",
    ),
    _vectors.function(
        "[range a b]",
        "Num -> Num -> Vec Num",
        "The ints from a up to but not including b. With one argument it starts at 0: [range 4].",
        "[map [fn [i] [* 20 i]] [range 0 4]]",
        "#[0 20 40 60]",
        "a: the first int",
        "b: the int to stop before",
    ),
    _vectors.function(
        "[take n v]",
        "Num -> Vec a -> Vec a",
        "The first n items, or all when there are fewer. Without the vector it gives a function that waits "
        "for one.",
        "[take 2 #[3 4 5]]",
        "#[3 4]",
        "n: an int",
        "v: a vector",
    ),
    _vectors.function(
        "[drop n v]",
        "Num -> Vec a -> Vec a",
        "What is left after the first n items. Without the vector it gives a function that waits for one.",
        "[drop 2 #[3 4 5]]",
        "#[5]",
        "n: an int",
        "v: a vector",
    ),
    _vectors.function(
        "[sort v]",
        "Vec a -> Vec a",
        "The items in ascending order: numbers of one kind, or strings. Other kinds keep their order.",
        "[sort #[5 3 4]]",
        "#[3 4 5]",
        "v: a vector",
    ),
    _vectors.function(
        "[zip a b]",
        "Vec a -> Vec b -> Vec (a, b)",
        "Two vectors side by side as a vector of pairs, as long as the shorter one.",
        '[zip #["w" "h"] #[50 30]]',
        '#[("w", 50) ("h", 30)]',
        "a, b: vectors",
    ),
    _vectors.function(
        "[flatten v]",
        "Vec (Vec a) -> Vec a",
        "A vector of vectors as one vector. Opens one level; items that are no vectors stay.",
        "[flatten #[#[1 2] #[3]]]",
        "#[1 2 3]",
        "v: a vector of vectors",
    ),
    _vectors.function(
        "[chunk n v]",
        "Num -> Vec a -> Vec (Vec a)",
        "The items in groups of n; the last group may be shorter.",
        "[chunk 2 #[1 2 3 4 5]]",
        "#[#[1 2] #[3 4] #[5]]",
        "n: an int from 1",
        "v: a vector",
    ),
    _vectors.function(
        "[min v]",
        "Vec a -> a",
        "The smallest item of a vector; of two numbers write [min #[a b]]. Of an empty vector it is an "
        "error.",
        "[min #[5 3 4]]",
        "3",
        "v: a vector of numbers or of strings",
    ),
    _vectors.function(
        "[max v]",
        "Vec a -> a",
        "The largest item of a vector; of two numbers write [max #[a b]]. Of an empty vector it is an error.",
        "[max #[5 3 4]]",
        "5",
        "v: a vector of numbers or of strings",
    ),
    _vectors.function(
        "[sum v]",
        "Vec Num -> Num",
        "The numbers of a vector added up; 0 when it is empty. A float among them makes the sum a float.",
        "[sum #[50 30 5]]",
        "85",
        "v: a vector of numbers",
    ),
    _functions.function(
        "[map f v]",
        "(a -> b) -> Vec a -> Vec b",
        "A new vector of what the function makes of each item. The two may be swapped; without the vector it "
        "gives a function that waits for one. For a map's values, go over [entries m].",
        "[map [fn [r] [* 2 r]] #[3 4 5]]",
        "#[6 8 10]",
        "f: a function of one item",
        "v: a vector",
    ),
    _functions.function(
        "[filter f v]",
        "(a -> Bool) -> Vec a -> Vec a",
        "The items for which the function is true. The two may be swapped; without the vector it gives a "
        "function that waits for one.",
        "[filter [fn [r] [> r 3]] #[3 4 5]]",
        "#[4 5]",
        "f: a function of one item",
        "v: a vector",
    ),
    _functions.function(
        "[each f v]",
        "(a -> ()) -> Vec a -> ()",
        "Calls the function with each item, for what that does, such as printing. Gives unit; map keeps the "
        "values.",
        "[each [fn [d] [println d]] #[3 4]]",
        "()",
        "f: a function of one item",
        "v: a vector",
    ),
    _functions.function(
        "[fold init f v]",
        "b -> (b -> a -> b) -> Vec a -> b",
        "Goes through a vector from the left, keeping one value: f gets what is kept so far and then the "
        "item. [fold v init f] is the same. A vector in first place is taken for the one to go through, so "
        "to collect into a vector write [fold v #[] f].",
        "[fold 0 [fn [total r] [+ total r]] #[3 4 5]]",
        "12",
        "init: what is kept at the start",
        "f: a function of what is kept and an item",
        "v: a vector",
    ),
    _functions.function(
        "[flat-map f v]",
        "(a -> Vec b) -> Vec a -> Vec b",
        "Like map, with the vectors that the function gives joined into one.",
        "[flat-map [fn [x] #[x [- 0 x]]] #[1 2]]",
        "#[1 -1 2 -2]",
        "f: a function that gives a vector",
        "v: a vector",
    ),
    _functions.function(
        "[find f v]",
        "(a -> Bool) -> Vec a -> Option a",
        "The first item for which the function is true as [Some item], or None. Take it apart with match.",
        "[find [fn [d] [> d 4]] #[3 5 6]]",
        "[Some 5]",
        "f: a function of one item",
        "v: a vector",
    ),
    _functions.function(
        "[any? f v]",
        "(a -> Bool) -> Vec a -> Bool",
        "Whether the function is true for at least one item; it stops at the first.",
        "[any? [fn [d] [> d 4]] #[3 5 6]]",
        "true",
        "f: a function of one item",
        "v: a vector",
    ),
    _functions.function(
        "[all? f v]",
        "(a -> Bool) -> Vec a -> Bool",
        "Whether the function is true for every item; of an empty vector it is.",
        "[all? [fn [d] [> d 4]] #[3 5 6]]",
        "false",
        "f: a function of one item",
        "v: a vector",
    ),
    _functions.function(
        "[sort-by f order v]",
        "(a -> b) -> Keyword -> Vec a -> Vec a",
        "The items in the order of what the function makes of them. Items that compare alike keep their "
        "order.",
        "[sort-by [fn [p] [get p :d]] :desc #[{:d 3} {:d 8} {:d 5}]]",
        "#[{:d 8} {:d 5} {:d 3}]",
        "f: a function of one item",
        "order: :desc for largest first, :asc for smallest first",
        "v: a vector",
    ),
    _functions.function(
        "[group-by f v]",
        "(a -> k) -> Vec a -> Map k (Vec a)",
        "A map from what the function makes of the items to vectors of the items; groups stand in the order "
        "in which they first appear.",
        "[group-by [fn [d] [> d 4]] #[3 5 6]]",
        "{false #[3] true #[5 6]}",
        "f: a function of one item",
        "v: a vector",
    ),
)
