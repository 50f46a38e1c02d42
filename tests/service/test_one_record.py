"""What a new question takes: its class. Front, worker, wire and client carry it without being told of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, ClassVar

import pytest

from tools import contracts
from vcad_kernel.service import questions
from vcad_kernel.service.client.evaluation_call import Answered
from vcad_kernel.service.client.remote_answers import RemoteAnswers
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.protocol import MeasuredPart, PartResult, Question
from vcad_kernel.service.requests import EvalCode
from vcad_kernel.service.wire import document_json, values
from vcad_kernel.service.worker.job import Job
from vcad_kernel.service.worker.tools import part_questions
from vcad_kernel.service.worker.tools.evaluations import Evaluations


class SlimnessOf(Question[float], frozen=True, tag="slimness"):
    """Volume over the cube of the square root of the area."""

    ANSWER: ClassVar = "slimness"
    factor: float = 1.0

    def answer(self, parts: Sequence[MeasuredPart]) -> float:
        figures = parts[0].measurement.figures()
        return self.factor * figures.volume / figures.surface_area**1.5

    def decode(self, data: Any, _part: PartResult, /) -> float:
        return float(data)


def _job(arguments: Mapping[str, Any]) -> Job:
    return Job(
        operation="ask",
        arguments=arguments,
        script=None,
        workspace=None,
        mesh_shm=False,
        artifact_stage=None,
        staging=None,
        seconds=None,
        limit_ms=0,
        node_id=None,
        revision=0,
        printed=lambda _: None,
        progress=lambda *_: None,  # type: ignore[arg-type]  # nobody hears how far it is
    )


def test_a_question_is_answered_here_and_over_the_wire_by_its_class_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = {**questions.QUESTIONS, SlimnessOf.name(): SlimnessOf}
    for module in (questions, part_questions, contracts):
        monkeypatch.setattr(module, "QUESTIONS", known)
    service = DirectService()
    (part,) = service.evaluate(EvalCode("[cube 2 2 2]")).parts
    here = part.answers.ask(SlimnessOf(factor=3.0), part)
    assert here == pytest.approx(3.0 * 8 / 24**1.5)

    worker = Evaluations(DirectService(), kept=4)
    asked: list[Mapping[str, Any]] = []

    def ask(arguments: Mapping[str, Any]) -> Answered:
        asked.append(json.loads(json.dumps(arguments)))
        return Answered(json.loads(json.dumps(worker.ask(_job(asked[-1])).result)), None)

    name = part.document.content_digest.hex()
    answers = RemoteAnswers(ask, Lock(), name, values.encode(document_json.encode(part.document)), None, ())
    there = replace(part, answers=answers)
    assert answers.ask(SlimnessOf(factor=3.0), there) == pytest.approx(here)
    assert asked[-1]["question"] == "slimness"
    assert contracts.GENERATED["vcad.ask"]()["$defs"]["arguments"]["properties"]["factor"] == {
        "type": "number"
    }
