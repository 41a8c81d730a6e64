"""Inline modules: sources of C++ that are compiled while a program runs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tenspan as ts
from tenspan import cpp

#: The folder that holds the package `tvm_ffi`; `cargo verify` says so.
PEER = os.environ.get("TENSPAN_PEER", "")
ADD = "std::int64_t add(std::int64_t a, std::int64_t b) { return a + b; }"


def test_a_module_is_built_where_it_is_wanted(tmp_path: Path) -> None:
    path = cpp.build_inline("built", ADD, "add", build_directory=tmp_path)
    assert Path(path) == tmp_path / "built.so"
    made = os.stat(path).st_mtime_ns
    assert cpp.build_inline("built", [ADD], ["add"], build_directory=str(tmp_path)) == path
    assert os.stat(path).st_mtime_ns == made


def test_the_output_of_the_compiler_is_in_the_exception(tmp_path: Path) -> None:
    with pytest.raises(ts.CompileFailedError, match=r"broken\.cpp:2:\d+: error: .*nonsense") as caught:
        cpp.build_inline("broken", "// A line.\nint f() { return nonsense; }", "f", build_directory=tmp_path)
    assert isinstance(caught.value, RuntimeError)
    assert "int f() { return nonsense; }" in str(caught.value)


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    program = f"from tenspan import cpp; cpp.build_inline('x', '', build_directory={str(tmp_path)!r})"
    inherited = {name: value for name, value in os.environ.items() if name != "CXX"}
    for changed, says in [
        ({"PATH": str(tmp_path)}, "CXX is not set, and there is none of `g++`, `clang++`, `c++`"),
        ({"CXX": "no-such-compiler -x"}, "CXX is `no-such-compiler`, which is not there"),
    ]:
        environment = {**inherited, **changed}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 1
        assert f"CompileFailedError: no C++ compiler: {says}" in done.stderr


def test_files_are_compiled(tmp_path: Path) -> None:
    source = tmp_path / "twice.cpp"
    source.write_text("#include <tenspan/kernel.hpp>\nTENSPAN_EXPORT(twice, [](double x) { return 2 * x; });\n")
    path = cpp.build("files", source, build_directory=tmp_path)
    assert Path(path).read_bytes()[:4] == b"\x7fELF"
    with pytest.raises(OSError, match=r"missing\.cpp"):
        cpp.build("files", [tmp_path / "missing.cpp"], build_directory=tmp_path)


def test_arguments_of_a_wrong_type_are_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a string or a sequence of strings wanted, found int"):
        cpp.build_inline("x", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="functions: wanted a name, a list of names, or docs by name, found an integer"):
        cpp.build_inline("x", ADD, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="functions: `a b` is not the plain name"):
        cpp.build_inline("x", ADD, {"a b": "docs"})
    with pytest.raises(ValueError, match='name: "../x" is no name for a module'):
        cpp.build_inline("../x", ADD)


def test_the_headers_can_be_used_by_hand() -> None:
    assert (Path(cpp.include_path()) / "tenspan" / "kernel.hpp").exists()


def test_the_cache_is_where_the_environment_says(tmp_path: Path) -> None:
    program = f"from tenspan import cpp; print(cpp.build_inline('cached', {ADD!r}, 'add'))"
    places = [("TENSPAN_CACHE_DIR", tmp_path / "own"), ("XDG_CACHE_HOME", tmp_path / "xdg")]
    for name, folder in places:
        environment = {**os.environ, name: str(folder)}
        if name != "TENSPAN_CACHE_DIR":
            environment.pop("TENSPAN_CACHE_DIR", None)
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.startswith(str(folder))
        assert done.stdout.strip().endswith("/cached.so")


def test_a_module_that_is_built_again_is_loaded_again(tmp_path: Path) -> None:
    step = "std::int64_t step(std::int64_t a) { return a + %d; }"
    one = cpp.load_inline("again", step % 1, {"step": "One more."}, build_directory=tmp_path)
    two = cpp.load_inline("again", step % 2, ["step"], build_directory=tmp_path)
    assert one.step(1) == 2 and two.step(1) == 3
    assert one.get_function_doc("step") == "One more."


def test_headers_of_others_are_used_when_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "mine.hpp").write_text("inline int mine() { return 42; }\n")
    source = "#include <mine.hpp>\nint answer() { return mine(); }"
    module = cpp.load_inline("mine", source, "answer", extra_include_paths=[tmp_path], build_directory=tmp_path / "out")
    assert module.answer() == 42


@pytest.mark.skipif(not PEER, reason="TENSPAN_PEER names no folder")
def test_sources_for_the_public_headers_are_built_and_loaded(tmp_path: Path) -> None:
    source = """
    void add_one_cpu(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
      TVM_FFI_ICHECK(x.ndim() == 1) << "x must be a 1D tensor";
      for (int64_t i = 0; i < x.size(0); ++i) static_cast<float*>(y.data_ptr())[i] = static_cast<float*>(x.data_ptr())[i] + 1;
    }
    """
    include = Path(PEER) / "tvm_ffi" / "include"
    module = cpp.load_inline("public", source, "add_one_cpu", extra_include_paths=include, build_directory=tmp_path)
    x = np.arange(3, dtype=np.float32)
    y = np.empty_like(x)
    module.add_one_cpu(x, y)
    assert y.tolist() == [1, 2, 3]
