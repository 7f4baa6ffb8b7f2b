"""Programs that a check starts, each ended by it, and what they write."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

PATIENCE = 30


class Missing(Exception):
    """A program of the check is not installed."""


class Programs:
    """A temporary folder, and the programs that were started with a home in it. All end with it."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="latchkey-check-")
        self.started = []
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            # A server's script stops it when its input ends; other programs read none, and are told.
            if process.stdin:
                process.stdin.close()
            elif process.poll() is None:
                process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, home):
        """What programs are started with whose home is `home` below the folder: nothing of the caller's own."""
        home = os.path.join(self.folder, home)
        os.makedirs(home, mode=0o700, exist_ok=True)
        return {
            "PATH": os.environ["PATH"], "HOME": home, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "BROWSER": "/bin/false",
            "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data", "XDG_STATE_HOME": home + "/state",
            "XDG_CACHE_HOME": home + "/cache", "TMPDIR": home,
        }

    def start(self, command, home=".", **options):
        """Starts a program; its output goes to a file that `text` and `find` read."""
        path = os.path.join(self.folder, f"out.{len(self.started)}")
        environment = {**self.environment(home), **options.pop("environment", {})}
        options.setdefault("stdin", subprocess.DEVNULL)
        with open(path, "wb") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT, **options)
        process.path = path
        self.started.append(process)
        return process

    def run(self, command, home=".", patience=PATIENCE, **options):
        """Runs a program to its end: its status, and all that it wrote."""
        process = self.start(command, home, **options)
        return process.wait(patience), text(process)


def text(process):
    """What a program wrote so far."""
    with open(process.path, "rb") as out:
        return out.read().decode("utf-8", "replace")


def find(process, pattern, patience=PATIENCE):
    """The first match in what a program writes, before its end and within `patience` seconds."""
    limit = time.monotonic() + patience
    while True:
        over = process.poll() is not None or time.monotonic() > limit
        found = re.search(pattern, text(process))
        if found:
            return found.group(0)
        if over:
            raise RuntimeError(f"{process.args[0]} did not write {pattern}: {text(process)}")
        time.sleep(0.02)


def free_port():
    """A port that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
