"""The region between front and worker: the cycle of a request, growth, and what is refused."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vcad_kernel.service.shared import ProtocolFault
from vcad_kernel.service.shared.region import Region, RegionFull, Response, State

_SMALL = 2**20 + 2**16


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Region, Region]]:
    front = Region.create(tmp_path / "region", _SMALL)
    worker = Region.attach(tmp_path / "region")
    yield front, worker
    worker.close()
    front.close()


def test_the_header_lies_where_the_layout_says(tmp_path: Path) -> None:
    region = Region.create(tmp_path / "region", _SMALL)
    region.write_request(7, b"hello")
    raw = (tmp_path / "region").read_bytes()
    region.close()
    assert raw[:8] == b"VCADIPC1"
    version, capacity = struct.unpack_from("<II", raw, 8)
    request_seq, response_seq = struct.unpack_from("<QQ", raw, 16)
    offset, length = struct.unpack_from("<II", raw, 32)
    assert (version, capacity, request_seq, response_seq) == (3, _SMALL, 7, 0)
    assert (offset, length) == (4096, 5)
    assert struct.unpack_from("<II", raw, 48) == (State.REQUEST_READY, 0)
    assert raw[4096:4101] == b"hello"
    assert (tmp_path / "region").stat().st_mode & 0o777 == 0o600


def test_a_request_and_its_response_pass(pair: tuple[Region, Region]) -> None:
    front, worker = pair
    front.write_request(1, b"what is it?")
    assert worker.read_request(1) == b"what is it?"
    assert front.state is State.REQUEST_RUNNING
    worker.write_response(1, b"a scene", b'{"volume": 1}')
    assert front.read_response(1) == Response(b"a scene", b'{"volume": 1}', False, 0)
    assert front.state is State.IDLE
    front.write_request(2, b"again")
    assert worker.read_request(2) == b"again"
    worker.write_response(2, b"no", b"{}", is_error=True, error_code=5)
    assert front.read_response(2) == Response(b"no", b"{}", True, 5)


def test_a_request_larger_than_its_place_passes_too(pair: tuple[Region, Region]) -> None:
    front, worker = pair
    large = bytes(range(256)) * 4096  # 1 MiB: more than lies between 4096 and 1 MiB
    with pytest.raises(RegionFull) as full:
        front.write_request(1, large)
    front.grow(full.value.needed)
    worker.remap()
    front.write_request(1, large)
    assert worker.read_request(1) == large


def test_a_response_that_does_not_fit_passes_once_the_region_has_grown(pair: tuple[Region, Region]) -> None:
    front, worker = pair
    front.write_request(1, b"much")
    worker.read_request(1)
    payload = b"x" * 3_000_000
    with pytest.raises(RegionFull) as full:
        worker.write_response(1, payload, b"{}")
    front.grow(full.value.needed)
    worker.remap()
    worker.write_response(1, payload, b"{}")
    assert front.read_response(1).payload == payload


def test_nobody_writes_out_of_turn(pair: tuple[Region, Region]) -> None:
    front, worker = pair
    with pytest.raises(ProtocolFault, match="not running"):
        worker.write_response(1, b"", b"")
    with pytest.raises(ProtocolFault, match="no request"):
        worker.read_request(1)
    front.write_request(1, b"")
    with pytest.raises(ProtocolFault, match="REQUEST_READY"):
        front.write_request(2, b"")
    with pytest.raises(ProtocolFault, match="number 1"):
        worker.read_request(2)
    worker.read_request(1)
    with pytest.raises(ProtocolFault, match="no response"):
        front.read_response(1)
    with pytest.raises(ProtocolFault, match="not running"):
        worker.write_response(2, b"", b"")


def test_a_response_to_another_request_is_refused(pair: tuple[Region, Region]) -> None:
    front, worker = pair
    front.write_request(4, b"")
    worker.read_request(4)
    worker.write_response(4, b"", b"")
    with pytest.raises(ProtocolFault, match="not to 5"):
        front.read_response(5)


def test_shutdown_is_seen_by_the_other_side(pair: tuple[Region, Region]) -> None:
    front, worker = pair
    worker.shut_down()
    assert front.state is State.SHUTDOWN


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"\0" * (2**20 + 10)])
def test_a_file_that_is_no_region_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ProtocolFault):
        Region.attach(tmp_path / "file")


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 87), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_damaged_header_never_gives_bytes_from_outside(
    tmp_path_factory: pytest.TempPathFactory, damage: list[tuple[int, int]]
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "region"
    front = Region.create(path, _SMALL)
    front.write_request(9, b"what")
    front._set_state(State.REQUEST_RUNNING)
    front.write_response(9, b"answer", b"{}")
    with path.open("r+b") as file:
        for at, value in damage:
            file.seek(at)
            file.write(bytes([value]))
    try:
        answer = front.read_response(9)
        assert len(answer.payload) <= _SMALL
        assert len(answer.result) <= _SMALL
    except ProtocolFault:
        pass
    finally:
        front.close()
