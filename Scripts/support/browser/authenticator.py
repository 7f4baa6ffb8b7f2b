"""What a person has beside the browser: an authenticator app, which reads its key from the picture of a QR code."""

import base64
import hashlib
import hmac
import os
import struct
import subprocess
import tempfile
import time
from urllib.parse import parse_qs, urlsplit


def read_qr(picture):
    """The text of the QR code in a PNG, by zbar, which is no code of ours."""
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        file.write(picture)
        file.flush()
        found = subprocess.run(
            ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.name], stdin=subprocess.DEVNULL,
            capture_output=True, check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
    lines = found.stdout.decode().splitlines()
    if len(lines) != 1:
        raise RuntimeError(f"the picture has {len(lines)} QR codes that can be read")
    return lines[0]


class Authenticator:
    """An app that was given an otpauth address (RFC 6238 with its defaults)."""

    def __init__(self, address):
        parts = urlsplit(address)
        if (parts.scheme, parts.netloc) != ("otpauth", "totp"):
            raise RuntimeError("the QR code is for no authenticator app")
        self.key = parse_qs(parts.query)["secret"][0]

    def code(self):
        """The code of now."""
        key = base64.b32decode(self.key + "=" * (-len(self.key) % 8), casefold=True)
        digest = hmac.digest(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
        offset = digest[-1] & 15
        return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"
