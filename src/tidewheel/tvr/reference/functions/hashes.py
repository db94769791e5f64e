"""Spark's hash: Murmur3 of 32 bits, each value the seed of the next."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import Any, Final

from tidewheel.ir.signatures import Signature
from tidewheel.tvr.reference.errors import Unsupported
from tidewheel.tvr.reference.functions.operators import wrap
from tidewheel.tvr.reference.functions.registry import Implementation, typed
from tidewheel.tvr.reference.values import EPOCH_DATE, Value, micros
from tidewheel.types import Array, DataType, Map, Primitive, Struct, to_sql
from tidewheel.types import Decimal as DecimalType

_MASK: Final = 0xFFFFFFFF
_SEED: Final = 42


def _rotate(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & _MASK


def _mix(state: int, word: int) -> int:
    mixed = (_rotate((word & _MASK) * 0xCC9E2D51 & _MASK, 15) * 0x1B873593) & _MASK
    return (_rotate(state ^ mixed, 13) * 5 + 0xE6546B64) & _MASK


def _finish(state: int, length: int) -> int:
    state ^= length
    state = ((state ^ (state >> 16)) * 0x85EBCA6B) & _MASK
    state = ((state ^ (state >> 13)) * 0xC2B2AE35) & _MASK
    return state ^ (state >> 16)


def _int(value: int, seed: int) -> int:
    return _finish(_mix(seed, value), 4)


def _long(value: int, seed: int) -> int:
    return _finish(_mix(_mix(seed, value), value >> 32), 8)


def _bytes(data: bytes, seed: int) -> int:
    """Words of four bytes, and then each byte that is left, with its sign, as a word."""
    state, whole = seed, len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<i", data[:whole]):
        state = _mix(state, word)
    for (byte,) in struct.iter_unpack("b", data[whole:]):
        state = _mix(state, byte)
    return _finish(state, len(data))


def _hash(value: Any, kind: DataType, seed: int) -> int:
    match kind:
        case _ if value is None:
            return seed
        case Array(element):
            return _hash_all([(v, element) for v in value], seed)
        case Struct(fields):
            return _hash_all([(v, f.type) for v, f in zip(value, fields, strict=True)], seed)
        case DecimalType(precision):
            return _decimal(value, seed, small=precision <= 18)
        case Primitive("boolean" | "byte" | "short" | "integer"):
            return _int(int(value), seed)
        case Primitive("date"):
            return _int((value - EPOCH_DATE) // dt.timedelta(days=1), seed)
        case Primitive("long"):
            return _long(value, seed)
        case Primitive("timestamp" | "timestamp_ntz"):
            return _long(micros(value), seed)
        case Primitive("float"):
            return _int(struct.unpack("<i", struct.pack("<f", value + 0.0))[0], seed)
        case Primitive("double"):
            return _long(struct.unpack("<q", struct.pack("<d", value + 0.0))[0], seed)
        case Primitive("string"):
            return _bytes(value.encode(), seed)
        case Primitive("binary"):
            return _bytes(value, seed)
        case Map() | Primitive():
            raise Unsupported(f"a hash of {to_sql(kind)}")
    raise Unsupported(f"a hash of {to_sql(kind)}")


def _decimal(value: Decimal, seed: int, *, small: bool) -> int:
    """The digits as a number: a long, or if they may be too many for one, its bytes."""
    exponent = value.as_tuple().exponent
    unscaled = int(value.scaleb(-exponent)) if isinstance(exponent, int) else 0
    if small:
        return _long(unscaled, seed)
    length = (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1
    return _bytes(unscaled.to_bytes(length, "big", signed=True), seed)


def _hash_all(values: list[tuple[Value, DataType]], seed: int) -> int:
    for value, kind in values:
        seed = _hash(value, kind, seed)
    return seed


@typed("hash", sees_nulls=True)
def hash_(signature: Signature) -> Implementation:
    return lambda *values: wrap(_hash_all(list(zip(values, signature.args, strict=True)), _SEED), "integer")
