"""A GGUF header with two arrays of 151,936 strings, as large vocabularies have: opened by tenspan and by PyPI gguf.

Each opening runs in a process of its own, so that its memory is its own; times are the best of several.
Prints one JSON object. Usage: gguf_header.py <folder>
"""

import json
import subprocess
import sys
from pathlib import Path

STRINGS = 151_936

OPEN = {
    "tenspan": """
import tenspan
def once(path):
    file = tenspan.open(path)
    assert len(file.metadata) >= 3
    return file
""",
    "gguf": """
import gguf
def once(path):
    return gguf.GGUFReader(path)
""",
}

MEASURE = """
import gc, json, resource, sys, time
{once}
def peak():
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 2**20
def held():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 2**20
    except OSError:
        return peak()
path, rounds = sys.argv[1], int(sys.argv[2])
gc.collect()
before, before_held = peak(), held()
start = time.perf_counter()
file = once(path)
times = [time.perf_counter() - start]
# Imports may have left room below the peak: what is held now tells what they hide.
memory = max(peak() - before, held() - before_held)
for _ in range(rounds - 1):
    start = time.perf_counter()
    file = once(path)
    times.append(time.perf_counter() - start)
print(json.dumps({{"ms": min(times) * 1e3, "first_ms": times[0] * 1e3, "extra_mib": memory}}))
"""


def write(path):
    import numpy
    from gguf import GGUFWriter

    writer = GGUFWriter(str(path), "llama")
    writer.add_array("tokenizer.ggml.tokens", [f"token number {i}" for i in range(STRINGS)])
    writer.add_array("tokenizer.ggml.merges", [f"left{i} right{i}" for i in range(STRINGS)])
    writer.add_tensor("output_norm.weight", numpy.ones(256, numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def measure(name, path, rounds):
    program = MEASURE.format(once=OPEN[name])
    output = subprocess.run([sys.executable, "-c", program, str(path), str(rounds)], check=True, capture_output=True, text=True)
    return json.loads(output.stdout)


if __name__ == "__main__":
    path = Path(sys.argv[1]) / "header.gguf"
    if not path.exists():
        write(path)
    ours = measure("tenspan", path, 20)
    theirs = measure("gguf", path, 3)
    result = {
        "strings": 2 * STRINGS,
        "file_mib": path.stat().st_size / 2**20,
        "tenspan": ours,
        "gguf": theirs,
        "times_faster": theirs["ms"] / ours["ms"],
        "wanted": "at most 30 ms, at most 20 MiB, at least 100 times faster",
    }
    print(json.dumps(result))
