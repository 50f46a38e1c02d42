"""What drawings are checked by: sizes of holes for metric screws, as every table book has them."""

from __future__ import annotations

import pytest

from vcad_kernel.operations.features.hole_tables import (
    CLEARANCE,
    COUNTERBORES,
    COUNTERSINKS,
    INSERTS,
    TAP_DRILLS,
    Table,
)


@pytest.mark.parametrize(
    ("table", "size", "row"),
    [
        (CLEARANCE, "M1.6", (1.7, 1.8, 2.0)),
        (CLEARANCE, "M3", (3.2, 3.4, 3.6)),
        (CLEARANCE, "M4", (4.3, 4.5, 4.8)),
        (CLEARANCE, "M5", (5.3, 5.5, 5.8)),
        (CLEARANCE, "M6", (6.4, 6.6, 7.0)),
        (CLEARANCE, "M8", (8.4, 9.0, 10.0)),
        (CLEARANCE, "M10", (10.5, 11.0, 12.0)),
        (CLEARANCE, "M12", (13.0, 13.5, 14.5)),
        (CLEARANCE, "M36", (37.0, 39.0, 42.0)),
        (TAP_DRILLS, "M2.5", (2.05,)),
        (TAP_DRILLS, "M3", (2.5,)),
        (TAP_DRILLS, "M4", (3.3,)),
        (TAP_DRILLS, "M5", (4.2,)),
        (TAP_DRILLS, "M6", (5.0,)),
        (TAP_DRILLS, "M8", (6.8,)),
        (TAP_DRILLS, "M10", (8.5,)),
        (TAP_DRILLS, "M12", (10.2,)),
        (TAP_DRILLS, "M36", (32.0,)),
        (INSERTS, "M3", (4.0,)),
        (INSERTS, "M4", (5.6,)),
        (COUNTERSINKS, "M3", (6.94, 90.0)),
        (COUNTERSINKS, "M4", (9.18, 90.0)),
        (COUNTERSINKS, "M8", (18.25, 90.0)),
        (COUNTERBORES, "M3", (6.5, 3.4)),
        (COUNTERBORES, "M4", (8.0, 4.4)),
        (COUNTERBORES, "M6", (11.0, 6.4)),
        (COUNTERBORES, "M8", (15.0, 8.6)),
        (COUNTERBORES, "M24", (40.0, 24.8)),
        (COUNTERBORES, "M36", (58.0, 37.0)),
    ],
)
def test_a_table_has_the_well_known_value(table: Table, size: str, row: tuple[float, ...]) -> None:
    assert table.rows[size] == row


@pytest.mark.parametrize("table", [CLEARANCE, TAP_DRILLS, INSERTS, COUNTERSINKS, COUNTERBORES])
def test_a_table_names_its_source_and_grows_with_the_thread(table: Table) -> None:
    assert table.source
    sizes = [float(size.removeprefix("M")) for size in table.rows]
    assert sizes == sorted(sizes)
    for column in zip(*table.rows.values(), strict=True):
        assert list(column) == sorted(column)


def test_a_screw_goes_through_its_hole_a_thread_is_cut_into_a_narrower_one_and_a_head_fits_its_seat() -> None:
    for size, (fine, medium, coarse) in CLEARANCE.rows.items():
        assert float(size.removeprefix("M")) < fine < medium < coarse
    for size, (drilled,) in TAP_DRILLS.rows.items():
        assert 0.75 < drilled / float(size.removeprefix("M")) < 0.9
    for heads in (COUNTERSINKS, COUNTERBORES):
        for size, (wide, _) in heads.rows.items():
            # by ISO 10642 the cone of a head is 2.24 times as wide at its sharp edge up to M12
            assert wide > 1.5 * float(size.removeprefix("M")) > CLEARANCE.rows[size][1]


def test_a_countersink_is_as_wide_as_its_sharp_head_with_the_tolerance_it13() -> None:
    """ISO 10642's theoretical diameters, and ISO 286-1's IT13 of their range (of M8 of the next one)."""
    heads = dict.fromkeys((3, 4, 5, 6, 8, 10, 12), 2.24) | {14: 2.2, 16: 2.1, 20: 2.016}
    it13 = {3: 0.22, 4: 0.22, 5: 0.27, 6: 0.27, 8: 0.33, 10: 0.33, 12: 0.33, 14: 0.39, 16: 0.39, 20: 0.39}
    assert {size: row[0] for size, row in COUNTERSINKS.rows.items()} == {
        f"M{size}": pytest.approx(heads[size] * size + it13[size]) for size in heads
    }
