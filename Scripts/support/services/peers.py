"""Other tools with a token each, for the benchmark: peers.py TOOL FOLDER. Runs until its input ends.

Writes a line for each: its name, and the file in FOLDER that says how to run it; or its name, `-`, and what is missing.
"""

import os
import shutil
import subprocess
import sys

from agent import Agent
from programs import PATIENCE, Missing, Programs
from servers import DevServer


def need(*names):
    for name in names:
        if not shutil.which(name):
            raise Missing(name)


def gh(programs):
    """The command line of GitHub, signed in by a file."""
    need("gh")
    folder = os.path.join(programs.environment("gh")["HOME"], "gh")
    os.makedirs(folder, mode=0o700)
    with open(os.path.join(folder, "hosts.yml"), "w", encoding="utf-8") as file:
        file.write("github.com:\n    user: ada\n    oauth_token: gho_token\n    git_protocol: https\n")
    return ["gh", "auth", "token"], {**programs.environment("gh"), "GH_CONFIG_DIR": folder}


def pass_(programs):
    """The password store, with a key that needs no passphrase."""
    need("pass", "gpg", "gpgconf")
    environment = programs.environment("pass")
    # A socket's path is short.
    environment.update(GNUPGHOME=environment["HOME"], PASSWORD_STORE_DIR=environment["HOME"] + "/store")

    def run(*words, text=""):
        subprocess.run(words, env=environment, input=text.encode(), capture_output=True, check=True, timeout=PATIENCE)

    run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", "ada@example.test", "default", "default", "never")
    run("pass", "init", "ada@example.test")
    run("pass", "insert", "--echo", "token", text="a token\n")
    return ["pass", "show", "token"], environment


def oidc(programs, tool):
    """oidc-agent, which has an account's token in memory."""
    need("oidc-agent", "oidc-gen", "oidc-token")
    server = DevServer(programs, tool, 86_400)
    server.control("configure", {"autoApprove": False, "deviceInterval": 1})
    agent = Agent(programs, server)
    wrong = agent.device()
    if wrong:
        raise RuntimeError(wrong)
    return ["oidc-token", "account"], {**programs.environment(Agent.home), **agent.environment}


def main(tool, folder):
    with Programs() as programs:
        try:
            for name, prepare in {"gh": gh, "pass": pass_, "oidc-agent": lambda all: oidc(all, tool)}.items():
                try:
                    words, environment = prepare(programs)
                    path = os.path.join(folder, f"peer-{name}")
                    with open(path, "w", encoding="utf-8") as file:
                        for word in [shutil.which(words[0]), *words[1:]]:
                            file.write(f"word {word}\n")
                        for key, value in environment.items():
                            file.write(f"variable {key}={value}\n")
                    print(name, path, flush=True)
                except Missing as missing:
                    print(name, "-", f"{missing} is missing", flush=True)
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    print(name, "-", " ".join(str(error).split()), flush=True)
            print("ready", flush=True)
            sys.stdin.read()
        finally:
            if shutil.which("gpgconf"):
                home = programs.environment("pass")["HOME"]
                subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], capture_output=True, check=False)


main(*sys.argv[1:])
