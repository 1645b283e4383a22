"""Optimisers: new parameters from gradients, and the state that they keep between steps."""
from typing import Callable, List, Optional, Tuple, Union

import frit.core as mx
from frit.nn.layers.base import Module
from frit.utils import tree_flatten, tree_map, tree_merge, tree_reduce, tree_unflatten

Rate = Union[float, Callable[[mx.array], mx.array]]


class Optimizer:
    """The base of optimisers: a tree of state beside that of the parameters, the step and scheduled values."""

    def __init__(self, schedulers=None):
        self._initialized = False
        self._state = {"step": mx.array(0, mx.uint64)}
        self._schedulers = dict(schedulers or {})

    def update(self, model: Module, gradients: dict):
        """Updates the parameters of the model."""
        model.update(self.apply_gradients(gradients, model))

    def init(self, parameters: dict):
        """Makes the state for parameters; apply_gradients does it at its first call."""
        def merge(parameter, state):
            if isinstance(state, dict) and all(not isinstance(v, (dict, list)) for v in state.values()) and state:
                return state
            state = {}
            self.init_single(parameter, state)
            return state

        def fill(params, state):
            if isinstance(params, (list, tuple)):
                old = state if isinstance(state, (list, tuple)) else []
                return type(params)(fill(p, old[i] if i < len(old) else None) for i, p in enumerate(params))
            if isinstance(params, dict):
                old = state if isinstance(state, dict) else {}
                return {k: fill(p, old.get(k)) for k, p in params.items()}
            return merge(params, state)

        known = {k: v for k, v in self._state.items() if not isinstance(v, mx.array)}
        self._state.update(fill(parameters, known) if isinstance(parameters, dict) else {})
        self._initialized = True

    def init_single(self, parameter: mx.array, state: dict):
        """Makes the state of one parameter."""
        raise NotImplementedError()

    def apply_gradients(self, gradients: dict, parameters: dict):
        """The new parameters; `parameters` may hold more than there are gradients of."""
        if not self._initialized:
            self.init(gradients)
        for name, scheduler in self._schedulers.items():
            self._state[name] = scheduler(self.step)
        self._state["step"] = self.step + 1
        return tree_map(self.apply_single, gradients, parameters, self._state)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        raise NotImplementedError()

    @property
    def state(self):
        """The state as a dict, for saving and for compile's inputs and outputs."""
        return self._state

    @state.setter
    def state(self, state: dict):
        self._initialized = False
        self._state = state

    @property
    def step(self):
        """The number of steps, an array."""
        return self._state["step"]

    @property
    def learning_rate(self):
        """The learning rate, an array."""
        return self._state["learning_rate"]

    @learning_rate.setter
    def learning_rate(self, learning_rate: Union[float, mx.array]):
        self._state["learning_rate"] = mx.array(learning_rate)

    def _maybe_schedule(self, name: str, param: Rate):
        if callable(param):
            self._schedulers[name] = param
            parameter = param(self.step)
        else:
            parameter = mx.array(param)
        self._state[name] = parameter

    def _rate(self, like):
        return self.learning_rate.astype(like.dtype)


class MultiOptimizer(Optimizer):
    """Several optimisers; each parameter goes to the first whose filter takes it, the rest to the last.

    Raises ValueError where there is not one filter fewer than optimisers.
    """

    def __init__(self, optimizers, filters: list = []):
        super().__init__({})
        self._state = {}
        if len(filters) != len(optimizers) - 1:
            raise ValueError("MultiOptimizer: %d filters for %d optimisers; give one fewer" % (len(filters), len(optimizers)))
        self.optimizers = optimizers
        self.filters = filters + [lambda *args, **kwargs: True]

    def _split(self, gradients: dict):
        parts = [[] for _ in self.optimizers]
        for name, g in tree_flatten(gradients):
            parts[next(i for i, takes in enumerate(self.filters) if takes(name, g))].append((name, g))
        return [tree_unflatten(p) if p else {} for p in parts]

    def init(self, parameters: dict):
        """Makes the state of every optimiser."""
        for optimizer, part in zip(self.optimizers, self._split(parameters)):
            optimizer.init(part)

    def apply_gradients(self, gradients: dict, parameters: dict):
        """The new parameters."""
        out = {}
        for optimizer, part in zip(self.optimizers, self._split(gradients)):
            out = tree_merge(out, optimizer.apply_gradients(part, parameters))
        return out

    @property
    def state(self):
        """The states of the optimisers: {"states": [...]}."""
        return {"states": [o.state for o in self.optimizers]}

    @state.setter
    def state(self, state: dict):
        if "states" not in state or len(state["states"]) != len(self.optimizers):
            raise ValueError("MultiOptimizer: the state is not that of %d optimisers" % len(self.optimizers))
        for optimizer, part in zip(self.optimizers, state["states"]):
            optimizer.state = part

    @property
    def learning_rate(self):
        """The learning rate of the first optimiser."""
        return self.optimizers[0].learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Union[float, mx.array]):
        for optimizer in self.optimizers:
            optimizer.learning_rate = learning_rate


