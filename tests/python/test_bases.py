"""Classes of Python that are derived from classes of compiled modules."""

import copy
import gc
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
import tenspan as ts
from tenspan import cpp

FOLDER = os.environ.get("TENSPAN_MODULES", "")

pytestmark = pytest.mark.skipif(not FOLDER, reason="TENSPAN_MODULES names no folder of compiled modules")


@pytest.fixture(scope="module")
def bases() -> ts.Module:
    return ts.load_module(Path(FOLDER) / "bases.so")


@pytest.fixture(scope="module")
def shape(bases: ts.Module) -> Any:
    return ts.register_object("bases.Shape", type("Shape", (ts.Object,), {}))


@pytest.fixture(scope="module")
def box(shape: Any) -> Any:
    @ts.dataclass("test_bases.Box")
    class Box(shape):  # type: ignore[misc]
        extra: int = ts.field(kw_only=True)
        held: Any = ts.field(default=None, kw_only=True)
        row: ts.List = ts.field(default_factory=ts.List, kw_only=True)

        def area(self) -> int:
            return self.sides * self.extra  # type: ignore[no-any-return]

    return Box


def test_the_constructor_takes_the_fields_of_both(bases: ts.Module, box: Any) -> None:
    made = box(4, True, "a box with a long name", [1], extra=5)
    assert (made.sides, made.is_filled, made.name, made.tag, made.extra) == (4, True, "a box with a long name", ts.Array([1]), 5)
    assert made.area() == 20 and made.corners() == 4
    made = box(sides=6, extra=7)
    assert (made.sides, made.is_filled, made.name, made.tag, made.held) == (6, False, "a shape without a name", None, None)
    assert repr(made).startswith("test_bases.Box(sides=6, is_filled=False, name='a shape without a name', tag=None, extra=7")
    with pytest.raises(TypeError, match="wants `sides`"):
        box(extra=1)
    with pytest.raises(TypeError, match="`sides` of `bases.Shape`"):
        box("many", extra=1)


def test_the_module_takes_it_for_one_of_its_own(bases: ts.Module, shape: Any, box: Any) -> None:
    made = box(4, True, extra=1)
    assert isinstance(made, shape) and bases.corners(made) == 104 and bases.name(made) == made.name
    made.sides, made.name = 8, "another name, longer than before"
    assert bases.corners(made) == 108 and bases.name(made) == "another name, longer than before"
    with pytest.raises(AttributeError):
        made.is_filled = False
    assert ts.List([made])[0] is made


def test_what_the_module_made_it_destroys(bases: ts.Module, box: Any) -> None:
    gc.collect()
    before = bases.alive()
    kept = [box(i, extra=i, held=[f"an object of some length {i}"], tag=f"a tag of some length {i}") for i in range(100)]
    assert bases.alive() == before + 100
    held = ts.List(kept)
    del kept
    assert bases.alive() == before + 100 and held[99].held[0].endswith("99")
    held.clear()
    gc.collect()
    assert bases.alive() == before


def test_copies_are_of_both_parts(bases: ts.Module, box: Any) -> None:
    made = box(4, extra=2, name="a name to be copied", held=ts.List([1]))
    other = copy.copy(made)
    other.sides, other.extra = 5, 3
    assert type(other) is box and (made.sides, made.extra, other.name) == (4, 2, made.name) and other.held is made.held
    deep = copy.deepcopy(made)
    assert deep.held == made.held and deep.held is not made.held
    assert made == box(4, extra=2, name="a name to be copied", held=ts.List([1])) != other


def test_classes_derived_from_the_derived(bases: ts.Module, box: Any) -> None:
    before = bases.alive()

    @ts.dataclass("test_bases.Crate")
    class Crate(box):  # type: ignore[misc]
        weight: float = 0.5

    made = Crate(4, extra=3, weight=2)
    assert (made.corners(), made.area(), made.weight) == (4, 12, 2.0) and isinstance(made, box)
    assert copy.copy(made).weight == 2.0
    del made
    gc.collect()
    assert bases.alive() == before


def test_a_constructor_of_its_own_and_other_threads(bases: ts.Module, shape: Any) -> None:
    @ts.dataclass("test_bases.Square", eq=False)
    class Square(shape):  # type: ignore[misc]
        width: float = 1.0

        def __init__(self, width: float) -> None:
            self.__ffi_init__(4, name="a square of some size", width=width)

    before = bases.alive()
    made: list[Any] = []
    threads = [threading.Thread(target=lambda: made.extend(Square(i) for i in range(200))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bases.alive() == before + 800 and {(one.sides, one.name) for one in made} == {(4, "a square of some size")}
    made.clear()
    gc.collect()
    assert bases.alive() == before


def test_it_is_pickled_by_its_fields(box: Any) -> None:
    globals()["Box"] = box
    box.__qualname__, box.__module__ = "Box", __name__
    made = box(4, True, "a name of some length", extra=9)
    again = pickle.loads(pickle.dumps(made))
    assert again == made and (again.is_filled, again.extra) == (True, 9)


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("bases.Final", "it is final"),
        ("bases.NoDefault", "it has no constructor without arguments"),
        ("bases.Hidden", "bytes 32 to 64 of its objects are of no field"),
        ("bases.Virtual", "of its objects are of no field"),
        ("bases.Unsized", "does not say how large its objects are"),
    ],
)
def test_other_classes_say_why_nothing_is_derived_from_them(bases: ts.Module, key: str, why: str) -> None:
    if key == "bases.Unsized":
        bases.unsized()
    base = ts.register_object(key, type(key.split(".")[1], (ts.Object,), {})) if key != "bases.Unsized" else type(bases.unsized())
    derived = type("Derived", (base,), {"__annotations__": {"extra": int}})
    with pytest.raises(TypeError, match=f"nothing can be derived from `{key}`: .*{why}"):
        ts.dataclass(f"test_bases.{key}")(derived)


def test_classes_of_kernels_are_bases(tmp_path: Path) -> None:
    source = """
    #include <tenspan/kernel.hpp>
    namespace kernel = tenspan::kernel;
    struct Options : kernel::Object {
      std::int64_t steps = 1;
      kernel::List<std::int64_t> seen;
    };
    struct Named : kernel::Object {
      std::string name = "a text that moves with its object";
    };
    TENSPAN_OBJECT(Options, "test_bases.Options").field("steps", &Options::steps).defaults(std::int64_t{3}).field("seen", &Options::seen)
      .factory([] { return kernel::List<std::int64_t>(); });
    TENSPAN_OBJECT(Named, "test_bases.Named").field("name", &Named::name);
    TENSPAN_EXPORT(note, [](const kernel::Ref<Options>& options, std::int64_t value) { options->seen.push_back(value); return options->steps; });
    """
    path = tmp_path / "options.cc"
    path.write_text(source)
    module = cpp.load("options", path, build_directory=tmp_path)
    options = ts.register_object("test_bases.Options", type("Options", (ts.Object,), {}))
    more = ts.dataclass("test_bases.More")(type("More", (options,), {"__annotations__": {"rate": float}, "rate": 0.5}))
    made = more(rate=2)
    assert module.note(made, 7) == 3 and list(made.seen) == [7] and made.rate == 2.0
    named = ts.register_object("test_bases.Named", type("Named", (ts.Object,), {}))
    with pytest.raises(TypeError, match="`name` of 32 bytes may hold its own address"):
        ts.dataclass("test_bases.MoreNamed")(type("MoreNamed", (named,), {}))
