"""torch's other functions for the same ops: operators and overloads, and operations in place.

The tables are read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name
from torch.nn.attention import SDPBackend, sdpa_kernel

from conformance.capability import Capability
from conformance.errors import Unsupported
from conformance_backends.dialects.of_torch import TAPE
from conformance_backends.families.torch_families import all_sent
from conformance_backends.spellings.torch_methods import CUSTOM_RULE, RESPELLED, WORDS, TorchMethods
from conformance_backends.torch_backend import TorchTape
from conformance_backends.torch_ops import OPS
from conformance_backends.torch_points import DEPARTURES
from conformance_backends.usual_points import declared_points

# ---- operators, overloads, older names ------------------------------------------------------------------


def extreme(function: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """A reduction that has an overload for all axes and one for a single axis, which gives the place too."""
    if axis is None and not keepdims:
        return function(x)
    if not isinstance(axis, int):
        raise Unsupported("this function of torch's takes one axis, or all")
    return function(x, dim=axis, keepdim=keepdims).values


def product(a: Any, b: Any) -> Any:
    """The function of torch's that is made for operands of just these ranks."""
    functions = {(1, 1): torch.dot, (2, 1): torch.mv, (2, 2): torch.mm, (3, 3): torch.bmm}
    function = functions.get((a.ndim, b.ndim))
    if function is None or (a.ndim == 3 and a.shape[0] != b.shape[0]):
        raise Unsupported("torch has no function for operands of these ranks alone")
    return function(a, b)


def selected(x: Any, indices: Any, axis: Any) -> Any:
    """torch.index_select, which takes one list of places along one axis, counted from its front."""
    places = torch.tensor(indices, dtype=torch.int64)
    if axis is None or places.ndim != 1 or (places < 0).any():
        raise Unsupported("torch's index_select takes a list of places along an axis, from its front")
    return torch.index_select(x, axis, places)


def parted(x: Any, indices_or_sections: Any, axis: Any) -> Any:
    """torch.split, by sizes in place of places."""
    length = x.shape[axis]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        sizes = [length // count + (i < length % count) for i in range(count)]
    else:
        places = [0, *indices_or_sections, length]
        sizes = [end - start for start, end in pairwise(places)]
    if min(sizes) < 0:
        raise Unsupported("torch's split takes sizes, which are not below zero")
    return torch.split(x, sizes, dim=axis)


def attention(q: Any, k: Any, v: Any, mask: Any = None, **options: Any) -> Any:
    """The attention that torch computes step by step."""
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, mask, **options)


def norm(x: Any, axis: Any, keepdims: Any, ord: Any) -> Any:
    """torch.norm, the older function."""
    if axis == ():
        raise Unsupported("torch's norm takes no axes for all of them")
    return torch.norm(x, p=ord, dim=axis, keepdim=keepdims)


SPELLED: Mapping[str, Callable[..., Any]] = {
    "abs": lambda x: abs(x),
    "negative": lambda x: -x,
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "remainder": lambda x, y: x % y,
    "pow": lambda x, y: x**y,
    "power_of": lambda x, exponent: x**exponent,
    "square": lambda x: x**2,
    "reciprocal": lambda x: 1 / x,
    "sqrt": lambda x: x**0.5,
    "rsqrt": lambda x: x**-0.5,
    "clip": lambda x, min, max: torch.clamp(
        x,
        min=None if min is None else torch.tensor(min, dtype=x.dtype),
        max=None if max is None else torch.tensor(max, dtype=x.dtype),
    ),
    "max": lambda x, axis, keepdims: extreme(torch.max, x, axis, keepdims),
    "min": lambda x, axis, keepdims: extreme(torch.min, x, axis, keepdims),
    "var": lambda x, axis, keepdims, correction: torch.var_mean(
        x, dim=axis, keepdim=keepdims, correction=correction
    )[0],
    "std": lambda x, axis, keepdims, correction: torch.std_mean(
        x, dim=axis, keepdim=keepdims, correction=correction
    )[0],
    "vector_norm": norm,
    "sort": lambda x, axis: torch.sort(x, dim=axis, stable=True).values,
    "reshape": lambda x, shape: x.contiguous().view(shape),
    "broadcast_to": lambda x, shape: x.expand(shape),
    "split": parted,
    "take": selected,
    "embedding": lambda weight, indices: weight[indices],
    "masked_fill": lambda x, mask, value: torch.masked_fill(x, mask, torch.tensor(value, dtype=x.dtype)),
    "matmul": product,
    "matrix_transpose": lambda x: x.transpose(-2, -1),
    "inv": lambda x: torch.linalg.inv_ex(x).inverse,
    "cholesky": lambda x, upper=False: torch.linalg.cholesky_ex(x, upper=upper).L,
    "solve": lambda a, b: torch.linalg.solve_ex(a, b[None] if 1 < b.ndim < a.ndim else b).result,
    "scaled_dot_product_attention": lambda q, k, v, is_causal: attention(q, k, v, is_causal=is_causal),
    "biased_attention": lambda q, k, v, bias, scale: attention(q, k, v, bias, scale=scale),
    "masked_attention": lambda q, k, v, mask, scale: attention(
        q, k, v, torch.tensor(mask), scale=scale, enable_gqa=q.ndim > 2
    ),
    "max_pool2d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: F.max_pool2d(
        x, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True
    )[0],
    "max_pool1d": lambda x, kernel_size, stride, padding, dilation, ceil_mode: F.max_pool1d(
        x, kernel_size, stride, padding, dilation, ceil_mode, return_indices=True
    )[0],
    "cdist": lambda x, y, p: torch.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist"),
}


