"""Peak memory of decoding into a caller's buffer, beyond that buffer: a process of its own, so that nothing hides it.

Usage: memory.py <threads> <format>…; prints one JSON object of MiB by format. The first call of each format is the one
that counts: tables that it makes count too.
"""

import json
import subprocess
import sys

import numpy
import tenspan

ROWS, ROW = 4096, 4096


def measure(names, threads):
    """MiB beyond the buffer for each format, or `None` where the system does not tell."""
    command = [sys.executable, __file__, str(threads), *names]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(output.stdout)


def status(name):
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(name + ":"))
    return int(line.split()[1]) / 1024


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def extra_mib(name, out):
    dtype = tenspan.DType(name)
    size = ROWS * ROW // dtype.block_len * dtype.block_bytes
    noise = numpy.resize(numpy.random.default_rng(5).integers(0, 256, 1 << 20, numpy.uint8), size)
    tensor = tenspan.from_bytes(noise, [ROWS, ROW], name)
    del noise
    try:
        forget_peak()
        before = status("VmRSS")
        tenspan.dequantize(tensor, out=out)
        return max(0.0, status("VmHWM") - before)
    except OSError:
        return None


if __name__ == "__main__":
    tenspan.set_num_threads(int(sys.argv[1]))
    out = numpy.ones((ROWS, ROW), numpy.float32)
    print(json.dumps({name: extra_mib(name, out) for name in sys.argv[2:]}))
