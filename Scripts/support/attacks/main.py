"""Runs every attack against a built tool: main.py TOOL FOLDER [NUMBER…]. Prints a line each, and the figures last."""

import os
import shutil
import subprocess
import sys
import traceback

import agent
import heads
import machine
import pages
import services
import shells
import sign_in
import surroundings
import vaults
from scene import VICTIM, Scene


def may_run(tool, folder):
    """Whether the victim can start the tool at all."""
    path = shutil.copy(tool, folder)
    os.chmod(path, 0o755)
    try:
        return subprocess.run([path, "help"], user=VICTIM, group=VICTIM, extra_groups=[], cwd="/", env={},
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def main(tool, folder, *only):
    attacks = (sign_in.ATTACKS + machine.ATTACKS + agent.ATTACKS + shells.ATTACKS + services.ATTACKS + surroundings.ATTACKS
               + heads.ATTACKS + vaults.ATTACKS + pages.ATTACKS)
    if only:
        attacks = [attack for attack in attacks if str(attack[0]) in only]
    if not may_run(tool, folder):
        print("another user may not run the tool here: its libraries, Swift's among them, are not for everybody to read")
        return 3
    count = 0
    for index, (number, user, attack) in enumerate(attacks):
        scene = None
        try:
            scene = Scene(tool, f"{folder}/{index}")
            refused, tried, saw = attack(scene)
        except Exception:
            traceback.print_exc()
            refused, tried, saw = False, attack.__doc__ or attack.__name__, "the attack could not be carried out"
        finally:
            if scene:
                scene.close()
        count += refused
        verdict = "refused" if refused else "SUCCEEDED"
        print(f"{number}  uid={user} tried: {tried}; the victim saw: {saw}  {verdict}", flush=True)
    print(f"attacks={len(attacks)} refused={count}")
    return 0 if count == len(attacks) else 1


sys.exit(main(*sys.argv[1:]))
