"""Digests, hashes and encodings."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from typing import Final

from tidewheel.tvr.reference.errors import EvaluationError
from tidewheel.tvr.reference.functions.registry import function

_SHA2: Final = {0: "sha256", 224: "sha224", 256: "sha256", 384: "sha384", 512: "sha512"}
_CHARSETS: Final = {
    "US-ASCII": "ascii", "ISO-8859-1": "latin-1", "UTF-8": "utf-8",
    "UTF-16BE": "utf-16-be", "UTF-16LE": "utf-16-le", "UTF-32": "utf-32-be",
}  # fmt: skip


@function("md5")
def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()  # noqa: S324  the function is what the user asked for


@function("sha", "sha1")
def sha1(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()  # noqa: S324


@function("sha2")
def sha2(data: bytes, bits: int) -> str | None:
    return hashlib.new(_SHA2[bits], data).hexdigest() if bits in _SHA2 else None


@function("crc32")
def crc32(data: bytes) -> int:
    return zlib.crc32(data)


@function("base64")
def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@function("unbase64")
def from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except binascii.Error:
        raise EvaluationError("bad-argument", f"{text!r} is no base64") from None


def _charset(name: str) -> str:
    if name.upper() == "UTF-16":
        return "utf-16"
    if name.upper() not in _CHARSETS:
        raise EvaluationError("bad-argument", f"{name!r} is no character set")
    return _CHARSETS[name.upper()]


@function("encode")
def encode(text: str, charset: str) -> bytes:
    try:
        if charset.upper() == "UTF-16":
            return b"\xfe\xff" + text.encode("utf-16-be") if text else b""
        return text.encode(_charset(charset))
    except UnicodeEncodeError:
        raise EvaluationError("bad-argument", f"{text!r} has characters that {charset} lacks") from None


@function("decode")
def decode(data: bytes, charset: str) -> str:
    try:
        return data.decode(_charset(charset))
    except UnicodeDecodeError:
        raise EvaluationError("bad-argument", f"the bytes are no {charset}") from None


@function("luhn_check")
def luhn_check(digits: str) -> bool:
    if not digits.isascii() or not digits.isdigit():
        return False
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0
