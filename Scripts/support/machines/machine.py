"""A machine of one environment: a folder with a home, a service, and what runs a command there and looks at what it left."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
for folder in ("attacks", "services", "terminal"):
    sys.path.append(os.path.join(HERE, "..", folder))

from changes import Changes  # noqa: E402
from programs import Programs  # noqa: E402
from scene import VICTIM as USER  # noqa: E402
from servers import DevServer  # noqa: E402
from terminal import Lost, Terminal  # noqa: E402

PATIENCE = 90
# When somebody makes room for a command that waits for it.
RELIEF = 3
PROGRAM = 'echo "got $LATCHKEY_ACCESS_TOKEN"'
# The person's browser: it opens the address, whatever the tool's own environment is.
BROWSER = """#!/bin/sh
unset LD_PRELOAD
exec /usr/bin/curl --silent --location --noproxy '*' --max-time 60 --output /dev/null "$1"
"""


class Ended:
    """What a command did: its status (None if it did not end), what it wrote, and how long it took."""

    def __init__(self, words, status, out, errors, seconds):
        self.words, self.status, self.out, self.errors, self.seconds = words, status, out, errors, seconds

    @property
    def text(self):
        return self.out + self.errors


class Machine(Changes, Programs):
    """One machine. It is well, until `fall_ill`, and again after `mend`."""

    def __init__(self, case, tool):
        self.case, self.bin = case, os.path.dirname(tool)
        self.tool, self.undo, self.ran = tool, [], []
        self.is_ill = False

    def __enter__(self):
        super().__enter__()
        os.chmod(self.folder, 0o755)
        self.user = USER if self.case.user is None else self.case.user
        self.group = self.user if self.case.group is None else self.case.group
        self.home = self.own("home", 0o700)
        self.server = DevServer(self, self.tool, self.case.lifetime)
        self.issuer = self.server.issuer
        self.network = self.case.network and self.case.network(self)
        if self.case.build:
            self.case.build(self)
            # What was built stays.
            self.undo = [step for step in self.undo if step[0] == "mount"]
        self.built = len(self.undo)
        return self

    def __exit__(self, *exception):
        self.mend()
        for _, step in reversed(self.undo):
            step()
        if self.network:
            self.network.close()
        super().__exit__(*exception)

    def fall_ill(self):
        if not self.is_ill:
            self.is_ill = True
            if self.case.make:
                self.case.make(self)
            if self.network:
                self.network.fall_ill()

    def mend(self):
        self.is_ill = False
        while len(self.undo) > self.built:
            self.undo.pop()[1]()
        if self.network:
            self.network.mend()

    def words(self, command):
        words = self.case.words if self.is_ill or not self.case.ill_words else ()
        options = self.case.options
        issuer = [] if "--issuer" in words else ["--issuer", self.issuer]
        return {
            "login": ["login", *issuer, "--client-id", self.case.client, *options, *words],
            "exec": ["exec", *options, "--", "/bin/sh", "-c", PROGRAM],
        }.get(command, [command, *options])

    def run(self, command):
        """Runs one of the commands as the machine is. Tokens of a short life have ended by then."""
        if self.case.lifetime == 1 and command in ("token", "exec"):
            time.sleep(1.1)
        return self.tool_runs([self.filled(word) for word in self.words(command)])

    def tool_runs(self, words):
        return self.ends(words, 'exec /usr/bin/env -i "${@:2:$1}" "${@:$1+2}"', [self.tool, *words])

    def types(self, line):
        """Runs a line as somebody types it at a shell there."""
        return self.ends([line], 'exec /usr/bin/env -i "${@:2:$1}" /bin/bash -c "${@:$1+2}"', [line])

    def filled(self, text):
        return text.replace("{home}", self.home).replace("{folder}", self.folder).replace("{bin}", self.bin)

    def variables(self):
        found = {
            "PATH": f"{self.bin}:/usr/bin:/bin", "HOME": self.home, "LC_ALL": "C.UTF-8",
            "BROWSER": os.path.join(self.bin, "browser"), **self.case.variables,
            **(self.case.ill if self.is_ill else {}),
        }
        return [f"{name}={self.filled(value)}" for name, value in found.items() if value is not None]

    def line(self, last, arguments):
        """The command line that goes through namespaces and another user to the program."""
        case, ill = self.case, self.is_ill
        groups = ["--groups", ",".join(map(str, case.groups))] if case.groups else ["--clear-groups"]
        variables = self.variables()
        outer = (case.root if ill else "") + '\nexec "$@"'
        inner = "umask 022\n" + (case.lines if ill else "") + "\n" + last
        if ill and case.redirect:
            inner += " " + case.redirect
        words = ["/bin/bash", "-c", self.filled(inner), "bash", str(len(variables)), *variables, *arguments]
        user, group = (self.user, self.group) if not ill or case.other is None else (case.other, case.other)
        words = ["/usr/bin/setpriv", "--reuid", str(user), "--regid", str(group), *groups, *(case.inside if ill else ()), *words]
        words = ["/bin/bash", "-ec", self.filled(outer), "bash", *words]
        words = ["/usr/bin/unshare", "--mount", *(case.unshare if ill else ()), *words]
        return (self.network.prefix if self.network else []) + words

    def ends(self, words, last, arguments):
        line = self.line(last, arguments)
        began = time.monotonic()
        relief = threading.Timer(RELIEF, self.relieve)
        if self.is_ill and words[0] in self.case.relieved:
            relief.start()
        if self.is_ill and self.case.terminal:
            status, out, errors = self.at_terminal(line)
        else:
            status, out, errors = self.without_terminal(line)
        relief.cancel()
        ended = Ended(words, status, out, errors, time.monotonic() - began)
        self.ran.append(ended)
        return ended

    def without_terminal(self, line):
        process = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", start_new_session=True,
            env={"PATH": os.environ["PATH"]})
        try:
            out, errors = process.communicate(timeout=PATIENCE)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, errors = process.communicate()
            status = None
        status = 128 - status if status is not None and status < 0 else status
        return status, out.decode("utf-8", "replace"), errors.decode("utf-8", "replace")

    def at_terminal(self, line):
        if self.case.terminal == "back":
            line = ["/bin/bash", "-c", 'set -m; "$@" & wait $!', "bash", *line]
        with Terminal(line, {"PATH": os.environ["PATH"]}, "/", 100, owner=self.user) as terminal:
            try:
                status = terminal.ends()
            except Lost:
                status = None
            status = 128 - status if status is not None and status < 0 else status
            return status, terminal.screen.text, ""

    def snapshot(self):
        """What is there outside the project's own folders: mode, owner and link of each."""
        found = {}
        for at, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != "latchkey"]
            for name in folders + names:
                path = os.path.join(at, name)
                status = os.lstat(path)
                found[path] = (oct(status.st_mode), status.st_uid, status.st_gid,
                               os.readlink(path) if os.path.islink(path) else "")
        return found

    def granted(self):
        """The sign-ins that the service granted, each with whether it was revoked since."""
        families = {}
        for entry in self.server.control("log")["entries"]:
            if entry["endpoint"] == "token" and entry["outcome"] == "ok" and entry.get("grant") != "refresh_token":
                families[entry.get("family")] = False
            elif entry["endpoint"] == "revocation" and entry["outcome"] == "ok" and entry.get("family") in families:
                families[entry["family"]] = True
        return families


def changed(before, after):
    """What became of others' files between two snapshots; nothing if all is as it was."""
    for path, was in before.items():
        if path not in after:
            return f"{path} is gone"
        if after[path] != was:
            return f"{path} was {was} and is {after[path]}"
    return None


def prepare(tool, folder):
    """A copy of the tool that every user may run, and the person's browser, in a folder: the tool's path."""
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    path = os.path.join(folder, "latchkey")
    shutil.copy(tool, path)
    with open(os.path.join(folder, "browser"), "w", encoding="utf-8") as file:
        file.write(BROWSER)
    for name in ("latchkey", "browser"):
        os.chmod(os.path.join(folder, name), 0o755)
    return path
