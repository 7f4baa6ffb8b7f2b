"""Programs that keep a token and refresh it, each signed in at the development server."""

import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "services"))

from agent import Agent  # noqa: E402
from programs import PATIENCE, Missing  # noqa: E402
from servers import ROOT, Visitor  # noqa: E402

PASSPHRASE = "correct horse battery staple\n"


class Contestant:
    """A command that prints a valid token, one that refreshes whatever the token is, and their environment."""

    def __init__(self, name, token, force, environment):
        self.name, self.token, self.force, self.environment = name, token, force, environment

    def start(self, words, out):
        return subprocess.Popen(
            words, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)

    def run(self, words, patience=PATIENCE):
        """Runs a command to its end, and returns what it wrote; raises if it fails."""
        done = subprocess.run(
            words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=patience)
        if done.returncode != 0:
            said = " ".join((done.stdout + done.stderr).decode("utf-8", "replace").split())
            raise RuntimeError(f"{self.name}: {' '.join(words)} ends with {done.returncode}: {said}")
        return done.stdout.decode().strip()


class Latchkey(Contestant):
    """The tool with its session in a plain file; or in an encrypted one, behind an agent that hands tokens out."""

    def __init__(self, programs, tool, server, is_served=False):
        home = "served" if is_served else "plain"
        super().__init__("latchkey", [tool, "token"], [tool, "refresh"], programs.environment(home))
        words = [tool, "login", "--issuer", server.issuer, "--client-id", "dev-device", "--device"]
        self.give(words + (["--store", "encrypted", "--passphrase-from-stdin"] if is_served else []), PASSPHRASE)
        if is_served:
            self.give([tool, "unlock", "--for", "1h", "--serve-tokens", "--passphrase-from-stdin"], PASSPHRASE)

    def give(self, words, text):
        done = subprocess.run(
            words, env=self.environment, input=text.encode(), capture_output=True, check=False, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} ends with {done.returncode}: {done.stderr.decode().strip()}")

    def end(self):
        """Ends the agent, which would outlive the benchmark."""
        self.run([self.token[0], "lock"])


def oidc_token(programs, server):
    """oidc-agent, which has the account in memory; what is measured asks it over its socket."""
    for name in ("oidc-agent", "oidc-gen", "oidc-token"):
        if not shutil.which(name):
            raise Missing(f"{name} is missing: run Scripts/setup --bench")
    agent = Agent(programs, server)
    wrong = agent.device()
    if wrong:
        raise RuntimeError(wrong)
    words = [shutil.which("oidc-token"), "account"]
    environment = {**programs.environment(Agent.home), **agent.environment}
    return Contestant("oidc-token", words, [*words, "--force-new"], environment)


def authlib(programs, server):
    """A program with Authlib, whose lock on a file lets one process refresh."""
    python = os.path.join(ROOT, ".build/servers/venv/bin/python")
    if not os.path.exists(python) or subprocess.run([python, "-c", "import authlib"], capture_output=True, check=False).returncode:
        raise Missing("Authlib is missing: run Scripts/setup --servers")
    environment = programs.environment("authlib")
    path = os.path.join(environment["HOME"], "token.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**sign_in(server), "expires_at": 0}, file)
    words = [python, "-B", os.path.join(HERE, "authlib_token.py"), path, server.issuer + "/token", "dev-device"]
    contestant = Contestant("authlib", words, [*words, "--force"], environment)
    contestant.run(contestant.force)
    return contestant


def sign_in(server):
    """Signs somebody in by a code for another device: the answer of the token endpoint."""
    def ask(path, form):
        status, body = Visitor().open(server.issuer + path, {"client_id": "dev-device", **form})
        if status != 200:
            raise RuntimeError(f"the server answers {status}: {body}")
        return json.loads(body)

    begun = ask("/device_authorization", {"scope": "openid offline_access"})
    server.control("approve", {"user_code": begun["user_code"]})
    return ask("/token", {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": begun["device_code"]})


def count(contestant, words):
    """Runs a command under strace: how many calls of the system it makes, and how many wait for the disk."""
    path = os.path.join(contestant.environment["HOME"], "strace")
    contestant.run(["strace", "-f", "-c", "-o", path, *words], 2 * PATIENCE)
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r"(?m)^\s*[\d.]+\s+[\d.]+\s+\d*\s+(\d+)\s+(?:\d+\s+)?(\w+)$", file.read())
    calls = {name: int(number) for number, name in rows}
    waits = sum(calls.get(name, 0) for name in ("fsync", "fdatasync", "syncfs", "sync", "msync", "sync_file_range"))
    return calls["total"], waits
