"""
Classes of objects that other languages define, as classes here.

What an import of the package brings: it takes no module that the interpreter has not loaded anyway.
"""

from __future__ import annotations

from tenspan import _tenspan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self


class _ObjectMeta(type):
    """Classes that stand for types: without attributes of their own unless they ask, and with instances by the types."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **more: Any
    ) -> _ObjectMeta:
        namespace.setdefault("__slots__", ())
        return super().__new__(mcs, name, bases, namespace, **more)

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance) or _tenspan._is_instance(instance, cls):
            return True
        return cls is Object and isinstance(instance, _tenspan._Foreign)


class Object(_tenspan._Object, metaclass=_ObjectMeta):
    """
    An object of a class that any language or a compiled module defined.

    A class derived from this one stands for such a class when it is registered by `register_object`, or defines one by
    `dataclass`. Its fields are attributes, its methods methods; the constructor of the type is called by ``__ffi_init__``, or when
    the class has no ``__init__``. Objects have no further attributes, unless the class says ``__slots__ = ("__dict__",)``.
    """

    __module__ = "tenspan"

    def __deepcopy__(self, memo: dict[int, Any], /) -> Self:
        from copy import deepcopy

        made = self.__copy__()
        memo[id(self)] = made
        for name, *_ in _tenspan._fields(_tenspan._type_key(type(self)) or ""):
            _tenspan._put(made, name, deepcopy(getattr(self, name), memo))
        return made


def _automatic(key: str, parent: type, doc: str) -> type:
    """A class for a type that nobody registered one for, in the module that its key names."""
    module, _, name = key.rpartition(".")
    if not issubclass(parent, Object):
        parent = Object
    return _ObjectMeta(name, (parent,), {"__module__": module or "tenspan", "__doc__": doc or None})


def register_object(key: Any, cls: Any = None) -> Any:
    """What `tenspan.register_object` does."""
    if isinstance(key, type):
        return _register(key.__name__, key, 4)
    if cls is not None:
        return _register(key, cls, 4)
    return lambda cls: _register(key, cls, 3)


def _register(key: str, cls: type, depth: int) -> type:
    if not isinstance(cls, type) or not issubclass(cls, Object):
        raise TypeError(f"a class derived from tenspan.Object is wanted for `{key}`, found {cls!r}")
    if _tenspan._register(cls, key):
        message = f"objects of `{key}` came along before {cls.__qualname__} was registered, and keep the class that was made for them"
        import warnings

        warnings.warn(message, RuntimeWarning, stacklevel=depth)
    return cls


_tenspan._set_automatic(_automatic)
