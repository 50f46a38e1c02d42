"""What standards and a maker say of holes for metric screws, by the size of the thread: ``M4``.

All diameters and depths are millimetres, angles degrees. Each table names where it is from.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

__all__ = ["CLEARANCE", "COUNTERBORES", "COUNTERSINKS", "FITS", "INSERTS", "TAP_DRILLS", "Table"]

FITS: Final = ("fine", "medium", "coarse")
"""The series of clearance holes, in the order of the table's columns."""


class Table(NamedTuple):
    """Sizes of thread and what belongs to each."""

    source: str
    rows: Mapping[str, tuple[float, ...]]


def _table(source: str, rows: Mapping[float, tuple[float, ...]]) -> Table:
    """rows: by the diameter of the thread."""
    return Table(source, MappingProxyType({f"M{size:g}": row for size, row in rows.items()}))


CLEARANCE: Final = _table(
    "ISO 273:1979, fine, medium and coarse series",
    {
        1.6: (1.7, 1.8, 2.0),
        1.8: (2.0, 2.1, 2.2),
        2.0: (2.2, 2.4, 2.6),
        2.5: (2.7, 2.9, 3.1),
        3.0: (3.2, 3.4, 3.6),
        3.5: (3.7, 3.9, 4.2),
        4.0: (4.3, 4.5, 4.8),
        4.5: (4.8, 5.0, 5.3),
        5.0: (5.3, 5.5, 5.8),
        6.0: (6.4, 6.6, 7.0),
        7.0: (7.4, 7.6, 8.0),
        8.0: (8.4, 9.0, 10.0),
        10.0: (10.5, 11.0, 12.0),
        12.0: (13.0, 13.5, 14.5),
        14.0: (15.0, 15.5, 16.5),
        16.0: (17.0, 17.5, 18.5),
        18.0: (19.0, 20.0, 21.0),
        20.0: (21.0, 22.0, 24.0),
        22.0: (23.0, 24.0, 26.0),
        24.0: (25.0, 26.0, 28.0),
        27.0: (28.0, 30.0, 32.0),
        30.0: (31.0, 33.0, 35.0),
        33.0: (34.0, 36.0, 38.0),
        36.0: (37.0, 39.0, 42.0),
    },
)
"""Diameters of holes through which a screw passes."""

TAP_DRILLS: Final = _table(
    "ISO 2306:1972, coarse threads",
    {
        1.6: (1.25,),
        1.8: (1.45,),
        2.0: (1.6,),
        2.2: (1.75,),
        2.5: (2.05,),
        3.0: (2.5,),
        3.5: (2.9,),
        4.0: (3.3,),
        5.0: (4.2,),
        6.0: (5.0,),
        7.0: (6.0,),
        8.0: (6.8,),
        9.0: (7.8,),
        10.0: (8.5,),
        11.0: (9.5,),
        12.0: (10.2,),
        14.0: (12.0,),
        16.0: (14.0,),
        18.0: (15.5,),
        20.0: (17.5,),
        22.0: (19.5,),
        24.0: (21.0,),
        27.0: (24.0,),
        30.0: (26.5,),
        33.0: (29.5,),
        36.0: (32.0,),
    },
)
"""Diameters of drills before a thread is cut."""

INSERTS: Final = _table(
    "ruthex, data sheets of the RX series of heat-set inserts",
    {
        2.0: (3.2,),
        2.5: (4.0,),
        3.0: (4.0,),
        4.0: (5.6,),
        5.0: (6.4,),
        6.0: (8.0,),
        8.0: (9.6,),
        10.0: (12.0,),
    },
)
"""Diameters of holes in plastics into which an insert is melted."""

COUNTERSINKS: Final = _table(
    "DIN 74:2003, form F: for countersunk heads by ISO 10642",
    {
        3.0: (6.94, 90.0),
        4.0: (9.18, 90.0),
        5.0: (11.47, 90.0),
        6.0: (13.71, 90.0),
        8.0: (18.25, 90.0),
        10.0: (22.73, 90.0),
        12.0: (27.21, 90.0),
        14.0: (31.19, 90.0),
        16.0: (33.99, 90.0),
        20.0: (40.71, 90.0),
    },
)
"""Diameter at the surface and angle of the cone. Each diameter is that of the head were it sharp (ISO 10642:
2.24 times the thread up to M12, 2.2 at M14, 2.1 at M16, 2.016 at M20) and the tolerance IT13 of ISO 286-1
(of M8 that of the next range)."""

_BORES: Final = {
    1.6: 3.5,
    2.0: 4.4,
    2.5: 5.5,
    3.0: 6.5,
    4.0: 8.0,
    5.0: 10.0,
    6.0: 11.0,
    8.0: 15.0,
    10.0: 18.0,
    12.0: 20.0,
    14.0: 24.0,
    16.0: 26.0,
    18.0: 30.0,
    20.0: 33.0,
    22.0: 36.0,
    24.0: 40.0,
    27.0: 46.0,
    30.0: 50.0,
    33.0: 54.0,
    36.0: 58.0,
}


def _added_depth(size: float) -> float:
    """By how much a counterbore is deeper than the head is high."""
    return 0.4 if size <= 6.0 else 0.6 if size <= 20.0 else 0.8 if size <= 27.0 else 1.0


COUNTERBORES: Final = _table(
    "DIN 974-1:1991, row 1: for cylinder heads by ISO 4762 without washers",
    # such a head is as high as the thread is wide
    {size: (bore, round(size + _added_depth(size), 3)) for size, bore in _BORES.items()},
)
"""Diameter, and depth down to the seat of the head."""
