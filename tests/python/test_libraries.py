"""Libraries around a module: those that it needs from its own folder, and modules that it carries inside of it."""

import gc
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tenspan as ts
from tenspan import cpp

COMPILER = shutil.which("g++") or shutil.which("clang++")

pytestmark = pytest.mark.skipif(COMPILER is None or sys.platform != "linux", reason="needs a compiler, and modules")

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build a library from a source, with flags; sources of kernels begin with the header."""

    def build(name: str, source: str, *flags: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.with_suffix(".cc")
        text.write_text(source)
        command = [COMPILER, "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", "-I", cpp.include_path(), str(text), "-o", str(path)]
        subprocess.run([*command, *flags], check=True)
        return path

    return build


HELPER = 'extern "C" __attribute__((visibility("default"))) int helper_%s() { return %d; }'
USER = """
#include <tenspan/kernel.hpp>
extern "C" int helper_%s();
TENSPAN_EXPORT(helped, [] { return helper_%s(); });
"""


@pytest.mark.parametrize(
    ("name", "rpath", "folder", "tags"),
    [
        ("runpath", "$ORIGIN", ".", "--enable-new-dtags"),
        ("rpath", "$ORIGIN", ".", "--disable-new-dtags"),
        ("braces", "${ORIGIN}/lib", "lib", "--enable-new-dtags"),
        ("up", "/nowhere:$ORIGIN/../other", "../other", "--disable-new-dtags"),
    ],
)
def test_libraries_are_found_beside_the_module(build: Build, name: str, rpath: str, folder: str, tags: str) -> None:
    helper = build(f"here/{folder}/libhelper_{name}.so", HELPER % (name, 7), f"-Wl,-soname,libhelper_{name}.so")
    user = build(f"here/{name}.so", USER % (name, name), f"-L{helper.parent}", f"-lhelper_{name}", f"-Wl,-rpath,{rpath}", f"-Wl,{tags}")
    listed = subprocess.run(["readelf", "-d", str(user)], capture_output=True, text=True, check=True).stdout
    assert ("RUNPATH" in listed) == (tags == "--enable-new-dtags")
    assert ts.load_module(user).helped() == 7
    assert ts.load_module(user, in_place=True).helped() == 7


def test_a_library_that_is_nowhere_is_named(build: Build) -> None:
    helper = build("libhelper_gone.so", HELPER % ("gone", 7), "-Wl,-soname,libhelper_gone.so")
    user = build("gone.so", USER % ("gone", "gone"), f"-L{helper.parent}", "-lhelper_gone", "-Wl,-rpath,$ORIGIN")
    helper.unlink()
    with pytest.raises(RuntimeError, match=r"gone\.so: the module cannot be loaded: libhelper_gone\.so"):
        ts.load_module(user)


def text(value: str | bytes) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(value)) + value


def numbers(*values: int) -> bytes:
    return struct.pack(f"<Q{len(values)}Q", len(values), *values)


def carrying(build: Build, name: str, content: bytes) -> Path:
    """A module that carries bytes in the place for further modules."""
    content = struct.pack("<Q", len(content)) + content
    letters = ", ".join(map(str, content))
    source = f"""
#include <tenspan/kernel.hpp>
extern "C" __attribute__((visibility("default"), used)) const unsigned char __tvm_ffi__library_bin[] = {{{letters}}};
TENSPAN_EXPORT(own, [] {{ return 1; }});
"""
    return build(name, source)


@pytest.fixture
def loader(tmp_path: Path) -> list[bytes]:
    """What makes modules of the kind `test` from bytes, which it notes."""
    seen: list[bytes] = []

    @ts.register_global_func("ffi.Module.load_from_bytes.test", override=True)
    def load(content: bytes) -> ts.Module:
        seen.append(bytes(content))
        function, _, result = bytes(content).decode().partition(" ")
        return cpp.load_inline("carried", f"int {function}() {{ return {result}; }}", function, build_directory=tmp_path)

    return seen


def test_carried_modules_are_made_and_imported(build: Build, loader: list[bytes]) -> None:
    # The library imports the second, which imports the third.
    tree = numbers(0, 1, 2, 2) + numbers(1, 2)
    content = tree + text("_lib") + text("test") + text("two 2") + text("test") + text("three 3")
    module = ts.load_module(carrying(build, "carrying.so", content))
    assert loader == [b"two 2", b"three 3"]
    assert (module.own(), module.two(), module.three()) == (1, 2, 3) and list(module) == ["own"]
    assert [list(one) for one in module.imports] == [["two"]] and module.imports[0].three() == 3


def test_the_root_may_be_a_carried_module(build: Build, loader: list[bytes]) -> None:
    content = numbers(0, 1, 1) + numbers(1) + text("test") + text("root 5") + text("_lib")
    module = ts.load_module(carrying(build, "root.so", content))
    assert (module.root(), module.own()) == (5, 1) and list(module) == ["root"]


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (numbers(0, 0) + numbers() + text("unknown") + text(""), RuntimeError, "kind `unknown`, and there is no function `ffi.Module.load_from_bytes.unknown`"),
        (numbers(0, 1) + numbers(4) + text("_lib"), ts.InvalidFileError, "an import is none of the 1 modules"),
        (numbers(0, 3) + numbers(0) + text("_lib"), ts.InvalidFileError, "imports 0 to 3 of 1"),
        (numbers(0, 0, 0) + numbers() + text("_lib"), ts.InvalidFileError, "8 bytes wanted, there are 0"),
        (numbers(2**60, 0)[:12], ts.InvalidFileError, "bytes wanted"),
        (numbers() + numbers(), ts.InvalidFileError, "there is no module in it"),
        (b"", ts.InvalidFileError, "8 bytes wanted"),
    ],
)
def test_what_is_carried_in_a_wrong_form_is_refused(build: Build, content: bytes, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says) as caught:
        ts.load_module(carrying(build, "wrong.so", content))
    assert "__tvm_ffi__library_bin" in str(caught.value) or kind is RuntimeError


def test_objects_of_a_module_that_left_stay_valid(build: Build) -> None:
    source = """
#include <tenspan/kernel.hpp>
namespace kernel = tenspan::kernel;
TENSPAN_EXPORT(names, [](std::int64_t n) {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back("a name of some length " + std::to_string(i));
  return all;
});
TENSPAN_EXPORT(adder, [](std::int64_t a) { return [a](std::int64_t b) { return a + b; }; });
TENSPAN_EXPORT(fail, [] { throw kernel::ValueError("no luck"); });
"""
    module = ts.load_module(build("leaving.so", source), keep_alive=False)
    names, adder = module.names(20), module.adder(2)
    with pytest.raises(ValueError, match="no luck") as caught:
        module.fail()
    del module
    gc.collect()
    assert names[19] == "a name of some length 19" and len(names) == 20 and adder(3) == 5
    assert str(caught.value) == "no luck"
