"""A person at the pages of an app, with a keyboard and nothing else: what each does, and what a page must say then."""

from authenticator import Authenticator, read_qr

COOKIE = "__Host-session"


class Astray(Exception):
    """A page does not say what it must."""


class Person:
    """Somebody's browser at an app. Counts the steps that went well."""

    def __init__(self, visit, app, name, language="en"):
        self.visit = visit
        self.app = app
        self.name = name
        self.page = visit.person([app.origin, app.service], language)
        self.keys = self.page.keyboard

    def ok(self, text):
        self.visit.steps += 1
        print(f"ok  {self.app.dialect}: {text}", flush=True)

    def look(self, name):
        """Looks at the page as it is. Services have the same pages, so that of the first is in the pictures."""
        self.visit.look(self.page, f"{self.app.dialect} {name}", picture=name)

    def open(self, path="/"):
        self.page.open(self.app.origin + path)

    def expect(self, words, place=None):
        """The page has these words, and its path is this."""
        if not self.page.says(words):
            raise Astray(f"“{self.page.title}” does not say “{words}”, but: {self.page.text[:600]}")
        path = self.page.address.removeprefix(self.app.origin).split("?")[0]
        if place is not None and path != place:
            raise Astray(f"this is {path}, and not {place}: {self.page.text[:600]}")

    def require(self, is_so, otherwise):
        if not is_so:
            raise Astray(f"{otherwise}, on “{self.page.title}”")

    def fill(self, **fields):
        """Writes into fields, each named by its label with _ for spaces."""
        for name, text in fields.items():
            self.keys.fill(name.replace("_", " "), text)

    def press(self, name):
        self.keys.follow(name)

    def sign_out(self):
        self.open("/auth/account")
        self.press(f"Sign out {self.name}")
        self.expect("You are signed out", "/auth/sign-in")

    def scan(self):
        """The text of the QR code on the page, from its picture alone."""
        box = self.page.evaluate(
            "(({left, top, width, height}) => [left + scrollX, top + scrollY, width, height])"
            "(document.querySelector('svg[role=img]').getBoundingClientRect())")
        return read_qr(self.page.picture(box))

    def authenticator(self):
        """An app that scanned the page. The key beside the picture is the same."""
        app = Authenticator(self.scan())
        self.require(app.key in "".join(self.page.text.split()), "the key in words is not that of the QR code")
        return app

    def cookie(self):
        """The app's cookie as the browser keeps it; `None` if it keeps none."""
        cookies = self.page.call("Network.getCookies", urls=[self.app.origin])["cookies"]
        return next((cookie for cookie in cookies if cookie["name"] == COOKIE), None)

    def check_cookie(self, before):
        """The session has a cookie of its own, which only this host gets, and no script."""
        cookie = self.cookie()
        self.require(cookie and before and cookie["value"] != before["value"], "the cookie is the one from before the sign-in")
        kept = cookie["secure"] and cookie["httpOnly"] and cookie.get("sameSite") == "Lax" and cookie["path"] == "/"
        self.require(kept, "the cookie is not kept as it should be")
