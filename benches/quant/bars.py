"""The bars, and which of them the figures of a format meet."""

import tomllib
from pathlib import Path

BARS = tomllib.loads((Path(__file__).parent / "bars.toml").read_text())


# What is said of a kernel that has lost its instructions, and of one that is wrong: the misses that fail a run.
SLOWER, OTHERWISE = "SLOWER THAN SCALAR", "OTHER THAN GGML"


def judge(name, result, instruction_set):
    """The figures of one format against their bars: what, of which part, found, bar, met."""
    checks = [*_decode(result["decode"], instruction_set), *_encode(name, result["encode"], instruction_set)]
    checks += [*_matvec(name, result["matvec"]), *_memory(result["memory"])]
    for part in ("encode", "decode"):
        if result["agreement"][f"{part}d"]:
            checks.append(_at_most(part, OTHERWISE, result["agreement"][f"{part}d_otherwise"], 0))
    for part in ("decode", "encode", "matvec"):
        if compared := (result[part] or {}).get("guard"):
            slower = compared["kernel"] / compared["scalar"]
            checks.append(_at_most(part, SLOWER, slower, BARS["guard"]["slower_than_scalar"]))
    return checks


def formats():
    """The names of formats that have bars of their own."""
    return set(BARS["encode"]["ns"]) | set(BARS["matvec"]["gflops"])


def fails(result):
    """Whether a kernel is slower than the scalar codec, or wrong."""
    return any(check["what"] in (SLOWER, OTHERWISE) and not check["met"] for each in result["formats"].values() for check in each["checks"])


def _at_most(part, what, found, bar):
    return {"part": part, "what": what, "found": found, "bar": bar, "met": found <= bar}


def _at_least(part, what, found, bar):
    return {"part": part, "what": what, "found": found, "bar": bar, "met": found >= bar}


def _decode(result, instruction_set):
    bars, ns = BARS["decode"], result["ns"]
    if limit := bars["limit"].get(instruction_set):
        for where in ("aligned", "at_16", "at_4"):
            yield _at_most("decode", f"{where.replace('_', ' ')}/limit", ns[where] / ns["limit"], limit)
        yield _at_most("decode", "in cache", ns["in_cache"], bars["in_cache"])
    for package in ("libgguf", "gguf"):
        if package in ns:
            yield _at_least("decode", f"times {package}", ns[package] / ns["aligned"], bars[package])
    yield from _threads("decode", result["threads"])


def _encode(name, result, instruction_set):
    if not result:
        return
    bars, ns = BARS["encode"], result["ns"]
    factor, bar = bars["factor"].get(instruction_set), bars["ns"].get(name)
    if factor and bar:
        yield _at_most("encode", "time", ns["mapped"], bar * factor)
    if "importance" in ns and "new" in ns:
        yield _at_most("encode", "importance", ns["importance"] / ns["new"], bars["importance"])
    yield from _threads("encode", result["threads"])


def _matvec(name, result):
    bars = BARS["matvec"]
    bar = bars["gflops"].get(name)
    # Where the memory hands the weights over no faster, no kernel can do better.
    if result and bar and result["of_bandwidth"] < bars["bandwidth"]:
        yield _at_least("matvec", "GFLOP/s", result["gflops"], bar)


def _memory(result):
    for threads, mib in result.items():
        if mib is not None:
            yield _at_most("memory", f"{threads} threads", mib, threads * BARS["decode"]["mib_per_thread"])


def _threads(part, result):
    bars = BARS["threads"]
    if result["speedup"] and result["two"] > result["limit"] * bars["bound_by_memory"]:
        yield _at_least(part, "two threads", result["speedup"], bars["speedup"])
