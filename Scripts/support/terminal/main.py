"""Records what the tool shows at a terminal, and compares with a page: main.py TOOL PAGE compare|write|show."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "services"))

from desk import Desk, Skipped
from page import blocks, differences, written
from programs import Programs
from proof import prove
from servers import DevServer
from settled import settled
from sign_ins import SIGN_INS
from terminal import Lost
from wrong_inputs import WRONG


class Recordings:
    """All that were made, by name, and what went wrong."""

    def __init__(self, programs, tool, server):
        self.made, self.skipped, self.wrong = {}, [], []
        for number, (name, record) in enumerate({**SIGN_INS, **WRONG}.items()):
            desk = Desk(programs, tool, server, f"desk-{number}")
            try:
                record(desk)
            except Skipped as reason:
                print(f"skipped: {name}: {reason}")
                self.skipped.append(name)
                continue
            except (Lost, ValueError) as error:
                self.wrong.append(f"{name}: {error}")
            self.made[name] = settled(desk)
            self.wrong += [f"{name}: the terminal shows what was typed hidden" for _ in desk.leaks]


def compare(recordings, path, writes):
    """A text for each difference between the page and what was recorded now, after the page was written anew if it should be."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if writes:
        page = written(page, recordings.made)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    # What this machine cannot show is not different.
    kept = {name: text for name, text in blocks(page).items() if name in recordings.skipped}
    return list(differences(page, {**recordings.made, **kept}))


def main(tool, path, action):
    different = []
    with Programs() as programs:
        server = DevServer(programs, tool, 300)
        server.control("configure", {"autoApprove": False})
        recordings = Recordings(programs, tool, server)
        wrong = recordings.wrong
        if action == "show":
            print("\n\n".join(f"## {name}\n\n{text}" for name, text in recordings.made.items()))
        else:
            faults, missed = prove(programs, server, recordings.made)
            print(f"faults={faults} found={faults - len(missed)}")
            wrong += missed
            # A recording that went wrong is for nobody's page.
            if action == "write" and wrong:
                print("nothing is written, because of:")
            different = compare(recordings, path, action == "write" and not wrong)
    for text in [*wrong, *different]:
        print(text)
    made = recordings.made.keys()
    print(f"terminal: sign_ins={len(SIGN_INS.keys() & made)} wrong={len(WRONG.keys() & made)} "
          f"skipped={len(recordings.skipped)} different={len(different)}")
    return 1 if wrong or different else 0


sys.exit(main(*sys.argv[1:]))
