"""The walk through an app whose service has its own pages: OAuth."""

import time

from person import Person
from walk_session import add_account, french, lock, sessions


class OAuthWalk:
    """One walk. Passwords are typed at the service alone."""

    friend = ("grace@example.test", "grace-password")

    def __init__(self, visit, app):
        self.visit = visit
        self.app = app
        self.person = Person(visit, app, "ada@example.test")

    def run(self):
        person = self.person
        person.open()
        person.expect("Sign in", "/auth/sign-in")
        person.look("sign-in-oauth")
        missing = ["Create an account", "I have forgotten my password", "Password"]
        person.require(not any(map(person.page.says, missing)), "a form is there for what the service does itself")
        print("    oauth has no sign-up, no reset and no factor of the app's own: the service's pages do that", flush=True)
        self.by_browser()
        person.sign_out()
        person.open()
        person.expect("Sign in", "/auth/sign-in")
        person.ok("signed out")
        self.by_device()
        add_account(person, self.friend, self.sign_in_friend)
        lock(person)
        sessions(person)
        french(person)

    def by_browser(self):
        person = self.person
        person.press("Continue in the browser")
        person.look("visit")
        person.press("Go to the sign-in page")
        person.press("Deny")
        person.expect("Sign in", "/auth/sign-in")
        person.look("denied")
        person.ok("who says no at the service comes back to the form, which says so")
        before = person.cookie()
        person.press("Continue in the browser")
        person.press("Go to the sign-in page")
        person.fill(Password="wrong")
        person.press("Approve")
        person.expect("The password is wrong")
        person.ok("a wrong password is told by the service")
        person.fill(Password="ada-password")
        person.press("Approve")
        person.expect(person.name, "/")
        person.check_cookie(before)
        person.ok("signed in at the service's page, which led back; the cookie is a new one")

    def by_device(self):
        person = self.person
        self.app.control("configure", {"deviceInterval": 1})
        person.press("Use another device")
        person.press("Use another device")
        person.look("device")
        address = person.scan()
        person.require(address.startswith(self.app.service), "the QR code leads elsewhere")
        person.press("I have done it")
        person.expect("Use another device", "/auth/challenge")
        phone = Person(self.visit, self.app, person.name)
        phone.page.open(address)
        phone.fill(Password="ada-password")
        phone.press("Approve")
        phone.expect("Go back to your device")
        # The app asks the service once a second, and the person asks the app.
        limit = time.monotonic() + 20
        while person.page.title.startswith("Use another device") and time.monotonic() < limit:
            person.press("I have done it")
        if person.page.says("You are signed in"):
            person.press("Continue")
        person.expect(person.name, "/")
        person.ok("signed in by another device, which read the address from the picture of the QR code")

    def sign_in_friend(self):
        person = self.person
        person.press("Continue in the browser")
        person.press("Go to the sign-in page")
        person.keys.choose("Who are you?", "Grace Hopper")
        person.fill(Password=self.friend[1])
        person.press("Approve")
