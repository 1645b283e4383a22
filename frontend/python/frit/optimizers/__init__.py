"""Optimisers and schedules of learning rates."""
from frit.optimizers import optimizers, schedulers
from frit.optimizers.optimizers import (
    SGD, AdaDelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Lion, MultiOptimizer, Muon, Optimizer, RMSprop, clip_grad_norm)
from frit.optimizers.schedulers import cosine_decay, exponential_decay, join_schedules, linear_schedule, step_decay
