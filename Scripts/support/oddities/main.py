"""Signs the tool in at services that answer as real ones were reported to: main.py TOOL [--list] [--only NAME]."""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

import tables  # noqa: E402
from providers import walks  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    words = parser.parse_args()
    scenarios = [scenario for scenario in tables.ALL if not words.only or scenario.name in words.only]
    if words.list:
        for scenario in scenarios:
            print(f"{scenario.name}\n  {scenario.oddity}\n  {scenario.report}")
        print(f"scenarios={len(scenarios)}")
        return 0
    unknown = set(words.only) - {scenario.name for scenario in scenarios}
    if unknown:
        print(f"there is no scenario {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    right = refused = alive = 0
    for scenario, wrong, issuer in walks(words.tool, scenarios):
        right += wrong is None
        refused += scenario.login.status != 0
        alive += issuer.left_alive
        if wrong:
            print(f"{scenario.name}: {scenario.oddity}\n  {wrong}", flush=True)
    print(f"scenarios={len(scenarios)} right={right} refused={refused} alive={alive}")
    return 0 if right == len(scenarios) else 1


sys.exit(main())
