"""The documentation's site in Chromium: docs.py SITE EVERY."""

import os
import shutil
import sys
import tempfile
import threading
import urllib.parse

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "docs"))

from chromium import Chromium
from devtools import Refused
from serve import server

# What docc's program shows for an address that it has no page for.
NOT_FOUND = "can't be found"
# A page is drawn once it has its heading, and nothing that it asked for is missing.
DRAWN = "!!document.querySelector('h1') && document.readyState === 'complete' && document.fonts.status === 'loaded'"
LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.href)"
PLACES = "[...document.querySelectorAll('[id]')].map(e => e.id)"


class Faults:
    """What went wrong on one page, from its start, and which of its requests are under way."""

    def __init__(self, page):
        self.session, self.found, self.under_way = page.session, [], {}
        page.tools.listen(self._hear)
        page.call("Log.enable")

    def _hear(self, session, method, parameters):
        if session != self.session:
            return
        if method == "Network.requestWillBeSent":
            self.under_way[parameters["requestId"]] = parameters["loaderId"]
        elif method in ("Network.loadingFinished", "Network.loadingFailed"):
            self.under_way.pop(parameters["requestId"], None)
        elif method == "Page.frameNavigated" and "parentId" not in parameters["frame"]:
            # What the page before has asked for no longer counts.
            present = parameters["frame"]["loaderId"]
            self.under_way = {name: loader for name, loader in self.under_way.items() if loader == present}
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.found.append(f"a script: {details.get('exception', {}).get('description', details['text'])[:200]}")
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.found.append(f"the console: {[a.get('value') for a in parameters['args']]}")
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.found.append(f"the log: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        elif method == "Network.loadingFailed" and not parameters.get("canceled"):
            self.found.append(f"a request failed: {parameters['errorText']}")

    def take(self):
        found, self.found[:] = list(dict.fromkeys(self.found)), []
        return found


class Look:
    """Opens pages of a site one after the other, in one tab, and counts what is wrong."""

    def __init__(self, chromium, folder, origin):
        self.folder, self.origin = folder, origin
        self.page = chromium.person([origin])
        self.faults = Faults(self.page)
        self.opened, self.missing, self.errors, self.slow = [], [], [], []
        self.links, self.places = {}, {}

    def open(self, path):
        # On a busy machine docc's program has been seen to stop half-way, about once in a thousand pages.
        if not self._draws(path) and not self._draws(path):
            self.missing.append(f"{path} is not drawn; it says: {self.page.text[:80]!r}")
        address = urllib.parse.urlsplit(self.page.address).path
        self.opened.append(address)
        if NOT_FOUND in self.page.text.replace("’", "'"):
            self.missing.append(f"{path} says that it cannot be found")
        self.errors += [f"{path}: {fault}" for fault in self.faults.take()]
        self.places[_key(address)] = set(self.page.evaluate(PLACES))
        for link in self.page.evaluate(LINKS):
            if link.startswith(self.origin):
                self.links.setdefault(link.removeprefix(self.origin), path)
        return address

    def _draws(self, path):
        """Goes to a page: whether it is drawn in time."""
        self.page.open(self.origin + path)
        try:
            self.page.tools.until(lambda: self._is_drawn() or self._turns(), "", 10)
        except Refused:
            self.slow.append(path)
            return False
        return True

    def _is_drawn(self):
        try:
            return self.page.evaluate(DRAWN) and not self.faults.under_way
        except Refused:
            # The page went on to another one meanwhile, as the front page does.
            return False

    def _turns(self):
        """Lets Chromium go on for a moment: evaluating alone reads what has arrived."""
        threading.Event().wait(0.02)
        return False

    def broken(self):
        """Links that lead to no file; to no place of their page, if that was opened."""
        for link, page in sorted(self.links.items()):
            path, _, place = link.partition("#")
            path = urllib.parse.unquote(path.split("?")[0])
            file = self.folder + path
            if not (os.path.isfile(file) or os.path.isfile(os.path.join(file, "index.html"))):
                yield f"{page} leads to {link}"
            elif place and _key(path) in self.places and not self._has(path, place):
                yield f"{page} leads to no place: {link}"

    def _has(self, path, place):
        places = self.places[_key(path)]
        # docc's program gives the whole page the place app-top.
        return place in places or urllib.parse.unquote(place) in places


def _key(path):
    return path.rstrip("/").lower()


def choose(folder, every):
    """The paths to open: every product's page, every guide, and every N-th of the rest."""
    pages = []
    base = os.path.join(folder, "documentation")
    for path, _, names in os.walk(base):
        if "index.html" in names:
            pages.append(os.path.relpath(path, folder))
    pages.sort()
    products = [page for page in pages if page.count("/") <= 1]
    guides = [page for page in pages if page.count("/") == 2 and _is_article(folder, page)]
    rest = [page for page in pages if page not in {*products, *guides}]
    return ["/" + page + "/" for page in [*products, *guides, *rest[::every]]]


def _is_article(folder, page):
    with open(os.path.join(folder, "data", page + ".json"), encoding="utf-8") as file:
        return '"role":"article"' in file.read().replace(" ", "")


def walk(chromium, folder, paths):
    """Looks at the pages of a site that is served while this runs."""
    with server(folder) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        look = Look(chromium, folder, f"http://127.0.0.1:{site.server_port}")
        for path in paths:
            look.open(path)
        site.shutdown()
    return look


FAULTS = {
    "a page that is not found": ("<h1>The page you're looking for can't be found.</h1>", "missing"),
    "a page that is never drawn": ("<p>Loading</p>", "missing"),
    "a script that throws": ("<h1>a</h1><script>throw new Error('a')</script>", "errors"),
    "a picture that is not there": ("<h1>a</h1><img src='/nothing.png'>", "errors"),
    "a link to no page": ("<h1>a</h1><a href='/documentation/nothing/'>a</a>", "broken"),
    "a link to no place": ("<h1>a</h1><a href='#nothing'>a</a>", "broken"),
    "a picture of another origin": ("<h1>a</h1><img src='http://localhost:1/a.png'>", "external"),
}


def prove(chromium):
    """Shows that each fault is found, and none in a good page. Returns what was not."""
    wrong = []
    folder = tempfile.mkdtemp(prefix="latchkey-docs-")
    try:
        good = "<h1 id='a'>a</h1><a href='#a'>a</a><link rel=icon href='data:,'>"
        for name, (page, kind) in {"": (good, ""), **FAULTS}.items():
            with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
                file.write(f"<!doctype html><link rel=icon href='data:,'><title>a</title>{page}")
            counts = figures(walk(chromium, folder, ["/"]))
            found = {key for key, value in counts.items() if value}
            if not kind and found or kind and kind not in found:
                wrong.append(f"not found: {name}; found: {sorted(found)}" if kind else f"found where nothing is: {sorted(found)}")
    finally:
        shutil.rmtree(folder)
    return wrong


def figures(look):
    return {
        "missing": look.missing, "errors": look.errors, "broken": list(look.broken()),
        "external": look.page.traffic.external,
    }


def main(folder, every):
    with Chromium() as chromium:
        print(f"{chromium.version}; pages with one fault each come first", flush=True)
        wrong = prove(chromium)
        print(f"faults={len(FAULTS)} found={len(FAULTS) - len(wrong)}", flush=True)
        paths = ["/", *choose(folder, int(every))]
        look = walk(chromium, folder, paths)
    found = figures(look)
    if look.opened[0] != "/documentation/":
        found["missing"].append(f"the front page does not open: it ends at {look.opened[0]}")
    for path in look.slow:
        print(f"  {path} was not drawn within ten seconds")
    for fault in [*wrong, *(fault for faults in found.values() for fault in faults)]:
        print(f"  {fault}")
    counts = " ".join(f"{name}={len(faults)}" for name, faults in found.items())
    print(f"pages={len(look.opened)} links={len(look.links)} {counts}")
    return 1 if wrong or any(found.values()) else 0


sys.exit(main(*sys.argv[1:]))
