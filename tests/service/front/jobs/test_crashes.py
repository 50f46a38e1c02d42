"""When a text that crashes the worker is refused, and when it is tried again."""

from __future__ import annotations

from vcad_kernel.service.front.jobs.crashes import CrashMemory, fingerprint
from vcad_kernel.service.front.worker.process import WorkerDied

DIED = WorkerDied(signal="SIGSEGV")


def count(memory: CrashMemory, scope: str, text: str) -> int | None:
    found = memory.refusal(scope, lambda: text)
    return None if found is None else found.count


def test_a_text_is_refused_after_three_crashes_in_a_row() -> None:
    memory = CrashMemory()
    for _ in range(3):
        assert count(memory, "cell", "text") is None
        memory.crashed("cell", "text", DIED)
    assert count(memory, "cell", "text") == 3


def test_another_text_begins_the_count_anew() -> None:
    memory = CrashMemory()
    for _ in range(3):
        memory.crashed("cell", "text", DIED)
    assert count(memory, "cell", "other") is None
    assert count(memory, "cell", "text") is None


def test_a_text_that_ends_well_begins_the_count_anew() -> None:
    memory = CrashMemory()
    memory.crashed("cell", "text", DIED)
    memory.crashed("cell", "text", DIED)
    memory.survived("cell")
    memory.crashed("cell", "text", DIED)
    assert count(memory, "cell", "text") is None


def test_scopes_do_not_share_their_counts() -> None:
    memory = CrashMemory()
    for scope in ("a", "b", "c"):
        memory.crashed(scope, "text", DIED)
    assert count(memory, "a", "text") is None


def test_everything_may_be_tried_again_once_it_is_forgotten() -> None:
    memory = CrashMemory()
    for _ in range(3):
        memory.crashed("cell", "text", DIED)
    memory.forget()
    assert count(memory, "cell", "text") is None


def test_only_so_many_scopes_are_remembered() -> None:
    memory = CrashMemory()
    for scope in range(5000):
        for _ in range(3):
            memory.crashed(scope, "text", DIED)
    assert memory.refusal(0, lambda: "text") is None
    assert memory.refusal(4999, lambda: "text") is not None


def test_a_fingerprint_is_of_what_is_asked_and_not_of_how_it_is_sent() -> None:
    with_source = {"code": "c", "prelude": [{"cell_id": "1", "source_hash": "h", "source": "s"}]}
    without = {"code": "c", "prelude": [{"cell_id": "1", "source_hash": "h"}]}
    assert fingerprint(with_source) == fingerprint(without)
    assert fingerprint(without) != fingerprint({**without, "code": "d"})
    assert fingerprint({"path": "p"}, 1) != fingerprint({"path": "p"}, 2)
