"""Attacks by request heads that RFC 9112 does not allow, at the server of the pages and the listener: number 17."""

import re
import socket

from scene import ATTACKER, VICTIM

HEADS = {
    "a line feed alone": "GET / HTTP/1.1\r\nHost: H\nX: y\r\n\r\n",
    "a NUL in a field": "GET / HTTP/1.1\r\nHost: H\r\nX: a\0b\r\n\r\n",
    "a carriage return in a field": "GET / HTTP/1.1\r\nHost: H\r\nX: a\rb\r\n\r\n",
    "a space before the colon": "GET / HTTP/1.1\r\nHost: H\r\nX : a\r\n\r\n",
    "a folded field": "GET / HTTP/1.1\r\nHost: H\r\nX: a\r\n b\r\nY: c\r\n\r\n",
    "a negative length": "POST /token HTTP/1.1\r\nHost: H\r\nContent-Length: -1\r\n\r\n",
    "a length with a sign": "POST /token HTTP/1.1\r\nHost: H\r\nContent-Length: +5\r\n\r\nabcde",
    "a huge length": "POST /token HTTP/1.1\r\nHost: H\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "a coding that is not known": "POST /token HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
}


def answers(port, head):
    """The status lines of the answer to `head`."""
    with socket.create_connection(("127.0.0.1", port), 2) as connection:
        connection.settimeout(2)
        connection.sendall(head.replace("Host: H", f"Host: 127.0.0.1:{port}").encode("latin-1"))
        text = b""
        try:
            while data := connection.recv(65536):
                text += data
        except OSError:
            pass
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3})", text)]


def at_server(name, head, expected):
    """One head at the development server, which serves its pages with the server of all pages."""
    def attack(scene):
        got = answers(int(scene.issuer.rsplit(":", 1)[1]), head)
        return len(got) == 1 and got[0] in expected, f"sends {name} to a server of pages", \
            " and ".join(map(str, got)) or "no answer"
    return attack


def at_listener(scene):
    """The redirect's listener of a sign-in gets each of them."""
    login = scene.login()
    port = scene.listening(login)
    wrong = []
    for name, head in HEADS.items():
        got = answers(port, head)
        if len(got) != 1 or got[0] not in (400, 413, 501):
            wrong.append(f"{name}: {' and '.join(map(str, got)) or 'no answer'}")
    return not wrong, "a page or program of the own user sends such heads to the listener", \
        wrong[0] if wrong else "one refusal for each"


COOKIES = "GET / HTTP/1.1\r\nHost: H\r\nConnection: close\r\nCookie: " + "; ".join(
    f"a{n}=b" for n in range(500)) + "\r\n\r\n"
ATTACKS = [(17, ATTACKER, at_server(name, head, (400, 413, 501))) for name, head in HEADS.items()] + [
    (17, VICTIM, at_server("500 short cookies", COOKIES, (200,))), (17, VICTIM, at_listener)]
