"""Kills refreshes at every moment: main.py TOOL [--moments N] [--all] [--only WORD]..."""

import argparse
import concurrent.futures
import itertools
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))

from grace import Services  # noqa: E402
from home import Home  # noqa: E402
from kill import KINDS, SIGNALS, Play, Run, Wrong  # noqa: E402

# Most of a run is waiting.
AT_ONCE = 8
LATER = (0.0, 3.0, 8.0, 12.0)
ASKERS = (1, 8)


def length(programs, tool, services):
    """How long a refresh takes that nobody disturbs."""
    play = Play(programs, tool, services.make("whole", KINDS[0]), Run(KINDS[0], "SIGKILL", 0, 0, 1, 0))
    play.take_over()
    time.sleep(1.1)
    began = time.monotonic()
    play.end(play.start("token"))
    return time.monotonic() - began


def runs(moments, whole, is_all):
    """Each kind at each moment; the rest in turn, or all of it."""
    numbers = itertools.count(1)
    rest = list(itertools.product(SIGNALS, LATER, ASKERS))
    turn = 0
    for kind in KINDS:
        for moment in range(moments):
            # Half of the steps are killed: the others end by themselves, in their own time.
            chosen = rest if is_all else [("SIGKILL", LATER[turn % 4], ASKERS[turn // 4 % 2]), rest[turn * 7 % len(rest)]]
            turn += 1
            for way, later, askers in chosen:
                yield Run(kind, way, whole * 1.1 * moment / moments, later, askers, next(numbers))


def attempt(programs, tool, services, run):
    try:
        return Play(programs, tool, services.make(f"s{run.number}", run.kind), run).play()
    except Wrong as problem:
        return problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    words = parser.parse_args()
    services = Services()
    lost = needless = wrong = 0
    waits = []
    with Home() as programs, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        whole = length(programs, words.tool, services)
        chosen = [run for run in runs(words.moments, whole, words.all) if all(word in run.name for word in words.only)]
        for run, found in zip(chosen, pool.map(lambda run: attempt(programs, words.tool, services, run), chosen)):
            if isinstance(found, Wrong):
                wrong += 1
                print(f"{run.name}: {found}", flush=True)
                continue
            is_kept, is_answered, waited, said = found
            waits.append(waited)
            lost += not is_kept
            if not is_kept and is_answered:
                needless += 1
                print(f"{run.name}: lost, and the service would have answered: {said}", flush=True)
    waits.sort()
    if wrong:
        print(f"wrong={wrong}")
    median, worst = (waits[len(waits) // 2], waits[-1]) if waits else (0.0, 0.0)
    print(f"runs={len(chosen)} lost={lost} lost_needlessly={needless} wait_median={median:.1f}s wait_worst={worst:.1f}s")
    return 1 if needless or wrong or not chosen else 0


sys.exit(main())
