"""A plain OAuth service that gives tokens to every client, and keeps everything that it is sent."""

import base64
import binascii
import os
import secrets
import sys
import threading
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "oddities"))

from wire import Server, answer, error, page, redirect  # noqa: E402


class Recorder:
    """A service on a port of its own. It looks at no client's secret, so that a sent one is never refused."""

    def __init__(self, name):
        self.name, self.lock, self.seen = name, threading.Lock(), []
        self.server = Server(self.handle)
        self.address = f"http://127.0.0.1:{self.server.port}"

    def handle(self, request):
        with self.lock:
            self.seen.append(request)
        match (request.method, request.path):
            case ("GET", path) if path.endswith("/oauth-authorization-server"):
                return answer(self.document())
            case ("GET", "/authorize"):
                query = urllib.parse.urlencode({"code": self.token("code"), "state": request.query.get("state", "")})
                return redirect(f"{request.query['redirect_uri']}?{query}")
            case ("POST", "/token"):
                return self.tokens(request)
            case ("POST", "/device"):
                return answer(
                    {
                        "device_code": self.token("device"),
                        "user_code": "ABCD-EFGH",
                        "verification_uri": f"{self.address}/enter",
                        "interval": 1,
                        "expires_in": 60,
                    }
                )
            case ("POST", "/revoke"):
                return answer({})
        return page(404)

    def document(self):
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "device_authorization_endpoint": f"{self.address}/device",
            "revocation_endpoint": f"{self.address}/revoke",
            "response_types_supported": ["code"],
            "scopes_supported": ["read", "offline_access"],
            "code_challenge_methods_supported": ["S256"],
        }

    def token(self, kind):
        """A token that says who gave it, so that it is known wherever it comes to light."""
        return f"{self.name}-{kind}-{secrets.token_urlsafe(9)}"

    def tokens(self, request):
        if not request.form.get("grant_type"):
            return error(400, "invalid_request")
        given = {"access_token": self.token("access"), "token_type": "Bearer", "expires_in": 3600}
        if request.form["grant_type"] != "client_credentials":
            given["refresh_token"] = self.token("refresh")
        return answer(given)

    def texts(self, since=0):
        """Everything that was sent since a request, decoded in each way in which a secret may be hidden."""
        with self.lock:
            requests = self.seen[since:]
        for request in requests:
            yield request.path
            yield from request.query.values()
            yield from request.form.values()
            for value in request.fields.values():
                yield value
                yield from decoded(value)


def decoded(value):
    """What a field says in Base64: as it is, and without the encoding of forms."""
    for word in value.split():
        try:
            text = base64.b64decode(word, validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            continue
        yield text
        yield urllib.parse.unquote_plus(text)
