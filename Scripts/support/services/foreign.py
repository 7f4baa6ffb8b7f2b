"""The tool at identity servers that somebody else wrote: foreign.py TOOL [SERVER]..."""

import json
import os
import subprocess
import sys
import time

from person import Person
from programs import PATIENCE, Missing, Programs, find, free_port, text
from servers import ROOT, Visitor
from tool import Tool

CALLS = 8
# How long access tokens last, in seconds.
LIFETIME = 4


class Server:
    """A server that a script of Tests/Servers starts, its access log, and what it has."""

    # What a sign-in by device code, and one of a client with a secret, need to be told beside the client.
    device_words, secret_words = [], []
    # Whether the page asks if the person agrees.
    asks = True

    def __init__(self, programs, name, folder, token, revocation=None, device=True, authority=False, redirect_port=None):
        self.name, self.token, self.revocation, self.has_device = name, token, revocation, device
        self.redirect_port = redirect_port
        self.state = os.path.join(programs.folder, folder)
        self.authority = os.path.join(self.state, "cert.pem") if authority else None
        words = ["--redirect", f"http://127.0.0.1:{redirect_port}/callback"] if redirect_port else []
        process = programs.start(
            [os.path.join(ROOT, "Tests/Servers", folder, "start"), "--state", self.state, "--port", str(free_port()),
             "--lifetime", str(LIFETIME), "--hold", *words], stdin=subprocess.PIPE)
        try:
            self.issuer = find(process, r"(?m)^https?://127\.0\.0\.1:\d+$")
        except RuntimeError:
            if process.wait(PATIENCE) == 77:
                raise Missing(text(process).strip()) from None
            raise

    def answers(self, path):
        """The statuses of all answers to a POST at a path."""
        with open(os.path.join(self.state, "server.log"), encoding="utf-8", errors="replace") as log:
            return [int(line.rsplit('" ', 1)[1].split()[0]) for line in log if f'POST {path} HTTP' in line]

    def refuses(self, refresh_token, client):
        """Whether the server refuses a refresh token now."""
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": client}
        status, _ = Visitor(self.authority).open(self.issuer + self.token, form)
        return status in (400, 401)


def allauth(programs):
    server = Server(programs, "django-allauth", "allauth", "/identity/o/api/token", "/identity/o/api/revoke")
    # It gives no ID token for a device code, nor to a client that names itself by HTTP Basic alone.
    server.device_words = ["--scope", "email", "--scope", "profile"]
    server.secret_words = ["--client-secret-in-body"]
    return server


def authlib(programs):
    return Server(programs, "Authlib", "authlib", "/token", "/revoke")


def satosa(programs):
    server = Server(programs, "SATOSA", "satosa", "/OIDC/token", device=False, authority=True, redirect_port=free_port())
    server.asks = False
    return server


