"""What stands between the tool and the token endpoint, when it refreshes."""

from scenario import Scenario, WORKS, at_refresh, github, refused
from wire import Answer, answer, error, page, redirect

LATER = refused(4)
RFC = "https://www.rfc-editor.org/rfc/rfc6749#section-5.2"


def passes(name, oddity, report, found, *words, then=WORKS, **more):
    """The first refresh meets this answer, which says nothing about the session; the next one works."""
    return Scenario(
        name, oddity, report, instead={"token": at_refresh(found)}, refreshes=(refused(4, *words), then), **more
    )


def asked_once_more(issuer):
    """One exchange of a code, and one refresh: the second refresh was not sent."""
    number = issuer.count("token")
    return None if number == 2 else f"{number} requests for tokens instead of 2"


GATEWAYS = [
    passes("busy", "temporarily_unavailable comes with the status 400", RFC, error(400, "temporarily_unavailable")),
    passes("gateway-bad", "a gateway answers 502 with a page", github("ruckus/quickbooks-ruby", 423), page(502)),
    passes(
        "gateway-unavailable",
        "a gateway answers 503 with a page",
        "recorded: HAProxy 2.6.12, no server is available",
        page(503),
    ),
    passes(
        "gateway-timeout",
        "a gateway answers 504 with a page",
        "recorded: HAProxy 2.6.12, server never answers",
        page(504),
    ),
    passes(
        "gateway-page-200", "a gateway answers 200 with a page", github("stacklok/toolhive", 4513, "pull"), page(200)
    ),
    passes(
        "firewall-400",
        "a firewall answers 400 with a page",
        "recorded: nginx 1.22.1, plain HTTP on its TLS port",
        page(400),
    ),
    passes(
        "firewall-403",
        "a firewall answers 403 with a page",
        "recorded: nginx with ModSecurity and the Core Rule Set 3.3.4, a body that trips a rule",
        page(403),
    ),
    passes("proxy-401", "a proxy answers 401 with a page", "recorded: nginx 1.22.1, auth_basic", page(401)),
    passes(
        "proxy-404",
        "a gateway answers 404 with a page while it is deployed anew",
        "recorded: aiohttp 3.14.5, no route",
        page(404),
    ),
    passes("proxy-405", "a cache answers 405 with a page", "recorded: nginx 1.22.1, POST to a static file", page(405)),
    passes(
        "proxy-407",
        "a proxy wants authentication",
        "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.8",
        page(407, Proxy_Authenticate="Basic"),
    ),
    passes(
        "portal-redirect",
        "the network's portal redirects to its own sign-in",
        "recorded: Squid 5.7, deny_info leads to a portal",
        redirect("http://10.0.0.1/login"),
        "network",
    ),
    passes("empty-400", "a 400 has no body", github("givtnl/givt-app", 1912, "pull"), Answer(400)),
    passes("empty-401", "a 401 has no body", github("givtnl/givt-app", 1912, "pull"), Answer(401)),
    passes("empty-500", "a 500 has no body", "recorded: better-auth 1.7.25, refresh", Answer(500)),
    passes(
        "json-of-a-gateway",
        "a gateway answers 403 with JSON of its own",
        "recorded: AWS API Gateway as documented, no such route",
        answer({"message": "Missing Authentication Token"}, 403),
    ),
    passes(
        "json-fault",
        "a gateway answers 429 with a fault of its own",
        "recorded: Apigee as documented, quota",
        answer(
            {
                "fault": {
                    "faultstring": "Rate limit quota violation",
                    "detail": {"errorcode": "policies.ratelimit.QuotaViolation"},
                }
            },
            429,
        ),
    ),
    passes("limited", "a limiter answers 429 without Retry-After", "recorded: Varnish 7.1.1, synth(429)", page(429)),
    passes(
        "limited-for-a-while",
        "a limiter answers 429 with Retry-After",
        "recorded: Koa 3.3.0, koa-ratelimit",
        page(429, Retry_After="60"),
        then=LATER,
        seen=asked_once_more,
    ),
    passes(
        "unavailable-for-a-while",
        "a gateway answers 503 with Retry-After",
        "recorded: nginx 1.22.1, maintenance with Retry-After",
        page(503, Retry_After="300"),
        then=LATER,
        seen=asked_once_more,
    ),
    passes(
        "unavailable-date",
        "Retry-After is a date in the past",
        "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3",
        page(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
    ),
    passes(
        "text-instead-of-json",
        "the answer is a line of text",
        github("envoyproxy/envoy", 4567),
        Answer(503, b"upstream connect error or disconnect/reset before headers", [("Content-Type", "text/plain")]),
    ),
    passes(
        "json-null",
        "the answer is the JSON null",
        "recorded: nginx 1.22.1, the JSON null with the status 200",
        answer(None),
    ),
]