class SGD(Optimizer):
    """p - lr * v with v = momentum * v + (1 - dampening) * g. Raises ValueError where nesterov has no momentum."""

    def __init__(self, learning_rate: Rate, momentum: float = 0.0, weight_decay: float = 0.0, dampening: float = 0.0, nesterov: bool = False):
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("SGD: nesterov needs a momentum above zero and no dampening")
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.momentum, self.weight_decay, self.dampening, self.nesterov = momentum, weight_decay, dampening, nesterov

    def init_single(self, parameter: mx.array, state: dict):
        """The velocity."""
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        if self.weight_decay != 0:
            gradient = gradient + self.weight_decay * parameter
        if self.momentum <= 0:
            return parameter - self._rate(gradient) * gradient
        v = self.momentum * state.get("v")
        v = v + ((1 - self.dampening) * gradient if self.dampening > 0 else gradient)
        update = gradient + self.momentum * v if self.nesterov else v
        state["v"] = v
        return parameter - self._rate(gradient) * update


class RMSprop(Optimizer):
    """p - lr * g / (sqrt(v) + eps) with v = alpha * v + (1 - alpha) * g squared."""

    def __init__(self, learning_rate: Rate, alpha: float = 0.99, eps: float = 1e-8):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.alpha, self.eps = alpha, eps
        if alpha < 0:
            raise ValueError("RMSprop: alpha is %s; give zero or more" % alpha)
        if eps <= 0:
            raise ValueError("RMSprop: eps is %s; give more than zero" % eps)

    def init_single(self, parameter: mx.array, state: dict):
        """The mean of squares."""
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        v = state["v"] = self.alpha * state["v"] + (1 - self.alpha) * mx.square(gradient)
        return parameter - self._rate(gradient) * gradient / (mx.sqrt(v) + self.eps)


class Adagrad(Optimizer):
    """p - lr * g / (sqrt(v) + eps) with v the sum of squares."""

    def __init__(self, learning_rate: Rate, eps: float = 1e-8):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.eps = eps
        if eps <= 0:
            raise ValueError("Adagrad: eps is %s; give more than zero" % eps)

    def init_single(self, parameter: mx.array, state: dict):
        """The sum of squares."""
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        v = state["v"] = state["v"] + mx.square(gradient)
        return parameter - self._rate(gradient) * gradient / (mx.sqrt(v) + self.eps)


