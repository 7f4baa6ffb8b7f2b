"""The OpenID Foundation's tests for clients, one by one."""

from checks import (
    BROWSER_TOKENS,
    NO_WEB_LOGOUT,
    at_other_address,
    basic_only,
    bearer_header,
    claims,
    just_rotated,
    keys_last,
    keys_there,
    leaves,
    passes,
    played,
    refuses,
    rotated,
    signed_person,
    spoilt,
    twice,
    watched,
    with_rotated,
)
from scenario import Right, on_refresh, refused, with_members, without
from signing import CURVE, FIRST, SECOND
from table_sign_outs import nameless
from wire import Answer

CHECKS = [
    passes("", "signs in with a code, checks the ID token, and asks userinfo", asks=Right(0, ("Ada",))),
    refuses("nonce-invalid", "rejects an ID token with another nonce", "nonce", **claims(nonce="other")),
    leaves("nonce-unless-code-flow", "sends a nonce in the implicit and hybrid flows", BROWSER_TOKENS),
    passes("client-secret-basic", "sends its secret by HTTP Basic", secret="secret-1", instead={"token": basic_only}),
    passes(
        "scope-userinfo-claims",
        "asks for claims by scopes, and reads them from userinfo",
        words=("--scope", "openid", "--scope", "address", "--scope", "phone"),
        claims=nameless,
        person=with_members(phone_number="+1 555 0100", address={"country": "SE"}),
        asks=Right(0, ("+1 555 0100", "SE")),
    ),
    passes(
        "kid-absent-single-jwks",
        "takes the only key if the ID token names none",
        keys=lambda found, turn: {"keys": [FIRST.public(kid=None)]},
        sign=lambda payload, turn: FIRST.sign(payload, kid=None),
    ),
    passes(
        "kid-absent-multiple-jwks",
        "tries each key, or rejects, if the ID token names none of several",
        keys=lambda found, turn: {"keys": [SECOND.public(kid=None), FIRST.public(kid=None)]},
        sign=lambda payload, turn: FIRST.sign(payload, kid=None),
    ),
    passes(
        "ignores-unparseable-key-in-jwks",
        "passes over keys that it cannot read",
        keys=lambda found, turn: {
            "keys": [
                {"kty": "AKP", "kid": "pq", "alg": "ML-DSA-00", "pub": "AAAA"},
                {"kty": "MADE-UP", "kid": "new", "x": "AAAA"},
                FIRST.public(),
            ]
        },
    ),
    refuses("missing-iat", "rejects an ID token without iat", "iat", claims=without("iat")),
    refuses("missing-aud", "rejects an ID token without aud", "aud", claims=without("aud")),
    refuses("invalid-aud", "rejects an ID token for another client", "another client", **claims(aud="other")),
    refuses("missing-sub", "rejects an ID token without sub", "sub", claims=without("sub")),
    refuses(
        "invalid-iss", "rejects an ID token of another issuer", "issuer", **claims(iss="https://other.example.test")
    ),
    passes("idtoken-sig-rs256", "checks a signature with RS256"),
    leaves(
        "idtoken-sig-none",
        "takes an unsigned ID token, if it is registered for that",
        "never takes an unsigned ID token (`Scripts/verify services` plays it: `unsigned`)",
    ),
    refuses("invalid-sig-rs256", "rejects a wrong signature with RS256", "signature", sign=spoilt(FIRST)),
    refuses(
        "invalid-sig-es256",
        "rejects a wrong signature with ES256",
        "signature",
        keys=lambda found, turn: {"keys": [CURVE.public()]},
        sign=spoilt(CURVE),
    ),
    refuses("invalid-sig-hs256", "rejects a wrong signature with HS256", sign=spoilt(FIRST, alg="HS256", kid=None)),
    leaves(
        "invalid-athash",
        "rejects a wrong at_hash that came by the browser",
        BROWSER_TOKENS + "; one from the token endpoint is rejected (`access-hash-wrong`)",
    ),
    leaves("missing-athash", "rejects an ID token without at_hash that came by the browser", BROWSER_TOKENS),
    leaves("invalid-chash", "rejects a wrong c_hash", BROWSER_TOKENS),
    leaves("missing-chash", "rejects an ID token without c_hash", BROWSER_TOKENS),
    leaves("form-post-error", "reads an error that comes as a posted form", "never asks for `response_mode=form_post`"),
    refuses(
        "userinfo-invalid-sub",
        "rejects userinfo of another person",
        "another person",
        claims=nameless,
        person=with_members(sub="person-2"),
    ),
    passes(
        "userinfo-bearer-header",
        "sends the access token to userinfo in the field Authorization",
        instead={"userinfo": watched},
        asks=Right(0, ("Ada",)),
        seen=bearer_header,
    ),
    leaves(
        "userinfo-bearer-body",
        "sends the access token to userinfo in a form",
        "sends it in the field Authorization, which the test before takes as the other choice",
    ),
    passes(
        "userinfo-signed",
        "checks a signed userinfo answer",
        instead={"userinfo": signed_person},
        asks=Right(0, ("Ada",)),
    ),
    leaves(
        "aggregated-claims",
        "reads claims that another party signed",
        "resolves no claims of other parties; a sign-in with them works",
    ),
    leaves(
        "distributed-claims",
        "fetches claims from another party",
        "resolves no claims of other parties; a sign-in with them works",
    ),
    passes(
        "discovery-openid-config",
        "reads the provider's configuration",
        seen=lambda issuer: None if issuer.count("discovery") else "the document was not fetched",
    ),
    passes(
        "discovery-jwks-uri-keys",
        "fetches the keys from the address in the configuration when it has a token to check",
        document=at_other_address,
        instead={"keys": lambda turn: Answer(404), f"jwks-{'x' * 10}": keys_there},
        seen=keys_last,
    ),
    refuses(
        "discovery-issuer-mismatch",
        "rejects a configuration that names another issuer",
        "other.example.test",
        document=with_members(issuer="https://other.example.test"),
    ),
    leaves("discovery-webfinger-acct", "finds the issuer by WebFinger from an account", "is told the issuer"),
    leaves("discovery-webfinger-url", "finds the issuer by WebFinger from a URL", "is told the issuer"),
    leaves("dynamic-registration", "registers itself as a client", "is told the client's ID"),
    leaves("request-uri-signed-none", "passes its request by reference, unsigned", "sends its request as a query"),
    leaves("request-uri-signed-rs256", "passes its request by reference, signed", "sends its request as a query"),
    leaves("mtls-endpoint-aliases", "uses the endpoints for clients with certificates", "has no client certificates"),
    passes(
        "signing-key-rotation",
        "fetches the keys anew for a second sign-in after the key was replaced",
        keys=rotated,
        sign=with_rotated,
        logins=2,
    ),
    passes(
        "signing-key-rotation-just-before-signing",
        "fetches the keys when it has a token to check, since they may be replaced until then",
        keys=just_rotated,
        sign=lambda payload, turn: SECOND.sign(payload, kid="first"),
        seen=keys_last,
    ),
    passes("refresh-token", "refreshes, and checks the new ID token"),
    played(
        "refresh-token-invalid-issuer",
        "rejects an ID token of another issuer in a refresh",
        "refused",
        claims=on_refresh(with_members(iss="https://other.example.test")),
        refreshes=twice(refused(9, "issuer")),
    ),
    played(
        "refresh-token-invalid-sub",
        "rejects an ID token of another person in a refresh",
        "refused",
        claims=on_refresh(with_members(sub="person-2")),
        refreshes=twice(refused(9, "another person")),
    ),
    played(
        "refresh-token-invalid-aud",
        "rejects an ID token for another client in a refresh",
        "refused",
        claims=on_refresh(with_members(aud="other")),
        refreshes=twice(refused(9, "another client")),
    ),
    played(
        "refresh-token-invalid-azp",
        "rejects an azp in a refresh that the first ID token did not have",
        "refused",
        claims=on_refresh(with_members(azp="other")),
        refreshes=twice(refused(9, "azp")),
    ),
    leaves(
        "3rd-party-init-login",
        "starts a sign-in when another site asks for it",
        NO_WEB_LOGOUT.replace("ends a session by revocation, and ", ""),
    ),
    leaves("rp-init-logout", "sends the browser to the provider's sign-out page", NO_WEB_LOGOUT),
    leaves("rp-init-logout-no-state", "takes the return from that page without state", NO_WEB_LOGOUT),
    leaves("rp-init-logout-other-state", "rejects the return from that page with another state", NO_WEB_LOGOUT),
    *[
        leaves(
            f"rp-backchannel-rpinitlogout{tail}", f"{verb} a logout token that the provider sends{what}", NO_WEB_LOGOUT
        )
        for tail, verb, what in [
            ("", "takes", ""),
            ("-alg-none", "rejects", ", unsigned"),
            ("-no-event", "rejects", ", without the event"),
            ("-with-nonce", "rejects", ", with a nonce"),
            ("-wrong-alg", "rejects", ", with another algorithm"),
            ("-wrong-aud", "rejects", ", for another client"),
            ("-wrong-event", "rejects", ", with another event"),
            ("-wrong-iss", "rejects", ", of another issuer"),
        ]
    ],
    leaves("rp-frontchannel-rpinitlogout", "signs out when the provider loads its page in a frame", NO_WEB_LOGOUT),
    leaves("rp-frontchannel-opinitlogout", "signs out when the provider ends the session by itself", NO_WEB_LOGOUT),
    leaves("session-management", "watches the provider's session in a frame", NO_WEB_LOGOUT),
]
