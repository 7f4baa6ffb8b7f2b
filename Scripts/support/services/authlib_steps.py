"""What a program does with Authlib at the development server, step by step: authlib_steps.py ABOUT.

ABOUT is what dev-server printed. Run by a Python that has Authlib. Prints a line for each step that went otherwise, and last
how many there were.
"""

import http.server
import json
import sys
import threading
import time

from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken, UserInfo
from joserfc import jwt
from joserfc.jwk import KeySet
from person import Person

about = json.loads(sys.argv[1])
issuer, user = about["issuer"], about["users"][0]
secrets = {client["clientId"]: client.get("secret") for client in about["clients"]}
SCOPE = "openid profile email offline_access"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class Went(Exception):
    """A step went otherwise than it must."""


def must(condition, what):
    if not condition:
        raise Went(what)


def refused(code, call, *arguments, **options):
    """Calls what the server has to refuse, with this code."""
    try:
        call(*arguments, **options)
    except OAuthError as error:
        must(error.error == code, f"refused with {error.error}")
    else:
        raise Went("it is not refused")


class Arrival(http.server.BaseHTTPRequestHandler):
    """Where the browser comes back to."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


arrivals = http.server.HTTPServer(("127.0.0.1", 0), Arrival)
threading.Thread(target=arrivals.serve_forever, daemon=True).start()
REDIRECT = f"http://127.0.0.1:{arrivals.server_port}/callback"


def session(client, method=None, **options):
    method = method or ("client_secret_basic" if secrets[client] else "none")
    return OAuth2Session(
        client, secrets[client], token_endpoint_auth_method=method, code_challenge_method="S256", scope=SCOPE,
        redirect_uri=REDIRECT, **options)


class Program:
    """A program with a public client: code with PKCE, ID token, userinfo, refresh, revocation."""

    def __init__(self):
        public = OAuth2Session("dev-native")
        self.about = public.get(issuer + "/.well-known/openid-configuration", withhold_token=True).json()
        self.keys = KeySet.import_key_set(public.get(self.about["jwks_uri"], withhold_token=True).json())

    def enter(self, client, method=None):
        """Signs a person in with a browser: the session, and the nonce that was asked for."""
        auth, verifier, nonce = session(client, method), generate_token(48), generate_token(20)
        address, state = auth.create_authorization_url(
            self.about["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
        person = Person(user["name"], user["password"])
        person.sign_in(address)
        auth.fetch_token(
            self.about["token_endpoint"], authorization_response=person.address, state=state, code_verifier=verifier)
        return auth, nonce

    def check(self, token, client, nonce=None):
        """Verifies an ID token with Authlib's own rules: its claims."""
        parameters = {"client_id": client, "nonce": nonce, "access_token": token["access_token"]}
        decoded = jwt.decode(token["id_token"], self.keys, algorithms=self.about["id_token_signing_alg_values_supported"])
        options = {"iss": {"values": [issuer]}, "aud": {"values": [client]}}
        claims = CodeIDToken(decoded.claims, decoded.header, options, parameters)
        claims.validate()
        return claims

    def code_with_pkce(self):
        self.auth, self.nonce = self.enter("dev-native")
        must(self.auth.token["token_type"].lower() == "bearer", "no bearer token")
        must(set(self.auth.token["scope"].split()) == set(SCOPE.split()), f"scope is {self.auth.token['scope']}")

    def id_token(self):
        claims = self.check(self.auth.token, "dev-native", self.nonce)
        must(claims["email"] == "ada@example.test" and claims["at_hash"], "no e-mail address, or no at_hash")

    def userinfo(self):
        claims = UserInfo(self.auth.get(self.about["userinfo_endpoint"]).json())
        must((claims.sub, claims.given_name) == ("user-ada", "Ada"), f"userinfo says {claims}")

    def refresh(self):
        self.spent = []
        for _ in range(2):
            self.spent.append(self.auth.token["refresh_token"])
            self.auth.refresh_token(self.about["token_endpoint"])
            must(self.auth.token["refresh_token"] not in self.spent, "the refresh token does not rotate")
            self.check(self.auth.token, "dev-native")

    def refreshes_by_itself(self):
        token = {**self.auth.token, "expires_at": int(time.time()) - 10, "expires_in": -10}
        auth = session("dev-native", token=token, token_endpoint=self.about["token_endpoint"])
        must(auth.get(self.about["userinfo_endpoint"]).status_code == 200, "userinfo is refused")
        must(auth.token["refresh_token"] != token["refresh_token"], "it was not refreshed")
        self.auth = auth

    def revocation(self):
        refresh_token = self.auth.token["refresh_token"]
        answer = self.auth.revoke_token(
            self.about["revocation_endpoint"], token=refresh_token, token_type_hint="refresh_token")
        must(answer.status_code == 200, f"the revocation is answered {answer.status_code}")
        refused("invalid_grant", self.auth.refresh_token, self.about["token_endpoint"], refresh_token=refresh_token)

    def reuse_ends_the_family(self):
        auth, _ = self.enter("dev-native")
        first = auth.token["refresh_token"]
        newest = auth.refresh_token(self.about["token_endpoint"])["refresh_token"]
        for token in (first, newest):
            refused("invalid_grant", auth.refresh_token, self.about["token_endpoint"], refresh_token=token)

    def secret_by_basic(self):
        auth, nonce = self.enter("dev-agent")
        self.check(auth.token, "dev-agent", nonce)
        auth.refresh_token(self.about["token_endpoint"])

    def secret_in_body(self):
        auth, _ = self.enter("dev-agent", "client_secret_post")
        auth.refresh_token(self.about["token_endpoint"])

    def wrong_secret_is_refused(self):
        auth = OAuth2Session("dev-agent", "wrong")
        refused("invalid_client", auth.fetch_token, self.about["token_endpoint"], grant_type="client_credentials")

    def client_credentials(self):
        auth = OAuth2Session("dev-service", secrets["dev-service"], token_endpoint_auth_method="client_secret_post")
        token = auth.fetch_token(self.about["token_endpoint"], grant_type="client_credentials", scope="read")
        must(token["scope"] == "read" and "refresh_token" not in token, f"the answer has {sorted(token)}")


