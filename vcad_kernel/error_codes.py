"""The one table of error codes: what each must say in its details, and its JSON-RPC number.

Codes are what programs read; a code never changes its meaning. Those of the evaluation service, the
session, the bridge to SketchUp, the viewers and the agents' tools stand together here, so that one
name means one thing everywhere. This module knows no exception and builds nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["ErrorCode", "rpc_number"]

_REFUSED: Final = -32000
"""The JSON-RPC number of a failure that has none of its own."""


class _Record(NamedTuple):
    """What there is to know of a code."""

    name: str
    required: tuple[str, ...]
    one_of: tuple[str, ...]
    number: int


def _code(name: str, *details: str, one_of: tuple[str, ...] = (), number: int = _REFUSED) -> _Record:
    """A code. details: keys that it must have besides ``operation``."""
    return _Record(name, (*details, "operation"), one_of, number)


_PLACE: Final = ("file", "line", "column", "end_line", "end_column")


class ErrorCode(StrEnum):
    """Stable codes that programs may read; messages are for people. Each value is its name.

    ``limit`` is in the unit of the setting it comes from: requests, milliseconds, MiB; bytes for a payload.
    ``unknown`` is a list of hashes. Of the keys of a place, and of ``argument``, the value is null where a
    fault has none.
    """

    required: tuple[str, ...]
    """The keys that the details of this code must have; every code names its ``operation``."""
    one_of: tuple[str, ...]
    """Keys of which the details must have at least one; empty where there is no such choice."""
    number: int
    """What JSON-RPC's ``error.code`` is for it; programs read the code, not this."""

    # the defaults are for type checkers, to which looking a code up by its name is a call of this, too
    def __new__(
        cls,
        name: str,
        required: tuple[str, ...] = (),
        one_of: tuple[str, ...] = (),
        number: int = _REFUSED,
    ) -> ErrorCode:
        """A member of one record."""
        code = str.__new__(cls, name)
        code._value_ = name
        code.required, code.one_of, code.number = required, one_of, number
        return code

    # the model
    LOON_SYNTAX = _code("LOON_SYNTAX", *_PLACE, "code")
    LOON_TYPE = _code("LOON_TYPE", *_PLACE, "code")
    LOON_RUNTIME = _code("LOON_RUNTIME", *_PLACE, "code")
    GEOMETRY_INVALID = _code("GEOMETRY_INVALID", "code", "argument", "line", "column")
    GEOMETRY_FAILED = _code("GEOMETRY_FAILED", "code", "argument", "line", "column")
    NO_GEOMETRY = _code("NO_GEOMETRY", "count")
    EMPTY_BODY = _code("EMPTY_BODY", "count")
    """A part is there and has no volume: it has no walls, and nothing is near to it."""
    MULTI_PART_UNSUPPORTED = _code("MULTI_PART_UNSUPPORTED", "count")
    IMPORT_FORM_INVALID = _code("IMPORT_FORM_INVALID", "line", "column", number=-32602)
    SOLID_IMPORT_UNAVAILABLE = _code("SOLID_IMPORT_UNAVAILABLE", "entity_ref", "reason")

    # files
    PATH_NOT_ALLOWED = _code("PATH_NOT_ALLOWED", "path", "workspace", number=-32002)
    FILE_NOT_FOUND = _code("FILE_NOT_FOUND", "path")
    PAYLOAD_TOO_LARGE = _code("PAYLOAD_TOO_LARGE", "limit", "size", number=-32005)
    EXPORT_FAILED = _code("EXPORT_FAILED")
    TEMP_SEQ_EXHAUSTED = _code("TEMP_SEQ_EXHAUSTED")
    ARTIFACT_READ_FAILED = _code("ARTIFACT_READ_FAILED", "manifest_path", "reason")

    # the evaluation service
    VCAD_QUEUE_FULL = _code("VCAD_QUEUE_FULL", "limit", number=-32005)
    VCAD_EVAL_TIMEOUT = _code("VCAD_EVAL_TIMEOUT", "limit", number=-32006)
    EVAL_CANCELLED = _code("EVAL_CANCELLED", number=-32006)
    WORKER_CRASHED = _code("WORKER_CRASHED", one_of=("signal", "exit_code"))
    WORKER_OUT_OF_MEMORY = _code("WORKER_OUT_OF_MEMORY", "limit")
    PRELUDE_UNKNOWN = _code("PRELUDE_UNKNOWN", "unknown")
    """The service has not seen the texts of these hashes; the call is repeated with them."""
    DOCUMENT_UNKNOWN = _code("DOCUMENT_UNKNOWN", "unknown")
    """The service no longer has the documents of these hashes; the call is repeated with them."""

    # any connection
    AUTH_REQUIRED = _code("AUTH_REQUIRED", number=-32001)
    AUTH_INVALID = _code("AUTH_INVALID", number=-32001)
    PERSON_ONLY = _code("PERSON_ONLY", "operation", number=-32001)
    """Answers, policy and resets: an agent's token does not do for them."""
    PROTOCOL_MISMATCH = _code("PROTOCOL_MISMATCH", "expected_protocol", "actual_protocol", number=-32007)
    CAPABILITY_UNAVAILABLE = _code(
        "CAPABILITY_UNAVAILABLE", "required_capability", "negotiated_capabilities", number=-32007
    )
    SCHEMA_VALIDATION_FAILED = _code("SCHEMA_VALIDATION_FAILED", "path", "expected", number=-32602)
    PARSE_ERROR = _code("PARSE_ERROR", number=-32700)
    INVALID_REQUEST = _code("INVALID_REQUEST", number=-32600)
    INVALID_PARAMS = _code("INVALID_PARAMS", "path", "expected", number=-32602)
    BATCH_UNSUPPORTED = _code("BATCH_UNSUPPORTED", number=-32600)
    METHOD_NOT_FOUND = _code("METHOD_NOT_FOUND", number=-32601)
    TOOL_NOT_FOUND = _code("TOOL_NOT_FOUND", number=-32601)
    INTERNAL_ERROR = _code("INTERNAL_ERROR", number=-32603)
    """A mistake of ours, never the user's."""
    CONNECTION_FAILED = _code("CONNECTION_FAILED", "host", "port")
    CONNECTION_TIMEOUT = _code("CONNECTION_TIMEOUT", "host", "port")
    SETTING_INVALID = _code("SETTING_INVALID")
    """A setting with a value that it cannot have; the message names both."""
    UNKNOWN_OUTCOME = _code("UNKNOWN_OUTCOME")
    """The request was sent and no answer came: look before repeating it."""

    # the session
    SOURCE_FILE_MISSING = _code("SOURCE_FILE_MISSING", "node_id", "source_file")
    STATE_RECONCILE_REQUIRED = _code("STATE_RECONCILE_REQUIRED", "drift", "pending_nodes")
    PARTIAL_EXECUTION_REFUSED = _code("PARTIAL_EXECUTION_REFUSED", "omitted")
    DEPENDENCY_CYCLE = _code("DEPENDENCY_CYCLE", "cycle")
    NAME_TAKEN_OVER = _code("NAME_TAKEN_OVER", "name")
    REVISION_CONFLICT = _code("REVISION_CONFLICT", "node_id", "expected", "current")
    STALE_REVISION = _code("STALE_REVISION", "node_id", "revision", "current")
    TRACE_INCOMPLETE = _code("TRACE_INCOMPLETE")
    TRUTH_INVALID = _code("TRUTH_INVALID")
    VIEWER_NOT_CONNECTED = _code("VIEWER_NOT_CONNECTED")

    # the bridge
    NODE_NOT_FOUND = _code("NODE_NOT_FOUND", "node_id", number=-32004)
    NODE_AMBIGUOUS = _code("NODE_AMBIGUOUS", "entity_ids", number=-32004)
    ENTITY_NOT_FOUND = _code(
        "ENTITY_NOT_FOUND", one_of=("entity_ref", "entity_id", "persistent_id"), number=-32004
    )
    ENTITY_NOT_SOLID = _code("ENTITY_NOT_SOLID", one_of=("entity_ref", "entity_id", "persistent_id"))
    IMPORT_DEFINITION_NOT_FOUND = _code(
        "IMPORT_DEFINITION_NOT_FOUND", one_of=("entity_ref", "node_id", "path")
    )
    IMPORT_SCALE_MISMATCH = _code("IMPORT_SCALE_MISMATCH")
    NO_TRANSFORMATION = _code("NO_TRANSFORMATION")
    OPERATION_FAILED = _code("OPERATION_FAILED")
    SAVE_FAILED = _code("SAVE_FAILED")
    RUBY_ERROR = _code("RUBY_ERROR")
    RUBY_FILE_NOT_FOUND = _code("RUBY_FILE_NOT_FOUND")
    STATE_CHANGED = _code("STATE_CHANGED", number=-32003)
    BUSY = _code("BUSY", number=-32003)
    BUSY_EDITING = _code("BUSY_EDITING", number=-32003)
    WRONG_MODEL = _code("WRONG_MODEL", number=-32003)
    MODEL_UNAVAILABLE = _code("MODEL_UNAVAILABLE", number=-32003)
    EVAL_DISABLED = _code("EVAL_DISABLED", number=-32003)
    HELLO_REQUIRED = _code("HELLO_REQUIRED", number=-32600)
    INVALID_HELLO = _code("INVALID_HELLO", number=-32600)
    QUEUE_FULL = _code("QUEUE_FULL", number=-32005)
    CANCELLED = _code("CANCELLED", number=-32006)
    TIMEOUT = _code("TIMEOUT", number=-32006)
    REMOTE_ERROR = _code("REMOTE_ERROR")
    """What an older peer says without a code that we know."""

    # the agents' tools
    APPROVAL_REQUIRED = _code("APPROVAL_REQUIRED", number=-32003)
    APPROVAL_DENIED = _code("APPROVAL_DENIED", "tool", number=-32003)
    APPROVAL_TIMEOUT = _code("APPROVAL_TIMEOUT", "tool")
    ASK_TIMEOUT = _code("ASK_TIMEOUT", "request_id")
    SESSION_UNAVAILABLE = _code("SESSION_UNAVAILABLE")
    """The session that an agent was attached to is not there now; it is waited for."""
    FILE_EXISTS = _code("FILE_EXISTS", "path")
    """Nothing was written over it."""
    HOST_BLOCKED = _code("HOST_BLOCKED", "reason", "hint")
    NOT_A_FILE = _code("NOT_A_FILE")
    NOT_TEXT = _code("NOT_TEXT")
    SYNTAX_ERROR = _code("SYNTAX_ERROR")
    UNSUPPORTED_TYPE = _code("UNSUPPORTED_TYPE")


def rpc_number(error_code: str) -> int:
    """The number of one of our codes, or of a code that only a newer peer knows."""
    return ErrorCode(error_code).number if error_code in ErrorCode.__members__ else _REFUSED
