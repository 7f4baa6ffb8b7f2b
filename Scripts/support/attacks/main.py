"""Runs every attack against a built tool: main.py TOOL FOLDER. Prints a line each, and the figures last."""

import sys
import traceback

import machine
import sign_in
from scene import Scene


def main(tool, folder):
    attacks = sign_in.ATTACKS + machine.ATTACKS
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
