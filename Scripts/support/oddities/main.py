"""Signs the built tool in at services that answer as real ones were reported to: main.py TOOL [--list] [--only NAME]."""

import argparse
import concurrent.futures
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

import tables  # noqa: E402
from issuer import Issuer  # noqa: E402
from walk import Programs, Walk, Wrong  # noqa: E402
from wire import Server, page  # noqa: E402

# The machine has few processors, and most of a walk is the tool's own work.
AT_ONCE = 2

DISCOVERY = "/.well-known/openid-configuration"
METADATA = "/.well-known/oauth-authorization-server"


class Services:
    """All issuers of a run behind one port, told apart by the first part of the path."""

    def __init__(self, scenarios):
        self.server = Server(self.handle)
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.issuers = {scenario.name: Issuer(self.base, scenario) for scenario in scenarios}

    def handle(self, request):
        if request.path.startswith(METADATA + "/"):
            name, place = request.path[len(METADATA) + 1:].rstrip("/"), "metadata"
        else:
            name, _, place = request.path.lstrip("/").partition("/")
            place = "discovery" if "/" + place.lstrip("/") == DISCOVERY else place
        issuer = self.issuers.get(name)
        return issuer.handle(request, place) if issuer else page(404)


def walk(tool, issuer):
    """What is wrong with a scenario, or None."""
    with Programs() as programs:
        try:
            Walk(programs, tool, issuer).go()
        except Wrong as wrong:
            return str(wrong)
    return None


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
    services = Services(scenarios)
    right = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda issuer: walk(words.tool, issuer), services.issuers.values())
        for scenario, wrong in zip(scenarios, found):
            right += wrong is None
            if wrong:
                print(f"{scenario.name}: {scenario.oddity}\n  {wrong}", flush=True)
    print(f"scenarios={len(scenarios)} right={right}")
    return 0 if right == len(scenarios) else 1


sys.exit(main())
