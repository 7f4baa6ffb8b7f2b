"""The budget app."""

import time

from walk import TOKENS, Walk


class Budget(Walk):
    app = "budget"

    def walk(self):
        phone = self.phone()
        phone.launch("^sign-in$")
        self.wrong_password(phone)
        self.sign_in(phone)
        phone.wait("state", "offer: ")
        self.need("for this launch only" in phone.tap("not-now"), "the session is not for this launch only")
        phone.tap("spend 12", ": 12$")
        self.need(not phone.holds(TOKENS), "the session is at rest without a lock")
        self.step("signed in for this launch only: no token is on the disk")
        self.outage(phone, lambda: phone.tap("balance", ": 12$"))
        self.fresh(phone, phone.quit)
        self.fresh(phone, phone.kill)
        self.step("without the lock each launch is a fresh sign-in, after a kill too")
        self.unlocked(phone)
        self.switched_off(phone)
        self.lost_pin(phone)
        self.ended_at_the_service(phone, lambda: self.service.revoke(self.person))
        self.sign_in(phone)
        phone.tap("unlock-on 2468", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        self.need(phone.holds(TOKENS), "the search for tokens does not see the session's")
        self.nothing_left(phone)
        self.sign_in(phone, self.other, self.other_password)
        phone.tap("state", "^signed in as grace@example.test.*for this launch only$")
        phone.tap("balance", ": 0$")
        self.step("signing out took the lock away: the second person has none, and a budget of her own")
        phone.quit()

    def fresh(self, phone, end):
        phone.signed_in = False
        end()
        phone.launch("^sign-in$")
        phone.tap("balance", "^sign-in")
        self.need(not phone.holds(TOKENS), "the session is at rest without a lock")
        self.sign_in(phone)
        phone.tap("balance", ": 12$")

    def unlocked(self, phone):
        """With the lock on, the session is kept: what the person gets for it."""
        phone.tap("unlock-on 2468", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        self.need(phone.holds(TOKENS), "the session is not kept with the lock")
        for end in (phone.quit, phone.kill):
            end()
            phone.launch("^locked")
            phone.tap("balance", "^locked")
            phone.tap("unlock 1111", "^locked.*notice refused.wrongInput: .*[Vv]érifiez")
            phone.tap("unlock 2468", "^(signed in|offline) as ada@example.test(; warning: [^;]*)?; with a lock$")
            phone.tap("balance", ": 12$")
        self.need(not phone.holds("ada-password"), "the password is stored")
        self.step("with the lock on, the session is kept: the PIN opens it after a launch and after a kill")
        for delay in (0, 0.002, 0.005, 0.02, 0.05):
            phone.send("stay")
            time.sleep(delay)
            phone.kill()
            phone.launch("^locked")
            phone.tap("unlock 2468", "^(signed in|offline) as ada@example.test")
        phone.wait("stay", "^signed in")
        self.step("killed 5 times while it refreshed: behind the PIN the session is there each time")

    def switched_off(self, phone):
        """Switching the lock off and on again signs nobody out, however often."""
        for _ in range(5):
            phone.tap("unlock-off", "^signed in as ada@example.test(; warning: [^;]*)?; for this launch only$")
            self.need(not phone.holds(TOKENS), "the session stays at rest though the lock is off")
            phone.tap("stay", "^signed in")
            phone.tap("unlock-on 1357", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
            phone.tap("balance", ": 12$")
        self.step("the lock switched off and on five times: nobody was signed out, and tokens are at rest behind it only")
        for delay in (0, 0.002, 0.005, 0.01, 0.02):
            phone.send("unlock-off")
            time.sleep(delay)
            phone.kill()
            shown = phone.look_at_launch()
            if shown.startswith("locked"):
                phone.tap("unlock 1357", "^signed in|^offline")
            else:
                # The lock was off already, so that this launch is a fresh sign-in.
                self.need(shown == "sign-in", f"the launch shows {shown!r}")
                self.need(not phone.holds(TOKENS), "the session is at rest without a lock")
                self.sign_in(phone)
                phone.tap("unlock-on 1357", "with a lock")
        self.step("killed 5 times while the lock was switched off: locked with the session, or off without one")

    def lost_pin(self, phone):
        """Nobody knows the PIN any more."""
        phone.kill()
        phone.launch("^locked")
        for _ in range(3):
            phone.tap("unlock 1111", "^locked.*notice refused.wrongInput")
        shown = phone.tap("unlock 1357", "^locked.*notice unlockUnavailable.lockedOut: .*[0-9] s")
        self.step(f"three wrong PINs: {shown.split('. ')[-1]}")
        phone.signed_in = False
        phone.tap("start-over", "^sign-in")
        self.need(not phone.holds(TOKENS), "a token is left")
        self.sign_in(phone)
        self.step("started over: the session has ended, and the manual sign-in is there")
