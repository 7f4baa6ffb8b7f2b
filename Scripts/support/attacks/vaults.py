"""Attacks on an encrypted file by somebody who can write to the victim's data: number 19."""

import hashlib
import os
import shutil
import time

from scene import VICTIM, last
from surroundings import encrypt, typed


def find(folder, name):
    for place, _, names in os.walk(folder):
        if name in names:
            return f"{place}/{name}"
    raise RuntimeError(f"there is no {name} below {folder}")


def replace(source, target):
    os.unlink(target)
    shutil.copyfile(source, target)
    os.chown(target, VICTIM, VICTIM)
    os.chmod(target, 0o600)


def put_back(scene):
    """The victim's file is written three times with the agent open, and then the older one is put back."""
    encrypt(scene)
    vault = find(scene.data, "vault.lkv")
    shutil.copyfile(vault, scene.folder + "/old.lkv")
    typed(scene, ["unlock", "--for", "5m", "--passphrase-from-stdin"])
    for _ in range(3):
        scene.latchkey("refresh")
    replace(scene.folder + "/old.lkv", vault)


def older(scene):
    """19: an older file is put back while the agent has the key."""
    put_back(scene)
    warned = ["was seen before" in scene.latchkey("status")[1] for _ in range(2)]
    scene.latchkey("switch", "ada@example.test")
    warned.append("was seen before" in scene.latchkey("status")[1])
    scene.latchkey("lock")
    return all(warned), "puts an older encrypted file back, with the agent open, before and after a write", \
        "a warning each time" if all(warned) else f"warnings: {warned}"


def broken_mark(how):
    """19: an older file is put back, and the mark that would tell is spoilt."""
    def attack(scene):
        put_back(scene)
        scene.latchkey("lock")
        marks = os.path.dirname(find_mark(scene))
        mark = find_mark(scene)
        if how == "cut":
            with open(mark, "r+b") as file:
                file.truncate(20)
        elif how == "a link":
            os.rename(mark, marks + "/elsewhere")
            os.symlink(marks + "/elsewhere", mark)
        elif how == "a directory":
            os.unlink(mark)
            os.mkdir(mark, 0o700)
            os.chown(mark, VICTIM, VICTIM)
        else:
            os.chmod(mark, 0o644)
        _, text = typed(scene, ["store", "verify", "--passphrase-from-stdin"])
        refused = "cannot be told" in text
        return refused, f"puts an older encrypted file back, and makes its mark {how}", last(text)
    return attack


def find_mark(scene):
    for place, _, names in os.walk(scene.home):
        for name in names:
            if name.endswith(".mark"):
                return f"{place}/{name}"
    raise RuntimeError("there is no mark")


def forge_costs(path, log_n, parallel):
    """Gives a vault 15 more slots that look like the person's, of this cost. Format: VaultFileWire.swift."""
    with open(path, "rb") as file:
        old = file.read()
    size = int.from_bytes(old[44:48], "big")
    slots, rest = old[64:64 + size], old[64 + size:-32]
    length = int.from_bytes(slots[4:8], "big")
    own = slots[:8 + length + 32 + 32 + 48]
    if len(own) != size or length != 4:
        raise RuntimeError("the vault has another form")
    forged = b""
    for index in range(1, 16):
        forged += own[:2] + index.to_bytes(2, "big") + own[4:8] + bytes([log_n, 8, parallel, 0]) + os.urandom(32) + own[8 + length + 32:]
    head = bytearray(old[:64])
    head[13] = 16
    head[44:48] = (size + len(forged)).to_bytes(4, "big")
    content = bytes(head) + forged + own + rest
    with open(path, "wb") as file:
        file.write(content + hashlib.sha256(content).digest())


def costly(scene):
    """19: a forged file has fifteen slots of the highest cost, so that each try of the passphrase takes minutes."""
    encrypt(scene)
    begin = time.monotonic()
    typed(scene, ["store", "verify", "--passphrase-from-stdin"])
    usual = time.monotonic() - begin
    forge_costs(find(scene.data, "vault.lkv"), 20, 4)
    begin = time.monotonic()
    status, text = typed(scene, ["store", "verify", "--passphrase-from-stdin"])
    took = time.monotonic() - begin
    # Ten seconds are the dearest slot that there may be, on a machine that does other work beside.
    refused = status is not None and took < usual + 15
    return refused, "gives the encrypted file fifteen slots of the highest cost", \
        f"{took:.1f} s, {usual:.1f} s before: {last(text)}"


ATTACKS = [(19, VICTIM, older), (19, VICTIM, costly)] + [(19, VICTIM, broken_mark(how)) for how in ("cut", "a link", "a directory", "for all to read")]
