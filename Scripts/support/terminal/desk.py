"""Where the recordings are made: a server, a home without anything in it, a tool to type the name of."""

import os
import shlex
import shutil
import subprocess
import sys

from expired import serve_expired
from person import Browser
from programs import find
from terminal import Terminal

COLUMNS = 100
NOBODY = 65534
# Notes the address and ends, as the desktop's own program does. The person opens it when they get to it.
XDG_OPEN = """#!/bin/sh
printf %s "$1" > '{}'
"""


class Skipped(Exception):
    """This machine cannot show it."""


class Desk:
    """One recording: what a person types at the terminal, and what it shows."""

    def __init__(self, programs, tool, server, name):
        self.programs, self.server, self.issuer, self.lines, self.leaks = programs, server, server.issuer, [], []
        self.folder = os.path.join(programs.folder, name)
        self.home, self.opened = os.path.join(self.folder, "home"), os.path.join(self.folder, "opened")
        self.tool, self.user = tool, None
        # What is another at each recording, and what stands for it.
        self.places = {self.home: "/home/ada", **_addresses(self.issuer.removeprefix("http://"), "127.0.0.1:8400")}
        os.makedirs(os.path.join(self.folder, "bin"))
        os.mkdir(self.home, 0o700)
        self.program("xdg-open", XDG_OPEN.format(self.opened))

    @property
    def project(self):
        """The options for the server's Supabase project."""
        return ["--supabase", self.issuer, "--key", self.server.about["supabase"]["publishableKey"]]

    @property
    def text(self):
        return "\n".join(self.lines)

    def run(self, *words, person=None):
        """Runs the tool with these words at a terminal, while the person does their part."""
        with Terminal([self.tool, *words], self._environment(), self.home, COLUMNS, self.user) as terminal:
            if person:
                person(terminal)
            status = terminal.ends()
            self.lines += ["$ " + shlex.join(["latchkey", *words]), *terminal.screen.text.split("\n")]
            self.leaks += [text for text, count in terminal.hidden if terminal.screen.text.count(text) > count]
        if status:
            self.lines.append(f"[exit status {status}]")

    def forget(self):
        """Begins the recording here."""
        self.lines.clear()

    def browser(self, terminal):
        """The page that the tool has opened, once the terminal has said all that it says."""
        terminal.sees("paste")
        terminal.waits_for(lambda: os.path.exists(self.opened) and os.path.getsize(self.opened), "a browser")
        with open(self.opened, encoding="utf-8") as file:
            return Browser().open(file.read())

    def far_browser(self, terminal):
        """The same on another machine, where somebody opens the address that the terminal shows."""
        terminal.sees("paste")
        return self.elsewhere(terminal.sees(r"http://\S+/authorize\?\S+")[0])

    def elsewhere(self, address):
        """A page on another device."""
        return Browser(within=self.issuer).open(address)

    def mailed_code(self, address):
        """The code in the newest mail to this address."""
        code = self.server.control(f"inbox?to={address}")["messages"][-1]["code"]
        self.places[code] = "491625"
        return code

    def plain_service(self):
        """Starts a service that does not speak TLS: its host and port."""
        process = self.programs.start([sys.executable, os.path.join(os.path.dirname(os.path.realpath(__file__)), "plain.py")])
        host = "127.0.0.1:" + find(process, r"^\d+\n").strip()
        self.places |= _addresses(host, "127.0.0.1:8080")
        return host

    def expired_service(self):
        """Starts a service whose certificate has ended: its host and port. The certificate is company.pem at home."""
        host = "localhost:" + serve_expired(self.programs, self.folder, self.home)
        self.places |= _addresses(host, "localhost:8443")
        return host

    def become_nobody(self):
        """Goes on as an ordinary user: files say no to them, and never to root."""
        if os.geteuid() != 0:
            return
        self.user = NOBODY
        for folder in (self.programs.folder, self.folder, os.path.join(self.folder, "bin")):
            os.chmod(folder, 0o711)
        os.chown(self.home, NOBODY, NOBODY)
        # The tool may be where only root may read.
        self.tool = shutil.copy2(self.tool, os.path.join(self.folder, "bin", "latchkey"))
        os.chmod(self.tool, 0o755)
        try:
            subprocess.run([self.tool, "--version"], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", check=True,
                           capture_output=True, timeout=30)
        except (OSError, subprocess.SubprocessError) as error:
            raise Skipped(f"the tool does not run as another user: {error}") from None

    def program(self, name, text):
        """Puts a script where the tool looks for programs first: its path."""
        path = os.path.join(self.folder, "bin", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def _environment(self):
        return {
            "HOME": self.home, "PATH": os.path.join(self.folder, "bin") + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color", "TZ": "UTC", "WAYLAND_DISPLAY": "wayland-0",
        }


def _addresses(host, shown):
    """A host and port as people read them, and in an address's parameters."""
    return {host: shown, host.replace(":", "%3A"): shown.replace(":", "%3A")}
