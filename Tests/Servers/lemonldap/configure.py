"""Writes the configuration of a LemonLDAP::NG that is an OpenID provider for two clients.

Usage: configure.py ISSUER STATE REDIRECT LIFETIME
"""

import json
import pathlib
import sys

issuer, state, redirect, lifetime = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])


def sessions(folder):
    """Sessions as files in a folder, one each, named by its id."""
    return {
        "Directory": str(state / folder),
        "LockDirectory": str(state / folder / "lock"),
        "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256",
    }


def client(name, **more):
    """A client that nobody has to consent to."""
    options = {
        "ClientID": name,
        "AllowOffline": 1,
        "BypassConsent": 1,
        "RedirectUris": redirect,
        "IDTokenSignAlg": "RS256",
        "AccessTokenExpiration": lifetime,
        "UserIDAttr": "uid",
        **more,
    }
    return {f"oidcRPMetaDataOptions{key}": value for key, value in options.items()}


clients = {
    "pub1": client("pub1", Public=1, RequirePKCE=1),
    "conf1": client("conf1", ClientSecret="s3cr3t-conf1"),
}
configuration = {
    "cfgNum": 1,
    "cfgAuthor": "tests",
    "cfgDate": "1",
    "cfgVersion": "2.16.1",
    "portal": issuer,
    "domain": "127.0.0.1",
    "cookieName": "lemonldap",
    "securedCookie": 0,
    # Its own accounts, each with its name for a password.
    "authentication": "Demo",
    "userDB": "Same",
    "passwordDB": "Null",
    "registerDB": "Null",
    "demoExportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"},
    "whatToTrace": "uid",
    "locationRules": {"127.0.0.1": {"default": "accept"}},
    "portalDisplayRegister": 0,
    "portalDisplayResetPassword": 0,
    "loginHistoryEnabled": 0,
    # Forms without a token. A captcha is drawn by ImageMagick, and nobody asks for one: this module draws none.
    "requireToken": 0,
    "captcha": "Lemonldap::NG::Common::Module",
    "globalStorage": "Apache::Session::File",
    "globalStorageOptions": sessions("sessions"),
    "persistentStorage": "Apache::Session::File",
    "persistentStorageOptions": sessions("people"),
    "localSessionStorage": "Cache::FileCache",
    "localSessionStorageOptions": {"namespace": "sessions", "cache_root": str(state / "cache"), "default_expires_in": 600},
    "issuerDBOpenIDConnectActivation": 1,
    "issuerDBOpenIDConnectRule": "1",
    "oidcServicePrivateKeySig": (state / "signing.key").read_text(),
    "oidcServicePublicKeySig": (state / "signing.pub").read_text(),
    "oidcServiceKeyIdSig": "signing",
    "oidcServiceAllowAuthorizationCodeFlow": 1,
    "oidcRPMetaDataOptions": clients,
    "oidcRPMetaDataExportedVars": {name: {"email": "mail", "name": "cn"} for name in clients},
}
(state / "conf" / "lmConf-1.json").write_text(json.dumps(configuration, indent=1))
