"""Every block format beside PyPI `gguf` and `libgguf` and beside the limits of the machine, in one run.

Prints tables and writes `quant.json`, `quant.svg` and `quant.png`. The bars are in `bars.toml`: one that is missed is
shown; a kernel that is slower than the scalar codec, or writes other bytes than GGML, fails the run. The fewer others use the machine's memory, the
steadier the figures; each stands beside the limit of the same minute.
"""

import argparse
import dataclasses
import importlib.metadata
import json
import platform
import sys
import time
from pathlib import Path

import agreement
import bars
import decode
import encode
import guard
import matvec
import memory
import plot
import table
import tenspan
from formats import all_formats
from limits import Limits


@dataclasses.dataclass
class Effort:
    """How long to look."""

    samples: int
    sample_ms: float


FULL, QUICK = Effort(samples=9, sample_ms=40), Effort(samples=3, sample_ms=12)


def main():
    arguments = argparse.ArgumentParser(prog="cargo peers quant", description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path, help="where the results go")
    arguments.add_argument("limits", help="the program that measures the limits of the machine")
    arguments.add_argument("formats", nargs="*", help="these only, by name")
    arguments.add_argument("--quick", action="store_true", help="fewer and shorter samples")
    chosen = arguments.parse_intermixed_args()
    formats = {form.name: form for form in all_formats()}
    if unknown := (bars.formats() | set(chosen.formats)) - set(formats):
        arguments.error(f"no format is named {', '.join(sorted(unknown))}; there are {', '.join(formats)}")
    formats = [formats[name] for name in chosen.formats or formats]
    started = time.monotonic()
    tenspan.set_num_threads(1)
    with Limits(chosen.limits) as limits:
        result = measure(formats, limits, QUICK if chosen.quick else FULL)
    result["seconds"] = round(time.monotonic() - started, 1)
    (chosen.folder / "quant.json").write_text(json.dumps(result, indent=1) + "\n")
    for suffix in ("svg", "png"):
        plot.draw(result, chosen.folder / f"quant.{suffix}")
    table.show_all(result)
    print(f"\n{chosen.folder / 'quant.json'}, quant.svg and quant.png, after {result['seconds']:.0f} s")
    return 1 if bars.fails(result) else 0


def measure(formats, limits, effort):
    """All figures."""
    result = {
        "processor": processor(),
        "packages": {name: importlib.metadata.version(name) for name in ("gguf", "libgguf")},
        "instruction_set": limits.instruction_set,
        "limits": limits.measure_all(),
        "formats": {form.name: {} for form in formats},
        "bars": bars.BARS,
        "seed": agreement.seed(),
    }
    found = result["formats"]
    for threads in (1, 2):
        for name, mib in memory.measure(list(found), threads).items():
            found[name].setdefault("memory", {})[threads] = mib
    room = decode.Room()
    for number, form in enumerate(formats):
        progress(f"{number + 1} of {len(formats)}: {form.name}")
        found[form.name] |= {
            "decode": decode.measure(form, room, limits, effort.samples),
            "encode": encode.measure(form, limits, effort.samples, effort.sample_ms),
            "matvec": matvec.measure(form, limits, effort.samples),
            "agreement": agreement.measure(form, result["seed"]),
        }
    if limits.instruction_set != "scalar":
        progress("the scalar codecs")
        with guard.Scalar() as scalar:
            for form in formats:
                for job in guard.JOBS:
                    if found[form.name][job]:
                        found[form.name][job]["guard"] = scalar.compare(job, form)
    progress("")
    for name, each in found.items():
        each["checks"] = bars.judge(name, each, limits.instruction_set)
    return result


def processor():
    """The name of the processor, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def progress(what):
    """Shows what is being measured, where someone watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
