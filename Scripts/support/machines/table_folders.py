"""Folders between the home and the project's own, and those own ones: modes, owners, links."""

import os

from accounts import ACCOUNTS, OTHER, TEAM
from environment import Environment, each, refused

STORE = ".local/share/latchkey"
PROFILES = ".config/latchkey/profiles"


def made(name, mode, **options):
    """A folder that another program has made with this mode."""
    def make(machine):
        machine.folders(name)
        machine.mode(name, mode, **options)
    return make


def own(name, mode, **options):
    return lambda machine: machine.mode(name, mode, **options)


def record(mode, **options):
    return lambda machine: [machine.mode(path, mode, **options) for path in machine.records()]


def below(name, **options):
    """Gives all that is below a folder to somebody, as a command that was run as root leaves it."""
    def make(machine):
        for at, _, names in os.walk(machine.path(name)):
            for path in [at, *(os.path.join(at, name) for name in names)]:
                machine.mode(path, os.stat(path).st_mode & 0o7777, **options)
    return make


def elsewhere(name, mode=0o700):
    """A folder of the home that is a link to another place, for good."""
    def build(machine):
        machine.folders(os.path.dirname(name) or ".")
        os.symlink(machine.own("elsewhere", mode), machine.path(name))
    return build


def stale(name):
    def make(machine):
        machine.folders(os.path.dirname(name))
        if not os.path.lexists(machine.path(name)):
            machine.link(name, machine.folder + "/gone")
    return make


def file_instead(machine):
    if not os.path.exists(machine.path(".config")):
        machine.put(".config", "", 0o644)


FILE = refused(7, "{home}/.config is not a directory", "Close it")
# What is no advice about a folder that is the system's, or another user's.
ADVICE = "Make that directory writable"
UNWRITABLE = {"login": refused(7, r"{home}/\S+ cannot be written")}
GROUP = each(refused(7, "{home}/.config may be changed by a group"))
ABOVE = [
    Environment("~/.config of mode 0775 in a closed home, umask 002", made(".config", 0o775), lines="umask 002"),
    Environment("~/.config of mode 0777 in a closed home", made(".config", 0o777)),
    Environment("~/.config of mode 0775, home 0755, group of one's own", lambda machine: (
        machine.mode(machine.home, 0o755), made(".config", 0o775)(machine)), root=ACCOUNTS),
    Environment("~/.config of mode 0775, home 0755, group of two", lambda machine: (
        machine.mode(machine.home, 0o755), made(".config", 0o775, group=TEAM)(machine)), root=ACCOUNTS, says=GROUP),
    Environment("~/.config of mode 0775, home 0755, no accounts", lambda machine: (
        machine.mode(machine.home, 0o755), made(".config", 0o775)(machine)), says=GROUP),
    Environment("~/.config of mode 0500", made(".config", 0o500), says=UNWRITABLE),
    Environment("~/.config of mode 0000", made(".config", 0), says=each(refused(7, "{home}/.config.* cannot be read"))),
    Environment("~/.config is a file", file_instead, says={"login": FILE}, without=FILE),
    Environment("~/.config is root's", made(".config", 0o755, user=0, group=0), says=UNWRITABLE),
    Environment("~/.config is root's and closed", made(".config", 0o700, user=0, group=0),
                says=each(refused(7, "{home}/.config.* cannot be read"))),
    Environment("~/.local is root's", made(".local", 0o755, user=0, group=0), says=UNWRITABLE),
    Environment("~/.local/share is another user's", made(".local/share", 0o755, user=OTHER, group=OTHER),
                says={"login": refused(7, "{home}/.local/share belongs to another user")} | each(
                    refused(7, "{home}/.local/share belongs to another user"), "token", "refresh", "exec", "logout")),
    Environment("~/.config is a link", build=elsewhere(".config")),
    Environment("~/.local/share is a link to another disk", build=elsewhere(".local/share")),
    Environment("~/.local/share/latchkey is a link", build=elsewhere(STORE)),
    Environment("~/.local/share is a link to nothing", stale(".local/share"), says={
        "login": refused(7, "{folder} cannot be written", ADVICE)}),
]

OPEN = r"{home}/\S+ (?:lets others in|is open to others|may be changed by)"
ROOTS = refused(7, r"belongs to root; sudo chown -R \"\$\(id -u\)\" {home}")
BELOW = [
    Environment("the store of mode 0755", own(STORE + "/default", 0o755), later=True, says=each(refused(7, OPEN))),
    Environment("the store of mode 0770", own(STORE + "/default", 0o770), later=True, says=each(refused(7, OPEN))),
    Environment("the folder of all stores of mode 0777 in a closed home", own(STORE, 0o777), later=True),
    Environment("the folder of all stores of mode 0777 where others get", lambda machine: (
        [machine.mode(name, 0o755) for name in (machine.home, ".local", ".local/share")], own(STORE, 0o777)(machine)),
                later=True, says=each(refused(7, OPEN))),
    Environment("the session's record of mode 0644", record(0o644), later=True, says=each(refused(7, OPEN))),
    Environment("the session's record of mode 0000", record(0), later=True, says=each(refused(7, "{home}.*cannot be read"))),
    Environment("the session's record of mode 0400", record(0o400), later=True),
    Environment("the store of mode 0500", own(STORE + "/default", 0o500), later=True, says=each(
        refused(7, "cannot be (?:written|changed)|may not be"), "refresh", "login", "logout")),
    Environment("the store of mode 0000", own(STORE + "/default", 0), later=True, says=each(refused(7, "{home}.*cannot be"))),
    Environment("the store is root's", below(STORE + "/default", user=0, group=0), later=True, says=each(ROOTS)),
    Environment("the folder of all stores is root's", below(STORE, user=0, group=0), later=True, says=each(
        refused(7, "{home}/.local/share/latchkey.* cannot be read"))),
    Environment("the record is root's and 0644", record(0o644, user=0, group=0), later=True, says=each(
        refused(7, r"{home}/\S+"))),
    Environment("the record is another user's", record(0o600, user=OTHER, group=OTHER), later=True, says=each(
        refused(7, "belongs to another user|cannot be read"))),
    Environment("the profiles are root's", below(PROFILES, user=0, group=0), later=True, says=each(
        refused(7, "{home}/.config/latchkey", ADVICE))),
    Environment("the profile is root's, and all can read it", own(
        PROFILES + "/default.json", 0o644, user=0, group=0), later=True),
    Environment("the profile of mode 0666", own(PROFILES + "/default.json", 0o666), later=True, says=each(refused(7, OPEN))),
    Environment("the profile of mode 0644", own(PROFILES + "/default.json", 0o644), later=True),
    Environment("the profile of mode 0000", own(PROFILES + "/default.json", 0), later=True, says=each(
        refused((7, 8), "cannot be (?:read|reached)", ADVICE))),
]

FOLDERS = ABOVE + BELOW
