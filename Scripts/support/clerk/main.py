"""Signs in at every kind of Clerk instance with the tool: main.py TOOL [NAME]."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

from instance import Instance  # noqa: E402
from person import PASSWORD, Person  # noqa: E402

ALONE = (
    "single-session session-minter rotation client-trust passwordless legal restricted waitlist sso-only setup-mfa"
    " reset-password choose-organization allow-list email-link"
).split()
TOGETHER = [
    ("single-session", "rotation"), ("session-minter", "rotation"), ("session-minter", "single-session"),
    ("passwordless", "legal"), ("setup-mfa", "reset-password", "choose-organization"),
]
SETTINGS = [(), *((name,) for name in ALONE), *TOGETHER]
KEY = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
# The name of a kind of person: the address, the password, and the service's name.
PEOPLE = {
    "password": ("ada+clerk_test@example.test", "ada-password", "user_ada"),
    "app": ("grace+clerk_test@example.test", "grace-password", "user_grace"),
    "new": ("nia+clerk_test@example.test", PASSWORD, None),
}
# The person whom the other service names, whoever comes.
VISITOR = PEOPLE["password"]
WAYS = {
    "password": ("--password-from-stdin",),
    "code": ("--code",),
    "link": ("--link",),
    "forgot": ("--forgot",),
    "browser": ("--provider", "github"),
    "sign-up": ("--sign-up", "--password-from-stdin"),
    "sign-up-code": ("--sign-up", "--code"),
    "sign-up-link": ("--sign-up", "--link"),
}
# How a sign-in may end that an instance does not allow: wrong usage, what is missing, refused, not offered.
REFUSED = (2, 3, 6, 8)


def expected(instance, person, way):
    """True: signed in. False: refused. None: the settings say nothing of it."""
    known, closed = person != "new", instance.has("sso-only")
    passwords = not instance.has("passwordless", "sso-only")
    if way == "browser":
        # The other service always reports the first person.
        return True
    # Who signs in elsewhere only is led there, and the person whom that service names is not the one who was asked for.
    if closed and person == "app" and not way.startswith("sign-up"):
        return False
    if closed:
        return None
    if way.startswith("sign-up"):
        if known or instance.has("restricted", "waitlist"):
            return False
        return None if instance.has("choose-organization") or (way == "sign-up" and not passwords) else True
    if not known:
        return False
    if way == "password":
        return passwords and (None if instance.has("choose-organization") else True)
    if way in ("link", "forgot") or instance.has("email-link", "choose-organization"):
        return None
    return True


def judge(instance, at_home, name, way):
    """What is wrong with a sign-in that was just tried."""
    address, password, subject = VISITOR if way == "browser" else PEOPLE[name]
    status, _, errors = at_home.sign_in(address, password, *WAYS[way])
    asked = ",".join(at_home.asked)
    right = expected(instance, name, way)
    if status == 0:
        holder, reason = at_home.holder()
        if right is False:
            yield f"signed in ({asked}), which the instance does not allow"
        if holder is None:
            yield f"signed in ({asked}), and there is no token: {reason}"
        elif subject and holder["sub"] != subject:
            yield f"the token is {holder['sub']}'s"
        elif holder.get("sts") == "pending":
            yield "the token is of a pending session"
    else:
        if right:
            yield f"not signed in ({asked}): {status} {errors.strip()[:300]}"
        if status not in REFUSED:
            yield f"ends with {status} ({asked}): {errors.strip()[:300]}"


def walk(tool, instance, name, way, others, surroundings):
    at_home = Person(tool, instance, surroundings)
    at_home.keys[PEOPLE["app"][0]] = KEY
    try:
        if others:
            other = "grace" if name == "password" else "ada"
            address = f"{other}+clerk_test@example.test"
            words = WAYS["browser"] if instance.has("sso-only") else WAYS["link" if instance.has("email-link") else "code"]
            at_home.sign_in(VISITOR[0] if instance.has("sso-only") else address, f"{other}-password", *words)
        before, _ = at_home.holder()
        yield from judge(instance, at_home, name, way)
        if before and before["sub"] != PEOPLE[name][2]:
            account = before["sub"]
            holder, reason = at_home.holder("--account", f"clerk https://latchkey.clerk.accounts.dev {account}")
            if (holder or {}).get("sub") != account:
                yield f"the other person has no token: {reason}"
    finally:
        at_home.close()


def main():
    tool, only = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    surroundings = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR")}
    surroundings.update(LC_ALL="C.UTF-8", HOME="/nonexistent")
    walks = unexpected = 0
    for settings in SETTINGS:
        setting = "+".join(settings) or "none"
        names = [(name, way, others) for name in PEOPLE for way in WAYS for others in (0, 1)]
        names = [name for name in names if f"{setting}/{name[0]}/{name[1]}/{name[2]}".startswith(only)]
        if not names:
            continue
        for name, way, others in names:
            with Instance(tool, settings, surroundings) as instance:
                wrong = list(walk(tool, instance, name, way, others, surroundings))
            walks += 1
            unexpected += bool(wrong)
            for line in wrong:
                print(f"tool: {setting}/{name}/{way}/{others}: {line}", file=sys.stderr, flush=True)
    print(
        f"tool_settings={len(SETTINGS)} tool_people={len(PEOPLE)} tool_methods={len(WAYS)} tool_walks={walks}"
        f" tool_unexpected={unexpected}")
    return 0 if walks and not unexpected else 1


sys.exit(main())
