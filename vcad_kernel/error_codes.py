"""The one table of error codes: their names, what each must say in its details, its JSON-RPC number.

Codes are what programs read; a code never changes its meaning. Those of the evaluation service, the
session, the bridge to SketchUp, the viewers and the agents' tools stand together here, so that one
name means one thing everywhere. This module knows no exception and builds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

__all__ = ["DETAILS_ONE_OF", "REQUIRED_DETAILS", "ErrorCode", "rpc_number"]


class ErrorCode(StrEnum):
    """Stable codes that programs may read; messages are for people. Each value is its name."""

    # the model
    LOON_SYNTAX = "LOON_SYNTAX"
    LOON_TYPE = "LOON_TYPE"
    LOON_RUNTIME = "LOON_RUNTIME"
    GEOMETRY_INVALID = "GEOMETRY_INVALID"
    GEOMETRY_FAILED = "GEOMETRY_FAILED"
    NO_GEOMETRY = "NO_GEOMETRY"
    MULTI_PART_UNSUPPORTED = "MULTI_PART_UNSUPPORTED"
    IMPORT_FORM_INVALID = "IMPORT_FORM_INVALID"
    SOLID_IMPORT_UNAVAILABLE = "SOLID_IMPORT_UNAVAILABLE"

    # files
    PATH_NOT_ALLOWED = "PATH_NOT_ALLOWED"
    FILE_NOT_FOUND = "FILE_NOT_FOUND"
    PAYLOAD_TOO_LARGE = "PAYLOAD_TOO_LARGE"
    EXPORT_FAILED = "EXPORT_FAILED"
    TEMP_SEQ_EXHAUSTED = "TEMP_SEQ_EXHAUSTED"
    ARTIFACT_READ_FAILED = "ARTIFACT_READ_FAILED"

    # the evaluation service
    VCAD_QUEUE_FULL = "VCAD_QUEUE_FULL"
    VCAD_EVAL_TIMEOUT = "VCAD_EVAL_TIMEOUT"
    EVAL_CANCELLED = "EVAL_CANCELLED"
    WORKER_CRASHED = "WORKER_CRASHED"
    WORKER_OUT_OF_MEMORY = "WORKER_OUT_OF_MEMORY"
    PRELUDE_UNKNOWN = "PRELUDE_UNKNOWN"
    """The service has not seen the texts of these hashes; the call is repeated with them."""
    DOCUMENT_UNKNOWN = "DOCUMENT_UNKNOWN"
    """The service no longer has the documents of these hashes; the call is repeated with them."""

    # any connection
    AUTH_REQUIRED = "AUTH_REQUIRED"
    AUTH_INVALID = "AUTH_INVALID"
    PROTOCOL_MISMATCH = "PROTOCOL_MISMATCH"
    CAPABILITY_UNAVAILABLE = "CAPABILITY_UNAVAILABLE"
    SCHEMA_VALIDATION_FAILED = "SCHEMA_VALIDATION_FAILED"
    PARSE_ERROR = "PARSE_ERROR"
    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_PARAMS = "INVALID_PARAMS"
    BATCH_UNSUPPORTED = "BATCH_UNSUPPORTED"
    METHOD_NOT_FOUND = "METHOD_NOT_FOUND"
    TOOL_NOT_FOUND = "TOOL_NOT_FOUND"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    """A mistake of ours, never the user's."""
    CONNECTION_FAILED = "CONNECTION_FAILED"
    CONNECTION_TIMEOUT = "CONNECTION_TIMEOUT"
    SETTING_INVALID = "SETTING_INVALID"
    """A setting with a value that it cannot have; the message names both."""
    UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME"
    """The request was sent and no answer came: look before repeating it."""

    # the session
    SOURCE_FILE_MISSING = "SOURCE_FILE_MISSING"
    STATE_RECONCILE_REQUIRED = "STATE_RECONCILE_REQUIRED"
    PARTIAL_EXECUTION_REFUSED = "PARTIAL_EXECUTION_REFUSED"
    DEPENDENCY_CYCLE = "DEPENDENCY_CYCLE"
    REVISION_CONFLICT = "REVISION_CONFLICT"
    STALE_REVISION = "STALE_REVISION"
    TRACE_INCOMPLETE = "TRACE_INCOMPLETE"
    TRUTH_INVALID = "TRUTH_INVALID"
    VIEWER_NOT_CONNECTED = "VIEWER_NOT_CONNECTED"

    # the bridge
    NODE_NOT_FOUND = "NODE_NOT_FOUND"
    NODE_AMBIGUOUS = "NODE_AMBIGUOUS"
    ENTITY_NOT_FOUND = "ENTITY_NOT_FOUND"
    ENTITY_NOT_SOLID = "ENTITY_NOT_SOLID"
    IMPORT_DEFINITION_NOT_FOUND = "IMPORT_DEFINITION_NOT_FOUND"
    IMPORT_SCALE_MISMATCH = "IMPORT_SCALE_MISMATCH"
    NO_TRANSFORMATION = "NO_TRANSFORMATION"
    OPERATION_FAILED = "OPERATION_FAILED"
    SAVE_FAILED = "SAVE_FAILED"
    RUBY_ERROR = "RUBY_ERROR"
    RUBY_FILE_NOT_FOUND = "RUBY_FILE_NOT_FOUND"
    STATE_CHANGED = "STATE_CHANGED"
    BUSY = "BUSY"
    BUSY_EDITING = "BUSY_EDITING"
    WRONG_MODEL = "WRONG_MODEL"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    EVAL_DISABLED = "EVAL_DISABLED"
    HELLO_REQUIRED = "HELLO_REQUIRED"
    INVALID_HELLO = "INVALID_HELLO"
    QUEUE_FULL = "QUEUE_FULL"
    CANCELLED = "CANCELLED"
    TIMEOUT = "TIMEOUT"
    REMOTE_ERROR = "REMOTE_ERROR"
    """What an older peer says without a code that we know."""

    # the agents' tools
    APPROVAL_REQUIRED = "APPROVAL_REQUIRED"
    APPROVAL_DENIED = "APPROVAL_DENIED"
    APPROVAL_TIMEOUT = "APPROVAL_TIMEOUT"
    ASK_TIMEOUT = "ASK_TIMEOUT"
    SESSION_UNAVAILABLE = "SESSION_UNAVAILABLE"
    """The session that an agent was attached to is not there now; it is waited for."""
    FILE_EXISTS = "FILE_EXISTS"
    """Nothing was written over it."""
    HOST_BLOCKED = "HOST_BLOCKED"
    NOT_A_FILE = "NOT_A_FILE"
    NOT_TEXT = "NOT_TEXT"
    SYNTAX_ERROR = "SYNTAX_ERROR"
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"


