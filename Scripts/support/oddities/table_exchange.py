"""What comes instead of tokens for the code that the browser brought."""

from scenario import Scenario, always, github, refused
from wire import Answer, answer, error, page, redirect

RFC = "https://www.rfc-editor.org/rfc/rfc6749#section-5.2"


def meets(name, oddity, report, found, status, *words, never=()):
    """The exchange of the code meets this answer, and the sign-in ends so."""
    # Only where the service speaks of the code is there something to correct.
    right = refused(status, *words, never=(*never, "correct what was entered") if status == 4 else never)
    return Scenario(name, oddity, report, instead={"token": always(found)}, login=right)


EXCHANGE = [
    meets("exchange-bad", "a gateway answers 502", github("ruckus/quickbooks-ruby", 423), page(502), 4, "502"),
    meets(
        "exchange-page-200",
        "a page comes with the status 200",
        "recorded: nginx 1.22.1, maintenance page with the status 200",
        page(200),
        4,
    ),
    meets(
        "exchange-400",
        "a page comes with the status 400",
        "recorded: nginx 1.22.1, plain HTTP on its TLS port",
        page(400),
        4,
    ),
    meets(
        "exchange-403",
        "a firewall answers 403",
        "recorded: nginx with ModSecurity and the Core Rule Set 3.3.4, a body that trips a rule",
        page(403),
        4,
        "403",
    ),
    meets("exchange-401", "a proxy answers 401", "recorded: nginx 1.22.1, auth_basic", page(401), 4, "401"),
    meets("exchange-404", "a gateway answers 404", "recorded: aiohttp 3.14.5, no route", page(404), 4, "404"),
    meets("exchange-empty-400", "a 400 has no body", github("givtnl/givt-app", 1912, "pull"), Answer(400), 4),
    meets(
        "exchange-portal",
        "the network's portal redirects to its own sign-in",
        "recorded: Squid 5.7, deny_info leads to a portal",
        redirect("http://10.0.0.1/login"),
        4,
        "network",
    ),
    meets(
        "exchange-limited",
        "a limiter answers 429 with Retry-After",
        "recorded: Koa 3.3.0, koa-ratelimit",
        page(429, Retry_After="60"),
        4,
    ),
    meets("exchange-server-error", "server_error comes with the status 500", RFC, error(500, "server_error"), 4),
    meets(
        "exchange-code-spent",
        "the code is not good any more",
        RFC,
        error(400, "invalid_grant", error_description="Code not valid"),
        6,
        "Code not valid",
        never=("session",),
    ),
    meets(
        "exchange-code-spent-elsewhere",
        "a code that is not good is unauthorized_client",
        "recorded: Gitea 1.26.0, code",
        error(400, "unauthorized_client", error_description="invalid code"),
        8,
        "invalid code",
    ),
    meets(
        "exchange-secret-wanted",
        "the service wants a secret that the client does not have",
        "recorded: Spring Authorization Server 7.1.2, code",
        Answer(401),
        4,
        "401",
    ),
    meets(
        "exchange-scope-list",
        "the description is a list of problems",
        "recorded: @modelcontextprotocol/sdk 1.32.2, register",
        answer({"error": "invalid_request", "error_description": '[{"code":"invalid_type"}]'}, 400),
        8,
        "invalid_request",
    ),
]
