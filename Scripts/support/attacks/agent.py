"""Attacks on the agent that hands tokens out: number 9."""

import os
import time

from scene import ATTACKER, PATIENCE, VICTIM, last

HERE = os.path.dirname(os.path.realpath(__file__))
# What decides where profiles and sessions are, in this order: an agent answers requests that name its own.
VARIABLES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LATCHKEY_STORE", "http_proxy", "https_proxy",
             "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")


def serving(scene):
    """Signs the victim in, and starts the agent: the path of its socket."""
    scene.signed_in()
    agent = scene.start(VICTIM, [scene.tool, "agent", "serve", "--for", "5m", "--serve-tokens"])
    path = os.path.join(scene.data, "latchkey", "agent", "agent.sock")
    limit = time.monotonic() + PATIENCE
    while not os.path.exists(path):
        if agent.poll() is not None or time.monotonic() > limit:
            raise RuntimeError(f"the agent does not listen: {scene.text(agent)}")
        time.sleep(0.02)
    return path


def ask(scene, user, path):
    """What a program of a user is answered that asks for the victim's token over the socket."""
    home = "\n".join(scene.environment().get(name, "") for name in VARIABLES)
    return scene.run(user, ["python3", "-B", HERE + "/as_user.py", "agent", path, home, "default"])[1].strip()


def other_user(scene):
    """9: the directory of the agent's socket was opened to everybody, and another user asks for a token."""
    path = serving(scene)
    own = ask(scene, VICTIM, path)
    # As by a mistaken chmod of the victim's: without it the attacker does not even reach the socket.
    closed = ask(scene, ATTACKER, path)
    folder = os.path.dirname(path)
    while folder != scene.folder:
        os.chmod(folder, 0o755)
        folder = os.path.dirname(folder)
    os.chmod(path, 0o666)
    opened = ask(scene, ATTACKER, path)
    is_good = own.startswith("token dat_") and closed.startswith("not reached") and opened == "no answer"
    return is_good, "asks the agent for a token over its socket", f"the agent answered itself \"{own[:9]}…\", others \"{opened[:40]}\""


def false_agent(scene):
    """9: what listens in the agent's place is another user's, and has a token to offer."""
    path = serving(scene)
    others = scene.own("others", ATTACKER, 0o755)
    listener = scene.start(ATTACKER, ["python3", "-B", HERE + "/as_user.py", "pretend", others + "/agent.sock"])
    scene.find(listener, rb"listening")
    taken = []
    for how in ("link", "hard link"):
        os.unlink(path)
        if how == "link":
            os.symlink(others + "/agent.sock", path)
        else:
            os.link(others + "/agent.sock", path)
        status, text = scene.latchkey("token")
        if status != 0 or not text.startswith("dat_"):
            taken.append(f"by a {how}: {last(text)}")
    return not taken, "listens in the agent's place and offers a token", taken[0] if taken else "a token of its own"


ATTACKS = [(18, ATTACKER, other_user), (18, ATTACKER, false_agent)]
