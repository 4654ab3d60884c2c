"""The catalogue's ops as users of autograd write them: NumPy's names, and SciPy's.

Each entry is read as source too, to print scripts: an attribute of autograd, or a lambda with the
catalogue's operands by position and its parameters by keyword. Where autograd has no gradient of an op
at all the table has no entry; where it has one for some calls only, the entry is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import autograd.numpy as np
import autograd.scipy.linalg
import autograd.scipy.signal
import autograd.scipy.special
import autograd.tracer

from conformance.errors import Unsupported
from conformance_backends.families import autograd_further
from conformance_backends.matrices.signs import sign_weights

# ---- where one line is not enough ---------------------------------------------------------------


def vector_norm(x: Any, axis: Any, keepdims: Any, ord: Any) -> Any:
    """The norm of vectors; over several axes NumPy's is a matrix norm."""
    if not isinstance(axis, int) and (axis is not None or x.ndim > 1):
        raise Unsupported("autograd's norm over several axes is a matrix norm")
    return np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)


def nan_to_num(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Zeros and the largest numbers; autograd's gradient takes no others."""
    if (nan, posinf, neginf) != (0.0, None, None):
        raise Unsupported("autograd's gradient of nan_to_num takes no parameters")
    return np.nan_to_num(x)


def signs(vectors: Any) -> Any:
    """For each column the sign of its weighted sum, by which the catalogue tells an eigenvector from its negative."""
    weights = sign_weights(vectors.shape[-2]).astype(vectors.dtype)[:, None]
    return autograd.tracer.getval(np.sign(np.sum(vectors * weights, axis=-2, keepdims=True)))


def eigh(x: Any) -> Any:
    """The eigenvalues and eigenvectors of a symmetric matrix, the vectors' signs fixed."""
    values, vectors = np.linalg.eigh(x)
    return values, vectors * signs(vectors)


def svd(x: Any) -> Any:
    """The singular values and vectors, the vectors' signs fixed."""
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    sign = signs(np.swapaxes(vt, -1, -2))
    return u * sign, s, vt * np.swapaxes(sign, -1, -2)


def solve_triangular(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """SciPy's, of one matrix."""
    if a.ndim > 2 or b.ndim > 2:
        raise Unsupported("autograd's solve_triangular takes one matrix")
    return autograd.scipy.linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit_diagonal)


def rot90(x: Any, k: Any, axes: Any) -> Any:
    """np.rot90 of the first two axes, which are those of its gradient."""
    if axes != (0, 1):
        raise Unsupported("autograd's gradient of rot90 takes no axes")
    return np.rot90(x, k)


def gradient(x: Any, spacing: Any, axis: Any, edge_order: Any) -> Any:
    """np.gradient along an axis."""
    if spacing != 1 or edge_order != 1:
        raise Unsupported(
            "the only optional argument that autograd's gradient of np.gradient supports is axis"
        )
    return np.gradient(x, axis=axis)


def convolve(x: Any, y: Any, mode: Any) -> Any:
    """autograd's own convolution."""
    if mode == "same" and len(y) > len(x):  # SciPy's is as long as the first, NumPy's as the longer
        x, y = y, x
    try:
        return autograd.scipy.signal.convolve(x, y, mode=mode)
    except AssertionError as error:  # of releases without this mode
        raise Unsupported(f"autograd: {error}") from error


def kthvalue(x: Any, k: Any, axis: Any, keepdims: Any) -> Any:
    """The k-th smallest entry along an axis, which a partition puts in its place."""
    entry = np.partition(x, k - 1, axis)[(slice(None),) * (axis % x.ndim) + (k - 1,)]
    return np.expand_dims(entry, axis) if keepdims else entry


def parts(z: Any) -> Any:
    """The real and the imaginary part."""
    return np.real(z), np.imag(z)


# ---- the tables ---------------------------------------------------------------------------------

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": np.abs,
    "negative": np.negative,
    "real": np.real,
    "imag": np.imag,
    "conj": np.conj,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "power_of": lambda x, exponent: x**exponent,
    "square": np.square,
    "sqrt": np.sqrt,
    "reciprocal": np.reciprocal,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinc": np.sinc,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "clip": lambda x, min, max: np.clip(x, min, max),
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "pow": np.power,
    "hypot": np.hypot,
    "atan2": np.arctan2,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "where": np.where,
    "erf": autograd.scipy.special.erf,
    "erfc": autograd.scipy.special.erfc,
    "gammaln": autograd.scipy.special.gammaln,
    "digamma": autograd.scipy.special.digamma,
    "polygamma": lambda x, n: autograd.scipy.special.polygamma(n, x),
    "fmax": np.fmax,
    "fmin": np.fmin,
    "erfinv": autograd.scipy.special.erfinv,
    "i0": autograd.scipy.special.i0,
    "i1": autograd.scipy.special.i1,
    "bessel_j0": autograd.scipy.special.j0,
    "bessel_j1": autograd.scipy.special.j1,
    "multigammaln": lambda x, p: autograd.scipy.special.multigammaln(x, p),
    "betaln": autograd.scipy.special.betaln,
    "gammainc": lambda x, a: autograd.scipy.special.gammainc(a, x),
    "gammaincc": lambda x, a: autograd.scipy.special.gammaincc(a, x),
    "remainder": np.remainder,
    "nan_to_num": nan_to_num,
}

REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    "mean": lambda x, axis, keepdims: np.mean(x, axis=axis, keepdims=keepdims),
    "prod": lambda x, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims),
    "logsumexp": lambda x, axis, keepdims: autograd.scipy.special.logsumexp(x, axis=axis, keepdims=keepdims),
    "var": lambda x, axis, keepdims, correction: np.var(x, axis=axis, keepdims=keepdims, ddof=correction),
    "std": lambda x, axis, keepdims, correction: np.std(x, axis=axis, keepdims=keepdims, ddof=correction),
    "vector_norm": vector_norm,
    "max": lambda x, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims),
    "min": lambda x, axis, keepdims: np.min(x, axis=axis, keepdims=keepdims),
    "cumulative_sum": lambda x, axis: np.cumsum(x, axis=axis),
    "diff": lambda x, n, axis: np.diff(x, n=n, axis=axis),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: np.reshape(x, shape),
    "ravel": np.ravel,
    "expand_dims": lambda x, axis: np.expand_dims(x, axis),
    "squeeze": lambda x, axis: np.squeeze(x, axis),
    "permute_dims": lambda x, axes: np.transpose(x, axes),
    "swapaxes": lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2),
    "moveaxis": lambda x, source, destination: np.moveaxis(x, source, destination),
    "roll": lambda x, shift, axis: np.roll(x, shift, axis),
    "broadcast_to": lambda x, shape: np.broadcast_to(x, shape),
    "tile": lambda x, reps: np.tile(x, reps),
    "repeat": lambda x, repeats, axis: np.repeat(x, repeats, axis=axis),
    "pad": lambda x, pad_width, constant_values: np.pad(
        x, pad_width, "constant", constant_values=constant_values
    ),
    "tril": lambda x, k: np.tril(x, k),
    "triu": lambda x, k: np.triu(x, k),
    "diagonal": lambda x, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2),
    "diag": lambda x, k: np.diag(x, k),
    "astype": lambda x, dtype: x.astype(dtype),
    "concat": lambda *xs, axis: np.concatenate(xs, axis=axis),
    "stack": lambda *xs, axis: np.stack(xs, axis=axis),
    "split": lambda x, indices_or_sections, axis: tuple(np.split(x, indices_or_sections, axis=axis)),
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": lambda x, index: x[index],
    "getitem_integer_array": lambda x, index: x[index],
    "masked_fill": lambda x, mask, value: np.where(mask, value, x),
    "sort": lambda x, axis: np.sort(x, axis=axis),
    "kthvalue": kthvalue,
}

LINEAR_ALGEBRA: Mapping[str, Callable[..., Any]] = {
    "matmul": np.matmul,
    "dot": np.dot,
    "inner": np.inner,
    "outer": np.outer,
    "tensordot": lambda a, b, axes: np.tensordot(a, b, axes=axes),
    "einsum": lambda *xs, subscripts: np.einsum(subscripts, *xs),
    "kron": np.kron,
    "cross": np.cross,
    "trace": lambda x, offset: np.trace(x, offset) if x.ndim == 2 else np.trace(x, offset, -2, -1),
    "solve": np.linalg.solve,
    "inv": np.linalg.inv,
    "det": np.linalg.det,
    "slogdet": lambda x: tuple(np.linalg.slogdet(x)),
    "cholesky": lambda x, upper=False: np.linalg.cholesky(x),
    "eigh": eigh,
    "svd": svd,
    "pinv": np.linalg.pinv,
    "solve_triangular": solve_triangular,
    "matrix_norm": lambda x, ord, keepdims: np.linalg.norm(
        x, ord=ord, axis=(x.ndim - 2, x.ndim - 1), keepdims=keepdims
    ),
    "fft": lambda re, im, n, axis, norm: parts(np.fft.fft(re + 1j * im, n, axis, norm)),
    "ifft": lambda re, im, n, axis, norm: parts(np.fft.ifft(re + 1j * im, n, axis, norm)),
    # Its own names of the parameters: a backward norm is None.
    "rfft": lambda x, n, axis, norm: parts(np.fft.rfft(x, n, axis, None if norm == "backward" else norm)),
    "irfft": lambda re, im, n, axis, norm: np.fft.irfft(
        re + 1j * im, n, axis, None if norm == "backward" else norm
    ),
    "fftn": lambda re, im, s, axes, norm: parts(np.fft.fftn(re + 1j * im, s, axes, norm)),
    "ifftn": lambda re, im, s, axes, norm: parts(np.fft.ifftn(re + 1j * im, s, axes, norm)),
    "fftshift": lambda x, axes: np.fft.fftshift(x, axes),
    "ifftshift": lambda x, axes: np.fft.ifftshift(x, axes),
    "rot90": rot90,
    "central_diff": gradient,
    "convolve": convolve,
}

ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "sigmoid": autograd.scipy.special.expit,
    "logit": autograd.scipy.special.logit,
}

# autograd has no derivative of heaviside and signbit, not even zero.
FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "rint": np.rint,
    "sign": np.sign,
    "floor_divide": np.floor_divide,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": np.logical_not,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "any": lambda x, axis, keepdims: np.any(x, axis=axis, keepdims=keepdims),
    "all": lambda x, axis, keepdims: np.all(x, axis=axis, keepdims=keepdims),
    "argmax": lambda x, axis, keepdims: np.argmax(x, axis=axis, keepdims=keepdims),
    "argmin": lambda x, axis, keepdims: np.argmin(x, axis=axis, keepdims=keepdims),
    "count_nonzero": lambda x, axis, keepdims: np.count_nonzero(x, axis=axis, keepdims=keepdims),
    "argsort": lambda x, axis: np.argsort(x, axis=axis),
}

OPS: Mapping[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **SHAPE,
    **INDEXING,
    **LINEAR_ALGEBRA,
    **ACTIVATIONS,
    **FLAT,
    **autograd_further.OPS,
}
