"""What the authorization server of Authlib keeps, in memory: people, clients, codes and tokens."""

import time

from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin
from authlib.oidc.core import AuthorizationCodeMixin

PEOPLE = {name: {"sub": f"id-of-{name}", "name": name, "email": f"{name}@example.com"} for name in ("user1", "user2")}
PASSWORD = "password"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class Client(ClientMixin):
    """A registered client; without a secret a public one."""

    def __init__(self, name, secret, grants):
        self.client_id, self.secret, self.grants = name, secret, grants
        self.client_metadata = {}

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in ("openid", "profile", "email"))

    def check_redirect_uri(self, redirect_uri):
        # A port of its own for each sign-in, as RFC 8252 wants it.
        host, _, rest = redirect_uri.removeprefix("http://").partition(":")
        return host == "127.0.0.1" and rest.partition("/")[2] == "callback"

    def check_client_secret(self, client_secret):
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method, endpoint):
        return (method == "none") == (self.secret is None)

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.grants


CLIENTS = {
    "pub1": Client("pub1", None, ["authorization_code", "refresh_token"]),
    "dev1": Client("dev1", None, [DEVICE, "refresh_token"]),
    "conf1": Client("conf1", "s3cr3t", ["authorization_code", "refresh_token"]),
}


class Code(AuthorizationCodeMixin):
    """An authorization code, which is good for one minute."""

    def __init__(self, code, request):
        self.code, self.client_id, self.user = code, request.client.client_id, request.user
        self.redirect_uri, self.scope = request.payload.redirect_uri, request.payload.scope
        self.nonce = request.payload.data.get("nonce")
        self.code_challenge = request.payload.data.get("code_challenge")
        self.code_challenge_method = request.payload.data.get("code_challenge_method")
        self.auth_time = int(time.time())

    def is_expired(self):
        return self.auth_time + 60 < time.time()

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class Token(TokenMixin):
    """An access token and the refresh token that came with it."""

    def __init__(self, answer, client_id, user):
        self.client_id, self.user = client_id, user
        self.access_token, self.refresh_token = answer["access_token"], answer.get("refresh_token")
        self.scope, self.expires_in = answer.get("scope", ""), answer["expires_in"]
        self.issued, self.revoked = time.time(), False

    def check_client(self, client):
        return self.client_id == client.client_id

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return self.expires_in

    def is_expired(self):
        return self.issued + self.expires_in < time.time()

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return CLIENTS[self.client_id]
