"""Errors as exceptions of Python."""

import _thread
import functools
import gc
import inspect
import operator
import pickle
import signal
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tenspan as ts
import tenspan.typing
from tenspan import cpp

ts.register_testing_funcs()

OWN = [value for value in vars(ts).values() if inspect.isclass(value) and issubclass(value, ts.Error)]


def test_every_kind_has_a_class() -> None:
    kinds = set(tenspan.typing.ErrorKind.__args__)
    own = {cls.kind for cls in OWN if cls is not ts.Error}
    builtin = kinds - own
    assert own < kinds
    assert all(issubclass(getattr(__import__("builtins"), kind), Exception) for kind in builtin)


@pytest.mark.parametrize("cls", OWN, ids=lambda cls: cls.__name__)
def test_a_class_of_ours_is_a_case_of_a_builtin(cls: type[ts.Error]) -> None:
    assert cls.__module__ == "tenspan" and cls.__doc__ and issubclass(cls, Exception)
    assert cls is ts.Error or cls.__bases__[1].__module__ == "builtins"
    assert type(pickle.loads(pickle.dumps(cls("x")))) is cls


def test_errors_say_what_was_found_and_wanted() -> None:
    with pytest.raises(ts.ShapeMismatchError, match=r"shape \[5\] holds 5 elements, but there are 4") as caught:
        ts.zeros(4).reshape(5)
    assert caught.value.kind == "ShapeMismatch" and isinstance(caught.value, ValueError)
    with pytest.raises(ts.RequantizeRefusedError, match="q8_0.*q4_0|q4_0.*q8_0"):
        ts.copy(ts.zeros((1, 32), "q8_0"), ts.zeros((1, 32), "q4_0"))
    with pytest.raises(OverflowError, match="300") as overflow:
        ts.full((1,), 300, "int8")
    assert overflow.value.kind == "OverflowError"  # type: ignore[attr-defined]
    with pytest.raises(TypeError) as wrong:
        ts.zeros("3")  # type: ignore[arg-type]
    assert wrong.value.args and wrong.type is TypeError


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.gguf") as caught:
        ts.open(tmp_path / "none.gguf")
    assert caught.value.errno == 2
    with pytest.raises(OSError):
        ts.open(tmp_path)


