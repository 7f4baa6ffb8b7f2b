"""Plays the OpenID Foundation's tests for clients: relying_party.py TOOL PAGE [--write]."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

from providers import walks  # noqa: E402
from table_checks import CHECKS  # noqa: E402

BEGIN, END = "| Test | A client | Result | Latchkey |\n|---|---|---|---|\n", "\n<!-- end of the table -->"


def table():
    """The rows of the page."""
    lines = []
    for check in CHECKS:
        does = check.reason or ("does so" if check.result == "pass" else "refuses it")
        lines.append(f"| `{check.full_name}` | {check.demands} | {check.result.replace('_', ' ')} | {does} |")
    return BEGIN + "\n".join(lines)


def with_table(text):
    """The page with the table as it is now."""
    before, _, rest = text.partition(BEGIN)
    return before + table() + END + rest.partition(END)[2]


def main(tool, path, *words):
    failed = {}
    played = [check for check in CHECKS if check.scenario]
    for scenario, wrong, _ in walks(tool, [check.scenario for check in played]):
        if wrong:
            failed[scenario.name] = wrong
            print(f"{scenario.name}: {scenario.oddity}\n  {wrong}", flush=True)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    is_current = with_table(text) == text
    if "--write" in words:
        with open(path, "w", encoding="utf-8") as file:
            file.write(with_table(text))
    elif not is_current:
        print(f"{path} has another table: run Scripts/verify relying-party --write")
        failed["the page"] = ""
    figures = {result: 0 for result in ("pass", "refused", "not_applicable")}
    for check in CHECKS:
        figures[check.result] += check.full_name not in failed
    print(" ".join(f"{result}={number}" for result, number in figures.items()))
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))
