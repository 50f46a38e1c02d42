"""The name of one wish."""

from __future__ import annotations

import re

from vcad_kernel.request_id import current_request, new_request_id, request


def test_ids_are_ulids_that_sort_by_time() -> None:
    ids = [new_request_id(lambda second=second: 1.9e9 + second) for second in range(50)]  # type: ignore[misc]
    assert all(re.fullmatch(r"r-[0-7][0-9A-HJKMNP-TV-Z]{25}", one) for one in ids)
    assert ids == sorted(ids)
    assert len({new_request_id(lambda: 1.9e9) for _ in range(200)}) == 200


def test_what_is_called_inside_a_wish_belongs_to_it() -> None:
    assert current_request() is None
    with request() as outer:
        with request() as inner:
            assert inner == outer == current_request()
        with request("r-other") as other:
            assert current_request() == other == "r-other"
        assert current_request() == outer
    assert current_request() is None
