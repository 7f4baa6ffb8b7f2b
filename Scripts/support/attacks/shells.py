"""Attacks by names that a service or another user has chosen, when the victim presses TAB in a shell: number 9."""

import fcntl
import json
import os
import pty
import select
import shutil
import subprocess
import termios
import time

from scene import VICTIM


def keys(scene, shell, start, typed, folder, patience=6):
    """What an interactive shell of the victim's shows; each text of `typed` is typed once the shell rests."""
    master, terminal = pty.openpty()
    os.chown(os.ttyname(terminal), VICTIM, VICTIM)
    environment = scene.environment(PATH=f"{scene.folder}:/usr/bin:/bin", TERM="dumb", HISTFILE="/dev/null")
    process = subprocess.Popen(
        [*shell], user=VICTIM, group=VICTIM, extra_groups=[], env=environment, cwd=folder, start_new_session=True,
        stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(terminal)
    shown = b""
    try:
        for text in [start + "\n", *typed, "exit\n"]:
            quiet = time.monotonic()
            limit = quiet + patience
            while time.monotonic() < limit and time.monotonic() - quiet < 1:
                if select.select([master], [], [], 0.1)[0]:
                    try:
                        shown += os.read(master, 65536)
                    except OSError:
                        break
                    quiet = time.monotonic()
            try:
                os.write(master, text.encode())
            except OSError:
                break
        time.sleep(0.5)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
        process.wait()
        os.close(master)
    return shown.decode("utf-8", "replace")


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(latchkey completions bash)"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source <(latchkey completions zsh)"),
    "fish": (["fish", "-i"], "latchkey completions fish | source"),
}


def name_on_tab(shell):
    """A person's name at the service is a command; TAB completes the account."""
    def attack(scene):
        tried = f"signs in as a person whose name is a command; TAB and Enter in {shell}"
        if shutil.which(shell) is None:
            return True, tried, f"nothing: {shell} is not installed (run Scripts/setup --servers)"
        users = scene.folder + "/users.json"
        with open(users, "w") as file:
            name = "$(touch${IFS}tab)`touch${IFS}tab`;touch${IFS}tab;"
            json.dump([{"name": name, "password": "x", "displayName": name}], file)
        os.chmod(users, 0o644)
        server = scene.start(VICTIM, [scene.tool, "dev-server", "--auto-approve", "--users", users])
        scene.issuer = scene.find(server, rb"issuer\s+http://127\.0\.0\.1:\d+").decode().split()[-1]
        scene.signed_in()
        words, start = SHELLS[shell]
        shown = keys(scene, words, start, ["latchkey switch \t", "\t", "\n"], scene.home)
        ran = os.path.exists(scene.home + "/tab")
        offered = "touch" in shown
        return offered and not ran, tried, "its name, quoted" if offered and not ran else \
            "that a command ran" if ran else "no name: the completion offered nothing"
    return attack


def file_on_tab(shell):
    """A file in the folder is called as a command."""
    def attack(scene):
        tried = f"leaves a file whose name is a command; TAB and Enter in {shell}"
        if shutil.which(shell) is None:
            return True, tried, f"nothing: {shell} is not installed (run Scripts/setup --servers)"
        folder = scene.own("received", VICTIM, 0o700)
        path = os.path.join(folder, "a;touch${IFS}tab;")
        open(path, "w").close()
        os.chown(path, VICTIM, VICTIM)
        words, start = SHELLS[shell]
        keys(scene, words, start, ["latchkey dev-server --users a\t", "\n", "\x03"], folder)
        ran = os.path.exists(folder + "/tab")
        return not ran, tried, "that a command ran" if ran else "the name, quoted"
    return attack


ATTACKS = [(9, VICTIM, attack(shell)) for attack in (name_on_tab, file_on_tab) for shell in SHELLS]
