@disjoint_base
class _Object:
    """The class under all classes of objects."""

    def __init__(self, /, *args: Any, **kwargs: Any) -> None: ...
    def __ffi_init__(self, *args: Any, **kwargs: Any) -> None: ...
    def same_as(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class _Foreign:
    """A value that Python has no class for: it can be kept, compared and passed on."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def _register(class_: type, key: str) -> bool: ...
def _set_automatic(make: Callable[[str, type, str], type]) -> None: ...
def _type_key(class_: type) -> str | None: ...
def _registered(key: str) -> type | None: ...
def _is_instance(object: object, class_: type) -> bool: ...
def _fields(key: str) -> list[tuple[str, str, int, str]]: ...
def _put(object: object, name: str, value: Any) -> None: ...
def _rebuild(class_: type | str, fields: dict[str, Any]) -> Any: ...
def _define(key: str, parent: str | None, doc: str, fields: list[tuple[Any, ...]], by_fields: bool) -> None: ...
def _set_attribute(key: str, name: str, value: Any) -> None: ...

@overload
def register_global_func(name: str, f: None = None, override: bool = False) -> Callable[[_F], _F]: ...
@overload
def register_global_func(name: str, f: Callable[..., Any], override: bool = False) -> Function: ...
@overload
def register_global_func(name: Callable[..., Any], f: None = None, override: bool = False) -> Function:
    """
    Registers a function under a name, for all languages of the process.

    Without ``f`` this is a decorator: ``@register_global_func("name")``, or ``@register_global_func`` for a function that is
    registered by its own name.

    Parameters
    ----------
    name : str or callable
        Name of the function.
    f : callable, optional
        What is called.
    override : bool, default False
        Replace a function that has the name already, where an error would be raised otherwise.

    Returns
    -------
    Function
    """

def convert(value: Any, /) -> Any:
    """
    A value as a call passes it: lists and tuples as `Array`, mappings as `Map`, callables as `Function`, arrays as `Tensor`.

    Parameters
    ----------
    value : object
        Any value. What needs no conversion is given back as it is.

    Returns
    -------
    object
    """

@overload
def register_error(kind: str, cls: type[BaseException], /) -> type[BaseException]: ...
@overload
def register_error(kind: str, cls: None = None, /) -> Callable[[type[_E]], type[_E]]: ...
@overload
def register_error(kind: type[_E], cls: None = None, /) -> type[_E]:
    """
    Makes a class the one for errors of a kind, in both directions.

    As a decorator it takes the name of the class for that of the kind.

    Parameters
    ----------
    kind : str or type
        Name of the kind.
    cls : type, optional
        A class of exceptions that can be made of a message.

    Returns
    -------
    type
    """
