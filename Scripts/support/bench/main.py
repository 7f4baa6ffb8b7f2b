"""Refreshes beside other tools: main.py TOOL [--rounds N]. See Scripts/bench --help."""

import argparse
import os
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from contestants import Latchkey, authlib, count, oidc_token  # noqa: E402
from programs import Missing, Programs  # noqa: E402
from servers import DevServer  # noqa: E402

# Seconds for which tokens last that are to end at once, and others.
SHORT, LONG = 1, 3_600
# How many ask at the same time, and the word for it.
CROWDS = {8: "eight", 50: "fifty"}
# What the token by our agent may cost, beside oidc-token.
AGENT_LIMIT = 1.2


def show(name, ours, theirs, limit=None):
    ratio = ours / theirs
    end = "" if limit is None else f" limit={limit} {'ok' if ratio <= limit else 'OVER'}"
    print(f"{name:22} ours={ours * 1000:.1f}ms reference={theirs * 1000:.1f}ms ratio={ratio:.2f}{end}", flush=True)


class Bench:
    """The contestants, and what each measurement found."""

    def __init__(self, server, contestants, rounds):
        self.server, self.all, self.rounds = server, contestants, rounds
        # By row and contestant: the times in seconds, and how many requests the server got.
        self.times, self.requests = {}, {}

    def arrived(self):
        """The requests that the server got so far."""
        return self.server.control("log")["total"]

    def expire(self, contestants):
        """Leaves each with a token that has ended, at a server whose next one lasts."""
        self.server.control("configure", {"accessTokenLifetime": SHORT})
        for contestant in contestants:
            contestant.run(contestant.force)
        self.server.control("configure", {"accessTokenLifetime": LONG})
        time.sleep(SHORT + 0.2)

    def measure(self, row, contestants, number=1, expired=False, rounds=None):
        """Lets each in turn run its command, so many at once, and notes the time until the last has ended."""
        for turn in range(rounds or self.rounds):
            if expired:
                self.expire(contestants)
            start = turn % len(contestants)
            for contestant in contestants[start:] + contestants[:start]:
                before = self.arrived()
                took = self.crowd(contestant, number)
                self.times.setdefault((row, contestant.name), []).append(took)
                self.requests.setdefault((row, contestant.name), []).append(self.arrived() - before)

    def crowd(self, contestant, number):
        with tempfile.TemporaryFile() as out:
            began = time.monotonic()
            processes = [contestant.start(contestant.token, out) for _ in range(number)]
            ends = [process.wait() for process in processes]
            took = time.monotonic() - began
            out.seek(0)
            lines = out.read().decode("utf-8", "replace").splitlines()
        if any(ends) or len(set(lines)) != 1 or len(lines) != number:
            raise RuntimeError(f"{contestant.name}: {number} at once end with {set(ends)}: {sorted(set(lines))}")
        return took

    def time(self, row, contestant):
        return statistics.median(self.times[row, contestant.name])

    def compare(self, row):
        """Prints a line for each of the others that was measured."""
        for other in self.all[1:]:
            if (row, other.name) in self.times:
                show(f"{row}-{other.name}", self.time(row, self.all[0]), self.time(row, other))

    def within(self, row, base):
        """Prints for each contestant how its time in a row compares with its time in another one."""
        for contestant in self.all:
            if (row, contestant.name) in self.times:
                show(f"{row}/{base} {contestant.name}", self.time(row, contestant), self.time(base, contestant))


def refreshes(bench, delay=50):
    bench.measure("cached", bench.all)
    bench.compare("cached")
    bench.measure("refresh", bench.all, expired=True)
    bench.compare("refresh")
    bench.server.control("faults", {"kind": "delay", "endpoint": "token", "milliseconds": delay, "count": 1_000})
    bench.measure(f"refresh-{delay}ms", bench.all, expired=True)
    bench.server.control("clear", {})
    bench.compare(f"refresh-{delay}ms")
    bench.server.control("configure", {"rotation": "none"})
    bench.measure("refresh-kept", bench.all, expired=True)
    bench.server.control("configure", {"rotation": "strict"})
    bench.compare("refresh-kept")


def crowds(bench):
    fewer = max(1, bench.rounds // 2)
    for number, word in CROWDS.items():
        bench.measure(f"{word}-cached", bench.all, number, rounds=fewer)
        bench.measure(word, bench.all, number, expired=True, rounds=fewer)
        bench.compare(word)
        bench.within(word, "refresh")
        bench.within(word, f"{word}-cached")


def requests(bench):
    """Prints how many requests a refresh is, the most of all rounds: whether ours is always one."""
    good = True
    for row in ["refresh", *CROWDS.values()]:
        counts = {one.name: bench.requests[row, one.name] for one in bench.all if (row, one.name) in bench.requests}
        print(f"{row + '-requests':22} " + " ".join(f"{name}={max(found)}" for name, found in counts.items()), flush=True)
        good = good and set(counts[bench.all[0].name]) == {1}
    return good


def calls(bench):
    """Prints how many system calls a token is, and how many of them wait for the disk."""
    for row, is_expired in (("cached", False), ("refresh", True)):
        if is_expired:
            bench.expire(bench.all)
        try:
            found = {one.name: count(one, one.token) for one in bench.all}
        except FileNotFoundError:
            print(f"{row + '-syscalls':22} not counted: strace is missing", flush=True)
            continue
        for index, name in enumerate(("syscalls", "fsyncs")):
            line = " ".join(f"{who}={numbers[index]}" for who, numbers in found.items())
            print(f"{row + '-' + name:22} {line}", flush=True)


def agent(bench, programs, tool, server, rounds):
    """Prints what a token costs that our agent hands out: whether it is within its limit."""
    served = Latchkey(programs, tool, server, is_served=True)
    others = [one for one in bench.all if one.name == "oidc-token"]
    try:
        again = Bench(server, [served, *others], rounds)
        again.measure("agent", again.all)
    finally:
        served.end()
    show("agent/cached latchkey", again.time("agent", served), bench.time("cached", bench.all[0]))
    for other in others:
        show("agent-oidc-token", again.time("agent", served), again.time("agent", other), AGENT_LIMIT)
    return all(again.time("agent", served) <= AGENT_LIMIT * again.time("agent", other) for other in others)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--rounds", type=int, default=9)
    words = parser.parse_args()
    with Programs() as programs:
        server = DevServer(programs, words.tool, LONG)
        contestants = [Latchkey(programs, words.tool, server)]
        # The others' pages are for a person, who says yes.
        server.control("configure", {"autoApprove": False, "deviceInterval": 1})
        for make in (oidc_token, authlib):
            try:
                contestants.append(make(programs, server))
            except Missing as missing:
                print(f"not beside it: {missing}", flush=True)
        server.control("configure", {"autoApprove": True})
        bench = Bench(server, contestants, words.rounds)
        refreshes(bench)
        crowds(bench)
        is_one = requests(bench)
        calls(bench)
        is_fast = agent(bench, programs, words.tool, server, words.rounds)
    return 0 if is_one and is_fast else 1


sys.exit(main())
