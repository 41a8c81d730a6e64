"""The command line: ``python -m tenspan`` or ``tenspan``."""

import os
import sys
from typing import TYPE_CHECKING, TextIO

import tenspan

if TYPE_CHECKING:
    import argparse

DONE, NO, USAGE, SYSTEM, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 130, 141

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 the answer is no, 2 usage, 3 input or output."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at exit, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (tenspan.Error, OSError, KeyError, ValueError, TypeError, MemoryError) as error:
        if os.environ.get("TENSPAN_DEBUG") == "1":
            raise
        print(f"tenspan: {message(error)}", file=sys.stderr)
        return SYSTEM if isinstance(error, OSError) else NO
    return code


def parser() -> "argparse.ArgumentParser":
    """Describe the commands."""
    # Twice as slow to import as the rest: only who runs the command line pays for it.
    import argparse

    parser = argparse.ArgumentParser(
        prog="tenspan", description="Look at, check and quantize GGUF and safetensors files."
    )
    parser.add_argument("--version", action="version", version=f"tenspan {tenspan.__version__}")
    commands = parser.add_subparsers(metavar="command", required=True)

    info = commands.add_parser("info", help="show the metadata and the tensors of a file")
    info.add_argument("file", help="GGUF or safetensors file")
    info.add_argument("--json", action="store_true", help="print one JSON document")
    info.set_defaults(run=run_info)

    validate = commands.add_parser("validate", help="check all rules of the format of a file")
    validate.add_argument("file", help="GGUF or safetensors file")
    validate.add_argument("-q", "--quiet", action="store_true", help="say nothing; the exit code tells")
    validate.set_defaults(run=run_validate)

    quantize = commands.add_parser("quantize", help="rewrite a file as GGUF with its tensors quantized")
    quantize.add_argument("src", help="GGUF or safetensors file")
    quantize.add_argument("dst", help="the GGUF file to write; replaced in one step when all is done")
    quantize.add_argument("rule", help="formats in order of preference, such as 'q4_k,q8_0'")
    quantize.add_argument("--json", action="store_true", help="print one JSON document")
    quantize.add_argument("-q", "--quiet", action="store_true", help="no progress and no table")
    quantize.add_argument(
        "--allow-requantize", action="store_true", help="also change tensors that are quantized already"
    )
    quantize.set_defaults(run=run_quantize)
    return parser


def run_info(options: "argparse.Namespace") -> int:
    """Show what a file holds; reads no elements."""
    with tenspan.open(options.file) as file:
        tensors = [
            {"name": name, "dtype": tensor.dtype.name, "shape": list(tensor.shape), "nbytes": tensor.nbytes}
            for name, tensor in file.items()
        ]
        if options.json:
            print_json(
                {
                    "path": file.path,
                    "format": file.format,
                    "version": file.version,
                    "byte_order": file.byte_order,
                    "alignment": file.alignment,
                    "metadata": {key: jsonable(value) for key, value in file.metadata.items()},
                    "tensors": tensors,
                }
            )
            return DONE
        version = f" version {file.version}" if file.version else ""
        print(f"{file.path}: {file.format}{version}, {file.byte_order}-endian, {len(file)} tensors")
        for key, value in file.metadata.items():
            print(f"  {key} = {shortened(value)}")
        print_table(
            ("name", "dtype", "shape", "size"),
            [
                (name, tensor.dtype.name, "×".join(map(str, tensor.shape)) or "scalar", size(tensor.nbytes))
                for name, tensor in file.items()
            ],
        )
    return DONE


def run_validate(options: "argparse.Namespace") -> int:
    """Check a file."""
    try:
        tenspan.validate_file(options.file)
    except tenspan.Error as error:
        if not options.quiet:
            print(f"{options.file}: {error}")
        return NO
    if not options.quiet:
        print(f"{options.file}: valid")
    return DONE


def run_quantize(options: "argparse.Namespace") -> int:
    """Quantize a file, with a progress line on a terminal."""
    line = None if options.quiet else ProgressLine.on(sys.stderr)
    try:
        reports = tenspan.quantize_file(
            options.src,
            options.dst,
            options.rule,
            progress=line.show if line else None,
            allow_requantize=options.allow_requantize,
        )
    finally:
        if line:
            line.clear()
    if options.json:
        print_json({"path": options.dst, "tensors": reports})
    elif not options.quiet:
        print_table(
            ("name", "from", "to", "shape", "size"),
            [
                (
                    report["name"],
                    report["from"],
                    report["to"],
                    "×".join(map(str, report["shape"])) or "scalar",
                    size(report["nbytes"]),
                )
                for report in reports
            ],
        )
    return DONE


class ProgressLine:
    """One line that is written over; from the first second on, so that short work shows nothing."""

    def __init__(self, stream: TextIO) -> None:
        """Begin to count the time."""
        from time import monotonic

        self._stream = stream
        self._now = monotonic
        self._next = monotonic() + 1.0
        self._shown = False

    @classmethod
    def on(cls, stream: TextIO) -> "ProgressLine | None":
        """Make one for a terminal, none for anything else."""
        return cls(stream) if stream.isatty() and os.environ.get("TERM") != "dumb" else None

    def show(self, done: int, total: int) -> None:
        """Write how far the work is, at most ten times a second."""
        if self._now() < self._next:
            return
        self._next = self._now() + 0.1
        self._shown = True
        part = done / total if total else 1.0
        bar = "█" * int(30 * part)
        self._stream.write(f"\r\x1b[K{bar:░<30} {part:4.0%}  {size(done)} of {size(total)}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def print_table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print columns, the last one to the right."""
    widths = [max(len(row[i]) for row in [titles, *rows]) for i in range(len(titles))]
    for row in [titles, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        print("  ".join([*cells, row[-1].rjust(widths[-1])]))


def print_json(document: object) -> None:
    """Print one document with stable keys."""
    import json

    print(json.dumps(document, ensure_ascii=False, indent=2))


def jsonable(value: object) -> object:
    """Replace what JSON does not have: bytes, and floats without a value."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, list):
        return [jsonable(item) for item in value]
    return value


def shortened(value: object) -> str:
    """Write a value on one line of a table."""
    if isinstance(value, list) and len(value) > 8:
        return f"[{', '.join(map(repr, value[:3]))}, ... {len(value)} values]"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def size(nbytes: int) -> str:
    """Write a number of bytes in the unit that suits it."""
    amount = float(nbytes)
    for unit in UNITS:
        if amount < 1024 or unit == UNITS[-1]:
            break
        amount /= 1024
    return f"{nbytes} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"


def message(error: BaseException) -> str:
    """Say what went wrong; a KeyError shows only its key."""
    notes = getattr(error, "__notes__", None)
    return str(notes[0]) if notes else str(error)


if __name__ == "__main__":
    sys.exit(main())
