"""Attacks by what a service answers: numbers 10, 11 and 20."""

import base64
import http.server
import json
import re
import threading
import urllib.parse

from scene import VICTIM, last


class Service:
    """A service of plain OAuth, or of AWS, that answers what an attack says."""

    def __init__(self, answer):
        seen = self.seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def respond(self):
                length = int(self.headers.get("Content-Length", 0))
                form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode()))
                target = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(target.query))
                seen.append((target.path, form))
                if target.path == "/authorize":
                    self.send_response(302)
                    self.send_header("Location", f"{query['redirect_uri']}?code=c&state={query['state']}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                status, kind, body = answer(target.path, form)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = respond

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def sign_in(scene, service):
    """Signs the victim in at a service without a document."""
    login = scene.start(VICTIM, [
        scene.tool, "login", "--client-id", "c", "--authorization-endpoint", service.origin + "/authorize",
        "--token-endpoint", service.origin + "/token", "--scope", "a", "--no-browser"])
    address = scene.find(login, rb"http://127\.0\.0\.1:\d+/authorize\S+", or_end=True)
    if address:
        scene.run(VICTIM, ["curl", "--silent", "--location", "--output", "/dev/null", address.decode()])
    return scene.end(login)


def hostile_scopes(scene):
    """10: the scopes that `exec` tells a program."""
    scope = "a \x1b]0;x\x07 \u202eb \"$(touch x)\""

    def answer(path, form):
        return 200, "application/json", json.dumps({
            "access_token": "t", "token_type": "Bearer", "expires_in": 300, "scope": scope}).encode()

    service = Service(answer)
    status = sign_in(scene, service)
    code, text = scene.latchkey("exec", "--", "env")
    service.server.shutdown()
    line = [line for line in text.split("\n") if "SCOPES" in line]
    bad = [f"U+{ord(c):04X} in {line[0].split('=')[0]}" for c in "\x1b\x07\u202e" if line and c in line[0]]
    complete = status == 0 and code == 0 and "LATCHKEY_ACCESS_TOKEN=" in text
    return complete and not bad, "answers with scopes that steer a terminal", bad[0] if bad else "no scopes: they are unknown"


def echoed_token(kind):
    """11: a service repeats what it was sent, in part."""
    def attack(scene):
        scene.signed_in()
        _, token = scene.latchkey("token", "--id")
        token = token.strip()

        def answer(path, form):
            sent = form.get("WebIdentityToken", "")
            part = {"cut": sent[10:], "short": sent[40:58], "split": "-".join(sent[10:60])}[kind]
            body = (f"<ErrorResponse><Error><Code>AccessDenied</Code><Message>No: {part}</Message></Error>"
                    "</ErrorResponse>")
            return 403, "text/xml", body.encode()

        service = Service(answer)
        _, text = scene.latchkey(
            "credential", "aws", "--role-arn", "arn:aws:iam::123456789012:role/me", "--endpoint", service.origin)
        service.server.shutdown()
        asked = any(form.get("WebIdentityToken") for _, form in service.seen)
        folded = "".join(c for c in text if c.isalnum())
        sent = "".join(c for c in token if c.isalnum())
        shown = max((n for n in (10, 17, 100, 300) if any(
            sent[i:i + n] in folded for i in range(0, max(1, len(sent) - n)))), default=0)
        return asked and shown == 0, f"STS repeats the token, {kind}", \
            f"{shown} characters of the token or more" if shown else last(text)
    return attack


def who_is_who(scene):
    """20: somebody tries addresses at Clerk, and compares what a sign-in says of a known and of an unknown one."""
    key = "pk_test_" + base64.b64encode(b"latchkey.clerk.accounts.dev$").decode().rstrip("=")
    said = {}
    for who in ("ada+clerk_test@example.test", "nobody+clerk_test@example.test"):
        script = 'echo "$1" | "${@:2}"'
        for way, typed in (("--password", "wrong-password"), ("--code", "000000")):
            words = [scene.tool, "login", "--profile", "p" + str(len(said)), "--clerk", key, "--proxy-url", scene.issuer + "/clerk",
                     "--account", who, way] + (["--password-from-stdin"] if way == "--password" else [])
            status, text = scene.run(VICTIM, ["bash", "-c", script, "bash", typed, *words])
            text = text.replace(who, "WHO").replace("p" + str(len(said)), "PROFILE")
            said.setdefault(way, []).append((status, re.sub(r"trace_\w+", "TRACE", text)))
    told = [way for way, (known, unknown) in said.items() if known != unknown]
    return not told, "compares what a sign-in says of known and unknown addresses", \
        f"{told[0]}: {last(said[told[0]][0][1])} | {last(said[told[0]][1][1])}" if told else "the same words"


ATTACKS = [(20, VICTIM, who_is_who), (10, VICTIM, hostile_scopes)] + [(11, VICTIM, echoed_token(kind)) for kind in ("cut", "short", "split")]
