"""The walks through the development server's pages, and through the page that a sign-in's browser comes back to."""

import json
import urllib.request

from programs import find
from servers import Visitor

# What a person reads, presses and fills in, by language.
WORDS = {
    "en": {"approve": "Approve", "deny": "Deny", "password": "Password", "code": "Code shown by the device",
           "continue": "Continue", "again": "Look again now", "in": "You are signed in", "yours": "Is this your device?",
           "out": "You are not signed in", "finishing": "Finishing the sign-in…", "pause": "Stop refreshing"},
    "fr": {"approve": "Autoriser", "deny": "Refuser", "password": "Mot de passe", "code": "Code affiché par l’appareil",
           "continue": "Continuer", "again": "Regarder à nouveau", "in": "Vous êtes connecté",
           "yours": "Est-ce votre appareil ?", "out": "Vous n’êtes pas connecté", "finishing": "La connexion se termine…",
           "pause": "Arrêter l’actualisation"},
}


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
    return parameters(address)["redirect_uri"].replace("%3A", ":").replace("%2F", "/")


def listener(address):
    """The origin of that address."""
    return "/".join(redirect(address).split("/")[:3])


def mail(supabase, address):
    """The project mails a link and a code to somebody."""
    fields = {"apikey": supabase["publishableKey"], "Content-Type": "application/json"}
    request = urllib.request.Request(
        f"{supabase['url']}/auth/v1/otp", data=json.dumps({"email": address}).encode(), headers=fields)
    Visitor().opener.open(request, timeout=10).close()
