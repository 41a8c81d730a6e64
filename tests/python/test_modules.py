"""Compiled modules: loaded, called with the calls of all languages, and refused."""

import gc
import json
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tenspan as ts

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors" / "modules"
CALLS = json.loads((ROOT / "tests" / "modules" / "calls.json").read_text(encoding="utf-8"))
#: Where `tests/modules/build.sh` put the modules; `cargo verify` says so.
MODULES = os.environ.get("TENSPAN_MODULES", "")

pytestmark = pytest.mark.skipif(not MODULES, reason="TENSPAN_MODULES names no folder of compiled modules")


def fail() -> None:
    raise ValueError("no luck")


CALLBACKS = {
    "double": lambda x: 2 * x,
    "sum": lambda a, b: a + b,
    "seven": lambda: 7,
    "fail": fail,
    "text": lambda *_: "a text of more than seven bytes",
}


def decode(value: Any) -> Any:
    """A value of the list of calls."""
    if isinstance(value, list):
        return ts.Array([decode(item) for item in value])
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    make = {
        "float": float,
        "bytes": str.encode,
        "tensor": lambda items: ts.asarray(np.array(items, np.float32)),
        "list": lambda items: ts.List([decode(item) for item in items]),
        "map": lambda items: ts.Map({decode(key): decode(item) for key, item in items}),
        "dict": lambda items: ts.Dict({decode(key): decode(item) for key, item in items}),
        "shape": ts.Shape,
        "dtype": ts.DType,
        "device": ts.Device,
        "call": CALLBACKS.__getitem__,
    }
    return make[kind](held)


def module(name: str) -> ts.Module:
    return ts.load_module(Path(MODULES) / f"{name}.so")


def arguments_of(loaded: ts.Module, call: dict[str, Any]) -> list[Any]:
    """The arguments of a call; the first may be the result of another."""
    first = [loaded[call["of"]["f"]](*arguments_of(loaded, call["of"]))] if "of" in call else []
    return first + [decode(value) for value in call["args"]]


def title(call: dict[str, Any]) -> str:
    first = [title(call["of"])] if "of" in call else []
    return f"{call['f']}({', '.join(first + [json.dumps(value) for value in call['args']])})"


@pytest.mark.parametrize(
    ("name", "call"),
    [pytest.param(name, call, id=f"{name}.{title(call)}") for name, calls in CALLS.items() for call in calls],
)
def test_call(name: str, call: dict[str, Any]) -> None:
    loaded = module(name)
    arguments = arguments_of(loaded, call)
    function = loaded[call["f"]]
    again = [decode(value) for value in call["then"]] if "then" in call else None

    def run() -> Any:
        result = function(*arguments)
        return result if again is None else result(*again)

    if "raises" in call:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            run()
        kind = getattr(caught.value, "kind", type(caught.value).__name__)
        assert kind == call["raises"]
        assert call["says"] in str(caught.value)
        return
    result = run()
    assert ts.equal(result, decode(call["result"])), result
    if "after" in call:
        for argument, after in zip(arguments, call["after"], strict=True):
            assert ts.equal(argument, decode(after)), argument


def test_arrays_of_numpy_are_arguments() -> None:
    x = np.arange(5, dtype=np.float32)
    y = np.zeros(5, np.float32)
    module("tensors").add_one(x, y)
    assert y.tolist() == [1, 2, 3, 4, 5]
    module("tensors").scale(x[::2], 2, y)
    assert y.tolist()[:3] == [0, 4, 8]


def test_functions_are_members_and_items() -> None:
    values = module("values")
    assert values.add(2, 3) == values["add"](2, 3) == values.get_function("add")(2, 3) == 5
    assert values.add is values.add is values["add"]
    assert values(5) == 105
    assert "add" in values and "ad" not in values and 3 not in values
    assert hasattr(values, "add") and not hasattr(values, "ad")
    assert list(values) == list(values.function_names) == list(values.keys())
    assert {"add", "echo", "main"} < set(values) and len(values) == len(values.function_names)
    assert {"add", "get_function", "kind"} < set(dir(values))
    assert values.kind == "library" and values.path == str(Path(MODULES) / "values.so")
    assert repr(values).startswith("Module('")
    with pytest.raises(AttributeError, match="has no function `ad`; did you mean `add`"):
        values.ad  # noqa: B018
    with pytest.raises(KeyError, match="did you mean `add`"):
        values["ad"]
    with pytest.raises(AttributeError, match="__array__"):
        values.__array__  # noqa: B018
    with pytest.raises(AttributeError, match="has no function `main`"):
        module("tensors")()


def test_a_module_is_not_pickled() -> None:
    with pytest.raises(TypeError, match=r"plain\.so cannot be pickled"):
        pickle.dumps(module("plain"))


def test_static_initialisers_register_functions() -> None:
    module("functions")
    triple = ts.get_global_func("modules.triple")
    assert triple(5) == 15


