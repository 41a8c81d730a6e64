"""
Classes of objects that are defined here, for all languages.

What an import of the package brings, as `_objects`: annotations are read by `_annotations`, when there is a class that has some.
"""

from __future__ import annotations

from tenspan import _tenspan
from tenspan._objects import Object, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload
    from typing import dataclass_transform as _dataclass_transform

    _T = TypeVar("_T", bound=type)
else:

    def _dataclass_transform(**said):
        def marked(function):
            function.__dataclass_transform__ = said
            return function

        return marked


# Bits of the type table.
_WRITABLE, _FACTORY = 1, 1 << 5
_REPR_OFF, _COMPARE_OFF, _HASH_OFF, _INIT_OFF, _KW_ONLY = (1 << bit for bit in range(6, 11))
# Methods by which every language shows, compares, orders and hashes the objects of a class.
_HOOKS = ("__ffi_repr__", "__ffi_eq__", "__ffi_compare__", "__ffi_hash__")


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


def _field(default: Any) -> Field:
    made = field(default=default)
    assert isinstance(made, Field)
    return made


if TYPE_CHECKING:

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

@_dataclass_transform(field_specifiers=(field, Field))
def dataclass(cls: Any = None, /, *, frozen: bool = False, eq: bool = True, kw_only: bool = False) -> Any:
    """
    Defines a type of objects, with the annotations of a class as fields, which every language and compiled modules read and write
    where they stand.

    As a decorator of a class that is derived from `Object`: ``@dataclass``, ``@dataclass("my.Pair")`` with the key of the type, which
    is module and name of the class otherwise, or with the options below.

    Types of fields are ``int`` (of 64 bits), ``float``, ``bool``, ``str``, ``bytes``, `Tensor`, `Function`, `DType`, `Device`, the containers, other
    classes of objects, ``X | None`` of these, and anything else as ``Any``. What is set is checked. After the constructor has set the
    fields it calls ``__post_init__`` if there is one. Methods ``__ffi_repr__(self, show)``, ``__ffi_eq__(self, other, equal)``,
    ``__ffi_compare__(self, other, compare)`` and ``__ffi_hash__(self, hash)`` say what every language does with its objects; the last argument
    does the same with a value inside of them.

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
    from tenspan._annotations import field_types

    key = key or f"{cls.__module__}.{cls.__qualname__}"
    parent = _tenspan._type_key(cls)
    described = []
    for name, field_type in field_types(cls).items():
        said = cls.__dict__.get(name, MISSING)
        if not isinstance(said, Field):
            said = _field(default=said)
        if name in cls.__dict__:
            # The attribute becomes that of the field.
            delattr(cls, name)
        described.append(_describe(name, field_type, said, frozen, kw_only))
    _tenspan._define(key, parent, cls.__doc__ or "", described, eq)
    for name in _HOOKS:
        if name in cls.__dict__:
            _tenspan._set_attribute(key, name, cls.__dict__[name])
    if eq and not frozen and not {"__hash__", "__ffi_hash__"} & cls.__dict__.keys():
        cls.__hash__ = None  # type: ignore[assignment]
    register_object(key, cls)
    if hasattr(cls, "__post_init__") and "__init__" not in cls.__dict__:
        cls.__init__ = _init  # type: ignore[method-assign]
    names = [name for name, _, bits, _ in _tenspan._fields(key) if not bits & (_INIT_OFF | _KW_ONLY)]
    setattr(cls, "__match_args__", tuple(names))
    return cls


def _init(self: Any, *args: Any, **kwargs: Any) -> None:
    self.__ffi_init__(*args, **kwargs)
    self.__post_init__()


def _describe(name: str, field_type: Any, said: Field, frozen: bool, kw_only: bool) -> tuple[Any, ...]:
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
    return name, field_type, said.doc, bits, default
