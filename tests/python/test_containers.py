"""Containers: the manners of sequences and mappings, and that they are shared."""

import collections.abc as abc
import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest
import tenspan as ts

ts.register_testing_funcs()
echo: Any = ts.get_global_func("testing.echo")

ITEMS = [1, "two", None, 4.0, b"five and more bytes", [6]]


@pytest.mark.parametrize("kind", [ts.Array, ts.List])
def test_sequences_have_the_manners_of_sequences(kind: Any) -> None:
    seq = kind(ITEMS)
    assert len(seq) == 6 and list(seq) == ITEMS and list(reversed(seq)) == ITEMS[::-1]
    assert seq[0] == 1 and seq[-1] == [6] and seq[np.int64(1)] == "two" and seq[-6] == 1
    for key in (slice(1, 4), slice(None, None, -1), slice(-2, None), slice(5, 0, -2), slice(9, 2), slice(0, 99, 4)):
        part = seq[key]
        assert type(part) is kind and part == ITEMS[key]
    assert "two" in seq and 2 not in seq and [6] in seq and 1.0 not in seq
    assert seq.index(None) == 2 and seq.count(1) == 1 and seq.index([6], -1) == 5
    with pytest.raises(ValueError, match="'x' is not among the items"):
        seq.index("x")
    with pytest.raises(ValueError):
        seq.index(1, 1)
    assert seq + (7,) == [*ITEMS, 7] and [0] + seq == [0, *ITEMS] and type([0] + seq) is kind
    assert seq * 2 == ITEMS * 2 and 0 * seq == [] and seq + range(2) == [*ITEMS, 0, 1]
    assert kind() == [] and kind("ab") == ["a", "b"] and kind(i for i in (1, 2)) == (1, 2)
    for wrong in (7, -7, 2**70):
        with pytest.raises(IndexError):
            seq[wrong]
    for wrong in ("x", 1.0, None):
        with pytest.raises(TypeError):
            seq[wrong]
    with pytest.raises(TypeError):
        seq + 3
    with pytest.raises(TypeError):
        kind(3)
    match seq:
        case [1, "two", *rest]:
            assert len(rest) == 4
        case _:
            pytest.fail("no sequence to `match`")


def test_a_position_outside_is_named() -> None:
    with pytest.raises(IndexError, match="position 5 is outside of a list of 3 items"):
        ts.List([1, 2, 3])[5]
    with pytest.raises(IndexError, match="position -2 is outside of an array of 1 item"):
        ts.Array([1])[-2]


def test_sequences_are_equal_by_their_items() -> None:
    array, other = ts.Array(ITEMS), ts.List(ITEMS)
    assert array == other == ITEMS == array and array == tuple(ITEMS)
    assert array != ITEMS[:-1] and ts.Array([1]) != [True] and ts.Array([1]) != [1.0]
    assert array != "text" and array != {1: 2} and (ts.Array() == ts.Map()) is False
    assert ts.Array([float("nan")]) == [float("nan")]
    assert ts.Array([np.arange(3)]) == [np.arange(3)] and ts.Array([np.arange(3)]) != [np.arange(4)]
    assert hash(ts.Array([1, "a", (2,)])) == hash((1, "a", (2,))) and len({ts.Array([1]), ts.Array([1]), (1,)}) == 1
    for unhashable in (ts.List(), ts.Dict(), ts.Array([ts.List()]), ts.Map({1: ts.List()})):
        with pytest.raises(TypeError):
            hash(unhashable)


def test_they_count_as_the_classes_of_the_library() -> None:
    for kind, parent in [
        (ts.Array, abc.Sequence),
        (ts.Shape, abc.Sequence),
        (ts.List, abc.MutableSequence),
        (ts.Map, abc.Mapping),
        (ts.Dict, abc.MutableMapping),
    ]:
        assert issubclass(kind, parent) and isinstance(kind(), parent)  # type: ignore[operator]
        for name in dir(parent):
            assert name in ("__abstractmethods__", "__slots__", "_abc_impl") or hasattr(kind, name), f"{kind} has no {name}"
    assert not issubclass(ts.Array, abc.MutableSequence) and not issubclass(ts.Map, abc.MutableMapping)
    assert ts.Array[int] and ts.Dict[str, int]
    view = ts.Map({"a": 1})
    assert isinstance(view.keys(), abc.KeysView) and isinstance(view.values(), abc.ValuesView) and isinstance(view.items(), abc.ItemsView)


