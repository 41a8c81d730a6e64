"""Time of a processor, sample by sample, what is compared taking turns.

A sample is the time that this process ran, so other programs on the core do not count; while they ran they emptied its
caches, so a sample whose wall time is longer is dropped. The time of all threads counts: what is said to be
one cannot hide a second. Contestants take turns, so that whatever else happens to the machine
happens to all of them.
"""

import os
import statistics
import time

# Wall time beyond that of the processor that a sample may have: a fraction, and nanoseconds for looking at the clocks.
STOLEN = (0.02, 5_000)


class Contestant:
    """Work that is timed: a call, and how many elements one call handles."""

    def __init__(self, work, elements, at_least_ms=1.0):
        self.work, self.elements = work, elements
        work()
        cpu, _ = self._once(1)
        self.repeat = max(1, round(at_least_ms * 1e6 / max(cpu, 1)))

    def sample(self):
        """Nanoseconds per element by the processor's clock and by that on the wall, and whether nobody disturbed it."""
        if self.repeat > 1:
            # Short work is meant to find its caches as it left them.
            self.work()
        cpu, wall = self._once(self.repeat)
        handled = self.elements * self.repeat
        return cpu / handled, wall / handled, wall - cpu <= cpu * STOLEN[0] + STOLEN[1]

    def _once(self, repeat):
        work = self.work
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        for _ in range(repeat):
            work()
        return time.process_time_ns() - cpu, time.perf_counter_ns() - wall


def race(contestants, samples):
    """Nanoseconds per element of contestants by name, each sampled once per round."""
    taken = {name: [] for name in contestants}
    for _ in range(samples):
        for name, contestant in contestants.items():
            taken[name].append(contestant.sample())
    return {name: median(samples) for name, samples in taken.items()}


def median(samples):
    """That of the samples that nobody disturbed, or of all when those are too few to tell."""
    calm = [cpu for cpu, _, undisturbed in samples if undisturbed]
    return statistics.median(calm if len(calm) >= 3 else [cpu for cpu, _, _ in samples])


def busiest(work):
    """Nanoseconds until the last thread is done had each a core of its own, and whether each nearly had.

    Those of the thread that ran longest, where the system tells what each thread ran and waited; else those on the wall.
    """
    before, wall = _threads(), time.perf_counter_ns()
    work()
    wall = time.perf_counter_ns() - wall
    after = _threads()
    if not before or not after:
        return wall, True
    ran, waited = (
        max(times[index] - before.get(thread, (0, 0))[index] for thread, times in after.items()) for index in (0, 1)
    )
    return ran, waited <= ran * 2 * STOLEN[0] + STOLEN[1]


def _threads():
    """Nanoseconds that each thread of this process has run and has waited for a core, by its id."""
    times = {}
    try:
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/schedstat") as file:
                ran, waited, _ = file.read().split()
            times[thread] = int(ran), int(waited)
    except (OSError, ValueError):
        return {}
    return times
