"""Parts of the system that are missing or otherwise: /proc, accounts, devices, limits, users, the process's own state."""

from accounts import ACCOUNTS, file
from environment import Environment, each, refused

EMPTY = "mount -t tmpfs -o mode=0755 tmpfs "
DEVICES = EMPTY + """{folder}/dev
for name in null zero full random urandom tty; do
    touch {folder}/dev/$name; mount --bind /dev/$name {folder}/dev/$name
done
"""
SYSTEM = [
    Environment("no /proc", root="umount --lazy /proc\n", says=each(refused(1, "/proc is not mounted"))),
    Environment("/proc with hidepid=2", root="mount -t proc -o hidepid=2 proc /proc\n"),
    Environment("no /sys", root=EMPTY + "/sys\n"),
    Environment("no /dev but the usual five", build=lambda machine: machine.own("dev", 0o755, 0, 0),
                root=DEVICES + "mount --rbind {folder}/dev /dev\n"),
    Environment("no /dev/urandom, no /dev/tty", build=lambda machine: machine.own("dev", 0o755, 0, 0), root=DEVICES +
                "cd {folder}/dev; umount urandom tty; rm urandom tty; cd /; mount --rbind {folder}/dev /dev\n"),
    Environment("no accounts (/etc/passwd, /etc/group)", root=file("/etc/passwd", "") + file("/etc/group", "")),
    Environment("no nsswitch.conf", root=file("/etc/nsswitch.conf", "")),
    Environment("no /etc at all", root=EMPTY + "/etc\n"),
    Environment("an account", root=ACCOUNTS),
    Environment("no /tmp that one can write", ill={"TMPDIR": "/nowhere"}),
    Environment("no /var, no /run", root=EMPTY + "/var; " + EMPTY + "/run\n"),
    Environment("a folder of its own that is gone", lines="mkdir -p {home}/gone; cd {home}/gone; rmdir {home}/gone"),
    Environment("a current folder that cannot be read", lambda machine: machine.own(
        "locked", 0, 0, 0), root="cd {folder}/locked\n"),
    Environment("no PATH", ill={"PATH": None}),
    Environment("an environment of 3000 variables", ill={f"VARIABLE_{number}": "x" * 30 for number in range(3000)}),
    Environment("a variable that is no UTF-8", ill={"LATIN": "caf\udce9"}),
]

LOCALES = [
    Environment("LC_ALL=C", ill={"LC_ALL": "C"}),
    Environment("LC_ALL of a locale that is not there", ill={"LC_ALL": "xx_YY.UTF-8"}),
    Environment("Turkish", ill={"LC_ALL": None, "LANG": "tr_TR.UTF-8"}),
    Environment("no locale", ill={"LC_ALL": None}),
    Environment("French, and nothing to write", ill={"LC_ALL": "fr_FR.UTF-8"}, make=lambda machine: machine.mode(machine.home, 0),
                says=each(refused(7, "(?m)^conseil : "))),
]

# Who root is outside cannot be known there.
UNMAPPED = each(refused(7, r"/ belongs to another user \(65534\)"))
USERS = [
    Environment("root in a home of its own", user=0),
    Environment("nobody, number 65534", user=65534),
    Environment("a user number above 2^31", user=3_000_000_000),
    Environment("root of a user namespace", inside=("/usr/bin/unshare", "--user", "--map-root-user"), says=UNMAPPED),
    Environment("a user of a user namespace", inside=("/usr/bin/unshare", "--user", "--map-current-user"), says=UNMAPPED),
    Environment("nobody of a user namespace", inside=("/usr/bin/unshare", "--user")),
    Environment("the first process of a container", unshare=("--pid", "--fork", "--mount-proc")),
    Environment("a process namespace with the old /proc", unshare=("--pid", "--fork")),
    Environment("a host of another name", unshare=("--uts",), root="hostname latchkey-container || true\n"),
    Environment("no new privileges", inside=("/usr/bin/setpriv", "--no-new-privs")),
]

FEW = each(refused(1, "files can be opened at once"))
LIMITS = [
    Environment("12 descriptors", lines="ulimit -n 12", says=FEW),
    Environment("28 descriptors", lines="ulimit -n 28", says=FEW),
    Environment("64 descriptors", lines="ulimit -n 64"),
    Environment("2 GiB of addresses", lines="ulimit -v 2097152"),
    Environment("10 s of the processor", lines="ulimit -t 10"),
    Environment("no locked memory", lines="ulimit -l 0"),
]

SIGNALS = [
    Environment("SIGINT and SIGQUIT ignored, as in the background", lines="trap '' INT QUIT"),
    Environment("SIGHUP ignored, as by nohup", lines="trap '' HUP"),
    Environment("SIGPIPE ignored, as below Python", lines="trap '' PIPE"),
    Environment("SIGTERM ignored", lines="trap '' TERM"),
    Environment("SIGCHLD ignored, as below some daemons", lines="trap '' CHLD"),
    Environment("the lowest priority", lines="renice -n 19 $$ > /dev/null"),
]

ALL = SYSTEM + LOCALES + USERS + LIMITS + SIGNALS