def test_lists_change_like_those_of_python() -> None:
    mine, model = ts.List(), []  # type: ignore[var-annotated]
    for step in (
        "x.append(1)",
        "x.extend([2, 3, 4])",
        "x.extend(x)",
        "x.insert(0, 'a')",
        "x.insert(-1, 'b')",
        "x.insert(99, 'c')",
        "x.insert(-99, 'd')",
        "x.pop()",
        "x.pop(0)",
        "x.pop(-2)",
        "x.remove(3)",
        "x.reverse()",
        "x.__setitem__(0, None)",
        "x.__setitem__(-1, [1])",
        "x.__setitem__(slice(1, 3), [7, 8, 9])",
        "x.__setitem__(slice(2, 2), 'xy')",
        "x.__setitem__(slice(None, None, 2), range(len(x[::2])))",
        "x.__setitem__(slice(3, 1), [0])",
        "x.__delitem__(1)",
        "x.__delitem__(-1)",
        "x.__delitem__(slice(1, 3))",
        "x.__delitem__(slice(None, None, -2))",
        "x.__iadd__([5, 6])",
        "x.__setitem__(slice(None), x)",
        "x.__setitem__(slice(1, 1), x)",
        "x.__delitem__(slice(0, 0))",
        "x.clear()",
        "x.append(0)",
    ):
        exec(step, {"x": mine, "range": range, "len": len, "slice": slice})
        exec(step, {"x": model, "range": range, "len": len, "slice": slice})
        assert mine == model and len(mine) == len(model), step
    with pytest.raises(ValueError, match="2 items cannot take the places of 1"):
        mine[::2] = [1, 2]
    with pytest.raises(IndexError, match="pop from an empty list"):
        ts.List().pop()
    for wrong in ("mine[5] = 1", "del mine[5]", "mine.pop(5)"):
        with pytest.raises(IndexError):
            exec(wrong)
    with pytest.raises(ValueError):
        mine.remove("not there")
    assert mine == [0]
    first = mine
    mine += [1]
    assert mine is first and first == [0, 1]
    twin = mine.copy()
    twin.append(2)
    assert mine == [0, 1] and copy.copy(mine) == mine and copy.copy(mine) is not mine


def test_a_list_is_shared_by_all_who_hold_it() -> None:
    inner = ts.List([1])
    outer = ts.Array([inner, {"k": inner}])
    inner.append(2)
    assert outer[0] is inner and outer[1]["k"] is inner and outer == [[1, 2], {"k": [1, 2]}]
    back = echo(inner)
    back[0] = "changed"
    assert inner == ["changed", 2] and back is inner


def test_iteration_sees_what_is_added() -> None:
    mine = ts.List([1, 2])
    seen = []
    for item in mine:
        seen.append(item)
        if len(mine) < 5:
            mine.append(item + 10)
    assert seen == [1, 2, 11, 12, 21]
    walk = iter(mine)
    mine.clear()
    assert list(walk) == [] and list(walk) == []


MAPPING = {"a": 1, 2: "b", None: [3], True: 4.0, 2.5: None}


