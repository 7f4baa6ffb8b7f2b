"""What an environment is: how a machine is made otherwise than ours, and what the tool has to say there."""

import dataclasses
import re

COMMANDS = ("login", "token", "refresh", "exec", "logout")

# What each command prints where all is well.
DONE = {
    "login": r"(?m)^Signed in as ", "token": r"(?m)^dat_\S+$", "refresh": r"Refreshed|until", "exec": r"(?m)^got dat_\S+$",
    "logout": r"Signed out",
}


@dataclasses.dataclass(frozen=True)
class Says:
    """What is true of one command: how it may end, what it must say, and what it must not say."""

    statuses: tuple = (0,)
    pattern: str = ""
    never: str = ""
    # Whether the output can be read: not where the environment has none.
    is_heard: bool = True

    def wrong(self, command, ended, fill):
        """Why what the command said is not true; nothing if it is. `fill` puts a machine's own names into a pattern."""
        if ended.status not in self.statuses:
            return f"ends with {ended.status}, not with {' or '.join(map(str, self.statuses))}"
        if not self.is_heard:
            return None
        if ended.status == 0 and not re.search(DONE[command], ended.text):
            return f"ends with 0 and does not say {DONE[command]!r}"
        if self.pattern and not re.search(fill(self.pattern), ended.text):
            return f"does not say {fill(self.pattern)!r}"
        said = self.never and re.search(fill(self.never), ended.text)
        return f"says {said[0]!r}" if said else None


FINE = Says()
NOBODY = Says((3,), r"(?i)nobody is signed in|sign in|no profile|latchkey login")


def refused(status, pattern, never=""):
    """What a command says that does not work there."""
    return Says((status,) if isinstance(status, int) else tuple(status), pattern, never)


def each(says, *commands):
    """The same for these commands, or for all."""
    return {command: says for command in commands or COMMANDS}


@dataclasses.dataclass(frozen=True)
class Environment:
    """One way in which a machine is not like ours, with what it is called."""

    name: str
    # Changes the machine, through the methods of Machine that remember how it was. Called each time it becomes ill.
    make: object = None
    # What is there for good, before the first command.
    build: object = None
    # Lines of a shell that run in namespaces of the command's own: as root, then as the user.
    root: str = ""
    lines: str = ""
    # Further words for unshare(1).
    unshare: tuple = ()
    # A program that the user starts the command by.
    inside: tuple = ()
    # Variables while the machine is ill, and for good; None takes one out. {home} and {folder} are replaced.
    ill: dict = dataclasses.field(default_factory=dict)
    variables: dict = dataclasses.field(default_factory=dict)
    # What is put behind the command line.
    redirect: str = ""
    user: int | None = None
    group: int | None = None
    groups: tuple = ()
    # Who runs the commands while it is ill, if it is not the owner of the home.
    other: int | None = None
    # The client of a login, and further words.
    client: str = "dev-native"
    words: tuple = ()
    # Whether these words are only for the machine that is ill.
    ill_words: bool = False
    # Options of every command that asks a service.
    options: tuple = ()
    # What the commands say, where it is not that all is well; and those without a session, if the login is refused.
    says: dict = dataclasses.field(default_factory=dict)
    without: Says | None = None
    # Whether there is a session before: the change is of what a login makes.
    later: bool = False
    # How long access tokens last, in seconds. After one second each command asks the service.
    lifetime: int = 300
    # "front" or "back": at a terminal, in the foreground or not.
    terminal: str = ""
    # What stands between the tool and the service: a class of network.py.
    network: object = None
    # Commands that wait until the machine is well, and during which it becomes so.
    relieved: tuple = ()
    # Commands that are not run there, because they would only wait as they do elsewhere.
    skipped: tuple = ()
    # Whether a hint may be run as typed there.
    can_type: bool = True

    def expected(self, command, has_session=True):
        """What may be true of a command, with a session or without one."""
        says = self.says.get(command, FINE)
        if has_session or command == "login":
            return (says,)
        return (self.without,) if self.without else (NOBODY, says)
