"""Ways in which a data file can be damaged."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda body: body[: len(body) // 2],
    "cut by a byte": lambda body: body[:-1],
    "empty": lambda _: b"",
    "garbage": lambda body: random.Random(7).randbytes(len(body)),
    "no footer": lambda body: body[:-8] + b"\0" * 8,
    "wrong footer length": lambda body: body[:-8] + b"\xff\xff\xff\x7f" + body[-4:],
    "flipped in a page": lambda body: flipped(body, 41, 60),
    "flipped in a page header": lambda body: flipped(body, 40, 46),
}


def flipped(body: bytes, start: int, end: int) -> bytes:
    return bytes(byte ^ 0xFF if start <= place < end else byte for place, byte in enumerate(body))


def damage(path: Path, how: str) -> None:
    path.write_bytes(DAMAGE[how](path.read_bytes()))
