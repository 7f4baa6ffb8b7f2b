"""The notes app."""

import time

from walk import TOKENS, Walk


class Notes(Walk):
    app = "notes"

    def walk(self):
        phone = self.phone()
        phone.launch("^sign-in$")
        self.step("the first launch shows the form")
        self.wrong_password(phone)
        self.service.wire.cut()
        try:
            phone.tap(f"sign-in {self.person} {self.password}", "^sign-in; notice offline.signIn")
        finally:
            self.service.wire.mend()
        self.step("no network is no wrong password")
        self.service.control("faults", {"kind": "retryAfter", "endpoint": "supabase_token", "seconds": 2})
        phone.tap(f"sign-in {self.person} {self.password}", "^sign-in; pause: Try again in [12] s; notice rateLimited")
        phone.wait("state", "^sign-in$")
        self.step("a service that asks for a pause is no wrong password either, and the pause is counted down")
        phone.tap("write nothing", "^sign-in")
        self.sign_in(phone)
        phone.wait("state", "offer: ")
        phone.tap("not-now", "^signed in as ada@example.test$")
        self.step("signed in, and the lock was offered once")

        def works():
            phone.wait("sync", "^synced$")
            phone.tap("read", "^notes of ada@example.test: milk")

        phone.tap("write milk", "milk$")
        works()
        phone.quit()
        phone.launch("^signed in as ada@example.test$")
        works()
        self.step("the next launch is signed in, and offers nothing")
        refreshes = self.service.granted("supabase_token", "refresh_token")
        self.wait_for_refreshes(refreshes + 2)
        self.need(phone.tap("state") == "signed in as ada@example.test", "the screen changed")
        self.step("tokens were refreshed ahead of their end, by themselves")
        self.need(phone.holds(TOKENS), "the search for tokens does not see the session's")
        self.offline(phone)
        self.outage(phone, works)
        self.kills(phone, works)
        self.held_answer(phone, works)
        self.kills_at_the_switch(phone)
        self.lock_and_unlock(phone, "^signed in as ada@example.test")
        phone.tap("unlock-on 2468", "with a lock")
        phone.tap("inactive", "covered")
        phone.tap("active", "^signed in as ada@example.test(; warning: [^;]*)?; with a lock$")
        phone.tap("background", "^locked.*covered")
        phone.tap("active", "^locked")
        phone.tap("read", "^locked")
        phone.tap("unlock 2468", "^signed in")
        phone.tap("unlock-off", "^signed in")
        self.step("a passing interruption covers and locks nothing; the background locks")
        self.log_and_end(phone)

    def wait_for_refreshes(self, count):
        end = time.monotonic() + 20
        while self.service.granted("supabase_token", "refresh_token") < count:
            self.need(time.monotonic() < end, "nothing is refreshed ahead")
            time.sleep(0.2)

    def offline(self, phone):
        """Launched without the service."""
        phone.kill()
        self.service.stop()
        try:
            phone.launch("^(signed in|offline) as ada@example.test")
            phone.tap("write bread", "milk, bread$")
            phone.tap("sync", "^not synced: offline.unreachable, retryLater|^not synced: no connection")
            phone.wait("state", "^offline as ada@example.test.*warning: ")
        finally:
            self.service.go_on()
        phone.wait("sync", "^synced$")
        phone.wait("state", "^signed in as ada@example.test$")
        self.step("launched without the service: notes are read and written, with a warning, and synced later")

    def log_and_end(self, phone):
        self.ended_at_the_service(phone, lambda: self.service.revoke(self.person))
        phone.tap("read", "^sign-in again")
        self.sign_in(phone)
        phone.tap("read", "milk, bread$")
        phone.tap("log", "^log, whole: .*signIn refused.*signIn done.*unlockRefused.*signInRequired")
        self.step("after the next sign-in the notes are there, and the security log has told it all")
        self.sign_in(phone, self.other, self.other_password)
        phone.tap("read", "^notes of grace@example.test: $")
        phone.tap(f"switch {self.person}", "^signed in as ada@example.test")
        phone.tap("read", "milk, bread$")
        phone.tap(f"switch {self.other}", "^signed in as grace@example.test")
        phone.tap("sign-out", "^signed in as ada@example.test")
        self.step("a second person has notes of her own, and leaves without signing the first one out")
        self.kills_while_signing_out(phone)
        phone.tap("erase-log", "^erased [1-9][0-9]* lines$")
        self.nothing_left(phone)
        self.kills_while_signing_in(phone)
        self.need(not phone.holds("ada-password"), "the password is stored")
        named = [name for name in phone.holds("ada@example.test") if name.startswith("audit")]
        self.need(not named, f"the security log names the person in {named}")
        phone.quit()
