"""Chromium's DevTools protocol over two pipes: calls, their answers, and events in between."""

import json
import os
import select
import subprocess
import time

PATIENCE = 30


class Refused(Exception):
    """Chromium refuses a call, or does not answer in time."""


class DevTools:
    """One connection. Events wait until somebody asks for them."""

    def __init__(self, command, environment, log):
        commands, self.send_to = os.pipe()
        self.read_from, answers = os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4. Only a shell can put them there without a race.
        shell = ["bash", "-c", 'from=$1 to=$2; shift 2; exec "$@" 3<&"$from" 4>&"$to"', "bash", str(commands), str(answers)]
        self.process = subprocess.Popen(
            [*shell, *command], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            pass_fds=(commands, answers), start_new_session=True)
        os.close(commands)
        os.close(answers)
        self.log = log.name
        self.last = 0
        self.buffer = b""
        self.answers = {}
        self.listeners = []

    def listen(self, listener):
        """Hands every event to `listener(session, method, parameters)` from now on."""
        self.listeners.append(listener)

    def call(self, method, session=None, patience=PATIENCE, **parameters):
        """The result of one call; raises Refused."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.send_to, data):]
        number = self.last
        self.until(lambda: number in self.answers, f"no answer to {method}", patience)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Refused(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def until(self, is_so, otherwise, patience=PATIENCE):
        """Reads what arrives until `is_so()`; raises Refused after `patience` seconds."""
        limit = time.monotonic() + patience
        while not is_so():
            left = limit - time.monotonic()
            if left <= 0 or not self._read(left):
                raise Refused(otherwise)

    def _read(self, patience):
        """Reads one piece: whether there was one in time."""
        if not select.select([self.read_from], [], [], patience)[0]:
            return False
        piece = os.read(self.read_from, 1 << 20)
        if not piece:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                raise Refused(f"Chromium has ended: {log.read()[-600:]}")
        *messages, self.buffer = (self.buffer + piece).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
                continue
            for listener in self.listeners:
                listener(message.get("sessionId"), message["method"], message["params"])
        return True

    def close(self):
        """Ends Chromium, which ends its own processes."""
        try:
            self.call("Browser.close", patience=5)
        except (Refused, OSError):
            pass
        os.close(self.send_to)
        os.close(self.read_from)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
