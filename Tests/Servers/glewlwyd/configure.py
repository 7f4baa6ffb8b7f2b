"""Gives a fresh Glewlwyd its OpenID Connect plug-in, two clients and a person.

Usage: configure.py BASE STATE REDIRECT PUBLIC LIFETIME
"""

import http.cookiejar
import json
import pathlib
import sys
import urllib.request

base, state, redirect, public = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
lifetime = int(sys.argv[5])
scopes = ["openid", "profile", "email", "offline_access", "api"]
opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
)


def post(path, body):
    """Sends one document to the administration API; any answer but success ends the program."""
    request = urllib.request.Request(
        f"{base}/api{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with opener.open(request, timeout=10) as answer:
        answer.read()


post("/auth/", {"username": "admin", "password": "password"})

for scope in scopes[1:]:
    post("/scope/", {"name": scope, "display_name": scope, "description": scope, "password_required": False, "scheme": {}})

tokens = {
    "jwt-type": "rsa",
    "jwt-key-size": "256",
    "key": (state / "signing.key").read_text(),
    "cert": (state / "signing.pub").read_text(),
    "jwks-show": True,
    "default-kid": "",
    "access-token-duration": lifetime,
    "refresh-token-duration": 86400,
    "code-duration": 600,
    "refresh-token-rolling": True,
    # Using a refresh token twice ends the whole family.
    "refresh-token-one-use": "always",
    "subject-type": "public",
    "name-claim": "on-demand",
    "email-claim": "on-demand",
}
flows = {
    "allow-non-oidc": True,
    "auth-type-code-enabled": True,
    "auth-type-code-revoke-replayed": True,
    "auth-type-token-enabled": False,
    "auth-type-id-token-enabled": False,
    "auth-type-none-enabled": True,
    "auth-type-password-enabled": False,
    "auth-type-client-enabled": True,
    "auth-type-device-enabled": True,
    "auth-type-refresh-enabled": True,
    "device-authorization-expiration": 600,
    "device-authorization-interval": 5,
    "pkce-allowed": True,
    "pkce-method-plain-allowed": False,
    "pkce-required": True,
    "pkce-required-public-client": True,
    "introspection-revocation-allowed": True,
    "introspection-revocation-allow-target-client": True,
    "oauth-as-iss-id": True,
}
pushed_and_bound = {
    "oauth-par-allowed": True,
    "oauth-par-required": False,
    "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
    "oauth-par-duration": 90,
    "oauth-dpop-allowed": True,
    "oauth-dpop-iat-duration": 60,
    "oauth-dpop-iat-gap-duration": 10,
    "request-parameter-allow": True,
    "request-parameter-ietf-strict": True,
    "request-uri-allow-https-non-secure": False,
}
rest = {
    "iss": f"{public}/api/oidc",
    "allowed-scope": scopes,
    "service-documentation": public,
    "client-pubkey-parameter": "pubkey",
    "client-jwks-parameter": "jwks",
    "client-jwks_uri-parameter": "jwks_uri",
    "session-management-allowed": False,
    "back-channel-logout-allowed": False,
}
post(
    "/mod/plugin/",
    {
        "module": "oidc",
        "name": "oidc",
        "display_name": "OpenID Connect",
        "enabled": True,
        "parameters": {**tokens, **flows, **pushed_and_bound, **rest},
    },
)

post(
    "/user/",
    {
        "username": "user1",
        "password": "password",
        "name": "User One",
        "email": "user1@example.com",
        "enabled": True,
        "scope": ["g_profile", *scopes],
    },
)

public = {
    "client_id": "pub1",
    "client_name": "Notes",
    "confidential": False,
    "enabled": True,
    "redirect_uri": [redirect],
    "authorization_type": ["code", "refresh_token", "device_authorization"],
    "scope": [],
    "token_endpoint_auth_method": ["none"],
}
confidential = {
    **public,
    "client_id": "conf1",
    "client_name": "Notes service",
    "client_secret": "s3cr3t-conf1",
    "confidential": True,
    "authorization_type": ["code", "refresh_token", "client_credentials", "device_authorization"],
    "scope": ["api"],
    "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"],
}
for client in (public, confidential):
    post("/client/", client)
