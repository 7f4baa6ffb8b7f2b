"""Refused refreshes, and what stands between the tool and the token endpoint."""

import dataclasses

from scenario import Right, Scenario, WORKS, at_refresh, both, github, refused
from wire import Answer, answer, error, page, redirect

ENDED = refused(3)
LATER = refused(4)
RFC = "https://www.rfc-editor.org/rfc/rfc6749#section-5.2"


def ends(name, oddity, report, found, *words, is_plain=False):
    """The service ends the session with this answer. If that is plain, nothing is sent any more."""
    return Scenario(
        name, oddity, report, refuses=lambda turn: found, ends=True, refreshes=(refused(3, *words), refused(3)),
        status=refused(3) if is_plain else WORKS, logout=Right(0), seen=once_asked if is_plain else None)


def once_asked(issuer):
    """After a plain end the tool asks no more."""
    number = issuer.count("token")
    return None if number == 2 else f"{number} requests for tokens instead of 2"


def turns_away(name, oddity, report, found, *words):
    """The service does not take the client; the session may live."""
    return Scenario(name, oddity, report, refuses=lambda turn: found, refreshes=both(refused(8, *words)), logout=Right(0))


def passes(name, oddity, report, found, *words, then=WORKS, **more):
    """The first refresh meets this answer, which says nothing about the session; the next one works."""
    return Scenario(name, oddity, report, instead={"token": at_refresh(found)}, refreshes=(refused(4, *words), then), **more)


ENDS = [
    ends("ended", "the refresh token is not good any more", RFC, error(400, "invalid_grant"), is_plain=True),
    ends("ended-401", "invalid_grant comes with the status 401", github("cdelmonte-zg/nanoidp", 310, "pull"), error(401, "invalid_grant"), is_plain=True),
    ends("ended-403", "invalid_grant comes with the status 403", "TODO 403 invalid_grant", error(403, "invalid_grant"), is_plain=True),
    ends("ended-200", "invalid_grant comes with the status 200", "TODO 200 invalid_grant", answer({"error": "invalid_grant"}), is_plain=True),
    ends("ended-410", "invalid_grant comes with the status 410", github("oauthjs/node-oauth2-server", 324, "pull"), error(410, "invalid_grant"), is_plain=True),
    ends("ended-invalid-request", "a dead token is invalid_request", github("better-auth/better-auth", 8099),
         error(400, "invalid_request", error_description="Refresh token is invalid")),
    ends("ended-bad-refresh-token", "a dead token is bad_refresh_token, with the status 200", github("lelylan/simple-oauth2", 459),
         answer({"error": "bad_refresh_token", "error_description": "The refresh token passed is incorrect or expired."}),
         "incorrect or expired"),
    ends("ended-vendor-code", "invalid_grant has numbers and words of the vendor", "TODO AADSTS50173",
         error(400, "invalid_grant", error_description="AADSTS50173: The provided grant has expired due to it being revoked.\r\nTrace ID: 1",
               error_codes=[50173], suberror="bad_token"), "AADSTS50173", is_plain=True),
    ends("ended-interaction", "the service wants another factor now", "TODO AADSTS50076",
         error(400, "interaction_required", error_description="AADSTS50076: you must use multi-factor authentication", error_codes=[50076]),
         "AADSTS50076"),
    ends("ended-offline-not-allowed", "the service says that offline tokens are not allowed", "TODO Offline tokens not allowed",
         error(400, "not_allowed", error_description="Offline tokens not allowed for the user or client"), "Offline tokens not allowed"),
    ends("ended-gotrue", "error_code stands beside a number in code", github("supabase/auth", 2829),
         answer({"code": 400, "error_code": "refresh_token_not_found", "msg": "Invalid Refresh Token: Refresh Token Not Found"}, 400),
         "Refresh Token Not Found"),
    ends("ended-text-type", "invalid_grant comes as text/plain", github("kanidm/kanidm", 4470),
         dataclasses.replace(error(400, "invalid_grant"), fields=[("Content-Type", "text/plain; charset=utf-8")]), is_plain=True),
    turns_away("client-refused", "the client is not known any more", RFC, error(401, "invalid_client"), "invalid_client"),
    turns_away("client-unauthorized", "a used token is unauthorized_client", "recorded: Gitea 1.26.0, refresh",
         error(400, "unauthorized_client", error_description="token was already used"), "token was already used"),
    passes("server-error", "server_error comes with the status 400", "TODO server_error 400", error(400, "server_error")),
    passes("busy", "temporarily_unavailable comes with the status 400", RFC, error(400, "temporarily_unavailable")),
    passes("gateway-bad", "a gateway answers 502 with a page", github("ruckus/quickbooks-ruby", 423), page(502)),
    passes("gateway-unavailable", "a gateway answers 503 with a page", "TODO 503", page(503)),
    passes("gateway-timeout", "a gateway answers 504 with a page", "TODO 504", page(504)),
    passes("gateway-page-200", "a gateway answers 200 with a page", github("stacklok/toolhive", 4513, "pull"), page(200)),
    passes("firewall-400", "a firewall answers 400 with a page", "TODO 400 nginx", page(400)),
    passes("firewall-403", "a firewall answers 403 with a page", "TODO cloudflare 403", page(403)),
    passes("proxy-401", "a proxy answers 401 with a page", "TODO 401 proxy", page(401)),
    passes("proxy-404", "a gateway answers 404 with a page while it is deployed anew", "TODO 404", page(404)),
    passes("proxy-405", "a cache answers 405 with a page", "TODO 405", page(405)),
    passes("proxy-407", "a proxy wants authentication", "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.8", page(407, Proxy_Authenticate="Basic")),
    passes("portal-redirect", "the network's portal redirects to its own sign-in", "TODO portal",
           redirect("http://10.0.0.1/login"), "network"),
    passes("empty-400", "a 400 has no body", github("givtnl/givt-app", 1912, "pull"), Answer(400)),
    passes("empty-401", "a 401 has no body", github("givtnl/givt-app", 1912, "pull"), Answer(401)),
    passes("empty-500", "a 500 has no body", "recorded: better-auth 1.7.25, refresh", Answer(500)),
    passes("json-of-a-gateway", "a gateway answers 403 with JSON of its own", "TODO apigateway", answer({"message": "Forbidden"}, 403)),
    passes("json-fault", "a gateway answers 429 with a fault of its own", "TODO apigee quota",
           answer({"fault": {"faultstring": "Rate limit quota violation", "detail": {"errorcode": "policies.ratelimit.QuotaViolation"}}}, 429)),
    passes("limited", "a limiter answers 429 without Retry-After", "TODO 429", page(429)),
    passes("limited-for-a-while", "a limiter answers 429 with Retry-After", "TODO 429 retry-after", page(429, Retry_After="60"), then=LATER,
           seen=lambda issuer: None if issuer.count("token") == 2 else f"{issuer.count('token')} requests for tokens instead of 2"),
    passes("unavailable-for-a-while", "a gateway answers 503 with Retry-After", "TODO 503 retry-after", page(503, Retry_After="300"), then=LATER,
           seen=lambda issuer: None if issuer.count("token") == 2 else f"{issuer.count('token')} requests for tokens instead of 2"),
    passes("unavailable-date", "Retry-After is a date in the past", "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
           page(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT")),
    passes("text-instead-of-json", "the answer is a line of text", "TODO upstream connect error",
           Answer(503, b"upstream connect error or disconnect/reset before headers", [("Content-Type", "text/plain")])),
    passes("json-null", "the answer is the JSON null", "TODO json null", answer(None)),
]