@pytest.mark.parametrize("kind", [ts.Map, ts.Dict])
def test_mappings_have_the_manners_of_mappings(kind: Any) -> None:
    mine = kind(MAPPING)
    assert len(mine) == 5 and list(mine) == list(MAPPING) and dict(mine) == MAPPING
    assert mine["a"] == 1 and mine[True] == 4.0 and mine[2.5] is None and mine[None] == [3]
    assert "a" in mine and "b" not in mine and 1 not in mine
    assert mine.get("a") == 1 and mine.get("zz") is None and mine.get("zz", 7) == 7
    assert list(mine.keys()) == list(MAPPING) and list(mine.values()) == list(MAPPING.values())
    assert list(mine.items()) == list(MAPPING.items()) and list(reversed(mine)) == list(MAPPING)[::-1]
    assert mine == MAPPING and mine == ts.Map(MAPPING) == ts.Dict(MAPPING) and mine != {} and mine != [1]
    assert kind([("x", 1), ["y", 2]], z=3) == {"x": 1, "y": 2, "z": 3} and kind(a=1) == {"a": 1} and kind() == {}
    assert kind(kind(MAPPING)) == MAPPING and kind({"a": 1}) | {"b": 2} == {"a": 1, "b": 2}
    assert {"a": 0, "c": 3} | kind({"a": 1}) == {"a": 1, "c": 3} and type({} | mine) is kind
    for key in ("missing", 3, (1, 2)):
        with pytest.raises(KeyError) as caught:
            mine[key]
        assert caught.value.args == (key,)
    for wrong in (3, [1], [(1, 2, 3)]):
        with pytest.raises((TypeError, ValueError)):
            kind(wrong)
    match mine:
        case {"a": one}:
            assert one == 1
        case _:
            pytest.fail("no mapping to `match`")


def test_views_are_sets_and_live() -> None:
    mine = ts.Dict({"a": 1, "b": 2})
    keys, values, items = mine.keys(), mine.values(), mine.items()
    assert keys & {"a", "z"} == {"a"} and keys | {"z"} == {"a", "b", "z"} and keys - {"a"} == {"b"} and {"a"} <= keys
    assert keys == {"a", "b"} and items == {("a", 1), ("b", 2)} and ("a", 1) in items and ("a", 2) not in items and 1 in values
    mine["c"] = 3
    assert list(keys) == ["a", "b", "c"] and len(values) == 3 and list(reversed(items))[0] == ("c", 3)
    assert repr(keys) == "KeysView(['a', 'b', 'c'])" and keys.mapping is mine and "x" not in items


def test_dicts_change_like_those_of_python() -> None:
    mine, model = ts.Dict(), {}  # type: ignore[var-annotated]
    steps = [f"x[{key!r}] = {i}" for i, key in enumerate(["a", "b", "long enough a key", 1, 2, 3, 4, 5, "a", 2])]
    steps += ["del x['b']", "x.pop(1)", "x.pop('no', 0)", "x.update({'u': 1}, v=2)", "x.update([(9, 9)])", "x.setdefault('u', 5)"]
    steps += ["x.setdefault('w')", "x.popitem()", "x.__ior__({'q': 1, 'a': 0})", "x['b'] = None"]
    for step in steps:
        exec(step, {"x": mine})
        exec(step, {"x": model})
        assert list(mine.items()) == list(model.items()), step
    for _ in range(2):
        for i in range(1000):
            mine[i] = model[i] = i
        for i in range(0, 1000, 3):
            del mine[i], model[i]
        assert list(mine.items()) == list(model.items())
    for wrong in ("del x['none']", "x.pop('none')"):
        with pytest.raises(KeyError) as caught:
            exec(wrong, {"x": mine})
        assert caught.value.args == ("none",)
    mine.clear()
    with pytest.raises(KeyError):
        mine.popitem()
    twin = mine.copy()
    twin["x"] = 1
    assert mine == {} and copy.copy(twin) == twin


def test_keys_are_compared_with_their_type() -> None:
    mine = ts.Dict()
    mine[1], mine[True], mine[1.0], mine["1"] = "int", "bool", "float", "str"
    assert len(mine) == 4 and mine[1] == "int" and mine[True] == "bool" and mine[1.0] == "float"
    assert mine[np.int64(1)] == "int" and mine[np.bool_(True)] == "bool"


