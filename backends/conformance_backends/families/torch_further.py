"""Powers, order, blocks, bags and pooling of signals as users of torch write them.

The table is read as source too, like those of `torch_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name

OPS: Mapping[str, Callable[..., Any]] = {
    "power_of": lambda x, exponent: torch.pow(x, exponent),
    "kthvalue": lambda x, k, axis, keepdims: torch.kthvalue(x, k, dim=axis, keepdim=keepdims).values,
    "softmin": lambda x, axis: F.softmin(x, dim=axis),
    "embedding_bag": lambda weight, indices, mode: F.embedding_bag(indices, weight, mode=mode),
    "block_diag": torch.block_diag,
    "avg_pool1d": lambda x, kernel_size, stride, padding, count_include_pad: F.avg_pool1d(
        x, kernel_size, stride, padding, count_include_pad=count_include_pad
    ),
    "max_pool1d": lambda x, kernel_size, stride, padding: F.max_pool1d(x, kernel_size, stride, padding),
}
