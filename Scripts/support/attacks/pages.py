"""Attacks at the sign-in pages of a web app, the example's: numbers 21 and 22."""

import html
import http.client
import os
import re
import shutil
import time
import urllib.parse

from scene import ATTACKER, VICTIM

WEB_APP = os.environ.get("LATCHKEY_WEB_APP", "")
CLERK_CODE = "424242"


class Site:
    """One run of the example as the victim's program."""

    def __init__(self, scene, dialect, *options):
        self.folder = os.path.join(scene.home, "web")
        program = shutil.copy(WEB_APP, scene.folder)
        os.chmod(program, 0o755)
        process = scene.start(VICTIM, [program, "--dialect", dialect, "--folder", self.folder, *options])
        self.origin = scene.find(process, rb"(?m)^app=http://\S+(?=/$)").decode().removeprefix("app=")
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.origin).netloc)

    def files(self):
        return len(os.listdir(self.folder))


class Browser:
    """Keeps the session's cookie, and sends forms back with what is hidden in them. No redirect is followed by itself."""

    def __init__(self, site):
        self.site, self.cookie = site, None

    def send(self, method, path, form=None):
        fields = {"Origin": self.site.origin}
        if self.cookie:
            fields["Cookie"] = self.cookie
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        connection = self.site.connection
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        self.page = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            if cookie.startswith("__Host-session="):
                self.cookie = cookie.split(";")[0]
        return answer.status, answer.headers.get("Location", "")

    def submit(self, path, **typed):
        """Opens a page, and sends its form with what is typed."""
        self.send("GET", path)
        form = re.search(r"<form method=\"post\" action=\"([^\"]+)\".*?</form>", self.page, re.S)
        hidden = {html.unescape(name): html.unescape(value) for name, value in
                  re.findall(r"<input type=\"hidden\" name=\"([^\"]*)\" value=\"([^\"]*)\"", form.group(0))}
        button = re.search(r"<button type=\"submit\" name=\"([^\"]*)\" value=\"([^\"]*)\"", form.group(0))
        return self.send("POST", form.group(1), {**hidden, **(dict([button.groups()]) if button else {}), **typed})

    def sign_in(self, name, path="/auth/sign-in"):
        return self.submit(path, identifier=f"{name}+clerk_test@example.test", password=f"{name}-password")


def flood(scene):
    """Forms of 1,500 browsers that nobody signs in with, at a store that keeps 64 of them."""
    site = Site(scene, "oauth", "--guests", "64")
    for _ in range(1500):
        Browser(site).submit("/auth/sign-in")
    files = site.files()
    # Lists and locks beside what the guests have.
    return files < 600, "sends 1,500 anonymous forms to pages that keep 64 guests", f"{files} files in the store"


def endless(scene):
    """Another account's sign-in in the same browser, so that the first one's longest time begins again."""
    site = Site(scene, "clerk", "--stays", "8")
    other, browser = Browser(site), Browser(site)
    # Whoever is signed in is not shown the form to sign up.
    other.submit("/auth/sign-up", identifier="mallory+clerk_test@example.test", password="mallory-password")
    other.submit("/auth/challenge", code=CLERK_CODE)
    begun = time.monotonic()
    browser.sign_in("ada")
    if browser.send("GET", "/")[0] != 200:
        raise RuntimeError(f"ada could not sign in: {browser.page}")
    time.sleep(5)
    browser.sign_in("mallory")
    if "mallory" not in (browser.send("GET", "/") and browser.page):
        raise RuntimeError(f"nobody else could sign in: {browser.page}")
    time.sleep(max(0, begun + 9 - time.monotonic()))
    status, place = browser.send("GET", "/auth/account")
    gone = "ada+" not in browser.page and status == 303 and place.startswith("/auth/sign-in")
    return gone, "signs in with another account, 5 s into the 8 s that a browser may stay signed in", \
        "the form to sign in" if gone else f"{status}, 9 s after the first sign-in"


ATTACKS = [(21, ATTACKER, flood), (22, VICTIM, endless)] if WEB_APP else []
