"""What the memory of this machine allows, sampled by a native program beside what it is the limit of."""

import statistics
import subprocess

# Passes after which a limit that moves with the neighbours is known well enough.
PASSES = 5


class Limits:
    """The program `benches/limits.rs`, kept running between samples."""

    def __init__(self, program):
        self._program = subprocess.Popen(
            [program, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.instruction_set = self._program.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._program.stdin.close()
        self._program.wait()

    def sample(self, name, threads=1):
        """Nanoseconds per float of one pass: of the busiest thread, and on the wall."""
        self._program.stdin.write(f"{name} {threads}\n")
        answer = self._program.stdout.readline().split()
        if len(answer) != 3:
            raise RuntimeError(f"{self._program.args[0]} ended when it was asked for `{name}`")
        floats, busiest, wall = (float(word) for word in answer)
        return busiest / floats, wall / floats

    def measure(self, name, threads=1):
        """The median of several passes."""
        return statistics.median(self.sample(name, threads)[0] for _ in range(PASSES))


    def measure_all(self):
        """Nanoseconds per float of everything that memory allows one thread, or two."""
        return {
            f"{name}_{threads}": self.measure(name, threads)
            for name in ("store", "stream", "read", "copy")
            for threads in (1, 2)
        }


class Pass:
    """A limit that takes part in a race."""

    def __init__(self, limits, name):
        self._limits, self._name = limits, name

    def sample(self):
        busiest, wall = self._limits.sample(self._name)
        return busiest, wall, wall <= busiest * 1.02
