"""The identity servers that the checks speak to, and the person who has an account there."""

import http.cookiejar
import json
import os
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from programs import Missing, PATIENCE, find, free_port, text

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Visitor:
    """A browser without a screen: keeps cookies, and follows redirects."""

    def __init__(self, authority=None):
        context = ssl.create_default_context(cafile=authority) if authority else None
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
            urllib.request.HTTPSHandler(context=context))

    def open(self, address, form=None, fields=None):
        """Opens an address, or sends a form to it: the status and the body of the last answer.

        Afterwards `address` is where the redirects ended.
        """
        body = None if form is None else urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(address, data=body, headers=fields or {})
        try:
            with self.opener.open(request, timeout=PATIENCE) as answer:
                self.address = answer.url
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as refusal:
            with refusal:
                self.address = refusal.url
                return refusal.code, refusal.read().decode("utf-8", "replace")


class DevServer:
    """The project's own server, in whose words a dead refresh token is `invalid_grant`."""

    name = "dev-server"
    answer = "invalid_grant"
    logged = "invalid_grant"
    client = "dev-native"
    scopes = []
    redirect_port = None

    def __init__(self, programs, tool, lifetime, *more):
        process = programs.start([tool, "dev-server", "--auto-approve", "--token-lifetime", f"{lifetime}s", "--json", *more])
        self.about = json.loads(find(process, r"\{.*\}\n"))
        self.issuer = self.about["issuer"]
        self.user_info = self.issuer + "/resource"

    def visit(self, address):
        """The person opens the address that a program showed."""
        return Visitor().open(address)

    def control(self, command, body=None):
        """Tells the server something, or asks it."""
        fields = {"X-Latchkey-Control": "1", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.issuer}/control/{command}", data=data, headers=fields)
        with Visitor().opener.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def refreshes(self):
        """What became of the refreshes that arrived so far, in the log's words; those of Supabase are others."""
        return [entry["outcome"] for entry in self.control("log")["entries"]
                if entry["endpoint"] == "token" and entry.get("grant") == "refresh_token"]

    def end_session(self):
        self.control("revoke", {"subject": "user-" + self.about["users"][0]["name"]})


class Speaking(DevServer):
    """The development server, with another word for a refresh token that is dead."""

    def __init__(self, programs, tool, lifetime, status, word):
        super().__init__(programs, tool, lifetime)
        self.name, self.answer, self.logged = f"{DevServer.name}, {status}", word, "not_reached"
        self.fault = {"kind": "status", "endpoint": "token", "grant": "refresh_token", "count": 1, "status": status,
                      "error": word}

    def end_session(self):
        self.control("faults", self.fault)


class LemonLDAP:
    """LemonLDAP::NG, in whose words a dead refresh token is `invalid_request`."""

    name = "LemonLDAP::NG"
    answer = "invalid_request"
    logged = "400"
    client = "pub1"
    # With these alone a refresh token has a session of its own, which an administrator can end.
    scopes = ["openid", "offline_access"]

    def __init__(self, programs, lifetime):
        self.state = os.path.join(programs.folder, "lemonldap")
        self.redirect_port = free_port()
        process = programs.start(
            [os.path.join(ROOT, "Tests/Servers/lemonldap/start"), "--state", self.state, "--port", str(free_port()), "--hold",
             "--lifetime", str(lifetime), "--redirect", f"http://127.0.0.1:{self.redirect_port}/callback"],
            stdin=subprocess.PIPE)
        try:
            self.issuer = find(process, r"(?m)^http://127\.0\.0\.1:\d+/$")
        except RuntimeError:
            if process.wait(PATIENCE) == 77:
                raise Missing(text(process).strip()) from None
            raise
        self.user_info = self.issuer + "oauth2/userinfo"

    def visit(self, address):
        """The person signs in at the portal, and then opens the address that a program showed."""
        visitor = Visitor()
        visitor.open(self.issuer, {"user": "dwho", "password": "dwho"}, {"Accept": "application/json"})
        return visitor.open(address)

    def refreshes(self):
        """The statuses of all answers of the token endpoint, the exchange of the code among them."""
        with open(os.path.join(self.state, "access.log"), encoding="utf-8") as log:
            return [line.split('" ')[1].split()[0] for line in log if '"POST /oauth2/token' in line]

    def end_session(self):
        """Removes the session files of the refresh tokens, and asks with one what the server says to that."""
        folder = os.path.join(self.state, "sessions")
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if not os.path.isfile(path):
                continue
            with open(path, encoding="utf-8") as file:
                session = json.load(file)
            if session.get("_type") == "refresh_token":
                os.remove(path)
                form = {"grant_type": "refresh_token", "refresh_token": name, "client_id": self.client}
                status, body = Visitor().open(self.issuer + "oauth2/token", form)
                if (status, json.loads(body)["error"]) != (400, self.answer):
                    raise RuntimeError(f"it answers {status} {body}")
