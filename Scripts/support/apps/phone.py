"""A phone with one app on it, and the person who taps. It counts sessions that nobody ended and that are gone."""

import os
import re
import signal
import subprocess
import time

from service import Lines

PATIENCE = 20


class Wrong(Exception):
    """The screen does not show what it should."""


class Phone:
    """An app, its folder, and whether somebody is signed in there as far as the person knows."""

    def __init__(self, walk, name="phone"):
        self.walk = walk
        self.folder = os.path.join(walk.folder, name)
        os.makedirs(self.folder, mode=0o700)
        self.process = None
        self.signed_in = False

    def launch(self, pattern=".*"):
        """Opens the app; its first screen must show the pattern."""
        command = [self.walk.program, self.walk.app, "--service", self.walk.service.address, "--folder", self.folder]
        self.process = subprocess.Popen(
            command + self.walk.options, env=self.walk.environment, text=True, bufsize=1, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.walk.errors)
        self.lines = Lines(self.process.stdout)
        return self.look(self.lines.next(PATIENCE), "launch", pattern)

    def look_at_launch(self):
        """Opens the app where nobody knows whether the session was kept, and returns what the first screen shows."""
        self.signed_in = False
        return self.launch()

    def send(self, tap):
        """Taps, and does not look."""
        self.process.stdin.write(tap + "\n")
        self.process.stdin.flush()

    def tap(self, tap, pattern=".*"):
        """Taps; the screen must show the pattern then. Returns what it shows."""
        self.send(tap)
        return self.look(self.lines.next(PATIENCE), tap, pattern)

    def wait(self, tap, pattern, patience=PATIENCE):
        """Looks again and again until the screen shows the pattern."""
        end = time.monotonic() + patience
        while True:
            shown = self.tap(tap)
            if re.search(pattern, shown):
                return shown
            if time.monotonic() > end:
                raise Wrong(f"{tap!r} does not show {pattern!r} within {patience} seconds, but {shown!r}")
            time.sleep(0.1)

    def look(self, shown, tap, pattern):
        if shown is None:
            raise Wrong(f"the app ended at {tap!r} with status {self.process.wait()}")
        self.walk.heard(tap, shown)
        # A form that the person has no reason to see.
        if self.signed_in and re.match("sign-in", shown):
            self.walk.lost += 1
            self.signed_in = False
            raise Wrong(f"the session is lost: {tap!r} shows {shown!r}")
        if not re.search(pattern, shown):
            raise Wrong(f"{tap!r} does not show {pattern!r}, but {shown!r}")
        return shown

    def quit(self):
        """Closes the app; what is under way is stored first."""
        self.tap("quit", "^closed$")
        self.process.stdin.close()
        if self.process.wait(PATIENCE) != 0:
            raise Wrong(f"the app ended with status {self.process.returncode}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()

    def end(self):
        """Whatever happened: nothing of it stays."""
        if self.process and self.process.poll() is None:
            self.kill()

    def holds(self, word):
        """The files of the app that have a word in them."""
        found = []
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    if re.search(word.encode(), file.read()):
                        found.append(name)
        return found
