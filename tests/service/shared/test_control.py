"""The lines between front and worker say what was meant, or are refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcad_kernel.service.shared import ProtocolFault, control

_U64 = st.integers(0, 2**64 - 1)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]))

_MESSAGES = st.one_of(
    st.builds(control.Request, _U64),
    st.builds(control.Grown, _U64),
    st.builds(control.BlockReady, _U64, _TEXT, _TEXT),
    st.builds(control.NoBlock, _U64, _TEXT),
    st.just(control.Shutdown()),
    st.builds(control.Ready, _U64),
    st.builds(control.Responded, _U64),
    st.builds(control.Failed, _U64),
    st.builds(control.Grow, _U64, _U64),
    st.builds(control.Block, _U64, _U64),
    st.builds(control.Progress, _U64, _U64, _U64, _TEXT),
)


@given(_MESSAGES)
def test_a_message_survives_its_line(message: control.Message) -> None:
    line = control.encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert control.decode(line) == message


def test_the_lines_of_the_layout_are_as_it_says() -> None:
    assert control.encode(control.Request(7)) == b"RUN 7\n"
    assert control.encode(control.Responded(7)) == b"DONE 7\n"
    assert control.encode(control.Failed(7)) == b"ERROR 7\n"
    assert control.encode(control.Shutdown()) == b"SHUTDOWN\n"


@pytest.mark.parametrize(
    "line", [b"\n", b"HELLO 1\n", b"RUN\n", b"RUN x\n", b"RUN -1\n", b"RUN 1 2\n", b"\xff\n"]
)
def test_a_line_that_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolFault):
        control.decode(line)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_refused(line: bytes) -> None:
    with contextlib.suppress(ProtocolFault):
        control.decode(line)
