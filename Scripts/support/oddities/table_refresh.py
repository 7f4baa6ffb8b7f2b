"""What services answer to refreshes: ID tokens that disagree with the first one, and rotation."""

import json
import time

from scenario import OWN, Scenario, both, github, on_refresh, refused, with_members, without
from signing import FIRST, SECOND
from table_id_tokens import unsigned

CORE = "https://openid.net/specs/openid-connect-core-1_0.html"
SUITE = "https://github.com/openid-certification/conformance-suite"


def twice(claims, turn):
    """A payload in which `address` stands twice."""
    text = json.dumps({**claims, "address": {"country": "SE"}})
    return (text[:-1] + ', "address": {"country": "SE"}}').encode()


def from_first(claims, turn):
    """The claims of the first ID token, which ended long ago."""
    return {**claims, "iat": claims["iat"] - 7200, "exp": claims["exp"] - 7200}


def nonce_again(claims, turn):
    turn.issuer.nonce = claims.get("nonce") or turn.issuer.nonce
    return {**claims, "nonce": turn.issuer.nonce}


REFRESH = [
    Scenario(
        "refresh-auth-time-moved",
        "auth_time of the ID token is the time of the refresh",
        github("authts/oidc-client-ts", 2107),
        claims=on_refresh(lambda claims, turn: {**claims, "auth_time": int(time.time())}),
    ),
    Scenario(
        "refresh-claim-twice",
        "the ID token of a refresh has the member address twice",
        github("keycloak/keycloak", 45423, "pull"),
        claims=on_refresh(twice),
    ),
    Scenario(
        "refresh-audience-grew",
        "the audience of the ID token becomes a list with an API in it",
        CORE + "#RefreshTokenResponse",
        claims=on_refresh(lambda claims, turn: {**claims, "aud": ["tool", "https://api.example.test"], "azp": "tool"}),
    ),
    Scenario(
        "refresh-other-nonce",
        "the ID token of a refresh has a nonce of its own",
        github("damienbod/angular-auth-oidc-client", 1618),
        claims=on_refresh(with_members(nonce="another")),
    ),
    Scenario(
        "refresh-nonce-repeated",
        "the ID token of a refresh has the nonce of the sign-in",
        github("okta/okta-mobile-kotlin", 252),
        claims=nonce_again,
    ),
    Scenario(
        "refresh-bad-signature",
        "after a rotation the ID token is signed with another key of the same kid",
        github("navikt/mock-oauth2-server", 947),
        sign=lambda claims, turn: SECOND.sign(claims, kid="first") if turn.count else FIRST.sign(claims),
    ),
    Scenario(
        "refresh-key-under-old-name",
        "after a rotation the ID token is signed with the new key under the kid of the old one, and both are published",
        "reported to this project: Ory Hydra, after a rotated key",
        keys=lambda found, turn: {"keys": [FIRST.public(), SECOND.public()]},
        sign=lambda claims, turn: SECOND.sign(claims, kid="first") if turn.count else FIRST.sign(claims),
    ),
    Scenario(
        "refresh-bad-signature-other-subject",
        "the ID token of a refresh has a wrong signature, and speaks of another person",
        OWN,
        sign=lambda claims, turn: SECOND.sign(claims, kid="first") if turn.count else FIRST.sign(claims),
        claims=on_refresh(with_members(sub="person-2")),
        refreshes=both(refused(9, "another person")),
    ),
    Scenario(
        "refresh-unsigned",
        "the ID token of a refresh is not signed",
        OWN,
        sign=lambda claims, turn: unsigned(claims, turn) if turn.count else FIRST.sign(claims),
    ),
    Scenario(
        "refresh-key-unknown",
        "the ID token of a refresh is signed with a key that is not published yet",
        SUITE + ": oidcc-client-test-signing-key-rotation",
        sign=lambda claims, turn: SECOND.sign(claims) if turn.count else FIRST.sign(claims),
    ),
    Scenario(
        "refresh-id-token-expired",
        "a refresh brings the first ID token again, which has ended",
        github("aws-amplify/amplify-js", 5917),
        claims=on_refresh(from_first),
    ),
    Scenario(
        "refresh-other-subject",
        "the ID token of a refresh speaks of another person",
        SUITE + ": oidcc-client-test-refresh-token-invalid-sub",
        claims=on_refresh(with_members(sub="person-2")),
        refreshes=both(refused(9, "another person")),
    ),
    Scenario(
        "refresh-other-issuer",
        "the ID token of a refresh comes from another issuer",
        SUITE + ": oidcc-client-test-refresh-token-invalid-issuer",
        claims=on_refresh(with_members(iss="https://other.example.test")),
        refreshes=both(refused(9, "issuer")),
    ),
    Scenario(
        "refresh-other-audience",
        "the ID token of a refresh is for another client",
        SUITE + ": oidcc-client-test-refresh-token-invalid-aud",
        claims=on_refresh(with_members(aud="other")),
        refreshes=both(refused(9, "another client")),
    ),
    Scenario(
        "refresh-access-hash-stale",
        "at_hash belongs to the access token of the sign-in",
        "Tests/EndToEndTests/Servers/DjangoTests.swift: django-oauth-toolkit within its grace time",
        claims=on_refresh(with_members(at_hash="AAAAAAAAAAAAAAAAAAAAAA")),
        # A service with a grace period is declared by its refresh rule; of any other, the access token is not used.
        refreshes=both(refused(9, "at_hash")),
    ),
    Scenario(
        "refresh-without-id-token",
        "only the sign-in brings an ID token",
        CORE + "#RefreshTokenResponse",
        claims=on_refresh(lambda claims, turn: None),
    ),
    Scenario(
        "refresh-id-token-empty",
        "a refresh brings an empty id_token",
        github("aws-amplify/amplify-js", 5917),
        answer=on_refresh(with_members(id_token="")),
    ),
    Scenario(
        "refresh-without-rotation",
        "a refresh brings no refresh token, and the first one stays good",
        github("frappe/frappe", 26266, "pull"),
        answer=on_refresh(without("refresh_token")),
    ),
    Scenario(
        "refresh-token-empty",
        "a refresh brings an empty refresh token, and the first one stays good",
        github("diegosouzapw/OmniRoute", 5214, "pull"),
        answer=on_refresh(with_members(refresh_token="")),
    ),
    Scenario(
        "refresh-token-null",
        "a refresh brings the refresh token null, and the first one stays good",
        github("calcom/cal.diy", 7764, "pull"),
        answer=on_refresh(with_members(refresh_token=None)),
    ),
    Scenario(
        "refresh-token-stays",
        "each refresh brings the same refresh token",
        "recorded: oauth2-proxy/mockoidc e06ed0b7cb7f, refresh",
        answer=lambda found, turn: {**found, "refresh_token": turn.issuer.newest or found["refresh_token"]},
    ),
    Scenario(
        "refresh-scope-narrowed",
        "a refresh brings fewer scopes than the sign-in",
        "https://www.rfc-editor.org/rfc/rfc6749#section-6",
        answer=on_refresh(with_members(scope="openid")),
    ),
    Scenario(
        "refresh-token-type-changes",
        "the token type of a refresh is BearerToken",
        "https://docs.apigee.com/api-platform/reference/policies/oauthv2-policy",
        answer=on_refresh(with_members(token_type="BearerToken")),
    ),
    Scenario(
        "refresh-person-renamed",
        "a refresh brings another mail address of the same person",
        CORE + "#RefreshTokenResponse",
        claims=on_refresh(with_members(email="grace@example.test")),
    ),
]
