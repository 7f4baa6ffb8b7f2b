"""What is another at each recording: each gets one value that stays, so that a page changes only where the tool does."""

import re

# Addresses of this machine have ports that the system picks. Those below 1024 are the person's own words.
PORT = re.compile(r"127\.0\.0\.1(:|%3A)(?!8400\b|8080\b)\d{4,5}\b")
QR_CODE = re.compile(r"(?:\n+ {4}[█▀▄ ]{21,})+\n+")
VALUES = [
    (re.compile(r"\b(state|nonce|code_challenge)=[\w-]{20,}"), r"\1=…"),
    (re.compile(r"\b[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}\b"), "WDJB-MJHT"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "8c1f3a52-6d0e-4b7a-9f2c-5e4d3b2a1c0f"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(in (?:5m|4m \d+s)\)"), "2026-03-02T10:05:00Z (in 4m 59s)"),
]


def settled(desk):
    """The recording of a desk."""
    text = desk.text
    for real, shown in desk.places.items():
        text = re.sub(re.escape(real) + r"(?!\d)", shown, text)
    text = PORT.sub(r"127.0.0.1\g<1>49152", text)
    for pattern, value in VALUES:
        text = pattern.sub(value, text)
    return QR_CODE.sub("\n\n    (a QR code of the address with the code)\n\n", text)
