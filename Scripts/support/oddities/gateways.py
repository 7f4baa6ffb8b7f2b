"""The tool behind gateways that answer in place of a service: gateways.py TOOL [FILE]."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))

import gateway_rows  # noqa: E402
from providers import walks  # noqa: E402
from scenario import Right, Scenario, WORKS, at_refresh, refused  # noqa: E402
from wire import error  # noqa: E402

# What no such answer says: that the session has ended, or that the client, the person or an attacker did something.
UNTRUE = ("sign in first", "run: latchkey login", "client's id", "client id", "correct what was entered", "may have opened", "interfered")
PENDING = error(400, "authorization_pending")


# Nor, while a person is signing in, that this is to be done.
CIRCULAR = ("latchkey login",)


def told(row, *never):
    """Try again later, with the status that came."""
    says_status = row.is_whole and row.status != 200 and row.shape != "compressed"
    return refused(4, *((str(row.status),) if says_status else ()), never=UNTRUE + never)


def scenarios(row):
    """The places at which the tool meets an answer. A document that is not there (404) is what the answer says."""
    found = row.answer
    sign_in = told(row, *CIRCULAR)
    document = Right(8) if row.status == 404 else sign_in
    later = {"again": ("refresh", "--now")}

    def at(place, **more):
        return Scenario(f"{row.name}-{place}", f"{row.name} at {place}", row.says, **more)

    ended = {"refuses": lambda turn: error(400, "invalid_grant"), "ends": True, "status": refused(3)}
    return [
        at("discovery", instead={"discovery": lambda turn: found, "metadata": lambda turn: found}, login=document),
        at("keys", instead={"keys": lambda turn: found}, login=sign_in),
        at("code-exchange", instead={"token": lambda turn: found}, login=sign_in),
        at("device", instead={"device": lambda turn: found}, login=sign_in, device=True),
        at("poll", pending=(PENDING, found), device=True) if row.wait < 5 else None,
        at("refresh", instead={"token": at_refresh(found)}, refreshes=(told(row), WORKS), **later),
        at(
            "ended-token",
            instead={"token": at_refresh(found)},
            refreshes=(told(row), refused(3)),
            logout=Right(0),
            **ended,
            **later,
        ),
        at("userinfo", instead={"userinfo": lambda turn: found}, asks=Right(None, (), UNTRUE)),
        at(
            "revocation",
            instead={"revoke": lambda turn: found},
            logout=Right(0, ("Signed out." if row.is_taken_as_done else "could not be told yet",)),
        ),
    ]


def count(wrong):
    """What a wrong end is, by its words: the step that failed, and how."""
    if "newest" in wrong or "still stored" in wrong:
        return "lost"
    if re.match(r"(refresh 1|status|whoami) ends with 3", wrong):
        return "signed_out"
    return "blocked" if wrong.startswith("refresh 2") else "untrue"


def main(tool, file=None):
    walked = [found for row in gateway_rows.rows(file) for found in scenarios(row) if found]
    counts = dict.fromkeys(("blocked", "untrue", "signed_out", "lost"), 0)
    for scenario, wrong, _ in walks(tool, walked):
        if wrong:
            counts[count(wrong)] += 1
            print(f"{scenario.oddity}\n  {wrong}", file=sys.stderr, flush=True)
    places = len({scenario.name.removeprefix(scenario.oddity.split(" at ")[0] + "-") for scenario in walked})
    figures = " ".join(f"{name}={number}" for name, number in counts.items())
    print(f"tool_answers={len(walked)} tool_places={places} {figures}")
    return 1 if any(counts.values()) else 0


sys.exit(main(*sys.argv[1:]))
