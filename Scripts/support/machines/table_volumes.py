"""Volumes and files that a system manages: Kubernetes, OpenShift, Docker, Nix, dotfiles, drives of Windows."""

import os

from accounts import TEAM
from environment import Environment, Says, each, refused

DATA = {"XDG_DATA_HOME": "{folder}/volume"}
BOTH = {"XDG_DATA_HOME": "{folder}/volume/data", "XDG_CONFIG_HOME": "{folder}/volume/config"}
EVERYBODY = refused(7, "{folder}/volume may be changed by everybody")
GROUP = refused(7, "{folder}/volume may be changed by a group")
# A client with a secret, which each request to the token endpoint needs.
SECRET = "dev-agent-secret\n"
PLACE = "{folder}/secrets/client-secret"


def volume(mode, user=0, group=0):
    """A folder of root's which is closed while the machine is well."""
    def build(machine):
        machine.own("volume", 0o700)
    def make(machine):
        machine.mode(machine.folder + "/volume", mode, user=user, group=group)
    return {"build": build, "make": make}


def mounted(mode, user=0, group=0):
    """The same as a mount of its own, as containers have it."""
    def build(machine):
        machine.mount(machine.own("volume"), "-t", "tmpfs", "-o", f"mode=0700,uid={machine.user},gid={machine.group}", "tmpfs")
    return {**volume(mode, user, group), "build": build}


REFUSED = {"variables": DATA}
VOLUMES = [
    Environment("emptyDir of mode 0777", says=each(EVERYBODY), **volume(0o777), **REFUSED),
    Environment("emptyDir of mode 0777, accepted by the environment", ill={"LATCHKEY_ACCEPT_DIRECTORY": "{folder}/volume"},
                variables=DATA, **volume(0o777)),
    Environment("emptyDir of mode 0777, accepted at the login", words=("--accept-directory", "{folder}/volume"),
                variables=DATA, **volume(0o777)),
    Environment("emptyDir with the profiles on it", says=each(EVERYBODY), variables=BOTH, **mounted(0o777)),
    Environment("emptyDir with the profiles on it, accepted", ill={"LATCHKEY_ACCEPT_DIRECTORY": "{folder}/volume"},
                variables=BOTH, **mounted(0o777)),
    Environment("a volume of mode 2777 with an fsGroup", says=each(EVERYBODY), groups=(TEAM,), **volume(0o2777, group=TEAM),
                **REFUSED),
    Environment("a volume of mode 2770 with an fsGroup", says=each(GROUP), groups=(TEAM,), **volume(0o2770, group=TEAM),
                **REFUSED),
    Environment("a volume of mode 2770 with an fsGroup, accepted", ill={"LATCHKEY_ACCEPT_DIRECTORY": "{folder}/volume"},
                groups=(TEAM,), variables=DATA, **volume(0o2770, group=TEAM)),
    Environment("OpenShift's volume of mode 0770 and group 0", group=0, says=each(GROUP), **volume(0o770), **REFUSED),
    Environment("OpenShift's volume of mode 0770 and group 0, accepted", group=0, variables=DATA,
                ill={"LATCHKEY_ACCEPT_DIRECTORY": "{folder}/volume"}, **volume(0o770)),
    Environment("OpenShift's HOME=/ with an accepted volume", group=0, variables=BOTH, ill={
        "HOME": "/", "LATCHKEY_ACCEPT_DIRECTORY": "{folder}/volume"}, **mounted(0o2777)),
    Environment("a volume of mode 1777", variables=DATA, **mounted(0o1777)),
    Environment("a volume that is mounted for reading", make=lambda machine: machine.mount(
        machine.folder + "/volume", "--bind", "-o", "ro", machine.folder + "/volume"), build=lambda machine: machine.own(
            "volume"),
                variables=DATA, says={"login": refused(7, "{folder}/volume.* cannot be written"),
                                      "refresh": refused(7, "{folder}/volume.* cannot be written"),
                                      "logout": refused(7, "{folder}/volume.* cannot be written")}),
    Environment("an accepted directory that is not the one", says=each(EVERYBODY), ill={
        "LATCHKEY_ACCEPT_DIRECTORY": "{folder}/elsewhere"}, **volume(0o777), **REFUSED),
]


def own_secret(machine):
    """The secret as it is well: a file that only the user can read."""
    machine.put(machine.own("secrets", 0o755, 0, 0) + "/client-secret", SECRET)


def secret(mode, user=0, group=0):
    """A file of this mode instead."""
    return lambda machine: machine.put(machine.aside(machine.filled(PLACE)), SECRET, mode, user, group)


def kubernetes(mode, user=0, group=0):
    """A secret as kubelet mounts it: the file is a link through ..data to a folder with the time in its name."""
    def make(machine):
        path = machine.aside(machine.filled(PLACE))
        real = machine.own("secrets/..2026_11_27_16_00_00.123456789", 0o755, 0, 0)
        machine.put(real + "/client-secret", SECRET, mode, user, group)
        machine.link(os.path.dirname(path) + "/..data", os.path.basename(real))
        machine.link(path, "..data/client-secret")
    return make


def given(name, make, says=None, **options):
    """A client's secret that others manage, at the place where the profile looks for it."""
    words = ("--client-secret-file", PLACE)
    return Environment(name, make, own_secret, client="dev-agent", words=words, says=says or {}, **options)


ASKING = ("login", "refresh", "logout")
READ = each(Says((0,), "other users of this machine may read the client's secret"), *ASKING)
# A sign-out needs no secret here; the service is told later.
OPEN = each(refused(7, f"(?i)others may read or change the client's secret at {PLACE}"), "login", "token", "refresh", "exec")
UNREAD = each(refused((7, 8), f"(?i)the client's secret .*{PLACE}"), "login", "token", "refresh", "exec")
SECRETS = [
    given("a secret of Kubernetes, 0444", kubernetes(0o444), READ),
    given("a secret of Kubernetes, 0440 with an fsGroup", kubernetes(0o440, 0, TEAM), READ, groups=(TEAM,)),
    given("a secret of Kubernetes, 0400 of the user's", kubernetes(0o400, 61001, 61001)),
    given("a secret of Docker, 0444", secret(0o444), READ),
    given("a secret that only root can read", secret(0o400), UNREAD),
    given("a secret of the user's own, 0400", secret(0o400, 61001, 61001)),
    given("a secret of the user's own, 0644", secret(0o644, 61001, 61001), OPEN),
    given("a secret of another user's", secret(0o644, 61002, 61002), UNREAD),
    given("no secret where the profile looks for it", lambda machine: machine.aside(machine.filled(PLACE)), UNREAD),
]


def managed(target, mode, user=0, group=0):
    """The profile is a link to a file that another program manages."""
    def make(machine):
        place = machine.own("managed", 0o755, user, group)
        path = machine.path(".config/latchkey/profiles/default.json")
        with open(path, encoding="utf-8") as file:
            content = file.read()
        machine.aside(path)
        machine.put(f"{place}/{target}", content, mode, user, group)
        machine.link(path, f"{place}/{target}")
    return make


MANAGED = [
    Environment("the profile is a link into a package store, as Nix has it", managed("abc-latchkey.json", 0o444), later=True),
    Environment("the profile is a link into one's own dotfiles", managed("default.json", 0o644, 61001, 61001), later=True),
    Environment("the profile is a link to a file that all can change", managed("default.json", 0o666, 61001, 61001), later=True,
                says=each(refused((7, 8), "default.json may be changed by somebody else"))),
]

ALL = VOLUMES + SECRETS + MANAGED
