"""What stands in the ID tokens of sign-ins, and how they are signed."""

import email.utils
import json
import time

from scenario import OWN, Scenario, github, refused, with_members, without
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


def dated(seconds):
    """The answer with a Date that is later by so much than now."""
    return lambda found, turn: found.with_field("Date", email.utils.formatdate(time.time() + seconds, usegmt=True))


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
    ),
    Scenario(
        "clock-ahead",
        "the service's clock is 62 seconds ahead, and it sends no Date",
        "recorded: Keycloak 26.7.3 (start-dev), every answer",
        claims=shifted(62),
    ),
    Scenario(
        "clock-far-behind",
        "the service's clock is two hours behind, and it sends no Date",
        "recorded: mock-oauth2-server 6.0.2, every answer",
        claims=shifted(-7200),
    ),
    Scenario(
        "clock-of-gateway",
        "a gateway writes a Date of its own, two hours ahead, and the service's clock is right",
        OWN,
        sent={"token": dated(7200)},
    ),
    Scenario(
        "clock-told",
        "the service's clock is two hours ahead, and its Date says so",
        github("openid/AppAuth-iOS", 443),
        claims=shifted(7200),
        sent={"token": dated(7200)},
    ),
    Scenario(
        "clock-contradicts-date",
        "the ID token was issued two hours after the Date of its answer",
        CORE + "#IDTokenValidation",
        claims=shifted(7200),
        sent={"token": dated(0)},
        login=refused(9, "clock is"),
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
