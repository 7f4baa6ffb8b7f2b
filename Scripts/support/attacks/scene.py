"""A victim, an attacker, and what either can do, for the attacks of Scripts/verify attacks."""

import os
import re
import shutil
import subprocess
import time

# Nobody's numbers on a Debian machine: users begin at 1000, and the service accounts end at 999.
VICTIM, ATTACKER = 61001, 61002
PATIENCE = 30


class Scene:
    """A folder of one attack: the victim's home, a copy of the tool that both may run, and a development server."""

    def __init__(self, tool, folder, lifetime="5m"):
        self.folder = folder
        os.makedirs(folder)
        os.chmod(folder, 0o755)
        self.tool = os.path.join(folder, "latchkey")
        # With the development server that it starts.
        for name in ("latchkey", "latchkey-dev-server"):
            copy = shutil.copy(os.path.join(os.path.dirname(tool), name), os.path.join(folder, name))
            os.chmod(copy, 0o755)
        self.home = self.own("home", VICTIM, 0o700)
        self.started = []
        self.data = os.path.join(self.home, "data")
        server = self.start(VICTIM, [self.tool, "dev-server", "--auto-approve", "--token-lifetime", lifetime])
        self.issuer = self.find(server, rb"http://127\.0\.0\.1:\d+").decode()

    def own(self, name, user, mode):
        """A folder of `user`."""
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        os.chown(path, user, user)
        os.chmod(path, mode)
        return path

    def environment(self, **more):
        """What the victim's processes are started with."""
        variables = {
            "PATH": "/usr/bin:/bin", "HOME": self.home, "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
            "XDG_CONFIG_HOME": self.home + "/config", "XDG_DATA_HOME": self.data,
            "XDG_STATE_HOME": self.home + "/state", "XDG_CACHE_HOME": self.home + "/cache",
        }
        variables.update(more)
        return variables

    def start(self, user, command, **options):
        """Starts a process of `user`; its output and errors go to one file, which `find` reads."""
        path = os.path.join(self.folder, f"out.{len(self.started)}")
        environment = self.environment(**options.pop("environment", {}))
        with open(path, "wb") as out:
            process = subprocess.Popen(
                command, user=user, group=user, extra_groups=[], env=environment, cwd="/", start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **options)
        process.path = path
        self.started.append(process)
        return process

    def run(self, user, command, patience=PATIENCE, **options):
        """Runs a command to its end: its status (None when it did not end in time) and what it wrote."""
        process = self.start(user, command, **options)
        return self.end(process, patience), self.text(process)

    def latchkey(self, *words, **options):
        """Runs the tool as the victim."""
        return self.run(VICTIM, [self.tool, *words], **options)

    def login(self, **options):
        """Starts a sign-in of the victim, and the address that it shows when it opens no browser."""
        words = [self.tool, "login", "--issuer", self.issuer, "--client-id", "dev-native"]
        if "BROWSER" not in options.get("environment", {}):
            words.append("--no-browser")
        return self.start(VICTIM, words, **options)

    def signed_in(self, **options):
        """Signs the victim in: status and output."""
        login = self.login(**options)
        address = self.find(login, rb"http://127\.0\.0\.1:\d+/authorize\S+", or_end=True)
        if address:
            self.run(VICTIM, ["curl", "--silent", "--location", "--output", "/dev/null", address.decode()])
        return self.end(login), self.text(login)

    @staticmethod
    def end(process, patience=PATIENCE):
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            return None

    @staticmethod
    def text(process):
        with open(process.path, "rb") as out:
            return out.read().decode("utf-8", "replace")

    def find(self, process, pattern, patience=PATIENCE, or_end=False):
        """The first match in what a process writes."""
        limit = time.monotonic() + patience
        while True:
            over = process.poll() is not None or time.monotonic() > limit
            with open(process.path, "rb") as out:
                found = re.search(pattern, out.read())
            if found:
                return found.group(0)
            if over:
                if or_end:
                    return None
                raise RuntimeError(f"{process.args} did not write {pattern}: {self.text(process)}")
            time.sleep(0.02)

    def listening(self, process, patience=PATIENCE):
        """The port that `process` listens on, as anybody can read it in /proc/net/tcp."""
        server = int(self.issuer.rsplit(":", 1)[1])
        limit = time.monotonic() + patience
        while time.monotonic() < limit and process.poll() is None:
            with open("/proc/net/tcp") as table:
                for line in table.readlines()[1:]:
                    words = line.split()
                    port = int(words[1].split(":")[1], 16)
                    if words[3] == "0A" and int(words[7]) == VICTIM and port != server:
                        return port
            time.sleep(0.02)
        raise RuntimeError(f"nothing listens: {self.text(process)}")

    def close(self):
        for process in self.started:
            if process.poll() is None:
                try:
                    os.killpg(process.pid, 9)
                except ProcessLookupError:
                    pass
                process.wait()


def last(text):
    """The last line of a text, short."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("hint:")]
    return (lines[-1] if lines else "nothing")[:100]
