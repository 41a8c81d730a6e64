"""What crashes, is cut short or gets lost where others call functions across languages, and its right outcome here.

Each test names what it is about; what other files show is not repeated.
"""

import ctypes
import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
import tenspan as ts

ts.register_testing_funcs()


def native(name: str) -> ts.Function:
    function = ts.get_global_func(f"testing.{name}")
    assert function is not None
    return function


echo, apply, add_one, narrow = (native(name) for name in ("echo", "apply", "add_one", "narrow"))

CLASSES = [ts.Array, ts.List, ts.Map, ts.Dict, ts.Shape, ts.Function, ts.Tensor, ts.Device, ts.DType, ts.Object, ts.Context, ts.File, ts.Metadata]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_object_made_by_new_alone_is_a_type_error_or_works(cls: Any) -> None:
    """Handles that are null crash others at first use."""
    try:
        made = cls.__new__(cls)
    except TypeError:
        return
    # An empty container is made by its `__new__`; all of its methods work.
    assert len(made) == 0 and repr(made) and type(echo(made)) is cls


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_object_new_does_not_make_one(cls: Any) -> None:
    with pytest.raises(TypeError):
        object.__new__(cls)


@pytest.mark.parametrize("wrong", [1.5, 1.0, "1", None, [1], b"1"], ids=repr)
def test_only_whole_numbers_are_whole_numbers(wrong: Any) -> None:
    with pytest.raises(TypeError, match="wants an integer"):
        add_one(wrong)


@pytest.mark.parametrize("value", [np.uint64(2**63), np.uint64(2**64 - 1), np.int64(2**31), 2**31, 2**63, -(2**31) - 1, 2**200])
def test_a_number_is_never_cut_to_32_bits(value: Any) -> None:
    with pytest.raises(OverflowError, match="not between"):
        narrow(value)
    with pytest.raises(OverflowError, match="not between"):
        apply(narrow, value)


def test_numbers_past_the_largest_with_a_sign_do_not_become_negative() -> None:
    assert add_one(2**63 - 1) == 2**63 and apply(add_one, 2**63 - 1) == 2**63
    assert ts.full((1,), 2**64 - 1, "uint64").tolist() == [2**64 - 1]


@pytest.mark.parametrize("value", [np.bool_(True), np.bool_(False), np.array(True)[()]])
def test_a_boolean_of_numpy_is_a_boolean(value: Any) -> None:
    assert echo(value) is bool(value) and echo([value])[0] is bool(value)
    assert add_one(value) == bool(value) + 1
    assert apply(lambda x: type(x).__name__, value) == "bool"


def test_what_is_read_only_stays_so_on_every_way() -> None:
    array = np.arange(3.0)
    array.setflags(write=False)
    for passed in (array, memoryview(array), ts.asarray(array)):
        back = echo(passed)
        assert back.readonly
        assert not np.from_dlpack(back).flags.writeable and not np.asarray(back).flags.writeable
        with pytest.raises(ts.ReadOnlyError):
            back[0] = 1.0


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "x" * 100 + "\ud83d"], ids=ascii)
def test_half_a_character_is_no_text_anywhere(text: str) -> None:
    for work in (lambda: echo(text), lambda: echo([text]), lambda: ts.Dict({text: 1}), lambda: apply(lambda: text), lambda: ts.List().append(text)):
        with pytest.raises(UnicodeEncodeError):
            work()


@pytest.mark.parametrize("address", [0, 1, 2**64 - 1])
def test_every_address_comes_back(address: int) -> None:
    back = echo(ctypes.c_void_p(address))
    assert isinstance(back, ctypes.c_void_p) and (back.value or 0) == address


def test_a_device_and_a_dtype_may_be_texts() -> None:
    assert native("stream")("cuda:1").value is None
    with pytest.raises(ValueError, match="there is no device `nope`"):
        native("stream")("nope")
    with pytest.raises(TypeError, match="wants a device"):
        native("stream")(1.5)


class Selfish:
    asked = 0

    def __tenspan_value__(self) -> Any:
        Selfish.asked += 1
        return self


def test_a_value_that_is_itself_is_asked_once() -> None:
    for argument in (Selfish(), [Selfish()], {"k": (Selfish(),)}):
        Selfish.asked = 0
        with pytest.raises(TypeError, match="cycle"):
            echo(argument)
        assert Selfish.asked == 1
    with pytest.raises(TypeError, match="cycle"):
        apply(lambda: Selfish())