class AdaDelta(Optimizer):
    """Steps whose size follows the ratio of mean squares of steps and gradients."""

    def __init__(self, learning_rate: Rate, rho: float = 0.9, eps: float = 1e-6):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.rho, self.eps = rho, eps
        if rho < 0:
            raise ValueError("AdaDelta: rho is %s; give zero or more" % rho)
        if eps <= 0:
            raise ValueError("AdaDelta: eps is %s; give more than zero" % eps)

    def init_single(self, parameter: mx.array, state: dict):
        """The mean squares of gradients and of steps."""
        state["v"] = mx.zeros_like(parameter)
        state["u"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        v, u = state["v"], state["u"]
        v = self.rho * v + (1 - self.rho) * mx.square(gradient)
        d = mx.sqrt(u + self.eps) / mx.sqrt(v + self.eps) * gradient
        state["v"], state["u"] = v, self.rho * u + (1 - self.rho) * mx.square(d)
        return parameter - self._rate(gradient) * d


def _check_betas(who, betas):
    """Means that run with weights outside of [0, 1) grow without bound, or change their sign at each step."""
    for beta in betas:
        if not 0 <= beta < 1:
            raise ValueError("%s: a beta is %s; give betas from 0 to below 1" % (who, beta))


class Adam(Optimizer):
    """p - lr * m / (sqrt(v) + eps) with running means m of g and v of g squared. Betas outside of [0, 1) raise ValueError."""

    def __init__(self, learning_rate: Rate, betas: List[float] = [0.9, 0.999], eps: float = 1e-8, bias_correction: bool = False):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.betas, self.eps, self.bias_correction = betas, eps, bias_correction
        _check_betas("Adam", betas)
        if not 0 <= eps:
            raise ValueError("Adam: eps is %s; give zero or more" % eps)

    def init_single(self, parameter: mx.array, state: dict):
        """The running means."""
        state["m"] = mx.zeros_like(parameter)
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        lr = self._rate(gradient)
        b1, b2 = self.betas
        m = state["m"] = b1 * state["m"] + (1 - b1) * gradient
        v = state["v"] = b2 * state["v"] + (1 - b2) * mx.square(gradient)
        if not self.bias_correction:
            return parameter - lr * m / (mx.sqrt(v) + self.eps)
        c1 = (lr / (1 - b1**self.step)).astype(gradient.dtype)
        c2 = mx.rsqrt(1 - b2**self.step).astype(gradient.dtype)
        return parameter - c1 * m / (mx.sqrt(v) * c2 + self.eps)


class AdamW(Adam):
    """Adam with weights that decay by lr * weight_decay."""

    def __init__(self, learning_rate: Rate, betas: List[float] = [0.9, 0.999], eps: float = 1e-8, weight_decay: float = 0.01,
                 bias_correction: bool = False):
        super().__init__(learning_rate=learning_rate, betas=betas, eps=eps, bias_correction=bias_correction)
        self.weight_decay = weight_decay

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        return super().apply_single(gradient, parameter * (1 - self._rate(gradient) * self.weight_decay), state)


class Adamax(Adam):
    """Adam with the running maximum of |g| in the place of v."""

    def __init__(self, learning_rate: Rate, betas: List[float] = [0.9, 0.999], eps: float = 1e-8):
        super().__init__(learning_rate, betas, eps)

    def init_single(self, parameter: mx.array, state: dict):
        """The running mean and maximum."""
        state["m"] = mx.zeros_like(parameter)
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        b1, b2 = self.betas
        m = state["m"] = b1 * state["m"] + (1 - b1) * gradient
        v = state["v"] = mx.maximum(b2 * state["v"], mx.abs(gradient))
        return parameter - self._rate(gradient) * m / (v + self.eps)


class Lion(Optimizer):
    """p - lr * sign of a mix of the running mean and the gradient."""

    def __init__(self, learning_rate: Rate, betas: List[float] = [0.9, 0.99], weight_decay: float = 0.0):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.betas, self.weight_decay = betas, weight_decay
        _check_betas("Lion", betas)

    def init_single(self, parameter: mx.array, state: dict):
        """The running mean."""
        state["m"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        lr = self._rate(gradient)
        b1, b2 = self.betas
        m = state["m"]
        c = b1 * m + (1 - b1) * gradient
        state["m"] = b2 * m + (1 - b2) * gradient
        if self.weight_decay > 0:
            parameter = (1 - lr * self.weight_decay) * parameter
        return parameter - lr * mx.sign(c)


class Adafactor(Optimizer):
    """Steps by factored mean squares: one row and one column for each matrix."""

    def __init__(
        self,
        learning_rate: Union[float, Callable[[mx.array], mx.array], None] = None,
        eps: Tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = -0.8,
        beta_1: Optional[float] = None,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
    ):
        super().__init__()
        if learning_rate is not None:
            self._maybe_schedule("learning_rate", learning_rate)
        self.eps, self.clip_threshold, self.decay_rate, self.beta_1 = eps, clip_threshold, decay_rate, beta_1
        self.weight_decay, self.scale_parameter = weight_decay, scale_parameter
        self.relative_step, self.warmup_init = relative_step, warmup_init

    def init_single(self, parameter: mx.array, state: dict):
        """The mean squares, in rows and columns where there are two axes or more."""
        if parameter.ndim >= 2:
            shape, dtype = parameter.shape, parameter.dtype
            state["exp_avg_sq_row"] = mx.zeros(shape[:-1], dtype=dtype)
            state["exp_avg_sq_col"] = mx.zeros(shape[:-2] + shape[-1:], dtype=dtype)
        else:
            state["exp_avg_sq"] = mx.zeros_like(parameter)
        if self.beta_1 is not None:
            state["exp_avg"] = mx.zeros_like(parameter)

    def _learning_rate(self, step, rms):
        if self.relative_step:
            least = 1e-6 * step if self.warmup_init else 1e-2
            rate = mx.minimum(least, mx.rsqrt(step))
        else:
            rate = self.learning_rate
        rate = rate.astype(rms.dtype)
        return mx.maximum(self.eps[1], rms) * rate if self.scale_parameter else rate

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        def rms(x):
            return mx.sqrt(mx.mean(mx.square(x)))

        step = self.step
        rate = self._learning_rate(step, rms(parameter))
        beta_2 = 1.0 - (step**self.decay_rate).astype(rate.dtype)
        squares = mx.square(gradient) + self.eps[0]
        if gradient.ndim >= 2:
            row = state["exp_avg_sq_row"] = beta_2 * state["exp_avg_sq_row"] + (1 - beta_2) * mx.mean(squares, axis=-1)
            col = state["exp_avg_sq_col"] = beta_2 * state["exp_avg_sq_col"] + (1 - beta_2) * mx.mean(squares, axis=-2)
            row = mx.expand_dims(mx.rsqrt(row / mx.mean(row, axis=-1, keepdims=True)), axis=-1)
            update = mx.matmul(row, mx.expand_dims(mx.rsqrt(col), axis=-2)) * gradient
        else:
            mean = state["exp_avg_sq"] = beta_2 * state["exp_avg_sq"] + (1 - beta_2) * squares
            update = mx.rsqrt(mean) * gradient
        update = rate * update / mx.maximum(1.0, rms(update) / self.clip_threshold)
        if self.beta_1 is not None:
            update = state["exp_avg"] = self.beta_1 * state["exp_avg"] + (1 - self.beta_1) * update
        if self.weight_decay != 0:
            parameter = parameter + parameter * (-self.weight_decay * rate)
        return parameter - update


class Muon(Optimizer):
    """Momentum whose matrices are made orthogonal by Newton-Schulz steps."""

    def __init__(self, learning_rate: Rate, momentum: float = 0.95, weight_decay: float = 0.01, nesterov: bool = True, ns_steps: int = 5):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.momentum, self.weight_decay, self.nesterov, self.ns_steps = momentum, weight_decay, nesterov, ns_steps

    def init_single(self, parameter: mx.array, state: dict):
        """The momentum."""
        state["v"] = mx.zeros_like(parameter)

    def _orthogonal(self, x, steps):
        a, b, c = 3.4445, -4.7750, 2.0315
        turned = x.shape[-2] > x.shape[-1]
        if turned:
            x = x.T
        x = x / (mx.linalg.norm(x, keepdims=True) + 1e-7)
        for _ in range(steps):
            square = x @ x.T
            x = a * x + (b * square + c * (square @ square)) @ x
        return x.T if turned else x

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict):
        """The new value of one parameter."""
        if self.weight_decay != 0:
            gradient = gradient + self.weight_decay * parameter
        v = state["v"] = self.momentum * state["v"] + (1 - self.momentum) * gradient
        update = gradient * (1 - self.momentum) + v * self.momentum if self.nesterov else v
        rate = self._rate(gradient)
        if update.ndim >= 2:
            shape = update.shape
            flat = update.reshape(shape[0], -1) if update.ndim > 2 else update
            update = self._orthogonal(flat, self.ns_steps).reshape(shape)
            # As in MLX, the last two axes of the parameter scale the rate, not those of the matrix.
            rate = rate * max(1, shape[-2] / shape[-1]) ** 0.5
        return parameter - rate * update


def clip_grad_norm(grads, max_norm):
    """The gradients scaled to a common norm of `max_norm` at most, and the norm before. Raises ValueError for a norm below 0."""
    if max_norm < 0:
        raise ValueError("clip_grad_norm: the norm %s is negative" % max_norm)
    norm = mx.sqrt(tree_reduce(lambda total, g: total + g.square().sum().astype(mx.float32), grads, mx.array(0.0)))
    scale = mx.minimum(max_norm / (norm + 1e-6), 1.0)
    return tree_map(lambda g: (g * scale).astype(g.dtype), grads), norm
