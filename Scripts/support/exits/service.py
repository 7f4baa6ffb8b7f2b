"""Strict services, each of which can hold one answer, and the store of a home, at a moment of an exchange."""

import fcntl
import os
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(HERE, "..", "oddities"), os.path.join(HERE, "..", "services")]

from issuer import CLIENT, Issuer  # noqa: E402, F401
from scenario import Scenario  # noqa: E402
from wire import Server, answer, page  # noqa: E402

# The moments at which a program is told to end.
BEFORE = "before it is sent"
UNDER_WAY = "under way"
ANSWERED = "answered, not stored"
STORED = "stored"
MOMENTS = (BEFORE, UNDER_WAY, ANSWERED, STORED)

# Whatever is held is let go after so many seconds, so that a check that fails ends.
LONGEST = 20


class Hold:
    """Holds one exchange at one moment: `reached` when a program is there, `go` lets it go on."""

    def __init__(self, moment, places, folder):
        self.moment, self.places, self.folder = moment, places, folder
        self.reached, self.go = threading.Event(), threading.Event()
        self.lock = threading.Lock()
        self.store = None

    def pass_on(self, place, issuer):
        """Called with each answer, before it is sent."""
        if self.moment == BEFORE:
            if place == "discovery" and self.first():
                self.go.wait(LONGEST)
        elif place in (self.places or ()) and self.counts(issuer) and self.first(announce=False):
            if self.moment == UNDER_WAY:
                self.reached.set()
                self.go.wait(LONGEST)
            else:
                threading.Thread(target=self.hold_store, daemon=True).start()
                # The answer leaves when the store is held.
                self.reached.wait(LONGEST)

    def counts(self, issuer):
        """Whether the answer is one that brings or ends something: a device's first polls bring nothing."""
        return issuer.last_status == 200

    def first(self, announce=True):
        with self.lock:
            if self.places is None:
                return False
            taken, self.places = self.places, None
        if announce:
            self.reached.set()
        return taken is not None

    def hold_store(self):
        """Holds the lock that every commit of the home's store needs, for an answer that is not to be stored yet."""
        if self.moment == STORED:
            self.reached.set()
            return
        files = [os.open(path, os.O_RDWR) for path in locks(self.folder)]
        for file in files:
            fcntl.flock(file, fcntl.LOCK_EX)
        self.reached.set()
        self.go.wait(LONGEST)
        for file in files:
            os.close(file)


def locks(folder):
    """The locks of the stores below a folder."""
    return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name == "store.lock"]


def forget_documents(folder):
    """Removes what is kept of services' documents, so that a refresh has to ask for them before it is sent."""
    for at, _, names in os.walk(folder):
        for path in (os.path.join(at, name) for name in names if name.endswith(".record")):
            with open(path, "rb") as file:
                is_kept = b"latchkey.documents" in file.read()
            if is_kept:
                os.remove(path)


class Strict(Issuer):
    """A service whose refresh tokens are good once, with nothing forgiven, and whose access tokens end soon."""

    def __init__(self, base, name, lifetime):
        super().__init__(base, Scenario(name, "one-time tokens", "", answer=self.soon))
        self.lifetime, self.hold, self.last_status = lifetime, None, 0

    def soon(self, found, turn):
        return {**found, "expires_in": self.lifetime}

    def imported(self):
        """A refresh token of another program's session, to be taken over."""
        with self.lock:
            self.given, self.refreshed = ["imported-" + os.urandom(8).hex()], 0
            self.authenticated = int(time.time()) - 60
            return self.given[-1]

    @property
    def is_alive(self):
        """Whether somebody is signed in, according to the service."""
        with self.lock:
            return bool(self.given) and self.newest not in self.revoked


class Services:
    """All services of a run behind one port, told apart by the first part of the path."""

    def __init__(self):
        self.server = Server(self.handle)
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.issuers = {}

    def issuer(self, name, lifetime=1):
        self.issuers[name] = Strict(self.base, name, lifetime)
        return self.issuers[name]

    def handle(self, request):
        name, _, place = urllib.parse.unquote(request.path).lstrip("/").partition("/")
        place = "discovery" if place == ".well-known/openid-configuration" else place
        issuer = self.issuers.get(name)
        if not issuer:
            return page(404)
        if place == "api":
            return answer({"hello": "ada"})
        found = issuer.handle(request, place)
        hold = issuer.hold
        if hold:
            issuer.last_status = found.status
            hold.pass_on(place, issuer)
        return found