def test_lists_that_hold_themselves_are_shown_compared_and_hashed() -> None:
    def ring() -> ts.List:
        made = ts.List([1])
        made.append(made)
        return made

    a, b = ring(), ring()
    assert a == b and ts.equal(a, b) and "..." in repr(a) and a[1] is a and a[1][1][1] is a
    assert ts.Array([a]) == ts.Array([b])
    with pytest.raises(TypeError, match="unhashable"):
        hash(ts.Array([a]))
    b.append(2)
    assert a != b
    a.clear(), b.clear()  # what holds itself would stay


def test_what_is_nested_200_000_deep_is_refused_or_kept_whole() -> None:
    deep: Any = ()
    for _ in range(200_000):
        deep = (deep,)
    with pytest.raises(TypeError, match="nested more than"):
        apply(lambda x: None, deep)
    while deep:
        deep = deep[0]
    built = ts.Array()
    for _ in range(200_000):
        built = ts.Array([built])
    assert "..." in repr(built) and ts.equal(built, built) and echo(built) is built
    del built  # destroyed one after the other


def test_items_are_one_object_each_time() -> None:
    array = ts.Array([ts.Array([1]), ts.List([2]), ts.Map({3: 4}), ts.zeros((2,)), len, {}])
    for i in range(len(array)):
        assert array[i] is array[i]


def test_an_array_of_numpy_made_of_a_tensor_has_numbers() -> None:
    assert np.asarray(echo(np.arange(3.0))).dtype == np.float64


def test_the_key_of_a_missing_one_is_the_key() -> None:
    for key in ("k", 5, True, None, (1, 2), 2**70, b"bytes of some length"):
        for container in (ts.Map({"a": 1}), ts.Dict({"a": 1})):
            with pytest.raises(KeyError) as caught:
                container[key]
            assert caught.value.args == (key,)
    metadata = ts.Metadata()
    with pytest.raises(KeyError) as caught:
        metadata.type_of("absent")
    assert caught.value.args == ("absent",) and "no metadata" in caught.value.__notes__[0]
    error = KeyError("k")
    with pytest.raises(KeyError) as caught:
        apply(apply, lambda: (_ for _ in ()).throw(error))
    assert caught.value is error and str(caught.value) == "'k'"


class Custom(ZeroDivisionError):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.details = {"a": 1}


def test_nothing_of_an_exception_is_lost() -> None:
    def work() -> None:
        try:
            raise LookupError("first")
        except LookupError as first:
            try:
                raise Custom("second")
            except Custom as second:
                second.add_note("a note")
                raise second from first

    with pytest.raises(Custom) as caught:
        native("apply_in_thread")(apply, work)
    error = caught.value
    assert error.details == {"a": 1} and error.__notes__ == ["a note"] and str(error.__cause__) == "first"
    assert error.__context__ is error.__cause__

    def implicit() -> None:
        try:
            raise LookupError("first")
        except LookupError:
            raise Custom("second") from None

    with pytest.raises(Custom) as caught:
        apply(implicit)
    assert str(caught.value.__context__) == "first" and caught.value.__suppress_context__


def test_an_exception_leaves_no_cycle() -> None:
    class Witness(Exception):
        pass

    def work() -> None:
        raise Witness

    def run() -> Any:
        try:
            apply(work)
        except Witness as error:
            return weakref.ref(error)

    gc.collect()
    gc.disable()
    try:
        assert run()() is None
    finally:
        gc.enable()


def test_functions_of_python_are_functions() -> None:
    function = ts.Function(lambda x: x + 1)
    assert function(1) == 2 and weakref.ref(function)() is function
    before = sys.getrefcount(len)
    for _ in range(100):
        ts.Function(len)("abc")
    assert sys.getrefcount(len) <= before + 1


def test_what_goes_in_a_circle_through_a_container_stays_until_it_is_cut() -> None:
    """The collector does not look into containers, which other languages may hold."""

    class Node:
        def __init__(self) -> None:
            self.others = ts.List([])

    node = Node()
    node.others.append(node)
    seen = weakref.ref(node)
    del node
    gc.collect()
    left = seen()
    assert left is not None
    left.others.clear()
    del left
    gc.collect()
    assert seen() is None
