"""One refresh that is killed, and those that ask for a token after it."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))

from grace import CLIENT  # noqa: E402
from programs import text  # noqa: E402
from walk import renewals  # noqa: E402

PATIENCE = 40
# An answer that the client did not wait for is waited for this long at least, and takes as long as a command does to start.
LEAD = 1.6


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of service, and what the profile is told of it."""

    name: str
    interval: float = 0.0
    count: int = 0
    words: tuple = ()


KINDS = (
    Kind("strict"),
    # No wait is as short as this unless the profile says so.
    Kind("1 s", 1.0, words=("--reuse-interval", "1s")),
    Kind("5 s", 5.0),
    Kind("10 s", 10.0),
    Kind("60 s", 60.0),
    Kind("once", count=1),
)

SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "time-out": signal.SIGTERM}


@dataclasses.dataclass
class Run:
    """A command is ended at a moment; after a while, some ask at once."""

    kind: Kind
    way: str
    # After how many seconds it is ended.
    moment: float
    later: float
    askers: int
    number: int = 0

    @property
    def name(self):
        return f"{self.kind.name}, {self.way} after {self.moment * 1000:.0f} ms, {self.askers} ask {self.later:.0f} s later"


class Wrong(Exception):
    """A run did not come to its end."""


class Play:
    """Plays a run in a home of its own, at a service of its own."""

    def __init__(self, programs, tool, service, run):
        self.programs, self.tool, self.service, self.run = programs, tool, service, run
        self.home = f"r{run.number}"

    def play(self):
        """Whether the session is kept, whether the service would have kept it, and how long those who asked waited."""
        self.take_over()
        time.sleep(1.1)
        process = self.start("token")
        time.sleep(self.run.moment)
        process.send_signal(SIGNALS[self.run.way])
        process.wait(PATIENCE)
        time.sleep(self.run.later)
        held = self.stored()
        lead = self.run.kind.interval / 2 if self.run.kind.words else LEAD
        is_answered = self.service.would_answer(held, lead)
        began = time.monotonic()
        askers = [self.start("token") for _ in range(self.run.askers)]
        ends = [self.end(asker) for asker in askers]
        waited = time.monotonic() - began
        is_kept = not any(ends) and self.stored() == self.service.newest and self.service.is_alive
        said = "" if is_kept else " / ".join(text(asker).strip() for asker in askers[:1])
        return is_kept, is_answered, waited, said

    def end(self, process):
        try:
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Wrong(f"still waits: {text(process)}") from None

    def start(self, *words, **options):
        return self.programs.start([self.tool, *words], self.home, **options)

    def take_over(self):
        reading, writing = os.pipe()
        os.write(writing, self.service.imported().encode())
        os.close(writing)
        words = ("login", "--issuer", self.service.address, "--client-id", CLIENT, "--with-token", *self.run.kind.words)
        process = self.start(*words, stdin=os.fdopen(reading, "rb"))
        if self.end(process):
            raise Wrong(f"the sign-in before it fails: {text(process)}")

    def stored(self):
        """The refresh token in the home."""
        for folder, _, names in os.walk(os.path.join(self.programs.folder, self.home, "data")):
            for name in names:
                if name.startswith("credential-") and name.endswith(".record"):
                    with open(os.path.join(folder, name), encoding="utf-8") as record:
                        record.readline()
                        for found in renewals(json.load(record)):
                            return found
        return None
