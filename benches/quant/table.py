"""The figures as tables for a terminal: a row per format, and at its end the bars that it misses."""

import sys

from bars import BARS

COLOUR = sys.stdout.isatty()


def show_all(result):
    """Prints everything that a person at the terminal wants to know."""
    instruction_set, limits = result["instruction_set"], result["limits"]
    print(f"\nkernels: {instruction_set}")
    moves = [f"{name.replace('_1', '')} {4 / ns:.1f}" for name, ns in limits.items() if name.endswith("_1")]
    moves += [f"{name.replace('_2', '')} of two {4 / ns:.1f}" for name, ns in limits.items() if name.endswith("_2")]
    print(f"memory in GB/s: {', '.join(moves)}")
    decode(result["formats"])
    encode(result["formats"], BARS["encode"]["factor"].get(instruction_set))
    matvec(result["formats"])
    memory(result["formats"])
    agreement(result["formats"], result["seed"])
    checks = [check for each in result["formats"].values() for check in each["checks"]]
    missed = sum(not check["met"] for check in checks)
    print(f"\n{len(checks) - missed} of {len(checks)} bars are met")


def decode(formats):
    heading = ["decode", "aligned", "at 16", "at 4", "limit", "of it", "in cache", "new", "libgguf", "", "gguf", ""]
    heading += ["2 threads", "of scalar", "bars"]
    rows = []
    for name, each in formats.items():
        ns, ours = each["decode"]["ns"], each["decode"]["ns"]["aligned"]
        rows.append(
            [name, ours, ns["at_16"], ns["at_4"], ns["limit"], times(ours, ns["limit"]), ns["in_cache"], ns["new"]]
            + [ns.get("libgguf"), times(ns.get("libgguf"), ours), ns.get("gguf"), times(ns.get("gguf"), ours)]
            + [*endings(each, "decode"), outcome(each, "decode")]
        )
    note = """ns per element, one thread: 16 M elements into a mapped array that begins 0, 16 or 4 bytes after a multiple of 64;
limit: streaming stores of the same minutes; in cache: 64 Ki elements, without the time of an empty call; new: into a tensor of its own"""
    show("DECODE to float32", note, heading, rows)


def encode(formats, factor):
    heading = ["encode", "M", "mapped", "bar", "new", "libgguf", "", "gguf", "", "importance", "libgguf", ""]
    heading += ["2 threads", "of scalar", "bars"]
    rows = []
    for name, each in formats.items():
        if not each["encode"]:
            continue
        result, ns = each["encode"], each["encode"]["ns"]
        ours, weighed, bar = ns.get("mapped"), ns.get("importance"), BARS["encode"]["ns"].get(name)
        theirs, theirs_weighed = ns.get("libgguf"), ns.get("libgguf_importance")
        rows.append(
            [name, f"{result['elements'] / 2**20:.2f}", ours, bar * factor if bar and factor else None, ns.get("new")]
            + [theirs, times(theirs, ours), ns.get("gguf"), times(ns.get("gguf"), ours)]
            + [weighed, theirs_weighed, times(theirs_weighed, weighed)]
            + [*endings(each, "encode"), outcome(each, "encode")]
        )
    note = """ns per element, one thread: M million normal float32 in rows of 4096, into mapped blocks and into a tensor of its own;
importance: with an importance vector into a tensor of its own, where the format uses one"""
    show("ENCODE from float32", note, heading, rows)


def matvec(formats):
    heading = ["matvec", "GFLOP/s", "bar", "GB/s", "from memory", "GB/s", "of read", "of scalar", "bars"]
    rows = [
        [name, each["matvec"]["gflops"], BARS["matvec"]["gflops"].get(name), each["matvec"]["gb"]]
        + [each["matvec"]["gflops_from_memory"], each["matvec"]["gb_from_memory"]]
        + [f"{each['matvec']['of_bandwidth']:.2f}", endings(each, "matvec")[-1], outcome(each, "matvec")]
        for name, each in formats.items()
        if each["matvec"]
    ]
    note = """4096 × 4096 by a float32 vector, one thread: one matrix again and again, and matrices that no cache holds together;
of read: bytes of weights that come from memory, as a part of what reading memory allows"""
    if rows:
        show("MATVEC", note, heading, rows)


def memory(formats):
    peaks = {}
    for name, each in formats.items():
        for threads, mib in each["memory"].items():
            if mib is not None:
                peaks.setdefault(threads, []).append((mib, name))
    print("\nMEMORY that decoding into a caller's array takes beyond it, the most of all formats")
    for threads, found in peaks.items():
        mib, name = max(found)
        bar = threads * BARS["decode"]["mib_per_thread"]
        text = f"  threads {threads}: {mib:.2f} MiB ({name}); at most {bar:.0f}"
        print(text if mib <= bar else red(text))


def agreement(formats, seed):
    counts = [each["agreement"] for each in formats.values()]
    encoded, decoded = (sum(count[what] for count in counts) for what in ("encoded", "decoded"))
    print(f"\nAGREEMENT with GGML's code in libgguf, on rows that are new in each run (seed {seed})")
    differ = sum(count["encoded_otherwise"] + count["decoded_otherwise"] for count in counts)
    text = f"  {encoded} rows encoded, {decoded} rows of arbitrary bytes decoded: {differ} differ"
    print(red(text) if differ else text)


def endings(each, part):
    """What two threads bring, and how many times faster than the scalar codec the kernel is."""
    result = each[part]
    threads, compared = result.get("threads"), result.get("guard")
    return [
        threads and (f"{threads['speedup']:.2f}×" if threads["speedup"] else "?"),
        compared and f"{compared['times_faster']:.1f}×",
    ]


def outcome(each, part):
    """`ok`, or the bars that were missed."""
    missed = [check for check in each["checks"] if check["part"] == part and not check["met"]]
    return "; ".join(f"{check['what']} {check['found']:.3g}, bar {check['bar']:.3g}" for check in missed) or "ok"


def times(theirs, ours):
    """How many times ours theirs is."""
    return None if theirs is None or ours is None else f"{theirs / ours:.{1 if theirs / ours > 9.95 else 2}f}×"


def cell(value):
    """A value as text: nothing for `None`, three digits that count for a float."""
    if isinstance(value, float):
        return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"
    return "" if value is None else str(value)


def show(title, note, heading, rows):
    """Prints a table; the first and the last column are words."""
    lines = [heading, *([cell(value) for value in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heading))]
    print(f"\n{title}\n{note}\n")
    for number, line in enumerate(lines):
        cells = [text.rjust(width) for text, width in zip(line, widths)]
        cells[0], cells[-1] = line[0].ljust(widths[0]), line[-1]
        text = "  ".join(cells)
        print(red(text) if number and line[-1] != "ok" else text)


def red(text):
    return f"\033[31m{text}\033[0m" if COLOUR else text