LINES = ("rows", "columns")


class TorchSpelled(TorchMethods, TorchTape):
    """torch's operators, overloads and older names; torch.autograd.functional, hooks of nodes."""

    mode = "spelled"
    is_spelling = True
    # Not FORWARD_RULES: tangents come by two reverse passes.
    capabilities = TorchTape.capabilities - {Capability.FORWARD_RULES}
    respells = RESPELLED
    dialect = replace(
        TAPE,
        no_grad="torch.set_grad_enabled(False)",
        custom=CUSTOM_RULE,
        further={**TAPE.further, **WORDS},
    )
    ops: ClassVar[Mapping[str, Callable[..., Any]]] = {**OPS, **SPELLED}
    spells = frozenset(SPELLED)
    # Those that end in _ex give a number that says whether it went well, and raise nothing. Along an axis torch.max and
    # torch.min return the places of one entry each.
    points = declared_points(
        SPELLED,
        {
            **DEPARTURES,
            **dict.fromkeys(("inv/singular", "cholesky/singular", "solve/singular")),
            **dict.fromkeys((f"{op}/ties-in-{lines}" for op in ("max", "min") for lines in LINES), "first"),
        },
    )


# ---- in place -----------------------------------------------------------------------------------------------


def in_shape(x: Any, *shape: int) -> Any:
    """A copy to be written, since a leaf may not be; what is written has its shape."""
    if x.shape != shape:
        raise Unsupported("what torch writes in place has the shape of the first operand")
    return x.clone()


def copied(x: Any, *others: Any) -> Any:
    """A copy to be written, with which the others are broadcast."""
    return in_shape(x, *torch.broadcast_shapes(x.shape, *(y.shape for y in others)))


