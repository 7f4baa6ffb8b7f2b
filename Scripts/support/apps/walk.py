"""One app walked from its first launch to its last, and what all walks have in common."""

import os
import re
import time

from phone import Phone, Wrong
from service import Service

# The delays after which an app is killed while it refreshes, in seconds.
DELAYS = (0, 0.001, 0.003, 0.006, 0.01, 0.02, 0.04, 0.08)
# What stands in every stored session, and in nothing else of an app's folder: the names and beginnings of tokens.
TOKENS = r"eyJ[A-Za-z0-9_-]{8,}|refresh_token|rft_"


class Walk:
    """The walk of one app. Subclasses have its steps."""

    app = ""
    person, password = "ada@example.test", "ada-password"
    other, other_password = "grace@example.test", "grace-password"

    def __init__(self, program, tool, folder, report):
        self.program, self.folder, self.report = program, os.path.join(folder, self.app), report
        os.makedirs(self.folder, mode=0o700)
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8"}
        self.errors = open(os.path.join(self.folder, "errors"), "w")
        self.options = []
        self.service = Service(tool, self.environment)
        self.phones = []
        self.steps = self.lost = 0
        self.said = []

    def phone(self, name="phone"):
        self.phones.append(Phone(self, name))
        return self.phones[-1]

    def heard(self, tap, shown):
        """Keeps the last things that the app said, for a report."""
        self.said = self.said[-8:] + [f"{tap} -> {shown}"]

    def step(self, saw):
        self.steps += 1
        self.report(f"ok  {self.app}: {saw}")

    def need(self, holds, what):
        if not holds:
            raise Wrong(what)

    def run(self):
        """Walks; returns whether every step was right."""
        try:
            self.walk()
            return True
        except Exception as error:
            text = f"not ok: {self.app}, after {self.steps} steps: {error or type(error).__name__}"
            self.report("\n      ".join([text] + self.said))
            return False
        finally:
            for phone in self.phones:
                phone.end()
            self.service.end()
            self.errors.close()

    @property
    def name(self):
        """The person's name in a pattern."""
        return re.escape(self.person)

    # Steps that several apps have.

    def sign_in(self, phone, person=None, password=None):
        person, password = person or self.person, password or self.password
        phone.tap(f"sign-in {person} {password}", f"^signed in as {re.escape(person)}")
        phone.signed_in = True

    def wrong_password(self, phone):
        phone.tap(f"sign-in {self.person} wrong-password", "^sign-in.*notice refused.wrongInput")
        self.step("a wrong password is the person's to correct, and signs nobody in")

    def outage(self, phone, works):
        """The service stands still in the middle, or cannot be reached: nobody is signed out, and the app goes on afterwards."""
        troubles = [("stood still", self.service.stop, self.service.go_on),
                    ("could not be reached", self.service.wire.cut, self.service.wire.mend)]
        for trouble, begin, end in troubles:
            begin()
            try:
                phone.wait("state", f"^offline as {self.name}")
            finally:
                end()
            phone.wait("stay", f"^signed in as {self.name}")
            works()
            self.step(f"the service {trouble}: the app was offline and not signed out, and went on with it")

    def kills(self, phone, works):
        """Killed while it refreshes, sooner and later, and while the service holds the answer back."""
        for delay in DELAYS:
            phone.send("stay")
            time.sleep(delay)
            phone.kill()
            phone.launch(f"^(signed in|offline) as {self.name}")
        works()
        self.step(f"killed {len(DELAYS)} times while it refreshed: signed in at each launch")

    def held_answer(self, phone, works, endpoint="supabase_token"):
        """The service has acted on the refresh, and the app dies before it hears of it."""
        self.service.control("faults", {"kind": "hold", "endpoint": endpoint})
        phone.send("stay")
        end = time.monotonic() + 10
        while self.service.control("log")["held"] == 0:
            self.need(time.monotonic() < end, "no refresh reached the service")
            time.sleep(0.02)
        phone.kill()
        self.service.control("release", {"drop": True})
        phone.launch(f"^(signed in|offline) as {self.name}")
        phone.wait("stay", f"^signed in as {self.name}")
        works()
        self.step("killed between a refresh and its answer: signed in at the next launch")

    def kills_at_the_switch(self, phone):
        """Killed while the lock is switched on: it is on with the PIN that was typed, or off, and the session is there."""
        for delay in DELAYS:
            phone.send("unlock-on 2468")
            time.sleep(delay)
            phone.kill()
            if phone.launch(f"^locked|^(signed in|offline) as {self.name}").startswith("locked"):
                phone.tap("unlock 2468", f"^(signed in|offline) as {self.name}")
                phone.tap("unlock-off", f"^(signed in|offline) as {self.name}")
        self.step(f"killed {len(DELAYS)} times while the lock was switched on: on or off, with the session")

    def lock_and_unlock(self, phone, after_launch):
        """The lock switched on, met in all ways, and switched off; the session is there at each step."""
        phone.tap("unlock-on 12", "notice configuration.invalid")
        phone.tap("unlock-on 2468", "^signed in.*with a lock")
        phone.tap("lock", "^locked")
        phone.tap("unlock", "^locked")
        phone.tap("unlock 1357", "^locked.*notice refused.wrongInput")
        phone.tap("unlock 2468", "^signed in as")
        self.step("the lock was switched on: no PIN and a wrong one open nothing, the right one does")
        phone.kill()
        phone.launch("^locked")
        phone.tap("unlock 2468", "^(signed in|offline) as")
        phone.quit()
        phone.launch("^locked")
        phone.tap("unlock 2468", "^(signed in|offline) as")
        self.step("locked after a kill and at the next launch, and the session is there behind it")
        phone.wait("unlock-off", "^(signed in|offline) as [^;]*(;(?! with a lock).*)?$")
        phone.kill()
        phone.launch(after_launch)
        self.step("the lock was switched off, and the session is where it should be")

    def ended_at_the_service(self, phone, ends):
        """Somebody else ends the session: the form is shown, with the reason."""
        ends()
        phone.signed_in = False
        shown = phone.wait("state", "^sign-in again: ")
        self.step(f"the service ended the session: {shown.split(';')[0]}")

    def kills_while_signing_in(self, phone):
        """Killed while the form is sent: the next launch is signed in, or shows the form."""
        for delay in DELAYS:
            phone.send(f"sign-in {self.person} {self.password}")
            time.sleep(delay)
            phone.kill()
            if phone.launch(f"^sign-in$|^(signed in|offline) as {self.name}") != "sign-in":
                phone.tap("sign-out", "^sign-in")
        self.step(f"killed {len(DELAYS)} times while signing in: signed in at the next launch, or not, and nothing between")

    def kills_while_signing_out(self, phone):
        """Killed while signing out: the next launch is signed in still, or out for good, and no token stays."""
        for delay in DELAYS:
            phone.signed_in = False
            phone.send("sign-out")
            time.sleep(delay)
            phone.kill()
            if phone.launch(f"^sign-in$|^(signed in|offline) as {self.name}") == "sign-in":
                self.sign_in(phone)
            phone.signed_in = True
        self.step(f"killed {len(DELAYS)} times while signing out: signed in at the next launch, or out")

    def nothing_left(self, phone):
        phone.signed_in = False
        phone.tap("sign-out", "^sign-in")
        # What the service is still to be told of earlier sessions is kept until it has been told.
        end = time.monotonic() + 10
        while found := phone.holds(TOKENS):
            self.need(time.monotonic() < end, f"a token is left in {found}")
            time.sleep(0.2)
        phone.quit()
        phone.launch("^sign-in$|^sign-in;")
        self.step("signed out: no token is left in the app's folder, and the next launch shows the form")
