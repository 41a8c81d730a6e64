"""Functions: calls, arguments of every kind, callables of Python, errors, identity."""

import collections
import copy
import ctypes
import decimal
import enum
import fractions
import functools
import gc
import pickle
import sys
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tenspan as ts

ts.register_testing_funcs()


def native(name: str) -> ts.Function:
    function = ts.get_global_func(f"testing.{name}")
    assert function is not None
    return function


nop, echo, count, apply = (native(name) for name in ("nop", "echo", "count", "apply"))


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**100, -(2**127), 0.5, float("inf"), "", "seven77", "eight888"]
    + ["ä" * 200, "nul\0inside of a text", b"", b"7 bytes", b"eight888", 1 + 2j],
    ids=repr,
)
def test_plain_values_come_back(value: Any) -> None:
    back = echo(value)
    assert back == value and type(back) is type(value)


@pytest.mark.parametrize("bits", [63, 64, 65, 127, 128, 129, 191, 192, 200, 1000, 64 * 50])
def test_numbers_of_any_size_come_back(bits: int) -> None:
    for number in (2**bits, 2**bits - 1, -(2**bits), -(2**bits) - 1, 3**bits // 7):
        assert echo(number) == number and echo([number])[0] == number
        assert apply(lambda x: -x, number) == -number
        assert ts.Dict({number: 1})[number] == 1 and ts.equal(number, number) and not ts.equal(number, number + 1)

        class Derived(int):
            def __rshift__(self, other: Any) -> int:
                raise AssertionError

            bit_length = to_bytes = __rshift__  # type: ignore[assignment]

        assert echo(Derived(number)) == number
    with pytest.raises(OverflowError, match=f"argument .*{2**bits} is not between"):
        native("add_one")(2**bits)


class Colour(enum.IntEnum):
    RED = 3


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float32(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (ml_dtypes.bfloat16(0.5), 0.5),
        (np.bool_(True), True),
        (np.complex64(1 + 2j), 1 + 2j),
        (np.str_("text"), "text"),
        (Colour.RED, 3),
        (Text("text"), "text"),
        (bytearray(b"some bytes"), b"some bytes"),
        (memoryview(b"some bytes"), b"some bytes"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_of_other_classes_are_passed_as_what_they_are(value: Any, wanted: Any) -> None:
    back = echo(value)
    assert back == wanted and type(back) is type(wanted)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, range(3), decimal.Decimal("0.1"), fractions.Fraction(1, 3), iter([1]), sys, property()],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_come_back_as_themselves(value: Any) -> None:
    assert echo(value) is value
    assert echo([value])[0] is value


def test_pointers_of_ctypes_are_addresses() -> None:
    back = echo(ctypes.c_void_p(0x1234))
    assert isinstance(back, ctypes.c_void_p) and back.value == 0x1234
    assert echo(ctypes.c_void_p(0)).value is None


def test_surrogates_are_no_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        echo("\ud800")


def test_arrays_are_passed_without_a_copy() -> None:
    for array in (
        np.arange(6.0).reshape(2, 3),
        np.arange(12)[::-2],
        np.zeros((0, 3), np.float32),
        np.array(5, np.int16),
        np.zeros((1, 2, 1, 2, 1, 2)),
        np.asfortranarray(np.ones((2, 3), np.complex64)),
        np.array([True, False]),
        np.zeros(3, ml_dtypes.bfloat16),
    ):
        back = echo(array)
        assert isinstance(back, ts.Tensor) and back.owner is array
        assert back.shape == array.shape and back.tolist() == array.tolist()
        assert array.size == 0 or back.data_ptr == array.ctypes.data


def test_arrays_that_only_one_call_sees_leave_nothing_behind() -> None:
    array = np.arange(4, dtype=np.float32)
    before = sys.getrefcount(array)
    for _ in range(100):
        nop(array, array, array)
    assert sys.getrefcount(array) == before
    kept = [echo(array) for _ in range(20)]
    assert len({tensor.data_ptr for tensor in kept}) == 1 and len(set(map(id, kept))) == 20
    other = np.zeros(7)
    assert echo(other).shape == (7,) and kept[0].shape == (4,) and kept[-1].tolist() == [0, 1, 2, 3]
    kept.clear()
    assert sys.getrefcount(array) == before


def test_read_only_arrays_stay_so() -> None:
    array = np.arange(3.0)
    array.setflags(write=False)
    assert echo(array).readonly
    array.setflags(write=True)
    assert not echo(array).readonly


@pytest.mark.parametrize(
    "array",
    [np.array([object()]), np.array(["a"]), np.zeros(2, ">f4"), np.zeros(2, "M8[s]"), np.zeros(2, [("a", "i4")])],
    ids=lambda array: str(array.dtype),
)
def test_arrays_that_are_no_tensors_are_refused(array: Any) -> None:
    with pytest.raises(TypeError):
        echo(array)


def test_dtypes_and_devices_are_values() -> None:
    assert echo(ts.DType("q4_k")) == ts.DType("q4_k")
    assert echo(np.dtype("float32")) == ts.DType("float32")
    assert echo(ts.Device("cuda:1")) == ts.Device("cuda:1") and echo(ts.Device("cpu")).device_type == 1
    assert pickle.loads(pickle.dumps(ts.Device("rocm:2"))).device_id == 2


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 40, 300])
def test_any_number_of_arguments(n: int) -> None:
    values = [[i] if i % 3 else "text of some length" for i in range(n)]
    assert count(*values) == n
    assert apply(lambda *args: len(args), *values) == n
    assert list(apply(lambda *args: args, *values)) == values