class Device:
    """A program without a browser, which Authlib has no client for: RFC 8628 by its session."""

    def __init__(self):
        self.about = Program().about

    def ask(self):
        """Asks for a device code: the session, and the answer."""
        auth = session("dev-device")
        answer = auth.post(
            self.about["device_authorization_endpoint"], data={"client_id": "dev-device", "scope": SCOPE},
            withhold_token=True)
        must(answer.status_code == 200, f"the answer is {answer.status_code}")
        return auth, answer.json()

    def poll(self, auth, code):
        return auth.fetch_token(self.about["token_endpoint"], grant_type=DEVICE, device_code=code)

    def pending_and_slow_down(self):
        auth, code = self.ask()
        refused("authorization_pending", self.poll, auth, code["device_code"])
        refused("slow_down", self.poll, auth, code["device_code"])

    def approved(self):
        auth, code = self.ask()
        Person(user["name"], user["password"]).sign_in(code["verification_uri"], code["user_code"])
        token = self.poll(auth, code["device_code"])
        Program().check(token, "dev-device")
        auth.refresh_token(self.about["token_endpoint"])
        refused("invalid_grant", self.poll, auth, code["device_code"])

    def approved_by_the_complete_address(self):
        auth, code = self.ask()
        Person(user["name"], user["password"]).sign_in(code["verification_uri_complete"])
        must(self.poll(auth, code["device_code"])["refresh_token"], "no refresh token")

    def denied(self):
        auth, code = self.ask()
        Person(user["name"], user["password"], says_yes=False).sign_in(code["verification_uri"], code["user_code"])
        refused("access_denied", self.poll, auth, code["device_code"])

    def unknown_code_is_refused(self):
        refused("invalid_grant", self.poll, session("dev-device"), "unknown")


def main():
    counts, helpers = {"steps": 0, "ok": 0}, {"enter", "check", "ask", "poll"}
    for part in (Program, Device):
        somebody = part()
        for name in [name for name in vars(part) if not name.startswith("_") and name not in helpers]:
            counts["steps"] += 1
            try:
                getattr(somebody, name)()
                counts["ok"] += 1
            except Exception as error:
                print(f"  {part.__name__}.{name}: {type(error).__name__}: {error}")
    print(f"Authlib steps={counts['steps']} ok={counts['ok']}")
    return 0 if counts["ok"] == counts["steps"] else 1


sys.exit(main())
