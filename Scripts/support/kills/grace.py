"""Services that take a used refresh token again: for a while, a number of times, or never."""

import os
import sys
import time
import urllib.parse

HERE = os.path.dirname(__file__)
sys.path[:0] = [os.path.join(HERE, "..", "exits")]

from service import CLIENT, Strict  # noqa: E402, F401
from wire import Server, page  # noqa: E402

# How long a service takes over a refresh, in seconds.
SLOW = 0.1


class Grace(Strict):
    """One service: it repeats its last answer to the token before, as it says; any other use ends the session."""

    def __init__(self, base, name, interval=0.0, count=0):
        super().__init__(base, name, 1)
        self.interval, self.count, self.coming = interval, count, []
        self.rotated, self.last, self.used, self.repeats, self.is_over = 0.0, None, None, 0, False

    def handle(self, request, place):
        if place != "token" or request.form.get("grant_type") != "refresh_token":
            return super().handle(request, place)
        sent = request.form.get("refresh_token")
        with self.lock:
            self.coming.append(sent)
        time.sleep(SLOW)
        with self.lock:
            self.coming.remove(sent)
            if self.takes(sent):
                self.repeats += 1
                return self.last
            is_reused = sent != self.newest
            found = super().handle(request, place)
            if found.status == 200:
                self.rotated, self.last, self.used, self.repeats = time.monotonic(), found, sent, 0
            self.is_over = self.is_over or is_reused
            return found

    def takes(self, sent, after=0.0):
        """Whether the used token `sent` is answered, so many seconds from now."""
        if self.is_over or self.last is None or sent != self.used:
            return False
        return self.repeats < self.count or time.monotonic() + after - self.rotated < self.interval

    def would_answer(self, sent, after):
        """Whether the service would keep the session of the token `sent`, so many seconds from now."""
        with self.lock:
            if sent == self.newest and sent in self.coming:
                # It is acted on before anybody else comes.
                return not self.is_over and (self.count > 0 or after < self.interval)
            return not self.is_over and (sent == self.newest or self.takes(sent, after))


class Services:
    """All services of a run behind one port, told apart by the first part of the path."""

    def __init__(self):
        self.server = Server(self.handle)
        self.base = f"http://127.0.0.1:{self.server.port}"
        self.services = {}

    def make(self, name, kind):
        self.services[name] = Grace(self.base, name, kind.interval, kind.count)
        return self.services[name]

    def handle(self, request):
        name, _, place = urllib.parse.unquote(request.path).lstrip("/").partition("/")
        place = "discovery" if place == ".well-known/openid-configuration" else place
        service = self.services.get(name)
        return service.handle(request, place) if service else page(404)
