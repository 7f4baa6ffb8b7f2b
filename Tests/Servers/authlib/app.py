"""An authorization server made with Authlib's own classes, for tests on loopback.

Usage: app.py prepare|serve, with the state directory, the port and the lifetime of access tokens in the environment.
Its state is in memory, so there is nothing to prepare.
"""

import html
import os
import pathlib
import sys
import threading
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oidc.core import OpenIDCode, UserInfo, UserInfoEndpoint
from authlib.oidc.core.grants import OpenIDToken
from flask import Flask, jsonify, redirect, request, session
from joserfc.jwk import KeySet, RSAKey

from models import CLIENTS, DEVICE, PASSWORD, PEOPLE, Code, Token

state = pathlib.Path(os.environ["LATCHKEY_SERVER_STATE"])
port = int(os.environ["LATCHKEY_SERVER_PORT"])
issuer = f"http://127.0.0.1:{port}"
lifetime = int(os.environ["LATCHKEY_SERVER_LIFETIME"])

app = Flask(__name__)
app.config.update(
    SECRET_KEY="only for tests on loopback", OAUTH2_REFRESH_TOKEN_GENERATOR=True,
    OAUTH2_TOKEN_EXPIRES_IN={"authorization_code": lifetime, "refresh_token": lifetime, DEVICE: lifetime})
key = RSAKey.import_key((state / "signing.key").read_text(), {"kid": "1", "use": "sig", "alg": "RS256"})
# Requests come in parallel, and a refresh token is good for one of them.
lock = threading.Lock()
codes, tokens, devices, decisions = {}, [], {}, {}


def save_token(answer, asked):
    tokens.append(Token(answer, asked.client.client_id, asked.user))


def find_token(text):
    return next((token for token in tokens if text in (token.access_token, token.refresh_token)), None)


class Claims:
    """What ID tokens say, by whatever grant they come."""

    def get_client_claims(self, client):
        return {"iss": issuer}

    def get_client_algorithm(self, client):
        return "RS256"

    def get_encode_header(self, client):
        return {"alg": "RS256", "kid": "1"}

    def resolve_client_private_key(self, client):
        return key

    def generate_user_info(self, user, scope):
        return UserInfo(**user).filter(scope)

    def exists_nonce(self, nonce, asked):
        return False


class CodeClaims(Claims, OpenIDCode):
    pass


class OtherClaims(Claims, OpenIDToken):
    pass


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def save_authorization_code(self, code, asked):
        codes[code] = Code(code, asked)

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client_id == client.client_id and not found.is_expired() else None

    def delete_authorization_code(self, authorization_code):
        codes.pop(authorization_code.code, None)

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        found = next((token for token in tokens if token.refresh_token == refresh_token), None)
        return found if found and not found.revoked else None

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        refresh_token.revoked = True


class DeviceGrant(DeviceCodeGrant):
    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return decisions.get(user_code)

    def should_slow_down(self, credential):
        early = time.time() - credential.get("polled", 0) < credential["interval"]
        credential["polled"] = time.time()
        return early


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self):
        return f"{issuer}/device"

    def save_device_credential(self, client_id, scope, data):
        expires = time.time() + data["expires_in"]
        devices[data["device_code"]] = DeviceCredentialDict(client_id=client_id, scope=scope, expires_at=expires, **data)


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def query_token(self, token_string, token_type_hint):
        return find_token(token_string)

    def revoke_token(self, token, asked):
        token.revoked = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return next((token for token in tokens if token.access_token == token_string), None)


class UserInfoAnswer(UserInfoEndpoint):
    def generate_user_info(self, user, scope):
        return UserInfo(**user).filter(scope)


server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save_token)
server.register_grant(CodeGrant, [CodeChallenge(required=True), CodeClaims()])
server.register_grant(RefreshGrant, [OtherClaims()])
server.register_grant(DeviceGrant, [OtherClaims()])
server.register_endpoint(DeviceEndpoint)
server.register_endpoint(Revocation)
protector = ResourceProtector()
protector.register_token_validator(Validator())
server.register_endpoint(UserInfoAnswer(resource_protector=protector))


@app.get("/.well-known/openid-configuration")
def configuration():
    methods = ["client_secret_basic", "client_secret_post", "none"]
    return jsonify(
        issuer=issuer, authorization_endpoint=f"{issuer}/authorize", token_endpoint=f"{issuer}/token",
        userinfo_endpoint=f"{issuer}/userinfo", jwks_uri=f"{issuer}/jwks", revocation_endpoint=f"{issuer}/revoke",
        device_authorization_endpoint=f"{issuer}/device_authorization", response_types_supported=["code"],
        grant_types_supported=["authorization_code", "refresh_token", DEVICE], subject_types_supported=["public"],
        id_token_signing_alg_values_supported=["RS256"], code_challenge_methods_supported=["S256"],
        token_endpoint_auth_methods_supported=methods, revocation_endpoint_auth_methods_supported=methods,
        scopes_supported=["openid", "profile", "email"])


@app.get("/jwks")
def keys():
    return jsonify(KeySet([key]).as_dict(private=False))


def form(*fields):
    """A page with a form that comes back to the same address."""
    return f'<!DOCTYPE html><form method="post">{"".join(fields)}</form>'


def sign_in():
    """The page for the password, or nothing once somebody is signed in."""
    if request.form.get("password") == PASSWORD and request.form.get("username") in PEOPLE:
        session["user"] = request.form["username"]
    if session.get("user") not in PEOPLE:
        return form('<input name="username">', '<input type="password" name="password">', "<button>Sign in</button>")
    return None


def buttons():
    return [f'<button name="decision" value="{value}">{value}</button>' for value in ("approve", "deny")]


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    page = sign_in()
    if page:
        return page
    user = PEOPLE[session["user"]]
    try:
        grant = server.get_consent_grant(end_user=user)
    except OAuth2Error as error:
        return server.handle_error_response(request, error)
    decision = request.form.get("decision")
    if not decision:
        return form(*buttons())
    return server.create_authorization_response(grant=grant, grant_user=user if decision == "approve" else None)


@app.route("/device", methods=["GET", "POST"])
def device():
    page = sign_in()
    if page:
        return page
    code, decision = request.values.get("user_code", ""), request.form.get("decision")
    if not decision:
        return form(f'<input name="user_code" value="{html.escape(code)}">', *buttons())
    if code not in [credential["user_code"] for credential in devices.values()]:
        return "There is no such code.", 404
    decisions[code] = (PEOPLE[session["user"]], decision == "approve")
    return "Thank you."


@app.post("/token")
def token():
    with lock:
        return server.create_token_response()


for path in ("device_authorization", "userinfo"):
    app.add_url_rule(
        f"/{path}", path, lambda path=path: server.create_endpoint_response(path), methods=["GET", "POST"])
app.add_url_rule("/revoke", "revoke", lambda: server.create_endpoint_response("revocation"), methods=["POST"])


@app.get("/")
def home():
    return redirect("/.well-known/openid-configuration")


if __name__ == "__main__" and sys.argv[1] == "serve":
    app.run("127.0.0.1", port, threaded=True)
