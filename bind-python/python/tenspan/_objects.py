"""
Classes of objects: those that other languages define, as classes here, and those that are defined here for all languages.
"""

from __future__ import annotations

import sys as _sys
import warnings as _warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform, overload

from tenspan import _tenspan
from tenspan._tenspan import (
    Array,
    DType,
    Device,
    Dict,
    Function,
    List,
    Map,
    Shape,
    Tensor,
)

if TYPE_CHECKING:
    from typing_extensions import Self

_T = TypeVar("_T", bound=type)

# Bits of the type table.
_WRITABLE, _HAS_DEFAULT, _FACTORY = 1, 1 << 1, 1 << 5
_REPR_OFF, _COMPARE_OFF, _HASH_OFF, _INIT_OFF, _KW_ONLY = (1 << bit for bit in range(6, 11))


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


@overload
def register_object(key: str, cls: None = None, /) -> Callable[[_T], _T]: ...
@overload
def register_object(key: str, cls: _T, /) -> _T: ...
@overload
def register_object(key: _T, cls: None = None, /) -> _T: ...
def register_object(key: Any, cls: Any = None, /) -> Any:
    """
    Makes a class stand for a type of objects, which a compiled module or any language has defined.

    As a decorator: ``@register_object("my.Pair")``, or ``@register_object`` for a type whose key is the name of the class.

    Parameters
    ----------
    key : str
        Key of the type.
    cls : type, optional
        A class derived from `Object`.

    Returns
    -------
    type
        The class, with the fields and methods of the type.

    Raises
    ------
    ValueError
        There is no such type, or another class is registered for it.
    TypeError
        The class is not derived from `Object`.
    """
    if isinstance(key, type):
        return _register(key.__name__, key)
    if cls is not None:
        return _register(key, cls)
    return lambda cls: _register(key, cls)


def _register(key: str, cls: type) -> type:
    if not isinstance(cls, type) or not issubclass(cls, Object):
        raise TypeError(f"a class derived from tenspan.Object is wanted for `{key}`, found {cls!r}")
    if _tenspan._register(cls, key):
        message = f"objects of `{key}` came along before {cls.__qualname__} was registered, and keep the class that was made for them"
        _warnings.warn(message, RuntimeWarning, stacklevel=3)
    return cls


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Field:
    """What `field` gives: all that a class says of a field."""

    __slots__ = ("default", "default_factory", "init", "repr", "compare", "hash", "kw_only", "doc")

    def __init__(
        self,
        default: Any,
        default_factory: Any,
        init: bool,
        repr: bool,
        compare: bool,
        hash: bool,
        kw_only: bool | None,
        doc: str,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.hash = hash
        self.kw_only = kw_only
        self.doc = doc


def field(
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | _Missing = MISSING,
    init: bool = True,
    repr: bool = True,
    compare: bool = True,
    hash: bool | None = None,
    kw_only: bool | None = None,
    doc: str = "",
) -> Any:
    """
    Says more of a field of a `dataclass` than its type.

    Parameters
    ----------
    default : object, optional
        What it is when the constructor does not get it.
    default_factory : callable, optional
        What makes that, for each object anew.
    init : bool
        Whether the constructor takes it.
    repr, compare, hash : bool
        Whether it is shown, compared, hashed. By default, a field is hashed when it is compared.
    kw_only : bool, optional
        Whether the constructor takes it by name only.
    doc : str
        What it is.
    """
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("a field has a default or a default_factory, not both")
    return Field(
        default=default,
        default_factory=default_factory,
        init=init,
        repr=repr,
        compare=compare,
        hash=compare if hash is None else hash,
        kw_only=kw_only,
        doc=doc,
    )


_PLAIN: dict[Any, Any] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
    bytes: "bytes",
    Any: "any",
    object: "any",
    List: "list",
    Dict: "dict",
    DType: "dtype",
    Device: "device",
    Tensor: ("object", "ffi.Tensor"),
    Function: ("object", "ffi.Function"),
    Callable: ("object", "ffi.Function"),
    Shape: ("object", "ffi.Shape"),
    Array: ("array", "any"),
    tuple: ("array", "any"),
    list: "list",
    Map: ("map", "any", "any"),
    dict: "dict",
}


def _field_type(annotation: Any) -> Any:
    """The type of a field for an annotation, in the words of `_tenspan._define`."""
    from types import NoneType, UnionType
    from typing import Union, get_args, get_origin

    try:
        plain = _PLAIN.get(annotation)
    except TypeError:
        plain = None
    if plain is not None:
        return plain
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        others = [part for part in parts if part is not NoneType]
        if len(others) == 1:
            return ("optional", _field_type(others[0]))
        return "any"
    if origin in (Array, tuple):
        if len(parts) == 1 or (len(parts) == 2 and parts[1] is Ellipsis):
            return ("array", _field_type(parts[0]))
        return ("array", "any")
    if origin is Map:
        return ("map", _field_type(parts[0]), _field_type(parts[1]))
    if origin in (list, List, dict, Dict):
        return _PLAIN[origin]
    if origin is not None:
        return _PLAIN.get(origin, "any")
    if isinstance(annotation, type) and issubclass(annotation, Object):
        key = _tenspan._type_key(annotation)
        return ("object", key or "ffi.Object")
    return "any"


