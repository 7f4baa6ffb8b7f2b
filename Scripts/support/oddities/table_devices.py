"""Sign-ins with a code for another device."""

from scenario import OWN, Scenario, github, refused, with_members, without
from wire import Answer, answer, error, page

RFC = "https://www.rfc-editor.org/rfc/rfc8628"
PENDING = error(400, "authorization_pending")


def device(name, oddity, report, *pending, **more):
    return Scenario(name, oddity, report, device=True, pending=pending, **more)


DEVICES = [
    device("device-plain", "the person approves after one poll", RFC + "#section-3.5", PENDING),
    device("device-slow-down", "the service says slow_down", github("cli/oauth", 76), error(400, "slow_down")),
    device(
        "device-verification-url",
        "the address is called verification_url",
        github("int128/kubelogin", 846, "pull"),
        code=lambda found, turn: {
            ("verification_url" if name == "verification_uri" else name): value for name, value in found.items()
        },
    ),
    device("device-interval-zero", "the interval is 0", OWN, PENDING, code=with_members(interval=0)),
    device(
        "device-pending-200",
        "pending comes with the status 200",
        github("panva/openid-client", 575),
        answer({"error": "authorization_pending"}),
    ),
    device(
        "device-pending-403",
        "pending comes with the status 403",
        github("OpenIdentityPlatform/OpenAM", 209, "pull"),
        error(403, "authorization_pending"),
    ),
    device(
        "device-gateway-page",
        "a gateway answers one poll with a page",
        github("openclaw/openclaw", 114093, "pull"),
        page(502),
    ),
    device(
        "device-limited",
        "one poll is answered 429 with Retry-After",
        "recorded: Koa 3.3.0, koa-ratelimit",
        page(429, Retry_After="1"),
    ),
    device(
        "device-cut", "the connection ends during one poll", github("Kilo-Org/kilocode", 14056, "pull"), Answer(raw=b"")
    ),
    device("device-denied", "the person says no", RFC + "#section-3.5", error(400, "access_denied"), login=refused(6)),
    device(
        "device-denied-403",
        "the person says no, with the status 403",
        "recorded: luikyv/go-oidc 882d4c9, device",
        error(403, "access_denied"),
        login=refused(6),
    ),
    device(
        "device-expired",
        "the code has ended",
        RFC + "#section-3.5",
        error(400, "expired_token"),
        login=refused(6, "too old"),
    ),
    device(
        "device-code-unknown",
        "the code is unknown at the poll",
        "recorded: Keycloak 26.7.3, device",
        error(400, "invalid_grant"),
        login=refused(6),
    ),
    device(
        "device-missing",
        "the service has no device endpoint",
        "recorded: Gitea 1.26.0, discovery",
        document=without("device_authorization_endpoint"),
        login=refused(8, "device"),
    ),
    device(
        "device-not-found",
        "the device endpoint answers 404 with a page",
        "recorded: aiohttp 3.14.5, no route",
        instead={"device": lambda turn: page(404)},
        login=refused(4),
    ),
    device(
        "device-without-id-token",
        "the tokens come without an ID token",
        "recorded: zitadel/oidc v3.52.0, device",
        claims=lambda claims, turn: None,
        login=refused(0, "a person without a name"),
    ),
    device(
        "device-complete-null",
        "verification_uri_complete is null",
        github("netbirdio/netbird", 838, "pull"),
        code=with_members(verification_uri_complete=None),
    ),
    device(
        "device-complete-empty",
        "verification_uri_complete is empty",
        github("netbirdio/netbird", 838, "pull"),
        code=with_members(verification_uri_complete=""),
    ),
]
