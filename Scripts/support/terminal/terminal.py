"""A real terminal, at which the recorder is the person: it reads what is shown, and presses keys."""

import errno
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from screen import Screen

PATIENCE = 30


class Lost(Exception):
    """The terminal does not show what the person waits for."""


class Terminal:
    """One program at a terminal of its own, from its start to its end."""

    def __init__(self, command, environment, folder, columns, user=None, owner=None):
        """Starts it as `user`. `owner` is for a command that becomes another user by itself: that one's is the terminal."""
        self.name, self.screen, self.is_open = " ".join(["latchkey", *command[1:]]), Screen(), True
        self.hidden = []
        self.master, device = pty.openpty()
        fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
        if user is not None or owner is not None:
            # The program opens the terminal by its name.
            os.chown(os.ttyname(device), *[user if owner is None else owner] * 2)
        as_user = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        try:
            self.process = subprocess.Popen(
                command, stdin=device, stdout=device, stderr=device, env=environment, cwd=folder, start_new_session=True,
                preexec_fn=_take_terminal, **as_user)
        except BaseException:
            os.close(self.master)
            raise
        finally:
            os.close(device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def waits_for(self, condition, what):
        """Reads on until this holds, and returns what it gives. `what` stands in the error."""
        limit = time.monotonic() + PATIENCE
        while not (found := condition()):
            if not self.is_open:
                raise Lost(f"{self.name}: ended before it showed {what}; the terminal shows:\n{self.screen.text}")
            if time.monotonic() > limit:
                raise Lost(f"{self.name}: no sign of {what} in {PATIENCE} s; the terminal shows:\n{self.screen.text}")
            self._read()
        return found

    def sees(self, pattern):
        """Waits until the terminal shows this, and returns the match."""
        return self.waits_for(lambda: re.search(pattern, self.screen.text), pattern)

    def sees_times(self, text, count):
        """Waits until the terminal shows this so many times."""
        self.waits_for(lambda: self.screen.text.count(text) >= count, f"“{text}”, {count} times")

    def types(self, text, hidden=False):
        """Types a line, once the program reads one key after another. It must not show then if it is `hidden`."""
        self.waits_for(lambda: not self._echoes(), "a question")
        if hidden:
            self.hidden.append((text, self.screen.text.count(text)))
        self.presses(text + "\n")

    def presses(self, keys):
        os.write(self.master, keys.encode())

    def ends(self):
        """Waits until nobody has the terminal open any more. Returns the exit status; that of a signal is negative."""
        self.waits_for(lambda: not self.is_open, "its end")
        return self.process.wait(PATIENCE)

    def _echoes(self):
        return termios.tcgetattr(self.master)[3] & termios.ECHO != 0

    def _read(self):
        if not select.select([self.master], [], [], 0.05)[0]:
            return
        try:
            self.screen.write(os.read(self.master, 4096))
        except OSError as error:
            # What Linux answers once every program has closed the terminal.
            if error.errno != errno.EIO:
                raise
            self.is_open = False


def _take_terminal():
    """Makes standard input the terminal that the new session is controlled by, so that Ctrl-C arrives."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
