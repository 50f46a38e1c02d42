"""The typed form of what is exchanged."""

from __future__ import annotations

import pytest
from msgspec import convert, to_builtins

from tests.contracts.examples import FULL_HELLO, example
from vcad_kernel.contracts.messages import (
    CAPABILITIES,
    PROTOCOL,
    CellSource,
    Hello,
    HelloAnswer,
    ServerName,
    ServiceLimits,
    ToolCall,
    source_hash,
)
from vcad_kernel.contracts.validation import validate


def test_a_hello_comes_back_as_it_was_said() -> None:
    validate("hello#params", FULL_HELLO.params(), operation="hello")
    assert Hello.of(FULL_HELLO.params()) == FULL_HELLO
    assert "token" not in Hello(name="client", version="0.1.0", workspace="/w").params()


def test_a_token_is_not_shown() -> None:
    assert "s3cret" not in repr(Hello(name="client", version="0.1.0", workspace="/w", token="s3cret"))


def test_the_answer_to_a_hello_comes_back_as_it_was_given() -> None:
    answer = HelloAnswer(
        server=ServerName("vcad", "0.1.0"),
        capabilities=CAPABILITIES,
        limits=ServiceLimits(64, 120_000, 131_072, 2**24),
    )
    result = to_builtins(answer)
    validate("hello#result", result, operation="hello")
    assert convert(result, HelloAnswer) == answer
    assert convert(example("hello/success")["result"], HelloAnswer).protocol_version == PROTOCOL


@pytest.mark.parametrize("name", ["tools_call/eval", "tools_call/bare"])
def test_a_call_comes_back_as_it_was_made(name: str) -> None:
    call = ToolCall.of(example(name))
    assert {"arguments": {}, **example(name)} == call.params()
    assert ToolCall.of(call.params()) == call


def test_what_a_call_does_not_say_may_also_be_null() -> None:
    said = {"name": "vcad.cancel", "arguments": None, "request_id": None, "node_id": None, "revision": None}
    validate("tools_call", said, operation="test")
    assert ToolCall.of(said) == ToolCall("vcad.cancel", {})


def test_a_cell_is_known_by_all_that_its_outcome_depends_on() -> None:
    cell = CellSource("c-1", "[let w 1]")
    others = [
        CellSource("c-1", "[let w 2]"),
        CellSource("c-1", "[let w 1]", bindings={"d": 1}),
        CellSource("c-1", "[let w 1]", bind="part"),
        CellSource("c-1", "[let w 1]", parameters={"d": 1}),
        CellSource("c-1", "[let w 1]", "another name"),
    ]
    assert len({one.hash for one in [cell, *others]}) == 6
    assert CellSource("c-2", "[let w 1]").hash == cell.hash
    assert source_hash("\udc80") != source_hash("")
