"""An OpenID provider that keeps the standards, except where a scenario says otherwise."""

import dataclasses
import json
import secrets
import threading
import time
import urllib.parse

from signing import FIRST, access_hash
from wire import Answer, Request, answer, error, page, redirect

CLIENT = "tool"
SUBJECT = "person-1"


@dataclasses.dataclass
class Turn:
    """What a change of a scenario may know: the issuer, the request, and which refresh it is (0: a sign-in)."""

    issuer: "Issuer"
    request: Request
    grant: str = ""
    count: int = 0
    nonce: str | None = None


class Issuer:
    """One provider with one client, one person, and refresh tokens that are good once."""

    def __init__(self, base, scenario):
        self.base, self.scenario = base, scenario
        self.address = scenario.issuer(base, scenario.name)
        self.folder = f"{base}/{scenario.name}"
        self.lock = threading.RLock()
        self.requests, self.codes, self.devices, self.numbers = [], {}, {}, {}
        # Each refresh token that was given since the last sign-in; only the newest one is good.
        self.given, self.revoked, self.refreshed = [], [], 0
        # By sign-in, the tokens that were given and may still be used.
        self.alive, self.left_alive = [], 0

    @property
    def newest(self):
        return self.given[-1] if self.given else None

    def handle(self, request, place):
        """The answer to a request for a place below the issuer."""
        with self.lock:
            turn = Turn(self, request)
            self.requests.append(place)
            instead = self.scenario.instead.get(place)
            found = instead(turn) if instead else None
            if found is None:
                known = {
                    "discovery": self.document,
                    "authorize": self.authorize,
                    "token": self.token,
                    "keys": self.keys,
                    "userinfo": self.userinfo,
                    "device": self.device,
                    "revoke": self.revoke,
                }.get(place)
                found = known(turn) if known else page(404)
            sent = self.scenario.sent.get(place)
            return sent(found, turn) if sent else found

    def count(self, place):
        """How many requests came for a place."""
        return self.requests.count(place)

    def changed(self, name, value, turn):
        change = getattr(self.scenario, name)
        return change(value, turn) if change else value

    def document(self, turn):
        found = {
            "issuer": self.address,
            "authorization_endpoint": f"{self.folder}/authorize",
            "token_endpoint": f"{self.folder}/token",
            "jwks_uri": f"{self.folder}/keys",
            "userinfo_endpoint": f"{self.folder}/userinfo",
            "revocation_endpoint": f"{self.folder}/revoke",
            "device_authorization_endpoint": f"{self.folder}/device",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
        }
        return said(self.changed("document", found, turn))

    def keys(self, turn):
        return said(self.changed("keys", {"keys": [FIRST.public()]}, turn))

    def authorize(self, turn):
        asked = turn.request.query
        code = secrets.token_urlsafe(12)
        self.codes[code] = asked.get("nonce")
        back = self.changed("redirect", {"code": code, "state": asked.get("state", "")}, turn)
        if isinstance(back, Answer):
            return back
        return redirect(f"{asked['redirect_uri']}?{urllib.parse.urlencode(back)}")

    def token(self, turn):
        form = turn.request.form
        turn.grant = form.get("grant_type", "").rsplit(":", 1)[-1]
        match turn.grant:
            case "authorization_code":
                if form.get("code") not in self.codes:
                    return error(400, "invalid_grant")
                turn.nonce = self.codes.pop(form["code"])
                self.given, self.refreshed = [], 0
                self.alive.append(set())
            case "refresh_token":
                turn.count = self.refreshed + 1
                if form.get("refresh_token") != self.newest or self.newest in self.revoked:
                    # A spent token ends the family, as at strict services.
                    self.revoked += self.given
                    return error(400, "invalid_grant", error_description="Token is not active")
                refused = self.scenario.refuses and self.scenario.refuses(turn)
                if refused:
                    self.revoked += self.given if self.scenario.ends else []
                    return refused
                self.refreshed = turn.count
            case "device_code":
                waits = self.devices.setdefault(form.get("device_code", ""), 0)
                self.devices[form["device_code"]] += 1
                pending = self.scenario.pending
                if waits < len(pending):
                    return pending[waits]
                self.alive.append(set())
            case _:
                return error(400, "unsupported_grant_type")
        return self.tokens(turn)

    def tokens(self, turn):
        access, refresh = secrets.token_urlsafe(16), f"rt-{turn.count}-{secrets.token_urlsafe(12)}"
        found = {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": 3600,
            "refresh_token": refresh,
            "scope": "openid profile email offline_access",
        }
        now = int(time.time())
        claims = {
            "iss": self.address,
            "sub": SUBJECT,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 3600,
            "auth_time": now - 60,
            "email": "ada@example.test",
            "at_hash": access_hash(access),
        }
        if turn.nonce:
            claims["nonce"] = turn.nonce
        if turn.count:
            claims["auth_time"] = self.authenticated
        else:
            self.authenticated = claims["auth_time"]
        claims = self.changed("claims", claims, turn)
        if claims is not None:
            found["id_token"] = self.scenario.sign(claims, turn) if self.scenario.sign else FIRST.sign(claims)
        found = self.changed("answer", found, turn)
        # What the answer says is what the service has given.
        if isinstance(found, dict) and found.get("refresh_token"):
            self.given.append(found["refresh_token"])
        self.note(turn, found)
        return said(found)

    def note(self, turn, found):
        """Keeps what an answer gives. A refresh takes the place of the refresh token that it was asked with."""
        given = found if isinstance(found, dict) else content(found)
        tokens = {given[name] for name in ("access_token", "refresh_token") if isinstance(given.get(name), str)}
        if turn.grant == "refresh_token":
            self.end({turn.request.form.get("refresh_token")})
        if not self.alive:
            self.alive.append(set())
        self.alive[-1] |= {token for token in tokens if token}

    def end(self, tokens):
        self.alive = [family - tokens for family in self.alive]

    def userinfo(self, turn):
        return said(self.changed("person", {"sub": SUBJECT, "email": "ada@example.test", "name": "Ada"}, turn))

    def device(self, turn):
        code = secrets.token_urlsafe(12)
        found = {
            "device_code": code,
            "user_code": "ABCD-EFGH",
            "verification_uri": f"{self.folder}/enter",
            "interval": 1,
            "expires_in": 60,
        }
        return said(self.changed("code", found, turn))

    def revoke(self, turn):
        token = turn.request.form.get("token")
        if token in self.given:
            self.revoked += self.given
            # With a refresh token, the whole sign-in is over (RFC 7009, section 2.1).
            self.alive = [set() if token in family else family for family in self.alive]
        self.end({token})
        return Answer(200)


def content(found):
    """The members of an answer that is JSON, or nothing."""
    try:
        members = json.loads(found.body)
    except ValueError:
        return {}
    return members if isinstance(members, dict) else {}


def said(found):
    """An answer as it is, or JSON."""
    return found if isinstance(found, Answer) else answer(found)
