"""Accounts that only the commands of an environment see: Ada, another person, and groups of one and of two."""

from scene import ATTACKER as OTHER
from scene import VICTIM as USER

TEAM, ALONE = 61010, 61011
PASSWD = f"""root:x:0:0:root:/root:/bin/bash
ada:x:{USER}:{USER}::{{home}}:/bin/bash
eve:x:{OTHER}:{OTHER}::/nonexistent:/bin/sh
"""
GROUP = f"""root:x:0:
ada:x:{USER}:
eve:x:{OTHER}:
team:x:{TEAM}:ada,eve
alone:x:{ALONE}:ada
"""


def file(path, content):
    """The lines of a shell, as root, that put a file in place of one of the system's."""
    name = "{folder}/" + path.strip("/").replace("/", "-")
    return f"cat > {name} << 'END'\n{content}END\nchmod 0644 {name}\nmount --bind {name} {path}\n"


ACCOUNTS = file("/etc/passwd", PASSWD) + file("/etc/group", GROUP)
