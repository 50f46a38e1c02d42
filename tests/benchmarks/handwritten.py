"""The benchmark programs by hand: in Loon, in Python with Loon's number rules, in plain Python.

"Ruled" keeps what Loon promises of numbers: ints wrap at 64 bits, a bool is no number, and ints and
floats are told apart. It is written as somebody would who cares for speed: kinds are checked once
where a value comes in, and a result is wrapped where it can leave the range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["WORKLOADS", "Workload"]

_LOW, _HIGH = -(1 << 63), (1 << 63) - 1


def _wrapped(value: int) -> int:
    return ((value - _LOW) & 0xFFFF_FFFF_FFFF_FFFF) + _LOW


@dataclass(frozen=True, slots=True)
class Workload:
    """One program in its three versions; all give ``expected``.

    definitions: Loon text that is run once; call: the Loon expression that is timed.
    """

    name: str
    definitions: str
    call: str
    ruled: Callable[[], Any]
    plain: Callable[[], Any]
    expected: object


# fib


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ruled_fib(n: int) -> int:
    if type(n) is not int:
        raise TypeError(n)
    if n < 2:
        return n
    total = ruled_fib(n - 1) + ruled_fib(n - 2)
    return total if -0x8000_0000_0000_0000 <= total <= 0x7FFF_FFFF_FFFF_FFFF else _wrapped(total)


FIB = """
[fn fib [n]
  [if [< n 2] n [+ [fib [- n 1]] [fib [- n 2]]]]]
"""

# A sum of squares over a range, and a sum over a vector


def squares(n: int) -> int:
    total = 0
    for x in range(n):
        total += x * x
    return total


def ruled_squares(n: int) -> int:
    if type(n) is not int:
        raise TypeError(n)
    total = 0
    for x in range(n):
        total += x * x
        if not -0x8000_0000_0000_0000 <= total <= 0x7FFF_FFFF_FFFF_FFFF:
            total = _wrapped(total)
    return total


SQUARES = "[fn squares [n] [fold 0 [fn [total x] [+ total [* x x]]] [range 0 n]]]"


def summed(items: list[int]) -> int:
    total = 0
    for x in items:
        total += x
    return total


def ruled_summed(items: list[int]) -> int:
    total = 0
    for x in items:
        if type(x) is not int:
            raise TypeError(x)
        total += x
        if not -0x8000_0000_0000_0000 <= total <= 0x7FFF_FFFF_FFFF_FFFF:
            total = _wrapped(total)
    return total


SUMMED = """
[let many [range 0 100000]]
[fn summed [items] [fold 0 [fn [total x] [+ total x]] items]]
"""


# map and filter


def odd_squares(items: list[int]) -> list[int]:
    return [x for x in [x * x for x in items] if x % 3 == 1]


def ruled_odd_squares(items: list[int]) -> list[int]:
    found = []
    for x in items:
        if type(x) is not int:
            raise TypeError(x)
        square = x * x
        if not -0x8000_0000_0000_0000 <= square <= 0x7FFF_FFFF_FFFF_FFFF:
            square = _wrapped(square)
        found.append(square)
    # The sign of Loon's remainder is the dividend's.
    return [x for x in found if (x % 3 if x >= 0 else -(-x % 3)) == 1]


ODD_SQUARES = """
[let many [range 0 100000]]
[fn odd-squares [items]
  [pipe items [map [fn [x] [* x x]]] [filter [fn [x] [= [% x 3] 1]]]]]
