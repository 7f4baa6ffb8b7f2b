"""Answers that gateways give in place of a service: recorded ones, or each kind once in the project's own words."""

import base64
import dataclasses
import json

from wire import Answer, page, redirect


@dataclasses.dataclass(frozen=True)
class Row:
    """One answer, and what it says: outage, blocked, busy, redirect, needs-network-sign-in, client-key, nothing."""

    name: str
    status: int
    says: str
    framing: str
    shape: str
    answer: Answer
    # The seconds that the answer asks a client to wait.
    wait: int = 0
    # Whether the body ends where it should: half a document says that the answer was cut on its way.
    is_complete: bool = True

    @property
    def kind(self):
        return self.says, self.framing, self.shape

    @property
    def is_whole(self):
        return self.framing in ("content-length", "close", "chunked") and self.status != 0

    @property
    def is_taken_as_done(self):
        """A success without a page ends a revocation: its body is not read (RFC 7009, section 2.2)."""
        is_read = self.shape not in ("page", "compressed") and self.is_whole and self.is_complete
        return 200 <= self.status < 300 and is_read


OWN = [
    Row("page-200", 200, "needs-network-sign-in", "content-length", "page", page(200, "<html>Welcome, guests</html>")),
    Row("page-407", 407, "needs-network-sign-in", "content-length", "page", page(407, Proxy_Authenticate="Basic")),
    Row("portal-302", 302, "redirect", "content-length", "empty", redirect("https://portal.example.test/?from=1")),
    Row("page-400", 400, "nothing", "content-length", "page", page(400)),
    Row("empty-400", 400, "nothing", "content-length", "empty", Answer(400)),
    Row("page-401", 401, "blocked", "content-length", "page", page(401, "<html>Staff only</html>")),
    Row("page-403", 403, "blocked", "content-length", "page", page(403, "<html>Forbidden</html>")),
    Row("page-404", 404, "nothing", "close", "page", page(404)),
    Row("json-401", 401, "client-key", "content-length", "json", Answer(401, b'{"message":"No API key found"}')),
    Row("page-429", 429, "busy", "content-length", "page", page(429, Retry_After="7"), wait=7),
    Row("page-502", 502, "outage", "content-length", "page", page(502)),
    Row("text-503", 503, "outage", "content-length", "text", Answer(503, b"no healthy upstream")),
    Row("cut-200", 200, "outage", "cut", "json", Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"acc")),
    Row("reset", 200, "outage", "close+reset", "json", Answer(raw=b"HTTP/1.1 200 OK\r\n\r\n{\"acc", ends="reset")),
    Row("dropped", 0, "outage", "no-answer", "empty", Answer(raw=b"")),
]


def rows(file):
    """One row of each kind: what it says, how it is framed, and what its body is."""
    kinds = {}
    for row in recorded(file) if file else OWN:
        kinds.setdefault(row.kind, row)
    return list(kinds.values())


def recorded(file):
    with open(file, encoding="utf-8") as table:
        return [read(entry) for entry in json.load(table)]


def read(entry):
    body = base64.b64decode(entry["body"]) if entry.get("body_encoding") else entry["body"].encode()
    fields = {name.lower(): value for name, value in entry["headers"]}
    wait = fields.get("retry-after", "")
    return Row(
        entry["id"],
        entry["status"],
        entry["says"],
        entry["framing"],
        shape(body, fields),
        Answer(raw=raw(entry, body), ends={"cut+hang": "hang", "close+reset": "reset"}.get(entry["framing"], "closed")),
        int(wait) if wait.isdigit() else 0,
        is_complete(body),
    )


def is_complete(body):
    if body[:1] not in (b"{", b"["):
        return True
    try:
        return json.loads(body) is not None
    except ValueError:
        return False


def shape(body, fields):
    if fields.get("content-encoding"):
        return "compressed"
    start = body[:64].lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith(b"<") or fields.get("content-type", "").startswith("text/html"):
        return "page"
    if not body:
        return "empty"
    return "json" if start[:1] in b"{[" else "text"


def raw(entry, body):
    """The bytes to send before the connection ends."""
    if entry.get("raw_base64"):
        return base64.b64decode(entry["raw_base64"])
    framing = entry["framing"]
    if framing == "no-answer":
        return b""
    own = ("content-length", "transfer-encoding", "connection")
    lines = [f"{entry['protocol']} {entry['status']} {entry['reason']}"]
    lines += [f"{name}: {value}" for name, value in entry["headers"] if name.lower() not in own]
    if framing.startswith("chunked"):
        lines.append("Transfer-Encoding: chunked")
        is_cut = framing == "chunked-cut"
        body = b"%x\r\n%s" % (len(body) + 9 * is_cut, body) if body else b""
        body += b"" if is_cut else b"\r\n0\r\n\r\n" if body else b"0\r\n\r\n"
    elif framing.startswith("cut"):
        lines.append(f"Content-Length: {len(body) + 500}")
    elif framing == "content-length":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "Connection: close"]).encode() + b"\r\n\r\n" + body
