"""Homes, their owners, and the variables that name them."""

import os

from accounts import ACCOUNTS, ALONE, OTHER, TEAM
from environment import NOBODY, Environment, each, refused

FOREIGN = each(refused(7, r"HOME is that of user (?:eve|61002); this runs as"))
NO_HOME = each(refused((7, 8), r"HOME"))


def home(mode, **options):
    return lambda machine: machine.mode(machine.home, mode, **options)


def named(name):
    """A home of another name, for good."""
    def build(machine):
        machine.own(name)
    return {"build": build, "variables": {"HOME": "{folder}/" + name}}


def linked(name, mode):
    """A home that is a link in a folder of this mode."""
    def build(machine):
        machine.link(os.path.join(machine.own("links", mode), name), machine.home)
    return build


def nowhere(path):
    """Where nothing is and nothing can be made: a place to name, and no system's folder to open."""
    return {"login": refused(7, rf"{path}\S* (?:cannot|is not|may not)", "Make that directory writable")} | each(
        NOBODY, "token", "refresh", "exec", "logout")


def others(mode):
    return lambda machine: machine.own("others", mode, OTHER)


UMASKS = [Environment(f"umask {mask}", lines=f"umask {mask}") for mask in ("000", "002", "077", "0277", "0777")]

MODES = [
    Environment("a home of mode 0755", home(0o755)),
    Environment("a home of mode 2755", home(0o2755)),
    Environment("a home of mode 1700", home(0o1700)),
    Environment("a home of mode 0775 with a group of one's own", home(0o775), root=ACCOUNTS),
    # Who runs with a group need not be listed in it; only that of an account is its own.
    Environment(
        "a home of mode 0770 with a further group of one member", home(0o770, group=ALONE), root=ACCOUNTS, groups=(ALONE,),
        says=each(refused(7, "{home} may be changed by a group"))),
    Environment(
        "a home of mode 0775 with a group of two", home(0o775, group=TEAM), root=ACCOUNTS, groups=(TEAM,),
        says=each(refused(7, "{home} may be changed by a group"))),
    Environment("a home of mode 0777", home(0o777), says=each(refused(7, "{home} may be changed by everybody"))),
    Environment("a home of mode 0500", home(0o500), says={"login": refused(7, "{home}.*(?:written|changed|denied)")}),
    Environment("a home of mode 0100", home(0o100), says={"login": refused(7, "{home}")}),
    Environment("a home of mode 0000", home(0), says=each(refused(7, "{home}.*cannot be"))),
    Environment("a home that root has taken", home(0o700, user=0, group=0), says=each(refused(7, "HOME is that of user root"))),
]

VARIABLES = [
    Environment("no HOME and no account", ill={"HOME": None}, says=NO_HOME),
    Environment("no HOME but an account", root=ACCOUNTS, ill={"HOME": None}, says=NO_HOME),
    Environment("an empty HOME", ill={"HOME": ""}, says=NO_HOME),
    Environment("a relative HOME", ill={"HOME": "home"}, lines="cd {folder}", says=NO_HOME),
    Environment("a HOME that is not there", ill={"HOME": "{folder}/nowhere"}, says=nowhere("{folder}")),
    Environment("HOME=/nonexistent", ill={"HOME": "/nonexistent"}, says=nowhere("/")),
    Environment("HOME=/", ill={"HOME": "/"}, says=nowhere("/")),
    Environment(
        "a HOME that is a file", lambda machine: machine.put(machine.folder + "/file", "", 0o600),
        ill={"HOME": "{folder}/file"}, says=each(refused((3, 7), "{folder}/file"))),
    Environment("a HOME of 5000 characters", ill={"HOME": "/" + "a/" * 2500}, says=nowhere("/")),
    Environment("a HOME with a slash at its end", ill={"HOME": "{home}/"}),
    Environment("a HOME with two slashes", ill={"HOME": "{folder}//home"}),
    Environment("a HOME with dots", ill={"HOME": "{folder}/./home"}),
    Environment("a HOME with blanks and quotes", **named("o'brien \"the first\" $HOME")),
    Environment("a HOME with a line feed", **named("two\nlines")),
    Environment("a HOME in letters of no ASCII", **named("Ünïcødé 家")),
    Environment("a HOME that is no UTF-8", lambda machine: machine.own("latin-\udce9"), ill={"HOME": "{folder}/latin-\udce9"},
                says=each(refused(8, "HOME is not in UTF-8"))),
    Environment("a HOME deeper than a socket's name", **named("/".join(["deep" * 10] * 5))),
    Environment("a HOME that is a link", build=linked("ada", 0o755), variables={"HOME": "{folder}/links/ada"}),
    Environment(
        "a HOME that is a link which others can replace", linked("ada", 0o777), ill={"HOME": "{folder}/links/ada"},
        says=each(refused(7, "{folder}/links may be changed by everybody"))),
    Environment("another user's HOME, closed", others(0o700), ill={"HOME": "{folder}/others"}, root=ACCOUNTS, says=FOREIGN),
    Environment("another user's HOME, open to read", others(0o755), ill={"HOME": "{folder}/others"}, root=ACCOUNTS, says=FOREIGN),
    Environment("root with a user's HOME, as by sudo -E", other=0, root=ACCOUNTS,
                says=each(refused(7, "HOME is that of user ada; this runs as root"))),
    Environment("another user with one's HOME, as by su", other=OTHER, root=ACCOUNTS,
                says=each(refused(7, "HOME is that of user ada; this runs as eve"))),
    Environment("XDG_DATA_HOME is relative", ill={"XDG_DATA_HOME": "data"}, lines="cd {home}"),
    Environment("XDG_CONFIG_HOME is empty", ill={"XDG_CONFIG_HOME": ""}),
    Environment("XDG_RUNTIME_DIR is another user's", others(0o700), ill={"XDG_RUNTIME_DIR": "{folder}/others"}, root=ACCOUNTS),
    Environment("XDG_RUNTIME_DIR is not there", ill={"XDG_RUNTIME_DIR": "/run/user/61001"}),
    Environment("XDG_RUNTIME_DIR of mode 0777", lambda machine: machine.own("run", 0o777), ill={
        "XDG_RUNTIME_DIR": "{folder}/run"}),
]

HOMES = [Environment("a machine like ours"), *UMASKS, *MODES, *VARIABLES]
