"""The programs of the guide that are in Python run as they stand there."""

from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "memory.md"
PROGRAMS = [part.split("\n```", 1)[0] for part in GUIDE.read_text("utf-8").split("```python\n")[1:]]


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_of_the_guide_runs(program: str) -> None:
    exec(compile(program, str(GUIDE), "exec"), {"__name__": "guide"})


def test_the_guide_has_a_program() -> None:
    assert PROGRAMS