def test_containers_become_containers() -> None:
    back = echo([1, (2, "x"), {"k": [None]}])
    assert isinstance(back, ts.Array) and isinstance(back[1], ts.Array) and isinstance(back[2], ts.Map)
    assert back == [1, (2, "x"), {"k": [None]}]
    point = collections.namedtuple("point", "x y")
    assert echo(point(1, 2)) == (1, 2)
    assert echo(collections.OrderedDict(b=1, a=2)) == {"a": 2, "b": 1}
    shared = [1]
    both = echo([shared, shared])
    assert both[0] is both[1]


def test_what_holds_itself_is_a_type_error() -> None:
    ring: list[Any] = [1]
    ring.append([ring])
    with pytest.raises(TypeError, match="cycle") as caught:
        echo(ring)
    assert "argument 0, `value`, of `testing.echo`" in caught.value.__notes__[0]
    mapping: dict[str, Any] = {}
    mapping["self"] = mapping
    with pytest.raises(TypeError, match="cycle"):
        echo(mapping)


def test_what_is_nested_very_deep_is_a_type_error() -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(TypeError, match="nested more than"):
        echo(deep)
    while deep:
        deep = deep.pop()


def test_lists_that_share_much_take_no_more_time_than_they_have_items() -> None:
    tree: list[Any] = [1]
    for _ in range(100):
        tree = [tree, tree]
    assert len(echo(tree)) == 2


class Valued:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __tenspan_value__(self) -> Any:
        return self.value


def test_the_value_protocol_is_followed() -> None:
    assert echo(Valued(Valued([Valued(1)]))) == [1]
    loop = Valued(None)
    loop.value = [loop]
    with pytest.raises(TypeError, match="cycle"):
        echo(loop)
    deep = Valued(0)
    for _ in range(10_000):
        deep = Valued(deep)
    with pytest.raises(TypeError, match="nested more than"):
        echo(deep)


def make(name: str, result: Any) -> Any:
    return type("Made", (), {name: lambda self: result})()


@pytest.mark.parametrize("prefix", ["tenspan", "tvm_ffi"])
def test_what_a_protocol_gives_is_checked(prefix: str) -> None:
    for name, wrong in [("object", [1]), ("int", 1.5), ("float", "x"), ("opaque_ptr", "x")]:
        with pytest.raises(TypeError):
            echo(make(f"__{prefix}_{name}__", wrong))


