"""What stands in the ID tokens of sign-ins, and how they are signed."""

import json

from scenario import Scenario, github, refused, with_members, without
from signing import CURVE, FIRST, encoded

SUITE = "https://github.com/openid-certification/conformance-suite: "
CORE = "https://openid.net/specs/openid-connect-core-1_0.html"


def claimed(name, oddity, report, **members):
    return Scenario(name, oddity, report, claims=with_members(**members))


def denied(name, oddity, report, *words, **members):
    return Scenario(name, oddity, report, claims=with_members(**members), login=refused(9, *words))


def shifted(seconds):
    """All times of the token, later by so much."""
    return lambda claims, turn: {**claims, "iat": claims["iat"] + seconds, "exp": claims["exp"] + seconds}


def unsigned(claims, turn):
    return f"{encoded({'alg': 'none'})}.{encoded(claims)}."


def headed(**header):
    return lambda claims, turn: FIRST.sign(claims, **header)


ID_TOKENS = [
    claimed("audience-list-of-one", "aud is a list of one", CORE + "#IDToken", aud=["tool"]),
    denied(
        "audience-more",
        "aud names a project beside the client",
        github("zitadel/zitadel", 9200),
        "trusted audiences",
        aud=["tool", "274929380143562755"],
        azp="tool",
    ),
    Scenario(
        "audience-more-trusted",
        "aud names a project beside the client, and the person trusts it",
        github("rustdesk/rustdesk-server-pro", 937),
        words=("--trust-audience", "274929380143562755"),
        claims=with_members(aud=["tool", "274929380143562755"], azp="tool"),
    ),
    denied("authorized-party-other", "azp names another client", CORE + "#IDTokenValidation", "azp", azp="other"),
    claimed(
        "mail-verified-text",
        "email_verified is the text true",
        github("pomerium/pomerium", 792, "pull"),
        email_verified="true",
    ),
    Scenario(
        "clock-far-ahead",
        "the service's clock is two hours ahead, and it sends no Date",
        github("openid/AppAuth-iOS", 443),
        claims=shifted(7200),
        login=refused(9, "clock"),
    ),
    Scenario(
        "access-hash-missing",
        "at_hash is missing",
        SUITE + "oidcc-client-test-missing-athash",
        claims=without("at_hash"),
    ),
    denied(
        "access-hash-wrong",
        "at_hash belongs to another token",
        SUITE + "oidcc-client-test-invalid-athash",
        "at_hash",
        at_hash="AAAAAAAAAAAAAAAAAAAAAA",
    ),
    denied("subject-number", "sub is a number", github("LemmyNet/lemmy", 3417), "sub", sub=4711),
    denied("subject-long", "sub has 300 characters", CORE + "#IDToken", "sub", sub="a" * 300),
    Scenario(
        "claim-twice",
        "the member address stands twice",
        github("keycloak/keycloak", 19808),
        claims=lambda claims, turn: (json.dumps(claims)[:-1] + ', "address": {}, "address": {}}').encode(),
        login=refused(9, "address"),
    ),
    Scenario(
        "unsigned",
        "the token is not signed",
        SUITE + "oidcc-client-test-idtoken-sig-none",
        sign=unsigned,
        login=refused(9),
    ),
    Scenario(
        "header-without-kid",
        "the header names no key, and there is one",
        SUITE + "oidcc-client-test-kid-absent-single-jwks",
        sign=headed(kid=None),
    ),
    Scenario(
        "header-kind-access",
        "typ of the header is at+jwt",
        "https://www.rfc-editor.org/rfc/rfc9068#section-2.1",
        sign=headed(typ="at+jwt"),
        login=refused(9),
    ),
    Scenario(
        "signed-with-curve",
        "the token is signed with ES256, and an RSA key is published beside",
        github("spring-attic/spring-security-oauth", 1213),
        keys=lambda found, turn: {"keys": [FIRST.public(), CURVE.public()]},
        sign=lambda claims, turn: CURVE.sign(claims),
    ),
]
