"""Kills refreshes at a server that somebody else wrote, django-oauth-toolkit: independent.py TOOL.

It answers a used refresh token for as long as its setting REFRESH_TOKEN_GRACE_PERIOD_SECONDS says, and ends the session of one
that comes later. A proxy before it knows when a request is under way.
"""

import concurrent.futures
import itertools
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "services")]

from between import ACTED, ARRIVED, DELIVERED, START, Between  # noqa: E402
from home import Home  # noqa: E402
from programs import PATIENCE, Missing, find, free_port, text  # noqa: E402
from servers import ROOT  # noqa: E402
from tool import Tool  # noqa: E402

# How long a used token is answered, in seconds, and what the profile is told of it.
KINDS = ((0, ()), (10, ()), (10, ("--reuse-interval", "10s")), (60, ()))
# How long access tokens last, in seconds.
LIFETIME = 6
LATER = (0.0, 3.0)
SAME, OTHER, EIGHT = "the same process goes on", "another one asks", "eight ask at once"
# A process needs so long until its request is there, beside the wait for a request of another one.
LEAD = 1.6
AT_ONCE = 4
# The server makes its tables first.
STARTING = 120


class Server:
    """django-oauth-toolkit with a grace period, behind a proxy."""

    authority = None
    redirect_port = None

    def __init__(self, programs, grace, like=None):
        self.grace, port = grace, free_port()
        self.proxy = Between(port)
        self.state = os.path.join(programs.folder, f"django-{grace}")
        if like:
            # Its tables and its person: to make them takes many times as long as all the rest of a start.
            os.mkdir(self.state)
            for name in ("signing.key", "django.db"):
                shutil.copy(os.path.join(like.state, name), self.state)
        process = programs.start(
            [os.path.join(ROOT, "Tests/Servers/django/start"), "--state", self.state, "--port", str(port), "--grace", str(grace),
             "--lifetime", str(LIFETIME), "--public", self.proxy.origin, "--hold"],
            stdin=subprocess.PIPE)
        try:
            self.issuer = find(process, r"(?m)^http://127\.0\.0\.1:\d+/o$", STARTING)
        except RuntimeError:
            if process.poll() == 77:
                raise Missing(text(process).strip()) from None
            raise

    def would_answer(self, token, after):
        """Whether the session of this refresh token is kept if it is used so many seconds from now."""
        acted = self.proxy.acted.get(token)
        return acted is None or time.monotonic() + after - acted < self.grace


def play(programs, path, server, words, number, moment, who, later):
    """Whether the session is kept, whether the server would have kept it, how many who asked got no token, and how long it took."""
    tool = Tool(programs, path, f"r{number}", server)
    tool.login("pub1", *words)
    held = tool.kept()
    time.sleep(LIFETIME + 0.2)
    hold = server.proxy.hold(held, moment)
    process = programs.start([path, "token"], tool.home)
    if moment == START:
        time.sleep(0.01)
    elif not hold.reached.wait(PATIENCE):
        raise RuntimeError(f"no request arrives: {text(process)}")
    if who == SAME:
        hold.go.set()
        began, askers = time.monotonic(), [process]
        is_answered = server.would_answer(held, LEAD)
    else:
        process.kill()
        process.wait()
        hold.go.set()
        time.sleep(later)
        is_answered = server.would_answer(tool.kept(), LEAD)
        began = time.monotonic()
        askers = [programs.start([path, "token"], tool.home) for _ in range(8 if who == EIGHT else 1)]
    ends = [asker.wait(PATIENCE) for asker in askers]
    waited = time.monotonic() - began
    failed = [text(asker).strip() for asker, end in zip(askers, ends) if end]
    # Whether the session is kept, at both ends, says one more refresh. Before it a first one may be the first to get the
    # repeated answer, which here has the ID token of another access token.
    is_kept = any(tool.run("refresh")[0] == 0 for _ in range(2))
    return is_kept, is_answered, failed, waited


def runs():
    yield from itertools.product((START, ARRIVED, ACTED, DELIVERED), (OTHER, EIGHT), LATER)
    yield from itertools.product((ARRIVED, ACTED), (SAME,), LATER[:1])


def attempt(programs, path, servers, number, kind, run):
    try:
        return play(programs, path, servers[kind[0]], kind[1], number, *run)
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        return problem


def start(programs):
    """A server for each grace period; the first one makes the tables of all."""
    servers = {}
    for grace, _ in KINDS:
        if grace not in servers:
            servers[grace] = Server(programs, grace, next(iter(servers.values()), None))
    return servers


def main(path):
    lost = needless = wrong = failures = 0
    waits = []
    with Home() as programs, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            servers = start(programs)
        except Missing as missing:
            print(f"kills: {missing}: run Scripts/setup --servers", file=sys.stderr)
            return 3
        chosen = [(number, *pair) for number, pair in enumerate(itertools.product(KINDS, runs()))]
        for (_, kind, run), found in zip(chosen, pool.map(lambda one: attempt(programs, path, servers, *one), chosen)):
            name = f"django-oauth-toolkit with {kind[0]} s{', named' if kind[1] else ''}, {run[0]}, {run[1]} {run[2]:.0f} s later"
            if isinstance(found, Exception):
                wrong += 1
                print(f"{name}: {found}", flush=True)
                continue
            is_kept, is_answered, failed, waited = found
            waits.append(waited)
            lost += not is_kept
            if not is_kept and is_answered:
                needless += 1
                print(f"{name}: lost, and the server would have answered: {failed[:1]}", flush=True)
            elif is_kept and failed:
                failures += 1
                if kind[1] and run[1] != SAME:
                    wrong += 1
                    print(f"{name}: {len(failed)} got no token: {failed[0]}", flush=True)
    waits.sort()
    median, worst = (waits[len(waits) // 2], waits[-1]) if waits else (0.0, 0.0)
    print((f"wrong={wrong} " if wrong else "") + f"django-oauth-toolkit runs={len(chosen)} lost={lost} lost_needlessly={needless} "
          f"kept_after_error={failures} wait_median={median:.1f}s wait_worst={worst:.1f}s")
    return 1 if needless or wrong else 0


sys.exit(main(*sys.argv[1:]))
