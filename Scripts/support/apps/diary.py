"""The mood diary, and the service that it sends to."""

import http.server
import threading
import time
import urllib.error
import urllib.request

from service import OPENER
from walk import Walk


class Events(http.server.ThreadingHTTPServer):
    """Stores each event once, for whoever shows a token that the identity service accepts now."""

    daemon_threads = True

    def __init__(self, project):
        super().__init__(("127.0.0.1", 0), Answer)
        self.project, self.stored, self.refused, self.resent = project, {}, 0, 0
        self.address = f"http://127.0.0.1:{self.server_port}/events"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def accepts(self, token):
        request = urllib.request.Request(
            f"{self.project}/auth/v1/user", headers={"Authorization": token, "apikey": "sb_publishable_development"})
        try:
            with OPENER.open(request, timeout=3):
                return 201
        except urllib.error.HTTPError:
            return 401
        except OSError:
            return 503


class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        events = self.server
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        status = events.accepts(self.headers.get("Authorization", ""))
        name = self.headers.get("Idempotency-Key", "")
        if status == 401:
            events.refused += 1
        elif status == 201:
            events.resent += name in events.stored
            events.stored[name] = text
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Diary(Walk):
    app = "diary"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.events = Events(self.service.address)
        self.options = ["--events", self.events.address]
        self.written = []

    def walk(self):
        phone = self.phone()
        phone.launch("^sign-in; 0 wait$")
        phone.tap("write nobody", "^sign-in")
        self.wrong_password(phone)
        self.sign_in(phone)
        self.write(phone, 5)
        self.sent(phone)
        self.step("what was written is sent in the background")
        phone.quit()
        phone.launch("^signed in as ada@example.test.*; 0 wait$")
        self.while_still(phone)
        self.killed(phone)
        self.held_answer(phone, lambda: self.sent(phone))
        self.locked(phone)
        self.ended(phone)
        self.second(phone)
        self.nothing_left(phone)
        self.need(sorted(self.events.stored.values()) == sorted(self.written), "an event is lost, or there twice")
        self.step(f"{len(self.written)} events were written, and each is at the service once")
        phone.quit()

    def write(self, phone, count):
        for _ in range(count):
            text = f"mood {len(self.written) + 1}"
            phone.tap(f"write {text}", "^written; ")
            self.written.append(text)

    def sent(self, phone, patience=20):
        phone.wait("state", "^signed in as [^;]*;.* 0 wait$", patience)
        self.need(set(self.events.stored.values()) == set(self.written), "the service has not what was written")

    def while_still(self, phone):
        """The identity service stands still."""

        def works():
            self.write(phone, 1)
            self.sent(phone)

        self.service.stop()
        try:
            self.write(phone, 3)
            phone.wait("state", "^offline as ada@example.test.*; [1-3] wait$")
            phone.kill()
            phone.launch("^(signed in|offline) as ada@example.test.*; [1-3] wait$")
            self.write(phone, 2)
        finally:
            self.service.go_on()
        phone.wait("stay", "^signed in")
        works()
        self.step("the service stood still, and the app was killed meanwhile: everything waited, and was sent afterwards")

    def killed(self, phone):
        for delay in (0, 0.002, 0.005, 0.01, 0.03, 0.08):
            self.write(phone, 2)
            phone.send("stay")
            time.sleep(delay)
            phone.kill()
            phone.launch("^(signed in|offline) as ada@example.test")
        self.sent(phone)
        self.step("killed 6 times while it sent and refreshed: signed in each time, and everything was sent")

    def locked(self, phone):
        self.lock_and_unlock(phone, "^signed in as ada@example.test")
        phone.tap("unlock-on 2468", "with a lock")
        self.write(phone, 1)
        self.sent(phone)
        phone.tap("lock", "^locked")
        phone.tap("write nothing", "^locked")
        phone.tap("unlock 2468", "^signed in")
        phone.tap("unlock-off", "^signed in")
        self.step("while it is locked nothing is written")

    def ended(self, phone):
        """A session that ends in the middle stops the queue, once, and keeps what is in it."""
        def ends():
            self.service.revoke(self.person)
            self.write(phone, 1)

        refreshes = len(self.refusals())
        self.ended_at_the_service(phone, ends)
        waiting = phone.tap("state", "; [1-9] wait$").split("; ")[-1]
        refused, refusals = self.events.refused, len(self.refusals())
        time.sleep(2)
        self.need(self.events.refused == refused, "requests are sent while nobody is signed in")
        self.need(len(self.refusals()) == refusals == refreshes + 1, f"{refusals - refreshes} refreshes were refused")
        phone.kill()
        phone.launch("^sign-in again: .*; [1-9] wait$")
        self.step(f"the outbox stopped after one refused refresh; {waiting}, at the next launch too")
        self.sign_in(phone)
        self.sent(phone)
        self.step("it went on after the sign-in")

    def refusals(self):
        """The refreshes that the service refused."""
        return [entry for entry in self.service.control("log")["entries"]
                if entry["endpoint"] == "supabase_token" and entry.get("grant") == "refresh_token" and entry["outcome"] != "ok"]

    def second(self, phone):
        """What one person wrote waits while another one is there."""
        self.service.stop()
        try:
            self.write(phone, 2)
            phone.wait("state", "^offline as ada@example.test.*; [12] wait$")
        finally:
            self.service.go_on()
        self.sign_in(phone, self.other, self.other_password)
        self.write(phone, 1)
        phone.wait("state", "; [0-2] wait$")
        phone.tap("sign-out", "^(signed in|offline) as ada@example.test")
        phone.wait("stay", "^signed in as ada@example.test")
        self.sent(phone)
        self.step("a second person's moods are sent as hers, and the first one's went on waiting for her")
