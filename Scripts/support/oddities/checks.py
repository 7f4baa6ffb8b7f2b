"""The OpenID Foundation's tests for clients, by their published names: what each demands, and what Latchkey does."""

import base64
import dataclasses

from scenario import Scenario, refused, with_members
from signing import FIRST, SECOND
from wire import Answer, error

BROWSER_TOKENS = "asks for `response_type=code` alone, so no ID token comes by the browser"
NO_WEB_LOGOUT = "ends a session by revocation, and has no address that a browser or a service could call"


@dataclasses.dataclass(frozen=True)
class Check:
    """One published test: `pass` and `refused` are played, `not_applicable` has a reason."""

    name: str
    demands: str
    result: str
    scenario: Scenario | None = None
    reason: str = ""

    @property
    def full_name(self):
        return "oidcc-client-test" + (f"-{self.name}" if self.name else "")


def played(name, demands, result, **changes):
    oddity = Scenario("oidcc-client-test" + (f"-{name}" if name else ""), demands, "", **changes)
    return Check(name, demands, result, oddity)


def passes(name, demands, **changes):
    return played(name, demands, "pass", **changes)


def refuses(name, demands, *words, status=9, **changes):
    return played(name, demands, "refused", login=refused(status, *words), **changes)


def leaves(name, demands, reason):
    return Check(name, demands, "not_applicable", reason=reason)


def claims(**members):
    return {"claims": with_members(**members)}


def spoilt(key, **header):
    """Signs, and changes the signature."""

    def sign(payload, turn):
        token = key.sign(payload, **header)
        return token[:-8] + ("AAAAAAAA" if not token.endswith("AAAAAAAA") else "BBBBBBBB")

    return sign


def basic_only(turn):
    """Takes no client but one that sends its secret by HTTP Basic."""
    wanted = "Basic " + base64.b64encode(b"tool:secret-1").decode()
    return None if turn.request.fields.get("authorization") == wanted else error(401, "invalid_client")


def bearer_header(issuer):
    """Userinfo was asked by GET with the token in the field Authorization, and nowhere else."""
    asked = issuer.numbers.get("userinfo", [])
    return None if asked and all(asked) else f"userinfo was asked {len(asked)} times, in the field {sum(asked)} times"


def watched(turn):
    request = turn.request
    is_right = (
        request.method == "GET"
        and request.fields.get("authorization", "").startswith("Bearer ")
        and "access_token" not in {**request.query, **request.form}
    )
    turn.issuer.numbers.setdefault("userinfo", []).append(is_right)
    return None


def rotated(found, turn):
    """From the second sign-in on another key is published."""
    return {"keys": [SECOND.public() if turn.issuer.count("authorize") > 1 else FIRST.public()]}


def with_rotated(payload, turn):
    return (SECOND if turn.issuer.count("authorize") > 1 else FIRST).sign(payload)


def just_rotated(found, turn):
    """The key is replaced by the token endpoint, just before it signs. The new one has the name of the old one."""
    return {"keys": [SECOND.public(kid="first") if turn.issuer.count("token") else FIRST.public()]}


def keys_last(issuer):
    """The keys were asked for when there was a token to check, and not before."""
    places = ["keys" if place.startswith("jwks") else place for place in issuer.requests]
    early = places[: places.index("token")].count("keys") if "token" in places else 0
    return f"the keys were fetched {early} times before there was a token" if early else None


def at_other_address(found, turn):
    return {**found, "jwks_uri": f"{turn.issuer.folder}/jwks-{'x' * 10}"}


def keys_there(turn):
    return turn.issuer.keys(turn)


def signed_person(turn):
    payload = {"sub": "person-1", "iss": turn.issuer.address, "aud": "tool", "name": "Ada"}
    return Answer(200, FIRST.sign(payload).encode(), [("Content-Type", "application/jwt")])


def twice(right):
    return (right, right)
