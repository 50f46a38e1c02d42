"""Arithmetic, comparison, logic and the mathematics of modelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vcad_kernel.loon.reference import Chapter, Entry

__all__ = ["ENTRIES", "OF_NUMBERS"]

_numbers = Chapter("Numbers")
_logic = Chapter("Comparison and logic")
_mathematics = Chapter("Mathematics")

ENTRIES = (
    _numbers.function(
        "[+ a b …]",
        "Add a => a -> a -> a",
        "The sum of two or more numbers. An int with a float gives a float; ints wrap at 64 bits. "
        "Strings are joined by str.",
        "[+ 50 30]",
        "80",
        "a, b …: numbers",
    ),
    _numbers.function(
        "[- a b]",
        "Add a => a -> a -> a",
        "The first number less the second. There is no [- x] with one number: write [- 0 x]. In a pipe the "
        "piped value is subtracted, because it goes last: [pipe 10 [- 3]] is -7.",
        "[- 5 3]",
        "2",
        "a, b: numbers",
    ),
    _numbers.function(
        "[* a b …]",
        "Add a => a -> a -> a",
        "The product of two or more numbers. An int with a float gives a float; ints wrap at 64 bits.",
        "[* 50 30]",
        "1500",
        "a, b …: numbers",
    ),
    _numbers.function(
        "[/ a b]",
        "Num -> Num -> Num",
        "The first number divided by the second. Two ints give an int, cut off toward zero: [/ 7 2] is 3. "
        "With a float among them the division is exact, [/ 7.0 2] is 3.5, and by zero gives inf or NaN; "
        "an int divided by the int 0 is an error.",
        "#[[/ 7 2] [/ -7 2]]",
        "#[3 -3]",
        "a, b: numbers",
    ),
    _numbers.function(
        "[% a b]",
        "Num -> Num -> Num",
        "What is left when an int is divided by another. It has the sign of the first; mod has that of the "
        "second and takes floats too.",
        "#[[% 7 3] [% -7 3]]",
        "#[1 -1]",
        "a, b: ints; b is not 0",
    ),
    _numbers.function(
        "[int x]",
        "String -> Num",
        "The int in a string, or a float cut off toward zero. Blanks around the digits are fine, anything "
        "else is a conversion error. Use round for the nearest int.",
        '[int " 42 "]',
        "42",
        "x: a string of digits, or a number",
    ),
    _numbers.function(
        "[float x]",
        "String -> Float",
        "The float in a string, or an int as a float. Text that holds no number is a conversion error.",
        '[float "2.5"]',
        "2.5",
        "x: a string with a number, or a number",
    ),
    _logic.function(
        "[< a b]",
        "Ord a => a -> a -> Bool",
        "Whether a is less than b. Both must be ints or both floats: compare [< [float n] 2.5].",
        "[< 2 3]",
        "true",
        "a, b: two ints or two floats",
    ),
    _logic.function(
        "[> a b]",
        "Ord a => a -> a -> Bool",
        "Whether a is greater than b. Both must be ints or both floats.",
        "[> 2 3]",
        "false",
        "a, b: two ints or two floats",
    ),
    _logic.function(
        "[<= a b]",
        "Ord a => a -> a -> Bool",
        "Whether a is at most b. Both must be ints or both floats.",
        "[<= 3 3]",
        "true",
        "a, b: two ints or two floats",
    ),
    _logic.function(
        "[>= a b]",
        "Ord a => a -> a -> Bool",
        "Whether a is at least b. Both must be ints or both floats.",
        "[>= 2 3]",
        "false",
        "a, b: two ints or two floats",
    ),
    _logic.function(
        "[= a b]",
        "Eq a => a -> a -> Bool",
        "Whether two values are equal, part by part. Kinds must agree: [= 4 4.0] is false, although both "
        "print as 4. A tuple never equals a vector, and no function equals anything.",
        '#[[= "M6" "M6"] [= 4 5]]',
        "#[true false]",
        "a, b: any values",
    ),
    _logic.function(
        "[not x]",
        "Bool -> Bool",
        "The opposite truth. Only false, unit and the int 0 count as false: 0.0, empty text, empty "
        "collections and None are true.",
        "[not [> 5 1]]",
        "false",
        "x: any value",
    ),
    _logic.function(
        "[and a b …]",
        "Bool -> Bool -> Bool",
        "The first false argument, else the last one. All arguments are evaluated, whatever the first one "
        "is: where that matters, write [if a b false].",
        "[and [> 5 1] [< 5 9]]",
        "true",
        "a, b …: values taken for their truth",
    ),
    _logic.function(
        "[or a b …]",
        "Bool -> Bool -> Bool",
        "The first true argument, else the last one. All arguments are evaluated, whatever the first one "
        "is: where that matters, write [if a true b].",
        "[or [> 5 9] [< 5 9]]",
        "true",
        "a, b …: values taken for their truth",
    ),
    _mathematics.constant(
        "pi", "Float", "Half a turn in radians, 3.14159….", "[round [* 1000.0 pi]]", "3142"
    ),
    _mathematics.constant("tau", "Float", "A full turn in radians, twice pi.", "[= tau [* 2.0 pi]]", "true"),
    _mathematics.function(
        "[sqrt x]",
        "Real -> Float",
        "The square root. A negative number has none and is an error.",
        "[sqrt 9]",
        "3",
        "x: a number from 0",
    ),
    _mathematics.function(
        "[pow x y]",
        "Real -> Real -> Float",
        "x to the power y, as a float. A negative x has whole powers only.",
        "#[[pow 2 10] [pow 2 0.5]]",
        "#[1024 1.4142135623730951]",
        "x: a number",
        "y: a number, the exponent",
    ),
    _mathematics.function(
        "[sin a]",
        "Real -> Float",
        "The sine of an angle in degrees. Multiples of 30 and 90 degrees come out exact.",
        "[sin 30]",
        "0.5",
        "a: an angle, degrees",
    ),
    _mathematics.function(
        "[cos a]",
        "Real -> Float",
        "The cosine of an angle in degrees. The hole at angle a on a circle of radius r lies at "
        "x = r cos a, y = r sin a.",
        "[* 20.0 [cos 60]]",
        "10",
        "a: an angle, degrees",
    ),
    _mathematics.function(
        "[tan a]",
        "Real -> Float",
        "The tangent of an angle in degrees. At 90 degrees and its like there is none, which is an error.",
        "[tan 45]",
        "1",
        "a: an angle, degrees",
    ),
    _mathematics.function(
        "[asin x]",
        "Real -> Float",
        "The angle whose sine is x, in degrees from -90 to 90.",
        "[asin 0.5]",
        "30",
        "x: a number from -1 to 1",
    ),
    _mathematics.function(
        "[acos x]",
        "Real -> Float",
        "The angle whose cosine is x, in degrees from 0 to 180.",
        "[acos 0]",
        "90",
        "x: a number from -1 to 1",
    ),
    _mathematics.function(
        "[atan x]",
        "Real -> Float",
        "The angle whose tangent is x, in degrees between -90 and 90. Where the slope comes as two lengths, "
        "atan2 also knows the quadrant.",
        "[atan 1]",
        "45",
        "x: a number",
    ),
    _mathematics.function(
        "[atan2 y x]",
        "Real -> Real -> Float",
        "The direction of the point (x, y) seen from the origin, in degrees from -180 to 180, "
        "counter-clockwise from the x axis. Mind the order: y comes first.",
        "[atan2 5 0]",
        "90",
        "y, x: numbers in the same unit",
    ),
    _mathematics.function(
        "[deg r]",
        "Real -> Float",
        "Radians as degrees.",
        "[deg pi]",
        "180",
        "r: an angle, radians",
    ),
    _mathematics.function(
        "[rad a]",
        "Real -> Float",
        "Degrees as radians. Nothing here wants radians; an arc's length is its radius times [rad a].",
        "[= [rad 180] pi]",
        "true",
        "a: an angle, degrees",
    ),
    _mathematics.function(
        "[abs x]",
        "Add a => a -> a",
        "The number without its sign. An int stays an int.",
        "([abs -3] [abs -2.5])",
        "(3, 2.5)",
        "x: a number",
    ),
    _mathematics.function(
        "[floor x]",
        "Real -> Num",
        "The next int at or below x.",
        "#[[floor 2.7] [floor -2.1]]",
        "#[2 -3]",
        "x: a number",
    ),
    _mathematics.function(
        "[ceil x]",
        "Real -> Num",
        "The next int at or above x.",
        "#[[ceil 2.1] [ceil -2.7]]",
        "#[3 -2]",
        "x: a number",
    ),
    _mathematics.function(
        "[round x]",
        "Real -> Num",
        "The nearest int; a half is rounded away from zero. To round to tenths: [/ [round [* 10 x]] 10.0].",
        "#[[round 2.4] [round 2.5] [round -2.5]]",
        "#[2 3 -3]",
        "x: a number",
    ),
    _mathematics.function(
        "[mod a b]",
        "Add a => a -> a -> a",
        "What is left of a when whole b are taken away; it has the sign of b. So [mod angle 360] lies in "
        "one turn, for negative angles too; % would give -90 below.",
        "([mod -90 360] [mod 7.5 2.0])",
        "(270, 1.5)",
        "a, b: numbers; b is not 0",
    ),
    _mathematics.function(
        "[div a b]",
        "Real -> Real -> Int",
        "The whole part of a quotient, cut towards zero. [/ a b] of two ints gives the same; div says that "
        "it is meant.",
        "([div 91 2] [div -7 2.0])",
        "(45, -3)",
        "a, b: numbers; b is not 0",
    ),
    _mathematics.function(
        "[lerp a b t]",
        "Real -> Real -> Real -> Float",
        "The number on the way from a to b: a at t = 0, b at t = 1, the middle at 0.5.",
        "[lerp 10 20 0.25]",
        "12.5",
        "a, b: numbers",
        "t: how far, from 0 to 1; beyond it goes on straight",
    ),
    _mathematics.function(
        "[clamp low high x]",
        "Ord a => a -> a -> a -> a",
        "x kept between two bounds. The number comes last, as in a pipe.",
        "#[[clamp 2 8 1] [clamp 2 8 5] [clamp 2 8 9]]",
        "#[2 5 8]",
        "low, high: the bounds",
        "x: the number",
    ),
)

OF_NUMBERS: Final[Mapping[str, Entry]] = {
    entry.name: entry
    for entry in (
        _mathematics.function(
            "[min a b …]",
            "Real -> Real -> & Real -> Real | Vec a -> a",
            "The smallest of the numbers given, or the smallest item of one vector: [min v]. Of an empty "
            "vector it is an error.",
            "([min 3 8] [min #[5 3 4]])",
            "(3, 3)",
            "a, b …: numbers; or one vector of numbers or of strings",
        ),
        _mathematics.function(
            "[max a b …]",
            "Real -> Real -> & Real -> Real | Vec a -> a",
            "The largest of the numbers given, or the largest item of one vector: [max v]. Of an empty "
            "vector it is an error.",
            "([max 3 8] [max #[5 3 4]])",
            "(8, 5)",
            "a, b …: numbers; or one vector of numbers or of strings",
        ),
    )
}
"""``min`` and ``max`` where a host has put those of ``mathematics.py`` in place of the language's own."""
