"""Classes of objects: those defined here, seen by every language, and classes for those that others define."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import tenspan as ts

ts.register_testing_funcs()
echo = ts.get_global_func("testing.echo")
apply = ts.get_global_func("testing.apply")


@ts.dataclass("test_objects.Pair")
class Pair(ts.Object):
    """Two numbers."""

    a: int
    b: int = 5

    def total(self) -> int:
        return self.a + self.b


@ts.dataclass("test_objects.Point", frozen=True)
class Point(ts.Object):
    x: float
    y: float = 0.0


@ts.dataclass("test_objects.Everything", eq=False)
class Everything(ts.Object):
    number: int
    weight: float = 1
    flag: bool = False
    text: str = ts.field(default="a text of some length", doc="Some text.")
    raw: bytes = b""
    anything: Any = None
    tensor: ts.Tensor | None = None
    items: ts.List = ts.field(default_factory=ts.List)
    row: tuple[int, ...] = ()
    named: ts.Map = ts.field(default_factory=dict)
    function: ts.Function | None = None
    pair: Pair | None = None
    dtype: ts.DType = ts.field(default="float32", kw_only=True)
    shared: ClassVar[int] = 3


@ts.dataclass("test_objects.Node", eq=False)
class Node(ts.Object):
    value: int
    next: "Node | None" = None


def test_fields_are_attributes() -> None:
    pair = Pair(1)
    assert (pair.a, pair.b, pair.total()) == (1, 5, 6)
    pair.a = -7
    assert pair.a == -7
    assert Pair(b=2, a=3).b == 2
    assert Pair.__match_args__ == ("a", "b")  # type: ignore[attr-defined]
    match pair:
        case Pair(a, b):
            assert (a, b) == (-7, 5)


def test_values_of_every_kind_are_kept() -> None:
    tensor = ts.zeros((2,))
    it = Everything(1)
    assert (it.weight, it.flag, it.text, it.raw, it.anything, it.tensor) == (1.0, False, "a text of some length", b"", None, None)
    assert type(it.weight) is float
    assert it.items == ts.List() and it.named == ts.Map() and it.row == ts.Array()
    assert it.dtype == ts.DType("float32") and Everything.shared == 3
    it.tensor = tensor
    assert it.tensor is tensor
    it.tensor = np.ones(3)
    assert it.tensor.shape == (3,)
    it.items.append(4)
    assert list(it.items) == [4] and list(Everything(2).items) == []
    it.row = (1, 2)
    assert list(it.row) == [1, 2]
    it.named = {"k": 1}
    assert it.named["k"] == 1
    it.function = lambda n: n + 1
    assert it.function(2) == 3
    it.pair = Pair(1)
    assert it.pair is it.pair and it.pair.a == 1
    for thing in (None, 1.5, "x" * 50, [1, "a"], {"k": 2}, it):
        it.anything = thing
        assert it.anything == (ts.convert(thing) if isinstance(thing, list | dict) else thing)
    it.anything = None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "1"), ("number", 1.5), ("number", None), ("number", 2**70), ("flag", "yes"), ("weight", "1"), ("text", 1),
        ("raw", "x"), ("tensor", 3), ("row", (1, "x")), ("function", 4), ("pair", Point(1.0)), ("pair", 3), ("named", [1]),
    ],
)
def test_what_does_not_fit_is_refused(name: str, value: object) -> None:
    it = Everything(1)
    before = getattr(it, name)
    with pytest.raises((TypeError, OverflowError)) as raised:
        setattr(it, name, value)
    assert name in str(raised.value) or "test_objects.Everything" in str(raised.value)
    assert getattr(it, name) == before


@pytest.mark.parametrize(
    ("arguments", "named", "text"),
    [
        ((), {}, "wants `a`"),
        ((1, 2, 3), {}, "takes 2 arguments in order, 3 were given"),
        ((1,), {"a": 2}, "got `a` twice"),
        ((1,), {"bb": 2}, "did you mean `b`"),
        (("x",), {}, "`a` of `test_objects.Pair`"),
    ],
)
def test_a_constructor_says_what_is_wrong(arguments: tuple[Any, ...], named: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Pair(*arguments, **named)


def test_fields_of_frozen_classes_cannot_be_set() -> None:
    point = Point(1.0, 2)
    with pytest.raises(AttributeError):
        point.x = 3.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        del Pair(1).a
    assert hash(point) == hash(Point(1.0, 2.0)) and len({point, Point(1.0, 2.0)}) == 1
    with pytest.raises(TypeError):
        hash(Pair(1))


def test_objects_are_compared_by_fields_or_identity() -> None:
    assert Pair(1) == Pair(1, 5) and Pair(1) != Pair(2) and Pair(1) != 1
    one, other = Node(1), Node(1)
    assert one == one and one != other and hash(one) != hash(other)
    assert one.same_as(one) and not one.same_as(other) and not one.same_as(3)
    with pytest.raises(TypeError):
        assert Pair(1) < Pair(2)  # type: ignore[operator]


def test_objects_are_shown_by_fields() -> None:
    assert repr(Pair(1)) == "test_objects.Pair(a=1, b=5)"
    ring = Node(1)
    ring.next = ring
    assert repr(ring) == "test_objects.Node(value=1, next=...)"
    ring.next = None


def test_objects_cross_and_come_back_as_themselves() -> None:
    pair = Pair(1)
    assert echo(pair) is pair
    assert ts.List([pair])[0] is pair
    assert apply(lambda given: given is pair, pair)
    held = ts.List([Pair(3)])
    gc.collect()
    assert type(held[0]) is Pair and held[0].a == 3 and held[0] is not None
    again = weakref.ref(pair)
    del pair
    gc.collect()
    assert again() is None


def test_copies_have_fields_of_their_own() -> None:
    one = Everything(1, items=ts.List([1]), pair=Pair(2))
    shallow = copy.copy(one)
    assert type(shallow) is Everything and shallow is not one
    assert shallow.items is one.items and shallow.pair is one.pair
    deep = copy.deepcopy(one)
    assert deep.items is not one.items and deep.items == one.items
    assert deep.pair is not one.pair and deep.pair == one.pair
    shallow.number = 9
    assert one.number == 1


def test_objects_are_pickled_by_their_fields() -> None:
    for thing in (Pair(1, 2), Point(1.5), Everything(3, row=(1, 2), pair=Pair(4))):
        made = pickle.loads(pickle.dumps(thing))
        assert type(made) is type(thing) and repr(made) == repr(thing)


def test_post_init_runs_after_the_fields_are_set() -> None:
    @ts.dataclass("test_objects.Post")
    class Post(ts.Object):
        a: int
        twice: int = ts.field(default=0, init=False)

        def __post_init__(self) -> None:
            self.twice = 2 * self.a

    assert Post(4).twice == 8
    with pytest.raises(TypeError, match="twice"):
        Post(1, twice=3)  # type: ignore[call-arg]


def test_inherited_fields_come_first_and_instances_follow_the_types() -> None:
    @ts.dataclass("test_objects.Triple")
    class Triple(Pair):
        c: int = 7

        def __init__(self, *all_of_them: int) -> None:
            self.__ffi_init__(*all_of_them)

    triple = Triple(1, 2)
    assert (triple.a, triple.b, triple.c, triple.total()) == (1, 2, 7, 3)
    assert isinstance(triple, Pair) and isinstance(triple, ts.Object) and not isinstance(Pair(1), Triple)
    assert Everything(1, pair=triple).pair is triple
    assert not isinstance(3, Pair) and not isinstance(ts.List(), Pair)


def test_attributes_are_there_only_when_the_class_asks() -> None:
    with pytest.raises(AttributeError):
        Pair(1).other = 3  # type: ignore[attr-defined]

    @ts.dataclass("test_objects.Open", eq=False)
    class Open(ts.Object):
        __slots__ = ("__dict__",)
        a: int

    it = Open(1)
    it.other = 3
    assert it.other == 3 and copy.copy(it).a == 1


def test_an_object_that_is_not_made_says_so() -> None:
    for use in (
        lambda it: it.a,
        lambda it: setattr(it, "a", 1),
        lambda it: it.same_as(it),
        copy.copy,
        pickle.dumps,
    ):
        with pytest.raises(RuntimeError, match="not made"):
            use(Pair.__new__(Pair))
    with pytest.raises(TypeError, match="not made"):
        echo(Pair.__new__(Pair))
    assert repr(Pair.__new__(Pair)) and Pair.__new__(Pair) != Pair(1)
    made = Pair(1)
    with pytest.raises(RuntimeError, match="made already"):
        made.__ffi_init__(2)
    with pytest.raises(TypeError):
        ts.Object()


def test_registering_twice_or_what_is_not_there_says_so() -> None:
    with pytest.raises(ValueError, match="registered already"):

        @ts.register_object("test_objects.Pair")
        class Other(ts.Object):
            pass

    with pytest.raises(ValueError, match="there is no type"):
        ts.register_object("test_objects.Nothing", Pair)
    with pytest.raises(TypeError, match="derived from tenspan.Object"):
        ts.register_object("test_objects.Pair", int)
    with pytest.raises(ValueError, match="defined already"):

        @ts.dataclass("test_objects.Pair")
        class Again(ts.Object):
            a: int

    with pytest.raises(TypeError):

        @ts.dataclass("test_objects.WrongDefault")
        class WrongDefault(ts.Object):
            a: int = "x"  # type: ignore[assignment]

    with pytest.raises(ValueError, match="stands twice"):

        @ts.dataclass("test_objects.Shadow")
        class Shadow(Pair):
            a: int


def test_a_class_without_annotations_is_a_type_of_its_own() -> None:
    @ts.dataclass("test_objects.Empty")
    class Empty(ts.Object):
        pass

    assert Empty() == Empty() and repr(Empty()) == "test_objects.Empty()"


def test_fields_have_docs() -> None:
    assert Everything.text.__doc__ == "Some text."
    assert Everything.text.__name__ == "text"  # type: ignore[attr-defined]


def test_lists_of_objects_are_dropped_in_any_order() -> None:
    node = None
    for i in range(20_000):
        node = Node(i, node)
    del node
    gc.collect()


def test_threads_make_read_and_set_objects() -> None:
    it = Everything(0)

    def work(thread: int) -> None:
        for i in range(500):
            it.text = f"a text of the thread {thread}"
            assert it.text.startswith("a text of the thread")
            assert Pair(i).a == i

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_native_classes_get_their_fields_and_methods(int_pair: Any) -> None:
    pair = int_pair(3, 4)
    assert (pair.a, pair.b, pair.sum(), pair.product()) == (3, 4, 7, 12)
    bound = pair.sum
    pair.a = 10
    assert bound() == 14 and int_pair.sum(pair) == 14
    assert int_pair.sum.__doc__ == "Both together." and int_pair.a.__doc__ == "The first."
    assert echo(pair) is pair and repr(pair) == "testing.IntPair(a=10, b=4)"
    with pytest.raises(TypeError):
        int_pair.sum(3)
    with pytest.raises(TypeError):
        int_pair.sum()


def test_unregistered_classes_are_made_by_themselves() -> None:
    kept = ts.List([Pair(1)])
    program = """
