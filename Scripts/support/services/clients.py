"""Other people's clients at the development server: clients.py TOOL PYTHON, with a Python that has supabase-py."""

import json
import os
import sys

from agent import Agent
from programs import Programs
from servers import DevServer


def supabase(programs, server, python):
    """Every step of supabase-py: whether all went as they must."""
    steps = os.path.join(os.path.dirname(os.path.realpath(__file__)), "supabase_steps.py")
    status, said = programs.run([python, steps, json.dumps(server.about)], "supabase", patience=90)
    print(said.rstrip(), flush=True)
    return status == 0


def agent(programs, server):
    """oidc-agent's sign-in and refreshes: whether both went as they must."""
    # People decide at the page, and the agent asks each second.
    server.control("configure", {"autoApprove": False, "deviceInterval": 1})
    client = Agent(programs, server)
    results = {"device": client.device(), "refresh": None}
    results["refresh"] = "nobody is signed in" if results["device"] else client.refresh()
    for name, wrong in results.items():
        if wrong:
            print(f"  {name}: {wrong.strip()}")
    print("oidc-agent " + " ".join(f"{name}={'failed' if wrong else 'ok'}" for name, wrong in results.items()), flush=True)
    return not any(results.values())


def main(tool, python):
    with Programs() as programs:
        # So that what tells a refreshed token from an older one is not its age.
        server = DevServer(programs, tool, 300)
        good = [supabase(programs, server, python), agent(programs, server)]
    return 0 if all(good) else 1


sys.exit(main(*sys.argv[1:]))
