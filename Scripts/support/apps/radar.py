"""The radar app."""

import time

from walk import Walk


class Radar(Walk):
    app = "radar"
    person = "ada+clerk_test@example.test"
    other, other_password = "lin+clerk_test@example.test", "a long enough password"

    def walk(self):
        phone = self.phone()
        phone.launch("^sign-in$")
        self.sign_up(phone)
        self.wrong_password(phone)
        self.sign_in(phone)
        phone.tap("scan", "^the backend sees user_ada by a new token$")
        phone.quit()
        phone.launch("^signed in as ada.clerk_test@example.test$")

        def works():
            phone.wait("scan", "^the backend sees user_ada by ")

        works()
        self.step("the backend knows the person by a token, and so it does at the next launch")
        self.refreshed(phone)
        self.outage(phone, works)
        self.launched_offline(phone)
        works()
        self.kills(phone, works)
        self.held_answer(phone, works, "clerk_tokens")
        self.kills_at_the_switch(phone)
        self.lock_and_unlock(phone, "^(signed in|offline) as ada.clerk_test@example.test")
        works()
        phone.tap("unlock-on 2468", "with a lock")
        phone.tap("lock", "^locked")
        phone.tap("scan", "^no scan: locked, unlock$")
        phone.tap("unlock 2468", "^signed in")
        works()
        phone.tap("unlock-off", "^signed in")
        self.step("while it is locked no token leaves")
        self.ended_elsewhere(phone, works)
        self.both(phone)
        self.nothing_left(phone)
        phone.quit()

    def sign_up(self, phone):
        phone.tap("sign-up lin+clerk_test@example.test short lin", "^sign-in")
        phone.tap("sign-up lin+clerk_test@example.test a-long-enough-password lin", "asked: ")
        phone.tap("code 111111", "asked: .*notice refused")
        phone.tap("code 424242", "^signed in as lin")
        phone.signed_in = True
        phone.tap("scan", "^the backend sees user_")
        self.step("signed up with a user name: a wrong code of the mail, then the right one")
        phone.kill()
        phone.launch("^signed in as lin")
        phone.signed_in = False
        phone.tap("sign-out", "^sign-in")
        phone.tap("sign-in lin a-long-enough-password", "^signed in as lin")
        phone.tap("sign-out", "^sign-in")
        self.step("the user name signs in, too")

    def refreshed(self, phone):
        phone.tap("scan", "^the backend sees user_ada by ")
        phone.tap("scan", "by the same token$")
        phone.wait("scan", "by a new token$", 10)
        self.step("a token was used again while it lasted, and then there was another one")

    def launched_offline(self, phone):
        """Launched without the service: there is no token yet, and the app comes back without a tap."""
        phone.kill()
        self.service.wire.cut()
        try:
            phone.launch("^(signed in|offline) as ada")
            phone.tap("scan", "^no scan: offline.unreachable, retryLater$")
            phone.wait("state", "^offline as ada")
        finally:
            self.service.wire.mend()
        phone.wait("state", "^signed in as ada")
        self.step("launched without the service: offline, and signed in again without a tap once it was back")

    def ended_elsewhere(self, phone, works):
        """The person ends this session from another phone."""
        second = self.phone("second")
        second.launch("^sign-in$")
        self.sign_in(second)

        def ends():
            second.tap("end-others", "^ended [1-9] other sessions$")
            phone.signed_in = False
            phone.wait("scan", "^no scan: signInRequired")

        self.ended_at_the_service(phone, ends)
        second.tap("scan", "^the backend sees user_ada by ")
        self.step("the phone that ended it is still signed in")
        self.sign_in(phone)
        works()

    def both(self, phone):
        phone.tap("sign-in lin a-long-enough-password", "^signed in as lin")
        shown = phone.tap("scan", "^the backend sees user_")
        self.need("user_ada" not in shown, "the backend sees the wrong person")
        phone.tap(f"switch {self.person}", "^signed in as ada")
        phone.tap("scan", "^the backend sees user_ada")
        phone.tap("sign-out", "^signed in as lin")
        shown = phone.tap("scan", "^the backend sees user_")
        self.need("user_ada" not in shown, "the backend sees the wrong person")
        self.step("a second person at the same client: each scan is by the one on the screen")
