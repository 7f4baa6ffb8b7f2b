"""The programs of runs that go on beside each other."""

import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "services"))

from programs import Programs  # noqa: E402


class Home(Programs):
    """Programs that several threads start."""

    def __init__(self):
        self.lock = threading.Lock()

    def start(self, *words, **options):
        with self.lock:
            return super().start(*words, **options)
