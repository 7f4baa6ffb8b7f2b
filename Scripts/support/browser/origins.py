"""A page that signs in at a development server of another origin, by fetch alone: origins.py TOOL."""

import functools
import http.server
import json
import os
import sys
import threading
from urllib.parse import urlencode

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "services"))

from chromium import Chromium
from programs import Programs
from servers import DevServer


class Site(http.server.SimpleHTTPRequestHandler):
    """The page's own origin, which says nothing of what it serves."""

    def log_message(self, *_):
        pass


class Preflights:
    """How many questions the browser asked before its requests."""

    def __init__(self, tools):
        self.count = 0
        tools.listen(self._hear)

    def _hear(self, _, method, parameters):
        if method == "Network.requestWillBeSent" and parameters["initiator"]["type"] == "preflight":
            self.count += 1


def main(tool):
    site = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Site, directory=os.path.join(HERE, "origins")))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    own = f"http://127.0.0.1:{site.server_port}"
    with Programs() as programs, Chromium() as chromium:
        server = DevServer(programs, tool, 300)
        project = server.about["supabase"]
        secret = next(client["secret"] for client in server.about["clients"] if client["clientId"] == "dev-service")
        preflights = Preflights(chromium.tools)
        page = chromium.person([own, server.issuer])
        print(f"{chromium.version}: {own} asks {server.issuer}", flush=True)
        page.open(f"{own}/?" + urlencode({
            "service": project["url"], "key": project["publishableKey"], "email": project["users"][0]["email"],
            "password": project["users"][0]["password"], "secret": secret,
        }))
        chromium.tools.until(lambda: page.title == "done", "the page does not come to its end")
        steps = json.loads(page.evaluate("document.querySelector('pre').textContent"))
    site.shutdown()
    for step in steps:
        print(f"  {step['name']}: " + ("ok" if step["ok"] else step["why"]))
    ok = sum(step["ok"] for step in steps)
    print(f"origins=2 preflights={preflights.count} steps={len(steps)} ok={ok}")
    return 0 if steps and ok == len(steps) and preflights.count else 1


sys.exit(main(*sys.argv[1:]))
