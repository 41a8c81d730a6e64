"""Nanoseconds of a call on the clock of its thread, contestants taking turns.

A sample is many calls in a row; the median over the rounds is the figure, so what else the machine does reaches all
contestants alike. The time of the loop around the calls is part of it, for all of them.
"""

import dataclasses
import statistics
import time
import timeit


@dataclasses.dataclass
class Effort:
    """How long to look: rounds of all contestants, and about how long a sample takes."""

    rounds: int
    sample_us: float


def race(statements, names, effort):
    """Nanoseconds of each statement by the key it stands under; `names` are what the statements use, or comes with a statement."""
    timers = {}
    for key, statement in statements.items():
        text, own = statement if isinstance(statement, tuple) else (statement, names)
        timer = timeit.Timer(text, globals=own, timer=time.thread_time)
        # What is made at the first call must not tell how many calls are a sample.
        timer.timeit(1)
        repeat = 1
        while (taken := timer.timeit(repeat)) * 1e6 < effort.sample_us / 4:
            repeat *= 4
        timers[key] = timer, max(1, round(repeat * effort.sample_us / (taken * 1e6)))
    samples = {key: [] for key in statements}
    for _ in range(effort.rounds):
        for key, (timer, repeat) in timers.items():
            samples[key].append(timer.timeit(repeat) / repeat * 1e9)
    return {key: statistics.median(taken) for key, taken in samples.items()}


def judge(ns, ours, peer, bar=None):
    """A row of results: both figures, ours as a part of the peer's, and whether that is at most the bar."""
    ratio = ns[ours] / ns[peer]
    return {"ours": ns[ours], "peer": peer, "theirs": ns[peer], "ratio": ratio, "bar": bar, "met": bar is None or ratio <= bar}
