"""The package: what an import brings, and whether stubs tell the truth."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tenspan as ts
from tenspan import _tenspan

#: The wheel that the tests run with; `cargo verify` says so.
WHEEL = os.environ.get("TENSPAN_WHEEL", "")
HERE = Path(__file__).parent


def test_an_import_brings_nothing_else() -> None:
    program = "import sys; before = set(sys.modules); import tenspan; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['__future__', 'tenspan', 'tenspan._define', 'tenspan._object', 'tenspan._tenspan', 'tenspan.cpp']"


def test_names_of_the_package_are_found_at_once() -> None:
    # With a `__getattr__` the interpreter looks names up anew each time, which takes as long as a small call.
    assert "__getattr__" not in vars(ts) and type(ts) is type(sys)


FRESH = """
import sys
import numpy as np
import tenspan as ts
from tenspan import cpp

assert {here!r} in ts.__file__, ts.__file__
source = r'''
struct Pair : tenspan::kernel::Object {{
  std::int64_t a = 0;
  std::int64_t b = 0;
}};
TENSPAN_OBJECT(Pair, "fresh.Pair").field("a", &Pair::a).field("b", &Pair::b);
std::int64_t sum(const tenspan::kernel::Ref<Pair>& pair) {{ return pair->a + pair->b; }}
void add_one(tenspan::kernel::TensorView x) {{ for (float& each : x.span<float>()) each += 1; }}
'''
module = cpp.load_inline("fresh", source, ["sum", "add_one"])

@ts.register_object("fresh.Pair")
class Pair(ts.Object):
    pass

x = np.zeros(3, np.float32)
module.add_one(x)
assert x.tolist() == [1, 1, 1] and module.sum(Pair(2, 3)) == 5
again = ts.load_module(cpp.build_inline("fresh", source, ["sum", "add_one"]))
assert again.sum(Pair(4, 5)) == 9
assert not [name for name in sys.modules if name.split(".")[0] in ("tvm_ffi", "setuptools", "ninja")]
print("fine")
"""


@pytest.mark.skipif(not WHEEL, reason="TENSPAN_WHEEL names no wheel")
def test_the_wheel_is_all_that_is_needed(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = venv / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", WHEEL]
    subprocess.run(install, check=True)
    # NumPy beside it, and nothing else of the environment of the tests.
    beside = tmp_path / "beside"
    beside.mkdir()
    for part in Path(np.__file__).parents[1].glob("numpy*"):
        (beside / part.name).symlink_to(part)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(beside), "TENSPAN_CACHE_DIR": str(tmp_path / "cache")}
    program = FRESH.format(here=str(venv))
    done = subprocess.run([str(python), "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout == "fine\n", done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems name symbols in another way")
def test_the_library_exports_its_own_names_only() -> None:
    listed = subprocess.run(["nm", "-D", _tenspan.__file__], capture_output=True, text=True, check=True)
    symbols = [line.split()[-2:] for line in listed.stdout.splitlines()]
    assert not [name for _, name in symbols if "TVMFFI" in name or "tvm" in name.lower()]
    exported = [name for kind, name in symbols if kind not in "Uwv"]
    assert exported and all(name.startswith("TNSPY_") or name == "PyInit__tenspan" for name in exported), exported


def test_what_is_public_stands_in_the_reference() -> None:
    # Pages are printed from the spec: what is not there is not in them.
    pages = [page.read_text("utf-8") for page in (HERE.parents[1] / "docs" / "reference").glob("*.md")]
    lines = "".join(pages).splitlines()
    spelled = {name for line in lines for name in re.findall(r"^\| Python \| `(?:tenspan\.)?(\w+)[`(]", line)}
    spelled |= {name for line in lines for name in re.findall(r"^\| Python \| `tenspan\.(\w+)\.", line)}
    classes = {line[3:] for line in lines if line.startswith("## ")}
    kinds = {name.removesuffix("Error") + "Error" for line in lines for name in re.findall(r"^\| `(\w+)` \|", line)}
    public = {name for name, value in vars(ts).items() if not name.startswith("_") and value is not sys.modules.get("tenspan.typing")}
    assert public == set(ts.__all__) - {"__version__"}
    errors = {name for name in public if name != "Error" and inspect.isclass(getattr(ts, name)) and issubclass(getattr(ts, name), Exception)}
    assert errors <= kinds
    assert public - errors <= spelled | classes, public - errors - spelled - classes
    missing = {name for line in lines for name in re.findall(r"^\| Python \| `tenspan\.(\w+)\(", line)} - public
    assert not missing, missing


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
