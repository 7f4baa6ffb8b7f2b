"""The proxy SATOSA with its OpenID Connect frontend, for tests on loopback.

Usage: app.py prepare|serve, with the state directory, the port and the lifetime of access tokens in the environment, and the
redirect URI that the client registered. Its state is in memory, so there is nothing to prepare.
"""

import html
import json
import os
import pathlib
import sys
from datetime import datetime, timezone

from satosa.backends.base import BackendModule
from satosa.internal import AuthenticationInformation, InternalData
from satosa.proxy_server import make_app
from satosa.response import Response
from satosa.satosa_config import SATOSAConfig
from werkzeug.serving import run_simple

state = pathlib.Path(os.environ["LATCHKEY_SERVER_STATE"])
port = int(os.environ["LATCHKEY_SERVER_PORT"])
# Its libraries know no issuer without TLS.
base = f"https://127.0.0.1:{port}"
redirect = os.environ["LATCHKEY_SERVER_REDIRECT"]

PEOPLE = ("user1", "user2")


class PasswordBackend(BackendModule):
    """Stands in for the identity provider behind the proxy: a page of its own asks for a name and a password."""

    def __init__(self, callback, attributes, config, base_url, name):
        super().__init__(callback, attributes, base_url, name)

    def start_auth(self, context, internal_request):
        return self.page()

    def page(self):
        action = html.escape(f"{self.base_url}/{self.name}/sign-in")
        return Response(
            f'<!DOCTYPE html><form method="post" action="{action}"><input name="username">'
            '<input type="password" name="password"><button name="decision" value="approve">Sign in</button></form>')

    def sign_in(self, context):
        name = context.request.get("username")
        if name not in PEOPLE or context.request.get("password") != "password":
            return self.page()
        information = AuthenticationInformation(
            auth_class_ref="password", timestamp=str(datetime.now(timezone.utc)), issuer=self.name)
        answer = InternalData(auth_info=information, subject_id=name)
        answer.attributes = {"mail": [f"{name}@example.com"], "name": [name]}
        return self.auth_callback_func(context, answer)

    def register_endpoints(self):
        return [(f"^{self.name}/sign-in$", self.sign_in)]

    def get_metadata_desc(self):
        return []


def configuration():
    """The proxy's settings, and those of its two plugins."""
    (state / "clients.json").write_text(json.dumps({
        "pub1": {
            "redirect_uris": [redirect], "response_types": ["code"], "token_endpoint_auth_method": "none",
            "subject_type": "public", "client_name": "pub1",
        },
        "conf1": {
            "redirect_uris": [redirect], "response_types": ["code"], "client_secret": "s3cr3t",
            "token_endpoint_auth_method": "client_secret_basic", "subject_type": "pairwise",
        },
    }))
    backend = {"module": "app.PasswordBackend", "name": "Password", "config": {}}
    provider = {
        "response_types_supported": ["code"], "scopes_supported": ["openid", "email", "profile"],
        "subject_types_supported": ["public", "pairwise"],
        "access_token_lifetime": int(os.environ["LATCHKEY_SERVER_LIFETIME"]),
        # A threshold above the lifetime gives a new refresh token each time.
        "refresh_token_lifetime": 3600, "refresh_token_threshold": 7200,
    }
    frontend = {
        "module": "satosa.frontends.openid_connect.OpenIDConnectFrontend", "name": "OIDC",
        "config": {
            "signing_key_path": str(state / "signing.key"), "signing_key_id": "1", "sub_hash_salt": "salt",
            "client_db_path": str(state / "clients.json"), "provider": provider,
        },
    }
    return {
        "BASE": base, "COOKIE_STATE_NAME": "satosa", "STATE_ENCRYPTION_KEY": "only for tests on loopback",
        "BACKEND_MODULES": [backend], "FRONTEND_MODULES": [frontend],
        "INTERNAL_ATTRIBUTES": {"attributes": {"mail": {"openid": ["email"]}, "name": {"openid": ["name"]}}},
    }


if __name__ == "__main__" and sys.argv[1] == "serve":
    certificate = (str(state / "cert.pem"), str(state / "signing.key"))
    run_simple("127.0.0.1", port, make_app(SATOSAConfig(configuration())), threaded=True, ssl_context=certificate)
