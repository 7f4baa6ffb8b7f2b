"""Attacks on a browser sign-in of another user: numbers 1 to 3."""

import os
import time

from scene import ATTACKER, VICTIM, last

AS_USER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_user.py")


def waiting_browser(scene):
    """A browser that takes its time, as a person does, and the file that lets it go on."""
    go = scene.folder + "/go"
    path = scene.folder + "/browser"
    with open(path, "w") as file:
        file.write(f'#!/bin/bash\nwhile [[ ! -e {go} ]]; do sleep 0.05; done\n'
                   'exec curl --silent --location --output /dev/null "$1"\n')
    os.chmod(path, 0o755)
    return path, go


def copied(scene):
    """as_user.py where every user may read it."""
    path = scene.folder + "/as_user.py"
    with open(AS_USER) as source, open(path, "w") as target:
        target.write(source.read())
    os.chmod(path, 0o644)
    return path


def finish(scene, login):
    """Whether the login is still waiting, and what the victim reads after visiting for themselves."""
    waits = login.poll() is None
    if waits:
        address = scene.find(login, rb"http://127\.0\.0\.1:\d+/authorize\S+").decode()
        scene.run(VICTIM, ["curl", "--silent", "--location", "--output", "/dev/null", address], patience=40)
    status = scene.end(login, 20)
    return waits and status == 0, last(scene.text(login)) if status is not None else "nothing: it waits for ever"


def address_of_another(scene):
    """1: the address of the sign-in is read from the browser's arguments, and visited first."""
    browser, go = waiting_browser(scene)
    login = scene.login(environment={"BROWSER": browser})
    _, found = scene.run(ATTACKER, ["python3", copied(scene), "arguments"])
    address = found.strip()
    if not address:
        return False, "reads the browser's arguments, and finds no address", scene.text(login)
    scene.run(ATTACKER, ["curl", "--silent", "--location", "--output", "/dev/null", "--max-time", "5", address])
    status = scene.end(login, 3)
    leaked = "state=" in address or "code_challenge=" in address
    open(go, "w").close()
    end = scene.end(login)
    refused = status is None and not leaked and end == 0
    what = "its state" if leaked else "no state in it"
    return refused, f"visits the address in the browser's arguments ({what})", last(scene.text(login))


def forged_redirects(user, who, heads):
    """2: requests to the listener that are not the redirect."""
    def attack(scene):
        login = scene.login()
        port = scene.listening(login)
        for target, fields in heads:
            for name in ("/callback", "/"):
                try:
                    head = f"GET {name}{target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fields}\r\n"
                    scene.run(user, ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}; printf %b \"$0\" >&3; "
                                     "timeout 2 cat <&3 > /dev/null", head.replace("NUL", "\\0000")])
                except OSError:
                    pass
        time.sleep(0.2)
        refused, saw = finish(scene, login)
        sent = ", ".join(f"{target} {'in a frame' if fields else ''}".strip() for target, fields in heads)
        return refused, f"{who} sends {sent}", saw
    return attack


def half_requests(user, who):
    """3: forty connections that send a byte every three seconds."""
    def attack(scene):
        login = scene.login()
        port = scene.listening(login)
        slow = scene.start(user, ["python3", copied(scene), "slow", str(port), "40", "3"])
        scene.find(slow, rb"\d+\n")
        time.sleep(1)
        address = scene.find(login, rb"http://127\.0\.0\.1:\d+/authorize\S+").decode()
        begun = time.monotonic()
        scene.run(VICTIM, ["curl", "--silent", "--location", "--output", "/dev/null", "--max-time", "20", address], 25)
        status = scene.end(login, 1)
        took = time.monotonic() - begun
        saw = f"{last(scene.text(login))}, after {took:.0f} s" if status == 0 else f"no answer for {took:.0f} s"
        return status == 0, f"{who} holds 40 connections, and sends a byte on each every 3 s", saw
    return attack


PAGE = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"
ATTACKS = [
    (1, ATTACKER, address_of_another),
    (2, ATTACKER, forged_redirects(ATTACKER, "another user", [("?x", ""), ("?code=evil&state=evil", "")])),
    (2, VICTIM, forged_redirects(VICTIM, "a page in the own browser", [("?x", ""), ("?error=access_denied", PAGE)])),
    (2, VICTIM, forged_redirects(VICTIM, "a page in the own browser", [("?code=aNULb", ""), ("?code=a%00b", "")])),
    (3, ATTACKER, half_requests(ATTACKER, "another user")),
    (3, VICTIM, half_requests(VICTIM, "a program of the own user")),
]