"""

# n-queens


def safe(column: int, placed: tuple[int, ...]) -> bool:
    count = len(placed)
    for row in range(count):
        other = placed[row]
        away = count - row
        if other == column or other - column == away or column - other == away:
            return False
    return True


def queens(size: int, placed: tuple[int, ...]) -> int:
    if len(placed) == size:
        return 1
    found = 0
    for column in range(size):
        if safe(column, placed):
            found += queens(size, (*placed, column))
    return found


def ruled_safe(column: int, placed: tuple[int, ...]) -> bool:
    if type(column) is not int:
        raise TypeError(column)
    count = len(placed)
    for row in range(count):
        other = placed[row]
        if type(other) is not int:
            raise TypeError(other)
        away = count - row
        apart = other - column
        if not -0x8000_0000_0000_0000 <= apart <= 0x7FFF_FFFF_FFFF_FFFF:
            apart = _wrapped(apart)
        # The most negative int is its own opposite, and no distance between rows.
        if other == column or apart == away or -apart == away:
            return False
    return True


def ruled_queens(size: int, placed: tuple[int, ...]) -> int:
    if type(size) is not int:
        raise TypeError(size)
    if len(placed) == size:
        return 1
    found = 0
    for column in range(size):
        if ruled_safe(column, placed):
            found += ruled_queens(size, (*placed, column))
            if not -0x8000_0000_0000_0000 <= found <= 0x7FFF_FFFF_FFFF_FFFF:
                found = _wrapped(found)
    return found


QUEENS = """
[fn safe? [column placed]
  [let count [len placed]]
  [all? [fn [row]
          [let other [nth placed row]]
          [let away [- count row]]
          [not [or [= other column] [= [- other column] away] [= [- column other] away]]]]
        [range 0 count]]]
[fn queens [size placed]
  [if [= [len placed] size]
    1
    [fold 0
          [fn [found column]
            [if [safe? column placed] [+ found [queens size [conj placed column]]] found]]
          [range 0 size]]]]
"""

# Strings


def written(n: int) -> int:
    text = ""
    for x in range(n):
        text = text + f"{x};"
    return len(text)


WRITTEN = '[fn written [n] [len [fold "" [fn [text x] [str text x ";"]] [range 0 n]]]]'


def counted(n: int) -> int:
    text = ""
    while n > 0:
        text = text + f"{n};"
        n = n - 1
    return len(text)


def ruled_counted(n: int) -> int:
    if type(n) is not int:
        raise TypeError(n)
    text = ""
    while n > 0:
        text = text + f"{n};"
        n = n - 1
    return len(text)


COUNTED = """
[fn counted [n text] [if [> n 0] [counted [- n 1] [str text n ";"]] text]]
"""

# Trees


class Leaf:
    __slots__ = ()


class Node:
    __slots__ = ("left", "right", "value")

    def __init__(self, left: Leaf | Node, value: int, right: Leaf | Node) -> None:
        self.left = left
        self.value = value
        self.right = right


LEAF = Leaf()


def tree(low: int, high: int) -> Leaf | Node:
    if low >= high:
        return LEAF
    middle = (low + high) // 2
    return Node(tree(low, middle), middle, tree(middle + 1, high))


def total(of: Leaf | Node) -> int:
    if isinstance(of, Node):
        return of.value + total(of.left) + total(of.right)
    return 0


def ruled_tree(low: int, high: int) -> Leaf | Node:
    if type(low) is not int or type(high) is not int:
        raise TypeError(low, high)
    if low >= high:
        return LEAF
    middle = low + high
    if not -0x8000_0000_0000_0000 <= middle <= 0x7FFF_FFFF_FFFF_FFFF:
        middle = _wrapped(middle)
    middle = middle // 2 if middle >= 0 else -(-middle // 2)
    after = middle + 1
    if after > 0x7FFF_FFFF_FFFF_FFFF:
        after = _wrapped(after)
    return Node(ruled_tree(low, middle), middle, ruled_tree(after, high))


def ruled_total(of: Leaf | Node) -> int:
    if isinstance(of, Node):
        value = of.value
        if type(value) is not int:
            raise TypeError(value)
        result = value + ruled_total(of.left) + ruled_total(of.right)
        return result if -0x8000_0000_0000_0000 <= result <= 0x7FFF_FFFF_FFFF_FFFF else _wrapped(result)
    return 0


TREES = """
[type Tree Leaf [Node Tree Int Tree]]
[fn tree [low high]
  [if [>= low high]
    Leaf
    [do [let middle [/ [+ low high] 2]]
        [Node [tree low middle] middle [tree [+ middle 1] high]]]]]
