"""The identity service that an app speaks to: the development server, as a process of its own."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from wire import Wire

LIFETIME = 4
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Service:
    """A development server whose access tokens last four seconds, and the wire to it."""

    def __init__(self, tool, environment):
        self.process = subprocess.Popen(
            [tool, "dev-server", "--json", "--token-lifetime", f"{LIFETIME}s"], env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.server = json.loads(self.process.stdout.readline())["issuer"]
        self.wire = Wire(int(self.server.rpartition(":")[2]))
        self.address = f"http://127.0.0.1:{self.wire.port}"

    def stop(self):
        """The process stands still: connections are accepted, and nothing is answered."""
        self.process.send_signal(signal.SIGSTOP)
        # A thread on another processor stops a moment later.
        tasks = f"/proc/{self.process.pid}/task"
        while any(self.state(f"{tasks}/{task}") not in "TZX" for task in os.listdir(tasks)):
            time.sleep(0.001)

    @staticmethod
    def state(task):
        try:
            with open(f"{task}/stat") as file:
                return file.read().rpartition(")")[2].split()[0]
        except OSError:
            return "X"

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()

    def control(self, command, body=None):
        """Sends a command, or reads a document if there is no body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.server}/control/{command}", data=data, headers={"X-Latchkey-Control": "1"})
        with OPENER.open(request, timeout=10) as answer:
            return json.loads(answer.read() or b"{}")

    def revoke(self, address):
        """An administrator ends every session of a person."""
        self.control("revoke", {"subject": address})

    def code(self, address):
        """The code of the newest mail to a person."""
        found = self.control("inbox?" + urllib.parse.urlencode({"to": address}))["messages"]
        return found[-1]["code"]

    def granted(self, endpoint, grant=None):
        """How many requests of a kind were granted."""
        return sum(
            entry["endpoint"] == endpoint and entry["outcome"] == "ok" and grant in (None, entry.get("grant"))
            for entry in self.control("log")["entries"])


class Lines:
    """The lines that a process writes, each waited for with a limit."""

    def __init__(self, stream):
        self.found = queue.Queue()
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.found.put(line.rstrip("\n"))
        self.found.put(None)

    def next(self, patience):
        """The next line; None if the process has ended, and TimeoutError if none comes."""
        try:
            return self.found.get(timeout=patience)
        except queue.Empty:
            raise TimeoutError(f"no line within {patience} seconds") from None