def test_tensors_of_others_are_passed() -> None:
    array = np.arange(3.0)

    class Other:
        def __dlpack__(self, **options: Any) -> Any:
            return array.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    back = echo(Other())
    assert back.tolist() == [0.0, 1.0, 2.0] and back.data_ptr == array.ctypes.data


def test_a_protocol_is_looked_up_on_the_class() -> None:
    thing = object.__new__(type("Thing", (), {}))
    thing.__tenspan_value__ = lambda: 1  # type: ignore[attr-defined]
    assert echo(thing) is thing


def test_what_a_protocol_raises_is_raised() -> None:
    class Bad:
        def __tenspan_value__(self) -> None:
            raise LookupError("no value")

    with pytest.raises(LookupError, match="no value"):
        echo(Bad())


def test_callables_are_functions() -> None:
    class Counter:
        total = 0

        def add(self, n: int) -> int:
            self.total += n
            return self.total

    counter = Counter()
    assert apply(counter.add, 2) == 2 and apply(counter.add, 3) == 5
    assert apply(functools.partial(pow, 2), 10) == 1024
    assert apply(max, 3, 9, 4) == 9
    assert apply(int, "12") == 12
    assert apply(apply, apply, echo, "x") == "x"
    assert apply(ts.Function(lambda x: x + 1), 1) == 2


def test_each_call_passes_the_callable_that_it_is_given() -> None:
    for i in range(50):
        assert apply(lambda i=i: i) == i
        # The inner one is passed while the outer one is.
        assert apply(lambda i=i: apply(lambda: i) + apply(lambda x: x, 1)) == i + 1
        callables = [lambda i=i, k=k: (i, k) for k in range(12)]
        many = ts.Function(lambda *functions: [function() for function in functions])
        assert [tuple(pair) for pair in many(*callables)] == [(i, k) for k in range(12)]


def test_a_callable_that_only_one_call_sees_leaves_nothing_behind() -> None:
    def passed(x: int) -> int:
        return x

    gone = weakref.ref(passed)
    assert apply(passed, 3) == 3
    del passed
    assert gone() is None
    # One that was kept is not lent to the next call.
    native("keep")(lambda: "kept")
    assert apply(lambda: "passed") == "passed"
    seen: list[Any] = []
    apply(lambda function: seen.append(function), lambda: "seen")
    assert apply(lambda: "next") == "next" and seen[0]() == "seen" and native("release")() == 1


def test_a_callable_called_by_name_is_not_lent_again() -> None:
    def call_by_name(function: Any) -> Any:
        return function(b=1, a=2)

    assert apply(call_by_name, lambda a, b: (a, b)) == (2, 1)
    assert apply(call_by_name, lambda b, a: (a, b)) == (2, 1)


def test_a_function_is_one_object() -> None:
    def mine(x: Any) -> Any:
        return x

    function = ts.convert(mine)
    assert isinstance(function, ts.Function) and ts.convert(function) is function and ts.Function(mine) is function
    assert echo(mine) is function and echo(function) is function and echo([mine, mine])[1] is function
    named = ts.register_global_func("test.one_object", mine)
    assert named is function and ts.get_global_func("test.one_object") is function
    assert hash(function) == hash(echo(mine)) and function == echo(mine) and function != echo and function != mine
    seen: list[Any] = []
    apply(seen.append, nop)
    assert seen == [nop] and seen[0] is nop


