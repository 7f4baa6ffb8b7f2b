"""Networks, proxies, resolvers, and services that answer late or otherwise."""

import network
from accounts import file
from environment import Environment, Says, each, refused

# Commands that ask the service. A token that has not ended needs no network, and a sign-out is told to the service later.
ASKING = ("login", "refresh")
OFFLINE = each(refused(4, r"(?i)connect|reach|answer|network|service|fewer requests"), *ASKING)
OWN_HOST = file("/etc/hosts", "127.0.0.1 localhost\n")


def between(name, kind, says=None, **options):
    return Environment(name, network=kind, says=OFFLINE if says is None else says, **options)


def answer(status, fields="", body=""):
    return network.answering((
        f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode())


HTML = "<!DOCTYPE html><html><body>Please sign in to the network</body></html>"
LINES = [
    between("a network of its own", network.Network, {}),
    # The two for which a refresh is waited for a minute, beside each other.
    between("no network", network.NoLoopback, can_type=False),
    between("a firewall that is silent", network.Silent, options=("--timeout", "1s"), can_type=False),
    between("a firewall that resets", network.Resetting),
    between("HTTP/1.0", network.Old, {}),
    between("a line that delivers byte by byte", network.Bytewise, {}),
    between("a line with three seconds to each answer", network.Late, {}),
    between("HTTP/1.1 505 at the service's address", answer("505 HTTP Version Not Supported")),
    between("an answer in HTTP/0.9", network.answering(b"<html>hello</html>")),
    between("SSH at the service's address", network.answering(b"SSH-2.0-OpenSSH_9.2\r\n")),
    between("TLS at the service's address", network.answering(b"\x15\x03\x03\x00\x02\x02\x46")),
    between("an empty answer", network.answering(b"")),
    between("half a head", network.answering(b"HTTP/1.1 200 OK\r\nContent-Le")),
    between("half a body", network.answering(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")),
    between("a head without an end", network.answering(b"HTTP/1.1 200 OK\r\n" + b"X-Field: " + b"a" * 200_000 + b"\r\n")),
    between("a hotel's network", answer("302 Found", "Location: http://127.0.0.1:9/login\r\n")),
    between("a hotel's network that answers with a page", answer("200 OK", "Content-Type: text/html\r\n", HTML)),
    between("a network that wants a sign-in (511)", answer(
        "511 Network Authentication Required", "Content-Type: text/html\r\n", HTML)),
    between("a gateway without a service (502)", answer("502 Bad Gateway", "Content-Type: text/html\r\n", HTML)),
    between("a service that is down for a while (503)", answer("503 Service Unavailable", "Retry-After: 1\r\n")),
    between("too many requests (429)", answer("429 Too Many Requests", "Retry-After: 1\r\n")),
]

SERVICE = ("--issuer", "https://id.example.test")
NAMED = {"login": refused(4, r"id\.example\.test")}


def resolver(name, kind, text="nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"):
    """The login is at a service of another name; the others are where the session is."""
    return Environment(name, network=kind, root=OWN_HOST + file("/etc/resolv.conf", text), words=SERVICE, says=NAMED,
                       ill_words=True)


RESOLVERS = [
    resolver("a resolver that is not there", network.Network),
    resolver("a resolver that knows no name (NXDOMAIN)", network.resolved(3)),
    resolver("a resolver that fails (SERVFAIL)", network.resolved(2)),
    resolver("a resolver that refuses (REFUSED)", network.resolved(5)),
    resolver("no resolv.conf", network.Network, ""),
]


def proxy(name, said, pattern, status=4):
    return Environment(name, network=network.proxied(said), ill={"https_proxy": "http://127.0.0.1:3128"}, words=SERVICE,
                       says={"login": refused(status, pattern)}, ill_words=True)


PROXIES = [
    Environment("a proxy for everything that is not there", ill={
        name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")}),
    Environment("a proxy's address that is none", ill={"https_proxy": "not an address"}, words=SERVICE, ill_words=True,
                says={"login": refused((4, 8), "(?i)proxy")}),
    Environment("a proxy that is not there", ill={"https_proxy": "http://127.0.0.1:9"}, words=SERVICE, ill_words=True,
                says={"login": refused(4, "(?i)proxy 127.0.0.1:9|127.0.0.1:9")}),
    proxy("a proxy that refuses", b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "(?i)proxy"),
    proxy("a proxy that asks for a password", b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n"
          b"Content-Length: 0\r\n\r\n", "(?i)proxy.*password|password.*proxy|proxy.*sign"),
    proxy("a proxy that asks for NTLM", b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: NTLM\r\n"
          b"Content-Length: 0\r\n\r\n", "(?i)proxy"),
    proxy("a proxy that reaches nothing", b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n", "(?i)proxy"),
    proxy("a proxy that is no proxy", b"SSH-2.0-OpenSSH_9.2\r\n", "(?i)proxy"),
]


def fault(name, says=None, options=(), **fault):
    """The development server's own faults, while the machine is ill."""
    def make(machine):
        machine.server.control("faults", {"count": 1000, **fault})
        machine.undo.append(("fault", lambda: machine.server.control("clear", {})))
    return Environment(name, make, says=says or {}, options=options)


SERVICES = [
    fault("documents that come after two seconds", kind="delay", endpoint="discovery", milliseconds=2000),
    fault("documents that come after two seconds, and a second to wait", {"login": refused(4, "127.0.0.1")}, ("--timeout", "1s"),
          kind="delay", endpoint="discovery", milliseconds=2000),
    fault("tokens that come after three seconds, and a second to wait", {}, ("--timeout", "1s"), kind="delay", endpoint="token",
          milliseconds=3000),
    fault("tokens that come after twelve seconds", {}, kind="delay", endpoint="token", milliseconds=12_000),
    fault("no answer at the token endpoint", OFFLINE, kind="drop", endpoint="token"),
    fault("errors at the token endpoint (500)", OFFLINE, kind="status", endpoint="token", status=500),
    fault("a gateway's page at the token endpoint", OFFLINE, kind="html", endpoint="token"),
    fault("keys that cannot be had", {"login": Says((0, 4, 9), ".")}, kind="html", endpoint="jwks"),
    fault("answers of 300 KB", kind="oversize", endpoint="token", bytes=300_000),
    fault("a service whose clock is a day off", {}, kind="clockSkew", endpoint="token", seconds=86_400),
    fault("revocations that fail", {"logout": Says((0,), "could not be told yet")}, kind="html", endpoint="revocation"),
]

NETWORKS = LINES + RESOLVERS + PROXIES + SERVICES
