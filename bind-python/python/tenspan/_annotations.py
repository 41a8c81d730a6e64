"""
What the annotations of a class say of the types of its fields.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin

from tenspan import _tenspan
from tenspan._object import Object
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


def field_types(cls: type) -> dict[str, str]:
    """The fields that the annotations of a class itself name, with what the table of types calls their types."""
    read = _read(cls).items()
    return {name: _field_type(found) for name, found in read if found is not ClassVar and get_origin(found) is not ClassVar}


_PLAIN: dict[Any, str] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "ffi.String",
    bytes: "ffi.Bytes",
    Any: "Any",
    object: "Any",
    List: "ffi.List",
    Dict: "ffi.Dict",
    DType: "DataType",
    Device: "Device",
    Tensor: "ffi.Tensor",
    Function: "ffi.Function",
    Callable: "ffi.Function",
    Shape: "ffi.Shape",
    Array: "ffi.Array",
    tuple: "ffi.Array",
    list: "ffi.List",
    Map: "ffi.Map",
    dict: "ffi.Dict",
}


def _field_type(annotation: Any) -> str:
    """What the table of types calls the type of a field, for an annotation."""
    try:
        plain = _PLAIN.get(annotation)
    except TypeError:
        plain = None
    if plain is not None:
        return plain
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        others = [part for part in parts if part is not NoneType]
        return f"Optional[{_field_type(others[0])}]" if len(others) == 1 else "Any"
    if origin in (Array, tuple):
        is_one = len(parts) == 1 or (len(parts) == 2 and parts[1] is Ellipsis)
        return f"ffi.Array[{_field_type(parts[0])}]" if is_one else "ffi.Array"
    if origin is Map:
        return f"ffi.Map[{_field_type(parts[0])}, {_field_type(parts[1])}]"
    if origin is not None:
        return _PLAIN.get(origin, "Any")
    if isinstance(annotation, type) and issubclass(annotation, Object):
        return _tenspan._type_key(annotation) or "ffi.Object"
    return "Any"


def _read(cls: type) -> dict[str, Any]:
    """The annotations of a class itself, read; the class may be named in them before it is there."""
    own = cls.__dict__.get("__annotations__", {})
    module = sys.modules.get(cls.__module__)
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
