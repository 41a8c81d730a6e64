"""Two threads beside one, by the thread that is busy longest: other programs on the cores count in neither."""

import statistics

import tenspan
from clock import busiest

# Calm samples of each that are enough.
CALM = 3


def two_threads(work, elements, limits, limit, tries):
    """Nanoseconds per element of one thread and of two, and of two threads that only move the floats.

    Where a thread had to wait for its core, others took over its part: without a calm moment nothing is known of two
    threads, and they are `None`.
    """
    times, bounds = {1: [], 2: []}, []
    for _ in range(tries):
        for threads, taken in times.items():
            tenspan.set_num_threads(threads)
            # The first call makes the threads anew.
            work()
            ns, calm = busiest(work)
            if calm:
                taken.append(ns / elements)
        bounds.append(limits.sample(limit, 2)[0])
        if min(map(len, times.values())) >= CALM:
            break
    tenspan.set_num_threads(1)
    one, two = (min(taken, default=None) for taken in times.values())
    speedup = one / two if one and two else None
    return {"one": one, "two": two, "speedup": speedup, "limit": statistics.median(bounds)}
