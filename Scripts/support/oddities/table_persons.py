"""Who signs in, and whether it is the person that was asked for."""

import json
import time

from scenario import OWN, Scenario, refused, with_members

CORE = "https://openid.net/specs/openid-connect-core-1_0.html"
HINT = CORE + "#AuthRequest"
OTHER = refused(6, "user1", "signed in, and not", "user2", "--prompt select_account", never=("interfered",))


def claims(**more):
    """The ID token without the usual mail address, with these claims."""
    return lambda found, turn: {name: value for name, value in found.items() if name != "email"} | more


def account(name, oddity, who, *words, report=HINT, **more):
    return Scenario(name, oddity, report, words=(*words, "--account", who), **more)


def only_subject(found, turn):
    return {"sub": found["sub"]}


def named(subject, **more):
    """The claims everywhere: `sub`, and what userinfo says beside it."""
    return {"claims": claims(sub=subject, **more), "person": lambda found, turn: {"sub": subject}}


def essential_alone(found, turn):
    """The strength is demanded as an essential claim, and by nothing beside it."""
    asked = turn.request.query
    demanded = json.loads(asked.get("claims", "{}")).get("id_token", {}).get("acr")
    is_right = "acr_values" not in asked and demanded == {"essential": True, "values": ["gold"]}
    return found if is_right else {"error": "invalid_request", "state": asked.get("state", "")}


PERSONS = [
    account("person-other", "another user name comes back", "user2", **named("1", preferred_username="user1"), login=OTHER),
    account("person-same", "the user name comes back", "user1", **named("1", preferred_username="user1")),
    account("person-capitals", "the user name comes back in capitals", "user1", **named("1", preferred_username="USER1")),
    account(
        "person-mail-other",
        "another mail address comes back",
        "grace@example.test",
        login=refused(6, "ada@example.test", "grace@example.test", "signed in, and not"),
    ),
    account("person-mail-same", "the mail address comes back", "ada@example.test"),
    account("person-mail-part", "the part before the @ is what was asked for", "ada"),
    account(
        "person-subject-other",
        "the subject is another user name, and nothing else is said",
        "user2",
        report="recorded: Spring Authorization Server 7.1.2, userinfo",
        **named("user1"),
        login=OTHER,
    ),
    account("person-subject-same", "the subject is the user name", "user1", report=OWN, **named("user1")),
    account(
        "person-opaque",
        "nothing says whether it is the person",
        "user2",
        report=OWN,
        **named("248289761001"),
        login=refused(0, "does not say whether"),
    ),
    account(
        "person-in-userinfo",
        "only userinfo says who it is",
        "user2",
        report=CORE + "#UserInfo",
        claims=claims(sub="1"),
        person=lambda found, turn: {"sub": "1", "preferred_username": "user1"},
        login=OTHER,
    ),
    account(
        "person-device",
        "another person approves on the other device",
        "user2",
        report="https://www.rfc-editor.org/rfc/rfc8628#section-5.4",
        device=True,
        **named("1", preferred_username="user1"),
        login=OTHER,
    ),
    Scenario(
        "person-hint",
        "the hint is ignored, and anybody may sign in",
        HINT,
        words=("--hint", "user2"),
        **named("1", preferred_username="user1"),
    ),
    Scenario("subject-letters", "the subject has letters outside ASCII", OWN, **named("Jürgen Müller")),
    Scenario("subject-signs", "the subject has 255 signs of three bytes", OWN, **named("名" * 255)),
    Scenario("subject-control", "the subject has a character that controls a terminal", OWN, **named("a\x1b[31mb")),
    Scenario("subject-256-letters", "the subject has 256 letters", CORE + "#IDToken", **named("ü" * 256), login=refused(9, "sub")),
    Scenario("acr-same", "the strength that was asked for comes back", HINT, words=("--acr", "gold"), claims=with_members(acr="gold")),
    Scenario(
        "acr-second",
        "the second strength that was asked for comes back",
        HINT,
        words=("--acr", "gold", "--acr", "silver"),
        claims=with_members(acr="silver"),
    ),
    Scenario(
        "acr-essential",
        "a service that takes claims is asked for the strength as an essential claim",
        CORE + "#acrSemantics",
        words=("--acr", "gold"),
        document=with_members(claims_parameter_supported=True),
        redirect=essential_alone,
        claims=with_members(acr="gold"),
    ),
    Scenario(
        "acr-essential-weaker",
        "a service that takes claims brings a weaker strength all the same",
        CORE + "#acrSemantics",
        words=("--acr", "gold"),
        document=with_members(claims_parameter_supported=True),
        redirect=essential_alone,
        claims=with_members(acr="bronze"),
        login=refused(6, "acr", "bronze"),
    ),
    Scenario(
        "acr-weaker",
        "a weaker strength comes back",
        "recorded: Keycloak 26.7.3, step-up",
        words=("--acr", "gold"),
        claims=with_members(acr="bronze"),
        login=refused(6, "acr", "bronze"),
    ),
    Scenario(
        "acr-missing",
        "no strength comes back",
        "recorded: oidc-provider 9.13.3, step-up",
        words=("--acr", "gold"),
        login=refused(6, "acr", "missing"),
    ),
    Scenario(
        "max-age-kept",
        "the person has just proved who they are",
        HINT,
        words=("--max-age", "5m"),
        claims=lambda found, turn: {**found, "auth_time": int(time.time()) - 10} if not turn.count else found,
    ),
    Scenario(
        "max-age-old",
        "the person's proof is an hour old",
        HINT,
        words=("--max-age", "5m"),
        claims=with_members(auth_time=int(time.time()) - 3600),
        login=refused(9, "older than was asked for"),
    ),
    Scenario(
        "max-age-untold",
        "the time of the proof does not come",
        HINT,
        words=("--max-age", "5m"),
        claims=lambda found, turn: {name: value for name, value in found.items() if name != "auth_time"},
        login=refused(9, "auth_time"),
    ),
    Scenario(
        "prompt-none",
        "nobody is signed in in the browser, and no page may be shown",
        HINT,
        words=("--prompt", "none"),
        redirect=lambda found, turn: {"error": "login_required", "state": found["state"]},
        login=refused(6, "login_required"),
    ),
    Scenario(
        "issuer-pasted",
        "the address of the document is given in place of the issuer",
        OWN,
        issuer=lambda base, name: f"{base}/{name}/.well-known/openid-configuration",
        login=refused(2, "--issuer http://", "issuer-pasted"),
    ),
]