IN_PLACE: Mapping[str, Callable[..., Any]] = {
    "abs": lambda x: x.clone().abs_(),
    "negative": lambda x: x.clone().neg_(),
    "square": lambda x: x.clone().square_(),
    "sqrt": lambda x: x.clone().sqrt_(),
    "rsqrt": lambda x: x.clone().rsqrt_(),
    "reciprocal": lambda x: x.clone().reciprocal_(),
    "exp": lambda x: x.clone().exp_(),
    "exp2": lambda x: x.clone().exp2_(),
    "expm1": lambda x: x.clone().expm1_(),
    "log": lambda x: x.clone().log_(),
    "log2": lambda x: x.clone().log2_(),
    "log10": lambda x: x.clone().log10_(),
    "log1p": lambda x: x.clone().log1p_(),
    "sin": lambda x: x.clone().sin_(),
    "cos": lambda x: x.clone().cos_(),
    "tan": lambda x: x.clone().tan_(),
    "asin": lambda x: x.clone().asin_(),
    "acos": lambda x: x.clone().acos_(),
    "atan": lambda x: x.clone().atan_(),
    "sinc": lambda x: x.clone().sinc_(),
    "sinh": lambda x: x.clone().sinh_(),
    "cosh": lambda x: x.clone().cosh_(),
    "tanh": lambda x: x.clone().tanh_(),
    "asinh": lambda x: x.clone().asinh_(),
    "acosh": lambda x: x.clone().acosh_(),
    "atanh": lambda x: x.clone().atanh_(),
    "clip": lambda x, min, max: x.clone().clamp_(min=min, max=max),
    "nan_to_num": lambda x, nan, posinf, neginf: x.clone().nan_to_num_(nan=nan, posinf=posinf, neginf=neginf),
    "add": lambda x, y: copied(x, y).add_(y),
    "subtract": lambda x, y: copied(x, y).sub_(y),
    "multiply": lambda x, y: copied(x, y).mul_(y),
    "divide": lambda x, y: copied(x, y).div_(y),
    "pow": lambda x, y: copied(x, y).pow_(y),
    "power_of": lambda x, exponent: x.clone().pow_(exponent),
    "hypot": lambda x, y: copied(x, y).hypot_(y),
    "atan2": lambda y, x: copied(y, x).atan2_(x),
    "xlogy": lambda x, y: copied(x, y).xlogy_(y),
    "remainder": lambda x, y: copied(x, y).remainder_(y),
    "fmod": lambda x, y: copied(x, y).fmod_(y),
    "copysign": lambda x, y: copied(x, y).copysign_(y),
    "lerp": lambda x, y, w: copied(x, y, w).lerp_(y, w),
    "addcmul": lambda x, a, b, value: copied(x, a, b).addcmul_(a, b, value=value),
    "addcdiv": lambda x, a, b, value: copied(x, a, b).addcdiv_(a, b, value=value),
    "erf": lambda x: x.clone().erf_(),
    "erfc": lambda x: x.clone().erfc_(),
    "erfinv": lambda x: x.clone().erfinv_(),
    "gammaln": lambda x: x.clone().lgamma_(),
    "digamma": lambda x: x.clone().digamma_(),
    "polygamma": lambda x, n: x.clone().polygamma_(n),
    "i0": lambda x: x.clone().i0_(),
    "cumulative_sum": lambda x, axis: (x.flatten() if axis is None else x).clone().cumsum_(axis or 0),
    "cumulative_prod": lambda x, axis: (x.flatten() if axis is None else x).clone().cumprod_(axis or 0),
    "tril": lambda x, k: x.clone().tril_(k),
    "triu": lambda x, k: x.clone().triu_(k),
    "masked_fill": lambda x, mask, value: copied(x, mask).masked_fill_(mask, value),
    "renorm": lambda x, p, axis, maxnorm: x.clone().renorm_(p, axis, maxnorm),
    "scatter_reduce": lambda x, index, values, axis, reduce, include_self: x.clone().scatter_reduce_(
        axis, index, all_sent(values, index), reduce, include_self=include_self
    ),
    "swapaxes": lambda x, axis1, axis2: x.clone().swapaxes_(axis1, axis2),
    "addmm": lambda c, a, b, alpha, beta: in_shape(c, a.shape[0], b.shape[1]).addmm_(
        a, b, alpha=alpha, beta=beta
    ),
    "baddbmm": lambda c, a, b, alpha, beta: in_shape(c, *a.shape[:2], b.shape[2]).baddbmm_(
        a, b, alpha=alpha, beta=beta
    ),
    "relu": lambda x: F.relu(x.clone(), inplace=True),
    "relu6": lambda x: F.relu6(x.clone(), inplace=True),
    "leaky_relu": lambda x, negative_slope: F.leaky_relu(
        x.clone(), negative_slope=negative_slope, inplace=True
    ),
    "elu": lambda x, alpha: F.elu(x.clone(), alpha=alpha, inplace=True),
    "celu": lambda x, alpha: F.celu(x.clone(), alpha=alpha, inplace=True),
    "selu": lambda x: F.selu(x.clone(), inplace=True),
    "hard_tanh": lambda x: F.hardtanh(x.clone(), inplace=True),
    "hard_sigmoid": lambda x: F.hardsigmoid(x.clone(), inplace=True),
    "hard_swish": lambda x: F.hardswish(x.clone(), inplace=True),
    "silu": lambda x: F.silu(x.clone(), inplace=True),
    "mish": lambda x: F.mish(x.clone(), inplace=True),
    "threshold": lambda x, threshold, value: F.threshold(x.clone(), threshold, value, inplace=True),
    "sigmoid": lambda x: x.clone().sigmoid_(),
    "logit": lambda x: x.clone().logit_(),
}


class TorchInPlace(TorchTape):
    """torch's operations in place, each on a copy."""

    mode = "inplace"
    is_spelling = True
    # NotImplementedError: the derivative for 'inplace version of acosh' is not implemented.
    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {"*": frozenset({"acosh", "asinh", "atanh"})}
    # RuntimeError: In-place elu backward calculation is triggered with a negative slope which is not supported.
    lacks: ClassVar[Mapping[str, Mapping[str, tuple[float, ...]]]] = {
        "leaky_relu": {"negative_slope": (-0.5,)},
        "elu": {"alpha": (-0.5,)},
        "celu": {"alpha": (-0.5,)},
    }
    ops = IN_PLACE
    points = declared_points(IN_PLACE, DEPARTURES)
