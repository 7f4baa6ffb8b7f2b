"""Other people's clients at the development server: clients.py TOOL PYTHON, with a Python that has those which are Python."""

import json
import os
import sys

from agent import Agent
from consumer import Consumer, ConsumerWalk
from helpers import prove
from httpd import Site, SiteWalk
from programs import Missing, Programs, free_port
from servers import DevServer

HERE = os.path.dirname(os.path.realpath(__file__))


def steps(programs, server, python, name):
    """Every step of a file that says itself how they went: whether all went as they must."""
    status, said = programs.run([python, "-B", os.path.join(HERE, name), json.dumps(server.about)], name, patience=90)
    print(said.rstrip(), flush=True)
    return status == 0


def walk(name, steps):
    """Runs steps, each a name and a function that raises what went wrong, and prints a line: whether all were right."""
    results = {}
    for step, run in steps:
        try:
            run()
            results[step] = "ok"
        except (RuntimeError, OSError, ValueError, KeyError) as wrong:
            results[step] = "failed"
            print(f"  {name} {step}: {' '.join(str(wrong).split())[:1500]}")
    print(name, *(f"{step}={result}" for step, result in results.items()), flush=True)
    return set(results.values()) == {"ok"}


def agent(programs, server):
    """oidc-agent's sign-in and refreshes: whether both went as they must."""
    client = Agent(programs, server)

    def right(wrong):
        if wrong:
            raise RuntimeError(wrong)

    return walk("oidc-agent", [
        ("device", lambda: right(client.device())), ("refresh", lambda: right(client.refresh()))])


def site(programs, server, port):
    """Apache's sign-in, refreshes and sign-out: whether all went as they must."""
    site = Site(programs, port, server)
    try:
        walker = SiteWalk(site, server)
        return walk("mod_auth_openidc", [(step.__name__, lambda step=step: step(walker)) for step in walker.STEPS])
    finally:
        site.remove()


def consumer(programs, server, python, port):
    """The sign-ins of an application with django-allauth: whether all went as they must."""
    walker = ConsumerWalk(Consumer(programs, python, port, server), server)
    return walk("django-allauth", [(step.__name__, lambda step=step: step(walker)) for step in walker.STEPS])


def main(tool, python):
    with Programs() as programs:
        ports = {"site": free_port(), "consumer": free_port()}
        redirects = {
            "site": f"http://127.0.0.1:{ports['site']}/protected/callback",
            "consumer": f"http://127.0.0.1:{ports['consumer']}/accounts/oidc/dev/login/callback/",
        }
        more = [word for redirect in redirects.values() for word in ("--redirect", redirect)]
        # So that what tells a refreshed token from an older one is not its age.
        server = DevServer(programs, tool, 300, *more)
        good = [steps(programs, server, python, "supabase_steps.py")]
        # People decide at the page, and programs ask each second.
        server.control("configure", {"autoApprove": False, "deviceInterval": 1})
        try:
            good += [
                agent(programs, server), steps(programs, server, python, "authlib_steps.py"),
                site(programs, server, ports["site"]), consumer(programs, server, python, ports["consumer"]),
            ]
        except Missing as missing:
            print(f"verify clients: {missing}: run Scripts/setup --servers", file=sys.stderr)
            return 3
        server.control("configure", {"autoApprove": True})
        good.append(prove(programs, tool, server))
    return 0 if all(good) else 1


sys.exit(main(*sys.argv[1:]))