_PLACE: Final = ("file", "line", "column", "end_line", "end_column")

_BEYOND_OPERATION: Final[Mapping[ErrorCode, tuple[str, ...]]] = {
    ErrorCode.LOON_SYNTAX: (*_PLACE, "code"),
    ErrorCode.LOON_TYPE: (*_PLACE, "code"),
    ErrorCode.LOON_RUNTIME: (*_PLACE, "code"),
    ErrorCode.GEOMETRY_INVALID: ("code", "argument", "line", "column"),
    ErrorCode.GEOMETRY_FAILED: ("code", "argument", "line", "column"),
    ErrorCode.NO_GEOMETRY: ("count",),
    ErrorCode.MULTI_PART_UNSUPPORTED: ("count",),
    ErrorCode.IMPORT_FORM_INVALID: ("line", "column"),
    ErrorCode.SOLID_IMPORT_UNAVAILABLE: ("entity_ref", "reason"),
    ErrorCode.PATH_NOT_ALLOWED: ("path", "workspace"),
    ErrorCode.FILE_NOT_FOUND: ("path",),
    ErrorCode.FILE_EXISTS: ("path",),
    ErrorCode.PAYLOAD_TOO_LARGE: ("limit", "size"),
    ErrorCode.ARTIFACT_READ_FAILED: ("manifest_path", "reason"),
    ErrorCode.VCAD_QUEUE_FULL: ("limit",),
    ErrorCode.VCAD_EVAL_TIMEOUT: ("limit",),
    ErrorCode.WORKER_OUT_OF_MEMORY: ("limit",),
    ErrorCode.PRELUDE_UNKNOWN: ("unknown",),
    ErrorCode.DOCUMENT_UNKNOWN: ("unknown",),
    ErrorCode.PROTOCOL_MISMATCH: ("expected_protocol", "actual_protocol"),
    ErrorCode.CAPABILITY_UNAVAILABLE: ("required_capability", "negotiated_capabilities"),
    ErrorCode.SCHEMA_VALIDATION_FAILED: ("path", "expected"),
    ErrorCode.INVALID_PARAMS: ("path", "expected"),
    ErrorCode.CONNECTION_FAILED: ("host", "port"),
    ErrorCode.CONNECTION_TIMEOUT: ("host", "port"),
    ErrorCode.SOURCE_FILE_MISSING: ("node_id", "source_file"),
    ErrorCode.STATE_RECONCILE_REQUIRED: ("drift", "pending_nodes"),
    ErrorCode.PARTIAL_EXECUTION_REFUSED: ("omitted",),
    ErrorCode.DEPENDENCY_CYCLE: ("cycle",),
    ErrorCode.REVISION_CONFLICT: ("node_id", "expected", "current"),
    ErrorCode.STALE_REVISION: ("node_id", "revision", "current"),
    ErrorCode.NODE_NOT_FOUND: ("node_id",),
    ErrorCode.NODE_AMBIGUOUS: ("entity_ids",),
    ErrorCode.APPROVAL_DENIED: ("tool",),
    ErrorCode.APPROVAL_TIMEOUT: ("tool",),
    ErrorCode.ASK_TIMEOUT: ("request_id",),
    ErrorCode.HOST_BLOCKED: ("reason", "hint"),
}