def _annotations(cls: type) -> dict[str, Any]:
    """The annotations of a class itself, read; the class may be named in them before it is there."""
    own = cls.__dict__.get("__annotations__", {})
    module = _sys.modules.get(cls.__module__)
    names = dict(vars(module)) if module else {}
    names.setdefault("Any", Any)
    names[cls.__name__] = Object
    read: dict[str, Any] = {}
    for name, annotation in own.items():
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, names, dict(vars(cls)))
            except NameError as error:
                raise TypeError(f"the type of `{name}` of {cls.__qualname__}: {error}") from error
        read[name] = annotation
    return read


def _is_field(annotation: Any) -> bool:
    from typing import get_origin

    return annotation is not ClassVar and get_origin(annotation) is not ClassVar


def _field(default: Any) -> Field:
    made = field(default=default)
    assert isinstance(made, Field)
    return made


@overload
def dataclass(cls: _T, /) -> _T: ...
@overload
def dataclass(
    cls: str | None = None,
    /,
    *,
    frozen: bool = False,
    eq: bool = True,
    kw_only: bool = False,
) -> Callable[[_T], _T]: ...
@dataclass_transform(field_specifiers=(field, Field))
def dataclass(cls: Any = None, /, *, frozen: bool = False, eq: bool = True, kw_only: bool = False) -> Any:
    """
    Defines a type of objects, with the annotations of a class as fields, which every language and compiled modules read and write
    where they stand.

    As a decorator of a class that is derived from `Object`: ``@dataclass``, ``@dataclass("my.Pair")`` with the key of the type, which
    is module and name of the class otherwise, or with the options below.

    Types of fields are ``int`` (of 64 bits), ``float``, ``bool``, ``str``, ``bytes``, `Tensor`, `Function`, `DType`, `Device`, the containers, other
    classes of objects, ``X | None`` of these, and anything else as ``Any``. What is set is checked. After the constructor has set the
    fields it calls ``__post_init__`` if there is one.

    Parameters
    ----------
    frozen : bool
        Whether the fields cannot be set once the object is made.
    eq : bool
        Whether objects with equal fields are equal. Then they have a hash only when they are frozen.
    kw_only : bool
        Whether the constructor takes the fields by name only.

    Raises
    ------
    ValueError
        The key is taken.
    TypeError
        The class is not derived from `Object`, or a default does not fit its field.
    """
    if isinstance(cls, type):
        return _define(cls, None, frozen, eq, kw_only)
    return lambda made: _define(made, cls, frozen, eq, kw_only)


def _define(cls: type, key: str | None, frozen: bool, eq: bool, kw_only: bool) -> type:
    if not isinstance(cls, type) or not issubclass(cls, Object):
        raise TypeError(f"a class derived from tenspan.Object is wanted, found {cls!r}")
    key = key or f"{cls.__module__}.{cls.__qualname__}"
    parent = _tenspan._type_key(cls)
    described = []
    for name, annotation in _annotations(cls).items():
        if not _is_field(annotation):
            continue
        said = cls.__dict__.get(name, MISSING)
        if not isinstance(said, Field):
            said = _field(default=said)
        if name in cls.__dict__:
            # The attribute becomes that of the field.
            delattr(cls, name)
        described.append(_describe(name, annotation, said, frozen, kw_only))
    _tenspan._define(key, parent, cls.__doc__ or "", described, eq)
    if eq and not frozen and "__hash__" not in cls.__dict__:
        cls.__hash__ = None  # type: ignore[assignment]
    _register(key, cls)
    if hasattr(cls, "__post_init__") and "__init__" not in cls.__dict__:
        cls.__init__ = _init  # type: ignore[method-assign]
    names = [name for name, _, bits, _ in _tenspan._fields(key) if not bits & (_INIT_OFF | _KW_ONLY)]
    setattr(cls, "__match_args__", tuple(names))
    return cls


def _init(self: Any, *args: Any, **kwargs: Any) -> None:
    self.__ffi_init__(*args, **kwargs)
    self.__post_init__()


def _describe(name: str, annotation: Any, said: Field, frozen: bool, kw_only: bool) -> tuple[Any, ...]:
    bits = 0 if frozen else _WRITABLE
    bits |= 0 if said.repr else _REPR_OFF
    bits |= 0 if said.compare else _COMPARE_OFF
    bits |= 0 if said.hash else _HASH_OFF
    bits |= 0 if said.init else _INIT_OFF
    is_kw_only = kw_only if said.kw_only is None else said.kw_only
    bits |= _KW_ONLY if is_kw_only else 0
    default = None
    if said.default is not MISSING:
        default = (said.default,)
    if said.default_factory is not MISSING:
        default = (said.default_factory,)
        bits |= _FACTORY
    return name, _field_type(annotation), said.doc, bits, default


_tenspan._set_automatic(_automatic)
