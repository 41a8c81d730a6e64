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


def field_types(cls: type) -> dict[str, Any]:
    """The fields that the annotations of a class itself name, with their types in the words of `_tenspan._define`."""
    read = _read(cls).items()
    return {name: _field_type(found) for name, found in read if found is not ClassVar and get_origin(found) is not ClassVar}


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