def test_functions_have_weak_references_attributes_and_texts() -> None:
    function = ts.Function(lambda a, b: a)
    function.note = "mine"  # type: ignore[attr-defined]
    assert function.__dict__ == {"note": "mine"}
    seen = weakref.ref(function)
    del function
    assert seen() is None
    assert repr(echo) == "<tenspan.Function testing.echo(value)>" and echo.name == "testing.echo" and echo.__name__ == echo.name
    assert echo.parameters == ("value",) and ts.Function(len).parameters == ("obj",)
    assert copy.copy(echo) is echo and copy.deepcopy(echo) is echo
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(echo)
    with pytest.raises(TypeError):
        ts.Function(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ts.Function()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        type("Derived", (ts.Function,), {})


def test_the_collector_takes_functions_in_cycles() -> None:
    class Holder:
        function: Any

        def call(self) -> None: ...

    holder = Holder()
    holder.function = ts.Function(holder.call)
    seen = weakref.ref(holder)
    del holder
    gc.collect()
    assert seen() is None


def test_the_interpreter_is_released_for_native_functions() -> None:
    assert nop.release_gil and not ts.Function(len).release_gil
    nop.release_gil = False
    assert not nop.release_gil and nop(1) is None
    nop.release_gil = True
    with pytest.raises(AttributeError):
        del nop.release_gil


def test_arguments_are_given_by_name() -> None:
    add = native("add_one")
    assert add(x=1) == 2
    assert native("raise").parameters == ("kind", "message")
    with pytest.raises(ValueError, match="^text"):
        native("raise")(message="text", kind="ValueError")
    with pytest.raises(TypeError, match="no parameter `y`; it has x"):
        add(y=1)
    with pytest.raises(TypeError, match="`x` is given twice"):
        add(1, x=1)
    with pytest.raises(TypeError, match="`kind`, is missing"):
        native("raise")(message="text")

    def mine(a: int, b: int = 20, *rest: int) -> int:
        return a + b + sum(rest)

    function = ts.Function(mine)
    assert function(b=1, a=2) == 3 and function(a=2) == 22 and function(1, 2, 3) == 6
    with pytest.raises(TypeError, match="missing"):
        function(b=1)
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(1, z=1)
    with pytest.raises(TypeError, match="only be given by name"):
        ts.Function(lambda *, key: key)(key=1)


def test_functions_are_found_by_name() -> None:
    @ts.register_global_func("test.by_name")
    def first() -> int:
        return 1

    def second() -> int:
        return 2

    assert first() == 1
    assert ts.get_global_func("test.by_name")() == 1  # type: ignore[misc]
    with pytest.raises(RuntimeError, match="registered already"):
        ts.register_global_func("test.by_name", second)
    replaced = ts.register_global_func("test.by_name", second, override=True)
    assert ts.get_global_func("test.by_name") is replaced and replaced() == 2
    assert "test.by_name" in ts.list_global_func_names()
    assert ts.remove_global_func("test.by_name") and not ts.remove_global_func("test.by_name")
    assert replaced() == 2
    with pytest.raises(ValueError, match="there is no global function `test.by_name`"):
        ts.get_global_func("test.by_name")
    assert ts.get_global_func("test.by_name", allow_missing=True) is None
    with pytest.raises(ValueError, match="did you mean `testing.echo`"):
        ts.get_global_func("testing.ehco")
    named = ts.register_global_func(second)
    assert ts.get_global_func("second") is named and ts.remove_global_func("second")
    for wrong in (3, None):
        with pytest.raises(TypeError):
            ts.register_global_func(wrong)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="callable"):
        ts.register_global_func("test.number", 3)  # type: ignore[call-overload]


def test_convert_gives_what_a_call_would_pass() -> None:
    array = np.arange(2.0)
    assert ts.convert([1, "a"]) == [1, "a"] and isinstance(ts.convert((1,)), ts.Array)
    assert isinstance(ts.convert({1: 2}), ts.Map) and ts.convert(array).owner is array
    for value in (1, "text", None, b"bytes", 0.5):
        assert ts.convert(value) is value
    thing = object()
    assert ts.convert(thing) is thing and ts.convert(ts.convert([1])) == [1]


def test_numbers_are_not_cut_short() -> None:
    with pytest.raises(OverflowError, match="not between"):
        native("narrow")(2**31)
    assert native("narrow")(-(2**31)) == -(2**31)
    with pytest.raises(OverflowError):
        native("add_one")(2**63)
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError, match=r"argument 0 \(`x`\) wants an integer"):
            native("add_one")(wrong)


def test_the_same_tensor_is_one_object() -> None:
    tensor = ts.zeros((2,))
    assert echo(tensor) is tensor and echo([tensor])[0] is tensor
    seen: list[Any] = []
    apply(seen.append, tensor)
    assert seen[0] is tensor
    kept = ts.Array([tensor])
    first = id(tensor)
    del tensor, seen
    again = kept[0]
    assert kept[0] is again and isinstance(first, int)


