"""Refused refreshes: the session is over, or the client is not taken."""

import dataclasses

from scenario import OWN, Right, Scenario, both, github, refused
from wire import answer, error

RFC = "https://www.rfc-editor.org/rfc/rfc6749#section-5.2"


def ends(name, oddity, report, found, *words, is_plain=False):
    """The service ends the session with this answer. If that is plain, nothing is sent any more."""
    return Scenario(
        name,
        oddity,
        report,
        refuses=lambda turn: found,
        ends=True,
        refreshes=(refused(3, *words), refused(3)),
        status=refused(3),
        logout=Right(0),
        seen=once_asked if is_plain else None,
    )


def once_asked(issuer):
    """After a plain end the tool asks no more."""
    number = issuer.count("token")
    return None if number == 2 else f"{number} requests for tokens instead of 2"


def turns_away(name, oddity, report, found, *words):
    """The service does not take the client; the session may live."""
    return Scenario(
        name, oddity, report, refuses=lambda turn: found, refreshes=both(refused(8, *words)), logout=Right(0)
    )


ENDS = [
    ends("ended", "the refresh token is not good any more", RFC, error(400, "invalid_grant"), is_plain=True),
    ends(
        "ended-401",
        "invalid_grant comes with the status 401",
        github("cdelmonte-zg/nanoidp", 310, "pull"),
        error(401, "invalid_grant"),
        is_plain=True,
    ),
    ends("ended-403", "invalid_grant comes with the status 403", OWN, error(403, "invalid_grant"), is_plain=True),
    ends(
        "ended-200",
        "invalid_grant comes with the status 200",
        github("getsentry/junior", 620, "pull"),
        answer({"error": "invalid_grant"}),
        is_plain=True,
    ),
    ends(
        "ended-410",
        "invalid_grant comes with the status 410",
        github("oauthjs/node-oauth2-server", 324, "pull"),
        error(410, "invalid_grant"),
        is_plain=True,
    ),
    ends(
        "ended-invalid-request",
        "a dead token is invalid_request",
        github("better-auth/better-auth", 8099),
        error(400, "invalid_request", error_description="Refresh token is invalid"),
    ),
    ends(
        "ended-bad-refresh-token",
        "a dead token is bad_refresh_token, with the status 200",
        github("lelylan/simple-oauth2", 459),
        answer(
            {"error": "bad_refresh_token", "error_description": "The refresh token passed is incorrect or expired."}
        ),
        "incorrect or expired",
    ),
    ends(
        "ended-vendor-code",
        "invalid_grant has numbers and words of the vendor",
        github("microsoft/azuredatastudio", 22853, "pull"),
        error(
            400,
            "invalid_grant",
            error_description="AADSTS50173: The provided grant has expired due to it being revoked.\r\nTrace ID: 1",
            error_codes=[50173],
            suberror="bad_token",
        ),
        "AADSTS50173",
        is_plain=True,
    ),
    ends(
        "ended-interaction",
        "the service wants the person to sign in again, by its own rules",
        github("Azure/azure-cli", 23822),
        error(
            400,
            "interaction_required",
            error_description="AADSTS70043: The refresh token has expired due to sign-in frequency checks",
            error_codes=[70043],
        ),
        "AADSTS70043",
    ),
    ends(
        "ended-offline-not-allowed",
        "the service says that offline tokens are not allowed",
        OWN,
        error(400, "not_allowed", error_description="Offline tokens not allowed for the user or client"),
        "Offline tokens not allowed",
    ),
    ends(
        "ended-gotrue",
        "error_code stands beside a number in code",
        github("supabase/auth", 2829),
        answer(
            {
                "code": 400,
                "error_code": "refresh_token_not_found",
                "msg": "Invalid Refresh Token: Refresh Token Not Found",
            },
            400,
        ),
        "Refresh Token Not Found",
    ),
    ends(
        "ended-text-type",
        "invalid_grant comes as text/plain",
        github("kanidm/kanidm", 4470),
        dataclasses.replace(error(400, "invalid_grant"), fields=[("Content-Type", "text/plain; charset=utf-8")]),
        is_plain=True,
    ),
    turns_away(
        "client-refused", "the client is not known any more", RFC, error(401, "invalid_client"), "invalid_client"
    ),
    turns_away(
        "client-secret-wrong",
        "unauthorized_client with the status 401 is about the client",
        "recorded: Keycloak 26.7.3, refresh",
        error(401, "unauthorized_client", error_description="Invalid client or Invalid client credentials"),
        "Invalid client credentials",
    ),
    ends(
        "ended-unauthorized-client",
        "a used token is unauthorized_client",
        "recorded: Gitea 1.26.0, refresh",
        error(400, "unauthorized_client", error_description="token was already used"),
        "token was already used",
    ),
    ends(
        "ended-401-invalid-request",
        "a dead token is invalid_request with the status 401",
        "recorded: mockoidc e06ed0b7cb7f, refresh",
        error(401, "invalid_request", error_description="Invalid token: token is malformed"),
        "token is malformed",
    ),
]
