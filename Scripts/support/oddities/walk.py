"""Walks a scenario with the built tool: sign-in, two refreshes, status, sign-out."""

import json
import os
import signal
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "services"))

from browser import visit  # noqa: E402
from issuer import CLIENT  # noqa: E402
from programs import PATIENCE, Programs, find, text  # noqa: E402


class Wrong(Exception):
    """The scenario does not end as it must."""


class Walk:
    """One scenario, in a home of its own."""

    def __init__(self, programs, tool, issuer):
        self.programs, self.tool, self.issuer, self.scenario = programs, tool, issuer, issuer.scenario
        # Tokens of refused sign-ins that are still good.
        self.alive = 0

    def start(self, *words):
        secret = {"LATCHKEY_CLIENT_SECRET": self.scenario.secret} if self.scenario.secret else {}
        return self.programs.start([self.tool, *words], "home", environment=secret)

    def go(self):
        """Walks it all, and raises `Wrong` at the first step that ends otherwise."""
        scenario = self.scenario
        for _ in range(scenario.logins):
            self.login()
        if scenario.login.status == 0:
            if scenario.asks:
                self.step("whoami", scenario.asks, "whoami", "--refresh", "--json")
            for number, right in enumerate(scenario.refreshes, 1):
                self.step(f"refresh {number}", right, *(scenario.again if number == 2 else ("refresh",)))
                self.compare(f"refresh {number}")
            self.step("status", scenario.status, "status")
            self.step("sign-out", scenario.logout, "logout")
            if self.stored():
                raise Wrong("after the sign-out a refresh token is still stored")
        elif self.stored():
            raise Wrong("after the refused sign-in a refresh token is stored")
        wrong = scenario.seen and scenario.seen(self.issuer)
        if wrong:
            raise Wrong(f"the service has seen otherwise: {wrong}")

    def login(self):
        scenario = self.scenario
        words = ["login", "--issuer", self.issuer.address, "--client-id", CLIENT, *scenario.words]
        words += ["--client-secret-env"] if scenario.secret else []
        process = self.start(*words, "--device" if scenario.device else "--no-browser")
        if not scenario.device:
            self.visit(process)
        self.judge("sign-in", scenario.login, process)
        if scenario.login.status == 0:
            self.compare("sign-in")
        else:
            self.count_alive()

    def count_alive(self):
        """After a refused sign-in nothing that the service gave may be of use, unless the scenario says why it is."""
        alive = sum(len(family) for family in self.issuer.alive)
        if self.scenario.stays:
            if not alive:
                raise Wrong(f"no token is alive, though the scenario says so: {self.scenario.stays}")
            return
        self.alive += alive
        if alive:
            raise Wrong(f"after the refused sign-in {alive} tokens are alive at the service")

    def visit(self, process):
        """The person opens the address that the tool shows, if it comes so far."""
        try:
            address = find(process, r"(?m)http://\S*response_type=\S+")
        except RuntimeError:
            return
        page = visit(address)
        if self.scenario.first_page:
            missing = [word for word in self.scenario.first_page if word.lower() not in page.lower()]
            if missing:
                process.terminate()
                raise Wrong(f"the browser's page does not say {missing[0]!r}: {' '.join(page.split())[:400]}")
            if process.poll() is not None:
                raise Wrong(f"a redirect that proves nothing ended the sign-in: {text(process).strip()}")
            visit(address)

    def step(self, name, right, *words):
        self.judge(name, right, self.start(*words))

    def judge(self, name, right, process):
        # Without a limit of its own: with one, Python looks at the process only now and then.
        end = threading.Timer(PATIENCE, process.kill)
        end.start()
        status = process.wait()
        end.cancel()
        if status == -signal.SIGKILL:
            raise Wrong(f"{name} still waits after {PATIENCE} s: {told(process)}")
        wrong = right.wrong(status, told(process))
        if wrong:
            raise Wrong(f"{name} {wrong}")

    def compare(self, name):
        """The stored refresh token must be the newest one that the service gave."""
        stored = self.stored()
        newest = self.issuer.newest if self.issuer.newest not in self.issuer.revoked else None
        if newest and stored != [newest]:
            found = self.issuer.given.index(stored[0]) + 1 if stored and stored[0] in self.issuer.given else "none"
            raise Wrong(
                f"after {name} the service's token {len(self.issuer.given)} is the newest, and stored is {found}"
            )

    def stored(self):
        """The refresh tokens in the unencrypted files of this home."""
        found = []
        for folder, _, names in os.walk(os.path.join(self.programs.folder, "home", "data")):
            for name in sorted(names):
                if name.startswith("credential-") and name.endswith(".record"):
                    with open(os.path.join(folder, name), encoding="utf-8") as record:
                        # The first line says what the file is.
                        record.readline()
                        found += list(renewals(json.load(record)))
        return found


def told(process):
    """What the tool says, without the lines of each sign-in."""
    lines = [line for line in text(process).splitlines() if "response_type=" not in line]
    return "\n".join(line for line in lines if not line.startswith(("Open this address", "Waiting for the browser")))


def renewals(value):
    """Each refresh token in a record, at whatever place, except what waits to be revoked."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "renewal" and isinstance(inner, str):
                yield inner
            elif name != "pending":
                yield from renewals(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from renewals(inner)


def walk(tool, issuer):
    """What is wrong with a scenario, or None. The issuer is told how many tokens a refused sign-in has left."""
    with Programs() as programs:
        steps = Walk(programs, tool, issuer)
        try:
            steps.go()
        except Wrong as wrong:
            return str(wrong)
        finally:
            issuer.left_alive = steps.alive
    return None