[fn total [of]
  [match of
    Leaf 0
    [Node left value right] [+ value [total left] [total right]]]]
"""


def insert(value: int, into: Leaf | Node) -> Leaf | Node:
    if isinstance(into, Node):
        if value < into.value:
            return Node(insert(value, into.left), into.value, into.right)
        return Node(into.left, into.value, insert(value, into.right))
    return Node(LEAF, value, LEAF)


def grown(n: int) -> int:
    root: Leaf | Node = LEAF
    for x in range(n):
        root = insert(x * 7919 % 10007, root)
    return total(root)


def ruled_insert(value: int, into: Leaf | Node) -> Leaf | Node:
    if type(value) is not int:
        raise TypeError(value)
    if isinstance(into, Node):
        held = into.value
        if type(held) is not int:
            raise TypeError(held)
        if value < held:
            return Node(ruled_insert(value, into.left), held, into.right)
        return Node(into.left, held, ruled_insert(value, into.right))
    return Node(LEAF, value, LEAF)


def ruled_grown(n: int) -> int:
    root: Leaf | Node = LEAF
    for x in range(n):
        scattered = x * 7919
        if not -0x8000_0000_0000_0000 <= scattered <= 0x7FFF_FFFF_FFFF_FFFF:
            scattered = _wrapped(scattered)
        root = ruled_insert(scattered % 10007 if scattered >= 0 else -(-scattered % 10007), root)
    return ruled_total(root)


GROWN = (
    TREES
    + """
[fn insert [value into]
  [match into
    Leaf [Node Leaf value Leaf]
    [Node left held right]
      [if [< value held]
        [Node [insert value left] held right]
        [Node left held [insert value right]]]]]
[fn grown [n]
  [total [fold Leaf [fn [root x] [insert [% [* x 7919] 10007] root]] [range 0 n]]]]
"""
)

_MANY = list(range(100_000))

WORKLOADS = (
    Workload("fib 25", FIB, "[fib 25]", lambda: ruled_fib(25), lambda: fib(25), 75_025),
    Workload(
        "fold over a range of 1e5",
        SQUARES,
        "[squares 100000]",
        lambda: ruled_squares(100_000),
        lambda: squares(100_000),
        sum(x * x for x in range(100_000)),
    ),
    Workload(
        "fold over a vector of 1e5",
        SUMMED,
        "[summed many]",
        lambda: ruled_summed(_MANY),
        lambda: summed(_MANY),
        sum(range(100_000)),
    ),
    Workload(
        "map and filter over 1e5",
        ODD_SQUARES,
        "[len [odd-squares many]]",
        lambda: len(ruled_odd_squares(_MANY)),
        lambda: len(odd_squares(_MANY)),
        66_666,
    ),
    Workload(
        "queens on 7 × 7", QUEENS, "[queens 7 #[]]", lambda: ruled_queens(7, ()), lambda: queens(7, ()), 40
    ),
    Workload(
        "a string of 1e5 pieces",
        WRITTEN,
        "[written 100000]",
        lambda: written(100_000),
        lambda: written(100_000),
        588_890,
    ),
    Workload(
        "a string by recursion, 1e5 pieces",
        COUNTED,
        '[len [counted 100000 ""]]',
        lambda: ruled_counted(100_000),
        lambda: counted(100_000),
        588_895,
    ),
    Workload(
        "a tree of 1e4 nodes, built and summed",
        TREES,
        "[total [tree 0 10000]]",
        lambda: ruled_total(ruled_tree(0, 10_000)),
        lambda: total(tree(0, 10_000)),
        sum(range(10_000)),
    ),
    Workload(
        "a tree of 1e4 nodes, grown by insertion",
        GROWN,
        "[grown 10000]",
        lambda: ruled_grown(10_000),
        lambda: grown(10_000),
        sum(x * 7919 % 10007 for x in range(10_000)),
    ),
)
