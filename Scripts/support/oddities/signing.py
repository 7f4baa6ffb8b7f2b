"""Keys of an OpenID provider, and the tokens that it signs with them."""

import base64
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def encoded(data):
    """Base64url without padding, of bytes or of JSON."""
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, size=None):
    return encoded(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))


class Key:
    """One key: what it publishes, and what it signs."""

    def __init__(self, name, kind="RS256"):
        self.name, self.kind = name, kind
        if kind == "ES256":
            self.private = ec.generate_private_key(ec.SECP256R1())
        else:
            self.private = rsa.generate_private_key(65537, 2048)

    def public(self, **more):
        """The key as a member of a key set; a member that is None is left out."""
        numbers = self.private.public_key().public_numbers()
        if self.kind == "ES256":
            found = {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
        else:
            found = {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        found = {**found, "kid": self.name, "use": "sig", "alg": self.kind, **more}
        return {name: value for name, value in found.items() if value is not None}

    def sign(self, claims, **header):
        """A signed token; a member of the header that is None is left out."""
        head = {"alg": self.kind, "typ": "JWT", "kid": self.name, **header}
        head = {name: value for name, value in head.items() if value is not None}
        text = f"{encoded(head)}.{encoded(claims)}"
        if self.kind == "ES256":
            r, s = decode_dss_signature(self.private.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        else:
            signature = self.private.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{encoded(signature)}"


def access_hash(token):
    """`at_hash` of an access token, for algorithms with SHA-256."""
    digest = hashes.Hash(hashes.SHA256())
    digest.update(token.encode())
    return encoded(digest.finalize()[:16])


# Made once: all issuers of a run share them.
FIRST, SECOND, CURVE, OTHER_CURVE = Key("first"), Key("second"), Key("curve", "ES256"), Key("other-curve", "ES256")
