"""Makes each environment, and walks through it: main.py TOOL FOLDER [--only WORD]... [--list] [--more]."""

import argparse
import concurrent.futures
import subprocess
import sys
import traceback

from libraries import build
from machine import prepare
from scene import VICTIM
from table import ENVIRONMENTS
from walk import walk

# Two at a time: a walk is mostly processes that begin and end.
AT_ONCE = 2
KINDS = ("lost", "untrue", "harmed", "harmful")


def attempt(case, tool):
    try:
        return walk(case, tool)
    except Exception:
        return traceback.format_exc()


def show(case, found, more):
    if isinstance(found, str):
        print(f"{case.name}: could not be made\n{found}", flush=True)
        return
    figures = f"hints {found.hints}, mended {found.mended}"
    print(f"{case.name}: {', '.join(found.statuses)}; {figures}", flush=True)
    for kind, text in found.problems:
        print(f"  {kind}: {text}", flush=True)
    for text in found.fruitless if more else ():
        print(f"  not mended: {text}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("folder")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--more", action="store_true")
    words = parser.parse_args()
    cases = [case for case in ENVIRONMENTS if (not words.only or any(word in case.name for word in words.only))]
    if words.list:
        print("\n".join(case.name for case in cases))
        return 0
    tool = prepare(words.tool, words.folder)
    build(words.folder)
    if subprocess.run([tool, "--version"], user=VICTIM, group=VICTIM, extra_groups=[], cwd="/", env={}, check=False,
                      capture_output=True).returncode:
        print("another user may not run the tool here: its libraries, Swift's among them, are not for everybody to read")
        return 3
    figures = dict.fromkeys(("environments", "commands", "hints", "mended", *KINDS), 0)
    broken = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for case, found in zip(cases, pool.map(lambda case: attempt(case, tool), cases)):
            show(case, found, words.more)
            if isinstance(found, str):
                broken += 1
                continue
            figures["environments"] += 1
            for name in ("commands", "hints", "mended"):
                figures[name] += getattr(found, name)
            for kind in KINDS:
                figures[kind] += found.count(kind)
    order = ("environments", "commands", "lost", "untrue", "hints", "mended", "harmed", "harmful")
    print(" ".join(f"{name}={figures[name]}" for name in order))
    return 1 if broken or not cases or any(figures[kind] for kind in KINDS) else 0


sys.exit(main())
