"""Redirects: what comes back from the browser."""

from scenario import OWN, Scenario, github, refused
from wire import Answer, redirect

RFC = "https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1"


def replaced(**members):
    """The redirect with these parameters alone, and the state where it is True."""

    def change(back, turn):
        return {name: back["state"] if value is True else value for name, value in members.items()}

    return change


def first(change):
    """Changes the first redirect of a sign-in; the person then opens the address again."""

    def choose(back, turn):
        turn.issuer.numbers["redirects"] = number = turn.issuer.numbers.get("redirects", 0) + 1
        return change(back, turn) if number == 1 else back

    return choose


def ended(name, oddity, report, status, *words, **members):
    """A scenario whose redirect ends the sign-in."""
    return Scenario(name, oddity, report, redirect=replaced(state=True, **members), login=refused(status, *words))


def fragment(back, turn):
    return redirect(f"{turn.request.query['redirect_uri']}#code={back['code']}&state={back['state']}")


def posted(back, turn):
    """A page that sends a form to the redirect address by itself."""
    fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in back.items())
    form = f'<form method="post" action="{turn.request.query["redirect_uri"]}">{fields}</form>'
    text = f'<html><body onload="document.forms[0].submit()">{form}</body></html>'
    return Answer(200, text.encode(), [("Content-Type", "text/html")])


def written(text):
    """A redirect whose query is written by hand; CODE and STATE stand for the right ones."""

    def change(back, turn):
        query = text.replace("CODE", back["code"]).replace("STATE", back["state"])
        return redirect(f"{turn.request.query['redirect_uri']}?{query}")

    return change


def named(issuer):
    """A redirect with `iss`, from a service that promises it."""
    return lambda back, turn: {**back, "iss": turn.issuer.address if issuer is True else issuer}


def promises(found, turn):
    return {**found, "authorization_response_iss_parameter_supported": True}


REDIRECTS = [
    ended("denied", "the person says no", RFC, 6, "denied", error="access_denied"),
    ended(
        "denied-with-reason",
        "the service says why it denies",
        OWN,
        6,
        "not assigned to the client",
        error="access_denied",
        error_description="User is not assigned to the client application.",
    ),
    ended(
        "login-required",
        "the service wants a sign-in first",
        "https://openid.net/specs/openid-connect-core-1_0.html#AuthError",
        6,
        error="login_required",
    ),
    ended(
        "scope-refused",
        "the service does not know a scope",
        "recorded: Keycloak 26.7.3, authorize",
        6,
        "scope",
        error="invalid_scope",
        error_description="Invalid scopes: openid profile email offline_access",
    ),
    ended(
        "error-of-its-own",
        "the error is not registered",
        OWN,
        6,
        "PKCE code challenge",
        error="invalid_pkce",
        error_description="PKCE code challenge is missing",
    ),
    ended("error-server", "the service has trouble", RFC, 4, error="server_error"),
    ended("error-busy", "the service is busy", RFC, 4, error="temporarily_unavailable"),
    ended(
        "error-grant-exists",
        "the service cannot widen a grant",
        "recorded: Gitea 1.26.0, authorize",
        4,
        "different scope",
        error="server_error",
        error_description="a grant exists with different scope",
    ),
    Scenario(
        "error-without-state",
        "the error has no state",
        github("authlib/authlib", 525),
        redirect=first(replaced(error="access_denied", error_description="Denied by policy")),
        first_page=("to which sign-in",),
    ),
    Scenario(
        "code-without-state",
        "the redirect has no state",
        github("openid/AppAuth-Android", 118),
        redirect=first(replaced(code="abc")),
        first_page=("browser came back",),
    ),
    Scenario(
        "state-of-another",
        "the redirect belongs to another sign-in",
        github("FormidableLabs/react-native-app-auth", 591),
        redirect=first(replaced(code="abc", state="other")),
        first_page=("another sign-in",),
    ),
    Scenario(
        "answer-in-fragment",
        "the answer comes in the fragment",
        github("openid/AppAuth-Android", 216),
        redirect=first(fragment),
        first_page=("response_mode",),
    ),
    Scenario(
        "answer-posted",
        "the answer comes as a posted form",
        github("AzureAD/microsoft-authentication-library-common-for-android", 210),
        redirect=first(posted),
        first_page=("response_mode",),
    ),
    Scenario(
        "code-twice",
        "code stands twice",
        "https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
        redirect=written("code=CODE&code=CODE&state=STATE"),
        login=refused(9, "more than once"),
    ),
    Scenario(
        "parameters-beside",
        "session_state and scope stand beside the code",
        "recorded: Keycloak 26.7.3, authorize",
        redirect=lambda back, turn: {
            **back,
            "session_state": "8e1e",
            "scope": "openid",
            "authuser": "0",
            "prompt": "consent",
        },
    ),
    Scenario(
        "issuer-named",
        "the redirect names the issuer",
        "https://www.rfc-editor.org/rfc/rfc9207#section-2",
        document=promises,
        redirect=named(True),
    ),
    Scenario(
        "issuer-named-unpromised",
        "the redirect names the issuer, which the document does not promise",
        github("Abblix/Oidc.Server", 51),
        redirect=named(True),
    ),
    Scenario(
        "issuer-named-wrong",
        "the redirect names another issuer",
        "https://www.rfc-editor.org/rfc/rfc9207#section-2.4",
        document=promises,
        redirect=named("https://other.example.test"),
        login=refused(9, "iss"),
    ),
    Scenario(
        "issuer-promised-missing",
        "the redirect lacks the issuer that the document promises",
        github("SUNET/vc", 451),
        document=promises,
        login=refused(9, "iss"),
    ),
]
