"""Requests and answers byte for byte, and a server that hands them to issuers."""

import dataclasses
import http.client
import json
import socket
import socketserver
import struct
import threading
import time
import urllib.parse

# Seconds in which a connection that hangs brings nothing.
HANGS = 2


@dataclasses.dataclass
class Request:
    method: str
    path: str
    query: dict
    fields: dict
    form: dict


@dataclasses.dataclass
class Answer:
    """An answer; `raw` is sent instead of everything else, and `ends` says how the connection ends: closed, or "reset",
    or after "hang", a while in which nothing more comes."""

    status: int = 200
    body: bytes = b""
    fields: list = dataclasses.field(default_factory=list)
    raw: bytes | None = None
    version: str = "HTTP/1.1"
    # Instead of a length: in chunks, until the connection ends, or a length of the test's choice.
    framing: str = "length"
    ends: str = "closed"

    def bytes(self):
        if self.raw is not None:
            return self.raw
        reason = http.client.responses.get(self.status, "Unknown")
        lines = [f"{self.version} {self.status} {reason}", *(f"{name}: {value}" for name, value in self.fields)]
        body = self.body
        if self.framing == "length":
            lines.append(f"Content-Length: {len(body)}")
        elif self.framing.startswith("chunked"):
            lines.append("Transfer-Encoding: chunked")
            body = b"%x\r\n%s\r\n" % (len(body), body) + (
                b"" if self.framing == "chunked without end" else b"0\r\n\r\n"
            )
        lines.append("Connection: close")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body

    def with_field(self, name, value):
        """The same answer with this field instead of those of its name."""
        kept = [pair for pair in self.fields if pair[0].lower() != name.lower()]
        return dataclasses.replace(self, fields=[*kept, (name, value)])


def answer(value, status=200, kind="application/json", **fields):
    """An answer with JSON."""
    more = [(name.replace("_", "-"), text) for name, text in fields.items()]
    return Answer(status, json.dumps(value).encode(), [("Content-Type", kind), ("Cache-Control", "no-store"), *more])


def error(status, code, **members):
    return answer({"error": code, **members}, status)


def page(status, text="<!DOCTYPE html><html><body><h1>An error occurred</h1></body></html>", **fields):
    """A page of a gateway, a proxy or a portal instead of an answer of the service."""
    more = [(name.replace("_", "-"), value) for name, value in fields.items()]
    return Answer(status, text.encode(), [("Content-Type", "text/html; charset=utf-8"), *more])


def redirect(address, status=302):
    return Answer(status, b"", [("Location", address)])


class Handler(socketserver.StreamRequestHandler):
    # A client that goes away in the middle of a request must not hold a thread.
    timeout = 20

    def handle(self):
        try:
            request = self.read()
            if request:
                found = self.server.handler(request)
                self.wfile.write(found.bytes())
                self.end(found.ends)
        except OSError:
            pass

    def end(self, how):
        if how == "hang":
            self.wfile.flush()
            time.sleep(HANGS)
        elif how == "reset":
            # A connection that is closed without lingering is reset.
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.request.close()

    def read(self):
        line = self.rfile.readline(65536).decode("latin-1").split()
        if len(line) != 3:
            return None
        message = http.client.parse_headers(self.rfile)
        body = self.rfile.read(int(message.get("Content-Length") or 0)).decode()
        path, _, query = line[1].partition("?")
        return Request(line[0], path, pairs(query), {k.lower(): v for k, v in message.items()}, pairs(body))


def pairs(text):
    return dict(urllib.parse.parse_qsl(text, keep_blank_values=True))


class Server(socketserver.ThreadingTCPServer):
    """A server on loopback that asks `handler` for the answer to each request."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler, host="127.0.0.1"):
        super().__init__((host, 0), Handler)
        self.handler = handler
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()