def test_a_damaged_file_says_where(tmp_path: Path, model: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(model.read_bytes()[:50])
    with pytest.raises(ts.InvalidFileError, match=r"byte|offset") as caught:
        ts.open(damaged)
    assert caught.value.kind == "InvalidFile"


class Keeper(Exception):
    """An exception that somebody looks after."""


class Stop(Exception):
    """Raised by a callback."""


def test_an_exception_of_a_callback_comes_back_itself(tmp_path: Path, model: Path) -> None:
    stop = Stop("enough")

    def progress(done: int, total: int) -> None:
        raise stop

    with pytest.raises(Stop) as caught:
        ts.quantize_file(model, tmp_path / "out.gguf", "q8_0", progress=progress)
    assert caught.value is stop and not (tmp_path / "out.gguf").exists()
    assert any(frame.name == "progress" for frame in caught.traceback)


def test_progress_is_told(tmp_path: Path, model: Path) -> None:
    calls: list[tuple[int, int]] = []
    reports = ts.quantize_file(model, tmp_path / "out.gguf", ts.DType("q8_0"), progress=lambda *step: calls.append(step))
    assert calls and calls == sorted(calls) and calls[-1][0] == calls[-1][1]
    assert [report["to"] for report in reports] == ["q8_0", "q8_0", "q4_k", "float32"]
    with pytest.raises(TypeError, match="callable"):
        ts.quantize_file(model, tmp_path / "out.gguf", "q8_0", progress=3)  # type: ignore[arg-type]


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Interrupts raise, also where the shell started this process in the background and had it ignore them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_long_work(tmp_path: Path, model: Path) -> None:
    def progress(done: int, total: int) -> None:
        _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        ts.quantize_file(model, tmp_path / "out.gguf", "q8_0", progress=progress)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_is_noticed_without_a_callback(tmp_path: Path) -> None:
    source = tmp_path / "many.gguf"
    row = np.zeros((1, 32), dtype="f4")
    ts.save(source, {f"t{i}": row for i in range(2000)})
    quantize = functools.partial(ts.quantize_file, str(source), str(tmp_path / "out.gguf"), "q8_0")
    # Both are called from C, and no method of a path in Python, so that the interpreter itself does not see the signal.
    with pytest.raises(KeyboardInterrupt):
        list(map(operator.call, [_thread.interrupt_main, quantize]))
    assert not (tmp_path / "out.gguf").exists()


def test_threads_run_while_others_work() -> None:
    source = np.random.default_rng(0).standard_normal((64, 4096), dtype=np.float32)
    results: list[bytes] = []
    threads = [threading.Thread(target=lambda: results.append(ts.quantize(source, "q4_0").tobytes())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and len(set(results)) == 1


FRAMES = """
namespace kernel = tenspan::kernel;

std::string frames(const kernel::Function& call) {
  try {
    call();
  } catch (const kernel::Error& error) {
    return error.traceback();
  }
  return "nothing was thrown";
}

kernel::Any through(const kernel::Function& call) { return call(); }
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> ts.Module:
    """A module that handles what a callback raises, and one that passes it on."""
    return cpp.load_inline("frames", FRAMES, ["frames", "through"], build_directory=tmp_path_factory.mktemp("frames"))


def test_other_languages_see_the_frames_of_python(native: ts.Module) -> None:
    def inner() -> None:
        raise ValueError("deep down")

    def outer() -> None:
        inner()

    lines = native.frames(outer).splitlines()
    first = inner.__code__.co_firstlineno + 1
    assert lines[:2] == [
        f'  File "{__file__}", line {first}, in inner',
        f'  File "{__file__}", line {first + 3}, in outer',
    ], lines


def test_frames_of_all_languages_stand_in_order(native: ts.Module) -> None:
    def fail() -> None:
        raise KeyError("nothing")

    def again() -> None:
        try:
            native.through(fail)
        except KeyError:
            raise

    lines = native.frames(lambda: native.through(again)).splitlines()
    assert all(line.startswith('  File "') for line in lines)
    names = [line.rpartition(" in ")[2] for line in lines]
    ours = [name for name in names if name in ("fail", "again", "<lambda>") or "through" in name]
    assert [name if "through" not in name else "through" for name in ours] == ["fail", "through", "again", "through", "<lambda>"], lines


def test_what_an_exception_passed_goes_with_it_and_with_no_copy(native: ts.Module) -> None:
    def fail() -> None:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x") as caught:
        native.through(fail)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is ValueError and again.args == ("x",)
    reference = weakref.ref(Keeper())
    for _ in range(2):
        held = Keeper()
        reference = weakref.ref(held)

        def throw(held: Keeper = held) -> None:
            raise held

        with pytest.raises(Keeper):
            ts.get_global_func("testing.apply")(throw)
        del held, throw
    gc.collect()
    assert reference() is None


def test_frames_of_a_cause_are_its_own(native: ts.Module) -> None:
    def fail() -> None:
        try:
            int("x")
        except ValueError as error:
            raise RuntimeError("no number") from error

    assert native.frames(fail).splitlines()[0].endswith("in fail")
    with pytest.raises(RuntimeError, match="no number") as caught:
        native.through(fail)
    assert isinstance(caught.value.__cause__, ValueError)


def test_frames_do_not_keep_what_they_hold() -> None:
    class Held:
        pass

    apply = ts.get_global_func("testing.apply")
    gone = []

    def fail() -> None:
        held = Held()
        gone.append(weakref.ref(held))
        raise ValueError("x")

    for _ in range(3):
        try:
            apply(fail)
        except ValueError as error:
            error.__traceback__ = None
    gc.disable()
    try:
        assert [ref() for ref in gone] == [None] * 3
    finally:
        gc.enable()
