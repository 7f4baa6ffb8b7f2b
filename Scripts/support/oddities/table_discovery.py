"""Discovery documents: what stands in them, where they are, and what comes instead."""

import dataclasses
import json

from scenario import Scenario, each, github, refused, with_members, without
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
    listed("end-session-empty", "end_session_endpoint is empty", "TODO end_session empty", end_session_endpoint=""),
    listed("end-session-null", "end_session_endpoint is null", github("auth0/auth0-auth-js", 27), end_session_endpoint=None),
    listed("userinfo-elsewhere-http", "userinfo_endpoint is http at another host, behind a proxy that ends TLS", "TODO userinfo http",
           userinfo_endpoint="http://id.example.test/userinfo"),
    listed("revocation-empty", "revocation_endpoint is empty", "TODO revocation empty", revocation_endpoint=""),
    listed("endpoint-relative", "introspection_endpoint is a path alone", "TODO relative", introspection_endpoint="/introspect"),
    listed("device-endpoint-null", "device_authorization_endpoint is null", "TODO device null",
           device_authorization_endpoint=None),
    listed("lists-as-text", "scopes_supported is a text instead of a list", "TODO scopes text",
           scopes_supported="openid profile email"),
    listed("lists-null", "all lists are null", "TODO lists null", scopes_supported=None,
           token_endpoint_auth_methods_supported=None, code_challenge_methods_supported=None),
    Scenario("lists-missing", "neither algorithms nor subject types are listed", github("keycloak/keycloak", 17197),
             document=without("id_token_signing_alg_values_supported", "subject_types_supported", "scopes_supported")),
    listed("challenge-plain", "only plain challenges are listed, and S256 works", "TODO plain", code_challenge_methods_supported=["plain"]),
    Scenario("no-offline-access", "offline_access is not among the scopes, and refresh tokens come all the same", "TODO offline scope",
             document=with_members(scopes_supported=["openid", "profile", "email"])),
    Scenario("no-keys-address", "jwks_uri is missing", "TODO jwks missing", document=without("jwks_uri"),
             login=refused(8, "key set")),
    Scenario("no-token-endpoint", "token_endpoint is missing", SPEC + "#ProviderMetadata", document=without("token_endpoint"),
             login=refused(9, "token_endpoint")),
    Scenario("document-in-list", "the document is wrapped in a list", github("limosa-io/laravel-openid-connect-server", 30),
             document=lambda found, turn: answer([found]), login=refused(9)),
    Scenario("document-byte-order-mark", "the document begins with a byte order mark", "TODO bom discovery",
             sent=bodily(lambda body: b"\xef\xbb\xbf" + body)),
    Scenario("document-type-text", "the document calls itself text/plain", "TODO discovery type",
             sent={"discovery": lambda found, turn: found.with_field("Content-Type", "text/plain")}),
    Scenario("document-large", "the document has 60,000 characters of claims and scopes", "TODO large discovery",
             document=with_members(claims_supported=[f"claim-{number}-{'a' * 20}" for number in range(2000)])),
    Scenario("issuer-slash-at-service", "the service calls itself with a slash at the end", github("ramosbugs/openidconnect-rs", 77),
             document=lambda found, turn: {**found, "issuer": found["issuer"] + "/"}, login=refused(8, "slash")),
    Scenario("issuer-with-slash-everywhere", "the issuer ends in a slash, and all say so", github("liketrek/TREK", 835, "pull"),
             issuer=lambda base, name: f"{base}/{name}/"),
    Scenario("issuer-other-scheme", "behind a proxy the service calls itself http at an inner host", "TODO inner host",
             document=with_members(issuer="http://keycloak:8080/realms/demo"), login=refused(9, "keycloak:8080")),
    Scenario("issuer-missing", "the document names no issuer", "TODO issuer missing", document=without("issuer"),
             login=refused(9, "issuer")),
    Scenario("issuer-mismatch", "the document names another issuer", SUITE + "oidcc-client-test-discovery-issuer-mismatch",
             document=with_members(issuer="https://other.example.test"), login=refused(9, "other.example.test")),
    Scenario("only-oauth-metadata", "the document is only where RFC 8414 has it", "TODO rfc8414 only",
             instead={"discovery": elsewhere, "metadata": lambda turn: answer_of(turn)}),
    Scenario("page-before-oauth-metadata", "an app's page comes for every unknown address, and the document where RFC 8414 has it",
             "TODO spa fallback", instead={"discovery": lambda turn: page(200), "metadata": lambda turn: answer_of(turn)}),
    Scenario("no-document", "there is no document", "TODO no document",
             instead={"discovery": elsewhere, "metadata": elsewhere}, login=refused(8, "discovery document")),
    Scenario("document-redirected", "the address of the document redirects to another one", "TODO discovery redirect",
             instead={"discovery": lambda turn: redirect(f"{turn.issuer.folder}/moved", 301),
                      "metadata": lambda turn: redirect(f"{turn.issuer.folder}/moved", 301)},
             login=refused(8, "redirect", "/moved")),
    Scenario("document-portal", "the network's portal redirects to its own sign-in", "TODO portal",
             instead={"discovery": lambda turn: redirect("http://10.0.0.1/login?url=x"),
                      "metadata": lambda turn: redirect("http://10.0.0.1/login?url=x")},
             login=refused(4, "network")),
    Scenario("document-portal-page", "the network's portal answers with a page", "TODO portal page",
             instead={"discovery": lambda turn: page(200), "metadata": lambda turn: page(200)}, login=refused(4)),
    Scenario("document-unauthorized", "a proxy answers 401 for the document", "TODO discovery 401",
             instead={"discovery": lambda turn: page(401), "metadata": lambda turn: page(401)},
             login=refused(8, "401")),
    Scenario("document-forbidden", "a firewall answers 403 for the document", "TODO 403 user agent",
             instead={"discovery": lambda turn: page(403), "metadata": lambda turn: page(403)},
             login=refused(8, "403")),
    Scenario("document-needs-agent", "a firewall answers 403 to requests without User-Agent", "TODO no user agent",
             instead={place: lambda turn: None if turn.request.fields.get("user-agent") else page(403)
                      for place in ("discovery", "keys", "token", "revoke")}),
    Scenario("document-unavailable-once", "the first request for the document is answered 503", "TODO discovery 503",
             instead={"discovery": each(page(503))}, login=refused(4, "503")),
    Scenario("document-limited", "the request for the document is answered 429 with Retry-After", "TODO discovery 429",
             instead={"discovery": lambda turn: page(429, Retry_After="120")}, login=refused(4)),
    Scenario("document-cut", "the connection ends in the middle of the document", "TODO discovery cut",
             sent={"discovery": lambda found, turn: Answer(raw=found.bytes()[:300])}, login=refused(4)),
]


def answer_of(turn):
    return turn.issuer.document(turn)
