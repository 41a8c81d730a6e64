"""The programs of the guides and of the reference that are in Python run as they stand there."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ("memory.md", "functions.md", "kernels.md", "objects.md", "modules.md")
REFERENCE = ("reference/define.md", "reference/error.md", "reference/function.md", "reference/object.md")
PROGRAMS = {
    f"{guide} {i}": part.split("\n```", 1)[0]
    for guide in GUIDES + REFERENCE
    for i, part in enumerate((DOCS / guide).read_text("utf-8").split("```python\n")[1:])
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_a_guide_runs(name: str) -> None:
    exec(compile(PROGRAMS[name], name, "exec"), {"__name__": "guide"})


def test_each_guide_has_a_program() -> None:
    assert all(any(name.startswith(guide) for name in PROGRAMS) for guide in GUIDES + REFERENCE)
