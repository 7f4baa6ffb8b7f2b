"""Ends programs at each moment of an exchange: main.py TOOL LEAVER [--only WORD]..."""

import argparse
import concurrent.futures
import itertools
import os
import signal
import sys
import threading

sys.path.insert(0, os.path.dirname(__file__))

from service import MOMENTS, Services  # noqa: E402
from commands import COMMANDS, PROGRAMS  # noqa: E402
from exit import Exit, Lost, Wrong, ways  # noqa: E402
from programs import Programs  # noqa: E402

# Most of an exit is waiting.
AT_ONCE = 12


class Home(Programs):
    """The programs of all exits, which start beside each other."""

    def __init__(self):
        self.lock = threading.Lock()

    def start(self, *words, **options):
        with self.lock:
            return super().start(*words, **options)


def exits(programs, tool, leaver, only):
    services = Services()
    number = itertools.count(1)
    for command in COMMANDS + PROGRAMS:
        for moment in MOMENTS:
            for way in ways(command, moment):
                issuer = services.issuer(f"s{next(number)}", command.lifetime)
                found = Exit(programs, tool, leaver, issuer, command, moment, way)
                if all(word in found.name for word in only):
                    yield found


def attempt(one):
    try:
        one.run()
    except (Lost, Wrong) as problem:
        return problem
    return None


def main():
    # What was started in the background, or by nohup, ignores them, and the programs that it starts would, too.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("leaver")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    words = parser.parse_args()
    with Home() as programs, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(exits(programs, words.tool, words.leaver, words.only))
        if words.list:
            print("\n".join(one.name for one in found))
            return 0
        lost = wrong = 0
        for one, problem in zip(found, pool.map(attempt, found)):
            lost += isinstance(problem, Lost)
            wrong += isinstance(problem, Wrong)
            if problem:
                print(f"{one.name}: {' '.join(str(problem).split())[:600]}", flush=True)
    commands = len({one.command.name for one in found})
    moments = len({one.moment for one in found})
    if wrong:
        print(f"wrong={wrong}")
    print(f"commands={commands} moments={moments} exits={len(found)} sessions_lost={lost}")
    return 1 if lost or wrong or not found else 0


sys.exit(main())
