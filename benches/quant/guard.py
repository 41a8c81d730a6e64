"""The guard of the kernels: each beside the scalar codec of the same build.

A kernel that loses its instructions, because something between its entry and the intrinsics is no longer inlined, stays
right and becomes ten or forty times slower. Nothing that only compares bits can see that. So a second process of the
same package, pinned to the scalar codecs, does the same work, and a kernel that is slower than its codec fails the run.

`guard.py` by itself is that process: it answers each line `<job> <format>` with one sample.
"""

import functools
import os
import subprocess
import sys

import decode
import encode
import matvec
import tenspan
from bars import BARS
from clock import median
from formats import Format

# Some kernels are hardly faster than what the compiler makes of a codec, and a sample has its noise.
SAMPLES = 5
SECOND_LOOKS = 2


@functools.cache
def _room():
    return decode.Room()


JOBS = {
    "decode": lambda form: decode.cached(form, _room().at(0, decode.CACHED_ROWS)),
    "encode": encode.few,
    "matvec": matvec.few,
}


class Scalar:
    """The process that knows no vector instructions."""

    def __init__(self):
        environment = {**os.environ, "TENSPAN_SIMD": "scalar"}
        self._program = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=environment,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._program.stdin.close()
        self._program.wait()

    def sample(self, job, form):
        """One sample, as a contestant gives it."""
        self._program.stdin.write(f"{job} {form.name}\n")
        answer = self._program.stdout.readline().split()
        if len(answer) != 3:
            raise RuntimeError(f"the scalar process ended when it was asked for {job} of {form.name}")
        return float(answer[0]), float(answer[1]), answer[2] == "True"

    def compare(self, job, form):
        """Nanoseconds per element of the kernel and of the codec; looked at again before it is called too slow."""
        ours = JOBS[job](form)
        self.sample(job, form)
        for _ in range(1 + SECOND_LOOKS):
            rounds = [(ours.sample(), self.sample(job, form)) for _ in range(SAMPLES)]
            kernel, codec = (median(samples) for samples in zip(*rounds))
            if kernel <= codec * BARS["guard"]["slower_than_scalar"]:
                break
        return {"kernel": kernel, "scalar": codec, "times_faster": codec / kernel}


@functools.lru_cache(maxsize=4)
def _contestant(job, name):
    return JOBS[job](Format(name))


def serve():
    tenspan.set_num_threads(1)
    for line in sys.stdin:
        job, name = line.split()
        cpu, wall, undisturbed = _contestant(job, name).sample()
        print(cpu, wall, undisturbed, flush=True)


if __name__ == "__main__":
    serve()
