"""Profiles, environments and services: which secret each service and program is sent."""

import concurrent.futures
import dataclasses
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "oddities"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "services"))

from browser import visit  # noqa: E402
from programs import PATIENCE, Programs, find, text  # noqa: E402
from recorder import Recorder  # noqa: E402

# Every secret that lies about. Each is a word that is found wherever it arrives, with characters that are encoded.
AMBIENT, IN_FILE = "ambient+Secret/100%", "file+Secret/100%"
OTHERS = {
    "LATCHKEY_ACCESS_TOKEN": "other-access-token",
    "AWS_SECRET_ACCESS_KEY": "aws-secret-key",
    "AWS_SESSION_TOKEN": "aws-session-token",
    "GH_TOKEN": "gh-token-word",
    "SUPABASE_SERVICE_ROLE_KEY": "service-role-word",
    "http_proxy": "http://name:proxy-password@127.0.0.1:9",
    "https_proxy": "http://name:proxy-password@127.0.0.1:9",
}
WORDS = [AMBIENT, IN_FILE, "proxy-password", "netrc-password", *[v for k, v in OTHERS.items() if "proxy" not in k]]

CLIENT = {"LATCHKEY_CLIENT_SECRET": AMBIENT}
SURROUNDINGS = {**OTHERS, "no_proxy": "127.0.0.1"}
ENVIRONMENTS = {
    "nothing set": {},
    "a client's secret": CLIENT,
    "tokens and passwords of other programs": SURROUNDINGS,
    "all of it": CLIENT | SURROUNDINGS,
}


@dataclasses.dataclass(frozen=True)
class Kind:
    """A way to set a profile up: what login is told, and which secret may then go to its service."""

    name: str
    words: tuple = ()
    allowed: str | None = None
    device: bool = False
    # What happens to the profile between its sign-in and the commands after it.
    then: str | None = None


ENV = ("--client-secret-env",)
KINDS = [
    Kind("public"),
    Kind("public, device", device=True),
    Kind("secret of the environment", ENV, AMBIENT),
    Kind("secret of the environment, in the body", (*ENV, "--client-secret-in-body"), AMBIENT),
    Kind("secret of the environment, not encoded", (*ENV, "--client-secret-raw"), AMBIENT),
    Kind("secret of the environment, device", ENV, AMBIENT, device=True),
    Kind("client credentials with the environment", (*ENV, "--client-credentials"), AMBIENT),
    Kind("secret of a file", ("--client-secret-file", "FILE"), IN_FILE),
    Kind("secret of a file, device", ("--client-secret-file", "FILE"), IN_FILE, device=True),
    Kind("client credentials with a file", ("--client-secret-file", "FILE", "--client-credentials"), IN_FILE),
    Kind("made public again", ENV, AMBIENT, then="cleared"),
    Kind("written by an older version", ENV, AMBIENT, then="older"),
    Kind("moved to another service by hand", ENV, AMBIENT, then="moved"),
    Kind("moved to another client by hand", ENV, AMBIENT, then="renamed"),
    Kind("given another token endpoint", ENV, AMBIENT, then="redirected"),
]


class Wrong(Exception):
    """A command did not do what the check needs to mean anything."""


