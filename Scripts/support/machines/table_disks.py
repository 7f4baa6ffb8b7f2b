"""Disks: full, without inodes, read-only, with limits, and file systems that lack a call."""

import os

from environment import Environment, Says, each, refused

DATA, CONFIG = ".local/share", ".config"
FULL = r"no space|is full|cannot be written"
# What a command says that waits, before somebody makes room for it.
ROOM = "Waits until|" + FULL
# Each command asks the service, and has no room for the answer.
SPENT = {"says": each(refused(7, FULL)) | each(Says((0, 7), ROOM), "logout"), "lifetime": 1, "relieved": ("logout",)}


def disk(name, size="size=4m", fill=True, leave=0):
    """A disk of its own, which is full while the machine is ill."""
    return {"build": lambda machine: machine.disk(name, size),
            **({"make": lambda machine: machine.fill(name, leave)} if fill else {})}


def inodes(machine):
    """Takes every inode that is left."""
    folder = machine.path(DATA)
    made = []
    try:
        for number in range(100):
            made.append(f"{folder}/filler-{number}")
            with open(made[-1], "x", encoding="utf-8"):
                pass
    except OSError:
        made.pop()
    machine.undo.append(("inodes", lambda: [os.remove(path) for path in made]))


def read_only(name):
    def make(machine):
        path = machine.folders(name)
        machine.mount(path, "--bind", "-o", "ro", path)
    return make


def overlay(machine):
    machine.mount(machine.own("layers"), "-t", "tmpfs", "-o", "mode=0755", "tmpfs")
    for name in ("lower", "upper", "work"):
        machine.own("layers/" + name)
    machine.mount(machine.home, "-t", "overlay", "overlay", "-o", "lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work".format(
        machine.folder + "/layers"))


def lacks(fault, name, *broken, **options):
    """A machine on which one call of the C library fails, and these commands with it."""
    says = {"says": each(refused(7, "{home}"), *broken) | each(Says((0, 7), "{home}"), "logout")} if broken else {}
    ill = {"LD_PRELOAD": "{bin}/files.so", "MACHINE_FAULT": fault, "MACHINE_MENDED": "{folder}/mended"}
    return Environment(name, **{"ill": ill, "relieved": ("logout",), **says, **options})


STORING = ("login", "refresh", "logout")
NO_LOCKS = each(refused(7, "on a file system that cannot lock files"), *STORING) | each(Says(
    (0, 7), "on a file system that cannot lock files"), "logout")
WRITES = each(refused(7, "{home}"), "login", "refresh", "logout")
FULL_DISKS = [
    Environment("a full disk under the sessions", **SPENT, **disk(DATA)),
    Environment("a disk with 100 bytes left under the sessions", **SPENT,
                **disk(DATA, "size=1m", leave=100)),
    Environment("a disk with 4 KiB left under the sessions", **{**SPENT, "says": SPENT["says"] | each(
        Says((0, 7)), "logout")}, **disk(DATA, "size=1m", leave=4096)),
    Environment("a full disk under the profiles", says={"login": refused(7, FULL)}, lifetime=1, **disk(CONFIG)),
    Environment("no inode left under the sessions", inodes, lambda machine: machine.disk(DATA, "size=4m,nr_inodes=40"),
                **SPENT),
    Environment("a home on a disk of its own, full", **SPENT, **disk(".", "size=4m")),
    Environment("TMPDIR on a full disk", ill={"TMPDIR": "{home}/tmp"}, **disk("tmp", "size=64k")),
]
LIMITS = [
    Environment("files may have no size (ulimit -f 0)", lines="ulimit -f 0", skipped=("logout",),
                says=each(refused(7, FULL + "|too large"), "login", "refresh")),
    Environment("no core files, little stack", lines="ulimit -c 0; ulimit -s 512"),
]
READ_ONLY = [
    Environment("a home that is read-only", read_only("."), says=WRITES),
    Environment("sessions on a read-only disk", read_only(DATA), says=WRITES),
    Environment("profiles on a read-only disk", read_only(CONFIG), says={"login": refused(7, "{home}")}),
    Environment("a root that is read-only, and no home", root="mount --bind -o ro / /\n", ill={"HOME": "/home/ada"},
                says={"login": refused(7, "/")} | each(refused(3, "Nobody"), "token", "refresh", "exec", "logout")),
    Environment("a disk that is noexec, nosuid, nodev", lambda machine: machine.mount(
        ".", "--bind", "-o", "noexec,nosuid,nodev", machine.home)),
    Environment("an overlay, as containers have it", build=overlay),
]


LACKING = [
    lacks("fsync-directory-einval", "a file system that cannot sync folders"),
    lacks("fsync-eio", "a disk that fails to sync", *STORING),
    lacks("flock-enosys", "a file system without locks", says=NO_LOCKS),
    lacks("flock-enolck", "a file system whose locks have run out", says=NO_LOCKS),
    lacks("write-edquot", "a quota that is used up", **SPENT),
    lacks("write-eio", "a disk that fails to write", *STORING),
    lacks("write-short", "writes that are cut short"),
    lacks("write-eintr", "writes that are interrupted"),
    lacks("fallocate-enotsup", "a file system that reserves no space"),
    lacks("rename-eio", "a disk that fails to rename", *STORING),
    lacks("chmod-eperm", "a file system whose modes cannot be changed"),
    lacks("link-eperm", "a file system without hard links"),
    lacks("getrandom-enosys", "a kernel without getrandom"),
]

DISKS = FULL_DISKS + LIMITS + READ_ONLY + LACKING
