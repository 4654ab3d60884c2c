"""A sample: the small random inputs of one run of a contract's check."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.case import Array, damaged, pack, unpack
from conformance.values import cotangent

PREFIX = "k1:"
# Of one entry, and of more than engines take for small: what they write in place, or copy, may depend on it.
SIZES = ((1,), (1031,))


@dataclass(frozen=True)
class Sample:
    """Inputs for one run of a check; the same seed gives every engine the same ones.

    Attributes:
        seed: 0 gives the simplest shapes.
        dtype: of everything it makes.
        check: the key of the check that it is for, which its token names.
    """

    seed: int
    dtype: str
    check: str = ""

    @cached_property
    def rng(self) -> np.random.Generator:
        """The source of its numbers."""
        return np.random.default_rng(self.seed)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """A shape of one or two axes, of more than one entry, and of more than 32 in one of four."""
        return ((3,), (2, 3), (6, 6), (4, 1))[self.seed % 4]

    def array(self, shape: tuple[int, ...] | None = None) -> Array:
        """Signed numbers on a coarse grid, without zeros, mostly different from each other."""
        return cotangent(self.shape if shape is None else shape, self.dtype, "signed", self.rng)

    def complex_array(self, shape: tuple[int, ...] | None = None) -> Array:
        """Complex numbers of such parts, in the complex type of the same precision."""
        return self.array(shape) + 1j * self.array(shape)

    def scalar(self, value: float) -> Array:
        """A 0-d array."""
        return np.asarray(value, self.dtype)

    @property
    def token(self) -> str:
        """The sample and its check as one printable word."""
        return PREFIX + pack({"check": self.check, "seed": self.seed, "dtype": self.dtype})

    def as_json(self) -> dict[str, Any]:
        """The seed and the dtype: a sample is made of nothing else."""
        return {"seed": self.seed, "dtype": self.dtype}

    @staticmethod
    def from_token(token: str) -> Sample:
        """The sample that a token holds; UsageError if it is damaged."""
        record: dict[str, Any] = unpack(token, PREFIX)
        try:
            return Sample(record["seed"], record["dtype"], record["check"])
        except KeyError:  # whole, but of another kind
            raise damaged(token) from None