REQUIRED_DETAILS: Final[Mapping[ErrorCode, tuple[str, ...]]] = MappingProxyType(
    {code: (*_BEYOND_OPERATION.get(code, ()), "operation") for code in ErrorCode}
)
"""The keys that the details of each code must have.

Every code names its ``operation``. ``limit`` is in the unit of the setting it comes from: requests,
milliseconds, MiB; bytes for a payload. ``unknown`` is a list of hashes. Of the keys of a place, and of
``argument``, the value is null where a fault has none.
"""

DETAILS_ONE_OF: Final[Mapping[ErrorCode, tuple[str, ...]]] = MappingProxyType(
    {
        ErrorCode.WORKER_CRASHED: ("signal", "exit_code"),
        ErrorCode.ENTITY_NOT_FOUND: ("entity_ref", "entity_id", "persistent_id"),
        ErrorCode.ENTITY_NOT_SOLID: ("entity_ref", "entity_id", "persistent_id"),
        ErrorCode.IMPORT_DEFINITION_NOT_FOUND: ("entity_ref", "node_id", "path"),
    }
)
"""Keys of which the details of a code must have at least one."""

_REFUSED = -32000
"""The JSON-RPC number of a failure that has none of its own."""

_RPC_NUMBERS: Final[Mapping[str, int]] = {
    code: number
    for number, codes in {
        -32700: (ErrorCode.PARSE_ERROR,),
        -32600: (
            ErrorCode.INVALID_REQUEST,
            ErrorCode.BATCH_UNSUPPORTED,
            ErrorCode.HELLO_REQUIRED,
            ErrorCode.INVALID_HELLO,
        ),
        -32601: (ErrorCode.METHOD_NOT_FOUND, ErrorCode.TOOL_NOT_FOUND),
        -32602: (
            ErrorCode.INVALID_PARAMS,
            ErrorCode.SCHEMA_VALIDATION_FAILED,
            ErrorCode.IMPORT_FORM_INVALID,
        ),
        -32603: (ErrorCode.INTERNAL_ERROR,),
        -32001: (ErrorCode.AUTH_REQUIRED, ErrorCode.AUTH_INVALID),
        -32002: (ErrorCode.PATH_NOT_ALLOWED,),
        -32003: (
            ErrorCode.STATE_CHANGED,
            ErrorCode.BUSY,
            ErrorCode.BUSY_EDITING,
            ErrorCode.WRONG_MODEL,
            ErrorCode.MODEL_UNAVAILABLE,
            ErrorCode.EVAL_DISABLED,
            ErrorCode.APPROVAL_REQUIRED,
            ErrorCode.APPROVAL_DENIED,
        ),
        -32004: (ErrorCode.NODE_NOT_FOUND, ErrorCode.ENTITY_NOT_FOUND, ErrorCode.NODE_AMBIGUOUS),
        -32005: (ErrorCode.PAYLOAD_TOO_LARGE, ErrorCode.QUEUE_FULL, ErrorCode.VCAD_QUEUE_FULL),
        -32006: (
            ErrorCode.CANCELLED,
            ErrorCode.TIMEOUT,
            ErrorCode.EVAL_CANCELLED,
            ErrorCode.VCAD_EVAL_TIMEOUT,
        ),
        -32007: (ErrorCode.PROTOCOL_MISMATCH, ErrorCode.CAPABILITY_UNAVAILABLE),
    }.items()
    for code in codes
}


def rpc_number(error_code: str) -> int:
    """The number that JSON-RPC's ``error.code`` has for one of our codes; programs read ours, not this."""
    return _RPC_NUMBERS.get(error_code, _REFUSED)
