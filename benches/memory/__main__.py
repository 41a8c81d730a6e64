"""Memory that crosses the border of Python, and products of what crossed, beside numkong, apache-tvm-ffi and NumPy in one run.

Prints tables and writes `memory-python.json`. The bars are in `bars.toml`; one that is missed is shown and fails nothing. Before
anything is timed, `interop` checks that memory of JAX and PyArrow comes in and goes out as it should.
"""

import argparse
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path

# One thread for NumPy, as ours has: read when it is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import calls
import interop
import products
import table
from race import Effort

FULL, QUICK = Effort(rounds=61, sample_us=400), Effort(rounds=15, sample_us=150)
PACKAGES = ("numkong", "apache-tvm-ffi", "numpy", "ml_dtypes")


def main():
    arguments = argparse.ArgumentParser(prog="cargo peers memory", description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path, help="where the results go")
    arguments.add_argument("limits", help="the program that measures the limits of the machine; not needed here")
    arguments.add_argument("only", nargs="*", help="rows whose names contain one of these")
    arguments.add_argument("--quick", action="store_true", help="fewer and shorter samples")
    chosen = arguments.parse_intermixed_args()
    effort = QUICK if chosen.quick else FULL
    started = time.monotonic()
    result = {
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "interop": interop.check_all(),
        "calls": calls.measure(effort, chosen.only),
        "products": products.measure(effort, chosen.only),
    }
    result["seconds"] = round(time.monotonic() - started, 1)
    (chosen.folder / "memory-python.json").write_text(json.dumps(result, indent=1) + "\n")
    table.show_all(result)
    print(f"\n{chosen.folder / 'memory-python.json'}, after {result['seconds']:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
