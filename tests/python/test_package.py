"""The package: what an import brings, and whether stubs tell the truth."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import tenspan as ts

HERE = Path(__file__).parent


def test_an_import_brings_nothing_else() -> None:
    program = "import sys; before = set(sys.modules); import tenspan; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['__future__', 'tenspan', 'tenspan._dataclasses', 'tenspan._objects', 'tenspan._tenspan', 'tenspan.cpp']"


def test_names_of_the_package_are_found_at_once() -> None:
    # With a `__getattr__` the interpreter looks names up anew each time, which takes as long as a small call.
    assert "__getattr__" not in vars(ts) and type(ts) is type(sys)


def test_everything_public_has_docs() -> None:
    assert sorted(set(ts.__all__)) == sorted(ts.__all__)
    for name in ts.__all__:
        value = getattr(ts, name)
        assert name == "__version__" or inspect.getdoc(value), name
        if inspect.isclass(value) and not issubclass(value, Exception):
            assert value.__module__ == "tenspan"
            for member, entry in vars(value).items():
                assert member.startswith("_") or inspect.getdoc(entry), f"{name}.{member}"


def test_signatures_can_be_read() -> None:
    assert str(inspect.signature(ts.zeros)) == "(shape, dtype='float32')"
    assert str(inspect.signature(ts.copy)) == "(src, dst, *, allow_requantize=False)"
    assert str(inspect.signature(ts.Tensor.numpy)) == "(self, /, allow_copy=False, out=None)"


def test_parameters_are_described() -> None:
    docs = inspect.getdoc(ts.quantize_file) or ""
    assert "Parameters\n----------\nsrc : path-like\n" in docs
    assert "allow_requantize : bool, default False" in docs


@pytest.mark.parametrize("sample", ["typing_sample.py"])
def test_the_sample_is_typed(sample: str) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(HERE / sample)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stdout


def test_wrong_use_is_found_by_types() -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(HERE / "typing_mistakes.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    lines = (HERE / "typing_mistakes.py").read_text().splitlines()
    assert found == {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}, done.stdout


def test_stubs_are_those_of_the_module() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "tenspan", "--allowlist", str(HERE / "stubtest_allowlist.txt")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    assert done.returncode == 0, done.stdout
