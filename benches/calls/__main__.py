"""Calls, callbacks, containers and errors in Python, beside apache-tvm-ffi and numkong in one run.

Prints tables and writes `calls-python.json`. The bars are in `bars.toml`; one that is missed is shown and fails nothing. Functions hold the
interpreter on both sides, or release it on both.
"""

import argparse
import importlib.metadata
import json
import sys
import time
from pathlib import Path

# The clock and the table are those of the comparison of memory.
sys.path.append(str(Path(__file__).parents[1] / "memory"))

import rows
import table
from race import Effort

FULL, QUICK = Effort(rounds=61, sample_us=400), Effort(rounds=15, sample_us=150)
PACKAGES = ("apache-tvm-ffi", "numkong", "numpy")


def main():
    arguments = argparse.ArgumentParser(prog="cargo peers calls", description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path, help="where the results go")
    arguments.add_argument("limits", help="the program that measures the limits of the machine; not needed here")
    arguments.add_argument("only", nargs="*", help="rows whose names contain one of these")
    arguments.add_argument("--quick", action="store_true", help="fewer and shorter samples")
    chosen = arguments.parse_intermixed_args()
    started = time.monotonic()
    result = {
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        **rows.measure(QUICK if chosen.quick else FULL, chosen.only, chosen.folder),
    }
    result["seconds"] = round(time.monotonic() - started, 1)
    kept = chosen.folder / "calls-python.json"
    kept.write_text(json.dumps(result, indent=1) + "\n")
    print("\n" + ", ".join(f"{name} {version}" for name, version in result["packages"].items()))
    for title in rows.GROUPS:
        table.show(f"{title.upper()}, ns", result[title])
    table.sum_up([row for title in rows.GROUPS for row in result[title].values()])
    print(f"\n{kept}, after {result['seconds']:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
