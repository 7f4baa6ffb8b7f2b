"""The walks through the development server's pages, and through the page that a sign-in's browser comes back to."""

import json
import os
import re
import urllib.request

from authenticator import Authenticator
from page_words import WORDS
from programs import find
from servers import Visitor


class Lost(Exception):
    """A page does not say what it must."""


class Pages:
    """Walks in one language. French pages are looked at as well; of most, the pictures are the English ones."""

    def __init__(self, visit, programs, server, language):
        self.visit, self.programs, self.server, self.language = visit, programs, server, language
        self.words = WORDS[language]
        self.user = server.about["users"][0]

    def look(self, page, name, shown=False):
        """Looks at the page; `shown` keeps pictures of the French one too."""
        if self.language == "en":
            self.visit.look(page, name)
        else:
            self.visit.look(page, f"{name}-french", picture=None if shown else name)

    def expect(self, page, words):
        if not page.says(words):
            raise Lost(f"“{page.title}” does not say “{words}”, but: {page.text[:400]}")

    def profile(self, name):
        return name if self.language == "en" else f"{name}-{self.language}"

    def login(self, profile, *words):
        return self.programs.start([
            self.programs.tool, "login", "--profile", self.profile(profile), "--issuer", self.server.issuer, *words])

    def plain(self):
        """Pages that nobody has to do anything on."""
        page = self.visit.person([self.server.issuer], self.language)
        for path, name in (
                ("/", "home"), ("/inbox?paused=1", "inbox-empty"), ("/authorize?client_id=nobody", "refused"),
                ("/nothing", "not-found")):
            page.open(self.server.issuer + path)
            self.look(page, name)

    def inbox(self):
        """A mail appears by itself, and the person stops that."""
        page = self.visit.person([self.server.issuer], self.language)
        page.open(self.server.issuer + "/inbox")
        late = f"a.person.with.a.long.name.that.fills.the.line.{self.language}@mail.example.test"
        for address in (f"ada.{self.language}@example.test", late):
            mail(self.server.about["supabase"], address)
        page.await_loads(1, 25)
        self.expect(page, late)
        page.hold_still()
        self.look(page, "inbox")
        page.keyboard.follow(self.words["pause"])
        self.visit.look(page, f"inbox-stopped-{self.language}", picture="inbox")

    def consent(self):
        """A person signs in by a browser, and another does not."""
        for decision, profile in (("approve", "work"), ("deny", "home")):
            login, page, _ = self._open(profile)
            if decision == "approve":
                self.look(page, "consent", shown=True)
                page.keyboard.fill(self.words["password"], "wrong")
                page.keyboard.follow(self.words["approve"])
                self.look(page, "consent-wrong-password")
                page.keyboard.fill(self.words["password"], self.user["password"])
            page.keyboard.follow(self.words[decision])
            self.expect(page, self.words["in" if decision == "approve" else "out"])
            if decision == "approve":
                self.expect(page, f"{self.user['name']}@example.test")
                self.expect(page, f"latchkey ({self.profile(profile)})")
            self.look(page, f"redirect-{'signed-in' if decision == 'approve' else 'denied'}", shown=decision == "approve")
            login.wait(20)

    def slow(self):
        """The service takes long to exchange the code: the page says so, and shows by itself how it ended."""
        self.server.control("faults", {"endpoint": "token", "kind": "hold"})
        login, page, address = self._open("travel")
        page.keyboard.fill(self.words["password"], self.user["password"])
        page.keyboard.follow(self.words["approve"])
        self.expect(page, self.words["finishing"])
        if self.language == "en":
            page.hold_still()
            self.look(page, "redirect-finishing")
            other = self.visit.person([listener(address)], self.language)
            other.open(f"{redirect(address)}?code=another&state={parameters(address)['state']}")
            self.look(other, "redirect-over")
            page.keyboard.reach(self.words["again"], ("link",))

            def again():
                page.keyboard.press("Enter")
                self.server.control("release", {})
            page.during_load(again)
        else:
            loads = page.loads
            self.server.control("release", {})
            page.await_loads(1, 20, loads)
        self.expect(page, self.words["in"])
        login.wait(20)

    def refused(self):
        """The service refuses to exchange the code, after the browser has come back."""
        self.server.control("faults", {"endpoint": "token", "kind": "status", "status": 400, "error": "invalid_client"})
        login, page, _ = self._open("school")
        page.keyboard.fill(self.words["password"], self.user["password"])
        page.keyboard.follow(self.words["approve"])
        self.expect(page, self.words["out"])
        self.look(page, "redirect-failed")
        login.wait(20)

    def factor(self):
        """The service asks for a second factor once the browser has come back: that is not for the browser."""
        if self.language == "en":
            login, page = self._open_social("club")
            self.expect(page, self.words["in"])
            login.wait(20)
            self._enroll("club")
        login, page = self._open_social("club-again")
        self.expect(page, self.words["on"])
        self.look(page, "redirect-goes-on")
        login.wait(20)

    def _open_social(self, profile):
        """A login by an identity provider of the Supabase project, whose page the browser passes at once."""
        supabase = self.server.about["supabase"]
        login = self.programs.start([
            self.programs.tool, "login", "--profile", self.profile(profile), "--supabase", supabase["url"], "--key",
            supabase["publishableKey"], "--provider", "github", "--no-browser"])
        address = find(login, r"http://\S+/auth/v1/authorize\S*")
        page = self.visit.person([self.server.issuer, listener(address)], self.language)
        page.open(address)
        return login, page

    def _enroll(self, profile):
        """Gives the account an authenticator app."""
        tool, profile = self.programs.tool, ["--profile", self.profile(profile)]
        _, said = self.programs.run([tool, "supabase", "factors", "enroll", "--json", *profile])
        factor, secret = (re.search(rf'"{name}":"([^"]+)"', said).group(1) for name in ("factor", "secret"))
        path = os.path.join(self.programs.folder, "code")
        with open(path, "w", encoding="utf-8") as file:
            file.write(Authenticator(f"otpauth://totp/x?secret={secret}").code() + "\n")
        with open(path, encoding="utf-8") as code:
            status, said = self.programs.run(
                [tool, "supabase", "factors", "verify", factor, "--code-from-stdin", *profile], stdin=code)
        if status != 0:
            raise Lost(f"the factor is not set up: {said}")

    def device(self):
        """A person enters the code of a device: a wrong one, with a wrong password, and right; and denies another."""
        for decision in ("approve", "deny"):
            login = self.login(f"device-{decision}", "--client-id", "dev-device", "--device")
            code = find(login, r"\b[A-Z0-9]{4}-[A-Z0-9]{4}\b")
            page = self.visit.person([self.server.issuer], self.language)
            page.open(self.server.issuer + "/device")
            self.look(page, "device")
            page.keyboard.fill(self.words["code"], "BBBB-BBBB")
            page.keyboard.follow(self.words["continue"])
            self.look(page, "device-wrong-code")
            page.keyboard.fill(self.words["code"], code)
            page.keyboard.follow(self.words["continue"])
            self.expect(page, self.words["yours"])
            self.expect(page, code)
            self.look(page, "device-yours", shown=True)
            if decision == "approve":
                page.keyboard.fill(self.words["password"], "wrong")
                page.keyboard.follow(self.words["approve"])
                self.look(page, "device-wrong-password")
                page.keyboard.fill(self.words["password"], self.user["password"])
            page.keyboard.follow(self.words[decision])
            self.look(page, "device-approved" if decision == "approve" else "device-denied")
            login.terminate()

    def _open(self, profile):
        """A login that waits for its browser, and the page at which that stands: the service's question."""
        login = self.login(profile, "--client-id", self.server.client, "--no-browser")
        address = find(login, rf"{self.server.issuer}/authorize\S*")
        page = self.visit.person([self.server.issuer, listener(address)], self.language)
        page.open(address)
        return login, page, address


def parameters(address):
    return dict(pair.split("=", 1) for pair in address.split("?", 1)[1].split("&"))


def redirect(address):
    """The address that a request for a code leads back to."""
    names = parameters(address)
    return (names.get("redirect_uri") or names["redirect_to"]).replace("%3A", ":").replace("%2F", "/")


def listener(address):
    """The origin of that address."""
    return "/".join(redirect(address).split("/")[:3])


def mail(supabase, address):
    """The project mails a link and a code to somebody."""
    fields = {"apikey": supabase["publishableKey"], "Content-Type": "application/json"}
    request = urllib.request.Request(
        f"{supabase['url']}/auth/v1/otp", data=json.dumps({"email": address}).encode(), headers=fields)
    Visitor().opener.open(request, timeout=10).close()
