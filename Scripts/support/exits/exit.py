"""One exit of one program at one moment, and what the next `latchkey token` finds."""

import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))

from service import ANSWERED, BEFORE, CLIENT, STORED, UNDER_WAY, Hold, forget_documents  # noqa: E402
from programs import find, text  # noqa: E402
from walk import visit  # noqa: E402

SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP}
TIMEOUT, DEADLINE, MAIN = "timeout", "--timeout", "its own"
# How long a program goes on that must not end yet, and how long one may take that may end at once.
HELD, AT_ONCE = 0.35, 3.0
PATIENCE = 20


class Lost(Exception):
    """A session was lost."""


class Wrong(Exception):
    """An exit was not as it must be."""


class Exit:
    """A command in a home of its own, at a service of its own."""

    def __init__(self, programs, tool, leaver, issuer, command, moment, way):
        self.programs, self.tool, self.leaver = programs, tool, leaver
        self.issuer, self.command, self.moment, self.way = issuer, command, moment, way
        self.home = issuer.scenario.name
        self.folder = os.path.join(programs.folder, self.home)

    @property
    def name(self):
        return f"{self.command.name}, {self.moment}, {self.way}"

    def run(self):
        if self.command.signed_in:
            self.take_over()
            # Until the access token has ended.
            if not self.command.leaves and self.command.lifetime == 1:
                time.sleep(1.1)
        if self.moment == BEFORE:
            forget_documents(self.folder)
        hold = Hold(self.moment, self.command.places, self.folder)
        self.issuer.hold = hold
        process = self.start()
        try:
            if not hold.reached.wait(PATIENCE):
                raise Wrong(f"does not come to the moment: {text(process)}")
            self.end(process, hold)
        finally:
            self.issuer.hold = None
            hold.go.set()
            if process.poll() is None:
                process.kill()
                process.wait()
        self.judge_session(process)

    def take_over(self):
        status, said = self.given(self.issuer.imported(), "login", *self.login_words, "--with-token")
        if status:
            raise Wrong(f"the sign-in before it ends with {status}: {said}")

    @property
    def login_words(self):
        return ["--issuer", self.issuer.address, "--client-id", CLIENT]

    def given(self, words, *command):
        process = self.programs.start([self.tool, *command], self.home, stdin=self.input(words))
        return process.wait(PATIENCE), text(process)

    def input(self, words):
        reading, writing = os.pipe()
        os.write(writing, words.encode())
        os.close(writing)
        return os.fdopen(reading, "rb")

    def start(self):
        options = {}
        if self.command.given == "token":
            options["stdin"] = self.input(self.issuer.imported())
        elif self.command.given == "git":
            host = self.issuer.base.removeprefix("http://")
            options["stdin"] = self.input(f"protocol=http\nhost={host}\n\n")
        store = os.path.join(self.folder, "data", "latchkey", "default")
        line = self.command.line(self.tool, self.leaver, self.issuer, store)
        if self.way == TIMEOUT:
            line = ["timeout", self.command.timeout, *line]
        self.began = time.monotonic()
        process = self.programs.start(line, self.home, **options)
        if self.command.visits:
            threading.Thread(target=self.visit, args=(process,), daemon=True).start()
        return process

    def visit(self, process):
        try:
            visit(find(process, r"(?m)http://\S*response_type=\S+"))
        except (RuntimeError, OSError):
            pass

    def end(self, process, hold):
        """Lets the program end, and looks at when and how it does."""
        if self.moment == ANSWERED:
            # The answer is on its way to a store that is held.
            time.sleep(0.15)
        if self.way in SIGNALS:
            process.send_signal(SIGNALS[self.way])
        must_wait = self.moment in (UNDER_WAY, ANSWERED)
        began = time.monotonic()
        if must_wait:
            if self.way in (TIMEOUT, DEADLINE):
                time.sleep(max(0.0, self.began + float(self.command.timeout) + 0.2 - began))
            time.sleep(1.0 if self.way == MAIN else HELD)
            if process.poll() is not None:
                raise Wrong(f"ends with {process.returncode} before the exchange has: {text(process)}")
        elif self.moment == BEFORE and self.way in SIGNALS:
            self.ends_at_once(process)
        hold.go.set()
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Wrong(f"still waits after {time.monotonic() - began:.0f} s: {text(process)}") from None
        if self.way in SIGNALS and must_wait:
            self.judge_end(status, text(process))

    def ends_at_once(self, process):
        try:
            process.wait(AT_ONCE)
        except subprocess.TimeoutExpired:
            raise Wrong("does not end at once, though nothing is under way that spends") from None

    def judge_end(self, status, said):
        if self.command.shape:
            return
        number = SIGNALS[self.way]
        if status != 128 + number:
            raise Wrong(f"ends with {status}, not with {128 + number}: {said}")
        if self.command.lifetime == 1 and not re.search(r"(?m)^latchkey: Waits (for http://\S+ to answer|until)", said):
            raise Wrong(f"does not say what it waits for: {said}")

    def judge_session(self, process):
        """What the next call finds: the service counts, and has the last word."""
        alive, newest = self.issuer.is_alive, self.issuer.newest
        is_granted = bool(self.issuer.given) and not newest.startswith("imported-")
        if self.command.leaves:
            self.run_tool("logout")
            # What has not been sent of a removed profile's sign-outs is told by nobody, as profiles remove says.
            if (self.moment != BEFORE or self.command.name == "logout") and self.issuer.is_alive:
                raise Lost("the session that was signed out of is alive at the service")
            return
        if not is_granted:
            return
        if not alive:
            raise Lost(f"the service has ended the session: {text(process)}")
        before = self.issuer.refreshed
        status, said = self.run_tool("token", "--min-validity", "1h")
        if status or not self.issuer.is_alive:
            raise Lost(f"the next token ends with {status}: {said} (before: {text(process)})")
        if self.issuer.refreshed != before + 1:
            raise Wrong(f"the next token has not come from the service: {said}")

    def run_tool(self, *words):
        return self.programs.run([self.tool, *words], self.home, patience=PATIENCE + 15)


def ways(command, moment):
    """The ways to end that make a difference for a command."""
    if command.shape:
        return (MAIN,) if moment != STORED else ()
    found = list(SIGNALS)
    if moment in (UNDER_WAY, ANSWERED):
        found.append(TIMEOUT)
        if command.has_deadline:
            found.append(DEADLINE)
    if command.name == "exec --refresh, later" and moment in (BEFORE, STORED):
        # The document is known by then, and what is stored is what the command has begun with.
        return ()
    return tuple(found)
