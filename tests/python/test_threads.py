"""Functions and threads, in processes of their own: none hangs and none crashes."""

import subprocess
import sys
import textwrap

import pytest

HEADER = """
import gc, sys, threading, time, weakref
import numpy as np
import tenspan as ts
ts.register_testing_funcs()
def native(name):
    return ts.get_global_func("testing." + name)
nop, echo, apply = native("nop"), native("echo"), native("apply")
in_thread, keep, release, repeat = native("apply_in_thread"), native("keep"), native("release"), native("repeat")
"""

PROGRAMS = {
    "calls_from_a_native_thread": """
        assert in_thread(lambda a, b: (threading.get_ident() != main) * (a + b), 2, 3) == 5 if (main := threading.get_ident()) else 0
    """,
    "threads_inside_of_threads": """
        def down(n):
            return n if n == 0 else in_thread(down, n - 1) + 1
        assert down(20) == 20
    """,
    "an_exception_of_another_thread": """
        error = KeyError("k")
        def fail():
            raise error
        try:
            in_thread(in_thread, fail)
        except KeyError as caught:
            assert caught is error
        else:
            raise AssertionError
    """,
    "many_threads_call_at_once": """
        total, array = [], np.arange(8, dtype=np.float32)
        def work():
            for i in range(2000):
                assert echo(i) == i
                nop(array, [i], {"k": i}, len)
                assert apply(lambda x: x + 1, i) == i + 1
            total.append(1)
        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert len(total) == 8
    """,
    "a_list_is_changed_by_many_threads": """
        shared, table = ts.List(), ts.Dict()
        def work(n):
            for i in range(2000):
                shared.append((n, i)); table[i] = n
                if i % 3 == 0:
                    shared.pop(0); table.pop(i, None)
                list(table.items()); repr(shared[-1:])
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert len(shared) == 4 * (2000 - 667), len(shared)
    """,
    "other_threads_run_during_a_call": """
        seen = []
        thread = threading.Thread(target=lambda: (time.sleep(0.05), seen.append(1)))
        thread.start()
        native("sleep")(600)
        assert seen == [1]
        thread.join()
    """,
    "other_threads_run_while_long_rows_are_multiplied": """
        long = np.ones(1 << 22)
        ts.dot(long, long)
        # From here on no thread is asked to make room for another.
        sys.setswitchinterval(60)
        seen, gate = [], threading.Lock()
        for rows in (long, long), (long[::2], long[1::2]), (ts.asarray(long), ts.asarray(long)):
            gate.acquire()
            thread = threading.Thread(target=lambda: (gate.acquire(), seen.append(1), gate.release()))
            thread.start()
            gate.release()
            before, tries = len(seen), 0
            while len(seen) == before:
                assert ts.dot(*rows) == len(rows[0]) and tries < 1000
                tries += 1
            thread.join()
    """,
    "objects_dropped_on_a_foreign_thread": """
        class Thing:
            def __del__(self):
                gone.append(threading.get_ident())
        gone = []
        thing = Thing()
        keep(thing); keep([thing]); keep(lambda thing=thing: thing); keep(ValueError(thing)); keep(np.arange(3))
        del thing
        gc.collect()
        assert not gone and release() == 5 and gone and gone[0] != threading.get_ident()
    """,
    "an_exception_is_dropped_on_a_foreign_thread": """
        class Thing: pass
        def fail():
            thing = Thing(); seen.append(weakref.ref(thing))
            error = ValueError("x"); error.thing = thing
            raise error
        seen = []
        try:
            in_thread(fail)
        except ValueError:
            pass
        gc.collect()
        assert seen[0]() is None
    """,
    "recursion_without_an_end": """
        def forever(n):
            return apply(forever, n + 1)
        for _ in range(3):
            try:
                forever(0)
            except RecursionError:
                pass
            else:
                raise AssertionError
        f = ts.Function(lambda: f())
        try:
            f()
        except RecursionError:
            pass
    """,
    "recursion_both_ways": """
        def down(n):
            return 0 if n == 0 else 1 + repeat(lambda i: down(n - 1) if i == 2 else 0, 3)
        assert down(40) == 40
    """,
    "panics_everywhere": """
        panic = native("panic")
        for way in (apply, in_thread):
            for _ in range(20):
                try:
                    way(lambda: panic("on purpose"))
                except ts.InternalError as error:
                    assert "on purpose" in str(error)
                else:
                    raise AssertionError
        assert echo(1) == 1
    """,
    "a_function_outlives_its_name": """
        ts.register_global_func("test.outlives", lambda: 1)
        function = ts.get_global_func("test.outlives")
        ts.remove_global_func("test.outlives")
        gc.collect()
        assert function() == 1
    """,
    "a_function_is_replaced_while_it_runs": """
        def first():
            ts.register_global_func("test.self", lambda: 2, override=True)
            gc.collect()
            return 1
        ts.register_global_func("test.self", first)
        del first
        assert ts.get_global_func("test.self")() == 1 and ts.get_global_func("test.self")() == 2
    """,
    "a_list_changes_while_it_is_converted": """
        class Shrinks:
            def __tenspan_value__(self):
                items.clear(); gc.collect()
                return 1
        items = [Shrinks(), [1], "text of some length", object()]
        assert len(echo(items)) == 1
        mapping = {"a": None}
        class Grows:
            def __tenspan_value__(self):
                mapping.update({i: i for i in range(1000)})
                return 1
        mapping["a"] = Grows()
        assert echo(mapping)["a"] == 1
        target = ts.List([1, 2, 3])
        class Clears:
            def __tenspan_value__(self):
                target.clear()
                return 9
        target[1:2] = [Clears(), Clears()]
        assert target == [9, 9]
    """,
    "items_that_run_code_as_they_go": """
        class Thing:
            def __del__(self):
                shared.append(1); table["x"] = 1
        shared, table = ts.List([Thing(), Thing(), 3]), ts.Dict({1: Thing()})
        shared[0] = None
        del shared[1]
        shared[:] = []
        table[1] = 0
        shared.append(Thing()); shared.clear(); table.clear()
        gc.collect()
    """,
    "objects_without_their_init": """
        for kind in (ts.Array, ts.List, ts.Map, ts.Dict, ts.Shape):
            made = kind.__new__(kind)
            assert len(made) == 0 and repr(made) and echo(made) is made
        for kind in (ts.Function, ts.Tensor, ts.Object):
            try:
                kind.__new__(kind)
            except TypeError:
                pass
            else:
                raise AssertionError(kind)
    """,
    "wrappers_that_go_before_their_objects": """
        for make in (lambda: ts.zeros((2,)), lambda: ts.List([1]), lambda: ts.Dict(a=1), lambda: ts.Function(len), lambda: ts.Shape(3)):
            outer = [ts.Array([make()]) for _ in range(200)]
            gc.collect()
            junk = [bytes(64 + i) for i in range(2000)]
            assert all(array[0] is not None and array[0] == array[0] for array in outer)
            assert all(type(array[0]) is type(make()) for array in outer)
    """,
    "weak_references_that_look_back": """
        tensor = ts.zeros((3,))
        outer = ts.Array([tensor, [1]])
        seen = []
        inner = outer[1]
        refs = [weakref.ref(tensor, lambda _: seen.append(outer[0])), weakref.ref(inner, lambda _: seen.append(outer[1]))]
        del tensor, inner
        assert seen[0] is outer[0] and seen[1] is outer[1] and seen[1] == [1]
        del seen[:]
        assert outer[0].shape == (3,) and outer[1] == [1]
    """,
    "the_end_of_the_interpreter": """
        class Thing:
            def __del__(self):
                echo(1)
        keep(lambda: 1); keep(Thing()); keep(np.arange(3)); keep(ValueError())
        ts.register_global_func("test.end", lambda: 1)
        thing = ts.List([Thing()]); thing.append(thing)
        thread = threading.Thread(target=lambda: native("sleep")(300), daemon=True)
        thread.start()
        sys.exit(0)
    """,
    "a_signal_of_the_keyboard": """
        import _thread, signal
        # A shell that starts this beside others has its children ignore the signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def interrupt():
            _thread.interrupt_main()
            time.sleep(0)
            for _ in range(10**6): pass
        try:
            apply(interrupt)
        except KeyboardInterrupt:
            print("interrupted")
        else:
            raise AssertionError
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_well(name: str) -> None:
    program = HEADER + textwrap.dedent(PROGRAMS[name])
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}"
