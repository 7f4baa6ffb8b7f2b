"""Reads the PNGs that Chromium makes: eight bits a channel, not interlaced."""

import functools
import struct
import zlib


def rows(data):
    """Width, bytes a pixel, and the unfiltered rows (PNG, section 9)."""
    position, packed = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        position += length + 12
        if kind == b"IHDR":
            width, _, depth, color, *_ = struct.unpack(">IIBBBBB", body)
            if depth != 8 or color not in (2, 6):
                raise ValueError("not a picture of Chromium's")
            size = 3 if color == 2 else 4
        elif kind == b"IDAT":
            packed += body
    raw = zlib.decompress(packed)
    stride = width * size
    before = bytearray(stride)
    lines = []
    for start in range(0, len(raw), stride + 1):
        before = _unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), before, size)
        lines.append(before)
    return width, size, lines


def _unfilter(kind, line, above, size):
    if kind == 1:
        for at in range(size, len(line)):
            line[at] = (line[at] + line[at - size]) & 255
    elif kind == 2:
        for at, value in enumerate(above):
            line[at] = (line[at] + value) & 255
    elif kind == 3:
        for at, value in enumerate(above):
            left = line[at - size] if at >= size else 0
            line[at] = (line[at] + (left + value) // 2) & 255
    elif kind == 4:
        for at, value in enumerate(above):
            left, corner = (line[at - size], above[at - size]) if at >= size else (0, 0)
            guess = left + value - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - value), 1, value), (abs(guess - corner), 2, corner))
            line[at] = (line[at] + nearest[2]) & 255
    return line


def changed(one, other, enough, least=3.0):
    """How many pixels of two pictures of one size have a contrast of `least` with each other; counts no further than `enough`."""
    if one == other:
        return 0
    (width, size, first), (_, other_size, second) = rows(one), rows(other)
    count = 0
    for line, later in zip(first, second):
        if line == later and size == other_size:
            continue
        for at in range(width):
            before = bytes(line[at * size:at * size + 3])
            after = bytes(later[at * other_size:at * other_size + 3])
            count += before != after and contrast(before, after) >= least
        if count >= enough:
            break
    return count


LINEAR = [value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in range(256)]


@functools.cache
def contrast(one, other):
    """The contrast ratio of two colours (WCAG 2.2)."""
    low, high = sorted(0.2126 * LINEAR[red] + 0.7152 * LINEAR[green] + 0.0722 * LINEAR[blue] for red, green, blue in (one, other))
    return (high + 0.05) / (low + 0.05)
