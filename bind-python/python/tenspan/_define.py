"""
Classes of objects that are defined here, for all languages.

What an import of the package brings, as `_object`: annotations are read by `_annotations`, when there is a class that has some.
"""

from __future__ import annotations

from tenspan import _tenspan
from tenspan._object import Object, register_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from typing import dataclass_transform as dataclass_transform
else:

    def dataclass_transform(**said):
        def marked(function):
            function.__dataclass_transform__ = said
            return function

        return marked


# Bits of the type table.
_WRITABLE, _FACTORY = 1, 1 << 5
_REPR_OFF, _COMPARE_OFF, _HASH_OFF, _INIT_OFF, _KW_ONLY = (1 << bit for bit in range(6, 11))
# Methods by which every language shows, compares, orders and hashes the objects of a class.
_HOOKS = ("__ffi_repr__", "__ffi_eq__", "__ffi_compare__", "__ffi_hash__")


class Missing:
    """What a field has in place of a default that it has not."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = Missing()


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
    default: Any,
    default_factory: Any,
    init: bool,
    repr: bool,
    compare: bool,
    hash: bool | None,
    kw_only: bool | None,
    doc: str,
) -> Field:
    """What `tenspan.field` does."""
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


def dataclass(cls: Any, *, frozen: bool, eq: bool, kw_only: bool) -> Any:
    """What `tenspan.dataclass` does."""
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
            said = Field(said, MISSING, init=True, repr=True, compare=True, hash=True, kw_only=None, doc="")
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
