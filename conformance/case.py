"""A case: one concrete call of one op, with its values.

A case carries its numbers, not the way they were drawn, so its token replays it on any backend with
any version of anything.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from conformance.dtype import is_real
from conformance.errors import UsageError
from conformance.layout import laid_out
from conformance.op import Domain

Array = np.ndarray[Any, Any]
PREFIX = "c1:"
LONGEST_TOKEN = 16_000_000  # bytes, packed or not: the largest case that is drawn has some thousands


@dataclass(frozen=True, eq=False)
class Case:
    """One call of `op`: operands by position, parameters by keyword, one cotangent per output.

    `layouts` names how each operand, then each cotangent, lies in memory. `draw` counts the value
    draws of one signature: checks of the signature itself are run on draw 0.
    `domains` are the signature's own, where it has any; a token does not carry them, since values need none.
    `texture` names how the operands' numbers were drawn, which decides what checks are meant for it.
    `wrt` names the operands that need a gradient, the others being constants; None stands for all that can have one.
    """

    op: str
    operands: tuple[Array, ...]
    parameters: Mapping[str, Any]
    cotangents: tuple[Array, ...]
    layouts: tuple[str, ...]
    dtype: str
    draw: int = 0
    domains: tuple[Domain, ...] | None = None
    texture: str = ""
    wrt: tuple[int, ...] | None = None

    def laid_out_operands(self) -> tuple[Array, ...]:
        """Fresh copies of the operands, lying in memory as `layouts` says."""
        return tuple(map(laid_out, self.operands, self.layouts))

    def laid_out_cotangents(self) -> tuple[Array, ...]:
        """Fresh copies of the cotangents, lying in memory as `layouts` says."""
        return tuple(map(laid_out, self.cotangents, self.layouts[len(self.operands) :]))

    @property
    def label(self) -> str:
        """A short readable name: shapes and parameters."""
        shapes = " ".join(str(x.shape).replace(" ", "") for x in self.operands)
        chosen = "".join(f" {name}={value!r}" for name, value in self.parameters.items())
        lying = "" if set(self.layouts) <= {"C"} else f" layouts={','.join(self.layouts)}"
        of = "" if self.wrt is None else f" wrt={','.join(map(str, self.wrt))}"
        return f"{self.op} {shapes}{chosen}{of}{lying} {self.dtype}"

    @property
    def token(self) -> str:
        """The case as one printable word; `Case.from_token` reads it back."""
        return PREFIX + pack(
            {
                "op": self.op,
                "operands": [encode(x) for x in self.operands],
                "parameters": {name: encode(value) for name, value in self.parameters.items()},
                "cotangents": [encode(x) for x in self.cotangents],
                "layouts": self.layouts,
                "dtype": self.dtype,
                "texture": self.texture,
                **({} if self.wrt is None else {"wrt": self.wrt}),
            }
        )

    @staticmethod
    def from_token(token: str) -> Case:
        """The case that `token` says.

        Raises UsageError if it is not a token, or was cut or changed on its way.
        """
        record = unpack(token, PREFIX)
        try:
            return Case(
                op=record["op"],
                operands=tuple(decode(x) for x in record["operands"]),
                parameters={name: decode(value) for name, value in record["parameters"].items()},
                cotangents=tuple(decode(x) for x in record["cotangents"]),
                layouts=tuple(record["layouts"]),
                dtype=record["dtype"],
                texture=record.get("texture", ""),
                wrt=tuple(record["wrt"]) if record.get("wrt") else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise damaged(token) from None

    def as_json(self) -> dict[str, Any]:
        """The case for a report: arrays as nested lists, parameters as Python writes them; shapes, where a list shows none."""
        shapes = [list(np.shape(x)) for x in self.operands]
        return {
            "op": self.op,
            "operands": [listed(x) for x in self.operands],
            "parameters": {name: repr(value) for name, value in self.parameters.items()},
            "cotangent": [listed(x) for x in self.cotangents],
            "layouts": list(self.layouts),
            "dtype": self.dtype,
            **({"shapes": shapes} if any(0 in shape for shape in shapes) else {}),
            **({} if self.wrt is None else {"wrt": list(self.wrt)}),
        }


def pack(record: Mapping[str, Any]) -> str:
    """A record as a printable word that notices damage."""
    packed = msgspec.msgpack.encode(record)
    checked = zlib.crc32(packed).to_bytes(4, "big") + packed
    return base64.urlsafe_b64encode(zlib.compress(checked, 9)).decode().rstrip("=")


def unpack(token: str, prefix: str) -> dict[str, Any]:
    """The record behind a token; raises UsageError where `pack` did not write it."""
    try:
        if len(token) > LONGEST_TOKEN:
            raise damaged(token)
        body = token.removeprefix(prefix).strip()
        packed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
        if base64.urlsafe_b64encode(packed).decode().rstrip("=") != body:
            raise damaged(token)  # letters that are not of the alphabet would be passed over
        unpacking = zlib.decompressobj()
        checked = unpacking.decompress(packed, LONGEST_TOKEN)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise damaged(token)
        if not token.startswith(prefix) or zlib.crc32(checked[4:]).to_bytes(4, "big") != checked[:4]:
            raise damaged(token)
        record = msgspec.msgpack.decode(checked[4:])
    except (binascii.Error, zlib.error, ValueError, RecursionError, msgspec.MsgspecError):
        raise damaged(token) from None
    if not isinstance(record, dict):
        raise damaged(token)
    return record


def damaged(token: str) -> UsageError:
    """The error for a token that cannot be read."""
    shown = token if len(token) < 40 else f"{token[:24]}…{token[-8:]}"
    return UsageError(
        f"{shown!r} is not a whole replay token; copy all of it, from its prefix to its last letter"
    )


# ---- parameters and arrays as plain records ---------------------------------------------------


def encode(value: Any) -> Any:
    """A parameter or an array as plain data, marked by one-letter tags."""
    if isinstance(value, np.ndarray):
        return {"a": [value.dtype.name, list(value.shape), np.ascontiguousarray(value).tobytes()]}
    if isinstance(value, tuple):
        return {"t": [encode(item) for item in value]}
    if isinstance(value, list):
        return {"l": [encode(item) for item in value]}
    if isinstance(value, slice):
        return {"s": [value.start, value.stop, value.step]}
    if value is Ellipsis:
        return {"e": 1}
    return value


def decode(value: Any) -> Any:
    """What `encode` was given."""
    if not isinstance(value, dict):
        return value
    ((tag, body),) = value.items()
    if tag == "a":
        dtype, shape, buffer = body
        return np.frombuffer(buffer, dtype=dtype).reshape(shape).copy()
    if tag == "t":
        return tuple(decode(item) for item in body)
    if tag == "l":
        return [decode(item) for item in body]
    if tag == "s":
        return slice(*body)
    if tag == "e":
        return Ellipsis
    raise ValueError(tag)


def listed(array: Any) -> Any:
    """An array as nested lists for JSON; NaN and the infinities as their names, complex numbers as 1+2j."""
    if isinstance(array, (tuple, list)):
        return [listed(item) for item in array]
    values = np.asarray(array)
    if is_real(values.dtype):
        values = values.astype(np.float64)
        if not np.isfinite(values).all():
            return _named(values.tolist())
    if values.dtype.kind == "c":
        return _written(values.astype(np.complex128).tolist())
    return values.tolist()


def _written(value: Any) -> Any:
    if isinstance(value, list):
        return [_written(item) for item in value]
    return str(value).strip("()")


def _named(value: Any) -> Any:
    if isinstance(value, list):
        return [_named(item) for item in value]
    return value if not isinstance(value, float) or np.isfinite(value) else repr(value)
