"""The messenger that locks."""

import time

from walk import TOKENS, Walk


class Messenger(Walk):
    app = "messenger"

    def walk(self):
        # A minute between two mails is the service's rule; this person is faster.
        self.service.control("configure", {"supabase": {"resendGap": 0}})
        phone = self.phone()
        phone.launch("^sign-in$")
        self.sign_in_later(phone)
        phone.wait("state", "offer: ")
        phone.tap("not-now", "^signed in as ada@example.test$")
        phone.tap("send hello", "hello$")
        phone.tap("background", "^signed in as ada@example.test$")
        time.sleep(1.5)
        phone.tap("active", "^signed in as ada@example.test$")
        phone.quit()
        phone.launch("^signed in as ada@example.test$")
        self.step("without a lock, nothing locks: not the background, not the next launch")

        def works():
            phone.tap("read", "hello$")

        self.outage(phone, works)
        self.kills(phone, works)
        self.held_answer(phone, works)
        self.kills_at_the_switch(phone)
        self.lock_and_unlock(phone, "^signed in as ada@example.test")
        phone.tap("unlock-on 2468", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        self.away(phone)
        self.intervals(phone)
        self.locked_outage(phone)
        self.lock_out(phone)
        self.ended_at_the_service(phone, lambda: self.service.revoke(self.person))
        phone.tap("read", "^sign-in again")
        self.sign_in(phone)
        works()
        self.start_over(phone)
        self.nothing_left(phone)
        self.sign_in(phone, self.other)
        phone.tap("read", "^messages of grace@example.test: $")
        self.step("a second person sees nothing of the first one's messages")
        phone.quit()

    def sign_in(self, phone, person=None, password=None):
        person = person or self.person
        phone.tap(f"sign-in {person}", "asked: ")
        phone.tap(f"code {self.service.code(person)}", f"^signed in as {person}")
        phone.signed_in = True

    def sign_in_later(self, phone):
        """The code of the mail is typed in a later launch than the one that asked for it."""
        phone.tap(f"sign-in {self.person}", "asked: .*ada@example.test")
        phone.tap("code 000000", "asked: .*notice refused")
        phone.kill()
        phone.launch("^sign-in$")
        phone.tap("resume", "asked: ")
        phone.tap(f"code {self.service.code(self.person)}", "^signed in as ada@example.test")
        phone.signed_in = True
        self.step("a wrong code signs nobody in; killed, the next launch goes on with the right one")

    def away(self, phone):
        phone.tap("inactive", "^signed in.*covered$")
        phone.tap("read", "covered$")
        phone.tap("active", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        phone.tap("background", "covered$")
        phone.tap("active", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        phone.tap("background", "covered$")
        time.sleep(1.3)
        phone.tap("active", "^locked.*covered$")
        phone.tap("read", "^locked")
        phone.tap("unlock 2468", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        self.step("covered as soon as it is not in use; locked after a second out of sight, and not before")

    def intervals(self, phone):
        """The time until it locks is changed while it runs."""
        phone.tap("lock-after 1", "^locks after: 1$")
        phone.wait("state", "^locked", 5)
        phone.tap("lock-after never", "^not changed: locked$")
        phone.tap("unlock 2468", "^signed in")
        phone.tap("lock-after never", "^locks after: never$")
        time.sleep(1.5)
        phone.tap("read", "hello$")
        phone.tap("lock-after 2", "^locks after: 2$")
        phone.kill()
        phone.launch("^locked")
        phone.tap("unlock 2468", "^(signed in|offline) as")
        phone.wait("state", "^locked", 5)
        phone.tap("unlock 2468", "^(signed in|offline) as")
        phone.tap("lock-after never", "^locks after: never$")
        self.step("the time until it locks was changed while it ran, and counts in the next launch; not while it is locked")

    def locked_outage(self, phone):
        """The service stands still while the app is locked, and the app is launched and unlocked without it."""
        phone.tap("lock", "^locked")
        self.service.stop()
        try:
            phone.kill()
            phone.launch("^locked")
            phone.tap("unlock 2468", "^(signed in|offline) as")
            phone.tap("read", "hello$")
            phone.wait("state", "^offline as ada@example.test")
        finally:
            self.service.go_on()
        phone.wait("stay", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        self.step("locked, killed, launched and unlocked without the service: the messages are there")

    def lock_out(self, phone):
        phone.tap("lock", "^locked")
        for _ in range(3):
            phone.tap("unlock 1111", "^locked.*notice refused.wrongInput")
        phone.tap("unlock 2468", "^locked.*notice unlockUnavailable.lockedOut: .*Try again in [1-5] s")
        phone.kill()
        phone.launch("^locked")
        phone.tap("unlock 2468", "^locked.*notice unlockUnavailable.lockedOut")
        phone.wait("unlock 2468", "^(signed in|offline) as", 10)
        phone.wait("stay", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        self.step("three wrong PINs cost five seconds, after a kill too; then the right one opens it")

    def start_over(self, phone):
        phone.tap("lock", "^locked")
        phone.signed_in = False
        phone.tap("start-over", "^sign-in")
        self.need(not phone.holds(TOKENS), "a token is left")
        phone.kill()
        phone.launch("^sign-in$")
        self.sign_in(phone)
        phone.tap("state", "^signed in as ada@example.test")
        self.step("started over without the PIN: the session has ended, and so has the lock")
