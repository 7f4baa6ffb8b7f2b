"""Reads vaults (LKV1) and sealed records (LKR1) by the text of their format alone, with another cryptographic library.

reader.py vault FILE KIND SECRET        prints a line for each record: name, number, time, flags, value
reader.py record FILE SECRET NAMESPACE NAME   prints number and value

KIND is passphrase (text), recovery or key (hexadecimal digits). Bytes are printed as hexadecimal digits. Ends with 1 and the
reason where something is wrong.
"""
import hashlib
import hmac
import sys
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt


class Wrong(Exception):
    pass


class Cursor:
    """Takes bytes from the front, and refuses to take what is not there."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Wrong("it ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "big")


def derived(key, salt, info, length):
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)


def unseal(suite, key, nonce, text, context):
    if suite not in (1, 2):
        raise Wrong("the suite is not known")
    try:
        return (AESGCM if suite == 1 else ChaCha20Poly1305)(key).decrypt(nonce, text, context)
    except InvalidTag:
        raise Wrong("it was changed")


def read_slots(cursor, count):
    slots = []
    for _ in range(count):
        start = cursor.at
        kind, flags, index = cursor.number(1), cursor.number(1), cursor.number(2)
        parameters = cursor.take(cursor.number(4))
        head = cursor.data[start : cursor.at]
        slots.append((kind, index, parameters, head, cursor.take(32), cursor.take(32), cursor.take(48)))
    return slots


def wrapping_key(slot, kind, secret):
    number, _, parameters, _, salt, _, _ = slot
    if kind == "passphrase" and number == 1:
        text = unicodedata.normalize("NFC", secret).encode()
        return Scrypt(b"latchkey/v1/scrypt" + salt, 32, 1 << parameters[0], parameters[1], parameters[2]).derive(text)
    if (kind, number) in (("recovery", 6), ("key", 3)):
        return bytes.fromhex(secret)
    return None


def vault(path, kind, secret):
    data = open(path, "rb").read()
    if hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise Wrong("it is damaged")
    cursor = Cursor(data[:-32])
    if cursor.take(8) != b"\x89LKV\r\n\x1a\n" or cursor.number(2) != 1 or cursor.number(2) & ~1:
        raise Wrong("it is no vault that is known here")
    suite, count, _ = cursor.number(1), cursor.number(1), cursor.take(2)
    name, _, epoch = cursor.take(16), cursor.take(8), cursor.take(4)
    slots_length, body_length = cursor.number(4), cursor.number(4)
    cursor.take(12)
    end = cursor.at + slots_length
    slots = read_slots(cursor, count)
    if cursor.at != end:
        raise Wrong("the slots have another length")
    head = data[: cursor.at]
    code = cursor.take(32)
    if len(cursor.data) - cursor.at != body_length:
        raise Wrong("the body has another length")
    for slot in slots:
        key = wrapping_key(slot, kind, secret)
        if key is None:
            continue
        material = derived(key, slot[4], b"latchkey/v1/slot", 76)
        if not hmac.compare_digest(material[44:], slot[5]):
            continue
        main = unseal(suite, material[:32], material[32:44], slot[6], b"latchkey/v1/slot" + name + epoch + slot[3])
        expected = hmac.new(derived(main, name, b"latchkey/v1/header", 32), head, hashlib.sha256).digest()
        if not hmac.compare_digest(expected, code):
            raise Wrong("its head was changed")
        material = derived(main, cursor.take(32), b"latchkey/v1/body", 44)
        rest = cursor.take(len(cursor.data) - cursor.at)
        return records(unseal(suite, material[:32], material[32:], rest, hashlib.sha256(head + code).digest()))
    raise Wrong("the secret opens nothing")


def records(plain):
    if len(plain) % 1024:
        raise Wrong("it is not filled up")
    cursor = Cursor(plain)
    for _ in range(cursor.number(4)):
        name = cursor.take(cursor.number(2)).decode()
        number, time, flags = cursor.number(8), cursor.number(8), cursor.number(4)
        yield name.encode().hex(), number, time, flags, cursor.take(cursor.number(4)).hex()
    if any(plain[cursor.at :]):
        raise Wrong("something follows the records")


def record(path, secret, namespace, name):
    data = open(path, "rb").read()
    if data[:4] != b"LKR1" or any(data[5:8]):
        raise Wrong("it is no sealed record that is known here")
    context = b"latchkey/v1/record" + data[:24]
    for text in (namespace.encode(), name.encode()):
        context += len(text).to_bytes(4, "big") + text
    material = derived(bytes.fromhex(secret), data[24:56], b"latchkey/v1/record", 44)
    plain = unseal(data[4], material[:32], material[32:], data[56:], context)
    yield int.from_bytes(data[16:24], "big"), plain.hex()


try:
    for line in {"vault": vault, "record": record}[sys.argv[1]](*sys.argv[2:]):
        print(*line)
except Wrong as error:
    print(f"wrong: {error}")
    sys.exit(1)
