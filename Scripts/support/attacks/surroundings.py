"""Attacks by a hostile environment, by what is left on the disk, and on the agent: numbers 12 to 16."""

import json
import os
import re
import time

from scene import ATTACKER, VICTIM, last

PASSPHRASE = "correct horse battery staple"


def typed(scene, words, lines=1, **environment):
    """Runs the tool with the passphrase on standard input, `lines` times."""
    script = 'for _ in $(seq "$1"); do echo "$2"; done | "${@:3}"'
    return scene.run(VICTIM, ["bash", "-c", script, "bash", str(lines), PASSPHRASE, scene.tool, *words],
                     environment=environment)


def encrypt(scene, **environment):
    """Signs the victim in, and moves the session into an encrypted file."""
    scene.signed_in(environment=environment)
    status, text = typed(scene, ["store", "migrate", "--to", "encrypted", "--passphrase-from-stdin"], 2, **environment)
    if status != 0:
        raise RuntimeError(text)


def secret_of_parent(scene):
    """12: a program that `exec --refresh` runs looks into the environment of its parent."""
    scene.signed_in()
    script = "tr '\\0' '\\n' < /proc/$PPID/environ | grep -c very-secret; env | grep -c very-secret; echo looked"
    _, text = scene.run(VICTIM, [scene.tool, "exec", "--refresh", "--", "bash", "-c", script],
                        environment={"LATCHKEY_CLIENT_SECRET": "very-secret"})
    counts = re.findall(r"^\d+$", text, re.M)
    bad = any(int(count) > 0 for count in counts)
    return "looked" in text and len(counts) == 2 and not bad, \
        "a program reads the client's secret in the environment of the tool that started it", \
        "the secret" if bad else "no secret"


def few_descriptors(scene):
    """13: the tool is started with room for a few descriptors only."""
    scene.signed_in()
    ended = {}
    for count in range(4, 12):
        ended[count], _ = scene.run(VICTIM, ["bash", "-c", f'ulimit -n {count}; "$0" status', scene.tool])
    bad = [f"with {count} the status {status}" for count, status in ended.items() if status is None or not 0 <= status < 128]
    return not bad, "starts the tool with room for 4 to 11 descriptors", bad[0] if bad else "an error, and no signal"


def foreign_runtime(scene):
    """14: another user has made the directory in which the agent would be."""
    encrypt(scene)
    shared = scene.own("run", 0, 0o777)
    os.chmod(shared, 0o1777)
    os.mkdir(shared + "/latchkey")
    os.chown(shared + "/latchkey", ATTACKER, ATTACKER)
    status, text = typed(scene, ["store", "verify", "--passphrase-from-stdin"], XDG_RUNTIME_DIR=shared)
    return status == 0, "makes the agent's directory in a shared XDG_RUNTIME_DIR", last(text)


def long_path(scene):
    """14: the data has a path that is too long for a socket."""
    deep = scene.home + "/" + "/".join(["d" * 40] * 3)
    environment = {"XDG_DATA_HOME": deep, "XDG_RUNTIME_DIR": ""}
    try:
        encrypt(scene, **environment)
        status, text = typed(scene, ["store", "verify", "--passphrase-from-stdin"], **environment)
    except RuntimeError as error:
        status, text = 1, str(error)
    return status == 0, "a data directory with a path of over 107 bytes", last(text)


def unlocked(scene):
    """An agent with the key, at a runtime directory of the victim's."""
    encrypt(scene)
    runtime = scene.own("run", VICTIM, 0o700)
    status, text = typed(scene, ["unlock", "--for", "5m", "--passphrase-from-stdin"], XDG_RUNTIME_DIR=runtime)
    if status != 0:
        raise RuntimeError(text)
    return runtime


def lock_elsewhere(scene):
    """14: `lock` is run where the agent's directory is not in the environment."""
    runtime = unlocked(scene)
    _, text = scene.latchkey("lock", environment={"XDG_RUNTIME_DIR": ""})
    status, _ = scene.latchkey("token", environment={"XDG_RUNTIME_DIR": runtime})
    scene.latchkey("lock", environment={"XDG_RUNTIME_DIR": runtime})
    return status != 0, "lock without XDG_RUNTIME_DIR, while an agent holds the key", \
        f"{last(text)} (token then ends with {status})"


