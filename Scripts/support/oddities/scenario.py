"""What a scenario is: what the service does otherwise, who reported it, and what is right."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Right:
    """How a command must end: its exit status (None: any), and words that the person must read."""

    status: int | None = 0
    words: tuple = ()
    # What would be untrue.
    never: tuple = ()

    def wrong(self, status, said):
        """What is wrong with an end, or None."""
        if self.status is not None and status != self.status:
            return f"ends with {status} instead of {self.status}: {said.strip()}"
        missing = [word for word in self.words if word.lower() not in said.lower()]
        untrue = [word for word in self.never if word.lower() in said.lower()]
        if missing:
            return f"does not say {missing[0]!r}: {said.strip()}"
        return f"says {untrue[0]!r}: {said.strip()}" if untrue else None


WORKS = Right()


def refused(status, *words, never=()):
    return Right(status, words, never)


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    # One sentence, and where such a service was reported.
    oddity: str
    report: str
    # What the service does: each takes what would be sent, and the turn.
    document: Callable | None = None
    keys: Callable | None = None
    redirect: Callable | None = None
    claims: Callable | None = None
    sign: Callable | None = None
    answer: Callable | None = None
    person: Callable | None = None
    code: Callable | None = None
    # The refusal of a refresh; None lets it pass. With `ends` the session is over then.
    refuses: Callable | None = None
    ends: bool = False
    # By place: an answer instead of the issuer's, or what becomes of its answer on the way.
    instead: dict = dataclasses.field(default_factory=dict)
    sent: dict = dataclasses.field(default_factory=dict)
    # The answers to the first polls of a device; with () it is a sign-in in the browser.
    pending: tuple = ()
    device: bool = False
    issuer: Callable = lambda base, name: f"{base}/{name}"
    # What the tool is told beyond the issuer and the client.
    words: tuple = ()
    # The client's secret, how often the person signs in, and what asking who it is must bring.
    secret: str | None = None
    logins: int = 1
    asks: Right | None = None
    # What the browser's page must say that the first redirect leads to, before it opens the address again.
    first_page: tuple = ()
    # What is right.
    login: Right = WORKS
    refreshes: tuple = (WORKS, WORKS)
    # The command of the second refresh.
    again: tuple = ("refresh",)
    status: Right = WORKS
    logout: Right = Right(0, ("Signed out",))
    # Why tokens of a refused sign-in stay good at the service, if no client could help it.
    stays: str | None = None
    # Says what is wrong with what the issuer has seen, or None.
    seen: Callable | None = None


def both(right):
    """Two refreshes that end alike."""
    return (right, right)


# A service that was met in use, or a report without a public address.
OWN = "reported to this project"


def github(place, number, kind="issues"):
    """The address of a report."""
    return f"https://github.com/{place}/{kind}/{number}"


def with_members(**more):
    """Adds members to what would be sent, or replaces them."""
    return lambda found, turn: {**found, **more}


def without(*names):
    return lambda found, turn: {name: value for name, value in found.items() if name not in names}


def on_refresh(change, only=None):
    """Changes what refreshes bring: all, or the first or second alone."""
    return lambda found, turn: change(found, turn) if (turn.count if only is None else turn.count == only) else found


def each(*found):
    """Answers to the first requests of a place; the issuer answers where it is None, and all later ones."""

    def choose(turn):
        seen = turn.issuer.numbers
        seen[turn.request.path] = number = seen.get(turn.request.path, 0) + 1
        return found[number - 1] if number <= len(found) else None

    return choose


def at_refresh(found, only=1):
    """The answer to the first refresh, which the issuer does not see; with None to all."""

    def choose(turn):
        if turn.request.form.get("grant_type") != "refresh_token":
            return None
        turn.issuer.numbers["refresh"] = number = turn.issuer.numbers.get("refresh", 0) + 1
        return found if only in (None, number) else None

    return choose


def always(found):
    return lambda turn: found
