"""What a class says of its objects: how they are shown, compared, ordered and hashed, also as keys of maps."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
import tenspan as ts


@pytest.fixture(params=["hooks.so", "kernel/hooks.so"], scope="module")
def hooks(request: pytest.FixtureRequest) -> ts.Module:
    """The classes built with the public headers of the ABI, and with ``<tenspan/kernel.hpp>``."""
    folder = os.environ.get("TENSPAN_MODULES", "")
    if not folder:
        pytest.skip("TENSPAN_MODULES names no folder of compiled modules")
    return ts.load_module(Path(folder) / request.param)


def key_of(hooks: ts.Module) -> str:
    return type(hooks.word("x", None)).__module__


def loose(hooks: ts.Module) -> Any:
    """The class that compares its objects and does not hash them."""
    from tenspan import _tenspan

    key = f"{key_of(hooks)}.Loose"
    known = _tenspan._registered(key)
    return known or ts.register_object(key, type("Loose", (ts.Object,), {}))


def test_objects_are_shown_by_their_class(hooks: ts.Module) -> None:
    word = hooks.word("Tree", 1)
    assert repr(word) == "<Tree 1>"
    assert repr(hooks.word("a", hooks.word("b", "text"))) == "<a <b 'text'>>"
    assert repr(ts.Array([word])) == "Array([<Tree 1>])"
    word.inside = word
    assert repr(word) == "<Tree ...>"
    word.inside = None


def test_objects_are_equal_when_their_class_says_so(hooks: ts.Module) -> None:
    assert hooks.word("Tree", 1) == hooks.word("tREE", 1)
    assert hooks.word("Tree", 1) != hooks.word("Bush", 1)
    assert hooks.word("Tree", 1) != hooks.word("Tree", 1.0)
    assert hooks.word("a", hooks.word("B", 1)) == hooks.word("A", hooks.word("b", 1))
    assert hooks.word("a", [hooks.word("B", 1)]) != hooks.word("A", [hooks.word("c", 1)])
    assert ts.Array([hooks.word("a", 1)]) == ts.Array([hooks.word("A", 1)])
    assert ts.equal(hooks.word("a", 1), hooks.word("A", 1)) and hooks.word("a", 1) != "a"
    one, other = hooks.word("ring", None), hooks.word("RING", None)
    one.inside, other.inside = one, other
    assert one == other
    one.inside = other.inside = None


def test_equal_objects_have_equal_hashes(hooks: ts.Module) -> None:
    assert hash(hooks.word("Tree", 1)) == hash(hooks.word("tree", 1)) != hash(hooks.word("tree", 2))
    assert len({hooks.word("a", 1), hooks.word("A", 1), hooks.word("b", 1)}) == 2
    with pytest.raises(TypeError, match="have no hash"):
        hash(loose(hooks)(1))
    assert loose(hooks)(1) == loose(hooks)(11) != loose(hooks)(2)


def test_objects_are_ordered_when_their_class_says_how(hooks: ts.Module) -> None:
    words = [hooks.word(text, inside) for text, inside in [("b", 1), ("A", 2), ("a", 1), ("C", 0)]]
    assert [(word.text, word.inside) for word in sorted(words)] == [("a", 1), ("A", 2), ("b", 1), ("C", 0)]
    assert hooks.word("a", 1) <= hooks.word("A", 1) >= hooks.word("a", 1)
    assert not hooks.word("a", 1) < hooks.word("A", 1) and hooks.word("a", [1, 2]) < hooks.word("a", [1, 3])
    with pytest.raises(TypeError):
        assert hooks.word("a", 1) < 3
    with pytest.raises(TypeError, match="no order"):
        assert hooks.word("a", 1) < hooks.word("a", "text")


def test_what_a_class_raises_comes_through(hooks: ts.Module) -> None:
    with pytest.raises(ValueError, match="a broken word"):
        assert hooks.word("a", 1) == hooks.word("broken", 1)
    with pytest.raises(ValueError, match="a broken word"):
        assert ts.Array([hooks.word("a", 1)]) == [hooks.word("broken", 1)]


def test_keys_of_maps_are_those_of_their_class(hooks: ts.Module) -> None:
    words = [hooks.word(f"Word{i}", i) for i in range(30)]
    for count in (1, 4, 30):
        table = ts.Map({word: word.inside for word in words[:count]})
        assert len(table) == count and table[hooks.word("wORD0", "not looked at")] == 0
        assert hooks.look_up(table, hooks.word("WORD0", None)) == 0
        made = hooks.numbered(words[:count] + [hooks.word("word0", None)])
        assert len(made) == count and made[hooks.word("WORD0", None)] == count
        assert hooks.word("other", None) not in made
    changing = ts.Dict({word: 0 for word in words})
    changing[hooks.word("word7", None)] = 1
    del changing[hooks.word("word8", None)]
    assert len(changing) == 29 and changing[words[7]] == 1 and words[8] not in changing
    with pytest.raises(ValueError, match="a broken key"):
        changing[hooks.word("broken", None)] = 1
    with pytest.raises(ValueError, match="a broken key"):
        ts.Map({hooks.word("broken", None): 1})


# The functions of keys of a dict use dicts of their own accord, on two threads: nobody waits for ever.
@pytest.mark.parametrize("hooks", ["kernel/hooks.so"], indirect=True)
def test_functions_of_keys_may_use_any_dict(hooks: ts.Module) -> None:
    dicts = [ts.Dict(), ts.Dict()]
    done: list[int] = []

    def work(own: ts.Dict, other: ts.Dict) -> None:
        def ask(what: str, number: int) -> None:
            assert "there is no such key" not in own
            if what == "equal":
                own["seen"] = other["seen"] = number
                del other["seen"]

        for number in range(200):
            own[hooks.asking(number % 20, ask)] = number
            assert own[hooks.asking(number % 20, ask)] == number
            if number % 7 == 0:
                del own[hooks.asking(number % 20, ask)]
        done.append(len([key for key in own if not isinstance(key, str)]))

    threads = [threading.Thread(target=work, args=pair, daemon=True) for pair in (dicts, dicts[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done == [17, 17]


@pytest.mark.parametrize("hooks", ["kernel/hooks.so"], indirect=True)
def test_what_a_function_of_keys_raises_comes_through(hooks: ts.Module) -> None:
    def refuse(what: str, number: int) -> None:
        if number == 13:
            raise LookupError(f"no {what}")

    table = ts.Dict({hooks.asking(number, refuse): number for number in range(3)})
    unlucky = hooks.asking(13, refuse)
    for use in (
        lambda: table[unlucky],
        lambda: table.get(unlucky),
        lambda: unlucky in table,
        lambda: unlucky in table.keys(),
        lambda: table.pop(unlucky, None),
        lambda: table.__setitem__(unlucky, 1),
        lambda: table.__delitem__(unlucky),
        lambda: ts.Map(table).get(unlucky),
        lambda: unlucky in ts.Map(table),
    ):
        with pytest.raises(LookupError, match="no hash"):
            use()
    assert list(table.values()) == [0, 1, 2]


def test_numbers_of_any_size_are_keys_everywhere(hooks: ts.Module) -> None:
    table = ts.Map({2**70 + i: i for i in range(20)})
    assert hooks.look_up(table, 2**70 + 3) == 3
    assert hooks.numbered([2**80, 2**81])[2**81] == 1


# What is ignored can be said with the public headers only.
@pytest.mark.parametrize("hooks", ["hooks.so"], indirect=True)
def test_objects_compared_by_structure_ignore_fields(hooks: ts.Module) -> None:
    assert key_of(hooks) == "hooks"
    tree = ts.register_object("hooks.Tree", type("Tree", (ts.Object,), {}))
    leaf = tree(1, None, "a note")
    assert leaf == tree(1, None, "another") and hash(leaf) == hash(tree(1, None, "another"))
    assert tree(leaf, [2], "") == tree(tree(1, None, "x"), [2], "y") != tree(leaf, [3], "")


@ts.dataclass("test_hooks.Version")
class Version(ts.Object):
    """A class of Python that says the same."""

    text: str
    inside: Any = None

    def __ffi_repr__(self, show: ts.Function) -> str:
        return f"v{self.text}[{show(self.inside)}]"

    def __ffi_eq__(self, other: "Version", equal: ts.Function) -> bool:
        return self.key() == other.key() and equal(self.inside, other.inside)

    def __ffi_compare__(self, other: "Version", compare: ts.Function) -> int:
        mine, others = self.key(), other.key()
        return (mine > others) - (mine < others) or compare(self.inside, other.inside)

    def __ffi_hash__(self, hash_of: ts.Function) -> int:
        return hash(self.key()) ^ hash_of(self.inside)

    def key(self) -> tuple[int, ...]:
        return tuple(int(part) for part in self.text.split("."))


def test_classes_of_python_say_the_same_for_all_languages() -> None:
    assert repr(Version("1.10", [1])) == "v1.10[Array([1])]"
    assert Version("1.2") == Version("01.2") and hash(Version("1.2")) == hash(Version("01.2"))
    assert Version("1.2") != Version("1.2", 3) and sorted([Version("1.10"), Version("1.9")])[0].text == "1.9"
    assert ts.equal([Version("1.0")], [Version("01.0")])
    with pytest.raises(ValueError, match="invalid literal"):
        assert Version("x") == Version("y")
