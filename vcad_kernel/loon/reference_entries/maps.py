"""Maps, the types that are always there, and channels."""

from __future__ import annotations

from vcad_kernel.loon.reference import Chapter

__all__ = ["ENTRIES"]

_maps = Chapter("Maps")
_outcomes = Chapter("Outcomes")
_channels = Chapter("Channels")

ENTRIES = (
    _maps.function(
        "[assoc m key value]",
        "Map Keyword v -> Keyword -> v -> Map Keyword v",
        "A new map with a value under a key. A key that is there keeps its place; the old map stays as it "
        "is.",
        "[assoc {:w 50 :h 30} :w 60]",
        "{:w 60 :h 30}",
        "m: a map",
        "key: any value, mostly a keyword",
        "value: any value",
    ),
    _maps.function(
        "[update m key f]",
        "Map Keyword v -> Keyword -> (v -> v) -> Map Keyword v",
        "A new map in which the value under a key is what the function makes of the old one. Where the key "
        "is missing the function gets unit.",
        "[update {:w 50} :w [fn [w] [* 2 w]]]",
        "{:w 100}",
        "m: a map",
        "key: any value, mostly a keyword",
        "f: a function of the old value",
    ),
    _maps.function(
        "[remove m key]",
        "Map Keyword v -> Keyword -> Map Keyword v",
        "A new map without a key.",
        "[remove {:w 50 :h 30} :w]",
        "{:h 30}",
        "m: a map",
        "key: any value, mostly a keyword",
    ),
    _maps.function(
        "[keys m]",
        "Map k v -> Vec k",
        "The keys of a map in order.",
        "[keys {:w 50 :h 30}]",
        "#[:w :h]",
        "m: a map",
    ),
    _maps.function(
        "[values m]",
        "Map k v -> Vec v",
        "The values of a map, in the order of its keys.",
        "[values {:w 50 :h 30}]",
        "#[50 30]",
        "m: a map",
    ),
    _maps.function(
        "[entries m]",
        "Map k v -> Vec (k, v)",
        "The keys and values of a map as a vector of pairs; [let [k v] pair] takes a pair apart.",
        "[entries {:w 50 :h 30}]",
        "#[(:w, 50) (:h, 30)]",
        "m: a map",
    ),
    _maps.function(
        "[merge a b]",
        "Map Keyword v -> Map Keyword v -> Map Keyword v",
        "Both maps in one; where both have a key, the second wins.",
        "[merge {:w 50 :h 30} {:h 40}]",
        "{:w 50 :h 40}",
        "a, b: maps",
    ),
    _maps.function(
        "[into-map v]",
        "Vec (k, v) -> Map k v",
        "A map out of a vector of pairs. Pairs are tuples, (key value), as entries and zip make them; "
        "vectors are refused.",
        "[into-map [zip #[:w :h] #[50 30]]]",
        "{:w 50 :h 30}",
        "v: a vector of tuples of two",
    ),
    _maps.function(
        "HashMap.new",
        "-> Map k v",
        "A function that gives the empty map. Its name reads as an effect operation when it is called, so "
        "simply write {}.",
        "{}",
        "{}",
    ),
    _outcomes.constructor(
        "[Some x]",
        "t -> Option t",
        "A value that is there: find and try-recv give it. The other case is None; match tells them apart.",
        "[match [find [fn [d] [> d 4]] #[3 5]] [Some d] d None 0]",
        "5",
        "x: any value",
    ),
    _outcomes.constructor(
        "None",
        "Option t",
        "No value. It is a value of its own, counts as true, and is neither unit nor false.",
        "[find [fn [d] [> d 9]] #[3 5]]",
        "None",
    ),
    _outcomes.constructor(
        "[Ok x]",
        "t -> Result t e",
        "A success with its value. A question mark behind it takes the value out: [Ok 3]? is 3.",
        "[Ok 3]?",
        "3",
        "x: any value",
    ),
    _outcomes.constructor(
        "[Err e]",
        "e -> Result t e",
        "A failure with its reason. A question mark behind it performs Fail.fail with the reason, which try "
        "catches.",
        '[try [Err "too thin"]? [fn [why] [str "refused: " why]]]',
        '"refused: too thin"',
        "e: any value, mostly a string",
    ),
    _channels.function(
        "[channel]",
        "-> (Sender a, Receiver a)",
        "A new channel as a pair of its two ends. What is sent into one is received from the other, first "
        "in, first out.",
        "[let [tx rx] [channel]] [send tx 5] [recv rx]",
        "5",
    ),
    _channels.function(
        "[send tx value]",
        "Sender a -> a -> ()",
        "Puts a value into a channel. Gives unit.",
        "[let [tx rx] [channel]] [send tx 1] [send tx 2] #[[recv rx] [recv rx]]",
        "#[1 2]",
        "tx: the sending end of a channel",
        "value: any value",
    ),
    _channels.function(
        "[recv rx]",
        "Receiver a -> a",
        "Takes the oldest value out of a channel. An empty channel is an error; try-recv asks first.",
        '[let [tx rx] [channel]] [send tx "plate"] [recv rx]',
        '"plate"',
        "rx: the receiving end of a channel",
    ),
    _channels.function(
        "[try-recv rx]",
        "Receiver a -> Option a",
        "The oldest value of a channel as [Some value], or None when it is empty.",
        "[let [tx rx] [channel]] [try-recv rx]",
        "None",
        "rx: the receiving end of a channel",
    ),
)