class Special(ValueError):
    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


def raiser(error: BaseException) -> Callable[..., None]:
    def call(*_: Any) -> None:
        raise error from LookupError("cause")

    return call


@pytest.mark.parametrize(
    "error",
    [
        Special("special", 7),
        KeyError("k"),
        KeyboardInterrupt(),
        SystemExit(3),
        StopIteration(1),
        ZeroDivisionError(),
        OSError(2, "gone"),
        NotImplementedError("x"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "y"),
        GeneratorExit(),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("way", ["apply", "apply_in_thread"])
def test_an_exception_comes_home_as_it_was(error: BaseException, way: str) -> None:
    with pytest.raises(type(error)) as caught:
        native(way)(apply, raiser(error))
    assert caught.value is error
    assert isinstance(caught.value.__cause__, LookupError)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[0] == "test_an_exception_comes_home_as_it_was" and names[-1] == "call"


def test_native_errors_are_exceptions_of_their_kind() -> None:
    fail = native("raise")
    for kind in (ValueError, TypeError, KeyError, IndexError, AttributeError, RuntimeError, AssertionError, MemoryError, OverflowError):
        with pytest.raises(kind) as caught:
            fail(kind.__name__, "the message")
        assert caught.value.args[0] == "the message" and caught.value.kind == kind.__name__  # type: ignore[attr-defined]
        assert "in testing.raise" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="^the message") as unknown:
        fail("SomethingElse", "the message")
    assert isinstance(unknown.value, ts.Error) and unknown.value.kind == "SomethingElse"
    assert type(unknown.value).__name__ == "SomethingElse"
    with pytest.raises(ts.ShapeMismatchError):
        fail("ShapeMismatch", "x")


def test_a_panic_is_an_error() -> None:
    with pytest.raises(ts.InternalError, match="panicked: on purpose"):
        native("panic")("on purpose")
    assert nop() is None


def test_kinds_are_registered() -> None:
    @ts.register_error
    class TestKind(RuntimeError):
        pass

    @ts.register_error("test.Other")
    class Other(Exception):
        pass

    with pytest.raises(TestKind, match="^x"):
        native("raise")("TestKind", "x")
    with pytest.raises(Other, match="^y"):
        native("raise")("test.Other", "y")
    assert ts.register_error("test.Third", Other) is Other
    with pytest.raises(Other):
        native("raise")("test.Third", "z")
    for wrong in (3, int):
        with pytest.raises(TypeError, match="class of exceptions"):
            ts.register_error("x", wrong)  # type: ignore[call-overload]


def test_exceptions_are_values() -> None:
    error = Special("special", 1)
    assert echo(error) is error and echo([error])[0] is error
    seen: list[Any] = []
    apply(seen.append, error)
    assert seen[0] is error


def test_an_exception_leaves_no_cycle() -> None:
    class Big:
        pass

    def call() -> None:
        big = Big()
        seen.append(weakref.ref(big))
        raise ValueError("x")

    seen: list[Any] = []
    gc.disable()
    try:
        try:
            apply(call)
        except ValueError:
            pass
        assert seen[0]() is None
    finally:
        gc.enable()


def test_objects_go_when_nobody_holds_them() -> None:
    class Thing:
        pass

    thing = Thing()
    seen = weakref.ref(thing)
    kept = echo([thing])
    del thing
    assert seen() is not None
    del kept
    assert seen() is None
    thing = Thing()
    seen = weakref.ref(thing)
    native("keep")(thing)
    del thing
    assert seen() is not None and native("release")() == 1
    assert seen() is None


def test_an_object_is_equal_to_itself_in_containers() -> None:
    thing = object()
    array = ts.Array([thing, len])
    assert thing in array and len in array and array == [thing, len] and object() not in array
    assert ts.Dict({thing: 1})[thing] == 1


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    """Leave the registry as it was."""
    before = set(ts.list_global_func_names())
    yield
    for name in set(ts.list_global_func_names()) - before:
        ts.remove_global_func(name)
