"""Networks between the tool and the service, in a namespace of their own: relays, proxies, resolvers."""

import ctypes
import select
import socket
import subprocess
import threading
import time
import urllib.parse

PATIENCE = 30
_library = ctypes.CDLL(None, use_errno=True)


def _enter(path):
    """Moves this thread into a network namespace."""
    with open(path, "rb") as file:
        if _library.setns(file.fileno(), 0):
            raise OSError(ctypes.get_errno(), "setns")


class Network:
    """A network in which there is only this machine; the service is reached through what listens at its address."""

    def __init__(self, machine):
        self.machine, self.is_ill = machine, False
        self.holder = subprocess.Popen(["/usr/bin/unshare", "--net", "/bin/sh", "-c", "echo ready; exec sleep 3600"],
                                       stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        self.place = f"/proc/{self.holder.pid}/ns/net"
        self.prefix = ["/usr/bin/nsenter", f"--net={self.place}"]
        self.listeners = []
        self.command("ip", "link", "set", "lo", "up")
        service = urllib.parse.urlsplit(machine.issuer)
        self.service = (service.hostname, service.port)
        self.serve(service.port, self.relay)
        self.open()

    def open(self):
        """Further listeners."""

    def command(self, *words):
        subprocess.run([*self.prefix, *words], check=True, capture_output=True)

    def fall_ill(self):
        self.is_ill = True

    def mend(self):
        self.is_ill = False

    def close(self):
        for listener in self.listeners:
            listener.close()
        self.holder.kill()
        self.holder.wait()

    def listener(self, kind, port):
        """A socket that is bound there; the thread that asks stays where it is."""
        made = []

        def make():
            _enter(self.place)
            found = socket.socket(socket.AF_INET, kind)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(("127.0.0.1", port))
            made.append(found)
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        self.listeners.append(made[0])
        return made[0]

    def serve(self, port, handle):
        """Hands each connection to `handle`, in a thread of its own."""
        listener = self.listener(socket.SOCK_STREAM, port)
        listener.listen(32)

        def accept():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=self.guarded, args=(handle, connection), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()

    def guarded(self, handle, connection):
        with connection:
            try:
                handle(connection)
            except OSError:
                pass

    def relay(self, connection):
        """Passes all on, both ways."""
        if self.is_ill and self.instead(connection):
            return
        with socket.create_connection(self.service, PATIENCE) as service:
            while True:
                for ready in select.select([connection, service], [], [], PATIENCE)[0] or [None]:
                    data = ready.recv(65536) if ready else b""
                    if not data:
                        return
                    if ready is service and self.is_ill:
                        self.answer(connection, data)
                    else:
                        (service if ready is connection else connection).sendall(data)

    def instead(self, connection):
        """What happens instead of a request; whether it is over."""
        return False

    def answer(self, connection, data):
        """Passes a part of an answer on."""
        connection.sendall(data)


class NoLoopback(Network):
    """No network at all."""

    def fall_ill(self):
        super().fall_ill()
        self.command("ip", "link", "set", "lo", "down")

    def mend(self):
        if self.is_ill:
            self.command("ip", "link", "set", "lo", "up")
        super().mend()


def head(connection):
    """The head of a request."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            break
        data += part
    return data


class Answering(Network):
    """Something that answers in place of the service."""

    said = b""

    def instead(self, connection):
        head(connection)
        connection.sendall(self.said)
        return True


def answering(said):
    return type("Answering", (Answering,), {"said": said})


class Old(Network):
    """Answers in HTTP/1.0, one to a connection."""

    def answer(self, connection, data):
        connection.sendall(data.replace(b"HTTP/1.1 ", b"HTTP/1.0 ", 1))


class Bytewise(Network):
    """A line over which each byte travels alone."""

    def answer(self, connection, data):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for place in range(len(data)):
            connection.sendall(data[place:place + 1])


class Late(Network):
    """A line with three seconds each way."""

    def answer(self, connection, data):
        time.sleep(3)
        connection.sendall(data)


class Silent(Network):
    """A firewall that takes connections, and lets nothing through."""

    def instead(self, connection):
        head(connection)
        connection.recv(1)
        return True


class Resetting(Network):
    """Connections are reset."""

    def instead(self, connection):
        head(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, 0, 0, 0, 0, 0, 0, 0]))
        return True


class Proxied(Network):
    """A proxy at port 3128 that answers everything with the same."""

    said = b""

    def open(self):
        self.serve(3128, self.proxy)

    def proxy(self, connection):
        head(connection)
        connection.sendall(self.said)


def proxied(said):
    return type("Proxied", (Proxied,), {"said": said})


class Resolved(Network):
    """A resolver at 127.0.0.1 that answers each question with one code, or not at all."""

    code = None

    def open(self):
        if self.code is None:
            return
        listener = self.listener(socket.SOCK_DGRAM, 53)

        def serve():
            while True:
                try:
                    data, sender = listener.recvfrom(4096)
                    listener.sendto(data[:2] + bytes([0x81, 0x80 | self.code]) + data[4:6] + bytes(6) + question(data), sender)
                except OSError:
                    return
        threading.Thread(target=serve, daemon=True).start()


def question(data):
    """The question of a query, without what follows."""
    place = 12
    while data[place]:
        place += data[place] + 1
    return data[12:place + 5]


def resolved(code):
    return type("Resolved", (Resolved,), {"code": code})
