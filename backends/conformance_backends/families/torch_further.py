"""Powers, places, blocks, bags and pooling of signals as users of torch write them.

The table is read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name


def places(indices: Any, values: Any) -> Any:
    """The indices as a tensor in the shape of the values; of a list of none torch would make one dimension."""
    return torch.tensor(indices, dtype=torch.int64).reshape(values.shape)


OPS: Mapping[str, Callable[..., Any]] = {
    "power_of": lambda x, exponent: torch.pow(x, exponent),
    "ldexp": torch.ldexp,
    "multigammaln": lambda x, p: torch.special.multigammaln(x, p),
    "kthvalue": lambda x, k, axis, keepdims: torch.kthvalue(x, k, dim=axis, keepdim=keepdims).values,
    "softmin": lambda x, axis: F.softmin(x, dim=axis),
    "put_along_axis": lambda x, values, indices, axis: torch.scatter(
        x, axis, places(indices, values), values
    ),
    "embedding_bag": lambda weight, indices, mode: F.embedding_bag(indices, weight, mode=mode),
    "block_diag": torch.block_diag,
    "meshgrid": lambda *xs, indexing: torch.meshgrid(*xs, indexing=indexing),
    "avg_pool1d": lambda x, kernel_size, stride, padding, count_include_pad: F.avg_pool1d(
        x, kernel_size, stride, padding, count_include_pad=count_include_pad
    ),
    "max_pool1d": lambda x, kernel_size, stride, padding: F.max_pool1d(x, kernel_size, stride, padding),
    "lp_pool2d": lambda x, norm_type, kernel_size, stride: F.lp_pool2d(x, norm_type, kernel_size, stride),
}
