"""Strings and output."""

from __future__ import annotations

from vcad_kernel.loon.reference import Chapter

__all__ = ["ENTRIES"]

_strings = Chapter("Strings")
_output = Chapter("Output and checks")

ENTRIES = (
    _strings.function(
        "[str x …]",
        "a -> String",
        "The values written one after the other as one string. Takes any number of values. Inside a string, "
        'braces do the same: "w={w}".',
        '[str "M" 6 "x" 1.0]',
        '"M6x1"',
        "x …: any values",
    ),
    _strings.function(
        "[fmt text]",
        "String -> String",
        "The string itself: its braces were filled in when it was read. Another spelling of str.",
        '[let d 6] [fmt "M{d}"]',
        '"M6"',
        "text: a string",
    ),
    _strings.function(
        "[split s delimiters]",
        "String -> String -> Vec String",
        "The pieces of a string, cut at every character that is among the delimiters. The second string is "
        'a set of characters, not a word: [split "a, b" ", "] cuts at each comma and at each blank, '
        "and the empty piece between them stays.",
        '[split "50x30x5" "x"]',
        '#["50" "30" "5"]',
        "s: a string",
        "delimiters: the characters to cut at; none leaves the string whole",
    ),
    _strings.function(
        "[join separator v]",
        "String -> Vec String -> String",
        "The items of a vector written in one string with a separator between them. Items of any kind are "
        "written as str would.",
        '[join " x " #["50" "30" "5"]]',
        '"50 x 30 x 5"',
        "separator: a string",
        "v: a vector",
    ),
    _strings.function(
        "[trim s]",
        "String -> String",
        "The string without blanks and line ends at either end.",
        '[trim "  M6 "]',
        '"M6"',
        "s: a string",
    ),
    _strings.function(
        "[uppercase s]",
        "String -> String",
        "The string in capitals.",
        '[uppercase "m6"]',
        '"M6"',
        "s: a string",
    ),
    _strings.function(
        "[lowercase s]",
        "String -> String",
        "The string in small letters.",
        '[lowercase "M6"]',
        '"m6"',
        "s: a string",
    ),
    _strings.function(
        "[replace s from to]",
        "String -> String -> String -> String",
        "The string with every occurrence of one text replaced by another.",
        '[replace "plate-v1" "v1" "v2"]',
        '"plate-v2"',
        "s: a string",
        "from, to: the texts to look for and to put in",
    ),
    _strings.function(
        "[starts-with? s prefix]",
        "String -> String -> Bool",
        "Whether a string begins with another.",
        '[starts-with? "bracket-left" "bracket"]',
        "true",
        "s, prefix: strings",
    ),
    _strings.function(
        "[ends-with? s suffix]",
        "String -> String -> Bool",
        "Whether a string ends with another.",
        '[ends-with? "bracket-left" "-left"]',
        "true",
        "s, suffix: strings",
    ),
    _strings.function(
        "[char-at s i]",
        "String -> Num -> String",
        "The character at a position, as a string of one. Outside the string it is an index error.",
        '[char-at "M6" 1]',
        '"6"',
        "s: a string",
        "i: an int, counted from 0",
    ),
    _strings.function(
        "[substring s start end]",
        "String -> Num -> Num -> String",
        "The characters from start up to but not including end. Outside the string it is an index error.",
        '[substring "bracket" 0 3]',
        '"bra"',
        "s: a string",
        "start, end: ints, counted from 0",
    ),
    _strings.function(
        "[index-of s part]",
        "String -> String -> Num",
        "Where a text first occurs in a string, counted from 0, or -1 when it does not.",
        '[index-of "bracket" "ck"]',
        "3",
        "s, part: strings",
    ),
    _strings.function(
        "[name k]",
        "Keyword -> String",
        "A keyword's text without its colon; a string stays as it is.",
        "[name :steel]",
        '"steel"',
        "k: a keyword or a string",
    ),
    _output.function(
        "[println x …]",
        "a -> ()",
        "Prints values with a blank between them and ends the line. Takes any number of values; none print "
        "an empty line. Gives unit.",
        '[println "area {[* 50 30]} mm²"]',
        "()",
        "x …: any values",
    ),
    _output.function(
        "[print x …]",
        "a -> ()",
        "Prints values with a blank between them and does not end the line. Gives unit.",
        '[print "working "]',
        "()",
        "x …: any values",
    ),
    _output.function(
        "[assert-eq actual expected]",
        "a -> a -> ()",
        "Stops the program with an assertion error unless two values are equal; gives unit when they are. "
        "What was computed comes first, what it should be second. Kinds must agree: [assert-eq 4 4.0] fails.",
        "[assert-eq [+ 1 2] 3]",
        "()",
        "actual: the value to check",
        "expected: the value that it should have",
    ),
)