import pickle, tenspan as ts
ts.register_testing_funcs()
make = ts.convert
from tenspan import _tenspan
_tenspan._define("auto.Base", None, "A base.", [("a", "int", "The a.", 1, None)], True)
_tenspan._define("auto.Derived", "auto.Base", "", [("b", "ffi.String", "", 1, ("text",))], True)
it = _tenspan._rebuild("auto.Derived", {"a": 3})
assert type(it).__name__ == "Derived" and type(it).__module__ == "auto" and isinstance(it, ts.Object)
assert (it.a, it.b) == (3, "text") and type(it).a.__doc__ == "The a."
assert [base.__name__ for base in type(it).__mro__[:3]] == ["Derived", "Base", "Object"]
again = pickle.loads(pickle.dumps(it))
assert again == it and type(again) is type(it)
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    @ts.register_object("auto.Derived")
    class Derived(ts.Object):
        pass
assert "came along before" in str(seen[0].message), seen
assert isinstance(it, Derived) and type(_tenspan._rebuild("auto.Derived", {"a": 3})) is Derived
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert kept[0].a == 1


def test_importing_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Pair(1)


@pytest.fixture(scope="module")
def native() -> ts.Module:
    """The compiled module that defines `modules.Pair` and `modules.Triple`, built with the public headers of the ABI."""
    folder = os.environ.get("TENSPAN_MODULES", "")
    if not folder:
        pytest.skip("TENSPAN_MODULES names no folder of compiled modules")
    return ts.load_module(Path(folder) / "objects.so")