def test_shapes_are_like_tuples() -> None:
    shape = ts.Shape((2, 3, 4))
    assert shape == (2, 3, 4) == shape and shape == [2, 3, 4] and shape != (2, 3) and hash(shape) == hash((2, 3, 4))
    assert shape[0] == 2 and shape[-1] == 4 and shape[1:] == (3, 4) and isinstance(shape[1:], ts.Shape)
    assert list(shape) == [2, 3, 4] and list(reversed(shape)) == [4, 3, 2] and 3 in shape and 9 not in shape and "x" not in shape
    assert shape + (5,) == (2, 3, 4, 5) and (1,) + shape == (1, 2, 3, 4) and ts.Shape() == () and ts.Shape(7) == (7,)
    assert repr(shape) == "Shape([2, 3, 4])" and shape.index(4) == 2 and shape.count(2) == 1
    assert echo(shape) is shape and tuple(shape) == (2, 3, 4) and ts.zeros(shape).shape == (2, 3, 4)
    with pytest.raises(IndexError):
        shape[3]
    with pytest.raises(TypeError):
        ts.Shape(("x",))


def test_texts_of_containers() -> None:
    assert repr(ts.Array([1, "a", None])) == "Array([1, 'a', None])" and repr(ts.Array()) == "Array([])"
    assert repr(ts.Map({"k": [1]})) == "Map({'k': Array([1])})" and str(ts.List([1.5])) == "List([1.5])"
    ring = ts.List([1])
    ring.append(ring)
    assert repr(ring) == "List([1, List([...])])"
    mapping = ts.Dict()
    mapping["self"] = mapping
    assert repr(mapping) == "Dict({'self': Dict({...})})"
    ring.clear()
    mapping.clear()


def test_lists_that_hold_themselves_are_compared_and_copied() -> None:
    a, b = ts.List([1]), ts.List([1])
    a.append(a)
    b.append(b)
    assert a == b
    twin = copy.deepcopy(a)
    assert twin[1] is twin and twin is not a
    again = pickle.loads(pickle.dumps(a))
    assert again[1] is again and again[0] == 1
    for ring in (a, b, twin, again):
        ring.clear()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_containers_are_pickled(protocol: int) -> None:
    for value in (
        ts.Array(ITEMS),
        ts.List(ITEMS),
        ts.Map(MAPPING),
        ts.Dict(MAPPING),
        ts.Shape((1, 2)),
        ts.Array(),
        ts.Array([ts.zeros((2,))]),
    ):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert type(again) is type(value) and again == value
        assert copy.deepcopy(value) == value and copy.copy(value) == value


def test_a_container_is_one_object_while_it_lives() -> None:
    outer = ts.Array([[1], {"k": 2}, ts.Shape((3,))])
    for i in range(3):
        kept = outer[i]
        assert outer[i] is kept and echo(kept) is kept and next(item for item in outer if item is kept) is kept
        seen = weakref.ref(kept)
        del kept
        gc.collect()
        assert seen() is None
        assert outer[i] is not None


def test_what_is_nested_deep_is_dropped_compared_and_written_out() -> None:
    a, b = ts.Array(), ts.Array()
    for _ in range(100_000):
        a, b = ts.Array([a]), ts.Array([b])
    assert a == b and "..." in repr(a)
    del a, b


def test_large_containers() -> None:
    numbers = list(range(100_000))
    assert list(ts.Array(numbers)) == numbers and sum(ts.List(numbers)) == sum(numbers)
    mapping = ts.Dict(zip(map(str, numbers), numbers))
    assert len(mapping) == 100_000 and mapping["99999"] == 99_999 and list(mapping.values()) == numbers
    with pytest.raises(MemoryError):
        ts.Array([1]) * 2**60


def test_functions_of_the_library_take_containers() -> None:
    assert ts.asarray(ts.Array([[1, 2], [3, 4]])).tolist() == [[1, 2], [3, 4]]
    assert ts.zeros(ts.Array([2, 3])).shape == (2, 3)
    assert ts.equal(ts.Array([1]), [1]) and not ts.equal(1, 1.0)