class Cell:
    """One profile in one environment at one service, with a second service beside it."""

    def __init__(self, tool, kind, environment, number):
        self.tool, self.kind, self.environment = tool, kind, environment
        self.own, self.other = Recorder(f"own{number}"), Recorder(f"other{number}")
        self.leaks, self.sent, self.commands = [], 0, 0

    def run(self):
        with Programs() as self.programs:
            self.home = self.programs.environment("home")["HOME"]
            self.file = os.path.join(self.home, "secret")
            self.private("secret", IN_FILE)
            self.private(".netrc", "machine 127.0.0.1 login name password netrc-password")
            self.walk()
        return self

    def private(self, name, content):
        with open(os.open(os.path.join(self.home, name), os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(content + "\n")

    def walk(self):
        kind = self.kind
        needs = kind.allowed == AMBIENT and "LATCHKEY_CLIENT_SECRET" not in self.environment
        status = self.login("work", self.own, kind.words, kind.device)
        if status != (8 if needs else 0):
            raise Wrong(f"the sign-in ends with {status}: {self.said}")
        self.look("at its sign-in", None if needs else kind.allowed)
        if not needs:
            after = self.change()
            for words in (["refresh"], ["token"], ["status"], ["request", self.own.address + "/api"]):
                self.command(*words, "--profile", "work")
            self.look("after its sign-in", after)
        # The same environment, another service: nothing of the first one's may arrive there.
        if self.login("other", self.other, (), False):
            raise Wrong(f"the sign-in of a public client ends otherwise: {self.said}")
        for profile in ("other", "work"):
            self.command("refresh", "--profile", profile)
            self.command("logout", "--profile", profile)
        self.look("at the end", None if needs else kind.allowed, isLast=True)
        self.programs_started()
        # Once for each environment, and where there is a /proc to look into.
        if kind == KINDS[0] and os.path.isdir("/proc/self"):
            self.agent()

    def change(self):
        """What becomes of the profile; the secret that its service may still get."""
        path = os.path.join(self.home, "config", "latchkey", "profiles", "work.json")
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        self.before = (len(self.own.seen), len(self.other.seen))
        match self.kind.then:
            case None:
                return self.kind.allowed
            case "cleared":
                self.command("profiles", "edit", "work", "--clear", "client-secret")
                return None
            case "redirected":
                self.command("profiles", "edit", "work", "--token-endpoint", self.other.address + "/token")
                return None
            case "older":
                del profile["client_secret"]["for"]
            case "moved":
                profile["issuer"] = self.other.address
            case "renamed":
                profile["client_id"] = "another"
        os.remove(path)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            json.dump(profile, file)
        return self.kind.allowed if self.kind.then == "older" else None

    def start(self, *words, stdin=subprocess.DEVNULL, **more):
        self.commands += 1
        variables = {**self.environment, **more}
        return self.programs.start([self.tool, *words], "home", environment=variables, stdin=stdin)

    def command(self, *words):
        process = self.start(*words)
        status = process.wait(PATIENCE)
        self.said = text(process).strip()
        return status

    def login(self, profile, service, words, device):
        words = [self.file if word == "FILE" else word for word in words]
        line = ["login", "--profile", profile, "--issuer", service.address, "--client-id", "tool", *words]
        process = self.start(*line, "--device" if device else "--no-browser")
        if not device and "--client-credentials" not in words:
            try:
                visit(find(process, r"(?m)http://\S*response_type=\S+"))
            except RuntimeError:
                pass
        status = process.wait(PATIENCE)
        self.said = text(process).strip()
        return status

    def look(self, when, allowed, isLast=False):
        """Each secret at each service, which has to be the one that its profile may send, and each service's tokens."""
        for service, foreign in ((self.own, self.other), (self.other, self.own)):
            since = getattr(self, "before", (0, 0))[service is self.other] if when == "after its sign-in" else 0
            received = list(service.texts(since))
            for word in WORDS:
                count = sum(word in value for value in received)
                if count and service is self.own and word == allowed:
                    self.sent += count
                elif count:
                    self.leak(f"{service.name} is sent {word!r} {when}")
            if any(value.startswith(foreign.name + "-") for value in received) and self.kind.then not in (
                # A person who moves a profile by hand or by an option moves its session.
                "moved",
                "redirected",
            ):
                self.leak(f"{service.name} is sent a token of {foreign.name} {when}")
        if isLast and allowed and not self.sent:
            raise Wrong("the secret never arrived where it must")

    def agent(self):
        """What the agent has in its environment, which outlives the command that started it."""
        words = ["--profile", "sealed", "--passphrase-from-stdin"]
        with open(os.path.join(self.home, "passphrase"), "w", encoding="utf-8") as file:
            file.write("four words of a check\n" * 2)
        line = ["--issuer", self.other.address, "--client-id", "tool", "--store", "encrypted", "--no-browser"]
        with open(os.path.join(self.home, "passphrase"), "rb") as file:
            process = self.start("login", *words, *line, stdin=file)
            visit(find(process, r"(?m)http://\S*response_type=\S+"))
            if process.wait(PATIENCE):
                raise Wrong(f"the encrypted sign-in ends otherwise: {text(process)}")
        with open(os.path.join(self.home, "passphrase"), "rb") as file:
            process = self.start("unlock", *words, "--for", "1m", stdin=file)
            if process.wait(PATIENCE):
                raise Wrong(f"the agent is not started: {text(process)}")
        held = [place for place in map(environment, processes(b"agent\0serve")) if self.home.encode() in place]
        if not held:
            raise Wrong("the agent's process is not found")
        if any(word.encode() in place for place in held for word in (AMBIENT, OTHERS["LATCHKEY_ACCESS_TOKEN"])):
            self.leak("the agent keeps a secret in its environment")
        self.command("lock")

    def leak(self, what):
        self.leaks.append(what)

    def programs_started(self):
        """What the programs see that the tool starts: the browser, and that of `exec`."""
        seen = os.path.join(self.home, "seen")
        browser = os.path.join(self.home, "browser")
        with open(os.open(browser, os.O_WRONLY | os.O_CREAT, 0o700), "w") as script:
            script.write(f"#!/bin/sh\nenv > {seen}.new\nmv {seen}.new {seen}\n")
        line = ["login", "--profile", "other", "--issuer", self.other.address, "--client-id", "tool"]
        process = self.start(*line, BROWSER=browser)
        try:
            find(process, r"(?m)^.*(Waiting|browser).*$")
            for _ in range(500):
                if os.path.exists(seen):
                    break
                try:
                    process.wait(0.02)
                except Exception:
                    continue
        except RuntimeError:
            pass
        process.terminate()
        process.wait(PATIENCE)
        if not os.path.exists(seen):
            raise Wrong(f"no browser was started: {text(process)}")
        with open(seen, encoding="utf-8") as file:
            if any(line.startswith("LATCHKEY_") for line in file):
                self.leak("the browser is given a variable of the tool")
        if self.login("other", self.other, (), False):
            raise Wrong(f"the sign-in of a public client ends otherwise: {self.said}")
        self.command("exec", "--profile", "other", "--", "env")
        if AMBIENT in self.said or "LATCHKEY_ACCESS_TOKEN=other-" not in self.said.replace(self.other.name, "other"):
            self.leak(f"the program of exec is given another secret than its token: {self.said}")


def processes(words):
    """The folders below /proc of the processes with such arguments."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                if words in file.read():
                    yield f"/proc/{number}"
        except OSError:
            pass


def environment(folder):
    try:
        with open(f"{folder}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def table(cells):
    """A line for each kind of profile: in each environment, how often its service and the other got a secret."""
    width = max(len(kind.name) for kind in KINDS)
    columns = [f"{name:{max(len(name), 20)}}" for name in ENVIRONMENTS]
    print(f"{'how often a secret came to':{width}}  " + "  ".join(columns))
    for kind in KINDS:
        words = []
        for column, name in zip(columns, ENVIRONMENTS):
            cell = cells.get((kind, name))
            word = "wrong" if cell is None else f"its service {cell.sent}, other {len(cell.leaks)}"
            words.append(f"{word:{len(column)}}")
        print(f"{kind.name:{width}}  " + "  ".join(words))


def main():
    tool = sys.argv[1]
    places = [(kind, name) for kind in KINDS for name in ENVIRONMENTS]
    cells = {}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        started = {
            pool.submit(Cell(tool, kind, ENVIRONMENTS[name], number).run): (kind, name)
            for number, (kind, name) in enumerate(places)
        }
        for done in concurrent.futures.as_completed(started):
            kind, name = started[done]
            try:
                cells[kind, name] = done.result()
            except (Wrong, OSError) as problem:
                print(f"{kind.name}, {name}: {problem}")
                continue
            for leak in cells[kind, name].leaks:
                print(f"{kind.name}, {name}: {leak}")
    table(cells)
    found = cells.values()
    leaks, wrong = sum(len(cell.leaks) for cell in found), len(places) - len(cells)
    print(
        f"profiles={len(KINDS)} environments={len(ENVIRONMENTS)} services={2 * len(places)}"
        f" commands={sum(cell.commands for cell in found)}"
        f" requests={sum(len(cell.own.seen) + len(cell.other.seen) for cell in found)}"
        f" sent={sum(cell.sent for cell in found)} wrong={wrong} leaks={leaks}"
    )
    return 1 if leaks or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