class Walk:
    """What people do at one server, in this order; each method is a step that raises what went wrong."""

    def __init__(self, programs, path, server):
        self.server = server
        self.tool = Tool(programs, path, f"{server.name}-code", server)
        self.other = Tool(programs, path, f"{server.name}-other", server)
        self.secret_file = os.path.join(programs.folder, f"{server.name}-secret")
        for name, secret in ((self.secret_file, "s3cr3t"), (self.secret_file + ".wrong", "wrong")):
            with open(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
                file.write(secret + "\n")

    def code(self):
        """Signs in by browser; the token is good at the server, and the tool says who it is."""
        self.tool.login("pub1")
        self.knows(self.tool, "user1@example.com")

    def knows(self, tool, name):
        """The tool names the person, and has a token that the server takes."""
        said = json.loads(tool.must("whoami", "--json"))
        if said.get("label") != name:
            raise RuntimeError(f"whoami says {said}")
        document = json.loads(Visitor(self.server.authority).open(
            self.server.issuer + "/.well-known/openid-configuration")[1])
        status, claims = Visitor(self.server.authority).open(
            document["userinfo_endpoint"], fields={"Authorization": f"Bearer {tool.must('token')}"})
        if status != 200 or json.loads(claims)["email"] != name:
            raise RuntimeError(f"the server's userinfo endpoint answers {status}: {claims}")

    def refresh(self):
        """Refreshes twice, each time with the newest refresh token, which the server replaces."""
        kept = [self.tool.kept()]
        for _ in range(2):
            self.tool.must("refresh")
            kept.append(self.tool.kept())
        if len(set(kept)) != 3 or None in kept:
            raise RuntimeError(f"{len(set(kept))} different refresh tokens were kept, not 3")
        self.knows(self.tool, "user1@example.com")

    def eight(self):
        """Eight processes at once with an ended token: one request, and one token for all."""
        time.sleep(LIFETIME + 1)
        before = len(self.server.answers(self.server.token))
        processes = [self.tool.programs.start([self.tool.path, "token"], self.tool.home) for _ in range(CALLS)]
        ends = [process.wait(PATIENCE) for process in processes]
        requests = len(self.server.answers(self.server.token)) - before
        tokens = {text(process) for process in processes}
        if requests != 1 or len(tokens) != 1 or set(ends) != {0}:
            raise RuntimeError(f"{requests} requests, {len(tokens)} answers, exit {ends}: {sorted(tokens)[0]}")

    def second(self):
        """Somebody else signs in beside the first person, is the current one, and signs out alone."""
        self.tool.login("pub1", name="user2")
        self.knows(self.tool, "user2@example.com")
        accounts = json.loads(self.tool.must("accounts", "--json"))
        if len(accounts) != 2:
            raise RuntimeError(f"there are {len(accounts)} accounts, not 2")
        self.tool.must("logout")
        if "user1@example.com" not in self.tool.must("accounts"):
            raise RuntimeError("the first person is not there any more")
        self.tool.must("token", "--account", "user1@example.com")

    def logout(self):
        """Signs out; the server sees the revocation and refuses the refresh token, if it has the endpoint."""
        kept, before = self.tool.kept(), len(self.server.answers(self.server.revocation or ""))
        self.tool.must("logout", "--account", "user1@example.com")
        self.tool.must("status", status=3)
        if not self.server.revocation:
            return
        seen = self.server.answers(self.server.revocation)[before:]
        if seen != [200] or not self.server.refuses(kept, "pub1"):
            raise RuntimeError(f"the revocation endpoint answered {seen}, or the refresh token still works")

    def device(self):
        """Signs in by a code for another device, refreshes, and signs out."""
        if not self.server.has_device:
            return "none"
        tool = Tool(self.tool.programs, self.tool.path, f"{self.server.name}-device", self.server)
        words = self.server.device_words
        tool.login_by_device("dev1", Person(), *words)
        if words:
            # Without `openid` the service tells nobody who it was, userinfo endpoint included.
            tool.must("token")
        else:
            self.knows(tool, "user1@example.com")
        tool.must("refresh")
        tool.must("logout")
        tool.login_by_device("dev1", Person(says_yes=False), *words, status=6)
        return None

    def secret(self):
        """A client with a secret signs in; a wrong secret is told as what it is."""
        words = self.server.secret_words
        said = self.other.login("conf1", "--client-secret-file", self.secret_file + ".wrong", *words, status=8)
        if "secret" not in said:
            raise RuntimeError(f"nothing is said of the secret: {said}")
        self.other.login("conf1", "--client-secret-file", self.secret_file, *words)
        self.other.must("refresh")
        self.knows(self.other, "user1@example.com")
        self.other.must("logout")

    def denied(self):
        """The person says no: the tool says so, and nobody is signed in."""
        if not self.server.asks:
            return "none"
        tool = Tool(self.tool.programs, self.tool.path, f"{self.server.name}-denied", self.server)
        said = tool.login("pub1", says_yes=False, status=6)
        if "denied" not in said:
            raise RuntimeError(said)
        tool.must("status", status=3)
        return None


STEPS = [Walk.code, Walk.refresh, Walk.eight, Walk.second, Walk.logout, Walk.device, Walk.secret, Walk.denied]


def main(path, *names):
    counts = {"servers": 0, "steps": 0, "ok": 0}
    with Programs() as programs:
        try:
            for start in (allauth, authlib, satosa):
                if names and start.__name__ not in names:
                    continue
                server = start(programs)
                walk, results = Walk(programs, path, server), []
                for step in STEPS:
                    try:
                        result = step(walk) or "ok"
                    except (RuntimeError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as wrong:
                        result = "failed"
                        print(f"  {server.name} {step.__name__}: {wrong}", flush=True)
                    if result != "none":
                        counts["steps"] += 1
                        counts["ok"] += result == "ok"
                    results.append(f"{step.__name__}={result}")
                counts["servers"] += 1
                print(server.name, *results, flush=True)
        except Missing as missing:
            print(f"verify servers: {missing}: run Scripts/setup --servers", file=sys.stderr)
            return 3
    print(*(f"{name}={count}" for name, count in counts.items()))
    return 0 if counts["steps"] == counts["ok"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
