"""Revocation, and userinfo."""

from scenario import Right, Scenario, github, refused, with_members, without
from signing import FIRST
from wire import Answer, answer, error, page, redirect

CORE = "https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation"
RFC = "https://www.rfc-editor.org/rfc/rfc7009#section-2.2"


DONE = Right(0, ("Signed out.",))
TOLD_LATER = Right(0, ("could not be told yet",))
NEVER_TOLD = Right(0, ("cannot be told",))
NOT_ALLOWED = Right(0, ("does not let this client revoke",), never=("tries again",))
# The service knows the token no more, or will never take it: another attempt would bring the same answer.
NOT_AGAIN = Right(0, ("Signed out",), never=("tries again",))


def revoked(name, oddity, report, found, right):
    """Each request to revoke is answered so, and the person reads this."""
    return Scenario(name, oddity, report, instead={"revoke": lambda turn: found}, logout=right)


def nameless(claims, turn):
    """The claims of an ID token that does not say how the person is called, so that userinfo is asked."""
    return {name: value for name, value in claims.items() if name != "email"}


def described(name, oddity, report, found=None, **more):
    instead = {"userinfo": lambda turn: found} if found else {}
    return Scenario(name, oddity, report, claims=nameless, instead=instead, **more)


REVOCATION = [
    Scenario(
        "refused-without-revocation",
        "an ID token has the nonce of another request, and nothing can be revoked",
        CORE,
        document=without("revocation_endpoint"),
        claims=with_members(nonce="another"),
        login=refused(9, "nonce"),
        stays="the service has no revocation endpoint",
    ),
    Scenario(
        "refused-revocation-refused",
        "an ID token has the nonce of another request, and the service revokes no tokens",
        RFC + ".1",
        instead={"revoke": lambda turn: error(400, "unsupported_token_type")},
        claims=with_members(nonce="another"),
        login=refused(9, "nonce"),
        stays="the service refuses to revoke",
    ),
    revoked(
        "revoke-invalid-request",
        "an unknown token is invalid_request",
        "recorded: better-auth 1.7.25, revoke",
        error(400, "invalid_request"),
        NOT_AGAIN,
    ),
    revoked(
        "revoke-invalid-token",
        "the answer is 200 with an error in it",
        "recorded: Keycloak 26.7.3, revoke",
        answer({"error": "invalid_token"}),
        DONE,
    ),
    revoked(
        "revoke-unsupported-type",
        "refresh tokens cannot be revoked",
        RFC + ".1",
        error(400, "unsupported_token_type"),
        NOT_ALLOWED,
    ),
    revoked(
        "revoke-page-200",
        "a page comes with the status 200",
        "recorded: nginx 1.22.1, maintenance page with the status 200",
        page(200),
        TOLD_LATER,
    ),
    revoked("revoke-unavailable", "the answer is 503", RFC + ".1", page(503), TOLD_LATER),
    revoked(
        "revoke-not-found",
        "the answer is 404 with a page",
        github("DuendeArchive/IdentityServer4", 1398),
        page(404),
        TOLD_LATER,
    ),
    revoked(
        "revoke-bad-id",
        "the answer is 404 with a word",
        github("mike4aday/SwiftlySalesforce", 120),
        Answer(404, b"Bad_Id"),
        TOLD_LATER,
    ),
    revoked(
        "revoke-not-allowed",
        "the answer is 405",
        "recorded: nginx 1.22.1, POST to a static file",
        page(405),
        TOLD_LATER,
    ),
    revoked(
        "revoke-empty-401",
        "public clients are answered 401 without a body",
        "recorded: Spring Authorization Server 7.1.2, revoke",
        Answer(401),
        TOLD_LATER,
    ),
    revoked(
        "revoke-client-refused",
        "public clients may not revoke",
        github("DuendeArchive/identity-model-oidc-client-js", 299),
        error(400, "invalid_client"),
        NOT_ALLOWED,
    ),
    revoked(
        "revoke-redirected",
        "the answer is a redirect to the sign-in",
        "recorded: Spring Authorization Server 7.1.2, misc",
        redirect("http://127.0.0.1/login"),
        TOLD_LATER,
    ),
    revoked(
        "revoke-text",
        "the answer is 200 with the text OK",
        github("KickEngineering/KickDevDocs", 94),
        Answer(200, b"OK", [("Content-Type", "text/plain")]),
        DONE,
    ),
    revoked("revoke-204", "the answer is 204", "recorded: nginx 1.22.1, return 204", Answer(204, framing="none"), DONE),
    revoked(
        "revoke-limited",
        "the answer is 429 with Retry-After",
        "recorded: @modelcontextprotocol/sdk 1.32.2, rate limit",
        page(429, Retry_After="60"),
        TOLD_LATER,
    ),
    revoked(
        "revoke-cut",
        "the connection ends without an answer",
        "recorded: HAProxy 2.6.12, silent-drop",
        Answer(raw=b""),
        TOLD_LATER,
    ),
    Scenario(
        "revoke-missing",
        "the service has no revocation endpoint",
        "recorded: Gitea 1.26.0, discovery",
        document=without("revocation_endpoint"),
        logout=NEVER_TOLD,
    ),
]

USERINFO = [
    described(
        "userinfo-plain",
        "the ID token has no name, and userinfo has",
        "https://openid.net/specs/openid-connect-core-1_0.html#UserInfo",
    ),
    Scenario(
        "userinfo-signed",
        "userinfo is signed",
        github("DuendeArchive/identity-model-oidc-client-js", 635),
        claims=nameless,
        instead={
            "userinfo": lambda turn: Answer(
                200,
                FIRST.sign({"sub": "person-1", "iss": turn.issuer.address, "aud": "tool", "name": "Ada"}).encode(),
                [("Content-Type", "application/jwt;charset=utf-8")],
            )
        },
    ),
    described("userinfo-204", "userinfo is empty", "recorded: nginx 1.22.1, return 204", Answer(204, framing="none")),
    described(
        "userinfo-401",
        "userinfo refuses the fresh token",
        "recorded: Keycloak 26.7.3, userinfo",
        Answer(401, b"", [("WWW-Authenticate", 'Bearer error="invalid_token"')]),
    ),
    described(
        "userinfo-403-text",
        "userinfo is answered 403 with text",
        "recorded: Dex ab64ed77, userinfo",
        Answer(403, b"access_denied"),
    ),
    described(
        "userinfo-page", "userinfo is a page that refuses the person", "recorded: Gitea 1.26.0, userinfo", page(200)
    ),
    described(
        "userinfo-unavailable",
        "userinfo is answered 503",
        "recorded: HAProxy 2.6.12, no server is available",
        page(503),
    ),
    described(
        "userinfo-other-person",
        "userinfo speaks of another person",
        "https://github.com/openid-certification/conformance-suite: oidcc-client-test-userinfo-invalid-sub",
        answer({"sub": "person-2"}),
        login=refused(9, "another person"),
    ),
    described(
        "userinfo-subject-number",
        "sub of userinfo is a number",
        github("manfredsteyer/angular-oauth2-oidc", 548),
        answer({"sub": 4711}),
    ),
    described(
        "userinfo-missing",
        "the service has no userinfo endpoint",
        "recorded: @openauthjs/openauth 0.4.3, discovery",
        document=without("userinfo_endpoint"),
    ),
]
