"""Walks through the five apps, all at once: main.py PROGRAM TOOL FOLDER [APP…]. Prints a line each step, and the figures last."""

import sys
import threading

from budget import Budget
from diary import Diary
from messenger import Messenger
from notes import Notes
from radar import Radar

WALKS = [Notes, Budget, Radar, Messenger, Diary]


def main(program, tool, folder, *only):
    printing = threading.Lock()

    def report(line):
        with printing:
            print(line, flush=True)

    walks = [kind(program, tool, folder, report) for kind in WALKS if not only or kind.app in only]
    right = {}
    threads = [threading.Thread(target=lambda walk=walk: right.update({walk.app: walk.run()})) for walk in walks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    steps, lost = sum(walk.steps for walk in walks), sum(walk.lost for walk in walks)
    report(f"apps={sum(right.values())} steps={steps} lost={lost}")
    return 0 if walks and len(right) == len(walks) and all(right.values()) and lost == 0 else 1


sys.exit(main(*sys.argv[1:]))