def socket_gone(scene):
    """14: the agent's socket is removed, so that nobody can end it."""
    runtime = unlocked(scene)

    def agents():
        count = 0
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                count += os.stat(f"/proc/{name}").st_uid == VICTIM and words[1:3] == [b"agent", b"serve"] \
                    and os.readlink(f"/proc/{name}/exe") == scene.tool
            except OSError:
                pass
        return count
    before = agents()
    os.remove(runtime + "/latchkey/agent.sock")
    limit = time.monotonic() + 6
    while agents() and time.monotonic() < limit:
        time.sleep(0.2)
    after = agents()
    for name in os.listdir("/proc"):
        try:
            if after and os.readlink(f"/proc/{name}/exe") == scene.tool and os.stat(f"/proc/{name}").st_uid == VICTIM:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if file.read().split(b"\0")[1:3] == [b"agent", b"serve"]:
                        os.kill(int(name), 9)
        except (OSError, ValueError):
            pass
    return before == 1 and after == 0, "removes the agent's socket", f"{after} agents with keys that no command ends"


def clock_ahead(scene):
    """15: wrong tries were counted in an earlier boot, whose clock was ahead."""
    encrypt(scene)
    path = scene.data + "/latchkey/default/passphrase.tries"
    with open(path, "w") as file:
        json.dump({"boot": "earlier", "failures": 9, "kind": "latchkey.tries", "until": 1,
                   "wall": int(time.time()) + 400 * 86400}, file)
    os.chown(path, VICTIM, VICTIM)
    os.chmod(path, 0o600)
    with open("/proc/uptime") as file:
        if float(file.read().split()[0]) < 301:
            return True, "a clock that was ahead before a restart", "nothing: the machine has run for less than a wait"
    status, text = typed(scene, ["store", "verify", "--passphrase-from-stdin"])
    return status == 0, "a clock that was ahead before a restart, after wrong passphrases", last(text)


def damaged(scene):
    """Signs in, damages the record, and sets it aside; the refresh token in it."""
    scene.signed_in()
    folder = scene.data + "/latchkey/default"
    record = next(name for name in os.listdir(folder) if name.startswith("credential") and name.endswith(".record"))
    with open(f"{folder}/{record}") as file:
        content = file.read()
    with open(f"{folder}/{record}", "a") as file:
        file.write("x")
    token = re.search(r'"renewal":"([^"]{10,})"', content)
    scene.latchkey("store", "repair", "--set-aside")
    return token.group(1)


def left(scene, token):
    """The files of the victim's that hold `token`."""
    found = []
    for folder, _, names in os.walk(scene.home):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                if token.encode() in file.read():
                    found.append(name)
    return found


def gone(words, signs_in):
    """16: a command says that a session is gone, and a copy that was set aside has its tokens."""
    def attack(scene):
        token = damaged(scene)
        there = bool(left(scene, token))
        if signs_in:
            scene.signed_in()
        for line in words:
            if "--passphrase-from-stdin" in line:
                status, text = typed(scene, line, 2)
            else:
                status, text = scene.latchkey(*line)
        found = left(scene, token)
        return there and status == 0 and not found, f"searches the disk for a token after {' '.join(words[-1][:3])}", \
            f"{last(text)}, and the token in {found[0]}" if found else last(text)
    return attack


ATTACKS = [(12, VICTIM, secret_of_parent), (13, VICTIM, few_descriptors), (14, ATTACKER, foreign_runtime)] + [
    (14, VICTIM, attack) for attack in (long_path, lock_elsewhere, socket_gone)] + [(15, VICTIM, clock_ahead)] + [
    (16, VICTIM, attack) for attack in (
        gone([["logout"]], True), gone([["store", "wipe", "--yes"]], True),
        gone([["logout"], ["profiles", "remove", "default"]], True),
        gone([["profiles", "remove", "default", "--force"]], False),
        gone([["store", "migrate", "--to", "encrypted", "--passphrase-from-stdin"]], True))]
