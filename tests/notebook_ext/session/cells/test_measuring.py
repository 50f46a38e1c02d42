"""What a cell that shows a part waits for, and what goes on meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from notebook_ext.session.plain_shell import plain_shell
from notebook_ext.session.session import Session
from vcad_kernel.geometry.measure.figures import Figures
from vcad_kernel.render import picture
from vcad_kernel.service.direct import DirectService
from vcad_kernel.service.evaluation.direct_answers import DirectAnswers
from vcad_kernel.service.protocol import PartResult

_LIMIT = 30.0
"""Seconds until a picture counts as never drawn."""


@pytest.fixture
def session(workspace: Path) -> Iterator[Session]:
    made = Session(plain_shell(), DirectService(), folder=workspace)
    yield made
    made.close()


def test_the_picture_is_drawn_once_while_the_figures_are_found(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, pictures = Event(), list[bytes]()
    draw, figures = picture.draw, DirectAnswers.figures

    def noted(*parts: Any, **look: Any) -> bytes:
        pictures.append(draw(*parts, **look))
        drawn.set()
        return pictures[-1]

    def found_after_that(answers: DirectAnswers, part: PartResult) -> Figures:
        assert drawn.wait(_LIMIT)
        return figures(answers, part)

    monkeypatch.setattr(picture, "draw", noted)
    monkeypatch.setattr(DirectAnswers, "figures", found_after_that)
    session.evaluate("[sphere 3]", name="ball")
    ball = session["ball"]
    session.measure(ball)
    assert ball.known_summary.startswith("ball: 6 × 6 × 6 mm")
    assert [ball.saved_picture] == pictures