def test_a_copy_that_registers_the_same_functions_is_refused(tmp_path: Path) -> None:
    first = module("functions")
    assert first == module("functions"), "a file is loaded once"
    copy = tmp_path / "copy.so"
    copy.write_bytes((Path(MODULES) / "functions.so").read_bytes())
    with pytest.raises(RuntimeError, match=r"copy\.so: its initialisation: .*modules\.triple"):
        ts.load_module(copy)
    assert ts.get_global_func("modules.triple")(3) == 9


def test_imports_are_searched_after_the_own_functions() -> None:
    values, plain, tensors = module("values"), module("plain"), module("tensors")
    values.import_module(tensors)
    assert values.imports == (tensors,)
    assert values.implements_function("scale") and not values.implements_function("scale", query_imports=False)
    assert values.scale is not None
    assert values["sum"](np.ones(3, np.float32)) == 3
    with pytest.raises(AttributeError):
        values.get_function("sum", query_imports=False)
    tensors.import_module(plain)
    with pytest.raises(ValueError, match="imports that one itself"):
        plain.import_module(values)
    values.clear_imports()
    assert values.imports == () and not values.implements_function("sum")


def test_functions_say_what_was_built_in() -> None:
    errors, plain = module("errors"), module("plain")
    assert errors.get_function_doc("value_error") == "Raises a ValueError that holds the number."
    assert errors.get_function_doc("check") is None
    schema = json.loads(json.loads(errors.get_function_metadata("check") or "")["type_schema"])
    assert schema["named_args"]["params"] == [{"type": "int"}], schema
    assert plain.get_function_doc("add") is None and plain.get_function_metadata("add") is None
    assert not any(name.startswith("_") for name in errors)
    with pytest.raises(AttributeError, match="did you mean `value_error`"):
        errors.get_function_doc("value_eror")


def test_code_of_a_module_calls_its_imports() -> None:
    plain, values = module("plain"), module("values")
    with pytest.raises(ValueError, match="no imported module has a function `half`"):
        plain.imported_half(5)
    plain.import_module(values)
    assert plain.imported_half(5) == 2.5
    plain.clear_imports()
    assert plain.imported_half(7) == 3.5, "what the code of a module found stays valid"


def test_an_exception_of_a_callback_comes_home_through_a_module() -> None:
    class Own(Exception):
        pass

    own = Own("mine")

    def throw() -> None:
        raise own

    with pytest.raises(Own) as caught:
        module("functions").call(throw)
    assert caught.value is own
    with pytest.raises(KeyboardInterrupt):
        module("functions").call(lambda: (_ for _ in ()).throw(KeyboardInterrupt()))


def test_objects_outlive_their_module() -> None:
    path = Path(MODULES) / "containers.so"
    made = ts.load_module(path, keep_alive=False)
    range_, join = made["range"], made["join"]
    array, text = range_(20), join(["one text", "and another one"], " ")
    del made, range_, join
    gc.collect()
    assert list(array) == list(range(20)) and text == "one text and another one"
    tensor = ts.load_module(Path(MODULES) / "tensors.so", keep_alive=False).count_up(5)
    gc.collect()
    assert tensor.tolist() == [0, 1, 2, 3, 4]
    add = ts.load_module(Path(MODULES) / "functions.so", keep_alive=False).adder(2)
    gc.collect()
    assert add(3) == 5


def test_a_file_is_opened_in_place() -> None:
    path = VECTORS / "apart.so"
    there = ts.load_module(path, in_place=True)
    assert there.add(1, 2) == 3
    assert str(path) in Path("/proc/self/maps").read_text(encoding="utf-8")
    with pytest.raises(TypeError, match="add takes 2 arguments"):
        there.add(1)


def test_what_is_no_module_is_told() -> None:
    with pytest.raises(OSError, match=r"no such file; did you mean `values\.so`"):
        ts.load_module(Path(MODULES) / "valves.so")
    with pytest.raises(OSError, match="it is a folder"):
        ts.load_module(MODULES)
    with pytest.raises(ts.InvalidFileError, match="begins with the text"):
        ts.load_module(__file__)


def test_a_system_library_is_one_for_each_prefix() -> None:
    assert ts.system_lib() == ts.system_lib("") != ts.system_lib("other.")
    module("plain")
    assert ts.system_lib("modules.").four() == 4 and list(ts.system_lib("modules.")) == ["four"]
    assert ts.system_lib()["modules.four"]() == 4 == ts.system_lib("nothing.")["modules.four"]()
    assert ts.system_lib("other.").kind == "system_lib" and ts.system_lib().path is None
    with pytest.raises(AttributeError, match=r"prefix `other\.` has no function `x`"):
        ts.system_lib("other.").get_function("x")


def test_threads_have_errors_of_their_own() -> None:
    errors, seen = module("errors"), []

    def work(number: int) -> None:
        for _ in range(200):
            try:
                errors.value_error(number)
            except ValueError as error:
                if str(error) != f"bad {number}":
                    seen.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == []


def test_nothing_leaks() -> None:
    functions = module("functions")
    payload = object()

    def held() -> object:
        return payload

    before = len(gc.get_referrers(payload))
    for _ in range(100):
        assert functions.call(held) is payload
        functions.same(held)
    del held
    gc.collect()
    assert len(gc.get_referrers(payload)) <= before
