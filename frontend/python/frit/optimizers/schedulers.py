"""Learning rates as functions of the step, an array."""
import math
from typing import Callable, List

import frit.core as mx


def exponential_decay(init: float, decay_rate: float) -> Callable:
    """init * decay_rate ** step."""
    def schedule(step):
        return init * decay_rate**step

    return schedule


def step_decay(init: float, decay_rate: float, step_size: int) -> Callable:
    """init * decay_rate ** (step // step_size)."""
    def schedule(step):
        return init * (decay_rate ** (step // step_size))

    return schedule


def cosine_decay(init: float, decay_steps: int, end: float = 0.0) -> Callable:
    """From init to end by half a cosine in `decay_steps` steps. Raises ValueError for fewer than one step."""
    if decay_steps < 1:
        raise ValueError("cosine_decay: %s steps; give one or more" % decay_steps)

    def schedule(step):
        s = mx.minimum(step, decay_steps)
        return end + 0.5 * (1.0 + mx.cos((math.pi / decay_steps) * s)) * (init - end)

    return schedule


def join_schedules(schedules: List[Callable], boundaries: List[int]) -> Callable:
    """One schedule after the other; the next one begins at each boundary, at step 0 of its own.

    Raises ValueError where there are no schedules, or not one boundary fewer than schedules.
    """
    if len(schedules) == 0:
        raise ValueError("join_schedules: there are no schedules")
    if len(schedules) != len(boundaries) + 1:
        raise ValueError("join_schedules: %d boundaries for %d schedules; give one fewer than schedules" % (len(boundaries), len(schedules)))

    def schedule(step):
        out = schedules[0](step)
        for boundary, later in zip(boundaries, schedules[1:]):
            out = mx.where(step < boundary, out, later(step - boundary))
        return out

    return schedule


def linear_schedule(init: float, end: float, steps: int) -> Callable:
    """From init to end in equal steps. Raises ValueError for fewer than one step."""
    if steps < 1:
        raise ValueError("linear_schedule: %d steps; give one or more" % steps)

    def schedule(step):
        step = mx.minimum(step, steps)
        return step * ((end - init) / steps) + init

    return schedule
