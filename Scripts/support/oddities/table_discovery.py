"""Discovery documents: what stands in them, where they are, and what comes instead."""

import dataclasses

from scenario import OWN, Scenario, each, github, refused, with_members, without
from wire import Answer, answer, page, redirect

SUITE = "https://github.com/openid-certification/conformance-suite: "
SPEC = "https://openid.net/specs/openid-connect-discovery-1_0.html"


def listed(name, oddity, report, **members):
    return Scenario(name, oddity, report, document=with_members(**members))


def other_host(base, name):
    """The issuer, with the host in capital letters."""
    return f"{base.replace('127.0.0.1', 'LOCALHOST')}/{name}"


def bodily(change):
    return {"discovery": lambda found, turn: dataclasses.replace(found, body=change(found.body))}


def elsewhere(turn):
    """The document only where RFC 8414 has it."""
    return page(404)


DISCOVERY = [
    listed("end-session-empty", "end_session_endpoint is empty", OWN, end_session_endpoint=""),
    listed(
        "end-session-null", "end_session_endpoint is null", github("auth0/auth0-auth-js", 27), end_session_endpoint=None
    ),
    listed(
        "userinfo-elsewhere-http",
        "userinfo_endpoint is http at another host, behind a proxy that ends TLS",
        github("DuendeArchive/IdentityServer4", 3966),
        userinfo_endpoint="http://id.example.test/userinfo",
    ),
    listed("revocation-empty", "revocation_endpoint is empty", OWN, revocation_endpoint=""),
    listed(
        "endpoint-relative", "registration_endpoint is a slash", github("ory/hydra", 1448), registration_endpoint="/"
    ),
    Scenario(
        "lists-missing",
        "neither algorithms nor subject types are listed",
        github("keycloak/keycloak", 17197),
        document=without("id_token_signing_alg_values_supported", "subject_types_supported", "scopes_supported"),
    ),
    Scenario(
        "no-token-endpoint",
        "token_endpoint is missing",
        SPEC + "#ProviderMetadata",
        document=without("token_endpoint"),
        login=refused(9, "token_endpoint"),
    ),
    Scenario(
        "document-in-list",
        "the document is wrapped in a list",
        github("limosa-io/laravel-openid-connect-server", 30),
        document=lambda found, turn: answer([found]),
        login=refused(4),
    ),
    Scenario(
        "document-byte-order-mark",
        "the document begins with a byte order mark",
        OWN,
        sent=bodily(lambda body: b"\xef\xbb\xbf" + body),
    ),
    Scenario(
        "issuer-slash-at-service",
        "the service calls itself with a slash at the end",
        github("ramosbugs/openidconnect-rs", 77),
        document=lambda found, turn: {**found, "issuer": found["issuer"] + "/"},
        login=refused(8, "slash"),
    ),
    Scenario(
        "issuer-with-slash-everywhere",
        "the issuer ends in a slash, and all say so",
        github("liketrek/TREK", 835, "pull"),
        issuer=lambda base, name: f"{base}/{name}/",
    ),
    Scenario(
        "issuer-capitals",
        "the host of the issuer has capital letters, in the document and the ID token too",
        github("modelcontextprotocol/python-sdk", 3398, "pull"),
        issuer=other_host,
    ),
    Scenario(
        "issuer-other-scheme",
        "behind a proxy the service calls itself http at an inner host",
        github("keycloak/keycloak", 11130),
        document=with_members(issuer="http://keycloak:8080/realms/demo"),
        login=refused(9, "keycloak:8080"),
    ),
    Scenario(
        "issuer-mismatch",
        "the document names another issuer",
        SUITE + "oidcc-client-test-discovery-issuer-mismatch",
        document=with_members(issuer="https://other.example.test"),
        login=refused(9, "other.example.test"),
    ),
    Scenario(
        "only-oauth-metadata",
        "the document is only where RFC 8414 has it",
        OWN,
        instead={"discovery": elsewhere, "metadata": lambda turn: answer_of(turn)},
    ),
    Scenario(
        "page-before-oauth-metadata",
        "an app's page comes for every unknown address, and the document where RFC 8414 has it",
        github("surrealdb/docs.surrealdb.com", 1927, "pull"),
        instead={"discovery": lambda turn: page(200), "metadata": lambda turn: answer_of(turn)},
    ),
    Scenario(
        "no-document",
        "there is no document",
        github("DuendeArchive/IdentityModel.OidcClient", 66),
        instead={"discovery": elsewhere, "metadata": elsewhere},
        login=refused(8, "discovery document"),
    ),
    Scenario(
        "document-redirected",
        "the address of the document redirects to another one",
        github("BookStackApp/BookStack", 4451),
        instead={
            "discovery": lambda turn: redirect(f"{turn.issuer.folder}/moved", 301),
            "metadata": lambda turn: redirect(f"{turn.issuer.folder}/moved", 301),
        },
        login=refused(4, "another address", "301"),
    ),
    Scenario(
        "document-portal",
        "the network's portal redirects to its own sign-in",
        "recorded: Squid 5.7, deny_info leads to a portal",
        instead={
            "discovery": lambda turn: redirect("http://10.0.0.1/login?url=x"),
            "metadata": lambda turn: redirect("http://10.0.0.1/login?url=x"),
        },
        login=refused(4, "network"),
    ),
    Scenario(
        "document-portal-page",
        "the network's portal answers with a page",
        "recorded: HAProxy 2.6.12, deny_status 200",
        instead={"discovery": lambda turn: page(200), "metadata": lambda turn: page(200)},
        login=refused(4),
    ),
    Scenario(
        "document-unauthorized",
        "a proxy answers 401 for the document",
        "recorded: nginx 1.22.1, auth_basic",
        instead={"discovery": lambda turn: page(401), "metadata": lambda turn: page(401)},
        login=refused(4, "401"),
    ),
    Scenario(
        "document-forbidden",
        "a firewall answers 403 for the document",
        github("modelcontextprotocol/python-sdk", 3531),
        instead={"discovery": lambda turn: page(403), "metadata": lambda turn: page(403)},
        login=refused(4, "403"),
    ),
    Scenario(
        "document-needs-agent",
        "a firewall answers 403 to requests without User-Agent",
        github("govuk-one-login/tech-docs", 404, "pull"),
        instead={
            place: lambda turn: None if turn.request.fields.get("user-agent") else page(403)
            for place in ("discovery", "keys", "token", "revoke")
        },
    ),
    Scenario(
        "document-unavailable-once",
        "the first request for the document is answered 503",
        "recorded: HAProxy 2.6.12, no server is available",
        instead={"discovery": each(page(503))},
        login=refused(4, "503"),
    ),
    Scenario(
        "document-limited",
        "the request for the document is answered 429 with Retry-After",
        "recorded: Koa 3.3.0, koa-ratelimit",
        instead={"discovery": lambda turn: page(429, Retry_After="120")},
        login=refused(4),
    ),
    Scenario(
        "document-cut",
        "the connection ends in the middle of the document",
        "recorded: Varnish 7.1.1, backend cut in the middle",
        sent={"discovery": lambda found, turn: Answer(raw=found.bytes()[:300])},
        login=refused(4),
    ),
]


def answer_of(turn):
    return turn.issuer.document(turn)