def test_classes_of_a_module_are_there_with_its_objects(native: ts.Module) -> None:
    pair = native.pair(3, 4)
    assert (pair.a, pair.b, pair.sum(), native.sum(pair)) == (3, 4, 7, 7)
    pair.a = 10
    assert native.sum(pair) == 14 and repr(pair).endswith("modules.Pair(a=10, b=4)")
    with pytest.raises(AttributeError):
        pair.b = 1
    with pytest.raises(TypeError, match="`a` of `modules.Pair`"):
        pair.a = "x"
    assert native.sums(ts.Array([pair, type(pair)(1, 2)])) == 17
    assert ts.List([pair])[0] is pair and echo(pair) is pair
    made = copy.copy(pair)
    made.a = 1
    assert pair.a == 10 and not made.same_as(pair)
    assert type(pair).a.__doc__ == "The first number." and type(pair).sum.__doc__ == "Both together."


def test_classes_of_a_module_follow_its_hierarchy(native: ts.Module) -> None:
    triple = native.triple(1, 2, "a name of some length")
    assert (triple.name, triple.a, triple.sum(), native.name(triple)) == ("a name of some length", 1, 3, triple.name)
    assert isinstance(triple, type(native.pair(1, 2))) and not isinstance(native.pair(1, 2), type(triple))
    with pytest.raises(TypeError):
        native.name(native.pair(1, 2))
    with pytest.raises(TypeError):
        native.sum(Pair(1))


def test_a_class_of_a_module_is_registered_and_constructed(native: ts.Module) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        @ts.register_object("modules.Triple")
        class Triple(ts.Object):
            def __init__(self, a: int, name: str) -> None:
                self.__ffi_init__(a, 2 * a, name)

    it: Any = Triple(2, "two")
    assert (it.a, it.b, it.name, it.sum()) == (2, 4, "two", 6)
    assert native.name(it) == "two" and type(native.triple(1, 1, "x")) is Triple
    with pytest.raises(TypeError, match="Expected 3 but got 1"):
        Triple.__new__(Triple).__ffi_init__(1)
    with pytest.raises(TypeError, match="no constructor"):
        pickle.loads(pickle.dumps(native.pair(1, 2)))
